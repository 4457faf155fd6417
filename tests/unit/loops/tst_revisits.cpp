// What the caches do not hold is read once where that is possible: a tile of several channels of a convolution reads the image
// once, one that goes along the image reads it again for each channel. Panels of weights serve all rows one by one.

#include "tests/unit/loops/loops_of_text.h"

namespace sw {
namespace {

TEST(Revisits, turnVectorsAcrossTheChannels)
{
    const std::string loops = test::loopsOfText("input x: f32[1, 64, 226, 226]\nparam w: f32[64, 64, 3, 3] = random(1)\n"
                                                "output conv2d(x, w)\n"); // an image of 13 MB
    EXPECT_NE(loops.find("set_type i0.i.i vector"), std::string::npos) << loops;
    EXPECT_EQ(loops.find("set_type i2.i.i vector"), std::string::npos) << loops;
}

std::string productWithWeights(std::int64_t rows, std::int64_t steps, std::int64_t columns)
{
    return format("input a: f32[{}, {}]\nparam b: f32[{}, {}] = random(1)\noutput a @ b\n", rows, steps, steps, columns);
}

TEST(Revisits, turnVectorsAlongPanels)
{
    const std::string loops = test::loopsOfText(productWithWeights(2048, 2048, 2048)); // panels of 16 MB
    EXPECT_NE(loops.find("set_type i1.i.i vector"), std::string::npos) << loops;
    EXPECT_EQ(loops.find("set_type i0.i.i vector"), std::string::npos) << loops;
}

// A panel of all steps is 2 MB for 32 columns. Of 256 steps, 32 columns and 14 rows would not stay in a first level of 32 KiB.
// Where one thread has all the rows, no other work item copies the panels again.
TEST(Revisits, divideLongPanelsIntoBlocks)
{
    const std::string loops = test::loopsOfText(productWithWeights(512, 16384, 512));
    EXPECT_NE(loops.find("split r2 128  # 128 steps at a time"), std::string::npos) << loops;
    EXPECT_NE(loops.find("pack v0 "), std::string::npos) << loops; // rows of a
    EXPECT_EQ(loops.find("pack v1 "), std::string::npos) << loops; // lies in panels
}

// The panels are too few for the threads, so that these share the rows.
TEST(Revisits, readAPanelForAllRowsOfAWorkItem)
{
    const std::string loops = test::loopsOfText(productWithWeights(196, 1024, 256), 3);
    EXPECT_NE(loops.find("set_type i0.o.o thread"), std::string::npos) << loops;
    EXPECT_NE(loops.find("reorder i0.o.o i1.o i0.o.i"), std::string::npos) << loops;
}

// Blocks of the rows of a matrix, one for each product: they lie side by side, and no window goes over them.
TEST(Revisits, readBlocksOfRowsOnce)
{
    const auto columnsOf = [](const std::string &factor, const std::string &view) {
        const std::string loops = test::loopsOfText("input p: f32[2, 512, 1024]\n" + factor + "output p @ " + view + "\n");
        EXPECT_EQ(loops.find("set_type i1.i.i vector"), std::string::npos) << loops;
        return loops.substr(loops.find("split i2 "), 100);
    };
    EXPECT_EQ(columnsOf("input v: f32[2048, 64]\n", "reshape(v, [2, 1024, 64])"), columnsOf("input v: f32[2, 1024, 64]\n", "v"));
}

// The channels of a tile are of one group, and read the same image.
TEST(Revisits, readTheImageOfAGroupOnceForATile)
{
    const std::string loops = test::loopsOfText("input x: f32[1, 272, 14, 14]\nparam w: f32[272, 68, 1, 1] = random(1)\n"
                                                "input b: f32[272, 1, 1]\noutput conv2d(x, w, groups = 4) + b\n");
    EXPECT_NE(loops.find("4 x 6 register tile"), std::string::npos) << loops;
}

// A vector of every second element is two vectors and a shuffle, far less than lanes from rows that lie apart.
TEST(Revisits, readEverySecondElementAlongASum)
{
    const std::string loops = test::loopsOfText("input x: f32[128, 2]\nparam w: f32[512, 128] = random(1)\noutput w @ x[:, 0]\n");
    EXPECT_NE(loops.find("partial results in the lanes"), std::string::npos) << loops;
}

} // namespace
} // namespace sw
