#include "engine/api/sweep.h"
#include "app/commands/commands.h"
#include "app/commands/measuring.h"
#include "engine/api/report_parts.h"
#include "engine/base/whole_file.h"

#include <array>
#include <filesystem>

namespace sw::command {

namespace {

constexpr std::chrono::milliseconds kBudgetOfAPoint{300};
constexpr std::int64_t kMostThreads = 4096;

enum class Swept : std::uint8_t { Dimension, Threads };

struct Plan {
    Swept swept = Swept::Dimension;
    SweepRange range;
    MeasurePlan measure;
    std::uint64_t seed = 1;
};

constexpr std::array kFixedOptions{kDeviceOption,  kInputOption,     kDimensionOption, kSeedOption,
                                   kThreadsOption, kOverridesOption, kNoFuseOption,    kNoOptimizeOption};

bool isRange(const std::string &text)
{
    return text.find("..") != std::string::npos;
}

// What every point has: all but the range.
Result<Arguments> fixedArguments(const Arguments &arguments)
{
    std::vector<std::string> words{"--", arguments.positional().front()};
    for (const OptionInfo &option : kFixedOptions)
        for (const std::string &value : arguments.values(option.name)) {
            const bool isSwept = isRange(value) && (option.name == kDimensionOption.name || option.name == kThreadsOption.name);
            if (isSwept)
                continue;
            words.insert(words.begin(), std::string(option.name));
            if (!option.value.empty())
                words.insert(words.begin() + 1, value);
        }
    return Arguments::parse(words, kFixedOptions);
}

Result<Plan> planOfSweep(const Arguments &arguments)
{
    std::vector<std::string> ranges;
    for (const std::string &dimension : arguments.values("--dim"))
        if (isRange(dimension))
            ranges.push_back(dimension);
    const std::string threads = arguments.value("--threads", {});
    const bool hasThreads = isRange(threads);
    if (ranges.size() + (hasThreads ? 1 : 0) != 1)
        return Diagnostic::error(Code::Argument, {}, "sweep needs one range: --dim NAME=LOW..HIGH or --threads LOW..HIGH");
    Plan plan;
    plan.swept = hasThreads ? Swept::Threads : Swept::Dimension;
    SW_TRY(plan.range, sweepRangeIn(hasThreads ? "threads=" + threads : ranges.front()));
    if (hasThreads && plan.range.high > kMostThreads)
        return Diagnostic::error(Code::Argument, {}, "a device has at most {} threads, not {}", kMostThreads, plan.range.high);
    SW_TRY(plan.measure, planOf(arguments, {}));
    if (!arguments.has("--budget"))
        plan.measure.budget = kBudgetOfAPoint;
    SW_TRY(plan.seed, seedOf(arguments));
    return plan;
}

// A model is compiled for its dimensions; a program is compiled with the dimension fixed, because otherwise it would be compiled
// once, for the largest.
Result<CompileRequest> requestAt(const Plan &plan, CompileRequest request, std::int64_t value)
{
    if (plan.swept == Swept::Threads) {
        request.threads = static_cast<std::uint32_t>(value);
        return request;
    }
    if (request.program.fileName.ends_with(".sw")) {
        if (!request.program.isText) {
            SW_TRY(request.program.text, readTextFile(request.program.fileName));
            request.program.isText = true;
        }
        SW_TRY(request.program.text, withFixedDimension(request.program.text, plan.range.name, value));
    }
    request.program.dimensions[plan.range.name] = value;
    return request;
}

Result<SweepPoint> pointAt(ProgramCompiler &compiler, const Plan &plan, const CompileRequest &request,
                           std::vector<KernelDecisions> &decisions, const std::stop_token &stop)
{
    std::vector<Prepared> prepared;
    SW_TRY(Prepared one, prepare(compiler, request, plan.seed, stop));
    prepared.push_back(std::move(one));
    SW_TRY(const Measured measured, measure(std::move(prepared), {plan.measure, {}}, stop));
    const Execution &execution = measured.executions.front();
    SweepPoint point;
    point.time = execution.result.total;
    for (const KernelEntry &kernel : kernelEntries(execution.compilation))
        point.flops += kernel.flops;
    point.kernels = execution.compilation.schedule->kernels.size();
    std::vector<KernelDecisions> now = decisionsOf(execution.compilation);
    if (!decisions.empty())
        point.changes = changedDecisions(decisions, now);
    decisions = std::move(now);
    return point;
}

std::string plainText(const Sweep &sweep)
{
    std::vector<std::vector<std::string>> rows{
        {sweep.name, "median", "95 % band", "GFLOP/s", "kernels", "what is decided otherwise"}};
    for (const SweepPoint &point : sweep.points) {
        const std::string rate = point.flops > 0 ? format("{:.3g}", point.flopsPerNanosecond()) : "-";
        rows.push_back({format("{}", point.value), timeText(point.time.median), bandText(point.time), rate,
                        format("{}", point.kernels), point.changes.empty() ? "" : point.changes.front()});
        for (std::size_t i = 1; i < point.changes.size(); ++i)
            rows.push_back({"", "", "", "", "", point.changes[i]});
    }
    return format("{}\n\n{}", sweep.title, tableText(rows));
}

std::string jsonText(const Sweep &sweep)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("name", sweep.name).key("points").beginArray();
    for (const SweepPoint &point : sweep.points) {
        json.beginObject().field("value", point.value);
        writeTiming(json, "ns", point.time);
        json.field("flops", point.flops).field("gflop_per_s", point.flopsPerNanosecond());
        json.field("kernels", static_cast<std::uint64_t>(point.kernels)).key("changes").beginArray();
        for (const std::string &change : point.changes)
            json.value(change);
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

} // namespace

Outcome sweep(const Arguments &arguments, const Environment &environment)
{
    const Result<Plan> plan = planOfSweep(arguments);
    if (!plan)
        return usageFailed(plan.error());
    const Result<Arguments> fixed = fixedArguments(arguments);
    if (!fixed)
        return usageFailed(fixed.error());
    const Result<CompileRequest> request = requestOf(*fixed, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    Sweep made{plan->range.name, {}, {}};
    std::vector<KernelDecisions> decisions;
    Outcome outcome;
    for (const std::int64_t value : sweepValues(plan->range)) {
        const auto point = [&]() -> Result<SweepPoint> {
            SW_TRY(const CompileRequest own, requestAt(*plan, *request, value));
            return pointAt(compiler, *plan, own, decisions, environment.stop);
        }();
        if (!point) { // what was measured before is not lost
            outcome = failed(point.error());
            break;
        }
        made.points.push_back(*point);
        made.points.back().value = value;
    }
    const std::string device = request->device.empty() ? std::string(kUsualDevice) : request->device;
    made.title = format("{} on {}", std::filesystem::path(request->program.fileName).filename().string(), device);
    if (made.points.empty())
        return outcome;
    if (arguments.has("-o"))
        if (const Result<Done> written = writeWholeFile(arguments.value("-o", {}), {svgOf(made)}); !written)
            return failed(written.error());
    outcome.output = arguments.has("--csv") ? csvOf(made) : arguments.has("--json") ? jsonText(made) : plainText(made);
    return outcome;
}

} // namespace sw::command
