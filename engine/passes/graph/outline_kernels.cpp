#include "engine/passes/graph/outline_kernels.h"

#include "engine/graph/builder.h"
#include "engine/graph/kernel_body.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sw {

namespace {

class KernelOutliner {
public:
    KernelOutliner(const Graph &graph, PassContext &context) : m_graph(graph), m_context(context), m_builder(graph)
    {
        m_reads.resize(graph.size());
        for (const Node &node : graph.nodes()) {
            if (const auto *unique = std::get_if<UniqueAttributes>(&node.attributes))
                m_nextNumber = std::max(m_nextNumber, unique->id + 1);
            for (const NodeId input : node.inputs)
                ++m_reads[input.value];
        }
    }

    [[nodiscard]] bool hasWork() const
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i)
            if (isToOutline(NodeId(i)))
                return true;
        return false;
    }

    Result<Graph> run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            if (isToOutline(NodeId(i)) && m_context.mayRewrite()) {
                SW_CHECK(check(NodeId(i)));
                m_made.push_back(outlined(NodeId(i)));
                continue;
            }
            m_made.push_back(m_builder.addUnchecked(m_graph.node(NodeId(i)).readingFrom(m_made)));
        }
        return std::move(m_builder).finishUnchecked();
    }

private:
    // A kernel that is not outlined yet: it has an input without a guard, a node inside that is also read outside, or a mistake
    // that check() reports.
    [[nodiscard]] bool isToOutline(NodeId id) const
    {
        const Node &kernel = m_graph.node(id);
        if (kernel.kind != NodeKind::Kernel)
            return false;
        const auto isGuarded = [this](NodeId input) {
            const NodeKind kind = m_graph.node(input).kind;
            return kind == NodeKind::Unique || familyOf(kind) == NodeFamily::Leaf;
        };
        if (!std::all_of(kernel.inputs.begin() + 1, kernel.inputs.end(), isGuarded) || unusedKernelInput(m_graph.nodes(), kernel))
            return true;
        const std::vector<NodeId> body = kernelBody(m_graph.nodes(), kernel);
        std::map<NodeId, std::size_t> readsInside;
        ++readsInside[kernel.inputs.front()];
        for (const NodeId member : body)
            for (const NodeId input : m_graph.node(member).inputs)
                ++readsInside[input];
        return std::ranges::any_of(body, [&](NodeId member) {
            return m_graph.node(member).kind == NodeKind::Kernel || readsInside[member] != m_reads[member.value];
        });
    }

    Result<Done> check(NodeId id)
    {
        const Node &kernel = m_graph.node(id);
        const SourceRange place = m_graph.sources().programRange(kernel.origin);
        if (const auto unused = unusedKernelInput(m_graph.nodes(), kernel)) {
            Diagnostic found = unusedInputOf(kernel, m_graph.node(*unused));
            found.where = place;
            return found;
        }
        for (const NodeId inner : kernelBody(m_graph.nodes(), kernel))
            if (m_graph.node(inner).kind == NodeKind::Kernel)
                return Diagnostic::error(Code::Argument, place, "{} has {} inside", kernelText(kernel),
                                         kernelText(m_graph.node(inner)))
                    .withHint("make the inner one an input of the outer one: its value is stored before");
        return Done{};
    }

    NodeId outlined(NodeId id)
    {
        Node kernel = m_graph.node(id);
        std::map<NodeId, NodeId> inside; // by node of the graph
        for (NodeId &input : kernel.inputs)
            if (&input != &kernel.inputs.front())
                input = inside.try_emplace(input, inputOf(id, input)).first->second;
        const std::vector<NodeId> body = kernelBody(m_graph.nodes(), m_graph.node(id));
        const auto made = [&](NodeId input) {
            const auto found = inside.find(input);
            return found == inside.end() ? m_made[input.value] : found->second;
        };
        std::vector<std::uint32_t> after;
        for (const NodeId member : body) {
            Node copy = m_graph.node(member);
            for (NodeId &input : copy.inputs)
                input = made(input);
            const NodeId own = m_builder.addUnchecked(std::move(copy));
            inside.insert_or_assign(member, own);
            after.push_back(own.value);
        }
        kernel.inputs.front() = made(kernel.inputs.front());
        const std::string text = kernelText(kernel);
        const NodeId own = m_builder.addUnchecked(std::move(kernel));
        after.push_back(own.value);
        m_context.record("outline-kernel", [&] {
            return RewriteDetail{format("{} has {} nodes of its own", text, body.size()), {id.value}, std::move(after)};
        });
        return own;
    }

    // A leaf needs no guard: no rule could take it apart.
    NodeId inputOf(NodeId kernel, NodeId input)
    {
        if (familyOf(m_graph.node(input).kind) == NodeFamily::Leaf)
            return m_made[input.value];
        Node guard = m_graph.node(kernel);
        const Node &guarded = m_graph.node(input);
        guard.kind = NodeKind::Unique;
        guard.name.clear();
        guard.dtype = guarded.dtype;
        guard.shape = guarded.shape;
        guard.attributes = UniqueAttributes{m_nextNumber++};
        guard.inputs = {m_made[input.value]};
        return m_builder.addUnchecked(std::move(guard));
    }

    const Graph &m_graph;
    PassContext &m_context;
    GraphBuilder m_builder;
    std::vector<std::size_t> m_reads; // by node of the graph: how often it is read
    std::vector<NodeId> m_made;       // by node of the graph
    std::int64_t m_nextNumber = 0;
};

} // namespace

Result<std::optional<Graph>> outlineKernels(const Graph &graph, PassContext &context)
{
    KernelOutliner outliner(graph, context);
    if (!context.mayRewrite() || !outliner.hasWork())
        return std::optional<Graph>();
    SW_TRY(Graph outlined, outliner.run());
    return std::optional(std::move(outlined));
}

} // namespace sw
