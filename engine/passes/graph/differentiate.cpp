#include "engine/passes/graph/differentiate.h"

#include "engine/passes/graph/backward_sweep.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <utility>

namespace sw {

namespace {

bool isMark(NodeKind kind)
{
    return kind == NodeKind::Detach || kind == NodeKind::ContiguousBackward;
}

bool isGradient(NodeKind kind)
{
    return kind == NodeKind::Gradient;
}

class Differentiator {
public:
    Differentiator(const Graph &graph, PassContext &context)
        : m_graph(graph),
          m_context(context),
          m_sources(std::make_shared<SourceMap>(graph.sources())),
          m_builder(m_sources),
          m_scopes(*m_sources),
          m_results(graph.size())
    {
    }

    Result<Graph> run()
    {
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            if (m_context.isCancelled())
                return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
            SW_TRY(const NodeId id, rebuilt(i));
            m_made.push_back(id);
            m_originals.resize(m_builder.size(), i);
        }
        return std::move(m_builder).finishUnchecked();
    }

    // For each node that run() made: the node of the input that it was made for.
    [[nodiscard]] const std::vector<std::uint32_t> &originals() const { return m_originals; }

private:
    Result<NodeId> rebuilt(std::uint32_t i)
    {
        Node node = m_graph.node(NodeId(i)).readingFrom(m_made);
        if (node.kind == NodeKind::Gradient && !m_results[i] && m_context.mayRewrite())
            SW_CHECK(sweep(i));
        if (!m_results[i])
            return m_builder.addUnchecked(std::move(node));
        nameResult(*m_results[i], node.name);
        return *m_results[i];
    }

    // Gives a result the program's name for the gradient, unless another gradient has already named it.
    void nameResult(NodeId result, const std::string &name)
    {
        const bool isForward =
            result.value < m_originals.size() && m_graph.node(NodeId(m_originals[result.value])).kind != NodeKind::Gradient;
        if (!isForward && !name.empty() && m_named.insert(result).second)
            m_builder.setName(result, name);
    }

    [[nodiscard]] bool isOfSameLoss(const Node &a, const Node &b) const
    {
        return b.kind == NodeKind::Gradient && a.inputs.size() == b.inputs.size() && a.inputs[0] == b.inputs[0] &&
               (a.inputs.size() == 2 || a.inputs[2] == b.inputs[2]);
    }

    // Finds the results of all gradient nodes that have the same loss as node `first`.
    Result<Done> sweep(std::uint32_t first)
    {
        const Node &asked = m_graph.node(NodeId(first));
        SweepRequest request{m_made[asked.inputs[0].value], std::nullopt, {}, asked.origin, first};
        if (asked.inputs.size() == 3)
            request.weights = m_made[asked.inputs[2].value];
        std::vector<std::uint32_t> walked;
        std::vector<std::uint32_t> others;
        for (std::uint32_t i = first; i < m_graph.size(); ++i) {
            const Node &node = m_graph.node(NodeId(i));
            if (!isOfSameLoss(asked, node))
                continue;
            // The loss cannot depend on nodes that come after it.
            const std::uint32_t wanted = node.inputs[1].value;
            const bool isBefore = wanted < m_made.size() && m_made[wanted] <= request.loss;
            (isBefore ? walked : others).push_back(i);
            request.origin = Origin::merged(request.origin, node.origin);
            if (isBefore)
                request.wanted.push_back(m_made[wanted]);
        }
        m_scopes.begin(asked.scope, asked.origin.sources().front());
        if (!walked.empty()) {
            SW_TRY(const auto found, BackwardSweep(m_builder, m_scopes, m_originals, m_context, std::move(request)).run());
            for (std::size_t k = 0; k < walked.size(); ++k) {
                m_results[walked[k]] = found[k];
                if (!found[k])
                    others.push_back(walked[k]);
            }
        }
        for (const std::uint32_t i : others)
            SW_CHECK(makeZeros(i));
        return Done{};
    }

    Result<Done> makeZeros(std::uint32_t gradient)
    {
        if (!m_context.mayRewrite())
            return Done{};
        const Node &node = m_graph.node(NodeId(gradient));
        m_builder.setScope(m_scopes.gradientScope());
        SW_TRY(const NodeId zeros, m_builder.full(node.origin, Scalar::of(node.dtype, std::int64_t{0}), node.shape));
        m_context.record("no-dependence", [&] {
            const Node &wanted = m_graph.node(node.inputs[1]);
            return RewriteDetail{
                format("the loss does not change with {}", wanted.name.empty() ? operationText(wanted) : wanted.name),
                {gradient},
                {zeros.value}};
        });
        m_results[gradient] = zeros;
        return Done{};
    }

    const Graph &m_graph;
    PassContext &m_context;
    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder m_builder;
    BackwardScopes m_scopes;
    std::vector<NodeId> m_made;                   // per node of the graph
    std::vector<std::uint32_t> m_originals;       // per node of the builder
    std::vector<std::optional<NodeId>> m_results; // of gradient nodes
    std::set<NodeId> m_named;                     // results that already have a name from the program
};

// Drops detach and contiguous_backward. Rewrites since `firstRewrite` refer to nodes of `graph`, so their ids are corrected.
class MarkDropper {
public:
    MarkDropper(const Graph &graph, const std::vector<std::uint32_t> &originals, PassContext &context)
        : m_graph(graph), m_originals(originals), m_context(context), m_builder(graph)
    {
    }

    Graph run(std::size_t firstRewrite)
    {
        const std::size_t endOfWalks = m_context.rewrites().size();
        for (std::uint32_t i = 0; i < m_graph.size(); ++i) {
            Node node = m_graph.node(NodeId(i)).readingFrom(m_made);
            m_made.push_back(isMark(node.kind) && m_context.mayRewrite() ? dropped(node, i)
                                                                         : m_builder.addUnchecked(std::move(node)));
        }
        for (std::size_t rewrite = firstRewrite; rewrite < endOfWalks; ++rewrite)
            m_context.rewrites().complete(rewrite, [&](RewriteEvent &event) {
                for (std::uint32_t &id : event.after)
                    id = m_made[id].value;
            });
        return std::move(m_builder).finishUnchecked();
    }

private:
    NodeId dropped(const Node &node, std::uint32_t id)
    {
        const NodeId input = node.inputs[0];
        if (m_builder.node(input).name.empty())
            m_builder.setName(input, node.name);
        m_builder.mergeOrigin(input, node.origin);
        m_context.record(format("drop-{}", nameOf(node.kind)), [&] {
            return RewriteDetail{"no gradient is left to be written out", {m_originals[id]}, {input.value}};
        });
        return input;
    }

    const Graph &m_graph;
    const std::vector<std::uint32_t> &m_originals;
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<NodeId> m_made;
};

bool has(const Graph &graph, bool (*isOne)(NodeKind))
{
    return std::ranges::any_of(graph.nodes(), [isOne](const Node &node) { return isOne(node.kind); });
}

} // namespace

Result<std::optional<Graph>> differentiate(const Graph &graph, PassContext &context)
{
    const std::size_t firstRewrite = context.rewrites().size();
    std::optional<Graph> written;
    std::vector<std::uint32_t> originals(graph.size());
    std::iota(originals.begin(), originals.end(), 0U);
    if (has(graph, isGradient)) {
        Differentiator differentiator(graph, context);
        SW_TRY(written, differentiator.run());
        originals = differentiator.originals();
    }
    const Graph &current = written ? *written : graph;
    if (has(current, isMark) && !has(current, isGradient))
        written = MarkDropper(current, originals, context).run(firstRewrite);
    if (context.rewrites().size() == firstRewrite)
        return std::optional<Graph>();
    return written;
}

} // namespace sw
