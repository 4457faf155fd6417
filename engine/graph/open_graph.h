#pragma once
// One graph for many sizes, made of the same graph for a few of them.
//
// Importing a model settles every dimension. Operators differ in what they make of a size, but what they make are nodes whose
// numbers depend on it. Here the graph is made for some sizes, and each number that differs becomes an expression: a sum of
// products of dimensions, which is what the graphs for 2^d neighbouring sizes determine. Nothing is assumed about other sizes
// that is not looked at: the graph is made again for the least and the greatest size of the range and for some between them, and
// has to be what the expressions say.

#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sw {

inline constexpr std::size_t kMostOpenDimensions = 3;

// The graph for these sizes, in the order of the dimensions. Errors: there is none for them.
using GraphOfSizes = std::function<Result<Graph>(const std::vector<std::int64_t> &sizes)>;

struct OpenGraph {
    Graph graph;                              // its dimensions have a usual value: the least
    std::vector<NodeId> made;                 // by node of the graph for sizes between the bounds: the node of this one
    std::vector<SymbolicVariable> dimensions; // in the bounds that hold: one that begins at 1 begins at 2 where the graph for 1
                                              // is another one, because more of it is known then
};

// dimensions: their names are words, and no placeholder has them. Errors (Code::Unsupported): too many dimensions; the graphs for
// different sizes are different, or an operation has no dimensions. The message names the line of the program and stands there.
[[nodiscard]] Result<OpenGraph> openGraph(std::vector<SymbolicVariable> dimensions, const GraphOfSizes &graphOf);

} // namespace sw
