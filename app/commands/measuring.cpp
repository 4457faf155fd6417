#include "app/commands/measuring.h"

#include "engine/execute/run_limit.h"

#include <array>
#include <charconv>
#include <cmath>

namespace sw::command {

namespace {

constexpr std::uint64_t kMaxRepeats = 1'000'000;
constexpr double kMaxBudgetSeconds = 86'400;

struct Unit {
    std::string_view name;
    double factor;
};
constexpr std::array kTimes{Unit{"ms", 1e-3}, Unit{"s", 1}, Unit{"min", 60}};
constexpr std::array kParts{Unit{"%", 1}};

// A number above 0, in the given units; without one of them, it is of the unit whose factor is 1.
std::optional<double> amountIn(std::string_view text, std::span<const Unit> units)
{
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || !std::isfinite(number) || number <= 0)
        return std::nullopt;
    const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (unit.empty())
        return number;
    for (const Unit &known : units)
        if (known.name == unit)
            return number * known.factor;
    return std::nullopt;
}

std::string_view nameOf(Difference difference)
{
    switch (difference) {
    case Difference::Unknown:
        return "unknown";
    case Difference::WithinNoise:
        return "within noise";
    case Difference::Faster:
        return "faster";
    case Difference::Slower:
        return "slower";
    }
    SW_UNREACHABLE();
}

} // namespace

Result<MeasurePlan> planOf(const Arguments &arguments, std::optional<std::uint32_t> otherwise)
{
    MeasurePlan plan;
    const bool isFree = arguments.has("--precision") || arguments.has("--budget");
    if (isFree && arguments.has("--repeat"))
        return Diagnostic::error(Code::Argument, {}, "--repeat says how many runs there are, so --precision and --budget cannot");
    if (!isFree)
        plan.repeats = otherwise;
    if (arguments.has("--repeat")) {
        SW_TRY(const std::uint64_t repeats, arguments.number("--repeat", 1, 1, kMaxRepeats));
        plan.repeats = static_cast<std::uint32_t>(repeats);
    }
    if (arguments.has("--precision")) {
        const std::string text = arguments.value("--precision", {});
        const std::optional<double> percent = amountIn(text, kParts);
        if (!percent || *percent > 100)
            return Diagnostic::error(Code::Argument, {}, "--precision needs per cents such as 1% or 0.5, up to 100, not {}",
                                     sw::quoted(text));
        plan.precision = *percent / 100;
    }
    if (arguments.has("--budget")) {
        const std::string text = arguments.value("--budget", {});
        const std::optional<double> seconds = amountIn(text, kTimes);
        if (!seconds || *seconds > kMaxBudgetSeconds)
            return Diagnostic::error(Code::Argument, {},
                                     "--budget needs a time such as 5s, 500ms or 2 (seconds), up to a day, not {}",
                                     sw::quoted(text));
        plan.budget = std::chrono::nanoseconds(static_cast<std::int64_t>(*seconds * 1e9));
    }
    return plan;
}

Result<Measured> measure(std::vector<Prepared> prepared, const MeasureLimits &limits, const std::stop_token &stop)
{
    std::vector<Executor *> executors;
    for (const Prepared &one : prepared)
        executors.push_back(one.executor.get());
    const RunLimit ended(limits.limit, stop);
    Result<MeasuredRuns> made = measureInTurn(executors, limits.plan, ended.token());
    if (!made)
        return Failure(ended.errorsOf(made.error()));
    MeasuredRuns &runs = *made;
    Measured measured{{}, std::move(runs.ratios), std::move(runs.notes)};
    for (std::size_t i = 0; i < prepared.size(); ++i)
        measured.executions.push_back({std::move(prepared[i].compilation), std::move(runs.results[i])});
    return measured;
}

std::string notesText(const Measured &measured)
{
    std::string text;
    for (const std::string &note : measured.notes)
        text += format("note: {}\n", note);
    return text;
}

void writeNotes(JsonWriter &json, const Measured &measured)
{
    json.key("notes").beginArray();
    for (const std::string &note : measured.notes)
        json.value(note);
    json.endArray();
}

void writeRatio(JsonWriter &json, const MedianBand &ratio)
{
    json.key("ratio").beginObject().field("median", ratio.median).field("low", ratio.low).field("high", ratio.high);
    json.field("confidence", ratio.confidence).field("pairs", static_cast<std::uint64_t>(ratio.samples));
    json.field("difference", nameOf(differenceOf(ratio))).field("text", differenceText(ratio)).endObject();
}

} // namespace sw::command
