#include "engine/execute/executor.h"

#include "engine/execute/dimensions.h"
#include "engine/execute/kernel_arguments.h"
#include "engine/execute/make_constants.h"
#include "engine/execute/memory_limit.h"
#include "engine/graph/output_crops.h"
#include "engine/schedule/execution_order.h"
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
    } else if (std::holds_alternative<Synchronization>(work)) {
        parts.waiting += wall;
    }
}

// Each item that runs gets room for one more time, and for many where a list is full: most rounds have nothing to do here.
void makeRoom(const Schedule &schedule, std::vector<std::vector<std::chrono::nanoseconds>> &samples)
{
    constexpr std::size_t kFirstRounds = 16;
    for (std::size_t item = 0; item < samples.size(); ++item)
        if (auto &times = samples[item]; schedule.items[item].phase == Phase::Run && times.size() == times.capacity())
            times.reserve(std::max(kFirstRounds, 2 * times.size()));
}

// The index of the run whose total is the median.
std::size_t medianRun(std::span<const std::chrono::nanoseconds> totals, std::chrono::nanoseconds median)
{
    return static_cast<std::size_t>(std::ranges::find(totals, median) - totals.begin());
}

} // namespace

Executor::Executor(CompiledProgramPtr program, std::unique_ptr<ProgramMemory> memory, ItemRunner runner,
                   std::vector<std::uint32_t> order, SymbolicBindings dimensions)
    : m_program(std::move(program)),
      m_memory(std::move(memory)),
      m_runner(std::move(runner)),
      m_order(std::move(order)),
      m_queues(schedule().devices.size()),
      m_dimensions(std::move(dimensions)),
      m_samples(schedule().items.size()),
      m_ignored(schedule().items.size()),
      m_isSkipped(schedule().items.size(), false),
      m_stepsMade(schedule().repeats.size(), 0),
      m_hasConditions(std::ranges::any_of(schedule().items, [](const ScheduleItem &item) { return !item.conditions.empty(); }))
{
    m_readsAfter = readsByTrigger();
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
    SW_TRY(std::vector<HostTensor> padded, paddedValues(*schedule.graph, values, dimensions));
    auto order = executionOrder(schedule);
    if (!order)
        return Diagnostic::error(Code::Internal, {}, "the items of the schedule wait for each other");
    SW_TRY(auto memory, ProgramMemory::allocate(schedule, devices));
    ItemRunner runner(program, std::move(devices), *memory, std::move(functions));
    if (!dimensions.empty())
        runner.moveOnly(usedBytesOf(schedule, dimensions));
    std::unique_ptr<Executor> executor(
        new Executor(program, std::move(memory), std::move(runner), std::move(*order), std::move(dimensions)));
    executor->m_values = std::move(padded);
    return executor;
}

Result<Done> Executor::load(const std::stop_token &stop)
{
    if (m_isLoaded)
        return Done{};
    SW_CHECK(m_runner.finishCompiling(stop));
    abandonQueues();                          // of a load that failed
    Samples samples(schedule().items.size()); // those of a load that was stopped do not count
    m_faults.clear();
    SW_CHECK(runPhase(Phase::Load, stop, samples));
    m_samples = std::move(samples);
    m_loadFaults = m_faults.size();
    m_isLoaded = true;
    return Done{};
}

Result<std::unique_ptr<Executor>> Executor::prepare(OpenedDevice &device, const CompiledProgramPtr &program,
                                                    std::span<const HostTensor> values, const SymbolicBindings &wanted)
{
    return prepare(std::vector<OpenedDevice *>{&device}, program, values, {}, wanted);
}

Result<Done> Executor::runPhase(Phase phase, const std::stop_token &stop, Samples &samples)
{
    ItemWalk walk(schedule(), m_order, phase);
    while (true) {
        SW_TRY(const std::optional<ItemRun> run, runNext(walk, stop, samples));
        if (!run)
            return collectAll(stop, samples);
    }
}

Result<std::optional<ItemRun>> Executor::runNext(ItemWalk &walk, const std::stop_token &stop, Samples &samples)
{
    const std::optional<ItemRun> run = walk.next();
    if (run) {
        SW_CHECK(runItem(*run, stop, samples));
        SW_CHECK(endStep(walk, *run, stop, samples));
    }
    return run;
}

Result<Done> Executor::endStep(ItemWalk &walk, const ItemRun &last, const std::stop_token &stop, Samples &samples)
{
    const RepeatedItems *const repeat = walk.endedStep();
    if (repeat == nullptr)
        return Done{};
    SW_TRY(const bool isGoingOn, goesOn(*repeat, stop, samples));
    if (last.step + 1 == repeat->steps)
        return Done{};
    if (isGoingOn) { // the values that the next step begins with are there
        m_stepsMade[static_cast<std::size_t>(repeat - schedule().repeats.data())] = last.step + 2;
        return Done{};
    }
    walk.leaveRepeat();
    for (std::uint32_t item = repeat->first; item < repeat->end; ++item)
        if (!m_isSkipped[item])
            SW_CHECK(m_runner.clearRows(item, *repeat, last.step + 1));
    return Done{};
}

// A scan of which nothing was done, because of conditions, has no further step either.
Result<bool> Executor::goesOn(const RepeatedItems &repeat, const std::stop_token &stop, Samples &samples)
{
    if (!repeat.condition.isValid())
        return true;
    const auto first = m_isSkipped.begin() + repeat.first;
    if (std::all_of(first, m_isSkipped.begin() + repeat.end, [](bool isSkipped) { return isSkipped; }))
        return false;
    return conditionIn(repeat.condition, stop, samples);
}

Result<bool> Executor::conditionIn(BufferId buffer, const std::stop_token &stop, Samples &samples)
{
    const DeviceSlot device = schedule().buffer(buffer).device;
    SW_CHECK(collect(device, kAllQueued, stop, samples));
    SW_TRY(const HostTensor value, m_runner.download(buffer));
    return value.at(0).asBool();
}

std::uint64_t Executor::launchesOfRun() const
{
    std::uint64_t launches = 0;
    for (std::uint32_t item = 0; item < schedule().items.size(); ++item) {
        const RepeatedItems *const repeat = schedule().repeatOf(item);
        if (schedule().items[item].phase == Phase::Run && schedule().items[item].kernel().isValid())
            launches += repeat == nullptr ? 1 : static_cast<std::uint64_t>(estimatedSteps(repeat->steps));
    }
    return launches;
}

Result<Done> Executor::runItem(const ItemRun &run, const std::stop_token &stop, Samples &samples)
{
    if (stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the run was cancelled");
    const std::uint32_t item = run.item;
    const ScheduleItem &what = schedule().items[item];
    if (const RepeatedItems *const repeat = schedule().repeatOf(item))
        m_stepsMade[static_cast<std::size_t>(repeat - schedule().repeats.data())] = run.step + 1;
    SW_TRY(const bool isWanted, holds(what, stop, samples));
    m_isSkipped[item] = !isWanted;
    if (m_onLaunch && !isWanted && what.kernel().isValid())
        m_onLaunch();
    if (!isWanted)
        return Done{};
    if (std::ranges::any_of(m_queues, [](const Queue &queue) { return !queue.empty(); }) &&
        (m_queues.size() > 1 || !what.kernel().isValid())) {
        SW_CHECK(collectRead(item, stop, samples));
        SW_CHECK(collect(waitedForBy(item), stop, samples));
    }
    const bool isTimed = &samples != &m_ignored; // the clock takes as long as a small kernel does
    const auto begin = isTimed ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    SW_TRY(ItemResult done, m_runner.run(run, m_values, stop));
    const std::chrono::nanoseconds wall = isTimed ? std::chrono::steady_clock::now() - begin : std::chrono::nanoseconds(0);
    if (std::holds_alternative<Synchronization>(what.work))
        done.time = wall;
    addTo(m_parts, what.work, done.time, wall);
    if (m_hasConditions)
        for (const BufferId written : usesOf(schedule(), what).writes)
            m_conditions.erase(written);
    const auto read = m_readTimes.extract(item);
    const std::chrono::nanoseconds time = read ? done.time + read.mapped() : done.time;
    if (done.isQueued)
        queueOf(what).push_back({.run = run, .handedOver = wall, .before = time});
    else
        addResult(run, time, done.faults, samples);
    return beginReadsAfter(item, stop);
}

void Executor::addResult(const ItemRun &run, std::chrono::nanoseconds time, std::span<const IndexFault> faults, Samples &samples)
{
    std::vector<std::chrono::nanoseconds> &times = samples[run.item];
    if (&samples == &m_ignored)
        times.clear();
    else if (run.step == 0 || times.empty())
        times.push_back(time);
    else
        times.back() += time;
    const KernelId kernel = schedule().items[run.item].kernel();
    if (m_onLaunch && kernel.isValid())
        m_onLaunch();
    for (const IndexFault &fault : faults)
        m_faults.push_back({kernel, fault});
}

// Conditions that others decide about come after these: what was not written is not read.
Result<bool> Executor::holds(const ScheduleItem &item, const std::stop_token &stop, Samples &samples)
{
    for (const ItemCondition &condition : item.conditions) {
        auto known = m_conditions.find(condition.buffer);
        if (known == m_conditions.end()) {
            SW_TRY(const bool value, conditionIn(condition.buffer, stop, samples));
            known = m_conditions.emplace(condition.buffer, value).first;
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
    SW_CHECK(load(stop));
    const std::uint64_t all = launchesOfRun() * (counts.warmup + counts.repeats);
    std::uint64_t launched = 0;
    m_onLaunch = observer ? [&] { observer(++launched, std::max(launched, all)); } : std::function<void()>();
    for (std::uint32_t round = 0; round < counts.warmup + counts.repeats; ++round)
        SW_CHECK(runRound(round < counts.warmup ? Round::WarmUp : Round::Measured, stop));
    auto result = finish(stop);
    m_onLaunch = nullptr;
    return result;
}

Result<std::chrono::nanoseconds> Executor::runRound(Round round, const std::stop_token &stop)
{
    SW_CHECK(load(stop));
    abandonQueues(); // of a round that failed
    m_faults.resize(m_loadFaults);
    m_conditions.clear();
    m_parts = {};
    Samples &samples = round == Round::Measured ? m_samples : m_ignored;
    makeRoom(schedule(), samples); // nothing is allocated between two launches
    const auto begin = std::chrono::steady_clock::now();
    SW_CHECK(runPhase(Phase::Run, stop, samples));
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
    SW_CHECK(runPhase(Phase::Fetch, stop, m_samples));
    ExecutionResult result;
    result.kernels.resize(schedule().kernels.size());
    for (std::size_t item = 0; item < m_samples.size(); ++item) {
        result.items.push_back(m_samples[item].empty() ? Timing{} : timingOf(m_samples[item]));
        if (const KernelId kernel = schedule().items[item].kernel(); kernel.isValid())
            result.kernels[kernel.value] = result.items.back();
    }
    result.isSkipped = m_isSkipped;
    result.stepsMade = m_stepsMade;
    result.total = timingOf(m_totals);
    result.dimensions = m_dimensions;
    result.parts = m_partsOf[medianRun(m_totals, result.total.median)];
    result.faults = faultDiagnostics(*m_program->lowered, m_faults);
    result.outputs = outputs();
    return result;
}

Result<KernelArguments> Executor::runUpTo(KernelId kernel, const std::stop_token &stop)
{
    const Phase phase = phaseOf(schedule(), kernel);
    if (phase != Phase::Load)
        SW_CHECK(load(stop));
    Samples samples(schedule().items.size());
    ItemWalk walk(schedule(), m_order, phase);
    while (const std::optional<ItemRun> next = walk.next()) {
        const ScheduleItem &item = schedule().items[next->item];
        if (item.kernel() != kernel) {
            SW_CHECK(runItem(*next, stop, samples));
            SW_CHECK(endStep(walk, *next, stop, samples));
            continue;
        }
        SW_TRY(const bool isWanted, holds(item, stop, samples));
        if (!isWanted)
            return Diagnostic::error(Code::Run, schedule().graph->sources().programRange(schedule().kernel(kernel).origin),
                                     "{} does not run with these values: another branch is chosen",
                                     schedule().kernel(kernel).name);
        break;
    }
    SW_CHECK(collectAll(stop, samples));
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
