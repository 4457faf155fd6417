#include "app/commands/execution.h"

#include "engine/api/checked_accesses.h"
#include "engine/api/session_file/session_file.h"
#include "engine/execute/input_values.h"
#include "engine/execute/run_limit.h"
#include "engine/lowered/work.h"

#include <algorithm>
#include <charconv>
#include <limits>

namespace sw::command {

namespace {

KernelWork workOfKernel(const Execution &execution, std::size_t kernel)
{
    return executedWork(execution.compilation.schedule->kernels.at(kernel), execution.compilation.lowered.get(), kernel,
                        execution.result.dimensions);
}

// Work per nanosecond: for bytes or flops this is GB/s or GFLOP/s. Without work there is no rate.
std::string rateText(std::int64_t amount, std::chrono::nanoseconds time)
{
    if (amount == 0 || time.count() == 0)
        return "-";
    return format("{:.3g}", static_cast<double>(amount) / static_cast<double>(time.count()));
}

// Returns "k0_softmax on c" if there are several devices.
std::string onDevices(const Schedule &schedule, const std::string &name, std::vector<DeviceSlot> slots)
{
    const auto idOf = [&](DeviceSlot slot) { return schedule.device(slot).id; };
    return schedule.devices.size() < 2 ? name : format("{} on {}", name, join(slots, ", ", idOf));
}

std::string medianText(const Timing &time)
{
    return time.runs == 0 ? "did not run" : timeText(time.median);
}

std::string extremeText(const Timing &time, std::chrono::nanoseconds extreme)
{
    return time.runs == 0 ? "-" : timeText(extreme);
}

// Adds the transfers between devices during the run.
void addTransfers(const Execution &execution, const StepEstimates &estimates, std::vector<std::vector<std::string>> &rows)
{
    const Schedule &schedule = *execution.compilation.schedule;
    for (std::size_t i = 0; i < schedule.items.size(); ++i) {
        const ScheduleItem &item = schedule.items[i];
        const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
        if (transfer == nullptr || item.phase != Phase::Run)
            continue;
        const Timing &time = execution.result.items.at(i);
        rows.push_back({onDevices(schedule, titleOf(schedule, item), devicesOf(schedule, item)), medianText(time), bandText(time),
                        extremeText(time, time.min), extremeText(time, time.max),
                        timeText(std::chrono::nanoseconds(estimates.items.at(i))), "-", rateText(transfer->bytes, time.median)});
    }
}

// "kernels 23.1 us, launches 80.4 us, between 12.0 us": lists the parts that took any time.
std::string partsText(const RunParts &parts)
{
    std::vector<std::string> texts;
    for (const NamedPart &part : runPartNames())
        if (const auto time = parts.*part.time; time.count() > 0)
            texts.push_back(format("{} {}", part.name, timeText(time)));
    return join(texts, ", ", [](const std::string &text) { return text; });
}

} // namespace

Result<Prepared> prepare(ProgramCompiler &compiler, const CompileRequest &request, std::uint64_t seed, std::stop_token stop,
                         CheckAccesses check)
{
    Prepared prepared;
    prepared.compilation = compiler.compile(request, stop);
    Compilation &compilation = prepared.compilation;
    if (compilation.cancelled)
        return Diagnostic::error(Code::Cancelled, {}, "compiling was stopped");
    if (!compilation.succeeded)
        return Failure(compilation.diagnostics);
    SW_TRY(const auto values,
           placeholderValues(*compilation.graph, givenInputs(request, compilation), seed, compilation.runDimensions));
    CompiledProgramPtr program = compilation.program;
    if (check == CheckAccesses::Yes) {
        SW_TRY(const CheckedProgram checked, withCheckedAccesses(compiler, compilation, stop));
        program = checked.program;
        compilation.diagnostics.insert(compilation.diagnostics.end(), checked.notes.begin(), checked.notes.end());
    }
    SW_TRY(std::vector<OpenedDevice *> devices, compiler.openedDevices(compilation));
    SW_TRY(prepared.executor, Executor::prepare(std::move(devices), program, values, {}, compilation.runDimensions));
    return prepared;
}

Result<Execution> execute(ProgramCompiler &compiler, const CompileRequest &request, std::uint64_t seed, RunCounts counts,
                          std::stop_token stop, std::chrono::milliseconds limit, CheckAccesses check)
{
    SW_TRY(Prepared prepared, prepare(compiler, request, seed, stop, check));
    const RunLimit ended(limit, stop);
    Result<ExecutionResult> result = prepared.executor->run(counts, ended.token());
    if (!result)
        return Failure(ended.errorsOf(result.error()));
    return Execution{std::move(prepared.compilation), *std::move(result)};
}

Result<std::chrono::milliseconds> limitFrom(const Arguments &arguments)
{
    constexpr double kMost = 1e6; // seconds
    if (!arguments.has("--limit"))
        return std::chrono::milliseconds(0);
    const std::string word = arguments.value("--limit", {});
    double seconds = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
    if (error != std::errc() || end != word.data() + word.size() || !(seconds >= 0.001 && seconds <= kMost))
        return Diagnostic::error(Code::Argument, {}, "--limit needs seconds from 0.001 to {:g}, not {}", kMost, sw::quoted(word));
    return std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000));
}

Result<Done> compareWithUnedited(Execution &execution, ProgramCompiler &compiler, CompileRequest request, std::uint64_t seed,
                                 const std::stop_token &stop)
{
    if (!execution.compilation.hasEditedCode())
        return Done{};
    std::erase_if(request.options.overrides.items, [](const Override &item) { return item.kind == OverrideKind::Code; });
    SW_TRY(const Execution unedited, execute(compiler, request, seed, {}, stop));
    execution.verdict = compareOutputs(unedited.result.outputs, execution.result.outputs, stop);
    return Done{};
}

std::string verdictText(const Execution &execution)
{
    if (!execution.verdict)
        return {};
    const bool isWrong = execution.verdict->agree == ValuesAgree::Different;
    return format("{}with the edited code, {}\n\n", isWrong ? "WRONG: " : "", execution.verdict->text);
}

void writeVerdict(JsonWriter &json, const Execution &execution)
{
    if (!execution.verdict)
        return;
    json.key("edited_results").beginObject().field("agree", execution.verdict->agree != ValuesAgree::Different);
    json.field("max_ulp", execution.verdict->maxUlp).field("text", execution.verdict->text).endObject();
}

ExitCode exitCodeWith(ExitCode code, const Execution &execution)
{
    const bool isWrong = execution.verdict && execution.verdict->agree == ValuesAgree::Different;
    return code == ExitCode::Success && isWrong ? ExitCode::Different : code;
}

OutputLimits limitsOf(const Execution &execution, const CompileRequest &request, std::uint64_t seed, const std::stop_token &stop)
{
    const Compilation &compilation = execution.compilation;
    const auto *first = compilation.pipeline.steps.empty() ? nullptr : &compilation.pipeline.steps.front().before;
    const auto *program = first == nullptr ? nullptr : std::get_if<GraphPtr>(first);
    if (program == nullptr)
        return {{}, "lowered instructions do not say what program they are of"};
    const auto values = placeholderValues(**program, givenInputs(request, compilation), seed, compilation.runDimensions);
    if (!values)
        return {{}, values.error().front().message};
    return outputLimitsOf(*program, *values, compilation.runDimensions, stop);
}

Result<std::uint64_t> seedOf(const Arguments &arguments)
{
    std::uint64_t otherwise = 1;
    if (const std::string &file = arguments.positional().front(); isSessionFile(file) && !arguments.has("--seed")) {
        SW_TRY(const SessionContents session, openSession(file));
        otherwise = session.inputs.seed;
    }
    return arguments.number("--seed", otherwise, 0, std::numeric_limits<std::uint64_t>::max());
}

void writeKernels(JsonWriter &json, const Execution &execution, const StepEstimates &estimates)
{
    json.key("kernels").beginArray();
    const std::vector<ScheduledKernel> &kernels = execution.compilation.schedule->kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        json.beginObject().field("name", kernels[i].name);
        if (execution.compilation.schedule->devices.size() > 1)
            json.field("device", execution.compilation.schedule->device(kernels[i].device).id);
        writeTiming(json, "ns", execution.result.kernels.at(i));
        json.field("estimate_ns", estimates.kernels.at(i));
        const KernelWork work = workOfKernel(execution, i);
        json.field("flops", work.flops).field("math_flops", kernels[i].estimate.flops).field("bytes", work.bytes()).endObject();
    }
    json.endArray();
}

void writeSteps(JsonWriter &json, const Execution &execution)
{
    const Schedule &schedule = *execution.compilation.schedule;
    json.key("steps").beginArray();
    for (std::size_t i = 0; i < schedule.items.size(); ++i) {
        json.beginObject().field("name", titleOf(schedule, schedule.items[i]));
        json.field("phase", nameOf(schedule.items[i].phase));
        writeTiming(json, "ns", execution.result.items.at(i));
        json.endObject();
    }
    json.endArray();
}

void writeParts(JsonWriter &json, const Execution &execution)
{
    json.key("parts").beginObject();
    for (const NamedPart &part : runPartNames())
        json.field(part.name, static_cast<std::int64_t>((execution.result.parts.*part.time).count()));
    json.endObject();
}

std::string kernelTable(const Execution &execution, const StepEstimates &estimates)
{
    const Schedule &schedule = *execution.compilation.schedule;
    std::vector<std::vector<std::string>> rows{
        {"kernel", "median", "95 % band", "min", "max", "estimate", "GFLOP/s", "GB/s", "flop", "mathematical flop"}};
    const std::vector<ScheduledKernel> &kernels = schedule.kernels;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const Timing &time = execution.result.kernels.at(i);
        const KernelWork work = workOfKernel(execution, i);
        rows.push_back({onDevices(schedule, kernels[i].name, {kernels[i].device}), medianText(time), bandText(time),
                        extremeText(time, time.min), extremeText(time, time.max),
                        timeText(std::chrono::nanoseconds(estimates.kernels.at(i))), rateText(work.flops, time.median),
                        rateText(work.bytes(), time.median), work.flops == 0 ? "-" : format("{}", work.flops),
                        work.flops == kernels[i].estimate.flops ? "" : format("{}", kernels[i].estimate.flops)});
    }
    addTransfers(execution, estimates, rows);
    const Timing &total = execution.result.total;
    rows.push_back({"total", timeText(total.median), bandText(total), timeText(total.min), timeText(total.max)});
    return format("{}\nof {}: {}\n{}", tableText(rows), timeText(total.median), partsText(execution.result.parts),
                  estimatesText(schedule, estimates));
}

} // namespace sw::command
