#pragma once
// Which nodes can be applied to the parts of a value one by one, and the layout of their results.

#include "engine/passes/graph/placed_value.h"

#include <string>
#include <vector>

namespace sw {

// A node of one input, applied to the parts of that input.
struct LocalForm {
    std::vector<Node> nodes;        // without inputs
    std::vector<std::size_t> parts; // the part that each node is applied to
    ShardLayout layout = {};        // of the result
    std::string obstacle = {};      // why it cannot be done part by part; empty: it can
};

// For a view, an elementwise operation, a marker, or a reduction over axes other than the sharded one. `layout` is the layout of
// the input; without an axis, each part gets the node unchanged.
[[nodiscard]] LocalForm localForm(const Node &node, const Shape &input, const ShardLayout &layout);

// Does the node only move elements, so that it may also be applied before the parts are combined?
[[nodiscard]] bool onlyMovesElements(const Node &node);

} // namespace sw
