// How the work items of a kernel in stages are chosen.

#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <string>

namespace sw {
namespace {

constexpr const char *kMasked = "input x: f32[2, 3, 64, 512]\ninput m: f32[2, 1, 64, 512]\noutput y = softmax(x + m)\n";

// 8 blocks of rows are too few for 16 threads, and the axes outside of them are no one axis, since the mask has not all of them.
TEST(Stages, shareSeveralLoopsAmongManyThreads)
{
    const std::string many = test::allLoopsOfText(kMasked, 16, {});
    EXPECT_NE(many.find("24 work items with those of i2.o, for 16 threads"), std::string::npos) << many;
    EXPECT_NE(many.find("thread i1 in 0..3\n      thread i2.o in 0..8\n        for i0 in 0..2"), std::string::npos) << many;
    const std::string all =
        test::allLoopsOfText("input x: f32[4, 4, 8, 4096]\ninput m: f32[4, 1, 8, 4096]\noutput y = softmax(x + m)\n", 32, {});
    EXPECT_NE(all.find("64 work items with those of i0, for 32 threads"), std::string::npos) << all;
    EXPECT_NE(all.find("thread i2.o in 0..4\n      thread i1 in 0..4\n        thread i0 in 0..4"), std::string::npos) << all;
    const std::string few = test::allLoopsOfText(kMasked, 2, {});
    EXPECT_EQ(few.find("work items with those of"), std::string::npos) << few;
}

} // namespace
} // namespace sw
