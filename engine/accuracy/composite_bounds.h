#pragma once
// The error bounds of composite nodes, which a pass expands into simpler ones.

#include "engine/graph/graph.h"

#include <span>

namespace sw {

struct BoundedInput {
    const HostTensor *value = nullptr;
    const HostTensor *bounds = nullptr; // f64, of the value's shape
};

// The bounds for a result that the reference computed from these inputs: f64, of the result's shape.
[[nodiscard]] HostTensor compositeBounds(const Node &node, const HostTensor &result, std::span<const BoundedInput> inputs);

} // namespace sw
