#pragma once
// Runs the items of a schedule, one at a time.

#include "engine/base/short_list.h"
#include "engine/execute/opened_device.h"
#include "engine/execute/program_memory.h"
#include "engine/schedule/item_walk.h"
#include "engine/types/host_tensor.h"

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace sw {

// Everything that a device needs to run a program; shared and immutable.
struct CompiledProgram {
    LoweredProgramPtr lowered;
    std::vector<ArtifactPtr> artifacts; // by KernelId, each compiled for its kernel's device
};
using CompiledProgramPtr = std::shared_ptr<const CompiledProgram>;

// The function that a HostCallback calls: takes the values of its inputs and returns those of its outputs.
using HostFunction = std::function<Result<std::vector<HostTensor>>(std::span<const HostTensor>)>;
using HostFunctions = std::map<std::string, HostFunction, std::less<>>; // by name

struct ItemResult {
    std::chrono::nanoseconds time{0}; // of a kernel: measured on the device, where it can tell
    std::vector<IndexFault> faults;
    // A device has queued it: collect() returns what comes of it, and the time is what the item took before that.
    bool isQueued = false;
};

class ItemRunner {
public:
    // devices: by slot. The devices and the memory must outlive the runner.
    ItemRunner(CompiledProgramPtr program, std::vector<OpenedDevice *> devices, const ProgramMemory &memory,
               HostFunctions functions);

    // By buffer: the bytes of it, from its begin on, that go to the device and back; the rest is 0 for whoever asks. All of them
    // unless they are told.
    void moveOnly(std::vector<std::int64_t> bytes) { m_usedBytes = std::move(bytes); }

    // values: one tensor per placeholder of the schedule's graph; items that load use them. Errors name the item.
    Result<ItemResult> run(const ItemRun &run, std::span<const HostTensor> values, std::stop_token stop);

    // Whether a device does the transfer, or its last part, in its turn among what it has queued.
    [[nodiscard]] bool queues(const MemoryTransfer &transfer, std::span<const HostTensor> values) const;

    // Queues the first half of a copy to another device, for a device that queues downloads. The item itself runs when that is
    // collected; the bytes are there then. Nothing is begun when the host already has much that was read before its turn.
    Result<Done> beginReading(std::uint32_t item, const std::stop_token &stop);
    [[nodiscard]] bool isReading(std::uint32_t item) const { return m_reads.contains(item); }
    void forgetReads() { m_reads.clear(); }
    [[nodiscard]] bool queuesDownloads(DeviceSlot device) const { return runtimeOf(device).queuesDownloads(); }

    // See Runtime.
    Result<Collected> collect(DeviceSlot device, std::size_t count, std::stop_token stop);
    [[nodiscard]] const DeviceInfo &device(DeviceSlot slot) const { return m_devices.at(slot.value)->info(); }
    // Tells at which item.
    [[nodiscard]] Failure atItem(std::uint32_t item, const Diagnostics &errors) const;

    // Writes 0 into the rows that this transfer would write in the steps of a scan that were not made. There is nothing to do for
    // other items.
    Result<Done> clearRows(std::uint32_t item, const RepeatedItems &repeat, std::int64_t stepsMade);

    // What a buffer holds.
    [[nodiscard]] Result<HostTensor> download(BufferId buffer);

    // Call it before the first measured item.
    Result<Done> finishCompiling(const std::stop_token &stop);

    // The value fetched from a buffer.
    [[nodiscard]] const HostTensor &fetched(BufferId buffer) const { return m_fetched.at(buffer); }

private:
    struct Call {
        std::span<const HostTensor> values;
        std::stop_token stop;
        ItemRun run;
    };

    // What a launch needs, side by side in memory: a kernel has often just driven the program's description out of the caches.
    struct PreparedLaunch {
        Runtime *runtime = nullptr; // null: not prepared yet
        ArtifactId artifact;
        std::array<std::int64_t, 3> globalSize{1, 1, 1};
        std::array<std::int64_t, 3> localSize{1, 1, 1};
        ShortList<DeviceBufferId, 8> buffers;
    };

    // Memory of the host, with what keeps it as it is.
    struct HeldBytes {
        std::span<const std::byte> bytes = {};
        std::shared_ptr<const void> owner = {};
    };

    [[nodiscard]] const PreparedLaunch &prepared(KernelId kernel);
    [[nodiscard]] std::size_t usedBytes(BufferId buffer) const;
    [[nodiscard]] const Schedule &schedule() const { return *m_program->lowered->schedule; }
    [[nodiscard]] Runtime &runtimeOf(DeviceSlot slot) const { return m_devices.at(slot.value)->runtime(); }
    [[nodiscard]] Runtime &runtimeOf(BufferId buffer) const { return runtimeOf(schedule().buffer(buffer).device); }
    Result<ItemResult> work(const KernelLaunch &launch, const Call &call);
    Result<ItemResult> work(const MemoryTransfer &transfer, const Call &call);
    Result<ItemResult> work(const Synchronization &wait, const Call &call);
    Result<ItemResult> work(const HostCallback &callback, const Call &call);
    static Result<ItemResult> work(const Join &join, const Call &call);
    // What an upload moves.
    [[nodiscard]] HostTensor valueOf(const MemoryTransfer &upload, std::span<const HostTensor> values) const;
    [[nodiscard]] bool isAlreadyThere(const MemoryTransfer &upload) const;
    Result<ItemResult> queue(const MemoryTransfer &transfer, const Call &call);
    Result<ItemResult> queueFetch(BufferId buffer, const std::stop_token &stop);
    [[nodiscard]] Result<HeldBytes> bytesOf(const MemoryTransfer &upload, std::span<const HostTensor> values) const;
    [[nodiscard]] Result<HeldBytes> bytesToCopy(const MemoryTransfer &transfer, std::uint32_t item);
    Result<Done> writeValue(const MemoryTransfer &transfer, const HostTensor &value);
    Result<Done> writeRows(const MemoryTransfer &transfer, std::span<const std::byte> packed);
    Result<Done> uploadBytes(BufferId buffer, std::int64_t offset, std::span<const std::byte> bytes);
    Result<Done> copy(const MemoryTransfer &transfer, std::uint32_t item);
    // Tells which buffers the arguments of the kernel are.
    [[nodiscard]] Failure withArguments(const Diagnostics &errors, KernelId kernel) const;

    CompiledProgramPtr m_program;
    std::vector<OpenedDevice *> m_devices;
    const ProgramMemory &m_memory;
    HostFunctions m_functions;
    std::vector<NodeId> m_placeholders;            // in node order
    std::vector<PreparedLaunch> m_launches;        // by kernel
    std::vector<std::vector<DeviceSlot>> m_waited; // by item: what a synchronization waits for
    std::vector<std::int64_t> m_usedBytes;         // by buffer, or empty
    std::map<BufferId, HostTensor> m_fetched;
    std::map<std::uint32_t, std::shared_ptr<const std::vector<std::byte>>> m_reads; // begun, by item
};

// Checks that every host function the schedule calls was given; without one, the program cannot run at all.
[[nodiscard]] Result<Done> checkHostFunctions(const Schedule &schedule, const HostFunctions &functions);

} // namespace sw
