#pragma once
// Applies named rules to a graph. Nodes are rebuilt in order, so a rule sees inputs that are already rewritten. Nodes that a rule
// makes are offered to the rules again, until none applies. Each application is one recorded rewrite.

#include "engine/graph/builder.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

// What a rule sees: the node, which is not in the builder yet, and the node's inputs, which already are.
class RewriteContext {
public:
    RewriteContext(GraphBuilder &builder, const Node &node, const PassContext &pass)
        : m_builder(builder), m_node(node), m_pass(pass)
    {
    }

    [[nodiscard]] GraphBuilder &builder() { return m_builder; }
    [[nodiscard]] const Node &node() const { return m_node; }
    [[nodiscard]] const PassContext &pass() const { return m_pass; } // the device and the options
    [[nodiscard]] NodeId inputId(std::size_t i) const { return m_node.inputs[i]; }
    [[nodiscard]] const Node &input(std::size_t i) const { return m_builder.node(m_node.inputs[i]); }

    // Says that the result also stands for this node. Call it before anything is built, so that origin() is complete. The
    // reference is valid until the next node is built.
    const Node &absorb(NodeId id);
    // The origin for the nodes that the rule builds.
    [[nodiscard]] const Origin &origin() const { return m_origin ? *m_origin : m_node.origin; }
    [[nodiscard]] std::span<const NodeId> absorbed() const { return m_absorbed; }
    // Why the rule applies, with its numbers, where that does not follow from the nodes: told with the rewrite.
    void because(std::string reason) { m_reason = std::move(reason); }
    [[nodiscard]] const std::string &reason() const { return m_reason; }

private:
    GraphBuilder &m_builder;
    const Node &m_node;
    const PassContext &m_pass;
    std::optional<Origin> m_origin; // when others were absorbed
    std::vector<NodeId> m_absorbed;
    std::string m_reason;
};

// The node that replaces the context's node: an existing node or one that the rule built. Nothing: the rule does not apply.
using Replacement = Result<std::optional<NodeId>>;
[[nodiscard]] inline Replacement noMatch()
{
    return std::optional<NodeId>();
}

struct GraphRule {
    std::string_view id;
    std::string_view title;
    std::string_view doc; // a sentence, with the condition that makes the rule exact
    Replacement (*apply)(RewriteContext &) = nullptr;
    // The rule is for these nodes only, which is told without looking at any other. Null: for all. A graph without nodes that a
    // rule is for is left as it is, and not even built anew.
    bool (*concerns)(const Node &) = nullptr;
};

template <NodeKind kKind>
[[nodiscard]] bool isOfKind(const Node &node)
{
    return node.kind == kKind;
}

// Returns nothing if no rule applied. Nodes that nothing reads any more stay; another pass removes them. isKept: by node, whether
// the rules must leave it alone; empty: they may rewrite every node.
[[nodiscard]] Result<std::optional<Graph>> rewriteGraph(const Graph &graph, std::span<const GraphRule> rules,
                                                        PassContext &context, const std::vector<bool> &isKept = {});

} // namespace sw
