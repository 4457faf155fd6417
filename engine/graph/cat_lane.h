#pragma once
// The inputs of a cat that are single elements of its rows, such as the words of a random number or the parts of a complex one.

#include "engine/graph/graph.h"

namespace sw {

// Whether the cat takes one element of each of its rows from the input: it has extent 1 along the axis, and no axis behind that
// one is longer. Such an input can be computed once for a row, whichever elements of the row are asked for.
[[nodiscard]] inline bool isCatLane(const Graph &graph, const Node &cat, std::size_t input)
{
    const std::size_t axis = attributesOf<AxisAttributes>(cat).axis;
    for (std::size_t after = axis + 1; after < cat.shape.rank(); ++after)
        if (cat.shape[after] != 1)
            return false;
    const Shape &shape = graph.node(cat.inputs[input]).shape;
    return shape[axis] == 1 && cat.shape[axis] > 1 && !shape.isSymbolic(axis);
}

} // namespace sw
