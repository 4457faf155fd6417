#include "engine/execute/executor.h"

#include "engine/execute/dimensions.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/execute/make_constants.h"
#include "engine/execute/memory_limit.h"
#include "engine/graph/output_crops.h"
#include "engine/schedule/dependencies.h"
#include "engine/types/box.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

std::vector<DeviceSlot> inHostMemory(const std::vector<OpenedDevice *> &devices)
{
    std::vector<DeviceSlot> slots;
    for (std::size_t slot = 0; slot < devices.size(); ++slot)
        if (devices[slot]->info().kind != DeviceKind::Gpu)
            slots.emplace_back(slot);
    return slots;
}

// The shapes of the given values, one per placeholder that is not a dimension.
// own: the time that the item reports; wall: the time measured here.
void addTo(RunParts &parts, const decltype(ScheduleItem::work) &work, std::chrono::nanoseconds own, std::chrono::nanoseconds wall)
{
    if (std::holds_alternative<KernelLaunch>(work)) {
        const auto atWork = std::min(own, wall);
        parts.kernels += atWork;
        parts.launches += wall - atWork;
    } else if (std::holds_alternative<MemoryTransfer>(work)) {
        parts.transfers += wall;
    } else if (std::holds_alternative<HostCallback>(work)) {
        parts.host += wall;
    } else {
        parts.waiting += wall;
    }
}

// The index of the run whose total is the median.
std::size_t medianRun(std::span<const std::chrono::nanoseconds> totals, std::chrono::nanoseconds median)
{
    return static_cast<std::size_t>(std::ranges::find(totals, median) - totals.begin());
}

} // namespace

Executor::Executor(CompiledProgramPtr program, std::unique_ptr<ProgramMemory> memory, ItemRunner runner,
                   std::vector<ItemRun> order, SymbolicBindings dimensions)
    : m_program(std::move(program)),
      m_memory(std::move(memory)),
      m_runner(std::move(runner)),
      m_order(std::move(order)),
      m_dimensions(std::move(dimensions)),
      m_samples(schedule().items.size()),
      m_ignored(schedule().items.size()),
      m_isSkipped(schedule().items.size(), false),
      m_hasConditions(std::ranges::any_of(schedule().items, [](const ScheduleItem &item) { return !item.conditions.empty(); }))
{
}

Result<std::unique_ptr<Executor>> Executor::prepare(std::vector<OpenedDevice *> devices, const CompiledProgramPtr &program,
                                                    std::span<const HostTensor> values, HostFunctions functions,
                                                    const SymbolicBindings &wanted)
{
    const Schedule &schedule = *program->lowered->schedule;
    SW_ASSERT(devices.size() == schedule.devices.size(), "an opened device for every device of the schedule");
    SW_CHECK(makeConstants(schedule));
    SW_CHECK(checkBuffersFit(schedule, inHostMemory(devices), memoryBytes()));
    SW_CHECK(checkHostFunctions(schedule, functions));
    SW_TRY(SymbolicBindings dimensions, dimensionsOf(*schedule.graph, givenShapesOf(*schedule.graph, values), wanted));
    SW_TRY(const std::vector<HostTensor> padded, paddedValues(*schedule.graph, values, dimensions));
    auto order = executionRuns(schedule);
    if (!order)
        return Diagnostic::error(Code::Internal, {}, "the items of the schedule wait for each other");
    SW_TRY(auto memory, ProgramMemory::allocate(schedule, devices));
    ItemRunner runner(program, std::move(devices), *memory, std::move(functions));
    if (!dimensions.empty())
        runner.moveOnly(usedBytesOf(schedule, dimensions));
    std::unique_ptr<Executor> executor(
        new Executor(program, std::move(memory), std::move(runner), std::move(*order), std::move(dimensions)));
    SW_CHECK(executor->runPhase(Phase::Load, padded, {}, executor->m_samples));
    return executor;
}

Result<std::unique_ptr<Executor>> Executor::prepare(OpenedDevice &device, const CompiledProgramPtr &program,
                                                    std::span<const HostTensor> values, const SymbolicBindings &wanted)
{
    return prepare(std::vector<OpenedDevice *>{&device}, program, values, {}, wanted);
}

Result<Done> Executor::runPhase(Phase phase, std::span<const HostTensor> values, const std::stop_token &stop, Samples &samples)
{
    for (const ItemRun &run : m_order)
        if (schedule().items[run.item].phase == phase)
            SW_CHECK(runItem(run, values, stop, samples));
    return Done{};
}

Result<Done> Executor::runItem(const ItemRun &run, std::span<const HostTensor> values, const std::stop_token &stop,
                               Samples &samples)
{
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the run was cancelled");
    const auto begin = std::chrono::steady_clock::now();
    const std::uint32_t item = run.item;
    const ScheduleItem &what = schedule().items[item];
    SW_TRY(const bool isWanted, holds(what));
    m_isSkipped[item] = !isWanted;
    if (m_onLaunch && !isWanted && what.kernel().isValid())
        m_onLaunch();
    if (!isWanted)
        return Done{};
    SW_TRY(const ItemResult done, m_runner.run(run, values, stop));
    addTo(m_parts, what.work, done.time, std::chrono::steady_clock::now() - begin);
    if (m_hasConditions)
        for (const BufferId written : usesOf(schedule(), what).writes)
            m_conditions.erase(written);
    if (run.step == 0 || samples[item].empty())
        samples[item].push_back(done.time);
    else
        samples[item].back() += done.time;
    if (m_onLaunch && what.kernel().isValid())
        m_onLaunch();
    for (const IndexFault &fault : done.faults)
        m_faults.push_back({what.kernel(), fault});
    return Done{};
}

// Conditions that others decide about come after these: what was not written is not read.
Result<bool> Executor::holds(const ScheduleItem &item)
{
    for (const ItemCondition &condition : item.conditions) {
        auto known = m_conditions.find(condition.buffer);
        if (known == m_conditions.end()) {
            SW_TRY(const HostTensor value, m_runner.download(condition.buffer));
            known = m_conditions.emplace(condition.buffer, value.at(0).asBool()).first;
        }
        if (known->second != condition.wanted)
            return false;
    }
    return true;
}

std::vector<NamedTensor> Executor::outputs() const
{
    std::vector<HostTensor> values;
    const Graph &graph = *schedule().graph;
    const auto &sink = attributesOf<SinkAttributes>(graph.nodes().back());
    const std::vector<std::size_t> &cells = sink.cells;
    for (std::size_t i = 0; i < graph.outputNames().size(); ++i) {
        HostTensor value = m_runner.fetched(schedule().outputs.at(i)).reshaped(graph.node(graph.outputs()[i]).shape);
        if (!sink.shapes.empty() && sink.shapes[i].isSymbolic())
            value = cropped(value, sink.shapes[i].bound(m_dimensions).value());
        // Kernels see a u32x4 as its words.
        if (std::ranges::find(cells, i) != cells.end())
            value = fromRawBits(value, DType::U32x4).value();
        values.push_back(std::move(value));
    }
    std::vector<NamedTensor> named;
    for (HostTensor &value : croppedOutputs(countedOutputsOf(graph), std::move(values)))
        named.push_back({graph.outputNames()[named.size()], std::move(value)});
    return named;
}

Result<ExecutionResult> Executor::run(RunCounts counts, std::stop_token stop, const LaunchObserver &observer)
{
    SW_ASSERT(counts.repeats > 0, "at least one measured run");
    const auto launches = std::ranges::count_if(m_order, [this](const ItemRun &run) {
        const ScheduleItem &item = schedule().items[run.item];
        return item.phase == Phase::Run && item.kernel().isValid();
    });
    const std::uint64_t all = static_cast<std::uint64_t>(launches) * (counts.warmup + counts.repeats);
    std::uint64_t launched = 0;
    m_onLaunch = observer ? [&] { observer(++launched, all); } : std::function<void()>();
    for (std::uint32_t round = 0; round < counts.warmup + counts.repeats; ++round)
        SW_CHECK(runRound(round < counts.warmup ? Round::WarmUp : Round::Measured, stop));
    auto result = finish(stop);
    m_onLaunch = nullptr;
    return result;
}

Result<std::chrono::nanoseconds> Executor::runRound(Round round, const std::stop_token &stop)
{
    if (m_totals.empty()) // later rounds are compiled to the end already, and asking a host takes time
        SW_CHECK(m_runner.finishCompiling(stop));
    m_faults.clear();
    m_conditions.clear();
    m_parts = {};
    const auto begin = std::chrono::steady_clock::now();
    SW_CHECK(runPhase(Phase::Run, {}, stop, round == Round::Measured ? m_samples : m_ignored));
    const std::chrono::nanoseconds total = std::chrono::steady_clock::now() - begin;
    if (round == Round::Measured) {
        m_totals.push_back(total);
        m_parts.between = std::max(std::chrono::nanoseconds(0), total - m_parts.total());
        m_partsOf.push_back(m_parts);
    }
    return total;
}

Result<ExecutionResult> Executor::finish(const std::stop_token &stop)
{
    SW_ASSERT(!m_totals.empty(), "at least one measured run");
    SW_CHECK(runPhase(Phase::Fetch, {}, stop, m_samples));
    ExecutionResult result;
    result.kernels.resize(schedule().kernels.size());
    for (std::size_t item = 0; item < m_samples.size(); ++item) {
        result.items.push_back(m_samples[item].empty() ? Timing{} : timingOf(m_samples[item]));
        if (const KernelId kernel = schedule().items[item].kernel(); kernel.isValid())
            result.kernels[kernel.value] = result.items.back();
    }
    result.isSkipped = m_isSkipped;
    result.total = timingOf(m_totals);
    result.dimensions = m_dimensions;
    result.parts = m_partsOf[medianRun(m_totals, result.total.median)];
    result.faults = faultDiagnostics(*m_program->lowered, m_faults);
    result.outputs = outputs();
    return result;
}

Result<std::vector<std::optional<HostTensor>>> Executor::runAndKeep(std::span<const BufferId> buffers,
                                                                    const std::stop_token &stop, std::optional<std::int64_t> step)
{
    std::vector<ItemRun> run;
    for (const ItemRun &next : m_order)
        if (schedule().items[next.item].phase == Phase::Run)
            run.push_back(next);
    // For each buffer, how many of these items are done when it is whole; 0: it is loaded before.
    std::vector<std::size_t> wholeAfter(buffers.size());
    for (std::size_t i = 0; i < run.size(); ++i) {
        const std::vector<BufferId> writes = usesOf(schedule(), schedule().items[run[i].item]).writes;
        for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
            if (std::ranges::find(writes, buffers[wanted]) != writes.end() && !isOfLaterStep(run[i], buffers[wanted], step))
                wholeAfter[wanted] = i + 1;
    }
    SW_CHECK(m_runner.finishCompiling(stop));
    std::vector<std::optional<HostTensor>> kept(buffers.size());
    std::vector<bool> isWritten(buffers.size());
    for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
        isWritten[wanted] = wholeAfter[wanted] == 0;
    Samples samples(schedule().items.size());
    const std::size_t last = wholeAfter.empty() ? 0 : *std::ranges::max_element(wholeAfter);
    for (std::size_t done = 0; done <= last; ++done) {
        if (done > 0) {
            const std::uint32_t item = run[done - 1].item;
            SW_CHECK(runItem(run[done - 1], {}, stop, samples));
            const std::vector<BufferId> writes = usesOf(schedule(), schedule().items[item]).writes;
            for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
                if (!m_isSkipped[item] && std::ranges::find(writes, buffers[wanted]) != writes.end())
                    isWritten[wanted] = true;
        }
        for (std::size_t wanted = 0; wanted < buffers.size(); ++wanted)
            if (wholeAfter[wanted] == done && isWritten[wanted]) {
                SW_TRY(HostTensor value, m_runner.download(buffers[wanted]));
                kept[wanted] = withoutRest(buffers[wanted], std::move(value));
            }
    }
    return kept;
}

// Whether what the item leaves in the buffer belongs to a step after the wanted one. What hands on does so for the next step.
bool Executor::isOfLaterStep(const ItemRun &run, BufferId buffer, std::optional<std::int64_t> step) const
{
    const RepeatedItems *repeat = schedule().repeatOf(run.item);
    if (repeat == nullptr)
        return false;
    const NodeId node = schedule().buffer(buffer).node;
    if (schedule().graph->node(node).kind == NodeKind::ScanRows) // it is whole after the last step
        return false;
    const bool isCarried = schedule().graph->node(node).kind == NodeKind::ScanCarry && schedule().bufferOf(node) == buffer;
    return run.step + (isCarried ? 1 : 0) > step.value_or(repeat->steps - 1);
}

// What the run did not compute is 0, whatever the memory holds there.
HostTensor Executor::withoutRest(BufferId buffer, HostTensor value) const
{
    const Graph &graph = *schedule().graph;
    const ScheduledBuffer &of = schedule().buffer(buffer);
    const Shape needed = neededShapeOf(graph, NeededExtents(graph), of.node, m_dimensions);
    const Shape &whole = graph.node(of.node).shape;
    if (graph.node(of.node).kind == NodeKind::Placeholder || needed == whole || whole.elements() != value.elements())
        return value;
    return onlyFirst(value.reshaped(whole), needed).reshaped(of.shape);
}

Result<KernelArguments> Executor::runUpTo(KernelId kernel, const std::stop_token &stop)
{
    Samples samples(schedule().items.size());
    for (const ItemRun &next : m_order) {
        if (schedule().items[next.item].kernel() == kernel) {
            SW_TRY(const bool isWanted, holds(schedule().items[next.item]));
            if (!isWanted)
                return Diagnostic::error(Code::Run, schedule().graph->sources().programRange(schedule().kernel(kernel).origin),
                                         "{} does not run with these values: another branch is chosen",
                                         schedule().kernel(kernel).name);
            break;
        }
        if (schedule().items[next.item].phase == Phase::Run)
            SW_CHECK(runItem(next, {}, stop, samples));
    }
    KernelArguments arguments;
    arguments.faults = faultDiagnostics(*m_program->lowered, m_faults);
    const std::span<const BufferId> buffers = m_program->lowered->kernels.argumentsOf(kernel.value);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        const auto first = static_cast<std::size_t>(std::ranges::find(buffers, buffers[i]) - buffers.begin());
        if (first < i) {
            arguments.values.push_back(arguments.values[first]);
            continue;
        }
        SW_TRY(HostTensor value, m_runner.download(buffers[i]));
        arguments.values.push_back(std::move(value));
    }
    return arguments;
}

} // namespace sw
