#include "engine/backend/opencl/opencl_runtime.h"

#include "engine/backend/guard_pattern.h"
#include "engine/base/checked_size.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kBufferUnit = 64;        // bytes
constexpr std::int64_t kLeastGuardBytes = 4096; // before and behind a buffer
// A run that is stopped waits for no more kernels and transfers than these.
constexpr std::size_t kMostQueued = 64;
// Memory of the host that transfers hold until they are done, but for the newest one.
constexpr std::size_t kMostHeldBytes = std::size_t{256} << 20;

} // namespace

Result<ClMemory> OpenClRuntime::zeroed(std::size_t bytes)
{
    cl_int error = CL_SUCCESS;
    const auto size = static_cast<std::size_t>(CheckedSize(std::max<std::size_t>(bytes, 1)).roundedUpTo(kBufferUnit).value());
    ClMemory memory(clCreateBuffer(m_device->context.get(), CL_MEM_READ_WRITE, size, nullptr, &error));
    if (error != CL_SUCCESS)
        return Diagnostic::error(Code::Limit, {}, "no device memory for a buffer of {} bytes: {}", bytes, clErrorName(error));
    const cl_uint zero = 0;
    error = clEnqueueFillBuffer(m_device->queue.get(), memory.get(), &zero, sizeof zero, 0, size, 0, nullptr, nullptr);
    if (error == CL_SUCCESS)
        error = clFinish(m_device->queue.get());
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueFillBuffer", error);
    return memory;
}

std::size_t OpenClRuntime::guardBytes(std::int64_t alignment)
{
    return static_cast<std::size_t>((kLeastGuardBytes + alignment - 1) / alignment * alignment);
}

Result<OpenClRuntime::Buffer> OpenClRuntime::guarded(std::size_t bytes)
{
    const auto whole = (CheckedSize(bytes) + CheckedSize(2 * m_guardBytes)).value();
    Buffer buffer{{}, bytes, {}};
    SW_TRY(buffer.guarded, zeroed(static_cast<std::size_t>(whole)));
    // An empty buffer still needs memory that can be named.
    const cl_buffer_region region{m_guardBytes, std::max<std::size_t>(bytes, 1)};
    cl_int error = CL_SUCCESS;
    buffer.memory =
        ClMemory(clCreateSubBuffer(buffer.guarded.get(), CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateSubBuffer", error);
    SW_CHECK(fill(buffer));
    return buffer;
}

Result<Done> OpenClRuntime::fill(const Buffer &buffer)
{
    for (const std::size_t begin : {std::size_t{0}, m_guardBytes + buffer.bytes}) {
        cl_int error = clEnqueueFillBuffer(m_device->queue.get(), buffer.guarded.get(), &kGuardPattern, 1, begin, m_guardBytes, 0,
                                           nullptr, nullptr);
        if (error == CL_SUCCESS)
            error = clFinish(m_device->queue.get());
        if (error != CL_SUCCESS)
            return clFailure("clEnqueueFillBuffer", error);
    }
    return Done{};
}

Result<Done> OpenClRuntime::checkGuards(std::span<const DeviceBufferId> buffers)
{
    if (m_guardBytes == 0)
        return Done{};
    std::vector<std::byte> guard(m_guardBytes);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const Buffer &buffer = m_buffers.at(buffers[i]);
        for (const std::size_t begin : {std::size_t{0}, m_guardBytes + buffer.bytes}) {
            if (buffer.guarded.get() == nullptr) // a view of one
                continue;
            // It waits: with guards nothing is queued, and this is looked at now.
            const cl_int error = clEnqueueReadBuffer(m_device->queue.get(), buffer.guarded.get(), CL_TRUE, begin, guard.size(),
                                                     guard.data(), 0, nullptr, nullptr);
            if (error != CL_SUCCESS)
                return clFailure("clEnqueueReadBuffer", error);
            const auto changed = changedPattern(guard);
            if (!changed)
                continue;
            SW_CHECK(fill(buffer));
            return wroteBeside(static_cast<std::int64_t>(begin + *changed) - static_cast<std::int64_t>(m_guardBytes), i,
                               buffer.bytes);
        }
    }
    return Done{};
}

Result<DeviceBufferId> OpenClRuntime::allocate(std::int64_t bytes)
{
    if (bytes < 0 || !(CheckedSize(bytes) + CheckedSize(2 * m_guardBytes)).roundedUpTo(kBufferUnit).fits())
        return Diagnostic::error(Code::Limit, {}, "no device memory for a buffer of {} bytes", bytes);
    Buffer buffer;
    if (m_guardBytes > 0) {
        SW_TRY(buffer, guarded(static_cast<std::size_t>(bytes)));
    } else {
        SW_TRY(buffer.memory, zeroed(static_cast<std::size_t>(bytes)));
        buffer.bytes = static_cast<std::size_t>(bytes);
    }
    const DeviceBufferId id(m_nextBuffer++);
    m_buffers.emplace(id, std::move(buffer));
    return id;
}

Result<DeviceBufferId> OpenClRuntime::view(DeviceBufferId buffer, std::int64_t offset, std::int64_t bytes)
{
    const auto size = static_cast<std::size_t>(bytes);
    SW_TRY(cl_mem whole, memoryOf(buffer, offset, size));
    cl_buffer_region region{static_cast<std::size_t>(offset), size};
    if (m_guardBytes > 0) { // a guarded buffer is a sub-buffer itself, which cannot have another one
        whole = m_buffers.at(buffer).guarded.get();
        region.origin += m_guardBytes;
    }
    cl_int error = CL_SUCCESS;
    ClMemory memory(clCreateSubBuffer(whole, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateSubBuffer", error);
    const DeviceBufferId id(m_nextBuffer++);
    m_buffers.emplace(id, Buffer{std::move(memory), size, {}});
    return id;
}

Result<cl_mem> OpenClRuntime::memoryOf(DeviceBufferId buffer, std::int64_t offset, std::size_t count) const
{
    const auto found = m_buffers.find(buffer);
    if (found == m_buffers.end())
        return Diagnostic::error(Code::Run, {}, "there is no device buffer {}", buffer.value);
    const std::size_t size = found->second.bytes;
    if (offset < 0 || static_cast<std::size_t>(offset) > size || count > size - static_cast<std::size_t>(offset))
        return Diagnostic::error(Code::Run, {}, "{} bytes at {} do not fit into a device buffer of {} bytes", count, offset,
                                 size);
    return found->second.memory.get();
}

Result<Done> OpenClRuntime::upload(DeviceBufferId buffer, std::int64_t offset, std::span<const std::byte> bytes)
{
    SW_TRY(const cl_mem memory, memoryOf(buffer, offset, bytes.size()));
    if (bytes.empty())
        return Done{};
    const cl_int error = clEnqueueWriteBuffer(m_device->queue.get(), memory, CL_TRUE, static_cast<std::size_t>(offset),
                                              bytes.size(), bytes.data(), 0, nullptr, nullptr);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueWriteBuffer", error);
    return Done{};
}

Result<Done> OpenClRuntime::download(DeviceBufferId buffer, std::int64_t offset, std::span<std::byte> bytes)
{
    SW_TRY(const cl_mem memory, memoryOf(buffer, offset, bytes.size()));
    if (bytes.empty())
        return Done{};
    const cl_int error = clEnqueueReadBuffer(m_device->queue.get(), memory, CL_TRUE, static_cast<std::size_t>(offset),
                                             bytes.size(), bytes.data(), 0, nullptr, nullptr);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueReadBuffer", error);
    return Done{};
}

Result<Done> OpenClRuntime::copy(const BufferCopy &copy)
{
    const auto bytes = static_cast<std::size_t>(copy.bytes);
    SW_TRY(const cl_mem source, memoryOf(copy.from, copy.fromOffset, bytes));
    SW_TRY(const cl_mem target, memoryOf(copy.to, copy.toOffset, bytes));
    if (bytes == 0 || (copy.from == copy.to && copy.fromOffset == copy.toOffset))
        return Done{};
    // The queue is in order, so later commands cannot overtake the copy.
    const cl_int error = clEnqueueCopyBuffer(m_device->queue.get(), source, target, static_cast<std::size_t>(copy.fromOffset),
                                             static_cast<std::size_t>(copy.toOffset), bytes, 0, nullptr, nullptr);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueCopyBuffer", error);
    return Done{};
}

Result<Done> OpenClRuntime::synchronize()
{
    if (const cl_int error = clFinish(m_device->queue.get()); error != CL_SUCCESS)
        return clFailure("clFinish", error);
    return Done{};
}

Result<Done> OpenClRuntime::enqueue(const LaunchRequest &request, const std::stop_token &stop)
{
    const auto found = m_device->kernels.find(request.artifact);
    if (found == m_device->kernels.end())
        return Diagnostic::error(Code::Run, {}, "there is no compiled kernel {}", request.artifact.value);
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the run was stopped");
    const ClBuilt &kernel = found->second;
    if (request.buffers.size() + 1 != kernel.arguments)
        return Diagnostic::error(Code::Run, {}, "the kernel takes {} buffers, found {}", kernel.arguments - 1,
                                 request.buffers.size());
    SW_CHECK(m_device->translator->finishAll(stop));
    std::vector<cl_mem> arguments;
    for (const DeviceBufferId buffer : request.buffers) {
        SW_TRY(const cl_mem memory, memoryOf(buffer, 0, 0));
        arguments.push_back(memory);
    }
    return m_queue.add(kernel, arguments, request);
}

void OpenClRuntime::finishAllBut(std::size_t newest)
{
    while (m_queue.size() > newest) {
        auto finished = m_queue.finishOldest();
        if (!finished) {
            m_done.errors = finished.error();
            return;
        }
        record(*finished);
        m_done.results.push_back(std::move(finished->result));
    }
}

void OpenClRuntime::limitQueue()
{
    finishAllBut(kMostQueued);
    while (m_queue.size() > 1 && m_queue.bytes() > kMostHeldBytes)
        finishAllBut(m_queue.size() - 1);
}

void OpenClRuntime::record(const ClWorkQueue::Finished &finished)
{
    if (!m_recorded)
        return;
    if ((finished.isTransfer ? m_recorded->transfers.size() : m_recorded->launches.size()) == kMostRecordedLaunches)
        ++m_recorded->lost;
    else if (finished.isTransfer)
        m_recorded->transfers.push_back({finished.begin, finished.end});
    else
        m_recorded->launches.push_back({.begin = finished.begin, .end = finished.end, .threads = {}, .counts = {}});
}

Result<LaunchResult> OpenClRuntime::launch(const LaunchRequest &request, std::stop_token stop)
{
    SW_CHECK(enqueue(request, stop));
    finishAllBut(0);
    if (!m_done.errors.empty())
        return Failure(std::exchange(m_done, {}).errors);
    LaunchResult result = std::move(m_done.results.back());
    m_done.results.pop_back();
    SW_CHECK(checkGuards(request.buffers));
    return result;
}

// Nothing is queued behind what has failed: collect() tells of that.
Result<std::optional<LaunchResult>> OpenClRuntime::submit(const LaunchRequest &request, std::stop_token stop)
{
    if (m_guardBytes > 0)
        return Runtime::submit(request, std::move(stop));
    if (m_done.errors.empty()) {
        SW_CHECK(enqueue(request, stop));
        limitQueue();
    }
    return std::optional<LaunchResult>();
}

template <class Transfer>
Result<Done> OpenClRuntime::queue(const Transfer &transfer)
{
    SW_ASSERT(m_guardBytes == 0, "a device that queues transfers");
    SW_TRY(const cl_mem memory, memoryOf(transfer.buffer, transfer.offset, transfer.bytes.size()));
    if (m_done.errors.empty()) {
        SW_CHECK(m_queue.add(memory, transfer));
        limitQueue();
    }
    return Done{};
}

Result<Done> OpenClRuntime::queueUpload(const QueuedUpload &upload, std::stop_token /*stop*/)
{
    return queue(upload);
}

Result<Done> OpenClRuntime::queueDownload(const QueuedDownload &download, std::stop_token /*stop*/)
{
    return queue(download);
}

Result<Collected> OpenClRuntime::collect(std::size_t count, std::stop_token /*stop*/)
{
    std::vector<LaunchResult> &done = m_done.results;
    const std::size_t wanted = std::min(count, done.size() + m_queue.size());
    finishAllBut(done.size() + m_queue.size() - wanted);
    Collected collected;
    const auto end = done.begin() + static_cast<std::ptrdiff_t>(std::min(count, done.size()));
    std::move(done.begin(), end, std::back_inserter(collected.results));
    done.erase(done.begin(), end);
    if (collected.results.size() < count)
        collected.errors = std::exchange(m_done.errors, {});
    return collected;
}

Result<Done> OpenClRuntime::startRecording(WithCounters counters)
{
    m_recorded.emplace();
    if (counters == WithCounters::Yes)
        m_recorded->noCounters = "OpenCL does not tell what a device's counters count";
    return Done{};
}

Result<RecordedWork> OpenClRuntime::takeRecorded()
{
    RecordedWork taken = std::move(m_recorded).value_or(RecordedWork());
    m_recorded.reset();
    return taken;
}

} // namespace sw
