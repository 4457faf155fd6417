#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// Distinguishes what a cache key is for.
enum class KeyKind : std::int64_t { Value, Widened };

} // namespace

InstructionId KernelLowering::cached(const CacheKey &key) const
{
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        const auto found = scope->cache.find(key);
        if (found != scope->cache.end())
            return found->second;
    }
    return InstructionId();
}

Point KernelLowering::restricted(const Point &point, const std::vector<AxisId> &axes) const
{
    Point kept;
    for (const auto &[axis, chunk] : point)
        if (std::ranges::binary_search(axes, axis))
            kept.emplace(axis, chunk);
    return kept;
}

KernelLowering::CacheKey KernelLowering::keyOf(ValueId id, const Point &point) const
{
    CacheKey key{static_cast<std::int64_t>(KeyKind::Value), id.value};
    for (const auto &[axis, chunk] : restricted(point, m_dependencies[id.value])) {
        key.push_back(axis.value);
        key.push_back(chunk.offset);
        key.push_back(chunk.lanes);
        key.push_back(chunk.missing);
    }
    return key;
}

InstructionId KernelLowering::widened(const Origin &origin, InstructionId value, std::uint32_t lanes)
{
    if (m_builder.at(value).lanes == lanes)
        return value;
    // An accumulator changes, so its current value must not be cached.
    if (m_builder.at(value).kind == InstructionKind::Acc)
        return m_builder.broadcast(origin, value, lanes);
    const CacheKey key{static_cast<std::int64_t>(KeyKind::Widened), value.value, lanes};
    const InstructionId known = cached(key);
    if (known.isValid())
        return known;
    const InstructionId made = m_builder.broadcast(origin, value, lanes);
    m_scopes.back().cache.emplace(key, made);
    return made;
}

// The value at a point: as many lanes as the point has if the value depends on its vector axis, else one.
InstructionId KernelLowering::valueAt(ValueId id, const Point &point)
{
    const CacheKey key = keyOf(id, point);
    const InstructionId known = cached(key);
    if (known.isValid())
        return known;
    const InstructionId made = makeValue(id, restricted(point, m_dependencies[id.value]));
    m_scopes.back().cache.emplace(key, made);
    return made;
}

InstructionId KernelLowering::makeValue(ValueId id, const Point &point)
{
    const Value &value = m_nest.values[id.value];
    switch (value.kind) {
    case ValueKind::Constant:
        return m_builder.constant(value.origin, value.constant);
    case ValueKind::Load:
        return loadAt(id, point);
    case ValueKind::Indexed:
        return lanesOf(point) > 1 && !isIndexedRun(value, point) ? laneByLane(id, point) : indexedLoad(value, point);
    case ValueKind::Alu:
        return aluAt(value, point);
    case ValueKind::Cast:
        return m_builder.cast(value.origin, value.dtype, valueAt(value.operands[0], point));
    case ValueKind::Bitcast:
        return m_builder.bitcast(value.origin, value.dtype, valueAt(value.operands[0], point));
    case ValueKind::Custom:
        return lanesOf(point) > 1 ? laneByLane(id, point) : customAt(value, point);
    case ValueKind::Reduction:
        // Only a reduction inside another one's body is emitted here; all others were emitted at their own place.
        emitReduction(value.reduction, point);
        return cached(keyOf(id, point));
    case ValueKind::Masked:
        return maskedAt(value, point);
    case ValueKind::IndexValue: {
        const IndexParts parts = indexParts(value.origin, value.index, point);
        if (!parts.isLinear)
            return laneByLane(id, point);
        return parts.coefficient != 0 ? vectorIndex(value.origin, parts, lanesOf(point))
                                      : scalarIndex(value.origin, value.index, point);
    }
    }
    SW_UNREACHABLE();
}

InstructionId KernelLowering::aluAt(const Value &value, const Point &point)
{
    std::vector<InstructionId> operands;
    std::uint32_t lanes = 1;
    for (const ValueId operand : value.operands) {
        operands.push_back(valueAt(operand, point));
        lanes = std::max(lanes, m_builder.at(operands.back()).lanes);
    }
    for (InstructionId &operand : operands)
        operand = widened(value.origin, operand, lanes);
    return m_builder.alu(value.origin, value.op, std::move(operands));
}

// The only expression that is left is the one for the device.
InstructionId KernelLowering::customAt(const Value &value, const Point &point)
{
    std::vector<InstructionId> operands;
    for (const ValueId operand : value.operands)
        operands.push_back(valueAt(operand, point));
    const auto &attributes = attributesOf<CustomAttributes>(m_schedule.graph->node(value.node));
    SW_ASSERT(attributes.sources.size() == 1, "one expression, for the language of the device");
    return m_builder.custom(value.origin, value.dtype, attributes.name, attributes.sources.front().second, std::move(operands));
}

Point KernelLowering::laneOf(const Point &point, std::uint32_t lane)
{
    Point single = point;
    for (auto &[axis, chunk] : single)
        if (chunk.lanes > 1)
            chunk = {.offset = chunk.offset + lane * chunk.step, .lanes = 1, .step = chunk.step};
    return single;
}

// The addresses of the lanes, for an index whose step from lane to lane is not 1.
InstructionId KernelLowering::laneAddresses(const Origin &origin, InstructionId memory, ExprId index, const Point &point)
{
    std::vector<InstructionId> indices;
    for (std::uint32_t lane = 0; lane < lanesOf(point); ++lane)
        indices.push_back(scalarIndex(origin, index, existingLaneOf(point, lane)));
    return m_builder.ptrcat(origin, memory, std::move(indices));
}

// Computes each lane on its own and packs them.
InstructionId KernelLowering::laneByLane(ValueId id, const Point &point)
{
    std::vector<InstructionId> parts;
    for (std::uint32_t lane = 0; lane < lanesOf(point); ++lane)
        parts.push_back(valueAt(id, existingLaneOf(point, lane)));
    return m_builder.vectorize(m_nest.values[id.value].origin, std::move(parts));
}

// The dimension that the buffer of a load holds; null: it holds another value.
const SymbolicVariable *KernelLowering::dimensionOf(const Value &load) const
{
    const Node &node = m_schedule.graph->node(m_schedule.buffer(load.buffer).node);
    const auto *placeholder = std::get_if<PlaceholderAttributes>(&node.attributes);
    return placeholder != nullptr && placeholder->dimension ? &*placeholder->dimension : nullptr;
}

InstructionId KernelLowering::loadAt(ValueId id, const Point &point)
{
    const Value &value = m_nest.values[id.value];
    if (isFailing(value))
        return m_builder.constant(value.origin, value.constant, lanesOf(point));
    for (auto scope = m_scopes.rbegin(); scope != m_scopes.rend(); ++scope) {
        const auto scratch = scope->packs.find(id);
        if (scratch != scope->packs.end())
            return packedLoad(id, scratch->second, point);
    }
    if (!value.buffer.isValid())
        return keptLoad(id, point);
    if (const SymbolicVariable *dimension = dimensionOf(value); dimension != nullptr && value.conditions.empty())
        return m_builder.defineVar(value.origin, m_memory.at(value.buffer), *dimension);
    const std::uint32_t lanes = lanesOf(point);
    if (lanes > 1 && isOneElement(value, point))
        return valueAt(id, existingLaneOf(point, 0));
    emitStreams(id, point);
    const IndexParts parts = indexParts(value.origin, value.index, point);
    const InstructionId memory = m_memory.at(value.buffer);
    if (lanes > 1 && !parts.isLinear)
        if (const std::optional<InstructionId> interleaved = interleavedLoad(id, point))
            return *interleaved;
    if (lanes > 1 && (!parts.isLinear || parts.coefficient != 1)) {
        if (!value.conditions.empty())
            return laneByLane(id, point);
        if (isSpread(value, parts, point))
            return spreadLoad(value, memory, scalarIndex(value.origin, value.index, point), parts.coefficient, point);
        const InstructionId places = laneAddresses(value.origin, memory, value.index, point);
        return m_builder.load(value.origin, places, m_builder.index(value.origin, 0), lanes);
    }
    if (value.conditions.empty() && missingOf(point) == 0) {
        const InstructionId at = scalarIndex(value.origin, value.index, point);
        emitPrefetch(id, at, point);
        return m_builder.load(value.origin, memory, at, lanes, {.isAligned = isAlignedRun(value.index, point, value.dtype)});
    }
    if (const std::optional<InstructionId> loaded = borderLoad(value, point))
        return *loaded;
    const std::optional<InstructionId> valid = conditionsAt(value.origin, value.conditions, point);
    if (!valid)
        return laneByLane(id, point);
    const InstructionId at = scalarIndex(value.origin, value.index, point);
    if (!valid->isValid() && missingOf(point) == 0)
        return m_builder.load(value.origin, memory, at, lanes);
    if (missingOf(point) == 0 && lanes > 1 && m_builder.at(*valid).lanes == 1 &&
        m_schedule.buffer(value.buffer).shape.elements() >= lanes)
        return loadAllOrNone(value, memory, at, *valid, lanes);
    return loadWhere(value.origin, memory, at, *valid, value, point);
}

// One index was computed for all lanes, such as that of a row, and they are neighbours behind it.
bool KernelLowering::isIndexedRun(const Value &value, const Point &point) const
{
    const auto vector = std::ranges::find_if(point, [](const auto &each) { return each.second.lanes > 1; });
    SW_ASSERT(vector != point.end(), "a point of several lanes");
    const auto &[axis, chunk] = *vector;
    std::int64_t stride = 0;
    return m_nest.arena.linearIn(value.index, axis, stride) && stride * chunk.step == 1 && missingOf(point) == 0 &&
           m_schedule.buffer(value.buffer).shape.elements() >= lanesOf(point) &&
           std::ranges::none_of(
               value.operands,
               [&, along = axis](ValueId each) { return std::ranges::binary_search(m_dependencies[each.value], along); }) &&
           std::ranges::none_of(value.conditions, [&, along = axis](const RangeCondition &each) {
               return m_nest.arena.dependsOn(each.expr, along);
           });
}

// Neighbours behind a computed index. An index beyond the bound gives those of index 0, whose place is taken by the constant: the
// lanes stay within the memory, and nothing is decided for each of them.
InstructionId KernelLowering::indexedRun(const Value &value, InstructionId base, InstructionId index, InstructionId valid,
                                         std::uint32_t lanes)
{
    const Origin &origin = value.origin;
    const InstructionId inside = m_builder.alu(origin, Op::Where, {valid, index, m_builder.index(origin, 0)});
    const InstructionId loaded =
        m_builder.load(origin, m_memory.at(value.buffer), sumTerm(origin, base, inside, value.scale), lanes);
    return m_builder.alu(origin, Op::Where,
                         {widened(origin, valid, lanes), loaded, m_builder.constant(origin, value.constant, lanes)});
}

InstructionId KernelLowering::indexedLoad(const Value &value, const Point &point)
{
    const Origin &origin = value.origin;
    InstructionId wanted;
    if (!value.conditions.empty()) {
        const std::optional<InstructionId> valid = conditionsAt(origin, value.conditions, point);
        SW_ASSERT(valid.has_value(), "conditions that can be told at one point");
        wanted = *valid;
    }
    if (value.operands.size() == 2) {
        const InstructionId asked = valueAt(value.operands[1], point);
        wanted = wanted.isValid() ? m_builder.alu(origin, Op::And, {wanted, asked}) : asked;
    }
    InstructionId index = valueAt(value.operands[0], point);
    // The index of an element that is not wanted is not checked: index 0 stands in for it.
    if (wanted.isValid())
        index = m_builder.alu(origin, Op::Where, {wanted, index, m_builder.index(origin, 0)});
    InstructionId valid = m_builder.indexCheck(origin, index, value.bound, value.boundAxis);
    if (wanted.isValid())
        valid = m_builder.alu(origin, Op::And, {valid, wanted});
    const InstructionId base = scalarIndex(origin, value.index, point);
    const InstructionId at = sumTerm(origin, base, index, value.scale);
    if (const std::uint32_t lanes = lanesOf(point); lanes > 1)
        return wanted.isValid() ? loadAllOrNone(value, m_memory.at(value.buffer), at, valid, lanes)
                                : indexedRun(value, base, index, valid, lanes);
    return m_builder.maskedLoad(origin, m_memory.at(value.buffer), at, valid, m_builder.constant(origin, value.constant));
}

InstructionId KernelLowering::maskedAt(const Value &value, const Point &point)
{
    const Origin &origin = value.origin;
    const std::optional<InstructionId> condition = conditionsAt(origin, value.conditions, point);
    if (!condition) {
        const auto self = static_cast<std::size_t>(&value - m_nest.values.data());
        return laneByLane(ValueId(self), point);
    }
    InstructionId chosen = valueAt(value.operands[0], point);
    if (!condition->isValid())
        return chosen;
    InstructionId otherwise = valueAt(value.operands[1], point);
    const std::uint32_t lanes =
        std::max({m_builder.at(chosen).lanes, m_builder.at(otherwise).lanes, m_builder.at(*condition).lanes});
    return m_builder.alu(origin, Op::Where,
                         {widened(origin, *condition, lanes), widened(origin, chosen, lanes), widened(origin, otherwise, lanes)});
}

} // namespace sw
