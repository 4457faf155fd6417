#include "engine/onnx/import.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <random>

namespace sw::test {

namespace {

ModelResult importBytes(std::span<const std::byte> bytes)
{
    return importOnnx(bytes, "test.onnx", libraryOptions(), {});
}

Diagnostic onlyError(const ModelText &model)
{
    const ModelResult result = importBytes(modelBytes(model));
    EXPECT_FALSE(result.graph);
    return result.diagnostics.empty() ? Diagnostic{} : result.diagnostics.front();
}

ModelText smallModel()
{
    return {
        .inputs = {valueInfo("x", {1, 1, 4, 4})},
        .nodes = {{.op = "Conv",
                   .inputs = {"x", "w", "b"},
                   .outputs = {"y"},
                   .attributes = {integersAttribute("pads", {1, 1, 1, 1}), integersAttribute("strides", {2, 2})}},
                  {.op = "MaxPool", .inputs = {"y"}, .outputs = {"p"}, .attributes = {integersAttribute("kernel_shape", {2, 2})}},
                  {.op = "Reshape", .inputs = {"p", "s"}, .outputs = {"r"}},
                  {.op = "Gemm", .inputs = {"r", "m"}, .outputs = {"g"}},
                  {.op = "Softmax", .inputs = {"g"}, .outputs = {"z"}, .attributes = {integerAttribute("axis", -1)}}},
        .outputs = {valueInfo("z", {1, 2})},
        .initializers = {floatTensor("w", {2, 1, 3, 3}, std::vector<float>(18, 0.25F)), floatTensor("b", {2}, {1, 2}),
                         integerTensor("s", {2}, {1, -1}), floatTensor("m", {2, 2}, {1, 2, 3, 4})}};
}

// Shapes that are computed while importing, and operators that read their numbers then.
ModelText modelOfKnownValues()
{
    return {
        .inputs = {valueInfo("x", {1, 1, 4, 4})},
        .nodes = {{.op = "Resize",
                   .inputs = {"x", "roi", "scales"},
                   .outputs = {"r"},
                   .attributes = {textAttribute("mode", "linear"),
                                  textAttribute("coordinate_transformation_mode", "tf_crop_and_resize")}},
                  {.op = "Shape", .inputs = {"r"}, .outputs = {"all"}},
                  {.op = "Gather", .inputs = {"all", "two"}, .outputs = {"height"}},
                  {.op = "Concat", .inputs = {"height", "rest"}, .outputs = {"s"}, .attributes = {integerAttribute("axis", 0)}},
                  {.op = "Reshape", .inputs = {"r", "s"}, .outputs = {"flat"}},
                  {.op = "TopK", .inputs = {"flat", "k"}, .outputs = {"v", "i"}},
                  {.op = "OneHot", .inputs = {"i", "k", "values"}, .outputs = {"z"}}},
        .outputs = {valueInfo("z", {-1}), valueInfo("v", {-1})},
        .initializers = {floatTensor("roi", {8}, {0, 0, 0, 0, 1, 1, 1, 1}), floatTensor("scales", {4}, {1, 1, 2, 1.5F}),
                         integerTensor("two", {1}, {2}), integerTensor("rest", {1}, {-1}), integerTensor("k", {1}, {3}),
                         floatTensor("values", {2}, {0, 1})}};
}

ModelText twoNodes(const NodeText &first, const NodeText &second)
{
    return {.inputs = {valueInfo("x", {2})}, .nodes = {first, second}, .outputs = {valueInfo("z", {2})}};
}

} // namespace

TEST(BadModels, refusesTruncationAtEveryByte)
{
    const std::vector<std::byte> bytes = modelBytes(smallModel());
    ASSERT_TRUE(importBytes(bytes).graph) << toText(importBytes(bytes).diagnostics);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const ModelResult result = importBytes(std::span(bytes).first(size));
        EXPECT_FALSE(result.graph) << "cut to " << size << " bytes";
        EXPECT_FALSE(result.diagnostics.empty());
    }
}

TEST(BadModels, survivesRandomMutations)
{
    std::mt19937 random(20240229);
    for (const ModelText &model : {smallModel(), modelOfKnownValues()}) {
        const std::vector<std::byte> bytes = modelBytes(model);
        ASSERT_TRUE(importBytes(bytes).graph) << toText(importBytes(bytes).diagnostics);
        for (int round = 0; round < 2000; ++round) {
            std::vector<std::byte> mutated = bytes;
            const int changes = 1 + static_cast<int>(random() % 4);
            for (int change = 0; change < changes; ++change)
                mutated[random() % mutated.size()] = static_cast<std::byte>(random());
            const ModelResult result = importBytes(mutated);
            EXPECT_TRUE(result.graph || !result.diagnostics.empty()) << "round " << round;
        }
    }
}

TEST(BadModels, refusesRandomBytes)
{
    std::mt19937 random(7);
    for (int round = 0; round < 500; ++round) {
        std::vector<std::byte> bytes(random() % 300);
        for (std::byte &b : bytes)
            b = static_cast<std::byte>(random());
        const ModelResult result = importBytes(bytes);
        EXPECT_FALSE(result.graph);
        EXPECT_FALSE(result.diagnostics.empty());
    }
}

TEST(BadModels, saysThatAnEmptyFileIsEmpty)
{
    const ModelResult result = importBytes({});
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].message, "the file is empty, expected an ONNX model");
}

TEST(BadModels, saysThatAFileIsMissing)
{
    const ModelResult result = importOnnx(std::filesystem::path("does/not/exist.onnx"), {}, {});
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].code, Code::File);
}

TEST(BadModels, findsCycles)
{
    const Diagnostic problem = onlyError(twoNodes({.op = "Add", .inputs = {"x", "z"}, .outputs = {"y"}, .name = "a"},
                                                  {.op = "Relu", .inputs = {"y"}, .outputs = {"z"}, .name = "b"}));
    EXPECT_EQ(problem.message, "Add 'a' can never run: it stands in a cycle of nodes, or reads from one");
    EXPECT_EQ(problem.where.line, 4U);
}

TEST(BadModels, acceptsNodesInAnyOrder)
{
    const ModelResult result = importBytes(modelBytes(
        twoNodes({.op = "Relu", .inputs = {"y"}, .outputs = {"z"}}, {.op = "Neg", .inputs = {"x"}, .outputs = {"y"}})));
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
}

TEST(BadModels, findsUndefinedValues)
{
    const Diagnostic problem =
        onlyError(twoNodes({.op = "Relu", .inputs = {"q"}, .outputs = {"y"}}, {.op = "Relu", .inputs = {"y"}, .outputs = {"z"}}));
    EXPECT_EQ(problem.message, "Relu that makes 'y' reads 'q', which nothing defines");
}

TEST(BadModels, refusesAnInputThatIsDefinedAgain)
{
    const Diagnostic problem =
        onlyError(twoNodes({.op = "Relu", .inputs = {"x"}, .outputs = {"x"}}, {.op = "Neg", .inputs = {"x"}, .outputs = {"z"}}));
    EXPECT_EQ(problem.code, Code::DuplicateName);
    EXPECT_EQ(problem.message, "value 'x' is defined twice");
}

TEST(BadModels, checksSizesBeforeAllocating)
{
    ModelText model = smallModel();
    model.initializers[0] = floatTensor("w", {std::int64_t{1} << 31, std::int64_t{1} << 20, 3, 3}, {1});
    EXPECT_EQ(onlyError(model).message, "Conv that makes 'y': tensor 'w': shape [2147483648, 1048576, 3, 3] wants "
                                        "20266198323167232 elements, the file has 1");
}

TEST(BadModels, refusesNegativeDimensions)
{
    Message shape = Message().message(1, Message().number(1, -2));
    ModelText model =
        twoNodes({.op = "Relu", .inputs = {"x"}, .outputs = {"y"}}, {.op = "Relu", .inputs = {"y"}, .outputs = {"z"}});
    model.inputs = {Message().text(1, "x").message(2, Message().message(1, Message().number(1, kFloat).message(2, shape)))};
    EXPECT_EQ(onlyError(model).message, "input 'x' has a dimension of -2, expected 0 or more");
}

TEST(BadModels, warnsOfOpsetsToCome)
{
    ModelText model = smallModel();
    model.opset = 1000;
    const ModelResult result = importBytes(modelBytes(model));
    EXPECT_TRUE(result.graph);
    ASSERT_EQ(result.diagnostics.size(), 1U);
    EXPECT_EQ(result.diagnostics[0].severity, Severity::Warning);
    EXPECT_NE(result.diagnostics[0].message.find("opset 1000"), std::string::npos);
}

TEST(BadModels, refusesExternalDataWithoutAFolder)
{
    ModelText model = smallModel();
    model.initializers[1] = Message().number(1, 2).number(2, kFloat).text(8, "b").number(14, 1);
    EXPECT_EQ(onlyError(model).message,
              "Conv that makes 'y': tensor 'b': its data are in '', and the model does not stand in a folder");
}

TEST(BadModels, limitsNesting)
{
    Message type = Message().message(1, Message().number(1, kFloat));
    for (int depth = 0; depth < 1000; ++depth)
        type = Message().message(4, Message().message(1, type)); // a sequence of sequences
    ModelText model = smallModel();
    model.inputs.push_back(Message().text(1, "deep").message(2, type));
    EXPECT_EQ(onlyError(model).code, Code::MalformedModel);
}

TEST(BadModels, namesTheNodeAndPlaceOfAWrongShape)
{
    ModelText model = smallModel();
    model.initializers[3] = floatTensor("m", {3, 2}, {1, 2, 3, 4, 5, 6});
    const Diagnostic problem = onlyError(model);
    EXPECT_EQ(problem.code, Code::ShapeMismatch);
    EXPECT_EQ(problem.message, "Gemm that makes 'g': cannot multiply [1, 2] with [3, 2]: 2 columns meet 3 rows");
    EXPECT_EQ(problem.where.line, 11U);
}

} // namespace sw::test
