// The functions that are written in the language, against their definitions.

#include "engine/ops/op.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw::test {
namespace {

void expectNear(const std::vector<double> &found, const std::vector<double> &expected, double tolerance = 1e-5)
{
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], tolerance) << "element " << i;
}

// Every row of the table, but for max and min, whose names are those of the reductions.
TEST(LanguageLibrary, everyOperationIsAFunctionOfItsName)
{
    for (const Op op : allOps()) {
        if (op == Op::Max || op == Op::Min)
            continue;
        const std::string type = accepts(op, DType::F32) ? "f32" : "i32";
        std::string arguments = op == Op::Where ? "x > 0, x, x" : "x";
        for (std::size_t i = 1; op != Op::Where && i < arityOf(op); ++i)
            arguments += ", x";
        const std::string program = format("input x: {}[3]\noutput {}({})\n", type, nameOf(op), arguments);
        EXPECT_EQ(runText(program).size(), 1U) << program;
    }
}

TEST(LanguageLibrary, activationsFollowTheirDefinitions)
{
    const std::string x = "const x: f32[3] = [-2, 0, 1.5]\n";
    expectNear(valuesOf(x + "output relu(x)\n"), {0, 0, 1.5});
    expectNear(valuesOf(x + "output leaky_relu(x, slope = 0.5)\n"), {-1, 0, 1.5});
    expectNear(valuesOf(x + "output elu(x)\n"), {std::exp(-2.0) - 1, 0, 1.5});
    expectNear(valuesOf(x + "output sigmoid(x)\n"), {1 / (1 + std::exp(2.0)), 0.5, 1 / (1 + std::exp(-1.5))});
    expectNear(valuesOf(x + "output silu(x)\n"), {-2 / (1 + std::exp(2.0)), 0, 1.5 / (1 + std::exp(-1.5))});
    expectNear(valuesOf(x + "output softplus(x)\n"), {std::log1p(std::exp(-2.0)), std::log(2.0), std::log1p(std::exp(1.5))});
    const auto gelu = [](double v) { return 0.5 * v * (1 + std::erf(v / std::sqrt(2.0))); };
    expectNear(valuesOf(x + "output gelu(x)\n"), {gelu(-2), 0, gelu(1.5)});
    expectNear(valuesOf(x + "output gelu(x, approximate = \"tanh\")\n"), {gelu(-2), 0, gelu(1.5)}, 1e-3);
    expectNear(valuesOf(x + "output clamp(x, -1, 1)\n"), {-1, 0, 1});
}

TEST(LanguageLibrary, normalisationsNormalise)
{
    const std::string x = "input x: f32[4, 16]\n";
    expectNear(valuesOf(x + "output mean(layer_norm(x), axis = 1)\n"), {0, 0, 0, 0});
    expectNear(valuesOf(x + "output std(layer_norm(x, epsilon = 0.0), axis = 1)\n"), {1, 1, 1, 1});
    expectNear(valuesOf(x + "output mean(rms_norm(x, epsilon = 0.0) ** 2, axis = 1)\n"), {1, 1, 1, 1});
    expectNear(valuesOf("x = ones([1, 2, 2])\nconst m: f32[2] = [1, 0]\nconst v: f32[2] = [1, 4]\n"
                        "output batch_norm(x, m, v, epsilon = 0.0)\n"),
               {0, 0, 0.5, 0.5});
    expectNear(valuesOf("const x: f32[2] = [1000, 1000]\noutput logsumexp(x)\n"), {1000 + std::log(2.0)}, 1e-3);
    expectNear(valuesOf("const x: f32[2] = [0, 1000]\noutput log_softmax(x)\n"), {-1000, 0});
}

TEST(LanguageLibrary, narrowFloatsAreAveragedInAWiderType)
{
    const std::vector<HostTensor> outputs = runText("x = full([4096], 100.0, f16)\noutput mean(x)\n");
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(outputs[0].dtype(), DType::F16);
    EXPECT_EQ(outputs[0].at(0).asDouble(), 100.0); // the sum, 409600, is above what f16 can hold
}

TEST(LanguageLibrary, lookupsTakeRows)
{
    expectNear(valuesOf("table = arange(6).reshape([3, 2])\noutput embedding(table, vconst([2, 0]))\n"), {4, 5, 0, 1});
    expectNear(valuesOf("output one_hot(vconst([1, 0]), 3)\n"), {0, 1, 0, 1, 0, 0});
}

TEST(LanguageLibrary, shapesOfLayers)
{
    const auto shapeOf = [](const std::string &program) { return runText(program).at(0).shape(); };
    EXPECT_EQ(shapeOf("input x: f32[2, 5, 8]\ninput w: f32[8, 8]\noutput multi_head_attention(x, w, w, w, w, heads = 2)\n"),
              (Shape{2, 5, 8}));
    EXPECT_EQ(shapeOf("input x: f32[2, 3, 8, 8]\noutput max_pool2d(x, 3, stride = 2, padding = 1)\n"), (Shape{2, 3, 4, 4}));
    EXPECT_EQ(shapeOf("input x: f32[2, 6, 9, 7]\ninput w: f32[4, 3, 3, 2]\n"
                      "output conv2d(x, w, stride = [2, 1], padding = [1, 0], groups = 2)\n"),
              (Shape{2, 4, 5, 6}));
    EXPECT_EQ(shapeOf("input x: f32[1, 2, 1]\noutput x.squeeze().expand_dims(0).flatten(1)\n"), (Shape{1, 2}));
}

TEST(LanguageLibrary, groupedConvolutionIsOnePerGroup)
{
    const std::string program = "input x: f32[2, 4, 6, 6]\ninput w: f32[6, 2, 3, 3]\n";
    const auto whole = valuesOf(program + "output conv2d(x, w, groups = 2)\n");
    const auto parts = valuesOf(program + "output cat([conv2d(x[:, :2], w[:3]), conv2d(x[:, 2:], w[3:])], axis = 1)\n");
    expectNear(whole, parts);
}

TEST(LanguageLibrary, lossesAreMeans)
{
    expectNear(valuesOf("const a: f32[2] = [1, 2]\nconst b: f32[2] = [3, 2]\noutput mse(a, b)\n"), {2});
}

TEST(LanguageLibrary, tellsWhatIsRightButNotSupported)
{
    const ProgramResult compiled =
        compileText("check_supported(1 < 2, \"never\")\ncheck_supported(false, \"steps:\", 65)\noutput 1\n");
    ASSERT_EQ(compiled.diagnostics.size(), 1U);
    EXPECT_EQ(compiled.diagnostics[0].message, "steps: 65");
    EXPECT_EQ(compiled.diagnostics[0].code, Code::Unsupported);
}

// A program may call the functions that operators of models are made of.
TEST(LanguageLibrary, hasTheFunctionsOfOperators)
{
    expectNear(valuesOf("const x: f32[2, 2] = [[1, 2], [3, 4]]\noutput trilu(x)\n"), {1, 2, 0, 4});
    expectNear(valuesOf("const x: f32[3] = [1, 2, 3]\noutput cumsum(x, 0)\n"), {1, 3, 6});
}

} // namespace
} // namespace sw::test
