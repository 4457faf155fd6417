#pragma once
// What arithmetic costs, by the prices of ops.def and the rates of tensor instructions. See KernelEstimate.

#include "engine/graph/graph.h"
#include "engine/passes/pass_context.h"
#include "engine/schedule/estimate.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

// For one element; for a reduction, for one element that it reads.
[[nodiscard]] std::int64_t pricedWorkOf(const Node &node);

enum class FuseProducts : std::uint8_t { No, Yes };

// The operands that take no time of their own, since one instruction does them along with the node: the product that a sum of
// floats adds, where the two may be fused, and the two shifts of a rotation. A product that something else reads as well counts
// as done along with each.
[[nodiscard]] std::vector<NodeId> doneAlong(const Graph &graph, const Node &node, FuseProducts fuse);

// How kernels of a device may compute.
struct ArithmeticMeans {
    FuseProducts fuse = FuseProducts::Yes;
    std::uint32_t tensorInstructions = 0; // those that may be used
};
[[nodiscard]] ArithmeticMeans arithmeticMeans(const PassContext &context, DeviceSlot slot);

// Operations and priced work of a kernel. members: in graph order. evaluations: by node, see Grouping.
[[nodiscard]] KernelEstimate arithmeticOf(const Graph &graph, std::span<const NodeId> members,
                                          std::span<const double> evaluations, const ArithmeticMeans &means);

} // namespace sw
