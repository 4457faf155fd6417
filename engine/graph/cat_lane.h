#pragma once
// The inputs of a cat that are single elements of its rows, such as the words of a random number or the parts of a complex one.

#include "engine/graph/graph.h"

#include <algorithm>

namespace sw {

// A cat of a few values, each computed for one index of its axis: the points along the axis are few, and their work is written
// out for each, so that each value is computed where it is taken.
inline constexpr std::size_t kMostCatParts = 4;
[[nodiscard]] inline bool isCatOfParts(const Graph &graph, const Node &cat)
{
    if (cat.kind != NodeKind::Cat)
        return false;
    const std::size_t axis = attributesOf<AxisAttributes>(cat).axis;
    return cat.inputs.size() > 1 && cat.inputs.size() <= kMostCatParts && std::ranges::all_of(cat.inputs, [&](NodeId input) {
               const Node &part = graph.node(input);
               return familyOf(part.kind) == NodeFamily::Elementwise && part.shape[axis] == 1 && !part.shape.isSymbolic(axis);
           });
}

// Whether the cat takes one element of each of its rows from the input: it has extent 1 along the axis, and no axis behind that
// one is longer, or the cat is one of parts. Such an input can be computed once for a row, whichever elements of the row are
// asked for.
[[nodiscard]] inline bool isCatLane(const Graph &graph, const Node &cat, std::size_t input)
{
    const std::size_t axis = attributesOf<AxisAttributes>(cat).axis;
    bool isLast = true;
    for (std::size_t after = axis + 1; after < cat.shape.rank(); ++after)
        isLast = isLast && cat.shape[after] == 1;
    const Shape &shape = graph.node(cat.inputs[input]).shape;
    return (isLast && shape[axis] == 1 && cat.shape[axis] > 1 && !shape.isSymbolic(axis)) || isCatOfParts(graph, cat);
}

} // namespace sw
