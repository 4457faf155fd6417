#include "engine/api/sweep_run.h"

#include "engine/api/explanation.h"
#include "engine/api/override_notes.h"
#include "engine/api/report_parts.h"
#include "engine/execute/measure_runs.h"
#include "engine/graph/value_path.h"
#include "engine/loops/transform.h"
#include "engine/passes/overrides.h"

#include <algorithm>
#include <filesystem>

namespace sw {

namespace {

class SweepRun {
public:
    SweepRun(ProgramCompiler &compiler, const SweepPlan &plan, const CompileRequest &request,
             const std::function<RunInputs(const Compilation &)> &inputs, const std::stop_token &stop)
        : m_compiler(compiler), m_plan(plan), m_request(request), m_inputs(inputs), m_stop(stop)
    {
    }

    Result<Done> run(Sweep &sweep, const SweepObserver &observer)
    {
        const std::string device = m_request.device.empty() ? std::string(kUsualDevice) : m_request.device;
        sweep.name = m_plan.range.name;
        sweep.title = format("{} on {}", std::filesystem::path(m_request.program.fileName).filename().string(), device);
        if (m_plan.swept == Swept::Tile)
            SW_CHECK(findTile());
        for (const std::int64_t value : sweepValues(m_plan.range)) {
            SW_TRY(const CompileRequest own, requestAt(value));
            SW_TRY(std::optional<SweepPoint> point, pointAt(own, value, sweep.notes));
            if (!point)
                continue;
            sweep.points.push_back(*std::move(point));
            if (observer)
                observer(sweep);
        }
        return Done{};
    }

private:
    // A model is compiled for its dimensions; a program is compiled with the dimension fixed, because otherwise it would be
    // compiled once, for the largest.
    [[nodiscard]] Result<CompileRequest> requestAt(std::int64_t value) const
    {
        CompileRequest request = m_request;
        switch (m_plan.swept) {
        case Swept::Threads:
            request.threads = static_cast<std::uint32_t>(value);
            return request;
        case Swept::Tile: {
            Override tiled = m_tiled;
            tiled.transforms[m_tile].factor = value;
            // The first of those that contradict each other counts.
            request.options.overrides.items.insert(request.options.overrides.items.begin(), std::move(tiled));
            return request;
        }
        case Swept::Dimension:
            if (request.program.fileName.ends_with(".sw")) {
                if (!request.program.isText) {
                    SW_TRY(request.program.text, readTextFile(request.program.fileName));
                    request.program.isText = true;
                }
                SW_TRY(request.program.text, withFixedDimension(request.program.text, m_plan.range.name, value));
            }
            request.program.dimensions[m_plan.range.name] = value;
            return request;
        }
        SW_UNREACHABLE();
    }

    Result<Done> findTile()
    {
        CompileRequest request = m_request;
        request.until = CompileUntil::Lowered;
        const Compilation compilation = m_compiler.compile(request, m_stop);
        SW_CHECK(checked(compilation));
        const Schedule &schedule = *compilation.schedule;
        const auto kernel = std::ranges::find(schedule.kernels, m_plan.tile.kernel, &ScheduledKernel::name);
        if (kernel == schedule.kernels.end() || compilation.loops == nullptr)
            return Diagnostic::error(Code::Argument, {}, "there is no kernel {}; there are {}", sw::quoted(m_plan.tile.kernel),
                                     join(schedule.kernels, ", ", [](const ScheduledKernel &known) { return known.name; }));
        const LoopNest &nest = *compilation.loops->nests.at(static_cast<std::size_t>(kernel - schedule.kernels.begin()));
        const auto isTile = [&](const Transform &one) {
            return one.kind == TransformKind::Split && one.axes.front() == m_plan.tile.axis;
        };
        const auto found = std::ranges::find_if(nest.transforms, isTile);
        if (found == nest.transforms.end())
            return Diagnostic::error(Code::Argument, {}, "{} has no split of {}; its transformations are {}", kernel->name,
                                     sw::quoted(m_plan.tile.axis),
                                     join(nest.transforms, "; ", [](const Transform &one) { return toText(one); }));
        m_tile = static_cast<std::size_t>(found - nest.transforms.begin());
        m_tiled = loopsOf(nest, schedule, ValuePaths(*schedule.graph));
        return Done{};
    }

    static Result<Done> checked(const Compilation &compilation)
    {
        if (compilation.cancelled)
            return Diagnostic::error(Code::Cancelled, {}, "the sweep was stopped");
        if (!compilation.succeeded)
            return Failure(compilation.diagnostics);
        return Done{};
    }

    // Nothing: the compiler refuses the tile, and a note says why.
    Result<std::optional<SweepPoint>> pointAt(const CompileRequest &request, std::int64_t value, std::vector<std::string> &notes)
    {
        const Compilation compilation = m_compiler.compile(request, m_stop);
        SW_CHECK(checked(compilation));
        if (m_plan.swept == Swept::Tile)
            if (const std::string refusal = refusalOf(compilation); !refusal.empty()) {
                notes.push_back(format("{} = {}: {}", m_plan.range.name, value, refusal));
                return std::optional<SweepPoint>();
            }
        const RunInputs inputs = m_inputs(compilation);
        SW_TRY(const auto values, inputValues(*compilation.graph, inputs));
        SW_TRY(std::vector<OpenedDevice *> devices, m_compiler.openedDevices(compilation));
        SW_TRY(const auto executor, Executor::prepare(std::move(devices), compilation.program, values, {}, inputs.dimensions));
        Executor *const only = executor.get();
        SW_TRY(const MeasuredRuns runs, measureInTurn({&only, 1}, m_plan.measure, m_stop));
        SweepPoint point;
        point.value = value;
        point.time = runs.results.front().total;
        for (const KernelEntry &kernel : kernelEntries(compilation))
            point.flops += kernel.flops;
        point.kernels = compilation.schedule->kernels.size();
        std::vector<KernelDecisions> now = decisionsOf(compilation);
        if (!m_decisions.empty())
            point.changes = changedDecisions(m_decisions, now);
        m_decisions = std::move(now);
        return std::optional(std::move(point));
    }

    // Of the override that makes the tile, which is the first one.
    static std::string refusalOf(const Compilation &compilation)
    {
        const std::vector<OverrideOutcome> outcomes = outcomesOf(compilation);
        if (outcomes.empty() || outcomes.front().state != OverrideState::Refused)
            return {};
        return outcomes.front().reason;
    }

    ProgramCompiler &m_compiler;
    const SweepPlan &m_plan;
    const CompileRequest &m_request;
    const std::function<RunInputs(const Compilation &)> &m_inputs;
    const std::stop_token &m_stop;
    Override m_tiled;       // Tile: with the size that the compiler chose
    std::size_t m_tile = 0; // of its transformations
    std::vector<KernelDecisions> m_decisions;
};

} // namespace

Result<SweptTile> sweptTileIn(std::string_view text)
{
    const std::size_t colon = text.find(':');
    if (colon == std::string_view::npos || colon == 0 || colon + 1 == text.size())
        return Diagnostic::error(Code::Argument, {}, "a tile is KERNEL:AXIS, such as k0_y:i0, not {}",
                                 sw::quoted(std::string(text)));
    return SweptTile{std::string(text.substr(0, colon)), std::string(text.substr(colon + 1))};
}

Result<Done> runSweep(ProgramCompiler &compiler, const SweepPlan &plan, const CompileRequest &request,
                      const std::function<RunInputs(const Compilation &)> &inputs, Sweep &sweep, const std::stop_token &stop,
                      const SweepObserver &observer)
{
    return SweepRun(compiler, plan, request, inputs, stop).run(sweep, observer);
}

} // namespace sw
