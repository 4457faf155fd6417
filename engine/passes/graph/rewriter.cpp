#include "engine/passes/graph/rewriter.h"

#include "engine/passes/graph/constants.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// No chain of rules is this long; it keeps rules that undo each other from running forever.
constexpr std::uint32_t kMaxRewritesPerNode = 256;

std::string describe(const GraphBuilder &builder, NodeId id)
{
    const Node &node = builder.node(id);
    if (!node.name.empty())
        return node.name;
    if (const auto splat = splatOf(builder, id))
        return toText(*splat);
    return operationText(node);
}

std::string describe(const GraphBuilder &builder, const Node &node)
{
    return format("{}({})", operationText(node),
                  join(node.inputs, ", ", [&builder](NodeId input) { return describe(builder, input); }));
}

bool isFor(const GraphRule &rule, const Node &node)
{
    return rule.concerns == nullptr || rule.concerns(node);
}

class Rewriter {
public:
    Rewriter(const Graph &graph, std::span<const GraphRule> rules, PassContext &context, const std::vector<bool> &isKept)
        : m_graph(graph), m_rules(rules), m_context(context), m_isKept(isKept), m_builder(graph)
    {
    }

    Result<std::optional<Graph>> run()
    {
        const std::size_t rewritesBefore = m_context.rewrites().size();
        std::vector<NodeId> made;
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
            Node node = m_graph.node(NodeId(i)).readingFrom(made);
            m_original = i;
            m_rewrites = 0;
            SW_TRY(const NodeId id, add(std::move(node)));
            made.push_back(id);
        }
        if (m_context.rewrites().size() == rewritesBefore)
            return std::optional<Graph>();
        return std::optional(std::move(m_builder).finishUnchecked());
    }

private:
    // Adds the node, or what the rules make of it.
    Result<NodeId> add(Node node)
    {
        const bool isKept = !m_isKept.empty() && m_isKept[m_original];
        if (node.kind != NodeKind::Sink && !isKept && m_context.mayRewrite() && m_rewrites < kMaxRewritesPerNode) {
            for (const GraphRule &rule : m_rules) {
                if (!isFor(rule, node))
                    continue;
                SW_TRY(const std::optional<NodeId> replacement, apply(rule, node));
                if (replacement)
                    return *replacement;
            }
        }
        m_originals.push_back(m_original);
        return m_builder.addUnchecked(std::move(node));
    }

    Replacement apply(const GraphRule &rule, const Node &node)
    {
        const std::size_t size = m_builder.size();
        m_builder.setScope(node.scope);
        RewriteContext context(m_builder, node, m_context);
        SW_TRY(std::optional<NodeId> replacement, rule.apply(context));
        std::vector<Node> built = m_builder.takeBack(size);
        if (!replacement)
            return replacement;
        ++m_rewrites;
        const std::size_t rewrite = m_context.rewrites().size();
        m_context.record(rule.id, [&] { return RewriteDetail{describe(m_builder, node), idsBefore(context)}; });
        SW_TRY(const NodeId result, addBuilt(std::move(built), size, *replacement));
        if (m_builder.node(result).name.empty() && !node.name.empty())
            m_builder.setName(result, node.name);
        m_builder.mergeOrigin(result, context.origin());
        m_context.rewrites().complete(rewrite, [&](RewriteEvent &event) {
            event.detail += " -> " + describe(m_builder, result);
            if (!context.reason().empty())
                event.detail += ": " + context.reason();
            event.after = {result.value};
        });
        return std::optional(result);
    }

    // Offers the nodes that a rule built to the rules. `first` is the id that the first of them had.
    Result<NodeId> addBuilt(std::vector<Node> built, std::size_t first, NodeId replacement)
    {
        std::vector<NodeId> made;
        const auto current = [&made, first](NodeId id) { return id.value < first ? id : made[id.value - first]; };
        for (Node &node : built) {
            for (NodeId &input : node.inputs)
                input = current(input);
            SW_TRY(const NodeId id, add(std::move(node)));
            made.push_back(id);
        }
        return current(replacement);
    }

    [[nodiscard]] std::vector<std::uint32_t> idsBefore(const RewriteContext &context) const
    {
        std::vector<std::uint32_t> ids = {m_original};
        for (const NodeId id : context.absorbed())
            ids.push_back(m_originals[id.value]);
        std::ranges::sort(ids);
        const auto repeated = std::ranges::unique(ids);
        ids.erase(repeated.begin(), repeated.end());
        return ids;
    }

    const Graph &m_graph;
    std::span<const GraphRule> m_rules;
    PassContext &m_context;
    const std::vector<bool> &m_isKept;
    GraphBuilder m_builder;
    std::vector<std::uint32_t> m_originals; // per node in the builder: the node of m_graph that it was made for
    std::uint32_t m_original = 0;           // the node of m_graph that is being rebuilt
    std::uint32_t m_rewrites = 0;           // rewrites for it so far
};

} // namespace

const Node &RewriteContext::absorb(NodeId id)
{
    const Node &found = m_builder.node(id);
    m_origin = Origin::merged(origin(), found.origin);
    m_absorbed.push_back(id);
    return found;
}

Result<std::optional<Graph>> rewriteGraph(const Graph &graph, std::span<const GraphRule> rules, PassContext &context,
                                          const std::vector<bool> &isKept)
{
    const auto isForAny = [&](const Node &node) {
        return std::ranges::any_of(rules, [&](const GraphRule &rule) { return isFor(rule, node); });
    };
    if (std::ranges::none_of(graph.nodes(), isForAny))
        return std::optional<Graph>();
    return Rewriter(graph, rules, context, isKept).run();
}

} // namespace sw
