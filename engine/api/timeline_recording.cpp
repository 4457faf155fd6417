#include "engine/api/timeline_recording.h"

#include "engine/api/compilation.h"
#include "engine/api/timeline_building.h"

#include <algorithm>
#include <filesystem>

namespace sw {

namespace {

using Nanoseconds = std::chrono::nanoseconds;

constexpr std::uint32_t kMostCountedRuns = 20;

std::int64_t lowerMedian(std::vector<std::int64_t> values)
{
    if (values.empty())
        return 0;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
    std::ranges::nth_element(values, middle);
    return *middle;
}

class Recording {
public:
    Recording(const BackendRegistry &registry, const CompileRequest &request, const TimelineOptions &options,
              const std::stop_token &stop)
        : m_request(request), m_options(options), m_stop(stop), m_compiler(m_registry)
    {
        addRecordingBackends(m_registry, registry, m_log);
    }

    Result<RecordedTimelines> record(const std::function<RunInputs(const Compilation &)> &inputs)
    {
        SW_CHECK(compile());
        RecordedTimelines made;
        made.title = format("{} on {}", std::filesystem::path(m_request.program.fileName).filename().string(),
                            m_compilation.target.device.id);
        made.compilation = timelineOf(m_compilation, m_compiling, m_compileSpan);
        const RunInputs chosen = inputs(m_compilation);
        SW_TRY(const auto values, inputValues(*m_compilation.graph, chosen));
        const Schedule &schedule = *m_compilation.schedule;
        SW_TRY(const RecordedRun timed, ran(values, chosen, WithCounters::No));
        made.run = timelineOf(schedule, timed);
        made.rounds = static_cast<std::uint32_t>(timed.rounds.size());
        made.medianRound = medianRoundOf(timed);
        made.kernels = kernelsOf(schedule, made.run);
        if (m_options.counters == WithCounters::Yes)
            SW_CHECK(count(schedule, values, chosen, made));
        return made;
    }

private:
    Result<Done> compile()
    {
        SW_CHECK(m_log.start(WithCounters::No));
        m_compileSpan.begin = steadyNow();
        m_compilation = m_compiler.compile(m_request, m_stop);
        m_compileSpan.end = steadyNow();
        SW_TRY(m_compiling, m_log.take());
        if (m_compilation.cancelled)
            return Diagnostic::error(Code::Cancelled, {}, "compiling was stopped");
        if (!m_compilation.succeeded || m_compilation.program == nullptr)
            return Failure(m_compilation.diagnostics);
        // What compilers do in the background is not a part of the run.
        SW_TRY(const std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        for (OpenedDevice *const device : devices)
            SW_CHECK(device->finishCompiling(m_stop));
        return Done{};
    }

    Result<RecordedRun> ran(std::span<const HostTensor> values, const RunInputs &inputs, WithCounters counters)
    {
        RecordedRun run;
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(m_compilation));
        SW_CHECK(m_log.start(counters));
        run.load.begin = steadyNow();
        SW_TRY(const auto executor, Executor::prepare(std::move(devices), m_compilation.program, values, {}, inputs.dimensions));
        SW_CHECK(executor->load(m_stop));
        run.load.end = steadyNow();
        const std::uint32_t most = counters == WithCounters::Yes ? kMostCountedRuns : m_options.rounds;
        for (std::uint32_t round = 0; round < std::clamp<std::uint32_t>(m_options.rounds, 1, most); ++round) {
            RecordedSpan &span = run.rounds.emplace_back();
            span.begin = steadyNow();
            SW_CHECK(executor->runRound(Round::Measured, m_stop));
            span.end = steadyNow();
        }
        run.fetch.begin = steadyNow();
        SW_TRY(const ExecutionResult result, executor->finish(m_stop));
        run.fetch.end = steadyNow();
        SW_TRY(run.calls, m_log.take());
        run.isSkipped = result.isSkipped;
        run.stepsMade = result.stepsMade;
        if (!result.faults.empty())
            return Failure(result.faults);
        return run;
    }

    static std::uint32_t medianRoundOf(const RecordedRun &run)
    {
        std::vector<std::int64_t> times;
        for (const RecordedSpan &round : run.rounds)
            times.push_back((round.end - round.begin).count());
        return static_cast<std::uint32_t>(std::ranges::find(times, lowerMedian(times)) - times.begin());
    }

    static std::vector<KernelActivity> kernelsOf(const Schedule &schedule, const Timeline &run)
    {
        std::vector<std::vector<std::int64_t>> times(schedule.kernels.size());
        std::vector<std::vector<std::int64_t>> gaps(schedule.kernels.size());
        for (const TimelineEvent &event : run.events)
            if (event.kind == TimelineKind::Kernel)
                times[event.kernel].push_back(event.nanoseconds());
        for (const TimelineGap &gap : gapsOf(run))
            if (run.events[gap.before].kind == TimelineKind::Kernel)
                gaps[run.events[gap.before].kernel].push_back(gap.nanoseconds());
        std::vector<KernelActivity> kernels;
        for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
            kernels.push_back({.name = schedule.kernels[i].name,
                               .device = schedule.device(schedule.kernels[i].device).id,
                               .medianNanoseconds = lowerMedian(times[i]),
                               .medianGap = lowerMedian(gaps[i]),
                               .counts = {}});
        return kernels;
    }

    Result<Done> count(const Schedule &schedule, std::span<const HostTensor> values, const RunInputs &inputs,
                       RecordedTimelines &to)
    {
        SW_TRY(const RecordedRun run, ran(values, inputs, WithCounters::Yes));
        std::vector<std::size_t> launchesOf(run.calls.devices.size());
        const LaunchOrder order = launchOrder(schedule, run);
        std::size_t launches = 0;
        for (const RecordedCall &call : run.calls.calls) {
            if (call.kind != CallKind::Launch || launches == order.kernels.size())
                continue;
            const RecordedWork &work = run.calls.devices.at(call.device).runtime;
            const std::size_t number = launchesOf[call.device]++;
            KernelActivity &kernel = to.kernels.at(order.kernels[launches++].value);
            if (number >= work.launches.size() || work.launches[number].counts.isEmpty())
                continue;
            kernel.counts += work.launches[number].counts;
            ++kernel.countedRuns;
        }
        for (const RecordedDevice &device : run.calls.devices)
            if (to.noCounters.empty())
                to.noCounters = device.runtime.noCounters;
        const bool isNothing = std::ranges::all_of(to.kernels, [](const KernelActivity &one) { return one.countedRuns == 0; });
        if (isNothing && to.noCounters.empty())
            to.noCounters = format("{} does not count", m_compilation.target.device.id);
        return Done{};
    }

    const CompileRequest &m_request;
    const TimelineOptions &m_options;
    const std::stop_token &m_stop;
    CallLog m_log;
    BackendRegistry m_registry;
    ProgramCompiler m_compiler; // before its registry goes
    Compilation m_compilation;
    RecordedSpan m_compileSpan;
    RecordedCalls m_compiling;
};

} // namespace

Result<RecordedTimelines> recordTimelines(const BackendRegistry &registry, const CompileRequest &request,
                                          const std::function<RunInputs(const Compilation &)> &inputs,
                                          const TimelineOptions &options, const std::stop_token &stop)
{
    return Recording(registry, request, options, stop).record(inputs);
}

} // namespace sw
