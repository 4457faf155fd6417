#include "engine/passes/loops/padded_steps.h"

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

// The node that padded with zeros what the value loads; null: none did.
const Node *paddingOf(const Schedule &schedule, const Value &value)
{
    if (value.kind != ValueKind::Load || !value.conditions.empty())
        return nullptr;
    // What a stage of the kernel pads has no buffer.
    const Node &node = schedule.graph->node(value.buffer.isValid() ? schedule.buffer(value.buffer).node : value.node);
    const auto *attributes = std::get_if<PadAttributes>(&node.attributes);
    return attributes != nullptr && attributes->fill == Scalar::fromBits(node.dtype, 0) ? &node : nullptr;
}

// Takes the terms of one axis of a value in memory out of those of a flat index: their factors are multiples of the axis's
// stride, and less than the stride of the axis around it.
std::optional<PaddedCoordinate> coordinateOf(const LoopNest &nest, IndexArena::Sum &flat, std::int64_t stride,
                                             std::int64_t extent)
{
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
    // Else a term of this axis would carry into the one around it.
    return last + coordinate.constant < extent ? std::optional(coordinate) : std::nullopt;
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

} // namespace

std::vector<PaddedCoordinate> paddedCoordinates(const Schedule &schedule, const LoopNest &nest, ReductionId reduction)
{
    const Reduction &sum = nest.reductions[reduction.value];
    const Value &body = nest.values[sum.body.value];
    if (sum.op != Op::Add || body.kind != ValueKind::Alu || body.op != Op::Mul)
        return {};
    for (std::size_t i = 0; i < 2; ++i) {
        const Value &read = nest.values[body.operands[i].value];
        const Node *padding = paddingOf(schedule, read);
        if (padding == nullptr)
            continue;
        const bool isFinite = isFiniteConstant(schedule, nest.values[body.operands[1 - i].value]);
        const auto &attributes = attributesOf<PadAttributes>(*padding);
        const Shape &from = schedule.graph->node(padding->inputs[0]).shape;
        const std::vector<std::int64_t> strides = rowMajorStrides(padding->shape);
        IndexArena::Sum flat = nest.arena.sumOf(read.index);
        if (flat.constant < 0)
            return {};
        std::vector<PaddedCoordinate> coordinates;
        for (std::size_t axis = 0; axis < strides.size(); ++axis) {
            std::optional<PaddedCoordinate> coordinate = coordinateOf(nest, flat, strides[axis], padding->shape[axis]);
            if (!coordinate)
                return {};
            coordinate->load = body.operands[i];
            coordinate->addsNothing = isFinite;
            coordinate->low = attributes.before[axis];
            coordinate->high = attributes.before[axis] + from[axis];
            const bool isPadded = padding->shape[axis] != from[axis] && hasOneAxisEach(nest, *coordinate);
            if (isPadded && std::ranges::find(sum.axes, coordinate->reduced) != sum.axes.end())
                coordinates.push_back(*coordinate);
        }
        return coordinates;
    }
    return {};
}

} // namespace sw
