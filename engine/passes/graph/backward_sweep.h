#pragma once
// One walk from a loss back to the values whose gradients are asked for. It starts at the loss and visits each node once, after
// all readers of the node have added their contributions to its adjoint.

#include "engine/graph/branches.h"
#include "engine/passes/graph/backward_scopes.h"
#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/pass_context.h"

#include <optional>
#include <string>
#include <vector>

namespace sw {

// What a walk begins with: a node, and how the loss changes with it.
struct AdjointSeed {
    NodeId id;
    NodeId adjoint;
};

struct SweepRequest {
    NodeId loss;
    std::optional<NodeId> weights; // the adjoint of the loss; none: 1
    std::vector<NodeId> wanted;
    Origin origin;              // of the gradient nodes
    std::uint32_t gradient = 0; // the first gradient node, in the pass's input graph
    // Of a walk within a step of another one, which is one rewrite together with it: what it begins with instead of the loss,
    // which is the last node then, and the first node that it visits.
    std::vector<AdjointSeed> seeds = {};
    NodeId first = NodeId(0U);
};

class BackwardSweep {
public:
    // originals: for each builder node, the node of the pass's input that it was made for.
    BackwardSweep(GraphBuilder &builder, BackwardScopes &scopes, const std::vector<std::uint32_t> &originals,
                  PassContext &context, SweepRequest request);

    // The gradient of each wanted value, or nothing where the loss does not depend on the value.
    [[nodiscard]] Result<std::vector<std::optional<NodeId>>> run();

private:
    [[nodiscard]] bool isActive(NodeId id) const { return m_isActive[id.value]; }
    [[nodiscard]] std::vector<bool> dependentsOf(const std::vector<NodeId> &roots) const;
    [[nodiscard]] bool isWithinStep() const { return !m_request.seeds.empty(); }
    [[nodiscard]] bool handsOnActive(NodeId carry, const std::vector<bool> &depends) const;
    Result<Done> start();
    Result<Done> visit(NodeId id);
    [[nodiscard]] std::uint32_t scanGivenBy(NodeId id) const;
    Result<Done> visitScan(std::uint32_t scan, NodeId first);
    Result<Done> applyRule(BackwardStep &step) const;
    Result<NodeId> elsewhereZero(NodeId contribution, const Requirements &where, const Requirements &target,
                                 const Origin &origin);
    Result<Done> accumulate(NodeId id, NodeId contribution, const Origin &origin);
    void nameAdjoint(NodeId id);
    void record(const BackwardStep &step);
    [[nodiscard]] bool isPending(NodeId id, NodeId next) const;
    [[nodiscard]] Result<std::optional<NodeId>> resultFor(NodeId wanted, NodeId next);

    GraphBuilder &m_builder;
    BackwardScopes &m_scopes;
    const std::vector<std::uint32_t> &m_originals;
    PassContext &m_context;
    SweepRequest m_request;
    ScanMap m_scans;
    std::size_t m_first = 0;        // builder nodes from here on belong to this walk
    BranchMap m_branches;           // for nodes up to the loss
    std::vector<bool> m_isActive;   // for nodes up to the loss: wanted, or computed from a wanted value
    std::vector<NodeId> m_adjoints; // for nodes up to the loss; invalid: no contribution yet
};

} // namespace sw
