// Pools whose windows overlap: a vector of the image serves all rows of a tile that have it in their windows.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

constexpr std::string_view kShared = "neighbouring rows of the tile read the same vectors";

class WindowRows : public KernelsOnProcessors {};

TEST_P(WindowRows, areReadOnceForAllOfThem)
{
    for (const std::string_view program : {
             "input x: f32[1, 16, 40, 40]\noutput max_pool2d(x, 3, stride = 2, padding = 1)\n",
             "input x: f32[1, 16, 40, 40]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n",
             "input x: f32[1, 16, 40, 41]\noutput -max_pool2d(-x, [5, 3], stride = 1, padding = [2, 1])\n",
             "input x: f32[1, 16, 40, 40]\noutput max_pool2d(log(x), 3, stride = 1, padding = 1)\n",
             "input x: f32[1, 1, 44, 66]\noutput max_pool2d(x, 3, stride = 1)\n", // of several images, a tile may go across them
             "input x: f16[1, 16, 40, 64]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n",
             "input x: i32[1, 16, 40, 40]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n",
             "input x: f64[1, 16, 24, 40]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n",
         }) {
        const std::string loops = checkedLoopsOf(std::string(program), GetParam());
        EXPECT_NE(loops.find(kShared), std::string::npos) << loops;
    }
}

// A strict sum is added up in the order of the program; windows that do not overlap have nothing to share.
TEST_P(WindowRows, areReadOneByOneWhereThatIsAskedFor)
{
    const std::string touching = "input x: f32[1, 16, 40, 40]\noutput max_pool2d(x, 2)\n";
    EXPECT_EQ(checkedLoopsOf(touching, GetParam()).find(kShared), std::string::npos);
    CompileRequest request =
        requestFor("input x: f32[1, 16, 40, 40]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n", GetParam());
    request.options.strict = true;
    ProgramCompiler compiler(m_registry);
    const Compilation strict = checkValues(compiler, request);
    ASSERT_TRUE(strict.succeeded);
    EXPECT_EQ(toText(*strict.loops).find(kShared), std::string::npos) << toText(*strict.loops);
}

// The sums up to each place are sums over windows that begin with padding: without its steps, what one of them adds up is what
// the next one begins with.
TEST_P(WindowRows, addUpToEachPlace)
{
    for (const std::string_view program : {
             "input x: f32[100, 264]\noutput cumsum(x, 0)\n",
             "input x: f32[8, 1024]\noutput cumsum(x, 0)\n", // whose two axes could be one
         }) {
        const std::string sums = checkedLoopsOf(std::string(program), GetParam());
        EXPECT_NE(sums.find("without those in padding, 56.2% of all steps are done"), std::string::npos) << sums;
    }
    for (const std::string_view program : {
             "input x: f32[2, 77, 9]\noutput cumsum(x, 1)\n",
             "input x: f32[77, 30]\noutput cumsum(x, 0, 1, 1)\n",
             "input x: f16[100, 64]\noutput cumsum(x / 64, 0)\n",
             "input x: i32[100, 64]\noutput cumsum(x, 0)\n",
             "input x: f32[100, 64]\noutput cumsum(log(x), 0)\n",
             "input x: f32[20, 64]\noutput cumprod(x, 0)\n",
         })
        static_cast<void>(checkedLoopsOf(std::string(program), GetParam()));
}

// Zeros that a mean adds where its windows reach beyond a small image.
TEST_P(WindowRows, leaveOutTheZerosOfABorder)
{
    const std::string loops =
        checkedLoopsOf("input x: f32[1, 64, 7, 7]\noutput avg_pool2d(x, 3, stride = 1, padding = 1)\n", GetParam());
    EXPECT_NE(loops.find("of all steps are done"), std::string::npos) << loops;
    const std::string largest =
        checkedLoopsOf("input x: f32[1, 64, 7, 7]\noutput max_pool2d(x, 3, stride = 1, padding = 1)\n", GetParam());
    EXPECT_EQ(largest.find("of all steps are done"), std::string::npos) << largest;
    // The largest of negative numbers and a border of zeros is a zero.
    const std::string bordered = checkedLoopsOf("input x: f32[1, 64, 7, 7]\n"
                                                "b = pad(-1 - abs(x), [[0, 0], [0, 0], [1, 1], [1, 1]])\n"
                                                "output max_pool2d(b, 3, stride = 1)\n",
                                                GetParam());
    EXPECT_EQ(bordered.find("of all steps are done"), std::string::npos) << bordered;
}

INSTANTIATE_TEST_SUITE_P(Devices, WindowRows, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
