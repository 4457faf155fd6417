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

// "y[1, 2]"; a scalar has no index.
std::string elementText(const NamedTensor &tensor, std::int64_t flatIndex)
{
    std::vector<std::int64_t> index(tensor.value.shape().rank());
    for (std::size_t axis = index.size(); axis-- > 0;) {
        index[axis] = flatIndex % tensor.value.shape()[axis];
        flatIndex /= tensor.value.shape()[axis];
    }
    return index.empty() ? tensor.name : format("{}[{}]", tensor.name, join(index, ", "));
}

void compareValues(Effect &effect, const RunOutputs &from, const RunOutputs &to, const std::stop_token &stop)
{
    if (from.isTooLarge || to.isTooLarge) {
        effect.valuesText = format("results are not compared: they are larger than {}", bytesText(kMostKeptBytes));
        return;
    }
    if (from.inputs != to.inputs || !haveSameOutputs(from.outputs, to.outputs)) {
        effect.valuesText = "results are not compared: they are of different inputs or outputs";
        return;
    }
    OutputsVerdict verdict = compareOutputs(from.outputs, to.outputs, stop);
    effect.values = verdict.agree;
    effect.maxUlp = verdict.maxUlp;
    effect.valuesText = std::move(verdict.text);
}

} // namespace

bool haveSameOutputs(const std::vector<NamedTensor> &before, const std::vector<NamedTensor> &after)
{
    return std::ranges::equal(before, after, [](const NamedTensor &a, const NamedTensor &b) {
        return a.name == b.name && a.value.dtype() == b.value.dtype() && a.value.shape() == b.value.shape();
    });
}

OutputsVerdict compareOutputs(const std::vector<NamedTensor> &before, const std::vector<NamedTensor> &after,
                              const std::stop_token &stop)
{
    OutputsVerdict verdict{ValuesAgree::Same, 0, "results are the same"};
    bool isClose = true;
    std::size_t worst = 0; // the output whose worst element is furthest off; one that is too far off before all that are not
    std::optional<Comparison> ofWorst;
    for (std::size_t i = 0; i < before.size() && !stop.stop_requested(); ++i) {
        Comparison one = compareTensors(before[i].value, after[i].value);
        isClose &= one.equal;
        verdict.maxUlp = std::max(verdict.maxUlp, one.maxUlp);
        const bool isWorse = one.worst && (!ofWorst || (ofWorst->equal && !one.equal) ||
                                           (ofWorst->equal == one.equal && one.maxUlp > ofWorst->maxUlp));
        if (isWorse) {
            worst = i;
            ofWorst = std::move(one);
        }
    }
    if (!ofWorst)
        return verdict;
    verdict.agree = isClose ? ValuesAgree::Close : ValuesAgree::Different;
    verdict.text = format("results differ by up to {} ULP, in {}: {} rounding may change; furthest off is {}: {}, before {}",
                          ofWorst->maxUlp, before[worst].name, isClose ? "no more than" : "more than",
                          elementText(before[worst], ofWorst->worst->flatIndex), toText(ofWorst->worst->actual),
                          toText(ofWorst->worst->expected));
    return verdict;
}

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
