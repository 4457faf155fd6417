#include "engine/passes/graph/cell_words.h"

#include <cmath>

namespace sw {

namespace {

DType unsignedOf(std::uint32_t bits)
{
    for (const DType dtype : {DType::U8, DType::U16, DType::U32})
        if (infoOf(dtype).bits == bits)
            return dtype;
    return DType::U64;
}

Shape withoutLastAxis(const Shape &shape)
{
    return Shape(std::vector<std::int64_t>(shape.begin(), shape.end() - 1));
}

} // namespace

Shape withLastAxis(const Shape &shape, std::int64_t extent)
{
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    extents.push_back(extent);
    return Shape(std::move(extents));
}

Result<NodeId> CellWords::lane(NodeId id, std::int64_t begin, std::int64_t end)
{
    const Shape shape = m_builder.node(id).shape;
    ShrinkAttributes range{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    range.begin.back() = begin;
    range.end.back() = end;
    return m_builder.shrink(m_origin, id, std::move(range));
}

Result<NodeId> CellWords::withConstant(Op op, NodeId id, std::uint64_t constant)
{
    const NodeId scalar = m_builder.constScalar(m_origin, Scalar::of(m_builder.node(id).dtype, constant));
    return m_builder.broadcasted(m_origin, op, std::array{id, scalar});
}

Result<std::array<WordNode, 4>> CellWords::split(WordNodes &nodes, NodeId words)
{
    std::array<WordNode, 4> out;
    for (std::int64_t word = 0; word < kWordsPerCell; ++word) {
        SW_TRY(const NodeId taken, lane(words, word, word + 1));
        out.at(static_cast<std::size_t>(word)) = nodes.word(taken);
    }
    return out;
}

Result<NodeId> CellWords::join(const std::array<WordNode, 4> &words)
{
    const std::array lanes{words[0].id, words[1].id, words[2].id, words[3].id};
    return m_builder.cat(m_origin, lanes, m_builder.node(words[0].id).shape.rank() - 1);
}

Result<NodeId> CellWords::threefry(ThreefryVariant variant, RandomStream stream, NodeId key, NodeId counter)
{
    WordNodes nodes(m_builder, m_origin, withLastAxis(withoutLastAxis(m_builder.node(counter).shape), 1));
    SW_TRY(const auto keys, split(nodes, key));
    SW_TRY(const auto counters, split(nodes, counter));
    return join(threefry4x32(variant, stream, keys, counters));
}

Result<NodeId> CellWords::spread(NodeId value)
{
    const Shape shape = withLastAxis(m_builder.node(value).shape, 1);
    SW_TRY(NodeId bits, m_builder.reshape(m_origin, value, shape));
    const DType from = m_builder.node(bits).dtype;
    if (from != DType::Bool) {
        SW_TRY(bits, m_builder.bitcast(m_origin, bits, unsignedOf(infoOf(from).bits)));
    }
    WordNodes nodes(m_builder, m_origin, shape);
    SW_TRY(const NodeId low, m_builder.cast(m_origin, bits, DType::U32));
    const WordNode x = nodes.word(low);
    if (from == DType::I32 || from == DType::U32)
        return join({x, x ^ 0x9e3779b9U, x ^ 0x6c078965U, x ^ rotatedLeft(x, 16)});
    const WordNode zero = nodes.constant(0);
    if (bytesOf(from) < 8)
        return join({x, zero, zero, zero});
    SW_TRY(const NodeId upper, withConstant(Op::Shr, bits, 32));
    SW_TRY(const NodeId high, m_builder.cast(m_origin, upper, DType::U32));
    return join({x, nodes.word(high), zero, zero});
}

Result<NodeId> CellWords::wide(NodeId low, NodeId high)
{
    SW_TRY(const NodeId lower, m_builder.cast(m_origin, low, DType::U64));
    SW_TRY(const NodeId upper, m_builder.cast(m_origin, high, DType::U64));
    SW_TRY(const NodeId shifted, withConstant(Op::Shl, upper, 32));
    return m_builder.elementwise(m_origin, Op::Or, std::array{lower, shifted});
}

Result<NodeId> CellWords::gathered(NodeId words, DType goal)
{
    SW_TRY(NodeId bits, lane(words, 0, 1));
    if (goal == DType::Bool) {
        SW_TRY(bits, m_builder.reduce(m_origin, Op::Or, words, {m_builder.node(words).shape.rank() - 1}));
    } else if (bytesOf(goal) == 8) {
        SW_TRY(const NodeId high, lane(words, 1, 2));
        SW_TRY(bits, wide(bits, high));
    }
    SW_TRY(bits, m_builder.reshape(m_origin, bits, withoutLastAxis(m_builder.node(words).shape)));
    if (goal == DType::Bool)
        return m_builder.cast(m_origin, bits, DType::Bool);
    SW_TRY(const NodeId narrow, m_builder.cast(m_origin, bits, unsignedOf(infoOf(goal).bits)));
    return m_builder.bitcast(m_origin, narrow, goal);
}

// Makes one lane of two words, one lane of each word or, by shifts along a new axis, several lanes of each word.
Result<NodeId> CellWords::lanesOf(NodeId words, std::uint32_t bits)
{
    constexpr std::uint32_t kWordBits = 32;
    if (bits == kWordBits)
        return words;
    const Shape cells = withoutLastAxis(m_builder.node(words).shape);
    if (bits > kWordBits) {
        SW_TRY(const NodeId pairs, m_builder.reshape(m_origin, words, withLastAxis(withLastAxis(cells, 2), 2)));
        SW_TRY(const NodeId low, lane(pairs, 0, 1));
        SW_TRY(const NodeId high, lane(pairs, 1, 2));
        SW_TRY(const NodeId joined, wide(low, high));
        return m_builder.reshape(m_origin, joined, withLastAxis(cells, 2));
    }
    const std::int64_t parts = kWordBits / bits;
    HostTensor shifts(DType::U32, Shape{parts});
    for (std::int64_t i = 0; i < parts; ++i)
        shifts.set(i, Scalar::of(DType::U32, i * std::int64_t{bits}));
    const NodeId amounts = m_builder.vconst(m_origin, std::move(shifts));
    SW_TRY(const NodeId spreadWords, m_builder.reshape(m_origin, words, withLastAxis(withLastAxis(cells, kWordsPerCell), 1)));
    SW_TRY(const NodeId shifted, m_builder.broadcasted(m_origin, Op::Shr, std::array{spreadWords, amounts}));
    SW_TRY(const NodeId narrow, m_builder.cast(m_origin, shifted, unsignedOf(bits)));
    return m_builder.reshape(m_origin, narrow, withLastAxis(cells, kWordsPerCell * parts));
}

Result<NodeId> CellWords::numbersOf(NodeId lanes, DType goal)
{
    if (!isFloat(goal))
        return m_builder.bitcast(m_origin, lanes, goal);
    const std::uint32_t kept = significandBits(goal);
    const DType computed = computeType(goal);
    SW_TRY(const NodeId fraction, withConstant(Op::Shr, lanes, infoOf(goal).bits - kept));
    SW_TRY(const NodeId number, m_builder.cast(m_origin, fraction, computed));
    const NodeId unit = m_builder.constScalar(m_origin, Scalar::of(computed, std::ldexp(1.0, -static_cast<int>(kept))));
    SW_TRY(const NodeId scaled, m_builder.broadcasted(m_origin, Op::Mul, std::array{number, unit}));
    return m_builder.cast(m_origin, scaled, goal);
}

Result<NodeId> CellWords::uniform(NodeId words, DType goal, UniformForm form, const Shape &shape)
{
    SW_TRY(NodeId lanes, lanesOf(words, infoOf(goal).bits));
    if (form == UniformForm::Scalar) {
        SW_TRY(lanes, lane(lanes, 0, 1));
    }
    SW_TRY(const NodeId numbers, numbersOf(lanes, goal));
    return m_builder.reshape(m_origin, numbers, shape);
}

} // namespace sw
