// What programs compute, by the reference interpreter.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw::test {
namespace {

using Values = std::vector<double>;

TEST(LanguageValues, numbersAreWeak)
{
    EXPECT_EQ(runText("const x: f16[2] = [1, 2]\noutput x * 2 + 0.5\n").at(0).dtype(), DType::F16);
    EXPECT_EQ(runText("const x: u8[2] = [1, 2]\noutput x * 2\n").at(0).dtype(), DType::U8);
    EXPECT_EQ(runText("const x: i32[2] = [1, 2]\noutput x * 0.5\n").at(0).dtype(), DType::F32);
    EXPECT_EQ(runText("output 3\n").at(0).dtype(), DType::I32);
    EXPECT_EQ(runText("output 3.0\n").at(0).dtype(), DType::F32);
    EXPECT_EQ(runText("output 1 < 2\n").at(0).dtype(), DType::Bool);
}

TEST(LanguageValues, operatorsFollowPython)
{
    EXPECT_EQ(valuesOf("output [7 // 2, -7 // 2, 7 % 3, -7 % 3, 2 ** 10, -2 ** 2, 1 << 4, 6 & 3, 6 | 3, 6 ^ 3, ~5]\n"),
              (Values{3, -4, 1, 2, 1024, -4, 16, 2, 7, 5, -6}));
    EXPECT_EQ(valuesOf("const x: i32[4] = [7, -7, 7, -7]\nconst y: i32[4] = [2, 2, -2, -2]\noutput x // y\n"),
              (Values{3, -4, -4, 3}));
    EXPECT_EQ(valuesOf("const x: i32[4] = [7, -7, 7, -7]\nconst y: i32[4] = [2, 2, -2, -2]\noutput idiv(x, y)\n"),
              (Values{3, -3, -3, 3}));
    EXPECT_EQ(valuesOf("const x: i32[2] = [7, -7]\noutput x / 2\n"), (Values{3.5, -3.5}));
    EXPECT_EQ(valuesOf("const x: i32[2] = [5, 0]\noutput ~x\n"), (Values{-6, -1}));
    EXPECT_EQ(valuesOf("const x: bool[2] = [true, false]\noutput ~x\n"), (Values{0, 1}));
    EXPECT_EQ(valuesOf("const x: f32[3] = [1, 2, 3]\noutput (x > 1) & (x <= 2)\n"), (Values{0, 1, 0}));
}

TEST(LanguageValues, slicesFollowNumPy)
{
    const std::string x = "x = arange(12).reshape([3, 4])\n";
    EXPECT_EQ(valuesOf(x + "output x[1]\n"), (Values{4, 5, 6, 7}));
    EXPECT_EQ(valuesOf(x + "output x[-1, 1:3]\n"), (Values{9, 10}));
    EXPECT_EQ(valuesOf(x + "output x[::2, ::3]\n"), (Values{0, 3, 8, 11}));
    EXPECT_EQ(valuesOf(x + "output x[0, ::-1]\n"), (Values{3, 2, 1, 0}));
    EXPECT_EQ(valuesOf(x + "output x[0, 2::-2]\n"), (Values{2, 0}));
    EXPECT_EQ(valuesOf(x + "output x[..., 1]\n"), (Values{1, 5, 9}));
    EXPECT_EQ(valuesOf(x + "output x[0, 10:]\n"), (Values{}));
    EXPECT_EQ(runText(x + "output x[None, :, 0, None]\n").at(0).shape(), (Shape{1, 3, 1}));
    EXPECT_EQ(runText(x + "output x[5:2]\n").at(0).shape(), (Shape{0, 4}));
    EXPECT_EQ(valuesOf("output [5, 6, 7, 8][-3:][::-1]\n"), (Values{8, 7, 6}));
}

TEST(LanguageValues, reductionsTakeAxesAndKeepDimensions)
{
    const std::string x = "x = arange(6).reshape([2, 3])\n";
    EXPECT_EQ(valuesOf(x + "output sum(x)\n"), (Values{15}));
    EXPECT_EQ(valuesOf(x + "output sum(x, axis = 0)\n"), (Values{3, 5, 7}));
    EXPECT_EQ(runText(x + "output sum(x, axis = [0, 1], keepdims = true)\n").at(0).shape(), (Shape{1, 1}));
    EXPECT_EQ(valuesOf(x + "output max(x, axis = -1)\n"), (Values{2, 5}));
    EXPECT_EQ(valuesOf(x + "output prod(x + 1, 1)\n"), (Values{6, 120}));
    EXPECT_EQ(valuesOf(x + "output mean(x, 1)\n"), (Values{1, 4}));
    EXPECT_EQ(valuesOf(x + "output var(x, 0)\n"), (Values{2.25, 2.25, 2.25}));
    EXPECT_EQ(valuesOf(x + "output sum(x > 1)\n"), (Values{4}));
    EXPECT_EQ(valuesOf("const x: f32[2, 3] = [[1, 9, 9], [4, 2, 3]]\noutput argmax(x, 1)\n"), (Values{1, 0}));
    EXPECT_EQ(valuesOf("const x: f32[2, 3] = [[1, 9, 9], [4, 2, 3]]\noutput argmax(x)\n"), (Values{1}));
    EXPECT_EQ(valuesOf("const x: f32[2, 3] = [[1, 9, 9], [4, 2, 3]]\noutput argmin(x, axis = [0, 1])\n"), (Values{0}));
    EXPECT_EQ(valuesOf("const x: f32[3] = [1, 9, 3]\noutput argmax(x / (x - 9))\n"), (Values{1}));
}

TEST(LanguageValues, matrixProductsBroadcastTheirBatch)
{
    EXPECT_EQ(valuesOf("const a: f32[2, 2] = [[1, 2], [3, 4]]\noutput a @ a\n"), (Values{7, 10, 15, 22}));
    EXPECT_EQ(valuesOf("const a: f32[2] = [1, 2]\noutput a @ a\n"), (Values{5}));
    EXPECT_EQ(valuesOf("const a: f32[2, 2] = [[1, 2], [3, 4]]\nconst v: f32[2] = [1, 1]\noutput a @ v\n"), (Values{3, 7}));
    EXPECT_EQ(valuesOf("const a: f32[2, 2] = [[1, 2], [3, 4]]\nconst v: f32[2] = [1, 1]\noutput v @ a\n"), (Values{4, 6}));
    EXPECT_EQ(runText("input a: f32[5, 1, 2, 3]\ninput b: f32[4, 3, 6]\noutput a @ b\n").at(0).shape(), (Shape{5, 4, 2, 6}));
}

TEST(LanguageValues, methodsAreFunctions)
{
    EXPECT_EQ(valuesOf("x = arange(4)\noutput x.reshape([2, 2]).transpose().reshape(-1)\n"), (Values{0, 2, 1, 3}));
    EXPECT_EQ(valuesOf("x = arange(4)\noutput transpose(reshape(x, [2, 2])).reshape([-1])\n"), (Values{0, 2, 1, 3}));
    EXPECT_EQ(valuesOf("def twice(x, n = 2):\n    return x * n\nx = arange(3)\noutput x.twice() + x.twice(n = 3)\n"),
              (Values{0, 5, 10}));
}

TEST(LanguageValues, movementFunctionsMoveElements)
{
    EXPECT_EQ(valuesOf("output pad(arange(3), [[1, 2]], 9)\n"), (Values{9, 0, 1, 2, 9, 9}));
    EXPECT_EQ(valuesOf("output shrink(arange(5), [[1, 3]])\n"), (Values{1, 2}));
    EXPECT_EQ(valuesOf("output cat([arange(2), arange(3)])\n"), (Values{0, 1, 0, 1, 2}));
    EXPECT_EQ(valuesOf("output stack([arange(2), arange(2) + 5], axis = 1)\n"), (Values{0, 5, 1, 6}));
    EXPECT_EQ(valuesOf("output flip(arange(3))\n"), (Values{2, 1, 0}));
    EXPECT_EQ(valuesOf("output expand(arange(2).reshape([2, 1]), [2, 2])\n"), (Values{0, 0, 1, 1}));
    EXPECT_EQ(valuesOf("output view(arange(4), [2, 3], [1, 1])\n"), (Values{0, 1, 2, 1, 2, 3}));
    EXPECT_EQ(valuesOf("output gather(arange(4) * 10, vconst([3, 0]), axis = 0)\n"), (Values{30, 0}));
    EXPECT_EQ(valuesOf("output bitcast(vconst([1.0]), u32)\n"), (Values{1065353216}));
    EXPECT_EQ(valuesOf("a, b = split(arange(4), 2)\noutput b - a\n"), (Values{2, 2}));
}

TEST(LanguageValues, controlFlowIsUnrolled)
{
    EXPECT_EQ(
        valuesOf("x = arange(2)\nfor i in range(3):\n    if i == 1:\n        continue_here = 1\n    else:\n        x = x + i\n"
                 "output x\n"),
        (Values{2, 3}));
    EXPECT_EQ(valuesOf("total = 0\nfor a, b in zip([1, 2], [3, 4]):\n    total += a * b\noutput total\n"), (Values{11}));
    EXPECT_EQ(valuesOf("def f(n):\n    return 1 if n == 0 else n * f(n - 1)\noutput f(5)\n"), (Values{120}));
    EXPECT_EQ(valuesOf("output [i * j for i, j in enumerate([5, 6, 7]) if i != 1]\n"), (Values{0, 14}));
}

TEST(LanguageValues, linesEndAndIndentAsTheyLike)
{
    EXPECT_EQ(valuesOf("x = 1 + \\\r\n  2\r\nif x:\r\n\ty = x\r\n\r\n# end\r\noutput y\r\n"), (Values{3}));
    EXPECT_EQ(valuesOf("\xef\xbb\xbfx = [1,\n2,  # two\n\n3]\noutput x; y = 1"), (Values{1, 2, 3}));
    EXPECT_EQ(valuesOf("if 1 < 2: x = 4\noutput x"), (Values{4}));
}

TEST(LanguageValues, convolutionMatchesItsDefinition)
{
    const std::string program = "const w: f32[1, 1, 2, 2] = [[[[1, 2], [3, 4]]]]\n"
                                "x = cast(arange(9), f32).reshape([1, 1, 3, 3])\n";
    EXPECT_EQ(valuesOf(program + "output conv2d(x, w)\n"), (Values{27, 37, 57, 67}));
    EXPECT_EQ(valuesOf(program + "output conv2d(x, w, padding = 1, stride = 2)\n"), (Values{0, 11, 30, 67}));
    EXPECT_EQ(valuesOf(program + "output conv2d(x, w, dilation = 2)\n"), (Values{0 + 2 * 2 + 3 * 6 + 4 * 8}));
    EXPECT_EQ(valuesOf(program + "output max_pool2d(x, 2, stride = 1)\n"), (Values{4, 5, 7, 8}));
    EXPECT_EQ(valuesOf(program + "output avg_pool2d(x, [1, 3])\n"), (Values{1, 4, 7}));
    EXPECT_EQ(valuesOf("x = ones([1, 4, 2, 2])\nw = ones([2, 2, 1, 1])\noutput conv2d(x, w, groups = 2)[0, :, 0, 0]\n"),
              (Values{2, 2}));
}

TEST(LanguageValues, softmaxSumsToOne)
{
    for (const double total : valuesOf("input x: f32[4, 7]\noutput sum(softmax(x * 100), axis = -1)\n"))
        EXPECT_NEAR(total, 1.0, 1e-6);
}

TEST(LanguageValues, crossEntropyOfEvenScoresIsTheLogarithm)
{
    EXPECT_NEAR(valuesOf("const labels: i32[2] = [0, 3]\noutput cross_entropy(zeros([2, 4]), labels)\n").at(0), std::log(4.0),
                1e-6);
}

TEST(LanguageValues, causalAttentionOfTheFirstQueryIsTheFirstValue)
{
    const std::string program = "input q: f32[3, 4]\ninput k: f32[3, 4]\nconst v: f32[3, 1] = [[5], [6], [7]]\n";
    EXPECT_NEAR(valuesOf(program + "output attention(q, k, v, causal = true)\n").at(0), 5.0, 1e-6);
}

} // namespace
} // namespace sw::test
