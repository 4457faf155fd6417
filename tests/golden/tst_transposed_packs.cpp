// A pack whose source runs along the steps of the reduction is copied in blocks that registers transpose: the results are those
// of the plain loops, for numbers of steps and rows around the blocks, for every type, and the rest goes over no element's end.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

#include <ostream>

namespace sw::test {
namespace {

struct PackedProgram {
    const char *name;
    const char *text;
    bool isTransposed = true;
};

void PrintTo(const PackedProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr PackedProgram kPrograms[] = {
    {"whole_blocks", "input a: i32[40, 64]\ninput b: i32[48, 64]\noutput a @ b.T"},
    {"one_block", "input a: i32[40, 4]\ninput b: i32[48, 4]\noutput a @ b.T"},
    {"rest_of_steps", "input a: i32[40, 67]\ninput b: i32[64, 67]\noutput a @ b.T"},
    {"rest_of_rows", "input a: i32[40, 66]\ninput b: i32[52, 66]\noutput a @ b.T"},
    {"odd_rows", "input a: i32[41, 65]\ninput b: i32[51, 65]\noutput a @ b.T"},
    {"floats", "input a: f32[48, 130]\ninput b: f32[64, 130]\noutput a @ b.T"},
    {"doubles", "input a: f64[48, 70]\ninput b: f64[48, 70]\noutput a @ b.T"},
    {"batches", "input a: f32[3, 40, 36]\ninput b: f32[3, 64, 36]\noutput a @ b.permute([0, 2, 1])"},
    {"window", "input x: f32[1, 12, 7, 7]\ninput w: f32[32, 12, 3, 3]\noutput conv2d(x, w, padding = 1)"},
    {"window_of_groups", "input x: f32[1, 12, 9, 9]\ninput w: f32[64, 6, 3, 3]\noutput conv2d(x, w, stride = 2, groups = 2)"},
    {"rows_of_steps", "input a: i32[40, 64]\ninput b: i32[64, 48]\noutput a @ b", false}, // the source runs along the rows
};

class TransposedPacks : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, PackedProgram>> {};

TEST_P(TransposedPacks, giveWhatPlainLoopsGive)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both = runBothWays(format("{}\n", program.text), device);
    ASSERT_TRUE(both) << toText(both.error());
    EXPECT_EQ(hasShuffle(*both->compilation.lowered), program.isTransposed);
    expectNear(both->chosen, both->plain, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Devices, TransposedPacks, testing::Combine(testing::Values("llvm", "c"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
