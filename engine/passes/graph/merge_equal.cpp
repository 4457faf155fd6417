#include "engine/passes/graph/merge_equal.h"

#include "engine/graph/branches.h"
#include "engine/graph/builder.h"
#include "engine/graph/kernel_body.h"
#include "engine/graph/structure.h"

#include <map>
#include <unordered_map>
#include <utility>

namespace sw {

namespace {

bool hasIdentity(const Node &node)
{
    const auto *copy = std::get_if<CopyAttributes>(&node.attributes);
    return node.kind == NodeKind::Placeholder || node.kind == NodeKind::Buffer || node.kind == NodeKind::Sink ||
           (copy != nullptr && copy->isClone);
}

// The nodes so far, by what they compute.
class KnownNodes {
public:
    explicit KnownNodes(const GraphBuilder &builder) : m_builder(builder) {}

    // needs: of the node. What both need becomes what the found one needs.
    [[nodiscard]] std::optional<NodeId> find(const Node &node, NodeId kernel, const Requirements &needs, std::uint64_t hash)
    {
        const auto [first, last] = m_nodes.equal_range(hash);
        for (auto candidate = first; candidate != last; ++candidate)
            if (candidate->second.kernel == kernel && isSameOperation(m_builder.node(candidate->second.id), node)) {
                std::optional<Requirements> either = eitherOf(candidate->second.needs, needs);
                if (!either)
                    continue;
                candidate->second.needs = std::move(*either);
                return candidate->second.id;
            }
        return std::nullopt;
    }
    void insert(NodeId id, NodeId kernel, Requirements needs, std::uint64_t hash)
    {
        m_nodes.emplace(hash, Known{id, kernel, std::move(needs)});
    }

private:
    struct Known {
        NodeId id;
        NodeId kernel; // the kernel around it; kernels do not share nodes
        Requirements needs = {};
    };

    const GraphBuilder &m_builder;
    std::unordered_multimap<std::uint64_t, Known> m_nodes;
};

} // namespace

Result<std::optional<Graph>> mergeEqual(const Graph &graph, PassContext &context)
{
    const std::size_t rewritesBefore = context.rewrites().size();
    GraphBuilder builder(graph);
    KnownNodes known(builder);
    const std::vector<NodeId> kernels = kernelsAround(graph);
    const BranchMap branches = branchesOf(graph, scansOf(graph), graph.outputs());
    std::vector<NodeId> made;
    std::vector<std::uint32_t> originals; // per node in the builder: its id in the graph
    // By node that others were merged into: their sources. They are added once, as lists are copied when they grow.
    std::map<NodeId, std::vector<SourceId>> gained;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
        Node node = graph.node(NodeId(i)).readingFrom(made);
        const std::uint64_t hash = hashOfOperation(node);
        // Constants cost nothing, wherever they stand.
        const Requirements needs = familyOf(node.kind) == NodeFamily::Leaf ? Requirements() : branches.of(NodeId(i));
        const auto equal = hasIdentity(node) || !context.mayRewrite() ? std::nullopt : known.find(node, kernels[i], needs, hash);
        if (equal) {
            const std::span<const SourceId> sources = node.origin.sources();
            std::vector<SourceId> &all = gained[*equal];
            all.insert(all.end(), sources.begin(), sources.end());
            if (builder.node(*equal).name.empty())
                builder.setName(*equal, node.name);
            context.record("merge-equal", [&] {
                return RewriteDetail{format("{} {} occurs twice", operationText(node), typeText(node.dtype, node.shape)),
                                     {originals[equal->value], i},
                                     {equal->value}};
            });
            made.push_back(*equal);
            continue;
        }
        made.push_back(builder.addUnchecked(std::move(node)));
        originals.push_back(i);
        known.insert(made.back(), kernels[i], needs, hash);
    }
    if (context.rewrites().size() == rewritesBefore)
        return std::optional<Graph>();
    for (auto &[id, sources] : gained)
        builder.mergeOrigin(id, Origin(std::move(sources)));
    return std::optional(std::move(builder).finishUnchecked());
}

} // namespace sw
