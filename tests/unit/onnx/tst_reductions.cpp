// What reductions of a model accumulate in.

#include "engine/onnx/import.h"
#include "tests/support/meaning.h"
#include "tests/unit/onnx/model_bytes.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <limits>

namespace sw::test {

namespace {

constexpr int kInt8 = 3;

HostTensor reduced(std::string_view op, int type, const HostTensor &x)
{
    const ModelText model{
        .inputs = {valueInfo("x", {x.elements()}, type)},
        .nodes = {{.op = std::string(op), .inputs = {"x"}, .outputs = {"y"}, .attributes = {integerAttribute("keepdims", 0)}}},
        .outputs = {valueInfo("y", {}, type)}};
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    EXPECT_TRUE(result.graph) << toText(result.diagnostics);
    const auto outputs = meaningOf(*result.graph, std::vector{x});
    EXPECT_TRUE(outputs) << toText(outputs.error());
    return outputs->at(0);
}

} // namespace

TEST(OnnxReductions, theMeanOfNarrowIntegersDoesNotWrap)
{
    const HostTensor mean =
        reduced("ReduceMean", kInt8, HostTensor::filled(Scalar::of(DType::I8, std::int64_t{100}), Shape{200}));
    EXPECT_EQ(mean.dtype(), DType::I8);
    EXPECT_EQ(mean.at(0).asInt(), 100);
}

TEST(OnnxReductions, logSumExpOfInfinities)
{
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    HostTensor x = HostTensor::filled(Scalar::of(DType::F32, -kInfinity), Shape{3});
    EXPECT_EQ(reduced("ReduceLogSumExp", kFloat, x).at(0).asDouble(), -kInfinity);
    x.set(1, Scalar::of(DType::F32, kInfinity));
    EXPECT_EQ(reduced("ReduceLogSumExp", kFloat, x).at(0).asDouble(), kInfinity);
    x.set(1, Scalar::of(DType::F32, 5.0));
    EXPECT_EQ(reduced("ReduceLogSumExp", kFloat, x).at(0).asDouble(), 5.0);
}

} // namespace sw::test
