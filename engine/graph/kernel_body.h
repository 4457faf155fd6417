#pragma once
// What a Kernel node asks for: the nodes between its inputs and its value, which one kernel is to compute.

#include "engine/graph/graph.h"

#include <optional>
#include <span>
#include <vector>

namespace sw {

// From the value back to the inputs, which do not belong to it, and to the nodes that read nothing, which do not either; in
// graph order.
[[nodiscard]] std::vector<NodeId> kernelBody(std::span<const Node> nodes, const Node &kernel);

// An input that the way back from the value does not come to.
[[nodiscard]] std::optional<NodeId> unusedKernelInput(std::span<const Node> nodes, const Node &kernel);
// What is wrong with such an input.
[[nodiscard]] Diagnostic unusedInputOf(const Node &kernel, const Node &input);

// By node: the Kernel node whose body it is in, or that it is; invalid: none.
[[nodiscard]] std::vector<NodeId> kernelsAround(const Graph &graph);

// "kernel \"row\"", or "kernel()" without a name.
[[nodiscard]] std::string kernelText(const Node &kernel);

} // namespace sw
