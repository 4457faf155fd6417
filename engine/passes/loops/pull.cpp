#include "engine/passes/loops/pull.h"

#include "engine/graph/cat_lane.h"
#include "engine/passes/loops/axis_ends.h"

#include <algorithm>
#include <utility>

namespace sw {

ValuePuller::ValuePuller(const Schedule &schedule, KernelId kernel, NodeId stage, LoopNest &nest, NestSteps &steps)
    : m_schedule(schedule), m_graph(*schedule.graph), m_kernel(kernel), m_stage(stage), m_nest(nest), m_steps(steps)
{
}

// What another stage of the kernel hands on is read from the memory of the work item.
bool ValuePuller::isOfOtherStage(NodeId id) const
{
    const std::vector<NodeId> &stages = m_schedule.kernel(m_kernel).stages;
    return id != m_stage && std::ranges::find(stages, id) != stages.end();
}

std::string axisNameIn(const ScheduledKernel &kernel, NodeId stage, char letter, std::size_t number)
{
    const auto found = std::ranges::find(kernel.stages, stage);
    const std::string name = format("{}{}", letter, number);
    return found == kernel.stages.end() ? name : format("s{}_{}", found - kernel.stages.begin(), name);
}

const std::vector<ExprId> *ValuePuller::indexOf(NodeId node) const
{
    const auto found = m_indices.find(node);
    return found == m_indices.end() ? nullptr : &found->second;
}

bool ValuePuller::isInReduction(const std::vector<ExprId> &index) const
{
    return std::ranges::any_of(index, [this](ExprId expr) {
        const std::vector<AxisId> axes = m_nest.arena.axesOf(expr);
        return std::ranges::any_of(axes, [this](AxisId axis) { return m_nest.axes[axis.value].isReduce; });
    });
}

ValueId ValuePuller::add(Value value)
{
    m_nest.values.push_back(std::move(value));
    const ValueId id(m_nest.values.size() - 1);
    const Value &made = m_nest.values.back();
    m_steps.done(stepOf(made.kind), made.node, [&] {
        const Node &node = m_graph.node(made.node);
        return node.name.empty() ? format("{} -> v{}", operationText(node), id.value)
                                 : format("{} {} -> v{}", operationText(node), node.name, id.value);
    });
    return id;
}

Result<ValueId> ValuePuller::valueAt(NodeId node, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    std::vector<std::tuple<ExprId, std::int64_t, std::int64_t>> conditionKey;
    for (const RangeCondition &condition : conditions)
        conditionKey.emplace_back(condition.expr, condition.low, condition.high);
    const Key key{node, index, conditionKey};
    const auto known = m_values.find(key);
    if (known != m_values.end())
        return known->second;
    if (conditions.empty() && !isInReduction(index))
        m_indices.try_emplace(node, index);
    SW_TRY(const ValueId made, make(node, index, conditions));
    m_values.emplace(key, made);
    return made;
}

Result<ValueId> ValuePuller::make(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    if (node.kind == NodeKind::ConstScalar)
        return constant(id, attributesOf<ScalarAttributes>(node).value);
    if (node.kind == NodeKind::Iota)
        return add(
            Value{.kind = ValueKind::IndexValue, .dtype = node.dtype, .index = index[0], .node = id, .origin = node.origin});
    const BufferId buffer = m_schedule.bufferOf(id);
    if (buffer.isValid() && m_schedule.kernelOf(id) != m_kernel)
        return load(id, buffer, index, conditions);
    if (isOfOtherStage(id))
        return load(id, BufferId(), index, conditions);
    switch (node.kind) {
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Custom:
        return elementwise(id, index, conditions);
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Kernel:
    case NodeKind::Fuse:
        return valueAt(node.inputs[0], index, conditions);
    case NodeKind::Unroll: {
        SW_TRY(const ValueId value, valueAt(node.inputs[0], index, conditions));
        const UnrollRequest request{value, attributesOf<UnrollAttributes>(node).factor};
        if (std::ranges::find(m_nest.unrolls, request) == m_nest.unrolls.end())
            m_nest.unrolls.push_back(request);
        return value;
    }
    case NodeKind::Reshape:
    case NodeKind::Permute:
    case NodeKind::Expand:
    case NodeKind::Shrink:
    case NodeKind::Flip:
        return movement(id, index, conditions);
    case NodeKind::View:
        return view(id, index, conditions);
    case NodeKind::Pad:
        return pad(id, index, conditions);
    case NodeKind::Cat:
        return cat(id, index, conditions);
    case NodeKind::ReduceAxis:
        return reduction(id, index, conditions);
    case NodeKind::Gather:
    case NodeKind::Index:
        return indexed(id, index, conditions);
    case NodeKind::Placeholder:
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::Iota:
    case NodeKind::DefineVar:
    case NodeKind::Bind:
    case NodeKind::Gradient:
    case NodeKind::Scatter:
    case NodeKind::Assign:
    case NodeKind::BufferView:
    case NodeKind::Valid:
    case NodeKind::Gep:
    case NodeKind::Vectorize:
    case NodeKind::Wmma:
    case NodeKind::Contract:
    case NodeKind::Threefry:
    case NodeKind::Uniform:
    case NodeKind::Unique:
    case NodeKind::Noop:
    case NodeKind::Crop:
    case NodeKind::Device:
    case NodeKind::Copy:
    case NodeKind::Multi:
    case NodeKind::Choose:
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
    case NodeKind::Sink:
        break;
    }
    return Diagnostic::error(Code::Internal, m_graph.sources().programRange(node.origin), "{} has no buffer in the schedule",
                             operationText(node));
}

ValueId ValuePuller::constant(NodeId id, const Scalar &value)
{
    const Node &node = m_graph.node(id);
    return add(Value{.kind = ValueKind::Constant, .dtype = value.dtype(), .constant = value, .node = id, .origin = node.origin});
}

ValueId ValuePuller::load(NodeId id, BufferId buffer, const std::vector<ExprId> &index,
                          const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    return add(Value{.kind = ValueKind::Load,
                     .dtype = node.dtype,
                     .constant = Scalar::fromBits(node.dtype, 0),
                     .buffer = buffer,
                     .index = buffer.isValid() ? flatIndex(node.shape, index) : keptIndex(id, index),
                     .conditions = conditions,
                     .node = id,
                     .origin = node.origin});
}

Result<ValueId> ValuePuller::elementwise(NodeId id, const std::vector<ExprId> &index,
                                         const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    std::vector<ValueId> operands;
    for (const NodeId input : node.inputs) {
        SW_TRY(const ValueId operand, valueAt(input, index, conditions));
        operands.push_back(operand);
    }
    ValueKind kind = ValueKind::Alu;
    if (node.kind == NodeKind::Cast)
        kind = ValueKind::Cast;
    else if (node.kind == NodeKind::Bitcast)
        kind = ValueKind::Bitcast;
    else if (node.kind == NodeKind::Custom)
        kind = ValueKind::Custom;
    return add(Value{
        .kind = kind, .op = node.op, .dtype = node.dtype, .operands = std::move(operands), .node = id, .origin = node.origin});
}

// The input where `own` holds, else the fill value. A plain load takes the conditions and the fill value itself.
Result<ValueId> ValuePuller::masked(NodeId id, const std::vector<ExprId> &inputIndex, const std::vector<RangeCondition> &own,
                                    const std::vector<RangeCondition> &outer, const Scalar &fill)
{
    const Node &node = m_graph.node(id);
    std::vector<RangeCondition> all = outer;
    for (const RangeCondition &condition : own)
        if (!m_nest.arena.addCondition(all, condition))
            return constant(id, fill);
    SW_TRY(const ValueId inner, valueAt(node.inputs[0], inputIndex, all));
    if (own.empty())
        return inner;
    const Value &value = m_nest.values[inner.value];
    if (value.kind == ValueKind::Load && value.conditions == all && value.constant == fill)
        return inner;
    if (value.kind == ValueKind::Load && value.conditions == all) {
        Value filled = value;
        filled.constant = fill;
        filled.origin = Origin::merged(value.origin, node.origin);
        return add(std::move(filled));
    }
    const ValueId otherwise = constant(id, fill);
    return add(Value{.kind = ValueKind::Masked,
                     .dtype = node.dtype,
                     .operands = {inner, otherwise},
                     .conditions = own,
                     .node = id,
                     .origin = node.origin});
}

Result<ValueId> ValuePuller::pad(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const Shape &from = m_graph.node(node.inputs[0]).shape;
    const auto &attributes = attributesOf<PadAttributes>(node);
    std::vector<ExprId> inner = index;
    std::vector<RangeCondition> own;
    for (std::size_t axis = 0; axis < index.size(); ++axis) {
        inner[axis] = m_nest.arena.add(index[axis], m_nest.arena.constant(-attributes.before[axis]));
        if (!m_nest.arena.addCondition(own, {inner[axis], 0, from[axis]}))
            return constant(id, attributes.fill);
    }
    return masked(id, inner, own, conditions, attributes.fill);
}

Result<ValueId> ValuePuller::view(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const auto &attributes = attributesOf<ViewAttributes>(node);
    ExprId flat = m_nest.arena.constant(attributes.offset);
    for (std::size_t axis = 0; axis < index.size(); ++axis)
        flat = m_nest.arena.add(flat, m_nest.arena.multiply(index[axis], attributes.strides[axis]));
    const Scalar zero = Scalar::fromBits(node.dtype, 0);
    std::vector<RangeCondition> own;
    for (std::size_t axis = 0; axis < attributes.mask.size(); ++axis)
        if (!m_nest.arena.addCondition(own, {index[axis], attributes.mask[axis].first, attributes.mask[axis].second}))
            return constant(id, zero);
    return masked(id, unravelled(flat, m_graph.node(node.inputs[0]).shape), own, conditions, zero);
}

Result<ValueId> ValuePuller::cat(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    ValueId chosen;
    std::int64_t end = node.shape[axis];
    // From the last input to the first, so that each condition is one comparison with the input's end.
    for (std::size_t i = node.inputs.size(); i-- > 0;) {
        const std::int64_t extent = m_graph.node(node.inputs[i]).shape[axis];
        const std::int64_t begin = end - extent;
        end = begin;
        if (extent == 0)
            continue;
        std::vector<RangeCondition> all = conditions;
        if (!m_nest.arena.addCondition(all, {index[axis], begin, begin + extent}))
            continue;
        const bool isLane = isCatLane(m_graph, node, i); // computed for the row, whatever element of it is asked for
        std::vector<ExprId> inner = index;
        inner[axis] = isLane ? m_nest.arena.constant(0) : m_nest.arena.add(index[axis], m_nest.arena.constant(-begin));
        SW_TRY(const ValueId value, valueAt(node.inputs[i], inner, isLane ? conditions : all));
        if (!chosen.isValid()) {
            chosen = value;
            continue;
        }
        chosen = add(Value{.kind = ValueKind::Masked,
                           .dtype = node.dtype,
                           .operands = {value, chosen},
                           .conditions = {{index[axis], begin, begin + extent}},
                           .node = id,
                           .origin = node.origin});
    }
    return chosen.isValid() ? chosen : constant(id, Scalar::fromBits(node.dtype, 0));
}

// f16 and bf16 are reduced in f32 and rounded once at the end.
Result<ValueId> ValuePuller::reduction(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const Node &input = m_graph.node(node.inputs[0]);
    const DType gathered = computeType(node.dtype);
    Reduction made{.op = node.op, .dtype = gathered, .node = id, .origin = node.origin};
    std::vector<ExprId> inner = index;
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes) {
        if (input.shape[axis] == 1) {
            inner[axis] = m_nest.arena.constant(0);
            continue;
        }
        const AxisId reduced(m_nest.axes.size());
        m_nest.axes.push_back(Axis{.name = axisNameIn(m_schedule.kernel(m_kernel), m_stage, 'r', m_nest.axes.size()),
                                   .extent = input.shape[axis],
                                   .type = AxisType::Reduce,
                                   .isReduce = true,
                                   .origin = node.origin});
        made.axes.push_back(reduced);
        m_steps.done("open-reduction", id, [&] {
            const Axis &opened = m_nest.axes.back();
            return format("axis {} of {} -> {} in 0..{}", axis, operationText(input), opened.name, opened.extent);
        });
        inner[axis] = m_nest.arena.axis(reduced, input.shape[axis]);
    }
    made.order = made.axes;
    SW_TRY(made.body, valueAt(node.inputs[0], inner, conditions));
    endReduction(m_schedule, m_nest, made, inner, m_steps);
    if (gathered != node.dtype)
        made.body =
            add(Value{.kind = ValueKind::Cast, .dtype = gathered, .operands = {made.body}, .node = id, .origin = node.origin});
    const ReductionId reduction(m_nest.reductions.size());
    m_nest.reductions.push_back(std::move(made));
    const ValueId result =
        add(Value{.kind = ValueKind::Reduction, .dtype = gathered, .reduction = reduction, .node = id, .origin = node.origin});
    if (gathered == node.dtype)
        return result;
    return add(Value{.kind = ValueKind::Cast, .dtype = node.dtype, .operands = {result}, .node = id, .origin = node.origin});
}

Result<ValueId> ValuePuller::indexed(NodeId id, const std::vector<ExprId> &index, const std::vector<RangeCondition> &conditions)
{
    const Node &node = m_graph.node(id);
    const NodeId source = node.inputs[0];
    const Shape &shape = m_graph.node(source).shape;
    const BufferId buffer = m_schedule.bufferOf(source);
    if (!buffer.isValid() || m_schedule.kernelOf(source) == m_kernel)
        return Diagnostic::error(Code::Internal, m_graph.sources().programRange(node.origin),
                                 "the source of {} is not in a buffer", operationText(node));
    SW_TRY(const ValueId indices, valueAt(node.inputs[1], index, conditions));
    Value made{.kind = ValueKind::Indexed,
               .dtype = node.dtype,
               .constant = Scalar::fromBits(node.dtype, 0),
               .buffer = buffer,
               .conditions = conditions,
               .node = id,
               .origin = node.origin};
    made.operands.push_back(
        add(Value{.kind = ValueKind::Cast, .dtype = DType::I64, .operands = {indices}, .node = id, .origin = node.origin}));
    if (node.kind == NodeKind::Gather) {
        const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
        std::vector<ExprId> base = index;
        base[axis] = m_nest.arena.constant(0);
        made.index = flatIndex(shape, base);
        made.scale = rowMajorStrides(shape)[axis];
        made.bound = shape[axis];
        made.boundAxis = static_cast<std::int32_t>(axis);
    } else {
        made.index = m_nest.arena.constant(0);
        made.bound = shape.elements();
        if (std::holds_alternative<AxisAttributes>(node.attributes))
            made.boundAxis = static_cast<std::int32_t>(reportedAxis(node));
        if (node.inputs.size() == 3) {
            SW_TRY(const ValueId valid, valueAt(node.inputs[2], index, conditions));
            made.operands.push_back(valid);
        }
    }
    return add(std::move(made));
}

} // namespace sw
