// Values that a cat joins part by part, and several contractions in a kernel: which loops are chosen for them.

#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

using test::allLoopsOfText;
using test::loopsOfText;

std::size_t countOf(const std::string &text, std::string_view part)
{
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++count;
    return count;
}

// Every index along the axis is another formula, so all of them are written out, and the vectors go along the memory of the
// others.
TEST(Parts, areWrittenOut)
{
    const std::string loops = loopsOfText("input x: f32[4, 50, 64]\n"
                                          "output cat([x[0:1] - x[2:3], x[1:2] + x[2:3], x[2:3] - x[1:2]], axis = 0)\n");
    EXPECT_NE(loops.find("set_type i0 upcast  # each index of i0 is another value, and they share their work"), std::string::npos)
        << loops;
    const std::string many = loopsOfText("input x: f32[17, 50, 64]\noutput cat([x[16:17] + 1, x[0:16] * 2], axis = 0)\n");
    EXPECT_EQ(many.find("is another value"), std::string::npos) << "17 points would be much code\n" << many;
    const std::string pairs = loopsOfText("input x: f32[4, 50, 64]\noutput cat([x[2:4] + 1, x[0:2] * 2], axis = 0)\n");
    EXPECT_EQ(pairs.find("is another value"), std::string::npos) << pairs;
}

// A vector of 8 lanes for 7 columns, one of 16 for 14: narrower ones would be several.
TEST(Parts, maskNarrowRows)
{
    const auto loopsOf = [](int columns) {
        return loopsOfText(format("input x: f32[3, 33, 40, {0}, 2]\ny = x[:, :, :, :, 0]\n"
                                  "output cat([y[0:1, ::2] - y[2:3, ::2], y[1:2, ::2] + y[2:3, ::2]], axis = 0)[:, :, ::3]\n",
                                  columns));
    };
    EXPECT_NE(loopsOf(7).find("mask "), std::string::npos) << loopsOf(7);
    EXPECT_NE(loopsOf(14).find("mask "), std::string::npos) << loopsOf(14);
    EXPECT_EQ(loopsOf(16).find("mask "), std::string::npos) << loopsOf(16);
    EXPECT_EQ(loopsOf(24).find("mask "), std::string::npos) << "8 lanes are left, which are a vector\n" << loopsOf(24);
}

// 192 channels of 4 x 4 tiles are 12,288 bytes, a multiple of a page: the 16 elements of a tile fall on one set of the first
// level of the cache. 200 channels are on several.
TEST(Parts, fillLinesThatWouldBeLost)
{
    const auto loopsOf = [](int channels, int rows = 8, int columns = 8) {
        return allLoopsOfText(format("input x: f32[1, {0}, {1}, {2}]\nparam w: f32[64, {0}, 3, 3] = random(1)\n"
                                     "output conv2d(x, w, padding = 1)\n",
                                     channels, rows, columns),
                              1, {.figures = {.memoryBytesPerNanosecond = 1e6, .launchNanoseconds = 0}});
    };
    constexpr const char *kReason = "# 4 rows one right after the other: other parts drive their lines out of the cache";
    EXPECT_EQ(countOf(loopsOf(192), kReason), 1U) << loopsOf(192);
    EXPECT_EQ(countOf(loopsOf(200), kReason), 0U) << loopsOf(200);
    EXPECT_NE(loopsOf(192, 16, 4).find("split i3 4  # 4 rows"), std::string::npos) << "8 rows of 2 tiles would be 128 points\n"
                                                                                   << loopsOf(192, 16, 4);
}

// Where a core's cache does not hold the products, a part goes through all steps in one kernel.
TEST(Parts, ofAConvolutionAreStagesOfOneKernel)
{
    const auto kernelsOf = [](int size, std::uint32_t threads = 2) {
        const std::string loops = allLoopsOfText(format("input x: f32[1, 64, {0}, {0}]\nparam w: f32[64, 64, 3, 3] = random(1)\n"
                                                        "output relu(conv2d(x, w, padding = 1))\n",
                                                        size),
                                                 threads, {});
        EXPECT_EQ(countOf(loops, "last stage"), size == 56 ? 1U : 0U) << loops;
        return countOf(loops, "kernel k");
    };
    EXPECT_EQ(kernelsOf(56), 4U) << "the kernels, the border, the convolution, relu";
    EXPECT_EQ(kernelsOf(56, 4), 4U) << "blocks of fewer parts than the cache holds, so that all threads have some";
    EXPECT_EQ(kernelsOf(28), 6U) << "1,605,632 bytes of products stay in half of the cache";
}

// Two products are summed one after the other, so that the registers hold the sums of one of them; each has a panel.
TEST(Contractions, ofOneKernelTakeTurnsInTheRegisters)
{
    const std::string loops = loopsOfText("input a: f32[64, 1024]\ninput b: f32[64, 1024]\n"
                                          "param v: f32[256, 64] = random(1)\nparam w: f32[256, 64] = random(2)\n"
                                          "output v @ a + w @ b\n");
    EXPECT_NE(loops.find("reduction 1"), std::string::npos) << "one kernel\n" << loops;
    EXPECT_EQ(countOf(loops, "  # read again for every row, and far apart in memory"), 2U) << "a panel of each\n" << loops;
    // Of a step of both: 24 multiplications for each of the 10 whole panels and 16 for the rest, two a cycle; a panel copied for
    // 64 rows of tiles; one cycle for the loop. Then half a cycle for a vector of results, one for its first sums to wait, and
    // the code.
    const double steps = 64.0 * 64 * (10 * (24 + 2 * 6 * 2 / 64.0 + 1) + 16 + 2 * 4 * 2 / 64.0 + 1);
    const double cycles = steps + 256.0 * 1024 / 16 * (0.5 + 1) + 40 * 60;
    EXPECT_NE(loops.find(format("4 x 6 register tile of 16 lanes; about {:.0f} thousand cycles", cycles / 1000)),
              std::string::npos)
        << cycles << ", 24 sums at a time, of 32 registers\n"
        << loops;
}

// A row of 14 in panels of 16 often lies in two of them, so that each row's address must be kept.
TEST(Contractions, takeRowsThatLieInOnePanel)
{
    const std::string loops = allLoopsOfText("input x: f32[1, 160, 7, 7]\nparam w: f32[224, 160, 3, 3] = random(1)\n"
                                             "output conv2d(x, w, padding = 1)\n",
                                             1, {.figures = {.memoryBytesPerNanosecond = 1e6, .launchNanoseconds = 0}});
    EXPECT_EQ(loops.find("14 x 1 register tile"), std::string::npos) << loops;
}

// Lanes two apart: each of four vectors is two loads and a shuffle, which is done where 16 multiplications are, two a cycle. And
// one cycle for the loop, half a one for a vector of results, and the code.
TEST(Contractions, countShufflesAsArithmetic)
{
    const std::string loops = loopsOfText("param w: f32[4, 512] = random(1)\ninput x: f32[512, 512]\noutput w @ x[:, ::2]\n");
    const double cycles = 4.0 * 512 * ((16 + 4) / 2.0 + 1) + 4 * 16 * 0.5 + 16 * 60;
    EXPECT_NE(loops.find(format("4 x 4 register tile of 16 lanes; about {:.0f} thousand cycles", cycles / 1000)),
              std::string::npos)
        << cycles << "\n"
        << loops;
}

// Rows of one element would leave nothing to tile: as stages, two large products go along rows of the whole result.
TEST(Contractions, areTiledWithinTheRowsOfStages)
{
    const std::string loops = allLoopsOfText("input a: f32[64, 3136]\ninput b: f32[64, 3136]\n"
                                             "param v: f32[256, 64] = random(1)\nparam w: f32[256, 64] = random(2)\n"
                                             "output v @ a + w @ b\n",
                                             1, {});
    EXPECT_NE(loops.find("last stage"), std::string::npos) << loops;
    EXPECT_EQ(loops.find(" 1 x "), std::string::npos) << "tiles of one row\n" << loops;
}

} // namespace
} // namespace sw
