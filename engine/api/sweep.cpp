#include "engine/api/sweep.h"

#include "engine/api/table_text.h"
#include "engine/loops/printer.h"
#include "engine/loops/transform.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kMostOfAll = 16;
constexpr std::int64_t kMostSteps = 1000;
constexpr std::int64_t kMostValue = std::int64_t{1} << 40;

std::optional<std::int64_t> numberIn(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > kMostValue)
        return std::nullopt;
    return number;
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t");
    return begin == std::string_view::npos ? std::string_view() : text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

// "  n : dim[1, 64] = 8  # note" declares n.
bool declares(std::string_view line, std::string_view name)
{
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || trimmed(line.substr(0, colon)) != name)
        return false;
    const std::string_view type = trimmed(line.substr(colon + 1));
    return type.starts_with("dim") && trimmed(type.substr(3)).starts_with("[");
}

// "- a, - b, + c"
std::string difference(const std::vector<std::string> &before, const std::vector<std::string> &after)
{
    std::vector<std::string> parts;
    for (const std::string &line : before)
        if (std::ranges::find(after, line) == after.end())
            parts.push_back("- " + line);
    for (const std::string &line : after)
        if (std::ranges::find(before, line) == before.end())
            parts.push_back("+ " + line);
    return parts.empty() ? "another order" : join(parts, ", ", [](const std::string &part) { return part; });
}

} // namespace

Result<SweepRange> sweepRangeIn(std::string_view text)
{
    const auto wrong = [&] {
        return Diagnostic::error(Code::Argument, {},
                                 "a range is NAME=LOW..HIGH, NAME=LOW..HIGH:STEPS or NAME=VALUE, from 1 on, not {}",
                                 sw::quoted(std::string(text)));
    };
    const std::size_t equals = text.rfind('=');
    if (equals == std::string_view::npos || equals == 0)
        return wrong();
    SweepRange range;
    range.name = text.substr(0, equals);
    std::string_view values = text.substr(equals + 1);
    if (const std::size_t colon = values.find(':'); colon != std::string_view::npos) {
        const auto steps = numberIn(values.substr(colon + 1));
        if (!steps || *steps < 2 || *steps > kMostSteps)
            return wrong();
        range.steps = *steps;
        values = values.substr(0, colon);
    }
    const std::size_t dots = values.find("..");
    const auto low = numberIn(values.substr(0, dots));
    const auto high = dots == std::string_view::npos ? low : numberIn(values.substr(dots + 2));
    if (!low || !high || *low > *high)
        return wrong();
    range.low = *low;
    range.high = *high;
    return range;
}

std::vector<std::int64_t> sweepValues(const SweepRange &range)
{
    std::vector<std::int64_t> values;
    if (range.steps > 0) {
        const double factor = std::log(static_cast<double>(range.high) / static_cast<double>(range.low));
        for (std::int64_t i = 0; i < range.steps; ++i)
            values.push_back(std::llround(static_cast<double>(range.low) *
                                          std::exp(factor * static_cast<double>(i) / static_cast<double>(range.steps - 1))));
    } else if (range.high - range.low < kMostOfAll) {
        for (std::int64_t value = range.low; value <= range.high; ++value)
            values.push_back(value);
    } else {
        values.push_back(range.low);
        for (std::int64_t power = 1; power < range.high; power *= 2)
            if (power > range.low)
                values.push_back(power);
        values.push_back(range.high);
    }
    values.front() = range.low;
    values.back() = range.high;
    values.erase(std::unique(values.begin(), values.end()), values.end());
    return values;
}

Result<std::string> withFixedDimension(std::string_view program, const std::string &name, std::int64_t value)
{
    std::string made;
    bool isFound = false;
    while (!program.empty()) {
        const std::size_t end = std::min(program.find('\n'), program.size());
        const std::string_view line = program.substr(0, end);
        if (!isFound && declares(line, name)) {
            isFound = true;
            made += format("{}: dim[{}, {}] = {}", name, value, value, value);
        } else {
            made += line;
        }
        if (end < program.size())
            made += '\n';
        program.remove_prefix(std::min(end + 1, program.size()));
    }
    if (!isFound)
        return Diagnostic::error(Code::UnknownName, {}, "no line of the program declares the dimension {}: {}: dim[1, 4096]",
                                 name, name);
    return made;
}

std::vector<KernelDecisions> decisionsOf(const Compilation &compilation)
{
    std::vector<KernelDecisions> decisions;
    if (compilation.schedule == nullptr)
        return decisions;
    for (std::size_t i = 0; i < compilation.schedule->kernels.size(); ++i) {
        KernelDecisions kernel{compilation.schedule->kernels[i].name, {}};
        if (compilation.loops != nullptr)
            for (const Transform &transform : compilation.loops->nests.at(i)->transforms)
                kernel.transforms.push_back(toText(transform));
        decisions.push_back(std::move(kernel));
    }
    return decisions;
}

std::vector<std::string> changedDecisions(const std::vector<KernelDecisions> &before, const std::vector<KernelDecisions> &after)
{
    std::vector<std::string> changes;
    const auto namesOf = [](const std::vector<KernelDecisions> &of) {
        std::vector<std::string> names;
        for (const KernelDecisions &kernel : of)
            names.push_back(kernel.kernel);
        return names;
    };
    if (namesOf(before) != namesOf(after))
        changes.push_back(
            format("kernels {} -> {}: {}", before.size(), after.size(), difference(namesOf(before), namesOf(after))));
    for (const KernelDecisions &kernel : after) {
        const auto earlier = std::ranges::find(before, kernel.kernel, &KernelDecisions::kernel);
        if (earlier != before.end() && earlier->transforms != kernel.transforms)
            changes.push_back(format("{}: {}", kernel.kernel, difference(earlier->transforms, kernel.transforms)));
    }
    return changes;
}

double SweepPoint::flopsPerNanosecond() const
{
    return time.median.count() > 0 ? static_cast<double>(flops) / static_cast<double>(time.median.count()) : 0;
}

std::string csvOf(const Sweep &sweep)
{
    std::string text = format("{},median_ns,low_ns,high_ns,runs,flops,gflop_per_s,kernels,changes\r\n", csvField(sweep.name));
    for (const SweepPoint &point : sweep.points)
        text += format("{},{},{},{},{},{},{:.6g},{},{}\r\n", point.value, point.time.median.count(), point.time.low.count(),
                       point.time.high.count(), point.time.runs, point.flops, point.flopsPerNanosecond(), point.kernels,
                       csvField(join(point.changes, "; ", [](const std::string &change) { return change; })));
    return text;
}

} // namespace sw
