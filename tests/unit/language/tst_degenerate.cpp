// Calls that leave nothing to do, or hardly anything: NumPy has an answer for each of them.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw::test {
namespace {

using Values = std::vector<double>;

const std::string kMatrix = "x = arange(6).reshape([2, 3])\n";

TEST(LanguageDegenerate, axesThatStayWhereTheyAre)
{
    const Values same = {0, 1, 2, 3, 4, 5};
    for (const std::string_view call : {"swapaxes(x, 0, 0)",
                                        "swapaxes(x, 1, 1)",
                                        "swapaxes(x, 1, -1)",
                                        "transpose(x, [0, 1])",
                                        "permute(x, [0, 1])",
                                        "flip(x, [])",
                                        "reshape(x, [2, 3])",
                                        "expand(x, [2, 3])",
                                        "pad(x, [[0, 0], [0, 0]])",
                                        "shrink(x, [None, None])",
                                        "squeeze(x, [])",
                                        "squeeze(x)",
                                        "cat([x])",
                                        "cat([x], axis = -1)",
                                        "cat([x, x[:0]])",
                                        "stack([x])[0]",
                                        "split(x, 1)[0]",
                                        "x[...]",
                                        "x[:]",
                                        "x[:, :]",
                                        "expand_dims(x, [])",
                                        "clamp(x, 0, 9)",
                                        "flatten(x, 1)",
                                        "sum(x, axis = [])",
                                        "max(x, axis = [])",
                                        "prod(x, axis = [])",
                                        "mean(x, axis = [])",
                                        "contract(\"ij->ij\", x)"}) {
        const std::vector<HostTensor> outputs = runText(kMatrix + format("output {}\n", call));
        ASSERT_EQ(outputs.size(), 1U) << call;
        EXPECT_EQ(valuesOf(kMatrix + format("output cast({}, f64).reshape(-1)\n", call)), same) << call;
    }
}

TEST(LanguageDegenerate, scalarsHaveNoAxes)
{
    for (const std::string_view call :
         {"sum(s)", "max(s)", "mean(s)", "transpose(s)", "s.T", "flip(s)", "squeeze(s)", "flatten(s)[0]", "reshape(s, [])",
          "reshape(s, [1])[0]", "s[...]", "logsumexp(s)", "stack([s])[0]", "expand_dims(s, 0)[0]", "expand(s, [1])[0]",
          "pad(s, [])", "shrink(s, [])", "permute(s, [])"})
        EXPECT_EQ(valuesOf(format("s = const_scalar(3.0)\noutput {}\n", call)), (Values{3})) << call;
    for (const std::string_view call : {"var(s)", "std(s)", "argmax(s)", "argmin(s)"})
        EXPECT_EQ(valuesOf(format("s = const_scalar(3.0)\noutput {}\n", call)), (Values{0})) << call;
}

TEST(LanguageDegenerate, nothingToReduce)
{
    const std::string empty = "x = zeros([0, 2])\n";
    EXPECT_EQ(valuesOf(empty + "output sum(x, 0)\n"), (Values{0, 0}));
    EXPECT_EQ(valuesOf(empty + "output prod(x)\n"), (Values{1}));
    EXPECT_EQ(valuesOf(empty + "output all(x)\n"), (Values{1}));
    EXPECT_EQ(valuesOf(empty + "output any(x)\n"), (Values{0}));
    EXPECT_EQ(valuesOf(empty + "output sum(x, 1)\n"), (Values{}));
    EXPECT_EQ(valuesOf(empty + "output logsumexp(x)\n"), (Values{-INFINITY}));
    for (const std::string_view call : {"mean(x, 0)", "var(x, 0)", "std(x, 0)"})
        for (const double value : valuesOf(empty + format("output {}\n", call)))
            EXPECT_TRUE(std::isnan(value)) << call;
    EXPECT_EQ(valuesOf(empty + "output softmax(x, axis = 1)\n"), (Values{}));
    EXPECT_EQ(valuesOf(empty + "output zeros([3, 0]) @ x\n"), (Values{0, 0, 0, 0, 0, 0}));
    EXPECT_EQ(valuesOf("output var(ones([3]), axis = [])\n"), (Values{0, 0, 0}));
    EXPECT_EQ(valuesOf(kMatrix + "output argmax(x, axis = [])\n"), (Values{0, 0, 0, 0, 0, 0}));
}

TEST(LanguageDegenerate, listsOfAxes)
{
    EXPECT_EQ(runText(kMatrix + "output expand_dims(x, [0, -1])\n").at(0).shape(), (Shape{1, 2, 3, 1}));
    EXPECT_EQ(runText(kMatrix + "output expand_dims(x, [1, 2])\n").at(0).shape(), (Shape{2, 1, 1, 3}));
    EXPECT_EQ(runText(kMatrix + "output expand_dims(x, -1)\n").at(0).shape(), (Shape{2, 3, 1}));
    for (const std::string_view wrong : {"split(x, 0)", "split(x, -1)"}) {
        const ProgramResult compiled = compileText(kMatrix + format("output {}\n", wrong));
        ASSERT_FALSE(compiled.graph) << wrong;
        EXPECT_NE(toText(compiled.diagnostics).find("at least one part"), std::string::npos) << toText(compiled.diagnostics);
    }
}

} // namespace
} // namespace sw::test
