#include "engine/api/tune/use_tunings.h"

#include "app/commands/commands.h"
#include "app/commands/measuring.h"
#include "engine/base/whole_file.h"

#include <algorithm>

namespace sw::command {

namespace {

constexpr std::uint64_t kMostCandidates = 1'000'000;

Result<TunePlan> tunePlanOf(const Arguments &arguments)
{
    TunePlan plan;
    SW_TRY(plan.seed, seedOf(arguments));
    SW_TRY(const std::uint64_t candidates, arguments.number("--candidates", 0, 1, kMostCandidates));
    plan.candidates = static_cast<std::size_t>(candidates);
    if (arguments.has("--budget")) {
        SW_TRY(const MeasurePlan measure, planOf(arguments, {}));
        plan.budget = measure.budget;
    } else if (plan.candidates > 0) {
        plan.budget = {};
    }
    return plan;
}

// Of the kernel that --kernel means; empty without it.
Result<std::string> kernelName(ProgramCompiler &compiler, const Arguments &arguments, CompileRequest request,
                               const std::stop_token &stop)
{
    if (!arguments.has("--kernel"))
        return std::string();
    request.until = CompileUntil::Lowered;
    const Compilation compilation = compiler.compile(request, stop);
    if (!compilation.succeeded)
        return Failure(compilation.diagnostics);
    SW_TRY(const KernelId kernel, wantedKernel(arguments, *compilation.schedule));
    return compilation.schedule->kernel(kernel).name;
}

std::string cyclesText(const Candidate &candidate)
{
    return candidate.predictedCycles ? format("{:.3g}", *candidate.predictedCycles) : "-";
}

std::string bandText(const CandidateTrial &trial)
{
    const auto text = [](double nanoseconds) {
        return timeText(std::chrono::nanoseconds(static_cast<std::int64_t>(nanoseconds)));
    };
    return trial.nanoseconds.median > 0 ? format("{} ... {}", text(trial.nanoseconds.low), text(trial.nanoseconds.high)) : "-";
}

std::string medianText(const CandidateTrial &trial)
{
    if (trial.nanoseconds.median <= 0)
        return "-";
    return timeText(std::chrono::nanoseconds(static_cast<std::int64_t>(trial.nanoseconds.median)));
}

std::string tableOf(const KernelTuning &tuning)
{
    const SearchResult &search = tuning.search;
    std::vector<std::vector<std::string>> rows{
        {"candidate", "from", "model's cycles", "median", "95 % band", "time", "verdict", "changes to the model's choice"}};
    for (std::size_t i = 0; i < search.candidates.size(); ++i) {
        const Candidate &candidate = search.candidates[i];
        rows.push_back({format("{}", i), std::string(nameOf(candidate.source)), cyclesText(candidate),
                        medianText(candidate.trial), bandText(candidate.trial), relativeTimeText(candidate), verdictOf(search, i),
                        changesOf(search.candidates.front().transforms, candidate.transforms)});
    }
    return tableText(rows);
}

std::string summaryOf(const KernelTuning &tuning)
{
    const SearchResult &search = tuning.search;
    std::string text;
    if (search.best == 0)
        text += "the model's choice is the best of them\n";
    else
        text += format("the best is {:.2f} x as fast as the model's choice (candidate {}, {}){}\n", tuning.gain(), search.best,
                       nameOf(search.candidates[search.best].source), tuning.isKept ? "; later compilations use it" : "");
    text += format("  model: {}\n  best:  {}\n", textOf(search.candidates.front().transforms),
                   textOf(search.candidates[search.best].transforms));
    if (tuning.correlation)
        text += format("the model's prices and the times have a rank correlation of {:.2f}\n", *tuning.correlation);
    return text;
}

std::string plainText(const std::vector<KernelTuning> &tunings)
{
    std::string text;
    for (const KernelTuning &tuning : tunings) {
        text += format("{}{} on {}", text.empty() ? "" : "\n", tuning.kernel, tuning.device);
        if (tuning.share > 0 && tuning.share < 1)
            text += format(", {:.0f} % of the time", 100 * tuning.share);
        if (!tuning.problem.empty()) {
            text += format(": not tuned, {}\n", tuning.problem);
            continue;
        }
        if (tuning.search.candidates.empty()) {
            text += ": nothing was tried\n";
            continue;
        }
        text += format("\nvalues: {}\n\n{}\n{}", tuning.values, tableOf(tuning), summaryOf(tuning));
        text += format("{} candidates; {}\n", tuning.search.candidates.size(), nameOf(tuning.search.end));
    }
    return text.empty() ? "no kernel takes any time\n" : text;
}

void writeCandidate(JsonWriter &json, const SearchResult &search, std::size_t number)
{
    const Candidate &candidate = search.candidates[number];
    json.beginObject().field("candidate", static_cast<std::uint64_t>(number)).field("from", nameOf(candidate.source));
    json.field("state", nameOf(candidate.trial.state)).field("verdict", verdictOf(search, number));
    json.key("transforms").beginArray();
    for (const Transform &transform : candidate.transforms)
        json.value(toText(transform));
    json.endArray();
    if (candidate.predictedCycles)
        json.field("predicted_cycles", *candidate.predictedCycles);
    if (candidate.time > 0) {
        json.key("ns").beginObject().field("median", candidate.trial.nanoseconds.median);
        json.field("low", candidate.trial.nanoseconds.low).field("high", candidate.trial.nanoseconds.high).endObject();
        json.field("time", candidate.time).field("max_ulp", candidate.trial.maxUlp);
    }
    json.endObject();
}

std::string jsonText(const std::vector<KernelTuning> &tunings, const TunePlan &plan)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("seed", plan.seed).key("kernels").beginArray();
    for (const KernelTuning &tuning : tunings) {
        json.beginObject().field("name", tuning.kernel).field("device", tuning.device).field("share", tuning.share);
        json.field("problem", tuning.problem).field("values", tuning.values).field("end", nameOf(tuning.search.end));
        json.field("best", static_cast<std::uint64_t>(tuning.search.best))
            .field("gain", tuning.gain())
            .field("kept", tuning.isKept);
        json.field("override", tuning.search.candidates.empty() ? "" : overrideOf(tuning, tuning.search.best));
        if (tuning.correlation)
            json.field("rank_correlation", *tuning.correlation);
        json.key("first").beginArray();
        for (const Transform &transform : tuning.first)
            json.value(toText(transform));
        json.endArray().key("candidates").beginArray();
        for (std::size_t i = 0; i < tuning.search.candidates.size(); ++i)
            writeCandidate(json, tuning.search, i);
        json.endArray().endObject();
    }
    json.endArray().endObject();
    return json.text();
}

Result<Done> exportTo(const std::string &file, const std::vector<KernelTuning> &tunings)
{
    std::string text = printOverrides({});
    for (const KernelTuning &tuning : tunings)
        if (tuning.search.best != 0)
            text += format("{}    # tuned: {:.2f} x\n", overrideOf(tuning, tuning.search.best), tuning.gain());
    return writeWholeFile(file, {text});
}

Result<Done> keep(const TuningStore &store, std::vector<KernelTuning> &tunings, std::uint64_t seed)
{
    for (KernelTuning &tuning : tunings) {
        if (tuning.search.candidates.empty() || !tuning.problem.empty())
            continue;
        SW_CHECK(keepTuning(store, tuning, seed));
        tuning.isKept = tuning.search.best != 0;
    }
    return Done{};
}

} // namespace

Outcome tune(const Arguments &arguments, const Environment &environment)
{
    Result<TunePlan> plan = tunePlanOf(arguments);
    if (!plan)
        return usageFailed(plan.error());
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    // A candidate may crash: it then takes no more than the process that runs it.
    ProgramCompiler compiler(environment.hosted != nullptr ? *environment.hosted : environment.registry);
    Result<std::string> kernel = kernelName(compiler, arguments, *request, environment.stop);
    if (!kernel)
        return requestFailed(kernel.error());
    plan->kernel = *std::move(kernel);
    const auto inputs = [&](const Compilation &compilation) { return runInputsOf(*request, compilation, plan->seed); };
    const bool isKept = environment.figures != nullptr && !arguments.has("--export");
    if (isKept)
        plan->known = request->options.tunings;
    std::vector<KernelTuning> tunings;
    Outcome outcome;
    if (const Result<Done> ended = runTuning(compiler, *plan, *request, inputs, tunings, environment.stop); !ended)
        outcome = requestFailed(ended.error()); // what was found before is not lost
    if (isKept)
        if (const Result<Done> kept = keep(tuningsBeside(*environment.figures), tunings, plan->seed); !kept)
            return failed(kept.error());
    if (arguments.has("--export"))
        if (const Result<Done> written = exportTo(arguments.value("--export", {}), tunings); !written)
            return failed(written.error());
    if (!tunings.empty() || outcome.exitCode == ExitCode::Success)
        outcome.output = arguments.has("--json") ? jsonText(tunings, *plan) : plainText(tunings);
    return outcome;
}

} // namespace sw::command
