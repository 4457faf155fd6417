// What holds for the schedule of any program.

#include "engine/graph/interpreter.h"
#include "engine/graph/printer.h"
#include "tests/support/one_kernel.h"
#include "tests/unit/passes/schedule/random_program.h"

namespace sw {

namespace {

constexpr std::uint32_t kPrograms = 120;
constexpr std::size_t kSteps = 32;

std::string textOf(const Schedule &schedule)
{
    return printGraph(*schedule.graph).text + printSchedule(schedule).text;
}

void expectSameValues(const SchedulePtr &schedule, const CompileOptions &options, std::uint32_t seed)
{
    const std::vector<HostTensor> inputs = randomValues(*schedule->graph, seed);
    const auto lowered = test::lowerFor(schedule, test::vectorDevice(2, 16), options);
    ASSERT_TRUE(lowered) << toText(lowered.error()) << textOf(*schedule);
    const auto values = test::runLowered(**lowered, inputs);
    ASSERT_TRUE(values) << toText(values.error()) << textOf(*schedule);
    const auto expected = interpretGraph(*schedule->graph, inputs);
    ASSERT_TRUE(expected) << toText(expected.error());
    ASSERT_EQ(values->size(), expected->size());
    for (std::size_t i = 0; i < values->size(); ++i)
        ASSERT_TRUE((*values)[i].reshaped((*expected)[i].shape()).isIdenticalTo((*expected)[i])) << "output " << i << "\n"
                                                                                                 << textOf(*schedule);
}

TEST(RandomPrograms, schedulesVerifyAndComputeTheSameValues)
{
    for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
        SCOPED_TRACE(seed);
        const GraphPtr graph = RandomProgram(seed).make(kSteps);
        for (const bool fuse : {true, false}) {
            const CompileOptions options{.fuse = fuse};
            const auto schedule = std::make_shared<const Schedule>(trySchedule(graph, options).value());
            const Result<Done> verified = verifySchedule(*schedule);
            ASSERT_TRUE(verified) << toText(verified.error()) << textOf(*schedule);
            ASSERT_NO_FATAL_FAILURE(expectSameValues(schedule, options, seed));
        }
    }
}

TEST(RandomPrograms, anyNumberOfRewritesGivesAValidSchedule)
{
    for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
        SCOPED_TRACE(seed);
        const GraphPtr graph = RandomProgram(seed).make(kSteps);
        const std::uint32_t budget = seed % 12;
        const auto schedule = std::make_shared<const Schedule>(trySchedule(graph, {}, budget).value());
        const Result<Done> verified = verifySchedule(*schedule);
        ASSERT_TRUE(verified) << toText(verified.error()) << textOf(*schedule);
        ASSERT_NO_FATAL_FAILURE(expectSameValues(schedule, {}, seed));
    }
}

TEST(RandomPrograms, schedulingTwiceGivesTheSameText)
{
    for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
        const GraphPtr graph = RandomProgram(seed).make(kSteps);
        ASSERT_EQ(printSchedule(trySchedule(graph).value()).text, printSchedule(trySchedule(graph).value()).text) << seed;
    }
}

TEST(RandomPrograms, fusionOffMakesEveryComputedNodeAKernel)
{
    for (std::uint32_t seed = 0; seed < kPrograms; ++seed) {
        const Schedule schedule = trySchedule(RandomProgram(seed).make(kSteps), {.fuse = false}).value();
        for (const ScheduledKernel &kernel : schedule.kernels)
            ASSERT_EQ(kernel.members.size(), 1U) << seed << "\n" << textOf(schedule);
    }
}

} // namespace

} // namespace sw
