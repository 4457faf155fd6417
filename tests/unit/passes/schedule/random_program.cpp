#include "tests/unit/passes/schedule/random_program.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMaximumElements = 600;
constexpr std::array kBinary{Op::Add, Op::Sub, Op::Mul, Op::Max, Op::Min};
constexpr std::array kReductions{Op::Add, Op::Max, Op::Min};

} // namespace

Shape RandomProgram::randomShape()
{
    std::vector<std::int64_t> extents;
    for (std::size_t rank = 1 + below(3); rank > 0; --rank)
        extents.push_back(static_cast<std::int64_t>(1 + below(7)));
    return Shape(extents);
}

NodeId RandomProgram::constant(std::int64_t value)
{
    return m_program.builder.constScalar(m_program.here, Scalar::of(DType::I32, value));
}

// Mostly one of the last few values, so that programs grow deep.
NodeId RandomProgram::recent()
{
    const std::size_t window = std::min<std::size_t>(m_values.size(), 4);
    return below(4) == 0 ? any() : m_values[m_values.size() - 1 - below(window)];
}

NodeId RandomProgram::elementwise(NodeId x)
{
    std::vector<NodeId> partners;
    for (const NodeId value : m_values)
        if (const auto shape = broadcast(m_program.shapeOf(x), m_program.shapeOf(value));
            shape && shape->elements() <= kMaximumElements)
            partners.push_back(value);
    const NodeId partner = below(4) == 0 ? constant(static_cast<std::int64_t>(below(5))) : partners[below(partners.size())];
    return m_program.apply(kBinary[below(kBinary.size())], {x, partner});
}

NodeId RandomProgram::reduced(NodeId x)
{
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < m_program.shapeOf(x).rank(); ++axis)
        if (below(2) == 0)
            axes.push_back(axis);
    return m_program.reduce(kReductions[below(kReductions.size())], x, axes);
}

// Like a mean that is subtracted: a reduction read along the axes that it reduced.
NodeId RandomProgram::broadcastAgain(NodeId x)
{
    return m_program.apply(Op::Sub, {x, reduced(x)});
}

NodeId RandomProgram::reshaped(NodeId x)
{
    const Shape shape = m_program.shapeOf(x);
    if (shape.rank() == 0)
        return m_program.reshape(x, {1, 1});
    if (below(2) == 0)
        return m_program.reshape(x, {shape.elements()});
    const std::int64_t factor = shape.elements() % 2 == 0 ? 2 : 1;
    return m_program.reshape(x, {shape.elements() / factor, factor});
}

NodeId RandomProgram::permuted(NodeId x)
{
    std::vector<std::size_t> axes(m_program.shapeOf(x).rank());
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
        axes[axis] = axis;
    std::ranges::shuffle(axes, m_random);
    return below(3) == 0
               ? m_program.builder.flip(m_program.here, x, {axes.begin(), axes.begin() + (axes.empty() ? 0 : 1)}).value()
               : m_program.permute(x, axes);
}

NodeId RandomProgram::padded(NodeId x)
{
    PadAttributes attributes;
    for (std::size_t axis = 0; axis < m_program.shapeOf(x).rank(); ++axis) {
        attributes.before.push_back(static_cast<std::int64_t>(below(2)));
        attributes.after.push_back(static_cast<std::int64_t>(below(3)));
    }
    attributes.fill = Scalar::of(DType::I32, static_cast<std::int64_t>(below(3)));
    return m_program.builder.pad(m_program.here, x, attributes).value();
}

NodeId RandomProgram::shrunk(NodeId x)
{
    ShrinkAttributes attributes;
    for (const std::int64_t extent : m_program.shapeOf(x)) {
        const auto begin = static_cast<std::int64_t>(below(static_cast<std::size_t>(extent)));
        attributes.begin.push_back(begin);
        attributes.end.push_back(begin + 1 + static_cast<std::int64_t>(below(static_cast<std::size_t>(extent - begin))));
    }
    return m_program.builder.shrink(m_program.here, x, attributes).value();
}

NodeId RandomProgram::joined(NodeId x)
{
    if (m_program.shapeOf(x).rank() == 0)
        return x;
    const std::array both{x, shrunk(x)};
    const Shape first = m_program.shapeOf(both[0]);
    const Shape second = m_program.shapeOf(both[1]);
    for (std::size_t axis = 0; axis < first.rank(); ++axis) {
        bool agree = true;
        for (std::size_t other = 0; other < first.rank(); ++other)
            agree &= other == axis || first[other] == second[other];
        if (agree)
            return m_program.builder.cat(m_program.here, both, axis).value();
    }
    const std::array twice{x, elementwise(x)};
    return m_program.shapeOf(twice[0]) == m_program.shapeOf(twice[1]) ? m_program.builder.cat(m_program.here, twice, 0).value()
                                                                      : x;
}

// Overlapping windows along the last axis, as a convolution reads its input.
NodeId RandomProgram::windows(NodeId x)
{
    const NodeId source = below(2) == 0 ? padded(x) : x;
    const Shape shape = m_program.shapeOf(source);
    if (shape.rank() == 0 || shape[shape.rank() - 1] < 2 || 2 * shape.elements() > kMaximumElements)
        return source;
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    std::vector<std::int64_t> strides = rowMajorStrides(shape);
    extents.back() -= 1;
    extents.push_back(2);
    strides.push_back(1);
    return m_program.builder.view(m_program.here, source, Shape(extents), {strides, 0, {}}).value();
}

NodeId RandomProgram::lookedUp(NodeId x)
{
    const std::int64_t elements = m_program.shapeOf(x).elements();
    std::vector<double> places;
    for (int i = 0; i < 6; ++i)
        places.push_back(static_cast<double>(below(static_cast<std::size_t>(elements))));
    const NodeId indices = m_program.builder.vconst(m_program.here, HostTensor::ofValues(DType::I32, {2, 3}, places));
    return m_program.builder.index(m_program.here, x, indices, std::nullopt).value();
}

NodeId RandomProgram::step()
{
    const NodeId x = recent();
    switch (below(14)) {
    case 0:
    case 1:
    case 2:
        return elementwise(x);
    case 3:
        return m_program.apply(Op::Neg, {x});
    case 4:
        return reduced(x);
    case 5:
    case 6:
        return broadcastAgain(x);
    case 7:
        return reshaped(x);
    case 8:
        return permuted(x);
    case 9:
        return padded(x);
    case 10:
        return shrunk(x);
    case 11:
        return joined(x);
    case 12:
        return windows(x);
    default:
        return below(2) == 0 ? lookedUp(x) : m_program.builder.contiguous(m_program.here, x).value();
    }
}

GraphPtr RandomProgram::make(std::size_t steps)
{
    for (int i = 0; i < 3; ++i)
        m_values.push_back(m_program.input(randomShape(), DType::I32));
    while (m_values.size() < steps) {
        const NodeId made = step();
        if (m_program.shapeOf(made).elements() <= kMaximumElements)
            m_values.push_back(made);
    }
    std::vector<NodeId> outputs{m_values.back()};
    for (std::size_t more = below(3); more > 0; --more)
        outputs.push_back(any());
    return std::make_shared<const Graph>(std::move(m_program).finish(outputs));
}

std::vector<HostTensor> randomValues(const Graph &graph, std::uint32_t seed)
{
    std::mt19937 random(seed);
    std::vector<HostTensor> values;
    for (const NodeId id : graph.placeholders()) {
        const Node &node = graph.node(id);
        std::vector<double> elements;
        for (std::int64_t i = 0; i < node.shape.elements(); ++i)
            elements.push_back(static_cast<double>(random() % 21) - 10);
        values.push_back(HostTensor::ofValues(node.dtype, node.shape, elements));
    }
    return values;
}

} // namespace sw
