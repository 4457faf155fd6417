#include "engine/backend/opencl/opencl_runtime.h"

#include "engine/backend/guard_pattern.h"
#include "engine/base/checked_size.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::int64_t kBufferUnit = 64;        // bytes
constexpr std::int64_t kLeastGuardBytes = 4096; // before and behind a buffer

std::chrono::nanoseconds profiled(const ClEvent &event, cl_profiling_info what)
{
    cl_ulong time = 0;
    clGetEventProfilingInfo(event.get(), what, sizeof time, &time, nullptr);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(time));
}

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

Result<Done> OpenClRuntime::copy(DeviceBufferId from, DeviceBufferId to, std::int64_t bytes)
{
    SW_TRY(const cl_mem source, memoryOf(from, 0, static_cast<std::size_t>(bytes)));
    SW_TRY(const cl_mem target, memoryOf(to, 0, static_cast<std::size_t>(bytes)));
    if (bytes == 0 || from == to)
        return Done{};
    // The queue is in order, so later commands cannot overtake the copy.
    const cl_int error =
        clEnqueueCopyBuffer(m_device->queue.get(), source, target, 0, 0, static_cast<std::size_t>(bytes), 0, nullptr, nullptr);
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

// All launches count their faults in one buffer. Making one, and waiting until it is cleared, took a GPU longer than most
// kernels.
Result<Done> OpenClRuntime::clearFaults(std::size_t bytes)
{
    if (m_faults.get() == nullptr || m_faultBytes < bytes) {
        SW_TRY(m_faults, zeroed(bytes));
        m_faultBytes = bytes;
        return Done{};
    }
    if (bytes == 0)
        return Done{};
    // The queue is in order, so the launch cannot overtake it.
    const cl_uint zero = 0;
    const cl_int error =
        clEnqueueFillBuffer(m_device->queue.get(), m_faults.get(), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueFillBuffer", error);
    return Done{};
}

Result<Done> OpenClRuntime::bindArguments(const ClBuilt &kernel, const LaunchRequest &request)
{
    if (request.buffers.size() + 1 != kernel.arguments)
        return Diagnostic::error(Code::Run, {}, "the kernel takes {} buffers, found {}", kernel.arguments - 1,
                                 request.buffers.size());
    SW_CHECK(clearFaults(kernel.indexChecks.size() * 2 * sizeof(cl_long)));
    cl_uint position = 0;
    for (const DeviceBufferId buffer : request.buffers) {
        SW_TRY(const cl_mem memory, memoryOf(buffer, 0, 0));
        if (const cl_int error = clSetKernelArg(kernel.kernel.get(), position++, sizeof memory, &memory); error != CL_SUCCESS)
            return clFailure("clSetKernelArg", error);
    }
    const cl_mem faults = m_faults.get();
    if (const cl_int error = clSetKernelArg(kernel.kernel.get(), position, sizeof faults, &faults); error != CL_SUCCESS)
        return clFailure("clSetKernelArg", error);
    return Done{};
}

Result<ClEvent> OpenClRuntime::enqueue(const ClBuilt &kernel, const LaunchRequest &request)
{
    std::array<std::size_t, 3> global{};
    std::array<std::size_t, 3> local{};
    std::ranges::copy(request.globalSize, global.begin());
    std::ranges::copy(request.localSize, local.begin());
    cl_event event = nullptr;
    cl_int error = clEnqueueNDRangeKernel(m_device->queue.get(), kernel.kernel.get(), 3, nullptr, global.data(), local.data(), 0,
                                          nullptr, &event);
    ClEvent owned(event);
    if (error == CL_SUCCESS)
        error = clFinish(m_device->queue.get());
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueNDRangeKernel", error);
    return owned;
}

Result<std::vector<IndexFault>> OpenClRuntime::readFaults(const ClBuilt &kernel)
{
    std::vector<IndexFault> found;
    std::vector<cl_long> records(2 * kernel.indexChecks.size());
    if (records.empty())
        return found;
    const cl_int error = clEnqueueReadBuffer(m_device->queue.get(), m_faults.get(), CL_TRUE, 0, records.size() * sizeof(cl_long),
                                             records.data(), 0, nullptr, nullptr);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueReadBuffer", error);
    for (std::size_t check = 0; check < kernel.indexChecks.size(); ++check)
        if (records[2 * check] != 0)
            found.push_back({kernel.indexChecks[check], records[2 * check + 1], records[2 * check]});
    return found;
}

Result<LaunchResult> OpenClRuntime::launch(const LaunchRequest &request, std::stop_token stop)
{
    const auto found = m_device->kernels.find(request.artifact);
    if (found == m_device->kernels.end())
        return Diagnostic::error(Code::Run, {}, "there is no compiled kernel {}", request.artifact.value);
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the run was stopped");
    SW_TRY(const std::int64_t workItems, workItemsOf(request));
    if (workItems == 0) {
        if (m_recorded)
            m_recorded->launches.push_back({steadyNow(), steadyNow(), {}, {}});
        return LaunchResult{};
    }
    SW_CHECK(m_device->translator->finishAll(stop));
    SW_CHECK(bindArguments(found->second, request));
    const std::chrono::nanoseconds enqueued = steadyNow();
    SW_TRY(const ClEvent event, enqueue(found->second, request));
    const std::chrono::nanoseconds begin = profiled(event, CL_PROFILING_COMMAND_START);
    const std::chrono::nanoseconds end = profiled(event, CL_PROFILING_COMMAND_END);
    if (m_recorded)
        record(event, enqueued);
    LaunchResult result;
    result.time = end > begin ? end - begin : std::chrono::nanoseconds(0);
    SW_TRY(result.faults, readFaults(found->second));
    SW_CHECK(checkGuards(request.buffers));
    return result;
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

// A device has a clock of its own. The moment at which the command was queued is known by both: the driver notes it while the
// call that enqueues runs, right after it began.
void OpenClRuntime::record(const ClEvent &event, std::chrono::nanoseconds enqueued)
{
    if (m_recorded->launches.size() == kMostRecordedLaunches) {
        ++m_recorded->lost;
        return;
    }
    const std::chrono::nanoseconds ahead = profiled(event, CL_PROFILING_COMMAND_QUEUED) - enqueued;
    RecordedLaunch launch;
    launch.begin = profiled(event, CL_PROFILING_COMMAND_START) - ahead;
    launch.end = profiled(event, CL_PROFILING_COMMAND_END) - ahead;
    m_recorded->launches.push_back(std::move(launch));
}

} // namespace sw
