// Views whose positions are put together of quotients, which the next view takes apart again: the arithmetic of a chain of them
// would double with each, so one in between is stored.

#include "tests/golden/program_fixture.h"

#include "engine/schedule/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace sw::test {
namespace {

constexpr std::int64_t kRows = 4;
constexpr std::int64_t kColumns = 6;

// step: what is done to each of the values after it was turned; {} is the turned value.
std::string chainText(int turns, const std::string &step)
{
    std::string text = format("input x: f32[{}, {}]\n", kRows, kColumns);
    std::string value = "x";
    for (int i = 0; i < turns; ++i) {
        const std::string turned = format("reshape({}.T, [{}, {}])", value, kRows, kColumns);
        value = format("v{}", i);
        text += format("{} = {}\n", value, step.empty() ? turned : format("{} {}", turned, step));
    }
    return text + format("output y = {} * 2.0\n", value);
}

// The places that the turns bring the elements to.
std::vector<std::int64_t> turnedPlaces(int turns)
{
    std::vector<std::int64_t> places(kRows * kColumns);
    std::iota(places.begin(), places.end(), 0);
    for (int turn = 0; turn < turns; ++turn) {
        std::vector<std::int64_t> next;
        for (std::int64_t column = 0; column < kColumns; ++column)
            for (std::int64_t row = 0; row < kRows; ++row)
                next.push_back(places[static_cast<std::size_t>(row * kColumns + column)]);
        places = next;
    }
    return places;
}

class MixedViewsOn : public ProgramTest, public testing::WithParamInterface<std::string_view> {};

TEST_P(MixedViewsOn, areStoredBeforeTheirArithmeticExplodes)
{
    const std::string device(GetParam());
    if (const std::string why = whyUnavailable(device); !why.empty())
        GTEST_SKIP() << why;
    constexpr int kTurns = 40; // 2^40 quotients
    HostTensor x(DType::F32, {kRows, kColumns});
    for (std::int64_t i = 0; i < x.elements(); ++i)
        x.set(i, Scalar::of(DType::F32, static_cast<double>(i)));
    for (const std::string step : {"", "+ 1.0"}) {
        SCOPED_TRACE(step);
        ProgramCompiler compiler(m_registry);
        const CompileRequest request = requestOf(chainText(kTurns, step), device);
        const auto got = run(compiler, request, {{"x", x}});
        ASSERT_TRUE(got) << toText(got.error());
        const std::vector<std::int64_t> places = turnedPlaces(kTurns);
        for (std::int64_t i = 0; i < x.elements(); ++i) {
            const auto from = static_cast<double>(places[static_cast<std::size_t>(i)]);
            EXPECT_EQ(got->outputs.front().value.at(i).asDouble(), 2 * (from + (step.empty() ? 0 : kTurns))) << i;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, MixedViewsOn, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &test) { return std::string(test.param); });

// As many as programs have between two sums: nothing is stored for them.
TEST_F(ProgramTest, fewMixedViewsAreNotStored)
{
    ProgramCompiler compiler(m_registry);
    const Compilation few = compiler.compile(requestOf(chainText(8, ""), "llvm"), {});
    ASSERT_TRUE(few.succeeded) << toText(few.diagnostics);
    EXPECT_EQ(few.schedule->kernels.size(), 1U) << printSchedule(*few.schedule).text;
    const Compilation more = compiler.compile(requestOf(chainText(10, ""), "llvm"), {});
    ASSERT_TRUE(more.succeeded) << toText(more.diagnostics);
    EXPECT_EQ(more.schedule->kernels.size(), 2U) << printSchedule(*more.schedule).text;
    std::size_t instructions = 0;
    for (const LoweredKernel &kernel : more.lowered->kernels)
        instructions += kernel.instructions.size();
    EXPECT_LT(instructions, 4000U);
}

} // namespace
} // namespace sw::test
