#include "engine/execute/item_runner.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

std::string deviceList(const Schedule &schedule, const ScheduleItem &item)
{
    return join(devicesOf(schedule, item), ", ", [&](DeviceSlot slot) { return schedule.device(slot).id; });
}

} // namespace

ItemRunner::ItemRunner(CompiledProgramPtr program, std::vector<OpenedDevice *> devices, const ProgramMemory &memory,
                       HostFunctions functions)
    : m_program(std::move(program)),
      m_devices(std::move(devices)),
      m_memory(memory),
      m_functions(std::move(functions)),
      m_placeholders(m_program->lowered->schedule->graph->placeholders()),
      m_launches(m_program->lowered->kernels.size()),
      m_waited(schedule().items.size())
{
    for (std::size_t item = 0; item < m_waited.size(); ++item)
        if (std::holds_alternative<Synchronization>(schedule().items[item].work))
            m_waited[item] = devicesOf(schedule(), schedule().items[item]);
}

Result<Done> ItemRunner::finishCompiling(const std::stop_token &stop)
{
    for (OpenedDevice *const device : m_devices)
        SW_CHECK(device->finishCompiling(stop));
    return Done{};
}

Result<ItemResult> ItemRunner::run(const ItemRun &run, std::span<const HostTensor> values, std::stop_token stop)
{
    const Call call{values, std::move(stop), run};
    auto done = std::visit([&](const auto &step) { return work(step, call); }, schedule().items.at(run.item).work);
    if (!done)
        return atItem(run.item, done.error());
    return done;
}

const ItemRunner::PreparedLaunch &ItemRunner::prepared(KernelId kernel)
{
    PreparedLaunch &launch = m_launches.at(kernel.value);
    if (launch.runtime != nullptr)
        return launch;
    const KernelList &kernels = m_program->lowered->kernels;
    const LoweredKernel &body = kernels.bodyOf(kernel.value);
    launch.artifact = m_program->artifacts.at(kernel.value)->id;
    launch.globalSize = body.globalSize;
    launch.localSize = body.localSize;
    for (const BufferId argument : kernels.argumentsOf(kernel.value))
        launch.buffers.push_back(m_memory.of(argument));
    launch.runtime = &runtimeOf(schedule().kernel(kernel).device);
    return launch;
}

Result<ItemResult> ItemRunner::work(const KernelLaunch &launch, const Call &call)
{
    const PreparedLaunch &known = prepared(launch.kernel);
    const LaunchRequest request{known.artifact, {known.buffers.begin(), known.buffers.end()}, known.globalSize, known.localSize};
    Result<std::optional<LaunchResult>> result = known.runtime->submit(request, call.stop);
    if (!result)
        return withArguments(result.error(), launch.kernel);
    if (!*result)
        return ItemResult{.faults = {}, .isQueued = true};
    return ItemResult{(*result)->time, std::move((*result)->faults)};
}

Result<Collected> ItemRunner::collect(DeviceSlot device, std::size_t count, std::stop_token stop)
{
    return runtimeOf(device).collect(count, std::move(stop));
}

Result<ItemResult> ItemRunner::work(const Synchronization &, const Call &call)
{
    // Runtimes only report when all their work is done, which is enough for a fence or an event as well.
    for (const DeviceSlot slot : m_waited[call.run.item])
        SW_CHECK(runtimeOf(slot).synchronize());
    return ItemResult{}; // it took as long as the executor was here
}

Result<ItemResult> ItemRunner::work(const HostCallback &callback, const Call &)
{
    const auto start = Clock::now();
    const auto found = m_functions.find(callback.function);
    SW_ASSERT(found != m_functions.end(), "functions that were checked to be there");
    std::vector<HostTensor> inputs;
    for (const BufferId input : callback.inputs) {
        SW_TRY(HostTensor value, download(input));
        inputs.push_back(std::move(value));
    }
    SW_TRY(const std::vector<HostTensor> outputs, found->second(inputs));
    if (outputs.size() != callback.outputs.size())
        return Diagnostic::error(Code::Run, {}, "the function returned {} tensors, expected {}", outputs.size(),
                                 callback.outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const ScheduledBuffer &wanted = schedule().buffer(callback.outputs[i]);
        if (outputs[i].dtype() != wanted.dtype || outputs[i].shape() != wanted.shape)
            return Diagnostic::error(Code::Run, {}, "the function returned {} for {}, expected {}",
                                     typeText(outputs[i].dtype(), outputs[i].shape()), wanted.name,
                                     typeText(wanted.dtype, wanted.shape));
        SW_CHECK(uploadBytes(callback.outputs[i], 0, outputs[i].bytes()));
    }
    return ItemResult{Clock::now() - start, {}};
}

Result<ItemResult> ItemRunner::work(const Join &, const Call &)
{
    return ItemResult{}; // all parts are there already
}

// Adds "item 3, kernel k1_softmax on llvm: ..." to the errors, except to the error that the run was stopped.
Failure ItemRunner::withArguments(const Diagnostics &errors, KernelId kernel) const
{
    Diagnostics told = errors;
    std::vector<std::string> names;
    for (const BufferId argument : m_program->lowered->kernels.argumentsOf(kernel.value))
        names.push_back(format("{}: {}", names.size(), schedule().buffer(argument).name));
    if (told.front().code == Code::Run && told.front().hint.empty())
        told.front().hint = "the kernel's arguments are " + join(names, ", ");
    else if (told.front().code == Code::Run)
        told.front().hint += "; the kernel's arguments are " + join(names, ", ");
    return Failure(std::move(told));
}

Failure ItemRunner::atItem(std::uint32_t item, const Diagnostics &errors) const
{
    Diagnostics told = errors;
    const ScheduleItem &step = schedule().items[item];
    for (Diagnostic &error : told) {
        const std::string where = format("item {}, {}{} on {}", item, step.kernel().isValid() ? "kernel " : "",
                                         titleOf(schedule(), step), deviceList(schedule(), step));
        if (error.code == Code::Cancelled) {
            Diagnostic note = Diagnostic::warning(Code::Cancelled, {}, "in {}", where);
            note.severity = Severity::Note;
            error.notes.push_back(std::move(note));
            continue;
        }
        error.message = format("{}: {}", where, error.message);
        if (!error.where.isKnown())
            error.where = schedule().graph->sources().programRange(originOf(schedule(), step));
    }
    return Failure(std::move(told));
}

Result<Done> checkHostFunctions(const Schedule &schedule, const HostFunctions &functions)
{
    Diagnostics missing;
    for (std::uint32_t item = 0; item < schedule.items.size(); ++item) {
        const auto *callback = std::get_if<HostCallback>(&schedule.items[item].work);
        if (callback == nullptr || functions.contains(callback->function))
            continue;
        missing.push_back(
            Diagnostic::error(Code::Run, schedule.graph->sources().programRange(originOf(schedule, schedule.items[item])),
                              "item {} calls the host's function {}, which there is not", item, sw::quoted(callback->function))
                .withHint(functions.empty()
                              ? std::string("no functions were given for this run")
                              : format("there are: {}", join(functions, ", ", [](const auto &known) { return known.first; }))));
    }
    if (!missing.empty())
        return Failure(std::move(missing));
    return Done{};
}

} // namespace sw
