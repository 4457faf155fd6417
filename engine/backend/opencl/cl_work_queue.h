#pragma once
// What a device's queue has, kernels and transfers from and to memory of the host, and what came of it.

#include "engine/backend/opencl/cl_device.h"
#include "engine/backend/work_recorder.h"

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace sw {

class ClWorkQueue {
public:
    explicit ClWorkQueue(std::shared_ptr<ClOpened> device) : m_device(std::move(device)) {}
    // Waits for what is queued: the driver reads and writes memory of the host.
    ~ClWorkQueue();
    ClWorkQueue(const ClWorkQueue &) = delete;
    ClWorkQueue &operator=(const ClWorkQueue &) = delete;

    // Returns before the kernel is done. Arguments: the memory of its buffers. A request of no work items does nothing, in its
    // turn.
    [[nodiscard]] Result<Done> add(const ClBuilt &kernel, std::span<const cl_mem> arguments, const LaunchRequest &request);
    // Return before the bytes are moved. memory: of the buffer, into which they fit.
    [[nodiscard]] Result<Done> add(cl_mem memory, const QueuedUpload &upload);
    [[nodiscard]] Result<Done> add(cl_mem memory, const QueuedDownload &download);
    [[nodiscard]] std::size_t size() const { return m_commands.size(); }
    [[nodiscard]] std::size_t bytes() const { return m_bytes; } // of memory of the host that transfers hold

    struct Finished {
        LaunchResult result; // a transfer's has a time only
        bool isTransfer = false;
        std::chrono::nanoseconds begin{0}; // by our clock
        std::chrono::nanoseconds end{0};
    };
    // Waits for what was queued first (asserts that there is something). After an error nothing is queued.
    [[nodiscard]] Result<Finished> finishOldest();
    // Waits for all, and forgets what came of them.
    void abandon();

private:
    struct FaultRecords {
        ClMemory memory; // null: the kernel checks no index
        std::size_t bytes = 0;
        std::vector<cl_long> values = {}; // where the driver writes them when the kernel is done
    };
    struct Command {
        const char *transfer = nullptr; // the call that made it; null: a kernel
        ClEvent event = {};             // of the kernel or the transfer; null: there is nothing to do
        ClEvent last = {};              // the last command of the launch, if there are more
        FaultRecords faults = {};
        std::vector<InstructionId> indexChecks = {};
        std::chrono::nanoseconds enqueued{0};
        std::size_t bytes = 0;                  // of a transfer
        std::shared_ptr<const void> owner = {}; // of them
    };

    [[nodiscard]] Result<FaultRecords> cleared(std::size_t bytes);
    [[nodiscard]] Result<Done> enqueue(const ClBuilt &kernel, const LaunchRequest &request, Command &launch);
    [[nodiscard]] Result<Done> addTransfer(Command transfer, const std::function<cl_int(cl_event *)> &enqueue);
    void forgetOldest();

    std::shared_ptr<ClOpened> m_device;
    std::deque<Command> m_commands; // oldest first
    std::size_t m_bytes = 0;
    std::chrono::nanoseconds m_lastEnd{0};   // of what was finished, by our clock
    std::vector<FaultRecords> m_freeRecords; // making memory took a GPU longer than most kernels
    ClMemory m_noRecords;                    // the argument of kernels that check nothing
};

} // namespace sw
