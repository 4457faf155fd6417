#pragma once
// Products whose factors are narrow and are added up as something wider, which tensor instructions compute.

#include "engine/graph/graph.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/pass_context.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sw {

// The rows of the table of tensor instructions that kernels for the devices may use under the options. A strict sum that rounds
// is added up step by step, which no tensor instruction does.
[[nodiscard]] std::uint32_t usableTensorInstructions(const PassContext &context, DeviceSlot slot);
[[nodiscard]] std::uint32_t usableTensorInstructions(const PassContext &context); // on any device

// Whether a product of that shape, summed along the reduced axes, has room for tiles of the instruction, as the loops make them
// (choose_tensor.cpp): as many rows and columns along two of its axes, and whole tiles of steps along the innermost reduced one
// that has several.
[[nodiscard]] bool hasRoomFor(const TensorInstructionInfo &info, const Shape &product, const std::vector<std::size_t> &reduced);

// The type in which a factor of a product is stored, as far as views and one cast tell.
[[nodiscard]] DType storedTypeOf(const Graph &graph, NodeId factor);

// What a node is a view of, through views alone.
[[nodiscard]] NodeId behindViews(const Graph &graph, NodeId id);

// A sum of products that a tensor instruction computes.
struct NarrowProduct {
    TensorInstruction instruction = {}; // of several the fastest
    NodeId product;
    std::array<NodeId, 2> casts; // that give it its two narrow factors, each through views alone
};

// Nothing where the reduction is no sum of products with such casts, or none of the instructions adds up products of their types
// as the type of the sum, or the product has no room for its tiles.
[[nodiscard]] std::optional<NarrowProduct> narrowProductOf(const Graph &graph, const Node &reduction, std::uint32_t instructions);

// By node: the casts of all such products.
[[nodiscard]] std::vector<bool> castsOfNarrowFactors(const Graph &graph, std::uint32_t instructions);

} // namespace sw
