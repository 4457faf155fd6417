// A dimension that is known when the program runs costs no vector lanes, and no value in memory twice.

#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr const char *kAttention = "n: dim[1, 4096] = 64\n"
                                   "input q: f32[n, 64]\ninput k: f32[n, 64]\ninput v: f32[n, 64]\n"
                                   "scores = q @ k.T / 8\n"
                                   "output softmax(scores, axis = -1) @ v\n";

std::size_t count(const std::string &text, const std::string &word)
{
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1))
        ++found;
    return found;
}

// The steps past its end are masked in the kernel that reduces along it, which reads the scores themselves too.
TEST(OpenDimensions, storeWhatReductionsMaskOnce)
{
    const std::string loops = test::allLoopsOfText(kAttention, 1, {});
    EXPECT_EQ(count(loops, "kernel k"), 3U) << loops;
    EXPECT_EQ(count(loops, "store "), 3U) << loops;
}

// The length has 64 bits, but is one for the whole kernel: a vector has as many lanes as it has f32.
TEST(OpenDimensions, haveVectorsOfWholeRegisters)
{
    const std::string loops = test::allLoopsOfText("n: dim[1, 4000]\ninput x: f32[n]\noutput sum(x) / n\n", 1, {});
    EXPECT_NE(loops.find("vectors of 16 lanes"), std::string::npos) << loops;
}

// A mask that everybody reads through is stored as any value.
TEST(OpenDimensions, leaveOtherMasksWhereTheyAre)
{
    const std::string loops = test::allLoopsOfText("input q: f32[512, 64]\ninput k: f32[512, 64]\ninput m: bool[512, 512]\n"
                                                   "s = where(m, q @ k.T, -inf)\n"
                                                   "output exp(s - max(s, axis = -1, keepdims = true))\n",
                                                   1, {});
    EXPECT_EQ(count(loops, "kernel k"), 2U) << loops;
    EXPECT_LT(loops.find("where"), loops.find("kernel k1")) << loops;
    const std::string alone = test::allLoopsOfText("input q: f32[512, 64]\ninput k: f32[512, 64]\ninput m: bool[512, 512]\n"
                                                   "output max(where(m, q @ k.T, -inf), axis = -1)\n",
                                                   1, {});
    EXPECT_EQ(count(alone, "kernel k"), 2U) << alone;
    EXPECT_LT(alone.find("where"), alone.find("kernel k1")) << alone;
}

} // namespace
} // namespace sw
