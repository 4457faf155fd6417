#pragma once
// Kernels that a device's queue has, and what came of them.

#include "engine/backend/opencl/cl_device.h"
#include "engine/backend/work_recorder.h"

#include <deque>
#include <optional>
#include <vector>

namespace sw {

class ClWorkQueue {
public:
    explicit ClWorkQueue(std::shared_ptr<ClOpened> device) : m_device(std::move(device)) {}
    // Waits for what is queued: the driver writes the records of faults into its launches.
    ~ClWorkQueue();
    ClWorkQueue(const ClWorkQueue &) = delete;
    ClWorkQueue &operator=(const ClWorkQueue &) = delete;

    // Returns before the kernel is done. Arguments: the memory of its buffers. A request of no work items does nothing, in its
    // turn.
    [[nodiscard]] Result<Done> add(const ClBuilt &kernel, std::span<const cl_mem> arguments, const LaunchRequest &request);
    [[nodiscard]] std::size_t size() const { return m_launches.size(); }

    struct Finished {
        LaunchResult result;
        RecordedLaunch when; // by our clock
    };
    // Waits for the launch that was queued first (asserts that there is one). After an error nothing is queued.
    [[nodiscard]] Result<Finished> finishOldest();
    // Waits for all, and forgets what came of them.
    void abandon();

private:
    struct FaultRecords {
        ClMemory memory; // null: the kernel checks no index
        std::size_t bytes = 0;
        std::vector<cl_long> values = {}; // where the driver writes them when the kernel is done
    };
    struct Launch {
        ClEvent event; // of the kernel; null: no work items
        ClEvent last;  // the last command of the launch
        FaultRecords faults = {};
        std::vector<InstructionId> indexChecks = {};
        std::chrono::nanoseconds enqueued{0};
    };

    [[nodiscard]] Result<FaultRecords> cleared(std::size_t bytes);
    [[nodiscard]] Result<Done> enqueue(const ClBuilt &kernel, const LaunchRequest &request, Launch &launch);
    [[nodiscard]] static RecordedLaunch timesOf(const Launch &launch);

    std::shared_ptr<ClOpened> m_device;
    std::deque<Launch> m_launches;           // oldest first
    std::vector<FaultRecords> m_freeRecords; // making memory took a GPU longer than most kernels
    ClMemory m_noRecords;                    // the argument of kernels that check nothing
};

} // namespace sw
