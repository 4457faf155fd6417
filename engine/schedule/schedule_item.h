#pragma once
// The items of a schedule: kernels, memory transfers, synchronisation, host callbacks and joins, and the dependencies between
// them.

#include "engine/base/id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sw {

using DeviceSlot = Id<struct DeviceSlotTag>; // an index into Schedule::devices

// A program is loaded once, run any number of times, and its results are fetched once.
enum class Phase : std::uint8_t { Load, Run, Fetch };
[[nodiscard]] std::string_view nameOf(Phase phase);

struct KernelLaunch {
    KernelId kernel;
};

// Rows of equal length with a constant stride: a slice of a tensor along one axis.
struct StridedRegion {
    std::int64_t rows = 1;
    std::int64_t rowBytes = 0;
    std::int64_t sourceOffset = 0; // bytes, like all of these
    std::int64_t sourceStride = 0;
    std::int64_t destinationOffset = 0;
    std::int64_t destinationStride = 0;
    std::int64_t sourceStep = 0; // of an item that is repeated: what each step adds to the offset
    std::int64_t destinationStep = 0;
};

// An end without a buffer is the host: as a source, it has the value of the destination's node; as a destination, it receives
// the outputs that the source holds.
struct MemoryTransfer {
    BufferId source = {};
    BufferId destination = {};
    std::int64_t bytes = 0;                   // bytes moved
    std::optional<StridedRegion> region = {}; // nothing: all of both buffers
    bool isAsynchronous = false;              // later items may begin before it has ended, except those that depend on it
};

// Barrier: waits until the devices have done all their work so far. Fence: until the transfers are done. Event: until one earlier
// item is done. Waiting between the work items of a kernel is an instruction of the lowered form, not an item.
enum class SynchronizationKind : std::uint8_t { Barrier, Fence, Event };
[[nodiscard]] std::string_view nameOf(SynchronizationKind kind);

// Device: the listed devices. System: all devices that the program runs on.
enum class SynchronizationScope : std::uint8_t { Device, System };
[[nodiscard]] std::string_view nameOf(SynchronizationScope scope);

struct Synchronization {
    SynchronizationKind kind = SynchronizationKind::Barrier;
    SynchronizationScope scope = SynchronizationScope::System;
    std::vector<DeviceSlot> devices = {};    // for scope Device, ascending
    std::optional<std::uint32_t> event = {}; // the item that an Event waits for
};

// A function of the caller that runs the program. It receives the values of the inputs; what it returns becomes the outputs.
struct HostCallback {
    std::string function;
    std::vector<BufferId> inputs = {};
    std::vector<BufferId> outputs = {};
};

// Values that lie side by side in memory are one value: nothing is moved, but what reads the whole waits for what writes the
// parts.
struct Join {
    BufferId whole;
    std::vector<BufferId> parts = {}; // in the order of their places, which fill the whole
};

// An item that depends on a condition runs in those runs in which the buffer, one bool, has the wanted value. The host reads it
// once in each run.
struct ItemCondition {
    BufferId buffer;
    bool wanted = true;
    bool operator==(const ItemCondition &) const = default;
};

struct ScheduleItem {
    std::variant<KernelLaunch, MemoryTransfer, Synchronization, HostCallback, Join> work;
    Phase phase = Phase::Run;
    std::int64_t nanoseconds = 0; // estimated, of all its steps; synchronisation, callbacks and joins count as zero
    // All of them have to hold; empty: it always runs. A condition that another one decides about comes after that one.
    std::vector<ItemCondition> conditions = {};

    // Invalid for items other than kernels.
    [[nodiscard]] KernelId kernel() const
    {
        const auto *launch = std::get_if<KernelLaunch>(&work);
        return launch == nullptr ? KernelId() : launch->kernel;
    }
};

// The items of a scan's body, which run one after the other, step by step.
struct RepeatedItems {
    std::uint32_t first = 0; // items
    std::uint32_t end = 0;   // behind the last one
    std::int64_t steps = 1;  // at most, where there is a condition
    std::int64_t scan = 0;   // its number in the graph
    // One bool: no further step is made once it is false at the end of a step; or invalid. It lives until the end of each step.
    BufferId condition = {};
    bool operator==(const RepeatedItems &) const = default;
};

// Data: `to` reads what `from` writes. Control: `to` must wait for `from` to end for another reason: it overwrites memory that
// `from` still uses, or one of the two synchronises.
enum class DependencyKind : std::uint8_t { Data, Control };
[[nodiscard]] std::string_view nameOf(DependencyKind kind);

struct Dependency {
    std::uint32_t from = 0; // items
    std::uint32_t to = 0;
    std::vector<BufferId> buffers = {}; // Data: `to` reads them; Control: `from` must be done with them; none: synchronisation
    DependencyKind kind = DependencyKind::Data;
};

} // namespace sw
