#include "engine/api/device_figures.h"
#include "engine/api/explorer_implementation.h"
#include "engine/api/program_figures.h"
#include "engine/execute/measure_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <utility>

namespace sw {

namespace {

constexpr double kProgressSteps = 1000;

// Compiled, with its inputs on its devices.
struct ReadyProgram {
    Compilation compilation;
    std::unique_ptr<Executor> executor;
};

Result<ReadyProgram> readyProgram(ProgramCompiler &compiler, const CompileRequest &request, const RunInputs &inputs,
                                  const std::stop_token &stop)
{
    ReadyProgram ready;
    ready.compilation = compiler.compile(request, stop);
    if (!ready.compilation.succeeded)
        return Failure(ready.compilation.diagnostics);
    SW_TRY(const auto values, inputValues(*ready.compilation.graph, inputs));
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(ready.compilation));
    SW_TRY(ready.executor, Executor::prepare(std::move(devices), ready.compilation.program, values, {}, inputs.dimensions));
    return ready;
}

MeasuredSide measuredSide(const Compilation &compilation, const ExecutionResult &result, const RunInputs &inputs,
                          const FiguresStore *figures)
{
    return {programFigures(*compilation.schedule, compilation.lowered.get(), figuresOf(compilation.target, figures)),
            keptOutputs(result, inputs), result.total};
}

} // namespace

std::string firstError(const Diagnostics &diagnostics)
{
    const auto found = std::ranges::find(diagnostics, Severity::Error, &Diagnostic::severity);
    return found == diagnostics.end() ? std::string("it ended without a result") : found->message;
}

Effect Explorer::measureChange(const ChangeRequest &request, std::stop_token stop)
{
    Implementation &own = *m_implementation;
    const auto measured = [&]() -> Result<Effect> {
        std::array<ReadyProgram, 2> programs;
        const std::array wanted{&request.before, &request.after};
        for (std::size_t i = 0; i < programs.size(); ++i) {
            SW_TRY(const CompileRequest compile, own.requestOf(*wanted[i]));
            SW_TRY(programs[i], readyProgram(own.compiler, compile, request.inputs, stop));
        }
        const MeasurePlan plan{.precision = request.precision, .budget = std::chrono::milliseconds(request.budgetMilliseconds)};
        const auto observe = [&](double part) {
            if (request.onProgress)
                request.onProgress(static_cast<std::uint64_t>(std::lround(part * kProgressSteps)),
                                   static_cast<std::uint64_t>(kProgressSteps));
        };
        const std::array executors{programs[0].executor.get(), programs[1].executor.get()};
        SW_TRY(const MeasuredRuns runs, measureInTurn(executors, plan, stop, observe));
        const auto sideAt = [&](std::size_t i) {
            return measuredSide(programs[i].compilation, runs.results[i], request.inputs, own.figures);
        };
        Effect effect = measuredEffect(sideAt(0), sideAt(1), runs.ratios.front(), stop);
        effect.notes = runs.notes;
        return effect;
    };
    Effect failed;
    try {
        Result<Effect> effect = measured();
        if (stop.stop_requested())
            return {};
        if (effect)
            return *std::move(effect);
        failed.error = firstError(effect.error());
    } catch (const std::exception &exception) {
        failed.error = diagnosticOf(exception).message;
    }
    return failed;
}

RoofsAnswer Explorer::roofs(RoofsWanted wanted, std::stop_token stop)
{
    const Implementation &own = *m_implementation;
    if (own.report == nullptr || own.compilation.schedule == nullptr)
        return {{}, "there are no kernels to measure for"};
    const DeviceInfo &device = own.compilation.target.device;
    if (device.kind == DeviceKind::Gpu) {
        const DeviceFigures figures = figuresOf(device, own.figures);
        if (figures.measuredOn.empty())
            return {{}, format("{} has not been measured; a run with repeats does so", device.id)};
        return {roofsOf(figures), {}};
    }
    const std::uint32_t threads = own.compilation.threads == 0 ? device.threads : own.compilation.threads;
    const Result<MachineRoofs> roofs = machineRoofs(own.figures, threads, wanted, stop);
    return roofs ? RoofsAnswer{*roofs, {}} : RoofsAnswer{{}, firstError(roofs.error())};
}

} // namespace sw
