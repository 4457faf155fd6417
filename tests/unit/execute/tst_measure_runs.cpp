// Programs that run in turn: their order, and what is told of them.

#include "engine/execute/measure_runs.h"

#include "tests/unit/execute/executor_fixture.h"

namespace sw {
namespace {

using Calls = std::vector<std::string>;

Schedule layers(int count)
{
    TensorProgram p;
    NodeId value = p.input({16, 16});
    for (int i = 0; i < count; ++i)
        value = p.relu(p.matmul(value, p.input({16, 16})));
    return scheduleOf(std::move(p), {value});
}

struct Programs {
    explicit Programs(const std::vector<int> &kernels)
    {
        for (const int count : kernels) {
            const Schedule schedule = layers(count);
            owned.push_back(Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value());
            EXPECT_TRUE(owned.back()->load({}));
            executors.push_back(owned.back().get());
        }
        devices.counts[0].calls.clear();
    }
    // "ABBA": which program a round of calls was of, by its number of kernels.
    [[nodiscard]] std::string order() const
    {
        std::string order;
        int launches = 0;
        for (const std::string &call : devices.counts[0].calls) {
            launches += call.starts_with("launch") ? 1 : 0;
            if (call == "synchronize")
                order += static_cast<char>('A' + std::exchange(launches, 0) - 1);
        }
        return order;
    }

    FakeDevices devices{1};
    std::vector<std::unique_ptr<Executor>> owned;
    std::vector<Executor *> executors;
};

TEST(MeasureRuns, roundsAreInTurn)
{
    Programs programs({1, 2, 3});
    const MeasurePlan plan{.repeats = 4, .budget = std::chrono::nanoseconds(1)}; // a run each to warm up
    const MeasuredRuns runs = measureInTurn(programs.executors, plan, {}).value();
    EXPECT_EQ(programs.order(), "ABC"
                                "ABC"
                                "CBA"
                                "ABC"
                                "CBA");
    ASSERT_EQ(runs.results.size(), 3U);
    EXPECT_EQ(runs.ratios.size(), 2U);
    EXPECT_EQ(runs.rounds, 4U);
    for (const ExecutionResult &result : runs.results) {
        EXPECT_EQ(result.total.runs, 4U);
        EXPECT_EQ(result.outputs.size(), 1U);
        EXPECT_EQ(result.kernels.front().runs, 4U);
    }
    EXPECT_EQ(runs.results[2].kernels.size(), 3U);
    EXPECT_EQ(runs.ratios[0].samples, 2U);
    EXPECT_EQ(differenceOf(runs.ratios[0]), Difference::Unknown);
}

TEST(MeasureRuns, aSingleRunIsNotWarmedUp)
{
    Programs programs({1, 2});
    const MeasuredRuns runs = measureInTurn(programs.executors, {.repeats = 1}, {}).value();
    EXPECT_EQ(programs.order(), "AB");
    EXPECT_EQ(runs.results[0].total.low, runs.results[0].total.min);
}

TEST(MeasureRuns, progressReachesTheEnd)
{
    Programs programs({1});
    std::vector<double> parts;
    const auto observe = [&](double part) { parts.push_back(part); };
    ASSERT_TRUE(measureInTurn(programs.executors, {.repeats = 4, .budget = std::chrono::nanoseconds(1)}, {}, observe));
    EXPECT_EQ(parts, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST(MeasureRuns, canBeStoppedAndFails)
{
    Programs programs({1, 2});
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = measureInTurn(programs.executors, {}, stop.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().front().code, Code::Cancelled);
    Programs failing({1, 2});
    failing.devices.counts[0].failingCall = 9;
    const auto failed = measureInTurn(failing.executors, {.repeats = 100, .budget = std::chrono::nanoseconds(1)}, {});
    ASSERT_FALSE(failed);
    EXPECT_NE(toText(failed.error()).find("the fake device fails"), std::string::npos);
}

} // namespace
} // namespace sw
