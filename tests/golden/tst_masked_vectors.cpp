// What the vectors of a register tile leave over is one masked vector: the results are those of the plain loops, in machine code
// too.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace sw::test {
namespace {

struct MaskedProgram {
    const char *name;
    const char *text;
    bool isMasked = true;
};

void PrintTo(const MaskedProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr MaskedProgram kPrograms[] = {
    {"odd_square", "input a: f32[255, 255]\ninput b: f32[255, 255]\noutput a @ b"},
    {"integers", "input a: i32[63, 61]\ninput b: i32[61, 63]\noutput a @ b"},
    {"turned", "input a: f32[45, 67]\ninput b: f32[79, 67]\noutput a @ b.T"},
    {"short_rows", "input a: f32[64, 100]\ninput b: f32[100, 13]\noutput a @ b"},
    {"batches", "input a: f32[3, 40, 36]\ninput b: f32[3, 36, 31]\noutput a @ b"},
    {"epilogue", "input a: f32[50, 64]\ninput b: f32[64, 47]\ninput c: f32[47]\noutput relu(a @ b + c)"},
    {"small_image", "input x: f32[1, 32, 7, 7]\ninput w: f32[45, 32, 1, 1]\noutput conv2d(x, w)", false},
    {"whole_vectors", "input a: f32[64, 64]\ninput b: f32[64, 64]\noutput a @ b", false},
};

class MaskedVectors : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, MaskedProgram>> {};

bool hasMask(const LoopProgram &program)
{
    return std::ranges::any_of(program.nests, [](const auto &nest) {
        return std::ranges::any_of(nest->axes, [](const Axis &axis) { return axis.isMasked; });
    });
}

TEST_P(MaskedVectors, giveWhatPlainLoopsGive)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both = runBothWays(format("{}\n", program.text), device);
    ASSERT_TRUE(both) << toText(both.error());
    if (device == "llvm") {
        EXPECT_EQ(hasMask(*both->compilation.loops), program.isMasked);
    }
    expectNear(both->chosen, both->plain, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(Devices, MaskedVectors, testing::Combine(testing::Values("llvm", "c"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
