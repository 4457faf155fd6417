#pragma once
// One walk from a loss back to the values whose gradients are asked for. Nodes are visited from the loss on, each once, when the
// contributions of all its readers have come together in its adjoint.

#include "engine/passes/graph/backward_scopes.h"
#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

struct SweepRequest {
    NodeId loss;
    std::optional<NodeId> weights; // the adjoint of the loss; none: 1
    std::vector<NodeId> wanted;
    Origin origin;              // of the gradient nodes
    std::uint32_t gradient = 0; // the first of them, in the graph that the pass was given
};

class BackwardSweep {
public:
    // originals: per node of the builder, the node of the pass's input that it was made for.
    BackwardSweep(GraphBuilder &builder, BackwardScopes &scopes, const std::vector<std::uint32_t> &originals,
                  PassContext &context, SweepRequest request);

    // Per wanted value its gradient, or nothing where the loss does not change with it.
    [[nodiscard]] Result<std::vector<std::optional<NodeId>>> run();

private:
    [[nodiscard]] bool isActive(NodeId id) const { return m_isActive[id.value]; }
    [[nodiscard]] std::vector<bool> dependentsOf(const std::vector<NodeId> &roots) const;
    void start();
    Result<Done> visit(NodeId id);
    Result<Done> applyRule(BackwardStep &step) const;
    Result<Done> accumulate(NodeId id, NodeId contribution, const Origin &origin);
    void nameAdjoint(NodeId id);
    void record(const BackwardStep &step);
    [[nodiscard]] Result<std::optional<NodeId>> resultFor(NodeId wanted, NodeId next);

    GraphBuilder &m_builder;
    BackwardScopes &m_scopes;
    const std::vector<std::uint32_t> &m_originals;
    PassContext &m_context;
    SweepRequest m_request;
    std::size_t m_first = 0;        // nodes of the builder from here on are the walk's own
    std::vector<bool> m_isActive;   // up to the loss: it is wanted, or changes with what is wanted
    std::vector<NodeId> m_adjoints; // up to the loss; invalid: nothing has come yet
};

} // namespace sw
