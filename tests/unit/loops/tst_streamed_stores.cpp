// Results larger than the caches are stored past them where memory is what takes the time.

#include "tests/unit/loops/loops_of_text.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

bool isStreamed(const std::string &input, const std::string &result)
{
    return test::loopsOfText("input x: f32" + input + "\noutput y = " + result).find(" non_temporal") != std::string::npos;
}

TEST(StreamedStores, areThoseOfLargeResultsThatTakeLittleArithmetic)
{
    EXPECT_TRUE(isStreamed("[16384, 1024]", "x + 1"));
    EXPECT_TRUE(isStreamed("[16384, 1024]", "exp(x)"));
    EXPECT_FALSE(isStreamed("[1024, 1024]", "x + 1")); // the next kernel finds it in a cache
    EXPECT_FALSE(isStreamed("[16384, 1024]", "gelu(x)"));
    EXPECT_FALSE(isStreamed("[16384, 1024]", "silu(x)"));
    EXPECT_TRUE(isStreamed("[16384, 1024]", "exp(x)\noutput tanh(x)")); // two values, each of which takes little
}

TEST(StreamedStores, areNoneWhereADimensionMayBeShort)
{
    const std::string text = "n: dim[1, 16384] = 64\ninput x: f32[n, 1024]\noutput y = ";
    EXPECT_EQ(test::loopsOfText(text + "x + 1").find("non_temporal"), std::string::npos);
    EXPECT_EQ(test::loopsOfText(text + "softmax(x, axis = -1)").find("non_temporal"), std::string::npos);
}

TEST(StreamedStores, areThoseOfRowsWhoseExponentialsAreKept)
{
    EXPECT_TRUE(isStreamed("[16384, 1024]", "softmax(x, axis = -1)"));
    EXPECT_TRUE(isStreamed("[16384, 1024]", "log_softmax(x, axis = -1)")); // one logarithm for a row
    EXPECT_FALSE(isStreamed("[1024, 1024]", "softmax(x, axis = -1)"));
    EXPECT_FALSE(isStreamed("[16384, 1024]", "gelu(layer_norm(x, epsilon = 0.00001))"));
}

} // namespace
} // namespace sw
