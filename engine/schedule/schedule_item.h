#pragma once
// The steps of a schedule: kernels, transfers of memory, synchronisation and callbacks into the host, and what they wait for.

#include "engine/base/id.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sw {

using DeviceSlot = Id<struct DeviceSlotTag>; // an index into Schedule::devices

// A program is loaded once, run as often as one likes, and its results are fetched once.
enum class Phase : std::uint8_t { Load, Run, Fetch };
[[nodiscard]] std::string_view nameOf(Phase phase);

struct KernelLaunch {
    KernelId kernel;
};

// Equal rows of bytes at a distance: a slice of a tensor along one axis.
struct StridedRegion {
    std::int64_t rows = 1;
    std::int64_t rowBytes = 0;
    std::int64_t sourceOffset = 0; // bytes, as all of these
    std::int64_t sourceStride = 0;
    std::int64_t destinationOffset = 0;
    std::int64_t destinationStride = 0;
};

// An end without a buffer is the host: as a source it has the value of the destination's node, as a destination it takes the
// outputs that the source holds.
struct MemoryTransfer {
    BufferId source = {};
    BufferId destination = {};
    std::int64_t bytes = 0;                   // that move
    std::optional<StridedRegion> region = {}; // nothing: the whole of both buffers
    bool isAsynchronous = false;              // the next items may begin before it has ended, those that depend on it excepted
};

// Barrier: waits until the devices have done everything that was asked for. Fence: until the transfers have. Event: until one
// earlier item has. Waiting among the work items of a kernel is an instruction of the lowered form, not a step.
enum class SynchronizationKind : std::uint8_t { Barrier, Fence, Event };
[[nodiscard]] std::string_view nameOf(SynchronizationKind kind);

// Device: the devices that are listed. System: all that the program runs on.
enum class SynchronizationScope : std::uint8_t { Device, System };
[[nodiscard]] std::string_view nameOf(SynchronizationScope scope);

struct Synchronization {
    SynchronizationKind kind = SynchronizationKind::Barrier;
    SynchronizationScope scope = SynchronizationScope::System;
    std::vector<DeviceSlot> devices = {};    // of the scope Device, ascending
    std::optional<std::uint32_t> event = {}; // the item that an Event waits for
};

// A function of whoever runs the program, called with the values of the inputs; what it returns becomes the outputs.
struct HostCallback {
    std::string function;
    std::vector<BufferId> inputs = {};
    std::vector<BufferId> outputs = {};
};

struct ScheduleItem {
    std::variant<KernelLaunch, MemoryTransfer, Synchronization, HostCallback> work;
    Phase phase = Phase::Run;
    std::int64_t nanoseconds = 0; // estimated; synchronisation and callbacks count as nothing

    // Invalid for everything but kernels.
    [[nodiscard]] KernelId kernel() const
    {
        const auto *launch = std::get_if<KernelLaunch>(&work);
        return launch == nullptr ? KernelId() : launch->kernel;
    }
};

// Data: `to` reads what `from` writes. Control: `to` may not begin before `from` has ended for another reason: it overwrites
// memory that `from` still uses, or one of the two synchronises.
enum class DependencyKind : std::uint8_t { Data, Control };
[[nodiscard]] std::string_view nameOf(DependencyKind kind);

struct Dependency {
    std::uint32_t from = 0; // items
    std::uint32_t to = 0;
    std::vector<BufferId> buffers = {}; // Data: what is read; Control: what `from` must have done with; none: synchronisation
    DependencyKind kind = DependencyKind::Data;
};

} // namespace sw
