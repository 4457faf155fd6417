// Random values on several devices.

#include "tests/fuzz/graph_generator.h"

#include <utility>

namespace sw {

// Copies of a value, or its parts along an axis, with some that do not count.
GraphGenerator::Made GraphGenerator::makeMulti()
{
    const NodeId input = anyValue();
    const Shape shape = shapeOf(input);
    MultiAttributes attributes;
    if (shape.rank() > 0 && m_random.chance(80))
        attributes.axis = m_random.below(shape.rank());
    const std::size_t count = 1 + m_random.below(3);
    ShrinkAttributes range{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
    std::int64_t left = attributes.axis ? shape[*attributes.axis] : 0;
    if (attributes.axis)
        range.end[*attributes.axis] = 0;
    std::vector<NodeId> shards;
    for (std::size_t i = 0; i < count; ++i) {
        NodeId part = input;
        if (attributes.axis) {
            const std::int64_t extent = i + 1 == count ? left : m_random.between(0, left);
            left -= extent;
            range.begin[*attributes.axis] = range.end[*attributes.axis];
            range.end[*attributes.axis] += extent;
            part = m_builder.shrink(m_origin, input, range).value();
        }
        shards.push_back(m_builder.copy(m_origin, part, {m_random.pick(m_options.devices)}).value());
        attributes.real.push_back(true);
    }
    if (m_random.chance(20)) {
        shards.push_back(shards.front());
        attributes.real.push_back(false);
    } else {
        attributes.real.clear();
    }
    return m_builder.multi(m_origin, shards, std::move(attributes)).value();
}

} // namespace sw
