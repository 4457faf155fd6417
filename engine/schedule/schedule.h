#pragma once
// The schedule: which nodes become one kernel, which values live in buffers and for how long, in what order the kernels run, and
// why. Immutable once built.
//
// A kernel has a root, the node whose shape is its iteration domain. Its members are pulled into the root's loops: a member's
// place in those loops follows from its index, so a reduction that the root reads along whole rows is computed once per row.
// Views are members of no kernel: they are index arithmetic in the kernels that read through them. The exception is a view
// whose value is wanted in memory (a padded tensor that a contraction reads many times, an output that is a permuted or constant
// value, the source of a gather): it is a member and a result like any computed node. So whoever builds a kernel treats a
// node of `members` as computed and every other node that has a buffer as loaded, whatever its kind; constant scalars are
// always literals.
//
// Where a result is stored follows from its index as the root reads it: one-to-one with the domain (perhaps permuted or
// reshaped), or once per row. A result that the root does not read has the root's shape and is computed over the same domain.

#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Constant: a Vconst's values, or the zeros of a Buffer node.
enum class BufferRole : std::uint8_t { Input, Param, Constant, Intermediate, Output };
[[nodiscard]] std::string_view nameOf(BufferRole role);

struct ScheduledBuffer {
    BufferRole role = BufferRole::Intermediate;
    DType dtype = DType::F32;
    Shape shape;      // row-major; an output that is a plain reshape of the node has its own shape and the same elements
    NodeId node;      // whose value it holds
    std::string name; // the placeholder's or output's name, or "t7"; unique
    Origin origin;
    // The items (indices into Schedule::items) that write it first and read it last. Inputs, parameters and constants
    // live from the start, outputs to the end.
    std::uint32_t firstItem = 0;
    std::uint32_t lastItem = 0;
    // Intermediates share an arena: byte offset of this one. Lifetimes that meet never overlap in the arena.
    std::int64_t arenaOffset = 0;

    [[nodiscard]] std::int64_t bytes() const { return shape.elements() * static_cast<std::int64_t>(bytesOf(dtype)); }
};

// What a kernel costs, from its shapes alone.
struct KernelEstimate {
    std::int64_t flops = 0; // multiply and add count as one each
    std::int64_t bytesRead = 0;
    std::int64_t bytesWritten = 0;
};

struct ScheduledKernel {
    std::string name;   // unique: "k3_softmax"
    std::string symbol; // of the entry point; equal for kernels of equal text: "softmax_128x10"
    NodeId root;
    std::vector<NodeId> members;  // computed here, in graph order; no leaves, no views
    std::vector<NodeId> results;  // the members that are stored, in graph order
    std::vector<BufferId> reads;  // unique, in order of first use
    std::vector<BufferId> writes; // of results[i]
    KernelEstimate estimate;
    Origin origin;
};

enum class ItemKind : std::uint8_t { Kernel, Copy };

// One step of the program. Copy fills an output from the host. The scheduler makes none: an output that is an input or a
// constant as it stands is that buffer, and an output that is a view of one is a kernel whose root is the view.
struct ScheduleItem {
    ItemKind kind = ItemKind::Kernel;
    KernelId kernel;                      // of a Kernel item
    BufferId buffer;                      // of a Copy item: the output that it fills with the value of the buffer's node
    std::vector<std::uint32_t> dependsOn; // earlier items, sorted
};

// Why an edge of the graph became, or did not become, a fusion.
struct FusionDecision {
    NodeId producer;
    NodeId consumer;
    bool isFused = false;
    std::string rule;            // a row of the policy: "elementwise-chain"
    std::string reason;          // a sentence with the numbers: "saves 4096 bytes: ..."
    std::int64_t bytesSaved = 0; // of traffic that fusing saves, or would have saved
    Origin origin;
};

struct Schedule {
    GraphPtr graph;
    std::vector<ScheduledKernel> kernels;
    std::vector<ScheduledBuffer> buffers;
    std::vector<ScheduleItem> items; // in execution order
    std::vector<FusionDecision> decisions;
    std::vector<std::uint32_t> criticalPath; // items, first to last
    std::int64_t arenaBytes = 0;             // of all intermediates
    std::int64_t peakBytes = 0;              // the most that lives at once, everything counted
    // In the order of the sink's inputs; several may share a buffer, and one may be the buffer of an input, parameter or
    // constant. The shape of output i is that of the sink's input i.
    std::vector<BufferId> outputs;

    [[nodiscard]] const ScheduledKernel &kernel(KernelId id) const { return kernels.at(id.value); }
    [[nodiscard]] const ScheduledBuffer &buffer(BufferId id) const { return buffers.at(id.value); }
    // The buffer that holds a node's value; invalid when the value never leaves its kernel, and for views, except that a plain
    // reshape that a gather or index reads has the buffer, and the kernel, of what it reshapes.
    [[nodiscard]] BufferId bufferOf(NodeId node) const;
    // The kernel that computes a node; invalid for leaves, views that stay index arithmetic, and what no output needs.
    [[nodiscard]] KernelId kernelOf(NodeId node) const;

    std::vector<BufferId> nodeBuffers; // by node
    std::vector<KernelId> nodeKernels; // by node
};

using SchedulePtr = std::shared_ptr<const Schedule>;

} // namespace sw
