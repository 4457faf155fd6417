#include "app/commands/commands.h"
#include "app/commands/measuring.h"
#include "engine/api/sweep_run.h"
#include "engine/base/whole_file.h"

#include <array>

namespace sw::command {

namespace {

constexpr auto kFixedOptions = optionsOf(
    std::array{kDeviceOption, kInputOption, kDimensionOption, kSeedOption, kThreadsOption, kOverridesOption}, kSwitchOptions);

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

Result<SweepPlan> planOfSweep(const Arguments &arguments)
{
    struct Given {
        Swept swept = Swept::Dimension;
        std::string range;
    };
    std::vector<Given> given;
    for (const std::string &dimension : arguments.values("--dim"))
        if (isRange(dimension))
            given.push_back({Swept::Dimension, dimension});
    if (const std::string threads = arguments.value("--threads", {}); isRange(threads))
        given.push_back({Swept::Threads, "threads=" + threads});
    if (arguments.has("--tile"))
        given.push_back({Swept::Tile, arguments.value("--tile", {})});
    if (given.size() != 1)
        return Diagnostic::error(
            Code::Argument, {},
            "sweep needs one range: --dim NAME=LOW..HIGH, --threads LOW..HIGH or --tile KERNEL:AXIS=LOW..HIGH");
    SweepPlan plan;
    plan.swept = given.front().swept;
    SW_TRY(plan.range, sweepRangeIn(given.front().range));
    if (plan.swept == Swept::Threads && plan.range.high > kMostSweptThreads)
        return Diagnostic::error(Code::Argument, {}, "a device has at most {} threads, not {}", kMostSweptThreads,
                                 plan.range.high);
    if (plan.swept == Swept::Tile) {
        SW_TRY(plan.tile, sweptTileIn(plan.range.name));
    }
    SW_TRY(plan.measure, planOf(arguments, {}));
    if (!arguments.has("--budget"))
        plan.measure.budget = kSweepBudget;
    return plan;
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
    std::string text = format("{}\n\n{}", sweep.title, tableText(rows));
    for (const std::string &note : sweep.notes)
        text += format("note: {}\n", note);
    return text;
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
    json.endArray().key("notes").beginArray();
    for (const std::string &note : sweep.notes)
        json.value(note);
    json.endArray().endObject();
    return json.text();
}

} // namespace

Outcome sweep(const Arguments &arguments, const Environment &environment)
{
    const Result<SweepPlan> plan = planOfSweep(arguments);
    const Result<std::uint64_t> seed = seedOf(arguments);
    if (!plan || !seed)
        return usageFailed(plan ? seed.error() : plan.error());
    const Result<Arguments> fixed = fixedArguments(arguments);
    if (!fixed)
        return usageFailed(fixed.error());
    const Result<CompileRequest> request = requestOf(*fixed, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    ProgramCompiler compiler(environment.registry);
    Sweep made;
    Outcome outcome;
    const auto inputs = [&](const Compilation &compilation) { return runInputsOf(*request, compilation, *seed); };
    if (const Result<Done> ended = runSweep(compiler, *plan, *request, inputs, made, environment.stop); !ended)
        outcome = failed(ended.error()); // what was measured before is not lost
    if (made.points.empty() && !made.notes.empty())
        return failed({Diagnostic::error(Code::Argument, {}, "no value can be measured; {}", made.notes.front())});
    if (made.points.empty())
        return outcome;
    if (arguments.has("-o"))
        if (const Result<Done> written = writeWholeFile(arguments.value("-o", {}), {svgOf(made)}); !written)
            return failed(written.error());
    outcome.output = arguments.has("--csv") ? csvOf(made) : arguments.has("--json") ? jsonText(made) : plainText(made);
    return outcome;
}

} // namespace sw::command
