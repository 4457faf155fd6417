#pragma once
// Pulls the values of a kernel into its loops. It starts from the root at one point of its domain and follows the graph backwards
// to the buffers, turning views into index arithmetic. The value of a node at an index is a Value of the nest; the same node at
// the same index is the same Value.

#include "engine/loops/loop_nest.h"
#include "engine/passes/loops/nest_steps.h"

#include <map>
#include <tuple>

namespace sw {

// "i1", "r3"; in a stage of the kernel "s0_i1".
[[nodiscard]] std::string axisNameIn(const ScheduledKernel &kernel, NodeId stage, char letter, std::size_t number);

class ValuePuller {
public:
    // stage: the one of the kernel's stages that the nest computes; invalid: the kernel's root.
    ValuePuller(const Schedule &schedule, KernelId kernel, NodeId stage, LoopNest &nest, NestSteps &steps);

    // The value of the node at the index (one expression per axis of its shape). The value is wanted only where the conditions
    // hold: where they fail, memory is not touched and the value is arbitrary.
    Result<ValueId> valueAt(NodeId node, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);

    // The index at which a member was first pulled without conditions and outside of reductions; null when it never was.
    [[nodiscard]] const std::vector<ExprId> *indexOf(NodeId node) const;

    [[nodiscard]] ExprId flatIndex(const Shape &shape, const std::vector<ExprId> &index);
    // Where the work item keeps the element of a stage's value.
    [[nodiscard]] ExprId keptIndex(NodeId stage, const std::vector<ExprId> &index);
    [[nodiscard]] std::vector<ExprId> unravelled(ExprId flat, const Shape &shape);
    // The index in `from` of the element that a reshape of it to `shape` has at `index`.
    [[nodiscard]] std::vector<ExprId> reshaped(const Shape &shape, const std::vector<ExprId> &index, const Shape &from);

private:
    [[nodiscard]] ExprId summed(const std::vector<ExprId> &index, const std::vector<std::int64_t> &strides);
    using Key = std::tuple<NodeId, std::vector<ExprId>, std::vector<std::tuple<ExprId, std::int64_t, std::int64_t>>>;

    Result<ValueId> make(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> movement(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> masked(NodeId id, const std::vector<ExprId> &inputIndex, const std::vector<RangeCondition> &own,
                           const std::vector<RangeCondition> &outer, const Scalar &fill);
    Result<ValueId> pad(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> view(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> cat(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> elementwise(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> reduction(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    Result<ValueId> indexed(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    ValueId load(NodeId id, BufferId buffer, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions);
    ValueId constant(NodeId id, const Scalar &value);
    ValueId add(Value value);
    [[nodiscard]] bool isInReduction(const std::vector<ExprId> &index) const;
    [[nodiscard]] bool isOfOtherStage(NodeId id) const;

    const Schedule &m_schedule;
    const Graph &m_graph;
    KernelId m_kernel;
    NodeId m_stage;
    LoopNest &m_nest;
    NestSteps &m_steps;
    std::map<Key, ValueId> m_values;
    std::map<NodeId, std::vector<ExprId>> m_indices;
};

} // namespace sw
