#include "engine/execute/statistics.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sw {

namespace {

constexpr double kMuch = 1.5; // as a ratio of times, which is then told as such and not in percent

// The probability that k of n are below the median.
double binomialHalf(std::size_t n, std::size_t k)
{
    const auto all = static_cast<double>(n);
    const auto some = static_cast<double>(k);
    return std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) - all * std::numbers::ln2);
}

// The ratios of the smallest number of pairs of rounds that can tell a difference.
std::size_t leastPairs()
{
    std::size_t pairs = 1;
    while (medianRanks(pairs, kDifferenceConfidence).confidence < kDifferenceConfidence)
        ++pairs;
    return pairs;
}

std::string percentText(double percent)
{
    return format("{:.{}f} %", percent, percent < 10 ? 1 : 0);
}

// "3.1 % faster", of the part of time that is saved or added.
std::string sideText(double ratio)
{
    return percentText(100 * std::abs(ratio - 1)) + (ratio < 1 ? " faster" : " slower");
}

} // namespace

BandRanks medianRanks(std::size_t n, double confidence)
{
    SW_ASSERT(n > 0, "at least one sample");
    // From the middle outwards: the ranks k (from 1) and n + 1 - k enclose k to n - k samples below the median.
    std::size_t k = (n + 1) / 2;
    double covered = 0;
    if (n % 2 == 0) {
        k = n / 2;
        covered = binomialHalf(n, k);
    }
    while (k > 1 && covered < confidence) {
        --k;
        covered += 2 * binomialHalf(n, k);
    }
    return {.low = k - 1, .high = n - k, .confidence = std::min(covered, 1.0)};
}

double MedianBand::precision() const
{
    return median == 0 ? 0 : (high - low) / 2 / std::abs(median);
}

MedianBand medianBand(std::vector<double> samples, double confidence)
{
    std::ranges::sort(samples);
    const BandRanks ranks = medianRanks(samples.size(), confidence);
    return {.low = samples[ranks.low],
            .median = samples[(samples.size() - 1) / 2],
            .high = samples[ranks.high],
            .confidence = ranks.confidence,
            .samples = samples.size()};
}

MedianBand ratioBand(const TurnTimes &times)
{
    SW_ASSERT(!times.before.empty() && times.before.size() == times.after.size(), "rounds with a time of each program");
    std::vector<double> ratios;
    for (std::size_t i = 0; i + 1 < times.before.size(); i += 2)
        ratios.push_back((times.after[i] + times.after[i + 1]) / (times.before[i] + times.before[i + 1]));
    if (ratios.empty())
        ratios.push_back(times.after.front() / times.before.front());
    return medianBand(std::move(ratios), kDifferenceConfidence);
}

Difference differenceOf(const MedianBand &ratio)
{
    if (ratio.confidence < kDifferenceConfidence)
        return Difference::Unknown;
    if (ratio.high < 1)
        return Difference::Faster;
    return ratio.low > 1 ? Difference::Slower : Difference::WithinNoise;
}

std::string differenceText(const MedianBand &ratio)
{
    const Difference difference = differenceOf(ratio);
    switch (difference) {
    case Difference::Unknown:
        return format("too few runs to tell a difference ({} pairs of rounds, of at least {})", ratio.samples, leastPairs());
    case Difference::WithinNoise:
        return format("the difference is within noise ({} to {})", sideText(ratio.low), sideText(ratio.high));
    case Difference::Faster:
        if (ratio.median * kMuch < 1)
            return format("{:.2f} times as fast ({:.2f} to {:.2f})", 1 / ratio.median, 1 / ratio.high, 1 / ratio.low);
        return format("{} ({} to {})", sideText(ratio.median), percentText(100 * (1 - ratio.high)),
                      percentText(100 * (1 - ratio.low)));
    case Difference::Slower:
        if (ratio.median > kMuch)
            return format("{:.2f} times the time ({:.2f} to {:.2f})", ratio.median, ratio.low, ratio.high);
        return format("{} ({} to {})", sideText(ratio.median), percentText(100 * (ratio.low - 1)),
                      percentText(100 * (ratio.high - 1)));
    }
    SW_UNREACHABLE();
}

} // namespace sw
