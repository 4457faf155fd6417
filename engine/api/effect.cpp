#include "engine/api/effect.h"

#include "engine/api/quantity.h"
#include "engine/base/text.h"
#include "engine/execute/compare.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

std::string percentText(double before, double after)
{
    if (before == after)
        return "none";
    if (before == 0)
        return "new";
    const double percent = 100 * (after - before) / before;
    return format("{}{:.{}f} %", percent > 0 ? "+" : "-", std::abs(percent), std::abs(percent) < 10 ? 1 : 0);
}

template <class Text>
FigureChange changeOf(std::string name, std::int64_t before, std::int64_t after, const Text &text)
{
    const auto from = static_cast<double>(before);
    const auto to = static_cast<double>(after);
    return {std::move(name), text(before), text(after), percentText(from, to), from, to, {}};
}

std::string countText(std::int64_t count)
{
    return format("{}", count);
}

std::string rangeText(const ProgramFigures &figures)
{
    return format("{} ... {}", nanosecondsText(figures.minNanoseconds), nanosecondsText(figures.maxNanoseconds));
}

std::string bandText(const Timing &time)
{
    return format("{} ... {}", nanosecondsText(time.low.count()), nanosecondsText(time.high.count()));
}

// Two times differ when no sample of one lies among those of the other.
FigureChange measuredChange(const ProgramFigures &before, const ProgramFigures &after)
{
    FigureChange change = changeOf("measured time", *before.medianNanoseconds, *after.medianNanoseconds, nanosecondsText);
    change.isWithinNoise = before.minNanoseconds <= after.maxNanoseconds && after.minNanoseconds <= before.maxNanoseconds;
    change.note =
        format("{} before, {} after{}", rangeText(before), rangeText(after), change.isWithinNoise ? ": within the noise" : "");
    return change;
}

// The one whose worst element is furthest off.
struct Compared {
    std::uint64_t maxUlp = 0;
    std::string name;
    bool isClose = true;
};

Compared comparedOutputs(const RunOutputs &before, const RunOutputs &after, const std::stop_token &stop)
{
    Compared all;
    for (std::size_t i = 0; i < before.outputs.size() && !stop.stop_requested(); ++i) {
        const Comparison one = compareTensors(before.outputs[i].value, after.outputs[i].value);
        all.isClose &= one.equal;
        if (one.maxUlp > all.maxUlp || all.name.empty())
            all.name = before.outputs[i].name;
        all.maxUlp = std::max(all.maxUlp, one.maxUlp);
    }
    return all;
}

bool haveSameOutputs(const RunOutputs &before, const RunOutputs &after)
{
    return std::ranges::equal(before.outputs, after.outputs, [](const NamedTensor &a, const NamedTensor &b) {
        return a.name == b.name && a.value.dtype() == b.value.dtype() && a.value.shape() == b.value.shape();
    });
}

void compareValues(Effect &effect, const RunOutputs &from, const RunOutputs &to, const std::stop_token &stop)
{
    if (from.isTooLarge || to.isTooLarge) {
        effect.valuesText = format("results are not compared: they are larger than {}", bytesText(kMostKeptBytes));
        return;
    }
    if (from.inputs != to.inputs || !haveSameOutputs(from, to)) {
        effect.valuesText = "results are not compared: they are of different inputs or outputs";
        return;
    }
    const Compared all = comparedOutputs(from, to, stop);
    effect.maxUlp = all.maxUlp;
    effect.values = !all.isClose ? ValuesAgree::Different : all.maxUlp == 0 ? ValuesAgree::Same : ValuesAgree::Close;
    if (effect.values == ValuesAgree::Same)
        effect.valuesText = "results are the same";
    else
        effect.valuesText = format("results differ by up to {} ULP, in {}: {} rounding may change", all.maxUlp, all.name,
                                   all.isClose ? "no more than" : "more than");
}

} // namespace

std::vector<FigureChange> changesBetween(const ProgramFigures &before, const ProgramFigures &after)
{
    std::vector<FigureChange> changes{changeOf("kernels", before.kernels, after.kernels, countText),
                                      changeOf("bytes moved", before.bytes, after.bytes, bytesText)};
    if (before.instructions > 0 && after.instructions > 0)
        changes.push_back(changeOf("instructions", before.instructions, after.instructions, countText));
    changes.push_back(changeOf("estimated time", before.estimatedNanoseconds, after.estimatedNanoseconds, nanosecondsText));
    return changes;
}

Effect effectOf(const Report &before, const Report &after, const std::stop_token &stop)
{
    Effect effect;
    if (!before.figures || !after.figures) {
        effect.valuesText = "there is nothing to compare with";
        return effect;
    }
    effect.changes = changesBetween(*before.figures, *after.figures);
    if (before.figures->medianNanoseconds && after.figures->medianNanoseconds)
        effect.changes.push_back(measuredChange(*before.figures, *after.figures));
    if (before.runOutputs == nullptr || after.runOutputs == nullptr)
        effect.valuesText = "results are compared once both have run";
    else
        compareValues(effect, *before.runOutputs, *after.runOutputs, stop);
    return effect;
}

Effect measuredEffect(const MeasuredSide &before, const MeasuredSide &after, const MedianBand &ratio, const std::stop_token &stop)
{
    Effect effect;
    effect.changes = changesBetween(before.figures, after.figures);
    FigureChange time = changeOf("measured time", before.time.median.count(), after.time.median.count(), nanosecondsText);
    const Difference difference = differenceOf(ratio);
    time.isWithinNoise = difference == Difference::WithinNoise || difference == Difference::Unknown;
    time.note = format("{}. Bands of the medians: {} before, {} after, {} runs each in turn", differenceText(ratio),
                       bandText(before.time), bandText(after.time), before.time.runs);
    effect.changes.push_back(std::move(time));
    compareValues(effect, before.outputs, after.outputs, stop);
    return effect;
}

} // namespace sw
