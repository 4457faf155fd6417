// The nodes of the random graph generator that move elements about.

#include "tests/fuzz/graph_generator.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>
#include <utility>

namespace sw {

namespace {

std::vector<std::int64_t> primeFactors(std::int64_t number)
{
    std::vector<std::int64_t> factors;
    for (std::int64_t divisor = 2; number > 1; ++divisor) {
        while (number % divisor == 0) {
            factors.push_back(divisor);
            number /= divisor;
        }
    }
    return factors;
}

} // namespace

std::vector<std::size_t> GraphGenerator::someAxes(const Shape &shape)
{
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (m_random.chance(50))
            axes.push_back(axis);
    if (axes.empty())
        axes.push_back(m_random.below(shape.rank()));
    return axes;
}

Shape GraphGenerator::anyShapeOf(std::int64_t elements)
{
    if (elements == 0)
        return m_random.chance(50) ? Shape{0} : Shape{m_random.between(1, 3), 0, m_random.between(1, 3)};
    std::vector<std::int64_t> extents(m_random.below(4) + (elements > 1 ? 1 : 0), 1);
    for (const std::int64_t factor : primeFactors(elements))
        extents[m_random.below(extents.size())] *= factor;
    return Shape(std::move(extents));
}

GraphGenerator::Made GraphGenerator::makeReshape()
{
    const NodeId input = anyValue();
    return m_builder.reshape(m_origin, input, anyShapeOf(shapeOf(input).elements())).value();
}

GraphGenerator::Made GraphGenerator::makePermute()
{
    const NodeId input = anyValue();
    std::vector<std::size_t> axes(shapeOf(input).rank());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    for (std::size_t i = axes.size(); i > 1; --i)
        std::swap(axes[i - 1], axes[m_random.below(i)]);
    return m_builder.permute(m_origin, input, std::move(axes)).value();
}

GraphGenerator::Made GraphGenerator::makeExpand()
{
    NodeId input = anyValue();
    if (shapeOf(input).rank() < 4 && m_random.chance(60)) {
        std::vector<std::int64_t> extents(shapeOf(input).begin(), shapeOf(input).end());
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(m_random.below(extents.size() + 1)), 1);
        input = m_builder.reshape(m_origin, input, Shape(std::move(extents))).value();
    }
    std::vector<std::int64_t> extents(shapeOf(input).begin(), shapeOf(input).end());
    std::int64_t elements = shapeOf(input).elements();
    for (std::int64_t &extent : extents) {
        const std::int64_t wanted = m_random.chance(5) ? 0 : m_random.between(1, 6);
        if (extent != 1 || elements * wanted > m_options.maxElements)
            continue;
        extent = wanted;
        elements *= wanted;
    }
    return m_builder.expand(m_origin, input, Shape(std::move(extents))).value();
}

GraphGenerator::Made GraphGenerator::makePad()
{
    const NodeId input = anyValue();
    PadAttributes pad;
    std::int64_t elements = 1;
    for (const std::int64_t extent : shapeOf(input)) {
        pad.before.push_back(m_random.between(0, 2));
        pad.after.push_back(m_random.between(0, 2));
        elements *= extent + pad.before.back() + pad.after.back();
    }
    if (elements > m_options.maxElements)
        return std::nullopt;
    pad.fill = anyScalar(node(input).dtype);
    return m_builder.pad(m_origin, input, std::move(pad)).value();
}

GraphGenerator::Made GraphGenerator::makeShrink()
{
    const NodeId input = anyValue();
    ShrinkAttributes shrink;
    for (const std::int64_t extent : shapeOf(input)) {
        const std::int64_t begin = m_random.chance(50) ? 0 : m_random.between(0, extent);
        const std::int64_t end = m_random.chance(40) ? extent : m_random.between(begin, extent);
        shrink.begin.push_back(begin);
        shrink.end.push_back(end);
    }
    return m_builder.shrink(m_origin, input, std::move(shrink)).value();
}

GraphGenerator::Made GraphGenerator::makeFlip()
{
    const Made input = anyValueOfRank(1);
    if (!input)
        return std::nullopt;
    return m_builder.flip(m_origin, *input, someAxes(shapeOf(*input))).value();
}

GraphGenerator::Made GraphGenerator::makeView()
{
    const NodeId input = anyValue();
    const std::int64_t available = shapeOf(input).elements();
    const Shape shape = available == 0 ? Shape{0, m_random.between(1, 3)} : anyShape();
    const bool isMasked = m_random.chance(40);
    ViewAttributes view;
    std::int64_t lowest = 0;
    std::int64_t span = 0; // of the flat indices that are read, less one
    for (const std::int64_t extent : shape) {
        const std::int64_t first = isMasked ? m_random.between(0, extent) : 0;
        const std::int64_t last = isMasked ? m_random.between(first, extent) : extent;
        if (isMasked)
            view.mask.emplace_back(first, last);
        std::int64_t stride = m_random.between(-4, 6);
        const std::int64_t steps = std::max<std::int64_t>(last - first - 1, 0);
        if (span + std::abs(stride) * steps >= std::max<std::int64_t>(available, 1))
            stride = 0;
        view.strides.push_back(stride);
        span += std::abs(stride) * steps;
        lowest += stride * first + std::min<std::int64_t>(stride, 0) * steps;
    }
    view.offset = m_random.between(0, std::max<std::int64_t>(available - 1 - span, 0)) - lowest;
    return m_builder.view(m_origin, input, shape, std::move(view)).value();
}

GraphGenerator::Made GraphGenerator::makeChoose()
{
    const NodeId from = anyValue();
    const std::int64_t elements = shapeOf(from).elements();
    if (elements == 0 || node(from).dtype == DType::U32x4)
        return std::nullopt;
    const NodeId flat = m_builder.reshape(m_origin, from, {elements}).value();
    const std::int64_t at = m_random.between(0, elements - 1);
    const NodeId one = m_builder.shrink(m_origin, flat, {{at}, {at + 1}}).value();
    const NodeId condition = m_builder.cast(m_origin, m_builder.reshape(m_origin, one, Shape()).value(), DType::Bool).value();
    const NodeId value = anyValue();
    if (node(value).dtype == DType::U32x4)
        return std::nullopt;
    const NodeId other = operandOf(shapeOf(value), node(value).dtype);
    return m_random.chance(50) ? m_builder.choose(m_origin, condition, value, other).value()
                               : m_builder.choose(m_origin, condition, other, value).value();
}

GraphGenerator::Made GraphGenerator::makeCat()
{
    const Made first = anyValueOfRank(1);
    if (!first)
        return std::nullopt;
    const std::size_t axis = m_random.below(shapeOf(*first).rank());
    std::vector<NodeId> inputs = {*first};
    std::int64_t elements = shapeOf(*first).elements();
    while (inputs.size() < 4 && m_random.chance(60)) {
        NodeId next = anyValue();
        const auto alone = m_builder.cat(m_origin, std::array{*first, next}, axis);
        if (!alone)
            next = m_builder.flip(m_origin, *first, {axis}).value();
        elements += shapeOf(next).elements();
        if (elements > m_options.maxElements)
            return std::nullopt;
        inputs.push_back(next);
    }
    return m_builder.cat(m_origin, inputs, axis).value();
}

GraphGenerator::Made GraphGenerator::makeGather()
{
    const Made source = anyValueOfRank(1);
    if (!source)
        return std::nullopt;
    const Shape from = shapeOf(*source);
    const std::size_t axis = m_random.below(from.rank());
    std::vector<std::int64_t> extents;
    for (std::size_t i = 0; i < from.rank(); ++i)
        extents.push_back(i == axis ? m_random.between(0, from[axis] == 0 ? 0 : 6) : m_random.between(0, from[i]));
    const NodeId indices = makeIndices(Shape(std::move(extents)), from[axis]);
    return m_builder.gather(m_origin, *source, indices, axis).value();
}

GraphGenerator::Made GraphGenerator::makeIndex()
{
    const NodeId source = anyValue();
    const std::int64_t available = shapeOf(source).elements();
    const Shape shape = available == 0 ? Shape{0} : anyShape();
    const NodeId indices = makeIndices(shape, available);
    Made valid;
    if (m_random.chance(40))
        valid = m_builder.vconst(m_origin, anyTensor(DType::Bool, shape));
    return m_builder.index(m_origin, source, indices, valid).value();
}

} // namespace sw
