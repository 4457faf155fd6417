// Bands of medians against known distributions, and how often the rule about noise is wrong on simulated runs. All seeded.

#include "engine/execute/repeat_control.h"
#include "engine/execute/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>
#include <string>
#include <vector>

namespace sw {
namespace {

using std::chrono::nanoseconds;

// The distributions of the standard library differ from one library to the next; these do not.
class Random {
public:
    explicit Random(std::uint64_t seed) : m_engine(seed) {}
    double uniform() { return (static_cast<double>(m_engine() >> 11) + 0.5) / 9007199254740992.0; }
    double normal()
    {
        return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); // Box and Muller
    }

private:
    std::mt19937_64 m_engine;
};

// The times of a program of 100 us on a machine whose speed wanders, with 2 % of noise and now and then an interruption.
class Machine {
public:
    explicit Machine(std::uint64_t seed) : m_random(seed) {}
    nanoseconds run(double factor)
    {
        m_drift = 0.98 * m_drift + 0.004 * m_random.normal();
        double time = factor * std::exp(m_drift + 0.02 * m_random.normal());
        if (m_random.uniform() < 0.03)
            time += 0.2 + 2 * m_random.uniform();
        return nanoseconds(static_cast<std::int64_t>(1e5 * time));
    }

private:
    Random m_random;
    double m_drift = 0;
};

// Two programs in turn until the control has enough; the budget ends after 400 rounds.
MedianBand measured(Machine &machine, double factor)
{
    const MeasurePlan plan{.precision = 0.01, .budget = std::chrono::milliseconds(400)};
    RepeatControl control(plan, 2);
    while (!control.isEnough(std::chrono::milliseconds(control.rounds()))) {
        std::vector<nanoseconds> times(2);
        for (std::size_t place = 0; place < 2; ++place) {
            const std::size_t program = programInTurn(control.rounds(), place, 2);
            times[program] = machine.run(program == 0 ? 1 : factor);
        }
        control.addRound(times);
    }
    return control.ratioOf(1);
}

// From tables of the binomial distribution: with 10 samples, the second and the ninth enclose the median in 97.85 % of all cases.
TEST(Statistics, ranksAreThoseOfTheBinomialDistribution)
{
    const BandRanks ten = medianRanks(10, 0.95);
    EXPECT_EQ(ten.low, 1U);
    EXPECT_EQ(ten.high, 8U);
    EXPECT_NEAR(ten.confidence, 0.978515625, 1e-9);
    const BandRanks hundred = medianRanks(100, 0.95);
    EXPECT_EQ(hundred.low, 39U);
    EXPECT_EQ(hundred.high, 60U);
    EXPECT_NEAR(hundred.confidence, 0.9647998, 1e-6);
    EXPECT_NEAR(medianRanks(5, 0.95).confidence, 0.9375, 1e-12); // too few
    EXPECT_NEAR(medianRanks(6, 0.95).confidence, 0.96875, 1e-12);
    EXPECT_EQ(medianRanks(1, 0.95).confidence, 0);
    const BandRanks many = medianRanks(1'000'000, 0.95);
    EXPECT_NEAR(static_cast<double>(many.high - many.low), 1960, 5); // 2 * 1.96 * sqrt(n) / 2
}

TEST(Statistics, theBandHoldsTheMedianAsOftenAsItSays)
{
    Random random(7);
    constexpr int kTrials = 4000;
    for (const std::size_t samples : {6U, 11U, 40U}) {
        int skewed = 0;
        int twoPeaks = 0;
        for (int trial = 0; trial < kTrials; ++trial) {
            std::vector<double> times;
            std::vector<double> others;
            for (std::size_t i = 0; i < samples; ++i) {
                times.push_back(-std::log(random.uniform()));                          // exponential: the median is ln 2
                others.push_back(random.normal() + (random.uniform() < 0.5 ? -3 : 3)); // the median is 0
            }
            const MedianBand band = medianBand(times, 0.95);
            skewed += band.low <= std::numbers::ln2 && std::numbers::ln2 <= band.high ? 1 : 0;
            const MedianBand other = medianBand(others, 0.95);
            twoPeaks += other.low <= 0 && 0 <= other.high ? 1 : 0;
        }
        const double wanted = medianRanks(samples, 0.95).confidence;
        EXPECT_NEAR(skewed / static_cast<double>(kTrials), wanted, 0.012) << samples;
        EXPECT_NEAR(twoPeaks / static_cast<double>(kTrials), wanted, 0.012) << samples;
    }
}

TEST(Statistics, aMachineThatSlowsDownIsNoDifference)
{
    std::vector<double> before;
    std::vector<double> after;
    double time = 1000;
    for (int round = 0; round < 20; ++round) {
        std::vector<double> pair{time, time + 10};
        time += 20;
        const std::size_t first = programInTurn(static_cast<std::size_t>(round), 0, 2);
        before.push_back(first == 0 ? pair[0] : pair[1]);
        after.push_back(first == 0 ? pair[1] : pair[0]);
    }
    const MedianBand ratio = ratioBand({before, after});
    EXPECT_DOUBLE_EQ(ratio.low, 1);
    EXPECT_DOUBLE_EQ(ratio.high, 1);
    EXPECT_EQ(ratio.samples, 10U);
    EXPECT_EQ(differenceOf(ratio), Difference::WithinNoise);
}

TEST(Statistics, equalProgramsAreSeldomToldApart)
{
    constexpr int kTrials = 1000;
    int alarms = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        Machine machine(static_cast<std::uint64_t>(trial) + 1);
        const Difference difference = differenceOf(measured(machine, 1));
        EXPECT_NE(difference, Difference::Unknown);
        alarms += difference == Difference::WithinNoise ? 0 : 1;
    }
    EXPECT_LE(alarms, 20); // 2 %: the band holds with 99 %, and is looked at more than once
}

TEST(Statistics, fivePercentAreFound)
{
    constexpr int kTrials = 300;
    int slower = 0;
    int faster = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        Machine machine(static_cast<std::uint64_t>(trial) + 100'000);
        slower += differenceOf(measured(machine, 1.05)) == Difference::Slower ? 1 : 0;
        faster += differenceOf(measured(machine, 0.95)) == Difference::Faster ? 1 : 0;
    }
    EXPECT_GE(slower, 297);
    EXPECT_GE(faster, 297);
}

TEST(Statistics, saysTheDifferenceInWords)
{
    const auto textOf = [](double low, double median, double high, double confidence = 0.99) {
        return differenceText({.low = low, .median = median, .high = high, .confidence = confidence, .samples = 4});
    };
    EXPECT_EQ(textOf(0.95, 0.958, 0.969), "4.2 % faster (3.1 % to 5.0 %)");
    EXPECT_EQ(textOf(1.02, 1.05, 1.2), "5.0 % slower (2.0 % to 20 %)");
    EXPECT_EQ(textOf(2.05, 2.1, 2.12), "2.10 times the time (2.05 to 2.12)");
    EXPECT_EQ(textOf(0.4, 0.5, 0.5), "2.00 times as fast (2.00 to 2.50)");
    EXPECT_EQ(textOf(0.994, 1.001, 1.011), "the difference is within noise (0.6 % faster to 1.1 % slower)");
    EXPECT_EQ(textOf(0.4, 0.5, 0.5, 0.9), "too few runs to tell a difference (4 pairs of rounds, of at least 8)");
}

TEST(WarmUp, endsWhenTimesNoLongerFall)
{
    const auto runsOf = [](std::vector<int> times, nanoseconds budget) {
        WarmUp warm(budget);
        std::size_t runs = 0;
        while (!warm.isSettled()) {
            warm.add(nanoseconds(times[std::min(runs, times.size() - 1)]));
            ++runs;
        }
        return runs;
    };
    EXPECT_EQ(runsOf({100}, nanoseconds(1'000'000)), 6U);
    EXPECT_GE(runsOf({900, 800, 700, 600, 500, 400, 300, 200, 100}, nanoseconds(1'000'000)), 11U);
    EXPECT_EQ(runsOf({900}, nanoseconds(100)), 1U); // the budget ends
}

TEST(RepeatControl, endsWithTheBudgetOrTheNumberOrThePrecision)
{
    const auto roundsOf = [](MeasurePlan plan, std::size_t programs) {
        RepeatControl control(plan, programs);
        Random random(3);
        while (!control.isEnough(nanoseconds(100) * static_cast<std::int64_t>(control.rounds()))) {
            std::vector<nanoseconds> times;
            for (std::size_t i = 0; i < programs; ++i)
                times.emplace_back(static_cast<std::int64_t>(1'000'000 * (1 + 0.05 * random.normal())));
            control.addRound(times);
        }
        return control.rounds();
    };
    EXPECT_EQ(roundsOf({.repeats = 7}, 2), 7U);
    EXPECT_EQ(roundsOf({.precision = 1e-9, .budget = nanoseconds(1000)}, 1), 10U);
    EXPECT_EQ(roundsOf({.precision = 1e-9, .budget = nanoseconds(900)}, 2), 10U); // whole pairs
    EXPECT_EQ(roundsOf({.precision = 1e-9, .budget = nanoseconds(1)}, 2), 1U);    // but a slow program runs once
    const std::size_t rough = roundsOf({.precision = 0.05, .budget = std::chrono::seconds(1)}, 1);
    const std::size_t fine = roundsOf({.precision = 0.005, .budget = std::chrono::seconds(1)}, 1);
    EXPECT_GE(rough, 6U);
    EXPECT_GT(fine, 10 * rough);
}

} // namespace
} // namespace sw
