#include "engine/backend/opencl/cl_translator.h"

#include <algorithm>

namespace sw {

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

void ClTranslator::add(const std::shared_ptr<ClTranslation> &kernel)
{
    {
        const std::scoped_lock lock(m_mutex);
        m_waiting.push_back(kernel);
        if (!m_worker.joinable())
            m_worker = std::thread([this] { work(); });
    }
    m_changed.notify_all();
}

Result<Done> ClTranslator::finish(const std::shared_ptr<ClTranslation> &kernel)
{
    std::unique_lock lock(m_mutex);
    const auto found = std::ranges::find_if(m_waiting, [&](const auto &waiting) { return waiting.lock() == kernel; });
    if (found != m_waiting.end())
        std::rotate(m_waiting.begin(), found, found + 1);
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
        std::shared_ptr<ClTranslation> kernel = m_waiting.front().lock();
        m_waiting.pop_front();
        if (kernel != nullptr) {
            m_isWorking = true;
            lock.unlock();
            Result<Done> outcome = translated(*kernel);
            lock.lock();
            kernel->outcome = std::move(outcome);
            m_isWorking = false;
        }
        m_changed.notify_all();
    }
}

Result<Done> ClTranslator::translated(const ClTranslation &wanted) const
{
    cl_int error = CL_SUCCESS;
    const ClKernel kernel(clCreateKernel(wanted.program.get(), wanted.symbol.c_str(), &error));
    if (error != CL_SUCCESS)
        return clFailure("clCreateKernel", error);
    cl_uint arguments = 0;
    clGetKernelInfo(kernel.get(), CL_KERNEL_NUM_ARGS, sizeof arguments, &arguments, nullptr);
    for (cl_uint i = 0; i < arguments; ++i)
        if (error = clSetKernelArg(kernel.get(), i, sizeof(cl_mem), nullptr); error != CL_SUCCESS)
            return clFailure("clSetKernelArg", error);
    error = clEnqueueNDRangeKernel(m_queue.get(), kernel.get(), 3, nullptr, wanted.group.data(), wanted.group.data(), 0, nullptr,
                                   nullptr);
    if (error == CL_SUCCESS)
        error = clFinish(m_queue.get());
    if (error != CL_SUCCESS)
        return clFailure("clEnqueueNDRangeKernel", error);
    return Done{};
}

} // namespace sw
