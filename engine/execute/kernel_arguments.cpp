#include "engine/execute/kernel_arguments.h"

#include "engine/schedule/execution_order.h"

namespace sw {

namespace {

// The kernels that are launched before this one.
Result<std::vector<KernelId>> kernelsBefore(const Schedule &schedule, KernelId kernel)
{
    const auto order = executionOrder(schedule);
    if (!order)
        return Diagnostic::error(Code::Internal, {}, "the items of the schedule wait for each other");
    std::vector<KernelId> before;
    for (const std::uint32_t item : *order) {
        const KernelId launched = schedule.items[item].kernel();
        if (launched == kernel)
            break;
        if (launched.isValid())
            before.push_back(launched);
    }
    return before;
}

// Only those kernels are compiled: others may be what the device does not run.
Result<CompiledProgramPtr> compiled(OpenedDevice &device, const LoweredProgramPtr &program, const std::vector<KernelId> &kernels,
                                    const std::stop_token &stop)
{
    std::vector<RenderedSource> sources;
    for (const KernelId kernel : kernels) {
        if (stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "the run was cancelled");
        SW_TRY(RenderedSource source, device.renderer().render(program->kernels.at(kernel.value), device.info()));
        sources.push_back(std::move(source));
    }
    SW_TRY(const std::vector<ArtifactPtr> artifacts, device.compile(sources, stop));
    auto made = std::make_shared<CompiledProgram>();
    made->lowered = program;
    made->artifacts.resize(program->kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i)
        made->artifacts[kernels[i].value] = artifacts[i];
    return CompiledProgramPtr(std::move(made));
}

} // namespace

Result<KernelArguments> argumentsOf(OpenedDevice &device, const LoweredProgramPtr &program, KernelId kernel,
                                    std::span<const HostTensor> values, const SymbolicBindings &wanted, std::stop_token stop)
{
    const Schedule &schedule = *program->schedule;
    SW_TRY(const std::vector<KernelId> before, kernelsBefore(schedule, kernel));
    SW_TRY(const CompiledProgramPtr part, compiled(device, program, before, stop));
    const std::vector<OpenedDevice *> devices(schedule.devices.size(), &device);
    SW_TRY(const auto executor, Executor::prepare(devices, part, values, {}, wanted));
    return executor->runUpTo(kernel, stop);
}

} // namespace sw
