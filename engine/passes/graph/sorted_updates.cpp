#include "engine/passes/graph/sorted_updates.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kBlock = 64;
constexpr std::int64_t kReach = 4; // an update is combined with so many, itself among them, in each step

std::int64_t log2Of(std::int64_t powerOfTwo)
{
    return std::countr_zero(static_cast<std::uint64_t>(powerOfTwo));
}

std::int64_t placesFor(std::int64_t updates)
{
    return std::max(kBlock, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(updates))));
}

} // namespace

ScatterCost scatterCost(const UpdateLines &lines, double pairs, std::optional<Op> op)
{
    constexpr double kPair = 0.3;    // compared, and a value chosen and combined
    constexpr double kRanked = 0.25; // of a key and another one in its block, both steps of it
    constexpr double kExchange = 0.6;
    constexpr double kLookup = 2;
    constexpr double kCombined = 0.4; // of one value in one step
    constexpr double kKernel = 2000;  // a launch, and a kernel more to compile and to look at
    const auto updates = lines.updates[lines.axis];
    const auto lineCount = static_cast<double>(lines.line.elements()) / static_cast<double>(std::max<std::int64_t>(updates, 1));
    const auto values = static_cast<double>(lines.updates.elements());
    const std::int64_t places = placesFor(updates);
    const auto merges = static_cast<double>(log2Of(places / kBlock));
    const auto steps = op ? std::ceil(std::log2(static_cast<double>(std::max<std::int64_t>(updates, 2))) / 2) : 0.0;
    const double exchanges = merges * (merges + 1) / 2;
    const double keys = lineCount * static_cast<double>(places);
    ScatterCost cost;
    cost.comparing = pairs * kPair;
    cost.sorting = keys * ((merges + 1) * kBlock * kRanked + exchanges * kExchange) + values * steps * kCombined +
                   lineCount * static_cast<double>(lines.elements) * static_cast<double>(log2Of(places) + 1) * kLookup +
                   kKernel * (2 * (merges + 1) + exchanges + steps + 4);
    return cost;
}

SortedUpdates::SortedUpdates(GraphBuilder &builder, Origin origin, UpdateLines lines)
    : m_builder(builder), m_origin(std::move(origin)), m_lines(std::move(lines))
{
    const std::size_t rank = m_lines.updates.rank();
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (axis != m_lines.axis && m_lines.line[axis] == m_lines.updates[axis]) {
            m_order.push_back(axis);
            m_lineCount *= m_lines.updates[axis];
        }
    m_lineAxes = m_order.size();
    m_order.push_back(m_lines.axis);
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (axis != m_lines.axis && m_lines.line[axis] != m_lines.updates[axis]) {
            m_order.push_back(axis);
            m_columns *= m_lines.updates[axis];
        }
    m_updates = m_lines.updates[m_lines.axis];
    m_places = placesFor(m_updates);
    const bool isSmall = m_lines.elements + 2 < std::numeric_limits<std::int32_t>::max() / m_places;
    m_type = isSmall ? DType::I32 : DType::I64;
}

Result<NodeId> SortedUpdates::apply(Op op, std::initializer_list<NodeId> operands)
{
    return m_builder.broadcasted(m_origin, op, std::vector<NodeId>(operands));
}

NodeId SortedUpdates::number(std::int64_t value) const
{
    return m_builder.constScalar(m_origin, Scalar::of(m_type, value));
}

// 0, 1, 2 ...
Result<NodeId> SortedUpdates::counted(std::int64_t count, Shape shape)
{
    SW_TRY(const NodeId numbers, m_builder.iota(m_origin, Shape{count}));
    SW_TRY(const NodeId typed, m_builder.cast(m_origin, numbers, m_type));
    return m_builder.reshape(m_origin, typed, std::move(shape));
}

// [lines, updates, columns]; the columns of a line are one.
Result<NodeId> SortedUpdates::inLines(NodeId id, const Shape &shape)
{
    SW_TRY(const NodeId ordered, m_builder.permute(m_origin, id, m_order));
    return m_builder.reshape(m_origin, ordered, Shape{m_lineCount, m_updates, shape == m_lines.updates ? m_columns : 1});
}

// [lines, elements, columns], or [lines, elements] -> the shape of the updates, or of the line, with elements along the axis.
Result<NodeId> SortedUpdates::fromLines(NodeId id, bool isOfLine)
{
    std::vector<std::int64_t> extents;
    std::vector<std::size_t> back(m_order.size());
    for (std::size_t i = 0; i < m_order.size(); ++i) {
        const Shape &shape = isOfLine ? m_lines.line : m_lines.updates;
        extents.push_back(i == m_lineAxes ? m_lines.elements : shape[m_order[i]]);
        back[m_order[i]] = i;
    }
    SW_TRY(const NodeId split, m_builder.reshape(m_origin, id, Shape(std::move(extents))));
    return m_builder.permute(m_origin, split, std::move(back));
}

// [lines, places]: element + 1, and then the place of the update; what fills the last block comes behind all of them.
Result<NodeId> SortedUpdates::keysOf(NodeId positions)
{
    SW_TRY(const NodeId lines, inLines(positions, m_lines.line));
    SW_TRY(const NodeId flat, m_builder.reshape(m_origin, lines, Shape{m_lineCount, m_updates}));
    SW_TRY(NodeId wanted, m_builder.cast(m_origin, flat, m_type));
    if (m_places > m_updates) {
        SW_TRY(wanted,
               m_builder.pad(m_origin, wanted, {{0, 0}, {0, m_places - m_updates}, Scalar::of(m_type, m_lines.elements + 1)}));
    }
    SW_TRY(const NodeId high, apply(Op::Shl, {wanted, number(log2Of(m_places))}));
    SW_TRY(const NodeId own, counted(m_places, {1, m_places}));
    SW_TRY(const NodeId keys, apply(Op::Add, {high, own}));
    return m_builder.contiguous(m_origin, keys);
}

Result<NodeId> SortedUpdates::sorted(NodeId keys)
{
    SW_TRY(NodeId merged, sortedBlocks(keys));
    for (std::int64_t block = kBlock; block < m_places; block *= 2) {
        SW_TRY(merged, exchanged(merged, block, true));
        for (std::int64_t distance = block / 2; distance >= kBlock; distance /= 2) {
            SW_TRY(merged, exchanged(merged, distance, false));
        }
        SW_TRY(merged, sortedBlocks(merged));
    }
    return merged;
}

// Each key goes to the place that is the number of smaller ones in its block.
Result<NodeId> SortedUpdates::sortedBlocks(NodeId keys)
{
    const std::int64_t blocks = m_lineCount * m_places / kBlock;
    const auto reshaped = [&](NodeId id, Shape shape) { return m_builder.reshape(m_origin, id, std::move(shape)); };
    SW_TRY(const NodeId others, reshaped(keys, {blocks, 1, kBlock}));
    SW_TRY(const NodeId own, reshaped(keys, {blocks, kBlock, 1}));
    SW_TRY(const NodeId areSmaller, apply(Op::Cmplt, {others, own}));
    SW_TRY(const NodeId ones, m_builder.cast(m_origin, areSmaller, m_type));
    SW_TRY(const NodeId smaller, m_builder.reduce(m_origin, Op::Add, ones, {2}));
    SW_TRY(const NodeId ranks, m_builder.contiguous(m_origin, smaller));
    SW_TRY(const NodeId ranksOfAll, reshaped(ranks, {blocks, 1, kBlock}));
    SW_TRY(const NodeId places, counted(kBlock, {1, kBlock, 1}));
    SW_TRY(const NodeId isHere, apply(Op::Cmpeq, {ranksOfAll, places}));
    SW_TRY(const NodeId chosen, apply(Op::Where, {isHere, others, number(0)}));
    SW_TRY(const NodeId placed, m_builder.reduce(m_origin, Op::Add, chosen, {2}));
    SW_TRY(const NodeId whole, reshaped(placed, {m_lineCount, m_places}));
    return m_builder.contiguous(m_origin, whole);
}

// The smaller key of a pair goes to the first half. The first step of a merge pairs two sorted blocks, one of them reversed.
Result<NodeId> SortedUpdates::exchanged(NodeId keys, std::int64_t distance, bool isFirst)
{
    const Shape halves{m_lineCount, m_places / (2 * distance), 2, distance};
    SW_TRY(const NodeId own, m_builder.reshape(m_origin, keys, halves));
    SW_TRY(const NodeId other,
           m_builder.flip(m_origin, own, isFirst ? std::vector<std::size_t>{2, 3} : std::vector<std::size_t>{2}));
    SW_TRY(const NodeId half, counted(2, {1, 1, 2, 1}));
    SW_TRY(const NodeId isFirstHalf, apply(Op::Cmpeq, {half, number(0)}));
    SW_TRY(const NodeId smaller, apply(Op::Min, {own, other}));
    SW_TRY(const NodeId larger, apply(Op::Max, {own, other}));
    SW_TRY(const NodeId chosen, apply(Op::Where, {isFirstHalf, smaller, larger}));
    SW_TRY(const NodeId whole, m_builder.reshape(m_origin, chosen, Shape{m_lineCount, m_places}));
    return m_builder.contiguous(m_origin, whole);
}

// What stands `by` places before each.
Result<NodeId> SortedUpdates::shifted(NodeId id, std::int64_t by, const Scalar &fill)
{
    const Shape shape = m_builder.node(id).shape;
    std::vector<std::int64_t> begin(shape.rank(), 0);
    std::vector<std::int64_t> end(shape.begin(), shape.end());
    end[1] -= by;
    SW_TRY(const NodeId first, m_builder.shrink(m_origin, id, {begin, std::move(end)}));
    std::vector<std::int64_t> before = begin;
    before[1] = by;
    return m_builder.pad(m_origin, first, {std::move(before), std::move(begin), fill});
}

Result<NodeId> SortedUpdates::combined(NodeId values, NodeId elements, Op op)
{
    const Scalar nothing = identityOf(op, m_builder.node(values).dtype);
    const NodeId identity = m_builder.constScalar(m_origin, nothing);
    for (std::int64_t distance = 1; distance < m_updates; distance *= kReach) {
        NodeId all = values;
        for (std::int64_t by = distance; by < std::min(kReach * distance, m_updates); by += distance) {
            SW_TRY(const NodeId before, shifted(elements, by, Scalar::of(m_type, std::int64_t{-1})));
            SW_TRY(const NodeId areSame, apply(Op::Cmpeq, {before, elements}));
            SW_TRY(const NodeId value, shifted(values, by, nothing));
            SW_TRY(const NodeId added, apply(Op::Where, {areSame, value, identity}));
            SW_TRY(all, apply(op, {all, added}));
        }
        SW_TRY(values, m_builder.contiguous(m_origin, all));
    }
    return values;
}

// [lines, elements]: how many keys belong to the element or one before it.
Result<NodeId> SortedUpdates::placesBelow(NodeId keys)
{
    SW_TRY(const NodeId elements, counted(m_lines.elements, {1, m_lines.elements}));
    SW_TRY(const NodeId next, apply(Op::Add, {elements, number(2)}));
    SW_TRY(const NodeId end, apply(Op::Shl, {next, number(log2Of(m_places))}));
    SW_TRY(const NodeId ends, m_builder.expand(m_origin, end, {m_lineCount, m_lines.elements}));
    const auto isBelow = [&](NodeId place) -> Result<NodeId> {
        SW_TRY(const NodeId key, m_builder.gather(m_origin, keys, place, 1));
        return apply(Op::Cmplt, {key, ends});
    };
    SW_TRY(NodeId below, m_builder.full(m_origin, Scalar::of(m_type, std::int64_t{0}), {m_lineCount, m_lines.elements}));
    for (std::int64_t step = m_places / 2; step >= 1; step /= 2) {
        SW_TRY(const NodeId more, apply(Op::Add, {below, number(step)}));
        SW_TRY(const NodeId last, apply(Op::Sub, {more, number(1)}));
        SW_TRY(const NodeId isMore, isBelow(last));
        SW_TRY(below, apply(Op::Where, {isMore, more, below}));
    }
    SW_TRY(const NodeId isLast, isBelow(below)); // all places may be
    SW_TRY(const NodeId one, m_builder.cast(m_origin, isLast, m_type));
    return apply(Op::Add, {below, one});
}

// source: [lines, n, columns], places: [lines, m] -> [lines, m, columns]
Result<NodeId> SortedUpdates::looked(NodeId source, NodeId places, std::int64_t columns)
{
    const std::int64_t count = m_builder.node(places).shape[1];
    SW_TRY(const NodeId single, m_builder.reshape(m_origin, places, Shape{m_lineCount, count, 1}));
    SW_TRY(const NodeId all, m_builder.expand(m_origin, single, Shape{m_lineCount, count, columns}));
    return m_builder.gather(m_origin, source, all, 1);
}

Result<SortedUpdates::Found> SortedUpdates::find(NodeId positions, NodeId updates, std::optional<Op> op)
{
    SW_TRY(const NodeId unsorted, keysOf(positions));
    SW_TRY(const NodeId keys, sorted(unsorted));
    SW_TRY(const NodeId values, inLines(updates, m_lines.updates));
    const auto placeIn = [&](NodeId ofKeys) -> Result<NodeId> { // what fills the last block has no update
        SW_TRY(const NodeId place, apply(Op::And, {ofKeys, number(m_places - 1)}));
        return m_places == m_updates ? place : apply(Op::Min, {place, number(m_updates - 1)});
    };
    SW_TRY(const NodeId below, placesBelow(keys));
    SW_TRY(const NodeId someBelow, apply(Op::Max, {below, number(1)}));
    SW_TRY(const NodeId before, apply(Op::Sub, {someBelow, number(1)}));
    SW_TRY(const NodeId last, m_builder.contiguous(m_origin, before));
    SW_TRY(const NodeId lastKey, m_builder.gather(m_origin, keys, last, 1));
    SW_TRY(const NodeId lastElement, apply(Op::Shr, {lastKey, number(log2Of(m_places))}));
    SW_TRY(const NodeId own, counted(m_lines.elements, {1, m_lines.elements}));
    SW_TRY(const NodeId wanted, apply(Op::Add, {own, number(1)}));
    SW_TRY(const NodeId areEqual, apply(Op::Cmpeq, {lastElement, wanted}));
    SW_TRY(const NodeId isFound, m_builder.contiguous(m_origin, areEqual));
    Found found;
    SW_TRY(found.isFound, fromLines(isFound, true));
    NodeId value;
    if (op) {
        SW_TRY(const NodeId places, placeIn(keys));
        SW_TRY(const NodeId inOrder, looked(values, places, m_columns));
        SW_TRY(const NodeId sortedValues, m_builder.contiguous(m_origin, inOrder));
        SW_TRY(const NodeId high, apply(Op::Shr, {keys, number(log2Of(m_places))}));
        SW_TRY(const NodeId stored, m_builder.contiguous(m_origin, high));
        SW_TRY(const NodeId elements, m_builder.reshape(m_origin, stored, Shape{m_lineCount, m_places, 1}));
        SW_TRY(const NodeId all, combined(sortedValues, elements, *op));
        SW_TRY(value, looked(all, last, m_columns));
    } else {
        SW_TRY(const NodeId winner, placeIn(lastKey));
        SW_TRY(const NodeId stored, m_builder.contiguous(m_origin, winner));
        SW_TRY(value, looked(values, stored, m_columns));
    }
    SW_TRY(found.value, fromLines(value, false));
    return found;
}

} // namespace sw
