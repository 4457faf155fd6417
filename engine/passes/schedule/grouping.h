#pragma once
// Grows the kernels of a schedule: from the outputs to the inputs, each node joins the kernel of its readers, or becomes the root
// of a kernel of its own.

#include "engine/passes/pass_context.h"
#include "engine/passes/schedule/joins.h"
#include "engine/passes/schedule/node_facts.h"
#include "engine/passes/schedule/place.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sw {

inline constexpr std::uint32_t kNoGroup = ~std::uint32_t{0};

struct KernelGroup {
    NodeId root;
    std::vector<NodeId> members;        // in graph order
    std::vector<NodeId> results;        // in graph order
    std::vector<std::uint32_t> readers; // groups that read a result, unique
    std::vector<NodeId> stages = {};    // see ScheduledKernel
    std::uint32_t rowAxes = 0;
};

// The consumers, in one kernel, should compute the node for themselves, but it is in another kernel or stored.
struct AskedRepeat {
    NodeId node;
    std::vector<NodeId> consumers;
};

struct Grouping {
    std::vector<KernelGroup> groups;    // in no particular order
    std::vector<std::uint32_t> groupOf; // by node
    std::vector<double> evaluations;    // by node: how often its kernel computes it; for a reduction, its steps
    std::vector<FusionDecision> decisions;
    std::vector<OverrideOutcome> overrides; // in the order of the options
    std::vector<AskedRepeat> repeats;       // further repeats that fuse() asks for, and index arithmetic
};

// What the grouping asks about the nodes of a graph, by node.
struct PlacedFlow {
    const Dataflow &flow;
    std::span<const DeviceSlot> slots;
    std::span<const NodeFacts> facts;
    const Joins &joins;
};

// Takes the groups that are gone, which are empty, out of the list.
void compactGroups(Grouping &grouping, const std::vector<bool> &isGone);

// Of a trial nothing is kept, so it decides as if no limit on rewrites had been set.
enum class GrowthPurpose : std::uint8_t { Kernels, Trial };
// A kernel is on one device, because only Copy nodes read from another device. Errors: the nodes that kernel() asks for cannot be
// one kernel.
[[nodiscard]] Result<Grouping> growKernels(const Graph &graph, const PlacedFlow &placed, PassContext &context,
                                           GrowthPurpose purpose = GrowthPurpose::Kernels);

} // namespace sw
