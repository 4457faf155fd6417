// Kernels that read along one axis and store along another one: in tiles that are read row by row and stored column by column.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

class TurnedTiles : public KernelStages {};

constexpr std::string_view kTile = "tiles of 16 x 16";

class TurnedTilesOn : public KernelsOnProcessors {};

TEST_P(TurnedTilesOn, areTheReference)
{
    const std::string device = GetParam();
    for (const std::string_view shape : {"[256, 128]", "[301, 199]", "[17, 2000]", "[2000, 31]"})
        EXPECT_NE(checkedLoopsOf(format("input x: f32{}\noutput contiguous(permute(x, [1, 0]))\n", shape), device).find(kTile),
                  std::string::npos)
            << shape;
    for (const std::string_view order : {"[0, 2, 1]", "[1, 2, 0]", "[2, 0, 1]", "[2, 1, 0]"})
        EXPECT_NE(
            checkedLoopsOf(format("input x: f32[38, 41, 35]\noutput contiguous(permute(x, {}))\n", order), device).find(kTile),
            std::string::npos)
            << order;
    for (const std::string_view dtype : {"i32", "u32", "f64", "i64", "f16"})
        checkedLoopsOf(format("input x: {}[237, 145]\noutput contiguous(permute(x, [1, 0]))\n", dtype), device);
    EXPECT_NE(
        checkedLoopsOf("input x: f32[237, 145]\ninput b: f32[145, 1]\ninput c: f32[]\noutput x.T * b + c\n", device).find(kTile),
        std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Devices, TurnedTilesOn, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

// One axis serves both, a tile does not fit, what is read is padded, another load runs along what is stored, there is much to
// compute, or little to store.
TEST_F(TurnedTiles, areNotMadeOfOthers)
{
    for (const std::string_view text :
         {"input x: f32[400, 500]\noutput contiguous(x * 2)\n", "input x: f32[4000, 15]\noutput contiguous(x.T)\n",
          "input x: f32[15, 4000]\noutput contiguous(x.T)\n", "input x: u8[800, 90]\noutput contiguous(x.T)\n",
          "input x: f32[400, 500]\noutput contiguous(pad(x, [[1, 1], [0, 0]]).T)\n",
          "input x: f32[400, 500]\ninput y: f32[500, 400]\noutput x.T + y\n", "input x: f32[400, 500]\noutput exp(x.T)\n",
          "input x: f32[100, 100]\noutput contiguous(x.T)\n"})
        EXPECT_EQ(checkedLoopsOf(std::string(text), "llvm").find(kTile), std::string::npos) << text;
}

} // namespace
} // namespace sw::test
