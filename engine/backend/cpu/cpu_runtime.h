#pragma once
// Runs native kernels on the cores of this machine.

#include "engine/backend/cpu/buffer_pool.h"
#include "engine/backend/cpu/guarded_block.h"
#include "engine/backend/cpu/kernel_table.h"
#include "engine/backend/cpu/perf_counters.h"
#include "engine/backend/cpu/thread_pool.h"
#include "engine/backend/cpu/thread_recorder.h"
#include "engine/backend/host_memory.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sw {

class CpuRuntime final : public Runtime, public WorkRecorder, public HostMemoryReader {
public:
    CpuRuntime(std::shared_ptr<const KernelTable> kernels, std::uint32_t threads, const DeviceOptions &options,
               std::shared_ptr<CounterSource> counters = machineCounters());
    ~CpuRuntime() override;

    [[nodiscard]] Result<DeviceBufferId> allocate(std::int64_t bytes) override;
    [[nodiscard]] Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override;
    [[nodiscard]] DeviceBufferId adopt(std::span<const std::byte> bytes) override;
    [[nodiscard]] bool hasAdopted(DeviceBufferId buffer) const override;
    void free(DeviceBufferId buffer) override;
    [[nodiscard]] Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override;
    [[nodiscard]] Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override;
    [[nodiscard]] Result<Done> copy(const BufferCopy &copy) override;
    [[nodiscard]] Result<Done> synchronize() override { return Done{}; } // every call returns when it is done
    [[nodiscard]] Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) override;
    [[nodiscard]] Result<Done> startRecording(WithCounters counters) override;
    [[nodiscard]] Result<RecordedWork> takeRecorded() override { return m_recorder.take(); }

private:
    struct Block {
        std::span<std::byte> bytes;
        bool isView = false; // of memory that something else holds
        bool isReadOnly = false;
        std::unique_ptr<GuardedBlock> guarded = {}; // holds the bytes, where buffers are guarded
    };

    // Errors: a kernel wrote beside one of these buffers.
    [[nodiscard]] Result<Done> checkGuards(std::span<const DeviceBufferId> buffers);

    [[nodiscard]] Result<std::span<std::byte>> bytesOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const;

    std::shared_ptr<const KernelTable> m_kernels;
    BufferPool m_memory;
    std::unordered_map<DeviceBufferId, Block> m_buffers; // launches find theirs in caches that a kernel has just used up
    std::uint32_t m_nextBuffer = 0;
    std::vector<std::int64_t> m_faults; // of the launch under way, see RangeFunction; it keeps its memory for the next one
    bool m_isFlushing;
    bool m_isGuarding;
    ThreadRecorder m_recorder;
    ThreadPool m_threads;
};

} // namespace sw
