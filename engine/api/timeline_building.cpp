#include "engine/api/timeline_building.h"

#include "engine/schedule/dependencies.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace sw {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

// Adds events with times of the steady clock to lanes that are made when they are first needed.
class TimelineBuilder {
public:
    explicit TimelineBuilder(const RecordedSpan &whole)
    {
        m_timeline.begin = whole.begin.count();
        m_timeline.nanoseconds = (whole.end - whole.begin).count();
    }

    std::uint32_t lane(const std::string &group, const std::string &name)
    {
        const auto found = std::ranges::find_if(
            m_timeline.lanes, [&](const TimelineLane &known) { return known.group == group && known.name == name; });
        const auto number = static_cast<std::uint32_t>(found - m_timeline.lanes.begin());
        if (found == m_timeline.lanes.end())
            m_timeline.lanes.push_back({group, name});
        return number;
    }
    void add(TimelineEvent event, const RecordedSpan &span)
    {
        event.begin = span.begin.count() - m_timeline.begin;
        event.end = std::max(event.begin, span.end.count() - m_timeline.begin);
        m_timeline.nanoseconds = std::max(m_timeline.nanoseconds, event.end);
        m_timeline.events.push_back(std::move(event));
    }
    void note(std::string text) { m_timeline.notes.push_back(std::move(text)); }
    Timeline take()
    {
        std::ranges::stable_sort(m_timeline.events, {},
                                 [](const TimelineEvent &event) { return std::tuple(event.lane, event.begin, -event.end); });
        return std::move(m_timeline);
    }

private:
    Timeline m_timeline;
};

// What a call is for whoever waits for it. Rendering has lanes of its own.
TimelineKind kindOf(CallKind kind)
{
    switch (kind) {
    case CallKind::Open:
    case CallKind::Allocate:
    case CallKind::Launch:
        return TimelineKind::Call;
    case CallKind::Render:
        return TimelineKind::Render;
    case CallKind::Compile:
        return TimelineKind::Compile;
    case CallKind::Finish:
    case CallKind::Synchronize:
        return TimelineKind::Wait;
    case CallKind::Upload:
    case CallKind::Download:
    case CallKind::Copy:
        return TimelineKind::Transfer;
    }
    SW_UNREACHABLE();
}

void addStages(TimelineBuilder &builder, const Compilation &compilation)
{
    const std::uint32_t stages = builder.lane("compiler", "stages");
    const std::uint32_t passes = builder.lane("compiler", "passes");
    const std::uint32_t checks = builder.lane("compiler", "checks");
    for (const NamedTime &time : compilation.times) {
        const Nanoseconds begin = time.begin.time_since_epoch();
        Nanoseconds end = begin + time.time;
        // A stage that passes make ends with the last of them, checks included.
        for (const PassStep &step : compilation.pipeline.steps)
            if (stageTimeName(*step.pass) == time.name)
                end = std::max({end, Nanoseconds(step.begin.time_since_epoch() + step.time),
                                Nanoseconds(step.verifyBegin.time_since_epoch() + step.verifyTime)});
        builder.add({.lane = stages, .kind = TimelineKind::CompilerStage, .name = time.name}, {begin, end});
    }
    for (std::uint32_t i = 0; i < compilation.pipeline.steps.size(); ++i) {
        const PassStep &step = compilation.pipeline.steps[i];
        const Nanoseconds begin = step.begin.time_since_epoch();
        const Nanoseconds end = begin + step.time;
        builder.add({.lane = passes, .kind = TimelineKind::Pass, .name = std::string(step.pass->id), .pass = i}, {begin, end});
        const Nanoseconds check = step.verifyBegin.time_since_epoch();
        if (step.verifyTime.count() > 0)
            builder.add({.lane = checks, .kind = TimelineKind::Check, .name = format("check {}", step.pass->id), .pass = i},
                        {check, check + step.verifyTime});
    }
}

// Sources are made side by side: each has the first lane whose last one is done.
void addRenderings(TimelineBuilder &builder, const Compilation &compilation, const RecordedCalls &calls)
{
    std::vector<const RecordedCall *> renderings;
    for (const RecordedCall &call : calls.calls)
        if (call.kind == CallKind::Render)
            renderings.push_back(&call);
    std::ranges::stable_sort(renderings, {}, [](const RecordedCall *call) { return call->begin; });
    std::vector<Nanoseconds> ends; // by lane, of its last one
    for (const RecordedCall *call : renderings) {
        const auto isDone = [&](Nanoseconds end) { return end <= call->begin; };
        const auto number = static_cast<std::size_t>(std::ranges::find_if(ends, isDone) - ends.begin());
        ends.resize(std::max(ends.size(), number + 1));
        ends[number] = call->end;
        builder.add({.lane = builder.lane("compiler", number == 0 ? "sources" : format("sources {}", number + 1)),
                     .kind = TimelineKind::Render,
                     .name = compilation.schedule->kernel(call->kernel).name,
                     .kernel = call->kernel.value},
                    {call->begin, call->end});
    }
}

void addCompiledKernels(TimelineBuilder &builder, const Compilation &compilation, const RecordedDevice &device)
{
    std::map<std::string, std::uint32_t> kernelOf; // by symbol: the first of those that share a source
    for (std::uint32_t i = 0; i < compilation.code->size(); ++i)
        kernelOf.try_emplace((*compilation.code)[i].symbol, i);
    std::vector<RecordedCompile> compiles = device.compiler.compiles;
    std::ranges::stable_sort(compiles, {}, [](const RecordedCompile &one) { return one.work.thread; });
    for (const RecordedCompile &one : compiles) {
        const auto kernel = kernelOf.find(one.symbol);
        const std::uint32_t index = kernel == kernelOf.end() ? kNoIndex : kernel->second;
        builder.add({.lane = builder.lane(device.id, format("thread {}", one.work.thread)),
                     .kind = TimelineKind::Compile,
                     .name = index == kNoIndex ? one.symbol : compilation.schedule->kernels[index].name,
                     .kernel = index},
                    {one.work.begin, one.work.end});
    }
}

// The names of buffers, by device and the id that they had there: memory is made for them in the schedule's order.
class BufferNames {
public:
    BufferNames(const Schedule &schedule, const std::vector<RecordedDevice> &devices)
    {
        for (std::uint32_t number = 0; number < devices.size(); ++number) {
            std::vector<std::string> names;
            for (const ScheduledBuffer &buffer : schedule.buffers)
                if (schedule.device(buffer.device).id == devices[number].id)
                    names.push_back(buffer.name);
            const RecordedDevice &device = devices[number];
            const std::vector<DeviceBufferId> &ids = device.views.size() == names.size() ? device.views : device.allocated;
            for (std::size_t i = 0; i < names.size() && ids.size() == names.size(); ++i)
                m_names[{number, ids[i]}] = names[i];
        }
    }
    [[nodiscard]] std::string of(const RecordedCall &call) const
    {
        const auto found = m_names.find({call.device, call.buffer});
        return found == m_names.end() ? std::string() : " " + found->second;
    }

private:
    std::map<std::pair<std::uint32_t, DeviceBufferId>, std::string> m_names;
};

class RunTimeline {
public:
    RunTimeline(const Schedule &schedule, const RecordedRun &run)
        : m_schedule(schedule),
          m_run(run),
          m_order(launchOrder(schedule, run)),
          m_names(schedule, run.calls.devices),
          m_builder({run.load.begin, run.fetch.end}),
          m_launchesOf(run.calls.devices.size()),
          m_transfersOf(run.calls.devices.size())
    {
    }

    Timeline make()
    {
        addPhases();
        makeDeviceLanes();
        static_cast<void>(m_builder.lane("host", "calls"));
        for (const RecordedCall &call : m_run.calls.calls)
            add(call);
        addNotes();
        return m_builder.take();
    }

private:
    struct TransfersSoFar {
        std::size_t queued = 0;
        Nanoseconds end{0}; // of the last one
    };

    void addPhases()
    {
        const std::uint32_t lane = m_builder.lane("run", "phases");
        m_builder.add({.lane = lane, .kind = TimelineKind::RunPhase, .name = "load"}, m_run.load);
        for (std::uint32_t round = 0; round < m_run.rounds.size(); ++round)
            m_builder.add({.lane = lane, .kind = TimelineKind::RunPhase, .name = format("run {}", round + 1), .round = round},
                          m_run.rounds[round]);
        m_builder.add({.lane = lane, .kind = TimelineKind::RunPhase, .name = "fetch"}, m_run.fetch);
    }
    // Beforehand, so that threads stand in the order of their numbers.
    void makeDeviceLanes()
    {
        for (const RecordedDevice &device : m_run.calls.devices) {
            static_cast<void>(m_builder.lane(device.id, "kernels"));
            std::uint32_t threads = 0;
            for (const RecordedLaunch &launch : device.runtime.launches)
                for (const WorkSpan &work : launch.threads)
                    threads = std::max(threads, work.thread + 1);
            for (std::uint32_t thread = 0; thread < threads; ++thread)
                static_cast<void>(m_builder.lane(device.id, format("thread {}", thread)));
            static_cast<void>(m_builder.lane(device.id, "transfers"));
        }
    }
    [[nodiscard]] std::uint32_t roundAt(Nanoseconds time) const
    {
        for (std::uint32_t round = 0; round < m_run.rounds.size(); ++round)
            if (time >= m_run.rounds[round].begin && time < m_run.rounds[round].end)
                return round;
        return kNoIndex;
    }
    void add(const RecordedCall &call)
    {
        const RecordedSpan span{call.begin, call.end};
        TimelineEvent event{.lane = m_builder.lane("host", "calls"),
                            .kind = kindOf(call.kind),
                            .name = std::string(nameOf(call.kind)) + m_names.of(call),
                            .bytes = call.bytes,
                            .round = roundAt(call.begin)};
        if (call.kind == CallKind::Launch) {
            addLaunch(call, std::move(event));
            return;
        }
        TimelineEvent calling = event;
        if (call.isQueued)
            calling.kind = TimelineKind::Call;
        m_builder.add(std::move(calling), span);
        if (event.kind == TimelineKind::Transfer)
            addTransfer(call, std::move(event));
    }
    // On the device, which tells itself when it did what was only handed over. What waits for its end begins when all that is
    // queued in front of it is done.
    void addTransfer(const RecordedCall &call, TimelineEvent event)
    {
        const RecordedDevice &device = m_run.calls.devices.at(call.device);
        TransfersSoFar &before = m_transfersOf[call.device];
        RecordedSpan span{call.begin, call.end};
        if (call.isQueued) {
            if (before.queued == device.runtime.transfers.size()) // there was no room for it
                return;
            const RecordedTransfer &transfer = device.runtime.transfers[before.queued++];
            span = {transfer.begin, transfer.end};
        }
        span.begin = std::max(span.begin, before.end);
        before.end = span.end = std::max(span.begin, span.end);
        event.lane = m_builder.lane(device.id, "transfers");
        m_builder.add(std::move(event), span);
    }
    // calling: the call to the device, which waits for the kernel or queues it.
    void addLaunch(const RecordedCall &call, TimelineEvent calling)
    {
        if (m_launches == m_order.kernels.size()) // more than the schedule has: a run that was begun anew
            return;
        const RecordedDevice &device = m_run.calls.devices.at(call.device);
        const KernelId kernel = m_order.kernels[m_launches];
        calling.kernel = kernel.value;
        calling.round = m_order.rounds[m_launches++];
        const std::string &name = m_schedule.kernel(kernel).name;
        calling.name = "launch " + name;
        m_builder.add(calling, {call.begin, call.end});

        TimelineEvent event = calling;
        event.name = name;
        event.kind = TimelineKind::Kernel;
        event.lane = m_builder.lane(device.id, "kernels");
        const std::size_t number = m_launchesOf[call.device]++;
        if (number >= device.runtime.launches.size()) { // it does not tell when; a call returns when its kernel is done
            m_builder.add(event, {call.end - std::min(call.onDevice, call.end - call.begin), call.end});
            return;
        }
        const RecordedLaunch &launch = device.runtime.launches[number];
        m_builder.add(event, {launch.begin, launch.end});
        event.kind = TimelineKind::Work;
        for (const WorkSpan &work : launch.threads) {
            event.lane = m_builder.lane(device.id, format("thread {}", work.thread));
            m_builder.add(event, {work.begin, work.end});
        }
    }
    void addNotes()
    {
        std::uint64_t lost = m_run.calls.lost;
        for (const RecordedDevice &device : m_run.calls.devices) {
            lost += device.runtime.lost;
            const bool isLaunching = m_launchesOf[static_cast<std::size_t>(&device - m_run.calls.devices.data())] > 0;
            if (isLaunching && device.runtime.launches.empty())
                m_builder.note(
                    format("{} does not tell when its kernels ran: their times are right, but each is drawn at the end "
                           "of its launch",
                           device.id));
        }
        for (std::size_t item = 0; item < m_run.isSkipped.size(); ++item)
            if (m_run.isSkipped[item])
                m_builder.note(format("{} did not run: another branch was chosen", titleOf(m_schedule, m_schedule.items[item])));
        if (lost > 0)
            m_builder.note(format("{} launches and calls are missing: there was no room for them", lost));
    }

    const Schedule &m_schedule;
    const RecordedRun &m_run;
    LaunchOrder m_order;
    BufferNames m_names;
    TimelineBuilder m_builder;
    std::size_t m_launches = 0;                // so far
    std::vector<std::size_t> m_launchesOf;     // by device
    std::vector<TransfersSoFar> m_transfersOf; // by device
};

} // namespace

LaunchOrder launchOrder(const Schedule &schedule, const RecordedRun &run)
{
    LaunchOrder order;
    const auto addPhase = [&](Phase phase, std::uint32_t round) {
        const std::vector<ItemRun> items = runsOf(schedule, phase, run.stepsMade).value();
        for (const auto &[item, step] : items)
            if (schedule.items[item].kernel().isValid() && (run.isSkipped.empty() || !run.isSkipped[item])) {
                order.kernels.push_back(schedule.items[item].kernel());
                order.rounds.push_back(round);
            }
    };
    addPhase(Phase::Load, kNoIndex);
    for (std::uint32_t round = 0; round < run.rounds.size(); ++round)
        addPhase(Phase::Run, round);
    addPhase(Phase::Fetch, kNoIndex);
    return order;
}

Timeline timelineOf(const Compilation &compilation, const RecordedCalls &calls, const RecordedSpan &whole)
{
    TimelineBuilder builder(whole);
    addStages(builder, compilation);
    addRenderings(builder, compilation, calls);
    const std::uint32_t calling = builder.lane("compiler", "calls");
    for (const RecordedCall &call : calls.calls)
        if (call.kind != CallKind::Render)
            builder.add({.lane = calling,
                         .kind = kindOf(call.kind),
                         .name = call.device == kNoDevice
                                     ? std::string(nameOf(call.kind))
                                     : format("{}: {}", calls.devices.at(call.device).id, nameOf(call.kind))},
                        {call.begin, call.end});
    for (const RecordedDevice &device : calls.devices) {
        if (compilation.code != nullptr)
            addCompiledKernels(builder, compilation, device);
        if (device.compiler.compiles.empty())
            builder.note(format("{} does not tell when it compiled each kernel", device.id));
    }
    return builder.take();
}

Timeline timelineOf(const Schedule &schedule, const RecordedRun &run)
{
    return RunTimeline(schedule, run).make();
}

} // namespace sw
