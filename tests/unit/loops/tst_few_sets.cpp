// Contractions whose lines fall on few sets of the first level of the cache: vectors go along the memory, and few lines are
// written at a time.

#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

using test::loopsOfText;

// Rows of 3136 elements are 12,544 bytes apart, which is 49 times 256: 512 of them have 16 sets. Each step of a tile with vectors
// across the rows would need a line that was lost; rows of 3100 elements are on all sets.
TEST(FewSets, turnVectorsAlongTheMemory)
{
    const std::string far = loopsOfText("param w: f32[64, 512] = random(1)\ninput x: f32[512, 3136]\noutput relu(w @ x)\n");
    EXPECT_NE(far.find("set_type i1.i.i vector"), std::string::npos) << far;
    const std::string near = loopsOfText("param w: f32[64, 512] = random(1)\ninput x: f32[512, 3100]\noutput relu(w @ x)\n");
    EXPECT_NE(near.find("set_type i0.i.i vector"), std::string::npos) << near;
}

// The channels of the result are 50,176 bytes apart, on 4 sets. A tile writes a part of a line in each of its 32 channels; the
// next tile goes on in them, not in 32 others.
TEST(FewSets, keepThePanelWhoseLinesAreBeingWritten)
{
    const std::string file = testing::TempDir() + "few_sets_weights.npy";
    ASSERT_TRUE(writeNpyFile(file, randomTensor(DType::F32, {64, 3, 7, 7}, 1)));
    const auto textOf = [&](int size) {
        return format("input x: f32[1, 3, {0}, {0}]\nconst w: f32[64, 3, 7, 7] = load(\"{1}\")\n"
                      "output relu(conv2d(x, w, stride = 2))\n",
                      size, file);
    };
    constexpr const char *kReason = "one panel serves all the rows, and few lines are written at a time";
    const std::string far = loopsOfText(textOf(229));
    EXPECT_NE(far.find(kReason), std::string::npos) << far;
    const std::string near = loopsOfText(textOf(225));
    EXPECT_EQ(near.find(kReason), std::string::npos) << near;
}

// The rows of the result are 12,288 bytes apart, on one set. A tile with vectors across the rows writes a run of its columns into
// each of 64 rows, whose lines are lost before the next tile goes on in them.
TEST(FewSets, countTheLinesThatRunsAreStoredTo)
{
    const auto textOf = [](int columns) {
        return format("input x: f32[128, 768]\ninput w: f32[{}, 768]\noutput x @ w.T\n", columns);
    };
    const std::string far = loopsOfText(textOf(3072));
    EXPECT_NE(far.find("set_type i1.i.i vector"), std::string::npos) << far;
    const std::string near = loopsOfText(textOf(3100));
    EXPECT_NE(near.find("set_type i0.i.i vector"), std::string::npos) << near;
}

} // namespace
} // namespace sw
