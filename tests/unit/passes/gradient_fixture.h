#pragma once
// Gradients against central differences in f64: what the pass makes is interpreted, and so is the function itself, a little to
// both sides of every element of every input.

#include "engine/graph/graph.h"
#include "engine/passes/graph/differentiate.h"
#include "tests/support/meaning.h"
#include "tests/unit/graph/graph_fixture.h"

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace sw::test {

// The graph after the pass, with at most so many rewrites, and what the pass recorded.
struct Differentiated {
    Result<std::optional<Graph>> graph;
    std::vector<RewriteEvent> events;
};
[[nodiscard]] Differentiated runDifferentiate(const Graph &graph, std::uint32_t budget = kNoRewriteLimit);

[[nodiscard]] HostTensor tensorOf(const Shape &shape, std::initializer_list<double> values);
// Values between -2 and 2, none of them twice, none near 0, 1 or a half: where functions have kinks and steps.
[[nodiscard]] HostTensor sampleOf(const Shape &shape, std::uint32_t seed = 0);

// A function of some inputs, as nodes.
using GraphFunction = std::function<NodeId(TestGraph &, std::span<const NodeId>)>;

// What the function's gradient, for weights that differ from element to element, has against the differences; empty when it is
// right. `differentiable`: how many of the inputs, from the first on, gradients are taken of.
[[nodiscard]] std::string gradientFault(const GraphFunction &function, const std::vector<HostTensor> &inputs,
                                        std::size_t differentiable);
// Likewise, of the gradient with respect to the first input.
[[nodiscard]] std::string secondGradientFault(const GraphFunction &function, const std::vector<HostTensor> &inputs,
                                              std::size_t differentiable);

} // namespace sw::test
