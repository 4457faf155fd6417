#pragma once
// The schedule: which nodes become one kernel, which values live in buffers, where and for how long, in what order the program's
// items run, what each item waits for, and why. Immutable once built.
//
// A kernel has a root: the node whose shape is its iteration domain. Its members are pulled into the root's loops: a member's
// place in those loops follows from its index, so a reduction that the root reads along whole rows is computed once per row.
// Views are not members of a kernel: they are index arithmetic in the kernels that read through them. The exception is a view
// whose value must be in memory (a padded tensor that a contraction reads many times, an output that is a permuted or constant
// value, the source of a gather): it is a member and a result like any computed node. So code that builds a kernel treats
// nodes in `members` as computed and all other nodes that have a buffer as loaded, whatever their kind; constant scalars are
// always literals.
//
// Where a result is stored follows from its index as the root reads it: one-to-one with the domain (perhaps permuted or
// reshaped), or once per row. A result that the root does not read has the root's shape and is computed over the same domain.

#include "engine/graph/graph.h"
#include "engine/schedule/decision_number.h"
#include "engine/schedule/estimate.h"
#include "engine/schedule/schedule_item.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// A device that the program runs on, and its arena: the one block of memory that holds all of its buffers.
struct ScheduledDevice {
    std::string id;                // "llvm"
    std::int64_t alignment = 64;   // bytes: buffers begin at multiples of this
    std::int64_t vectorBytes = 16; // bytes that the device accesses at once
    std::int64_t wayBytes = 4096;  // of the first level of its cache: lines a multiple of this apart fall on the same set
    std::int64_t arenaBytes = 0;
    std::int64_t peakBytes = 0; // the most that is live at one time: no arena can be smaller
    bool isBeside = false;      // it computes beside the processor: a launch is handed over, and others go on meanwhile
};

// Constant: a Vconst's values, or the zeros of a Buffer node.
enum class BufferRole : std::uint8_t { Input, Param, Constant, Intermediate, Output };
[[nodiscard]] std::string_view nameOf(BufferRole role);

struct PartOfBuffer {
    BufferId whole;
    std::int64_t offset = 0; // bytes from its begin
    bool operator==(const PartOfBuffer &) const = default;
};

struct ScheduledBuffer {
    BufferRole role = BufferRole::Intermediate;
    DType dtype = DType::F32;
    Shape shape;      // row-major; an output that is a plain reshape of the node has its own shape and the same elements
    NodeId node;      // the node whose value it holds
    std::string name; // the placeholder's or output's name, or "t7"; unique
    Origin origin;
    DeviceSlot device = DeviceSlot(0U);
    // The first and the last item (indices into Schedule::items) that uses it. Loaded buffers live to the end of the run, because
    // the run may be repeated; fetched buffers live until they are fetched.
    std::uint32_t firstItem = 0;
    std::uint32_t lastItem = 0;
    // Its place in the device's arena, in bytes. Buffers that are live at the same time never overlap, but for parts of one
    // whole.
    std::int64_t arenaOffset = 0;
    std::optional<std::uint32_t> aliasGroup = {}; // buffers in a group share memory, one after the other
    // Its place is a part of another buffer's: of the value that it is joined into (see Join). The other one lives as long.
    std::optional<PartOfBuffer> partOf = {};

    [[nodiscard]] std::int64_t bytes() const { return shape.elements() * static_cast<std::int64_t>(bytesOf(dtype)); }
};

enum class AxisRole : std::uint8_t { Normal, Reduction };

// An axis of a kernel's iteration space, before the loop stage decides what runs it: first the root's axes, then those of its
// reductions.
struct IterationAxis {
    std::string name; // "i0", "r2"
    std::int64_t extent = 1;
    AxisRole role = AxisRole::Normal;
    NodeId reduction = {}; // the reduction that owns the axis; invalid for the root's axes
};

// A long reduction that was split (by the pass split-reductions) computes its parts in one kernel and gathers them in another.
enum class ReductionStage : std::uint8_t { Whole, Parts, Gather };
[[nodiscard]] std::string_view nameOf(ReductionStage stage);

struct ReductionPlan {
    NodeId node;
    Op op = Op::Add;
    std::vector<std::uint32_t> axes; // indices into ScheduledKernel::axes
    ReductionStage stage = ReductionStage::Whole;
    bool mayReassociate = false; // its result does not depend on the order, or the options allow reordering
};

struct ScheduledKernel {
    std::string name;   // unique: "k3_softmax"
    std::string symbol; // names the entry point; equal for kernels of equal structure: "fdiv_128x10_2f6e01b7"
    NodeId root;
    std::vector<NodeId> members;  // the nodes computed here, in graph order; no leaves, no views (but see above)
    std::vector<NodeId> results;  // the members that are stored, in graph order
    std::vector<BufferId> reads;  // unique, in order of first use
    std::vector<BufferId> writes; // writes[i] holds results[i]
    KernelEstimate estimate;      // of one run: of all its launches, when it is repeated
    Origin origin;
    DeviceSlot device = DeviceSlot(0U); // its buffers are on it too
    std::vector<IterationAxis> axes = {};
    std::vector<ReductionPlan> reductions = {}; // in graph order
    // A kernel in stages: members, in graph order, whose values stay in memory of the work item. For each block of rows, that is
    // of indices of the first `rowAxes` dimensions, which all stages and the root have alike, the stages are computed one after
    // the other, and then the root. Empty: the kernel is one loop nest.
    std::vector<NodeId> stages = {};
    std::uint32_t rowAxes = 0;
};

// Why an edge of the graph was or was not fused.
struct FusionDecision {
    NodeId producer;
    NodeId consumer;
    bool isFused = false;
    std::string rule;            // a row of the policy: "elementwise-chain"
    std::string reason;          // a sentence with numbers: "saves 4096 bytes: ..."
    std::int64_t bytesSaved = 0; // traffic that fusing saves, or would have saved
    Origin origin;
    std::vector<DecisionNumber> numbers = {};
};
// The least excess of its numbers when a rule refused the edge because of a limit; nothing: it is fused, or no limit decided.
[[nodiscard]] std::optional<double> missOf(const FusionDecision &decision);

// What became of an override of the compilation's options: in their order.
enum class OverrideState : std::uint8_t {
    NoChange, // the rules decide the same
    Applied,
    Refused, // it cannot be done, or does not fit this program
    Unknown, // the program has no such value
    Off,
};
[[nodiscard]] std::string_view nameOf(OverrideState state);

struct OverrideOutcome {
    OverrideState state = OverrideState::NoChange;
    std::string reason = {};
    bool operator==(const OverrideOutcome &) const = default;
};

struct Schedule {
    GraphPtr graph;
    std::vector<ScheduledDevice> devices;
    std::vector<ScheduledKernel> kernels;
    std::vector<ScheduledBuffer> buffers;
    std::vector<ScheduleItem> items;         // in an order that satisfies the dependencies: load, then run, then fetch
    std::vector<RepeatedItems> repeats = {}; // in order; they do not overlap
    std::vector<Dependency> dependencies;    // by `to`, then `from`; of an item that is repeated: within a step
    std::vector<OverrideOutcome> overrides;
    std::vector<FusionDecision> decisions;
    std::vector<std::uint32_t> criticalPath; // items of the run, first to last
    std::int64_t criticalNanoseconds = 0;    // estimated
    // In the order of the sink's inputs. Several may share a buffer, and one may be the buffer of an input, parameter or
    // constant. The shape of output i is that of the sink's input i.
    std::vector<BufferId> outputs;

    [[nodiscard]] const ScheduledDevice &device(DeviceSlot slot) const { return devices.at(slot.value); }
    [[nodiscard]] const ScheduledKernel &kernel(KernelId id) const { return kernels.at(id.value); }
    [[nodiscard]] const ScheduledBuffer &buffer(BufferId id) const { return buffers.at(id.value); }
    // The buffer that holds a node's value; invalid when the value never leaves its kernel, and for views. Exception: a plain
    // reshape read by a gather or index has the buffer, and the kernel, of the node that it reshapes.
    [[nodiscard]] BufferId bufferOf(NodeId node) const;
    // The kernel that computes a node; invalid for leaves, views that stay index arithmetic, cats that are joined in memory, and
    // nodes that no output needs.
    [[nodiscard]] KernelId kernelOf(NodeId node) const;
    // The buffer that has the place of this one and of all that it is joined with: the outermost whole, or itself.
    [[nodiscard]] BufferId rootOf(BufferId id) const;
    // The repeat that an item belongs to; null if it runs once.
    [[nodiscard]] const RepeatedItems *repeatOf(std::uint32_t item) const;

    std::vector<BufferId> nodeBuffers; // by node
    std::vector<KernelId> nodeKernels; // by node
};

using SchedulePtr = std::shared_ptr<const Schedule>;

// The buffers that an item reads, those of its conditions last, and writes.
struct ItemUses {
    std::vector<BufferId> reads;
    std::vector<BufferId> writes;
};
[[nodiscard]] ItemUses usesOf(const Schedule &schedule, const ScheduleItem &item);
// The devices that the item keeps busy or waits for, ascending.
[[nodiscard]] std::vector<DeviceSlot> devicesOf(const Schedule &schedule, const ScheduleItem &item);
// The placeholder or constant whose value the host gives, when the buffer's node is one or a copy of one, seen through views;
// invalid if there is none.
[[nodiscard]] NodeId hostValueOf(const Schedule &schedule, const ScheduledBuffer &buffer);
// What the item is made for: its kernel's origin, or that of the buffers that it moves.
[[nodiscard]] Origin originOf(const Schedule &schedule, const ScheduleItem &item);
// "k2_softmax", "upload x", "copy t3 to t3_2", "barrier", "call log_values"
[[nodiscard]] std::string titleOf(const Schedule &schedule, const ScheduleItem &item);

} // namespace sw
