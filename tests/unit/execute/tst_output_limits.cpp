#include "engine/execute/compare.h"
#include "engine/execute/output_limits.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace sw {
namespace {

struct Computed {
    GraphPtr graph;
    std::vector<HostTensor> inputs;
    HostTensor value; // of the one output
    OutputLimits limits;
};

// Of the last of the lines.
Computed computed(const std::string &lines, std::vector<HostTensor> inputs = {}, const LimitBudget &budget = {})
{
    const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
    const std::string sink = "sink " + lines.substr(last, lines.find(' ', last) - last) + " {names = [\"y\"]}\n";
    auto graph = parseGraph("stepwell graph 1\n" + lines + sink, "t.graph");
    EXPECT_TRUE(graph) << toText(graph.error());
    Computed made{std::make_shared<const Graph>(std::move(*graph)), std::move(inputs), {}, {}};
    const auto values = interpretGraph(*made.graph, made.inputs);
    EXPECT_TRUE(values) << toText(values.error());
    made.value = values->front();
    made.limits = outputLimitsOf(made.graph, made.inputs, {}, {}, budget);
    return made;
}

HostTensor changed(const HostTensor &value, std::int64_t at, double to)
{
    HostTensor copy(value.dtype(), value.shape());
    for (std::int64_t i = 0; i < value.elements(); ++i)
        copy.set(i, i == at ? Scalar::of(value.dtype(), to) : value.at(i));
    return copy;
}

const std::string kRows = "%0 = vconst {value = [1e30, 1.0, 0.5, 0.5, 1.0, 1.0]} : f32[3, 2]\n"
                          "%1 = reduce_axis add %0 {axes = [1]} : f32[3, 1]\n";

// The largest element is no excuse for the others.
TEST(OutputLimits, areOfEachElementsOwnSums)
{
    const Computed sums = computed(kRows);
    ASSERT_EQ(sums.limits.missing, "");
    const HostTensor &limits = sums.limits.limits.at(0);
    EXPECT_GT(limits.at(0).asDouble(), 1e22);
    EXPECT_LT(limits.at(1).asDouble(), 1e-5);
    EXPECT_TRUE(compareTensors(sums.value, sums.value, &limits).equal);
    for (const std::int64_t at : {1, 2}) {
        const Comparison comparison =
            compareTensors(sums.value, changed(sums.value, at, sums.value.at(at).asDouble() + 5), &limits);
        EXPECT_FALSE(comparison.equal);
        EXPECT_EQ(comparison.first->flatIndex, at);
    }
}

TEST(OutputLimits, allowWhatASumThatCancelsMayLose)
{
    const Computed sum =
        computed("%0 = vconst {value = [1.0, 1e8, -1e8, 1.0]} : f32[4]\n%1 = reduce_axis add %0 {axes = [0]} : f32[1]\n");
    EXPECT_TRUE(compareTensors(sum.value, changed(sum.value, 0, 2), &sum.limits.limits.at(0)).equal);
    EXPECT_FALSE(compareTensors(sum.value, changed(sum.value, 0, 1000), &sum.limits.limits.at(0)).equal);
}

// Layers of random weights: what no rounding exceeds grows with each, what occurs does not.
TEST(OutputLimits, stayUsefulInADeepNetwork)
{
    constexpr int kLayers = 12;
    constexpr std::int64_t kWidth = 32;
    std::string lines = format("%0 = placeholder {{name = \"x\", role = input}} : f32[1, {0}]\n"
                               "%1 = placeholder {{name = \"w\", role = input}} : f32[{0}, {0}]\n",
                               kWidth);
    int next = 2;
    int x = 0;
    for (int layer = 0; layer < kLayers; ++layer) {
        lines += format(
            "%{0} = expand %{1} : f32[{2}, {2}]\n%{3} = mul %{0}, %1 : f32[{2}, {2}]\n"
            "%{4} = reduce_axis add %{3} {{axes = [1]}} : f32[{2}, 1]\n%{5} = permute %{4} {{axes = [1, 0]}} : f32[1, {2}]\n",
            next, x, kWidth, next + 1, next + 2, next + 3);
        x = next + 3;
        next += 4;
    }
    HostTensor input(DType::F32, {1, kWidth});
    HostTensor weights(DType::F32, {kWidth, kWidth});
    for (std::int64_t i = 0; i < kWidth; ++i)
        input.set(i, Scalar::of(DType::F32, std::sin(static_cast<double>(i + 1))));
    for (std::int64_t i = 0; i < weights.elements(); ++i)
        weights.set(i, Scalar::of(DType::F32, std::sin(static_cast<double>(i * i + 3 * i)) / 4));
    const Computed network = computed(lines, {input, weights});
    ASSERT_EQ(network.limits.missing, "");
    double largest = 0;
    for (std::int64_t i = 0; i < kWidth; ++i)
        largest = std::max(largest, std::abs(network.value.at(i).asDouble()));
    for (std::int64_t i = 0; i < kWidth; ++i) {
        EXPECT_LT(network.limits.limits[0].at(i).asDouble(), largest / 100);
        EXPECT_GT(network.limits.limits[0].at(i).asDouble(), 0);
    }
}

TEST(OutputLimits, sayWhyThereAreNone)
{
    const Computed tight = computed(kRows, {}, {.operations = 5, .bytes = 1e9});
    EXPECT_TRUE(tight.limits.limits.empty());
    EXPECT_NE(tight.limits.missing.find("they would take"), std::string::npos) << tight.limits.missing;
    const Computed small = computed(kRows, {}, {.operations = 1e9, .bytes = 10});
    EXPECT_NE(small.limits.missing.find("bytes of memory"), std::string::npos) << small.limits.missing;
}

} // namespace
} // namespace sw
