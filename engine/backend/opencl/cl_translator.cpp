#include "engine/backend/opencl/cl_translator.h"

#include "engine/backend/opencl/cl_program.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::chrono::milliseconds kLookInterval{5}; // how often to listen to the assistant when there is nothing else to do

} // namespace

ClTranslator::~ClTranslator()
{
    {
        const std::scoped_lock lock(m_mutex);
        m_isEnding = true;
    }
    m_changed.notify_all();
    if (m_worker.joinable())
        m_worker.join();
}

void ClTranslator::add(const Kernels &own, const Kernels &shared, std::unique_ptr<ClAssistant> assistant)
{
    {
        const std::scoped_lock lock(m_mutex);
        dismissAssistant();
        m_assistant = std::move(assistant);
        m_sharedCount = shared.size();
        for (const auto &kernel : own)
            m_waiting.push_back({kernel});
        for (std::size_t place = 0; place < shared.size(); ++place)
            m_waiting.push_back({shared[place], place});
        if (m_assistant == nullptr)
            dismissAssistant();
        if (!m_worker.joinable())
            m_worker = std::thread([this] { work(); });
    }
    m_changed.notify_all();
}

Result<Done> ClTranslator::finish(const std::shared_ptr<ClTranslation> &kernel)
{
    std::unique_lock lock(m_mutex);
    const auto found = std::ranges::find_if(m_waiting, [&](const Waiting &waiting) { return waiting.kernel.lock() == kernel; });
    if (found != m_waiting.end()) {
        found->place.reset();
        std::rotate(m_waiting.begin(), found, found + 1);
    }
    m_changed.notify_all();
    m_changed.wait(lock, [&] { return kernel->outcome.has_value(); });
    return *kernel->outcome;
}

Result<Done> ClTranslator::finishAll(const std::stop_token &stop)
{
    std::unique_lock lock(m_mutex);
    if (m_changed.wait(lock, stop, [&] { return m_waiting.empty() && !m_isWorking; }))
        return Done{};
    return Diagnostic::error(Code::Cancelled, {}, "the run was stopped");
}

void ClTranslator::work()
{
    std::unique_lock lock(m_mutex);
    while (true) {
        m_changed.wait(lock, [&] { return m_isEnding || !m_waiting.empty(); });
        if (m_isEnding)
            return;
        const std::optional<Waiting> waiting = next();
        if (!waiting) {
            m_changed.wait_for(lock, kLookInterval);
            continue;
        }
        if (const std::shared_ptr<ClTranslation> kernel = waiting->kernel.lock()) {
            m_isWorking = true;
            lock.unlock();
            Result<Done> outcome = translateKernel(m_queue.get(), *kernel);
            lock.lock();
            kernel->outcome = std::move(outcome);
            m_isWorking = false;
        }
        if (m_waiting.empty())
            dismissAssistant(); // before anybody measures
        m_changed.notify_all();
    }
}

std::optional<ClTranslator::Waiting> ClTranslator::next()
{
    const auto taken = [&](auto place) {
        Waiting waiting = std::move(*place);
        m_waiting.erase(place);
        return waiting;
    };
    if (!m_waiting.front().place)
        return taken(m_waiting.begin());
    if (m_assistant->hasEnded()) {
        dismissAssistant();
        return taken(m_waiting.begin());
    }
    const std::size_t busyWith = m_sharedCount - std::min(m_sharedCount, m_assistant->begun());
    if (*m_waiting.front().place < busyWith) {
        m_assistant->leave(*m_waiting.front().place + 1);
        return taken(m_waiting.begin());
    }
    // What it has finished only needs to be loaded from the cache.
    if (m_waiting.back().place.value_or(0) > busyWith)
        return taken(m_waiting.end() - 1);
    return std::nullopt;
}

void ClTranslator::dismissAssistant()
{
    m_assistant.reset();
    for (Waiting &waiting : m_waiting)
        waiting.place.reset();
}

Result<Done> translateKernel(cl_command_queue queue, const ClTranslation &wanted)
{
    cl_int error = CL_SUCCESS;
    const ClKernel kernel(clCreateKernel(wanted.program.get(), wanted.symbol.c_str(), &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateKernel", error);
    cl_device_id device = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof device, &device, nullptr);
    if (sharesMemory(kernel.get(), device))
        return Done{}; // it cannot be launched without buffers, and is translated on its first launch
    const std::array<std::size_t, 3> group = requiredGroup(kernel.get(), device);
    cl_uint arguments = 0;
    clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr);
    for (cl_uint i = 0; i < arguments; ++i)
        if (error = clSetKernelArg(kernel.get(), i, sizeof(cl_mem), nullptr); error != CL_SUCCESS)
            return clFailure("clSetKernelArg", error);
    error = clEnqueueNDRangeKernel(queue, kernel.get(), 3, nullptr, group.data(), group.data(), 0, nullptr, nullptr);
    if (error == CL_SUCCESS)
        error = clFinish(queue);
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueNDRangeKernel", error);
    return Done{};
}

} // namespace sw
