#pragma once
// The error bounds of the nodes that a pass writes as simpler ones.

#include "engine/graph/graph.h"

#include <span>

namespace sw {

struct BoundedInput {
    const HostTensor *value = nullptr;
    const HostTensor *bounds = nullptr; // f64, of the value's shape
};

// For a result that the reference computed of these inputs: f64, of its shape.
[[nodiscard]] HostTensor compositeBounds(const Node &node, const HostTensor &result, std::span<const BoundedInput> inputs);

} // namespace sw
