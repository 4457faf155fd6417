#include "engine/passes/graph/select_branches.h"

#include "engine/graph/builder.h"
#include "engine/passes/graph/branch_price.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::string_view kRule = "select-branches";

Result<NodeId> selected(GraphBuilder &builder, const Node &node)
{
    SW_TRY(const NodeId condition, builder.broadcastTo(node.origin, node.inputs[0], node.shape));
    SW_TRY(const NodeId made, builder.elementwise(node.origin, Op::Where, std::array{condition, node.inputs[1], node.inputs[2]}));
    if (!node.name.empty())
        builder.setName(made, node.name);
    return made;
}

} // namespace

Result<std::optional<Graph>> selectBranches(const Graph &graph, PassContext &context)
{
    const std::map<NodeId, BranchPrice> prices = branchPricesOf(graph, context.options().figures);
    const std::size_t before = context.rewrites().size();
    GraphBuilder builder(graph);
    std::vector<NodeId> made;
    for (std::uint32_t i = 0; i < graph.size() && !prices.empty(); ++i) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
        const Node &old = graph.node(NodeId(i));
        Node node = old.readingFrom(made);
        const BranchPrice *price = old.kind == NodeKind::Choose ? &prices.at(old.inputs[0]) : nullptr;
        if (price == nullptr || price->isWorthSkipping() || !context.mayRewrite()) {
            made.push_back(builder.addUnchecked(std::move(node)));
            continue;
        }
        builder.setScope(node.scope);
        SW_TRY(const NodeId value, selected(builder, node));
        made.push_back(value);
        context.record(kRule, [&] {
            return RewriteDetail{format("{} is selected element by element, both branches are computed: {}",
                                        typeText(old.dtype, old.shape), toText(*price)),
                                 {i},
                                 {value.value}};
        });
    }
    if (context.rewrites().size() == before)
        return std::optional<Graph>();
    return std::optional(std::move(builder).finishUnchecked());
}

} // namespace sw
