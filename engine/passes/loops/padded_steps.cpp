#include "engine/passes/loops/padded_steps.h"

#include "engine/loops/stages.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace sw {

namespace {

template <class Bits>
bool allFinite(std::span<const std::byte> bytes, Bits exponent)
{
    bool isFinite = true;
    for (std::size_t at = 0; at < bytes.size(); at += sizeof(Bits)) {
        Bits bits = 0;
        std::memcpy(&bits, bytes.data() + at, sizeof(Bits));
        isFinite = isFinite && (bits & exponent) != exponent;
    }
    return isFinite;
}

bool isFiniteConstant(const Schedule &schedule, const Value &value)
{
    if (value.kind != ValueKind::Load || !value.buffer.isValid() || !value.conditions.empty())
        return false;
    const NodeId node = hostValueOf(schedule, schedule.buffer(value.buffer));
    const auto *tensor = node.isValid() ? std::get_if<TensorAttributes>(&schedule.graph->node(node).attributes) : nullptr;
    if (tensor == nullptr)
        return false;
    if (value.dtype == DType::F32)
        return allFinite(tensor->value->bytes(), std::uint32_t{0x7f800000});
    return value.dtype == DType::F64 && allFinite(tensor->value->bytes(), std::uint64_t{0x7ff0000000000000});
}

// What windows go over: a value in memory as a whole, of which a part may be padding.
struct WindowedValue {
    Shape shape;
    const PadAttributes *border = nullptr; // null: there is none
    Shape inside;                          // of the border
};

std::optional<WindowedValue> windowedValueOf(const Schedule &schedule, const Value &load)
{
    if (load.kind != ValueKind::Load || !load.conditions.empty())
        return std::nullopt;
    // What a stage of the kernel keeps has no buffer.
    const Node &node = schedule.graph->node(load.buffer.isValid() ? schedule.buffer(load.buffer).node : load.node);
    if (const auto *border = std::get_if<PadAttributes>(&node.attributes))
        return WindowedValue{node.shape, border, schedule.graph->node(node.inputs[0]).shape};
    const Shape &shape = load.buffer.isValid() ? schedule.buffer(load.buffer).shape : node.shape;
    return WindowedValue{shape, nullptr, shape};
}

// One axis of a value in memory.
struct AxisInMemory {
    std::int64_t stride = 1;
    std::int64_t extent = 1;
};

// Takes the terms of one axis out of those of a flat index: their factors are multiples of the axis's stride, and less than the
// stride of the axis around it.
std::optional<PaddedCoordinate> coordinateOf(const LoopNest &nest, IndexArena::Sum &flat, const AxisInMemory &axis)
{
    const std::int64_t stride = axis.stride;
    PaddedCoordinate coordinate;
    std::int64_t last = 0;
    for (auto term = flat.terms.begin(); term != flat.terms.end();) {
        const auto [factor, part] = *term;
        const IndexExpr &expr = nest.arena.at(part);
        if (expr.kind != ExprKind::Axis || factor < 0)
            return std::nullopt;
        if (factor < stride) {
            ++term;
            continue;
        }
        if (factor % stride != 0)
            return std::nullopt;
        coordinate.terms.emplace_back(factor / stride, expr.axis);
        last += factor / stride * (nest.axes[expr.axis.value].extent - 1);
        term = flat.terms.erase(term);
    }
    coordinate.constant = flat.constant / stride;
    flat.constant %= stride;
    // Else a term of this axis would carry into one around it that has terms of its own.
    return last + coordinate.constant < axis.extent ? std::optional(coordinate) : std::nullopt;
}

bool hasOneAxisEach(const LoopNest &nest, PaddedCoordinate &coordinate)
{
    for (const auto &[factor, axis] : coordinate.terms) {
        AxisId &place = nest.axes[axis.value].isReduce ? coordinate.reduced : coordinate.domain;
        if (place.isValid() || nest.axes[axis.value].end.isValid())
            return false;
        place = axis;
    }
    return coordinate.reduced.isValid() && coordinate.domain.isValid();
}

// The load that a reduction goes over as it is, or with its elements converted; invalid: it goes over something else.
ValueId readAlone(const LoopNest &nest, const Reduction &reduction)
{
    ValueId read = reduction.body;
    while (nest.values[read.value].kind == ValueKind::Cast || nest.values[read.value].kind == ValueKind::Bitcast)
        read = nest.values[read.value].operands[0];
    const bool isKnown = reduction.op == Op::Add || reduction.op == Op::Max || reduction.op == Op::Min;
    return isKnown && nest.values[read.value].kind == ValueKind::Load ? read : ValueId();
}

// What a reduction does with each element that it reads.
struct WindowUse {
    ValueId load;
    bool isProduct = false;
    bool isZeroNothing = false; // a zero changes nothing
};

// Of what is padded where it is read: each condition of the load is about one coordinate.
std::vector<PaddedCoordinate> conditionedCoordinates(const LoopNest &nest, const Reduction &reduction, const WindowUse &use)
{
    const Value &read = nest.values[use.load.value];
    const bool isOfZeros = read.constant == Scalar::fromBits(read.dtype, 0);
    std::vector<PaddedCoordinate> coordinates;
    for (const RangeCondition &condition : read.conditions) {
        const IndexArena::Sum place = nest.arena.sumOf(condition.expr);
        PaddedCoordinate coordinate;
        coordinate.constant = place.constant;
        coordinate.low = condition.low;
        coordinate.high = condition.high;
        coordinate.load = use.load;
        coordinate.condition = condition;
        coordinate.isOfProducts = use.isProduct;
        coordinate.addsNothing = use.isZeroNothing && isOfZeros;
        bool isOfAxes = true;
        for (const auto &[factor, part] : place.terms) {
            const IndexExpr &expr = nest.arena.at(part);
            isOfAxes = isOfAxes && expr.kind == ExprKind::Axis && factor > 0;
            coordinate.terms.emplace_back(factor, expr.axis);
        }
        if (isOfAxes && hasOneAxisEach(nest, coordinate) &&
            std::ranges::find(reduction.axes, coordinate.reduced) != reduction.axes.end())
            coordinates.push_back(coordinate);
    }
    return coordinates;
}

std::vector<PaddedCoordinate> coordinatesOf(const Schedule &schedule, const LoopNest &nest, const Reduction &reduction,
                                            const WindowUse &use)
{
    const Value &read = nest.values[use.load.value];
    if (read.kind == ValueKind::Load && !read.conditions.empty())
        return conditionedCoordinates(nest, reduction, use);
    const std::optional<WindowedValue> windowed = windowedValueOf(schedule, read);
    if (!windowed)
        return {};
    IndexArena::Sum flat = nest.arena.sumOf(read.index);
    if (flat.constant < 0)
        return {};
    const bool isOfZeros = windowed->border != nullptr && windowed->border->fill == Scalar::fromBits(read.dtype, 0);
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    const std::vector<std::int64_t> strides = read.buffer.isValid() ? rowMajorStrides(windowed->shape)
                                                                    : keptStridesOf(windowed->shape, kernel.rowAxes, read.dtype,
                                                                                    schedule.device(kernel.device).wayBytes);
    std::vector<PaddedCoordinate> coordinates;
    std::int64_t merged = 1; // indices of the axes around, where they are counted with this one
    for (std::size_t axis = 0; axis < strides.size(); ++axis) {
        const std::int64_t extent = windowed->shape[axis];
        std::optional<PaddedCoordinate> coordinate =
            coordinateOf(nest, flat, {.stride = strides[axis], .extent = merged * extent});
        if (!coordinate)
            return {};
        merged = coordinate->terms.empty() && windowed->inside[axis] == extent ? merged * extent : 1;
        coordinate->load = use.load;
        coordinate->isOfProducts = use.isProduct;
        coordinate->addsNothing = use.isZeroNothing && isOfZeros;
        coordinate->low = windowed->border != nullptr ? windowed->border->before[axis] : 0;
        coordinate->high = coordinate->low + windowed->inside[axis];
        if (hasOneAxisEach(nest, *coordinate) && std::ranges::find(reduction.axes, coordinate->reduced) != reduction.axes.end())
            coordinates.push_back(*coordinate);
    }
    return coordinates;
}

// Whether a sum may leave steps out that add zero: one whose order is kept has all of them.
bool mayLeaveOut(const Schedule &schedule, const LoopNest &nest, const Reduction &reduction)
{
    const std::vector<ReductionPlan> &plans = schedule.kernel(nest.kernel).reductions;
    const auto plan = std::ranges::find(plans, reduction.node, &ReductionPlan::node);
    return plan == plans.end() || plan->mayReassociate;
}

} // namespace

std::vector<PaddedCoordinate> paddedCoordinates(const Schedule &schedule, const LoopNest &nest, ReductionId reduction)
{
    const Reduction &all = nest.reductions[reduction.value];
    const bool mayLeave = mayLeaveOut(schedule, nest, all);
    if (const ValueId alone = readAlone(nest, all); alone.isValid())
        return coordinatesOf(schedule, nest, all, {.load = alone, .isZeroNothing = all.op == Op::Add && mayLeave});
    const Value &body = nest.values[all.body.value];
    if (all.op != Op::Add || body.kind != ValueKind::Alu || body.op != Op::Mul)
        return {};
    for (std::size_t i = 0; i < 2; ++i) {
        const bool isFinite = mayLeave && isFiniteConstant(schedule, nest.values[body.operands[1 - i].value]);
        std::vector<PaddedCoordinate> found =
            coordinatesOf(schedule, nest, all, {.load = body.operands[i], .isProduct = true, .isZeroNothing = isFinite});
        if (!found.empty())
            return found;
    }
    return {};
}

} // namespace sw
