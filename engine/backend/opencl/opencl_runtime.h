#pragma once
// Runs kernels through an OpenCL driver.

#include "engine/backend/opencl/cl_work_queue.h"

namespace sw {

class OpenClRuntime final : public Runtime, public WorkRecorder {
public:
    // alignment: of sub-buffers, in bytes. With guards, memory with a pattern lies before and behind every allocated buffer, and
    // a launch that changes it fails.
    OpenClRuntime(std::shared_ptr<ClOpened> device, std::int64_t alignment, const DeviceOptions &options)
        : m_device(std::move(device)), m_guardBytes(options.guardBuffers ? guardBytes(alignment) : 0), m_queue(m_device)
    {
    }

    [[nodiscard]] Result<DeviceBufferId> allocate(std::int64_t bytes) override;
    [[nodiscard]] Result<DeviceBufferId> view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes) override;
    void free(DeviceBufferId buffer) override { m_buffers.erase(buffer); }
    [[nodiscard]] Result<Done> upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes) override;
    [[nodiscard]] Result<Done> download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes) override;
    [[nodiscard]] Result<Done> copy(const BufferCopy &copy) override;
    [[nodiscard]] Result<Done> synchronize() override;
    [[nodiscard]] Result<LaunchResult> launch(const LaunchRequest &request, std::stop_token stop) override;
    // With guards it launches: they are looked at after each kernel.
    [[nodiscard]] Result<std::optional<LaunchResult>> submit(const LaunchRequest &request, std::stop_token stop) override;
    // Not with guards, for the same reason.
    [[nodiscard]] bool queuesUploads() const override { return m_guardBytes == 0; }
    [[nodiscard]] bool queuesDownloads() const override { return m_guardBytes == 0; }
    [[nodiscard]] Result<Done> queueUpload(const QueuedUpload &upload, std::stop_token stop) override;
    [[nodiscard]] Result<Done> queueDownload(const QueuedDownload &download, std::stop_token stop) override;
    [[nodiscard]] Result<Collected> collect(std::size_t count, std::stop_token stop) override;
    [[nodiscard]] Result<Done> startRecording(WithCounters counters) override;
    [[nodiscard]] Result<RecordedWork> takeRecorded() override;

private:
    struct Buffer {
        ClMemory memory;
        std::size_t bytes = 0;
        ClMemory guarded = {}; // what the memory is the middle of; null: no guards
    };

    [[nodiscard]] static std::size_t guardBytes(std::int64_t alignment);
    [[nodiscard]] Result<Buffer> guarded(std::size_t bytes);
    [[nodiscard]] Result<Done> fill(const Buffer &buffer); // with the pattern, around it
    // Errors: a kernel wrote beside one of these buffers. Writes the pattern anew there.
    [[nodiscard]] Result<Done> checkGuards(std::span<const DeviceBufferId> buffers);

    // The buffer's memory, after checking that the range lies inside it.
    [[nodiscard]] Result<cl_mem> memoryOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const;
    [[nodiscard]] Result<ClMemory> zeroed(std::size_t bytes);
    [[nodiscard]] Result<Done> enqueue(const LaunchRequest &request, const std::stop_token &stop);
    template <class Transfer>
    [[nodiscard]] Result<Done> queue(const Transfer &transfer);
    // What is queued is done then, but for at most so many of the newest; the results, or the error, wait to be collected.
    void finishAllBut(std::size_t newest);
    // The same for as much as a queue may hold.
    void limitQueue();
    void record(const ClWorkQueue::Finished &finished);

    std::shared_ptr<ClOpened> m_device;
    std::size_t m_guardBytes; // before and behind each buffer; 0: no guards
    std::map<DeviceBufferId, Buffer> m_buffers;
    std::uint32_t m_nextBuffer = 0;
    ClWorkQueue m_queue;
    Collected m_done;                       // what came of what was queued before that, and was not collected
    std::optional<RecordedWork> m_recorded; // nothing: nobody records
};

} // namespace sw
