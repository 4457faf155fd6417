// Axes that go over rows with room between them, or over a few places in turns: loops over the rows, and over the places.

#include "tests/golden/kernel_stages.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

class DividedAxes : public KernelStages {};
class DividedAxesOn : public KernelsOnProcessors {};

std::string shuffled(int images, int by, int rows, int columns, std::string_view then = "")
{
    return format("input x: f32[{0}, {1}, {3}, {4}]\n"
                  "y = x.reshape([{0}, {5}, {2}, {2}, {3}, {4}]).permute([0, 1, 4, 2, 5, 3])\n"
                  "output contiguous(y.reshape([{0}, {5}, {6}, {7}])){8}\n",
                  images, 3 * by * by, by, rows, columns, 3, rows * by, columns * by, then);
}

TEST_P(DividedAxesOn, areTheReference)
{
    const std::string device = GetParam();
    for (const int columns : {9, 15, 17, 38, 66})
        EXPECT_NE(checkedLoopsOf(format("input x: f32[3, 40, {}]\ninput y: f32[3, {}]\n"
                                        "output reshape(x[:, 1:39, 2:{}], [3, {}]) * y\n",
                                        columns + 3, 38 * columns, columns + 2, 38 * columns),
                                 device)
                      .find("divide i1"),
                  std::string::npos)
            << columns;
    for (const std::string_view value :
         {"sum(y, axis = 1)", "softmax(exp(y) * 2)", "var(y, axis = 1)", "argmax(y, axis = 1).cast(f32)", "layer_norm(y * 2)"})
        EXPECT_NE(checkedLoopsOf(
                      format("input x: f32[16, 40, 40]\ny = reshape(x[:, 1:39, 1:39], [16, 1444])\noutput {}\n", value), device)
                      .find("divide "),
                  std::string::npos)
            << value;
    for (const std::string_view size : {"38, 38", "20, 20", "10, 13", "9, 9"}) {
        const std::string places = format("{} * {}", size.substr(0, size.find(',')), size.substr(size.find(' ') + 1));
        EXPECT_NE(checkedLoopsOf(format("input x: f32[1, 10, {0}]\nparam w: f32[10, 1, 3, 3] = random(1)\n"
                                        "y = conv2d(x, w, padding = 1, groups = 10)\n"
                                        "output reshape(permute(y, [0, 2, 3, 1]), [{1}, 10])\n",
                                        size, places),
                                 device)
                      .find("divide i0"),
                  std::string::npos)
            << size;
    }
    for (const int by : {3, 5, 7, 9})
        for (const int columns : {16, 37, 112}) {
            const std::string loops = checkedLoopsOf(shuffled(2, by, 5, columns), device);
            if (by != 5 && by != 7) // of these, vectors of 8 lanes pay for long rows only
                EXPECT_NE(loops.find("neighbours lie apart in what is read"), std::string::npos) << by << " " << columns;
        }
    checkedLoopsOf(shuffled(1, 3, 6, 40, " * 2 + 1"), device);
    checkedLoopsOf("input x: f64[27, 8, 40]\ninput y: f64[3, 24, 120]\n"
                   "output reshape(permute(reshape(x, [3, 3, 3, 8, 40]), [0, 3, 1, 4, 2]), [3, 24, 120]) * y\n",
                   device);
}

INSTANTIATE_TEST_SUITE_P(Devices, DividedAxesOn, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

// By two and by four, a vector picks its lanes from what it reads anyway; a short image has no vectors.
TEST_F(DividedAxes, areNotMadeOfOthers)
{
    for (const auto &[by, columns] : {std::pair{2, 40}, {4, 40}, {3, 3}})
        EXPECT_EQ(checkedLoopsOf(shuffled(1, by, 4, columns), "llvm").find("divide"), std::string::npos) << by;
}

} // namespace
} // namespace sw::test
