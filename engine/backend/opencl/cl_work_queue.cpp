#include "engine/backend/opencl/cl_work_queue.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::size_t kWord = sizeof(cl_long);

std::chrono::nanoseconds profiled(const ClEvent &event, cl_profiling_info what)
{
    cl_ulong time = 0;
    clGetEventProfilingInfo(event.get(), what, sizeof time, &time, nullptr);
    return std::chrono::nanoseconds(static_cast<std::int64_t>(time));
}

Result<ClMemory> memoryOfDevice(const ClOpened &device, std::size_t bytes)
{
    cl_int error = CL_SUCCESS;
    ClMemory memory(clCreateBuffer(device.context.get(), CL_MEM_READ_WRITE, bytes, nullptr, &error));
    if (error != CL_SUCCESS)
        return Diagnostic::error(Code::Limit, {}, "no device memory for {} bytes: {}", bytes, clErrorName(error));
    return memory;
}

// A device has a clock of its own. The moment at which the command was queued is known by both: the driver notes it while the
// call that enqueues runs, right after it began.
std::pair<std::chrono::nanoseconds, std::chrono::nanoseconds> spanOf(const ClEvent &event, std::chrono::nanoseconds enqueued)
{
    const std::chrono::nanoseconds ahead = profiled(event, CL_PROFILING_COMMAND_QUEUED) - enqueued;
    return {profiled(event, CL_PROFILING_COMMAND_START) - ahead, profiled(event, CL_PROFILING_COMMAND_END) - ahead};
}

// waiting: what waiting for the command returned, which may only say that it failed.
cl_int reasonOf(const ClEvent &event, cl_int waiting)
{
    cl_int status = CL_COMPLETE;
    clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return status < -1 ? status : waiting; // PoCL 3.1 says -1 of what failed because of something before it
}

} // namespace

ClWorkQueue::~ClWorkQueue()
{
    abandon();
}

void ClWorkQueue::abandon()
{
    if (m_commands.empty())
        return;
    clFinish(m_device->queue.get()); // there is nobody to tell whether it failed
    m_commands.clear();
    m_bytes = 0;
}

void ClWorkQueue::forgetOldest()
{
    m_bytes -= m_commands.front().bytes;
    m_commands.pop_front();
}

// The queue is in order, so the kernel does not see the records of the one that had the memory before.
Result<ClWorkQueue::FaultRecords> ClWorkQueue::cleared(std::size_t bytes)
{
    FaultRecords records;
    const auto free = std::ranges::find_if(m_freeRecords, [&](const FaultRecords &known) { return known.bytes >= bytes; });
    if (free != m_freeRecords.end()) {
        records = std::move(*free);
        m_freeRecords.erase(free);
    } else {
        SW_TRY(records.memory, memoryOfDevice(*m_device, bytes));
        records.bytes = bytes;
    }
    const cl_uint zero = 0;
    if (const cl_int error =
            clEnqueueFillBuffer(m_device->queue.get(), records.memory.get(), &zero, sizeof zero, 0, bytes, 0, nullptr, nullptr);
        error != CL_SUCCESS)
        return clFailure("clEnqueueFillBuffer", error);
    records.values.assign(bytes / kWord, 0);
    return records;
}

Result<Done> ClWorkQueue::add(const ClBuilt &kernel, std::span<const cl_mem> arguments, const LaunchRequest &request)
{
    SW_TRY(const std::int64_t workItems, workItemsOf(request));
    if (workItems == 0) {
        m_commands.push_back({.enqueued = steadyNow()});
        return Done{};
    }
    if (m_noRecords == nullptr) {
        SW_TRY(m_noRecords, memoryOfDevice(*m_device, kWord));
    }
    Command launch{.indexChecks = kernel.indexChecks};
    if (!kernel.indexChecks.empty()) {
        SW_TRY(launch.faults, cleared(2 * kernel.indexChecks.size() * kWord));
    }
    cl_uint position = 0;
    const auto bind = [&](const cl_mem &memory) {
        return clSetKernelArg(kernel.kernel.get(), position++, sizeof memory, &memory);
    };
    for (const cl_mem argument : arguments)
        if (const cl_int error = bind(argument); error != CL_SUCCESS)
            return clFailure("clSetKernelArg", error);
    const ClMemory &records = kernel.indexChecks.empty() ? m_noRecords : launch.faults.memory;
    if (const cl_int error = bind(records.get()); error != CL_SUCCESS)
        return clFailure("clSetKernelArg", error);
    return enqueue(kernel, request, launch);
}

Result<Done> ClWorkQueue::enqueue(const ClBuilt &kernel, const LaunchRequest &request, Command &launch)
{
    std::array<std::size_t, 3> global{};
    std::array<std::size_t, 3> local{};
    std::ranges::copy(request.globalSize, global.begin());
    std::ranges::copy(request.localSize, local.begin());
    cl_command_queue queue = m_device->queue.get();
    cl_event event = nullptr;
    launch.enqueued = steadyNow();
    if (const cl_int error =
            clEnqueueNDRangeKernel(queue, kernel.kernel.get(), 3, nullptr, global.data(), local.data(), 0, nullptr, &event);
        error != CL_SUCCESS)
        return clFailure("clEnqueueNDRangeKernel", error);
    launch.event.reset(event);
    m_commands.push_back(std::move(launch)); // from here on the driver may write into it
    Command &queued = m_commands.back();
    cl_int error = CL_SUCCESS;
    if (queued.faults.memory != nullptr) {
        std::vector<cl_long> &values = queued.faults.values;
        error = clEnqueueReadBuffer(queue, queued.faults.memory.get(), CL_FALSE, 0, values.size() * kWord, values.data(), 0,
                                    nullptr, &event);
        if (error == CL_SUCCESS)
            queued.last.reset(event);
    }
    if (error == CL_SUCCESS)
        error = clFlush(queue); // a driver may wait with the beginning until somebody waits for the end
    if (error != CL_SUCCESS) {
        abandon();
        return clFailure("the queue of the device", error);
    }
    return Done{};
}

Result<Done> ClWorkQueue::add(cl_mem memory, const QueuedUpload &upload)
{
    return addTransfer(
        {.transfer = "clEnqueueWriteBuffer", .bytes = upload.bytes.size(), .owner = upload.owner}, [&](cl_event *event) {
            return clEnqueueWriteBuffer(m_device->queue.get(), memory, CL_FALSE, static_cast<std::size_t>(upload.offset),
                                        upload.bytes.size(), upload.bytes.data(), 0, nullptr, event);
        });
}

Result<Done> ClWorkQueue::add(cl_mem memory, const QueuedDownload &download)
{
    return addTransfer(
        {.transfer = "clEnqueueReadBuffer", .bytes = download.bytes.size(), .owner = download.owner}, [&](cl_event *event) {
            return clEnqueueReadBuffer(m_device->queue.get(), memory, CL_FALSE, static_cast<std::size_t>(download.offset),
                                       download.bytes.size(), download.bytes.data(), 0, nullptr, event);
        });
}

Result<Done> ClWorkQueue::addTransfer(Command transfer, const std::function<cl_int(cl_event *)> &enqueue)
{
    transfer.enqueued = steadyNow();
    if (transfer.bytes == 0) { // which a driver refuses
        m_commands.push_back(std::move(transfer));
        return Done{};
    }
    cl_event event = nullptr;
    if (const cl_int error = enqueue(&event); error != CL_SUCCESS)
        return clFailure(transfer.transfer, error);
    transfer.event.reset(event);
    m_bytes += transfer.bytes;
    m_commands.push_back(std::move(transfer));
    if (const cl_int error = clFlush(m_device->queue.get()); error != CL_SUCCESS) {
        abandon();
        return clFailure("the queue of the device", error);
    }
    return Done{};
}

Result<ClWorkQueue::Finished> ClWorkQueue::finishOldest()
{
    SW_ASSERT(!m_commands.empty(), "something that is queued");
    Command &oldest = m_commands.front();
    Finished finished{.result = {}, .isTransfer = oldest.transfer != nullptr};
    if (oldest.event == nullptr) {
        finished.begin = finished.end = std::max(oldest.enqueued, m_lastEnd);
        forgetOldest();
        return finished;
    }
    const cl_event last = oldest.last != nullptr ? oldest.last.get() : oldest.event.get();
    if (const cl_int error = clWaitForEvents(1, &last); error != CL_SUCCESS) {
        const Diagnostic failed =
            finished.isTransfer ? clFailure(oldest.transfer, reasonOf(oldest.event, error)) : clFailure("clWaitForEvents", error);
        abandon();
        return failed;
    }
    const auto [begin, end] = spanOf(oldest.event, oldest.enqueued);
    finished.result.time = std::max(std::chrono::nanoseconds(0), end - begin);
    // The two clocks are compared anew for each command, but none begins before the one in front of it has ended.
    finished.begin = std::max(begin, m_lastEnd);
    finished.end = m_lastEnd = std::max(end, finished.begin);
    for (std::size_t check = 0; check < oldest.indexChecks.size(); ++check)
        if (const cl_long *const record = &oldest.faults.values[2 * check]; record[0] != 0)
            finished.result.faults.push_back({oldest.indexChecks[check], record[1], record[0]});
    if (oldest.faults.memory != nullptr)
        m_freeRecords.push_back(std::move(oldest.faults));
    forgetOldest();
    return finished;
}

} // namespace sw
