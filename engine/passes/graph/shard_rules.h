#pragma once
// Which nodes can be applied to the parts of a value one by one, and what that makes of the layout.

#include "engine/passes/graph/placed_value.h"

#include <string>
#include <vector>

namespace sw {

// A node of one input, applied to the parts of that input.
struct LocalForm {
    std::vector<Node> nodes;        // without inputs
    std::vector<std::size_t> parts; // the part that each is applied to
    ShardLayout layout = {};        // of the result
    std::string obstacle = {};      // why it cannot be done part by part; empty: it can
};

// The node is a view, an elementwise operation or a mark, or a reduction over other axes than the sharded one. The input has the
// layout; without an axis each part gets the node as it is.
[[nodiscard]] LocalForm localForm(const Node &node, const Shape &input, const ShardLayout &layout);

// Does the node only move elements about, so that it may as well be done before parts are combined?
[[nodiscard]] bool onlyMovesElements(const Node &node);

} // namespace sw
