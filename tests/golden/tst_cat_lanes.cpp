// Inputs of a cat that are one element of each row are computed once for the row, all in one kernel, whose vectors run across the
// rows and are interleaved where they are stored: the results are those of the plain loops.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

#include <ostream>

namespace sw::test {
namespace {

struct LaneProgram {
    const char *name;
    const char *text;
    bool isInterleaved = true; // by registers, where the device has vectors
    std::size_t kernels = 1;
};

void PrintTo(const LaneProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr const char *kTwo = "input x: f32[1003]\noutput stack([sin(x), cos(x)], axis = 1)";

constexpr LaneProgram kPrograms[] = {
    {"two", kTwo},
    {"three", "input x: f32[70]\ne = exp(x)\noutput stack([e, e * e, 1 / (e + 1)], axis = 1)"},
    {"four_words", "param k: u32x4[] = random(3)\n"
                   "output uint4x32_to_prec_uniform(threefry4x32_light(key = k, counter = arange(333, dtype = u32)), f32)"},
    {"four_words_of_a_cipher",
     "param k: u32x4[] = random(3)\n"
     "output uint4x32_to_prec_uniform(threefry4x32_crypto(key = k, counter = arange(64, dtype = u32)), f32)"},
    {"five", "input x: f32[6, 32]\ne = exp(x)\noutput stack([e, e * e, e + 1, e - 1, 1 / (e + 1)], axis = 2)"},
    {"eight", "input x: f32[64]\ne = exp(x)\noutput stack([e, e * 2, e * 3, e * 4, e * 5, e * 6, e * 7, e * 8], axis = 1)"},
    {"doubles", "input x: f64[77]\ne = exp(x)\noutput stack([e, 1 / (e + 1)], axis = 1)"},
    {"bytes", "input x: i8[100]\ny = x * x * x * x * x * x\noutput stack([y, y + x, y - x, y * 3], axis = 1)"},
    {"truths", "input x: f32[100]\ne = exp(x)\noutput stack([e > 1, e < 2], axis = 1)"},
    {"beside_a_row", "input x: f32[40, 33]\noutput cat([exp(mean(x, axis = 1, keepdims = true)), x], axis = 1)", false},
    {"framed", "input x: f32[50]\ne = exp(x)\noutput pad(stack([e, e * e], axis = 1), [[1, 2], [1, 1]], value = 3)", true, 2},
    {"some_of_them", "input x: f32[64]\ne = exp(x)\noutput stack([e, e * e, e + 1, e - 1], axis = 1)[:, 1:3] * 2"},
    {"looked_up",
     "input t: f32[9]\ni = arange(80, dtype = i32) % 9\n"
     "output stack([gather(t, i, 0), gather(t, 8 - i, 0)], axis = 1)",
     false},
    {"parts_of_parts",
     "input x: f32[6, 3, 40]\n"
     "d = cat([x[0:1] - x[2:3], x[1:2] + x[2:3], x[2:3] - x[1:2]], axis = 0)\n"
     "output cat([d[:, 0:1] - d[:, 2:3], d[:, 1:2] + d[:, 2:3], exp(d[:, 2:3])], axis = 1) * 2",
     false},
    {"rows_of_few_columns",
     "input x: f32[5, 32, 64, 7]\nd = x * 2\n"
     "output cat([d[0:1] - d[2:3], d[1:2] + d[2:3], d[2:3] - d[1:2], d[1:2] - d[3:4]], axis = 0)",
     false},
    {"below_each_other", "input x: f32[64]\ne = exp(x)\noutput stack([x + 1, x - 1], axis = 0)", false},
};

class CatLanes : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, LaneProgram>> {};

TEST_P(CatLanes, areComputedTogether)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both = runBothWays(format("{}\n", program.text), device);
    ASSERT_TRUE(both) << toText(both.error());
    EXPECT_EQ(both->compilation.schedule->kernels.size(), program.kernels);
    if (device != "opencl") {
        EXPECT_EQ(hasShuffle(*both->compilation.lowered), program.isInterleaved);
    }
    expectNear(both->chosen, both->plain, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Devices, CatLanes,
                         testing::Combine(testing::Values("llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
