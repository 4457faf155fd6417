// Convolutions of images that the core's cache does not hold: a tile of several channels reads the image once, one that goes
// along the image reads it again for each channel.

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

} // namespace
} // namespace sw
