#include "engine/backend/opencl/cl_assistant.h"
#include "engine/backend/opencl/cl_program.h"

#include <atomic>
#include <cstdlib>
#include <thread>

namespace sw {

namespace {

Result<Done> assist(const AssistantJob &job, MessageSocket &channel, const std::atomic<std::size_t> &left)
{
    SW_TRY(const auto handles, clDevices());
    for (std::size_t i = 0; i < handles.size(); ++i) {
        if (clDeviceId(i) != job.device)
            continue;
        SW_TRY(const auto device, openClDevice(handles[i]));
        SW_TRY(const ClProgramBuild build, buildProgram(*device, job.text));
        if (build.error != CL_SUCCESS)
            return clFailure("clBuildProgram", build.error);
        SW_CHECK(channel.send({HostCall::Progress, 0, {}}));
        const std::size_t total = job.symbols.size();
        for (std::size_t place = total; place-- > left;) {
            SW_CHECK(channel.send({HostCall::Progress, static_cast<std::uint32_t>(total - place), {}}));
            SW_CHECK(translateKernel(device->queue.get(), {build.program, job.symbols[place]}));
        }
    }
    return Done{};
}

} // namespace

int assistTranslating(Descriptor socket)
{
    MessageSocket channel(std::move(socket));
    AssistantJob job;
    const auto message = channel.receive();
    if (!message || !*message || (*message)->call != HostCall::Assist ||
        !unpack((*message)->body, job.device, job.text, job.symbols))
        return 1;
    std::atomic<std::size_t> left = 0; // kernels, from the first on, that the other process has begun
    // The end of the other process ends this one at once, in the middle of a kernel too.
    std::thread([&channel, &left] {
        while (true) {
            const auto news = channel.receive();
            if (!news || !*news)
                std::_Exit(0);
            left = (*news)->number;
        }
    }).detach();
    std::_Exit(assist(job, channel, left) ? 0 : 1);
}

} // namespace sw
