#pragma once
// The body of a Kernel node: the nodes between its inputs and its value, which one kernel must compute.

#include "engine/graph/graph.h"

#include <optional>
#include <span>
#include <vector>

namespace sw {

// The nodes from the value back to the kernel's inputs, in graph order. Neither these inputs nor nodes without inputs belong to
// the body.
[[nodiscard]] std::vector<NodeId> kernelBody(std::span<const Node> nodes, const Node &kernel);

// Finds an input that the path back from the value does not reach.
[[nodiscard]] std::optional<NodeId> unusedKernelInput(std::span<const Node> nodes, const Node &kernel);
// Makes the diagnostic about such an input.
[[nodiscard]] Diagnostic unusedInputOf(const Node &kernel, const Node &input);

// For each node: the Kernel node that it is or whose body it is in; invalid if there is none.
[[nodiscard]] std::vector<NodeId> kernelsAround(const Graph &graph);
// By node, whether it is inside of such a kernel: no pass takes that apart.
[[nodiscard]] std::vector<bool> isInsideKernels(const Graph &graph);

// Returns "kernel \"row\"", or "kernel()" if it has no name.
[[nodiscard]] std::string kernelText(const Node &kernel);

} // namespace sw
