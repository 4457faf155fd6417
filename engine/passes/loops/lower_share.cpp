// The places of work items in their group, and the copies that a group makes together in its memory.

#include "engine/loops/queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostWrittenOut = 32; // rounds of a copy: what they read is on its way at the same time

} // namespace

// The places of the local axes inside of this one: so many neighbouring items have the same index of it.
std::int64_t KernelLowering::placesInside(AxisId leaf) const
{
    std::int64_t places = 1;
    if (const auto own = std::ranges::find(m_groupLeaves, leaf); own != m_groupLeaves.end())
        for (auto inner = own + 1; inner != m_groupLeaves.end(); ++inner)
            places *= m_nest.axes[inner->value].extent;
    return places;
}

// How many places along the axis the group has. The outermost axis has what the others leave.
std::int64_t KernelLowering::placesOf(AxisId leaf) const
{
    const bool isInner = !m_groupLeaves.empty() && m_groupLeaves.front() != leaf && !m_nest.axes[leaf.value].isReduce;
    return isInner ? m_nest.axes[leaf.value].extent : m_groupItems / placesInside(leaf);
}

InstructionId KernelLowering::groupPlaceOf(AxisId leaf)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const std::int64_t inside = placesInside(leaf);
    InstructionId place = m_groupItem;
    if (inside > 1)
        place = m_builder.alu(origin, Op::Idiv, {place, m_builder.index(origin, inside)});
    if (inside * placesOf(leaf) < m_groupItems)
        place = m_builder.alu(origin, Op::Mod, {place, m_builder.index(origin, placesOf(leaf))});
    return place;
}

// Whether this item is the one that stores what a group, or those of its items that have the same places along the open axes,
// compute together; invalid: each item has its own.
InstructionId KernelLowering::isFirstInGroup(const Origin &origin)
{
    if (m_groupItems == 1)
        return InstructionId();
    std::vector<AxisId> closed = m_groupLeaves;
    std::erase_if(closed, [&](AxisId leaf) { return m_isOpen[leaf.value] != 0; });
    const auto isFirst = [&](InstructionId place) {
        return m_builder.alu(origin, Op::Cmpeq, {place, m_builder.index(origin, 0)});
    };
    if (closed.size() == m_groupLeaves.size())
        return isFirst(m_groupItem);
    InstructionId all;
    for (const AxisId leaf : closed) {
        const InstructionId one = isFirst(groupPlaceOf(leaf));
        all = all.isValid() ? m_builder.alu(origin, Op::And, {all, one}) : one;
    }
    return all;
}

// Nobody reads the copies of the round before behind the first barrier, and all elements are there behind the second one.
void KernelLowering::emitSharedAt(AxisId leaf)
{
    std::vector<const Pack *> made;
    for (const Pack &pack : m_nest.packs)
        if (pack.isShared && pack.at == leaf)
            made.push_back(&pack);
    if (made.empty())
        return;
    const Origin &origin = m_nest.axes[leaf.value].origin;
    m_builder.barrier(origin);
    for (const Pack *pack : made)
        emitShared(*pack);
    m_builder.barrier(origin);
    for (const Pack *pack : made)
        m_scopes.back().packs[pack->load] = {m_scratch.at(pack), Standing(m_axes.size(), 0)};
}

// Neighbouring work items copy elements that are neighbours in the source, so that they read it in whole lines.
std::vector<KernelLowering::Side> KernelLowering::sidesOf(const Pack &pack) const
{
    const ExprId index = m_nest.values[pack.load.value].index;
    const auto sourceStride = [&](const Side &side) {
        std::int64_t stride = 0;
        const bool isLinear = m_nest.arena.linearIn(index, m_tiling.unsplit(side.axis), stride);
        return isLinear ? std::abs(stride) * m_tiling.strideOf(side.axis) : std::int64_t{1} << 62;
    };
    std::vector<Side> sides;
    for (const auto &[axis, stride] : packLayout(pack))
        if (axis.isValid())
            sides.push_back({.axis = axis, .extent = m_nest.axes[axis.value].extent, .stride = stride});
    std::ranges::stable_sort(sides, {}, sourceStride); // the copy's own last axis first among equals
    std::int64_t inner = 1;
    for (Side &side : sides) {
        side.inner = inner;
        inner *= side.extent;
    }
    return sides;
}

// The index along the side of element `round * items + item`. What does not change from round to round is the item's alone.
InstructionId KernelLowering::placeAlong(const Origin &origin, const Side &side, std::int64_t elements, InstructionId round)
{
    const auto by = [&](Op op, InstructionId value, std::int64_t number) {
        return m_builder.alu(origin, op, {value, m_builder.index(origin, number)});
    };
    const std::int64_t span = side.inner * side.extent;
    const bool isLast = span == elements;
    InstructionId place = m_groupItem;
    if (!round.isValid() || m_groupItems % span == 0) {
        place = side.inner > 1 ? by(Op::Idiv, place, side.inner) : place;
        return span < m_groupItems ? by(Op::Mod, place, side.extent) : place;
    }
    if (m_groupItems % side.inner == 0) {
        place = side.inner > 1 ? by(Op::Idiv, place, side.inner) : place;
        place = sumTerm(origin, place, round, m_groupItems / side.inner);
        return isLast ? place : by(Op::Mod, place, side.extent);
    }
    place = by(Op::Idiv, sumTerm(origin, place, round, m_groupItems), side.inner);
    return isLast ? place : by(Op::Mod, place, side.extent);
}

void KernelLowering::emitShared(const Pack &pack)
{
    const Value &value = m_nest.values[pack.load.value];
    const Origin &origin = value.origin;
    const std::vector<Side> sides = sidesOf(pack);
    const std::int64_t elements = sides.back().inner * sides.back().extent;
    const std::int64_t rounds = (elements + m_groupItems - 1) / m_groupItems;
    m_builder.beginBlock(origin, format("the group's copy of argument {}", m_builder.at(m_memory.at(value.buffer)).argument));
    InstructionId round;
    if (rounds > 1)
        round = m_builder.beginUnroll(origin, rounds, std::min(rounds, kMostWrittenOut), "round");
    const bool isRagged = elements % m_groupItems != 0;
    if (isRagged) {
        InstructionId element = m_groupItem;
        if (round.isValid())
            element = sumTerm(origin, element, round, m_groupItems);
        m_builder.beginIf(origin, m_builder.alu(origin, Op::Cmplt, {element, m_builder.index(origin, elements)}));
    }
    // An element is another one than the item's own, so nothing that is known about that may be used.
    std::vector<Scope> scopes = std::exchange(m_scopes, std::vector<Scope>(1));
    const std::vector<std::vector<IndexTerm>> axes = m_axes;
    InstructionId at;
    for (const Side &side : sides) {
        const InstructionId place = placeAlong(origin, side, elements, round);
        std::vector<IndexTerm> &terms = m_axes[m_tiling.unsplit(side.axis).value];
        std::erase_if(terms, [&](const IndexTerm &term) { return m_tiling.isPartOf(term.part, side.axis); });
        terms.push_back({place, m_tiling.strideOf(side.axis), side.axis});
        at = sumTerm(origin, at, place, side.stride);
    }
    m_builder.store(origin, m_scratch.at(&pack), at, valueAt(pack.load, Point{}));
    for (const Side &side : sides) // one by one, since the open loops hold on to their own
        m_axes[m_tiling.unsplit(side.axis).value] = axes[m_tiling.unsplit(side.axis).value];
    m_scopes = std::move(scopes);
    if (isRagged)
        m_builder.endIf(origin);
    if (round.isValid())
        m_builder.endRange(origin);
    m_builder.endBlock(origin);
}

} // namespace sw
