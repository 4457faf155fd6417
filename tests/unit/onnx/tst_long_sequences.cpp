// Operators over sequences that are too long to be written out: a scan gives what the parts of the sequence give, one after the
// other.

#include "tests/unit/onnx/operator_fixture.h"

#include "engine/graph/scan.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

constexpr std::int64_t kSteps = 70;
constexpr std::int64_t kPart = 35; // is written out

// Rows [first, end) of the first axis.
HostTensor rows(const HostTensor &tensor, std::int64_t first, std::int64_t end)
{
    std::vector<std::int64_t> extents(tensor.shape().begin(), tensor.shape().end());
    const std::int64_t row = tensor.elements() / extents[0];
    extents[0] = end - first;
    HostTensor part(tensor.dtype(), Shape(extents));
    for (std::int64_t i = 0; i < part.elements(); ++i)
        part.set(i, tensor.at(first * row + i));
    return part;
}

void expectNear(const HostTensor &found, std::int64_t first, const HostTensor &expected)
{
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        ASSERT_NEAR(found.at(first + i).asDouble(), expected.at(i).asDouble(), 1e-5) << i;
}

bool hasScan(const ModelResult &model)
{
    return model.graph && !scansOf(*model.graph).scans.empty();
}

struct Recurrent {
    const char *op;
    std::int64_t gates;
    std::size_t states;
};

class LongSequences : public testing::TestWithParam<Recurrent> {};

} // namespace

TEST_P(LongSequences, goOnWhereTheFirstPartEnds)
{
    const Recurrent &kind = GetParam();
    constexpr std::int64_t kBatch = 2;
    constexpr std::int64_t kHidden = 3;
    std::mt19937 random(5);
    const HostTensor x = randomFloats(random, {kSteps, kBatch, 2}, 1);
    const HostTensor w = randomFloats(random, {1, kind.gates * kHidden, 2}, 1);
    const HostTensor r = randomFloats(random, {1, kind.gates * kHidden, kHidden}, 1);
    const HostTensor b = randomFloats(random, {1, 2 * kind.gates * kHidden}, 1);
    const OperatorText text{.node = {.op = kind.op,
                                     .inputs = {"x0", "x1", "x2", "x3", "", "x4"},
                                     .attributes = {integerAttribute("hidden_size", kHidden)}},
                            .outputs = 1 + kind.states};
    OperatorText with = text;
    std::vector<HostTensor> start{HostTensor(DType::F32, {1, kBatch, kHidden})};
    if (kind.states == 2) {
        with.node.inputs.emplace_back("x5");
        start.emplace_back(DType::F32, Shape{1, kBatch, kHidden});
    }
    const auto outputs = [&](const HostTensor &part, const std::vector<HostTensor> &states) {
        std::vector<HostTensor> inputs{part, w, r, b};
        inputs.insert(inputs.end(), states.begin(), states.end());
        return outputsOf(with, inputs);
    };
    const auto whole = outputs(x, start);
    const auto first = outputs(rows(x, 0, kPart), start);
    ASSERT_EQ(whole.size(), 1 + kind.states);
    ASSERT_EQ(first.size(), 1 + kind.states);
    const auto second = outputs(rows(x, kPart, kSteps), {first.begin() + 1, first.end()});
    ASSERT_EQ(second.size(), 1 + kind.states);
    ASSERT_EQ(whole[0].shape(), (Shape{kSteps, 1, kBatch, kHidden}));
    expectNear(whole[0], 0, first[0]);
    expectNear(whole[0], first[0].elements(), second[0]);
    for (std::size_t i = 1; i < whole.size(); ++i)
        expectNear(whole[i], 0, second[i]);
}

INSTANTIATE_TEST_SUITE_P(Operators, LongSequences,
                         testing::Values(Recurrent{"RNN", 1, 1}, Recurrent{"GRU", 3, 1}, Recurrent{"LSTM", 4, 2}),
                         [](const auto &test) { return std::string(test.param.op); });

// Each sequence of the batch ends by itself, and the other direction begins at its end.
TEST(LongSequences, endWhereTheirLengthsSay)
{
    std::mt19937 random(6);
    const HostTensor x = randomFloats(random, {kSteps, 2, 2}, 1);
    const HostTensor w = randomFloats(random, {2, 3, 2}, 1);
    const HostTensor r = randomFloats(random, {2, 3, 3}, 1);
    const auto rnn = [&](std::int64_t steps, std::vector<double> lengths) {
        return outputsOf(
            {.node = {.op = "RNN",
                      .inputs = {"x0", "x1", "x2", "", "x3"},
                      .attributes = {integerAttribute("hidden_size", 3), textAttribute("direction", "bidirectional")}},
             .outputs = 2},
            {rows(x, 0, steps), w, r, HostTensor::ofValues(DType::I32, {2}, lengths)});
    };
    const auto whole = rnn(kSteps, {40, 12});
    const auto part = rnn(40, {40, 12});
    ASSERT_EQ(whole.size(), 2U);
    ASSERT_EQ(part.size(), 2U);
    expectNear(whole[0], 0, part[0]);
    expectNear(whole[1], 0, part[1]);
    for (std::int64_t i = part[0].elements(); i < whole[0].elements(); ++i)
        ASSERT_EQ(whole[0].at(i).asDouble(), 0) << i;
}

TEST(LongSequences, linearAttentionGoesOnWithItsState)
{
    std::mt19937 random(7);
    const HostTensor q = randomFloats(random, {kSteps, 1, 4}, 1);
    const HostTensor k = randomFloats(random, {kSteps, 1, 4}, 1);
    const HostTensor v = randomFloats(random, {kSteps, 1, 6}, 1);
    const HostTensor decay = HostTensor::filled(Scalar::of(DType::F32, -0.5), {kSteps, 1, 2});
    const HostTensor beta = HostTensor::filled(Scalar::of(DType::F32, 0.25), {kSteps, 1, 2});
    // One sequence: its steps are the second axis.
    const auto of = [](const HostTensor &tensor, std::int64_t first, std::int64_t end) {
        return rows(tensor, first, end).reshaped({1, end - first, tensor.shape()[2]});
    };
    const auto attention = [&](std::int64_t first, std::int64_t end, const HostTensor &past) {
        return outputsOf(
            {.node = {.op = "LinearAttention",
                      .attributes = {integerAttribute("q_num_heads", 2), integerAttribute("kv_num_heads", 2),
                                     textAttribute("update_rule", "gated_delta")}},
             .opset = 27,
             .outputs = 2},
            {of(q, first, end), of(k, first, end), of(v, first, end), past, of(decay, first, end), of(beta, first, end)});
    };
    const HostTensor nothing(DType::F32, {1, 2, 2, 3});
    const auto whole = attention(0, kSteps, nothing);
    const auto first = attention(0, kPart, nothing);
    ASSERT_EQ(whole.size(), 2U);
    ASSERT_EQ(first.size(), 2U);
    const auto second = attention(kPart, kSteps, first[1]);
    ASSERT_EQ(second.size(), 2U);
    expectNear(whole[0], 0, first[0]);
    expectNear(whole[0], first[0].elements(), second[0]);
    expectNear(whole[1], 0, second[1]);
}

TEST(LongSequences, areOneBody)
{
    const auto import = [](std::int64_t steps) {
        return importOperator({.node = {.op = "RNN", .attributes = {integerAttribute("hidden_size", 1)}}},
                              {HostTensor(DType::F32, {steps, 1, 1}), floats({1, 1, 1}, {1}), floats({1, 1, 1}, {1})});
    };
    const ModelResult few = import(65);
    const ModelResult many = import(1000);
    ASSERT_TRUE(few.graph) << toText(few.diagnostics);
    ASSERT_TRUE(many.graph) << toText(many.diagnostics);
    EXPECT_TRUE(hasScan(many));
    EXPECT_EQ(few.graph->size(), many.graph->size());
    EXPECT_FALSE(hasScan(import(64)));
}

// ---- Loop and Scan

namespace {

NodeText node(std::string op, std::vector<std::string> inputs, std::string output)
{
    return {.op = std::move(op), .inputs = std::move(inputs), .outputs = {std::move(output)}};
}

// The sum so far of a and the number of the step, and what is added.
GraphText adding()
{
    return {.inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("s", {2})},
            .nodes = {{.op = "Cast", .inputs = {"i"}, .outputs = {"f"}, .attributes = {integerAttribute("to", 1)}},
                      node("Add", {"s", "f"}, "next"),
                      node("Identity", {"go"}, "on"),
                      node("Identity", {"s"}, "row")},
            .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {2}), valueInfo("row", {2})}};
}

// Adds 1 until the value is not less than 100.
GraphText counting()
{
    return {.inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("x", {})},
            .nodes = {node("Add", {"x", "one"}, "next"), node("Less", {"next", "most"}, "on")},
            .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {})},
            .initializers = {floatTensor("one", {}, {1}), floatTensor("most", {}, {100})}};
}

// Grows x by an element in each step.
GraphText growing()
{
    return {.inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("x", {-1})},
            .nodes = {{.op = "Concat", .inputs = {"x", "one"}, .outputs = {"next"}, .attributes = {integerAttribute("axis", 0)}},
                      node("Identity", {"go"}, "on")},
            .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {-1})},
            .initializers = {floatTensor("one", {1}, {1})}};
}

// The sum so far, and what is added.
GraphText summing()
{
    return {.inputs = {valueInfo("s", {2}), valueInfo("a", {2})},
            .nodes = {node("Add", {"s", "a"}, "next"), node("Mul", {"a", "a"}, "row")},
            .outputs = {valueInfo("next", {2}), valueInfo("row", {2})}};
}

OperatorText loop(const GraphText &body, std::size_t outputs)
{
    return {.node = {.op = "Loop", .inputs = {"x0", "", "x1"}, .attributes = {graphAttribute("body", body)}}, .outputs = outputs};
}

HostTensor number(std::int64_t value)
{
    return HostTensor::ofScalar(Scalar::of(DType::I64, value));
}

} // namespace

TEST(LongLoops, areScans)
{
    const std::vector<HostTensor> inputs{number(1000), floats({2}, {1, 2})};
    EXPECT_TRUE(hasScan(importOperator(loop(adding(), 2), inputs)));
    const auto outputs = outputsOf(loop(adding(), 2), inputs);
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[0]), (std::vector<double>{499501, 499502}));
    ASSERT_EQ(outputs[1].shape(), (Shape{1000, 2}));
    EXPECT_EQ(outputs[1].at(2 * 999).asDouble(), 1 + 999 * 998 / 2);
}

TEST(LongLoops, keepTheirValuesOnceAComputedConditionEndsThem)
{
    for (const double begin : {0.0, 40.5, 200.0}) {
        const std::vector<HostTensor> inputs{number(150), floats({}, {begin})};
        EXPECT_TRUE(hasScan(importOperator(loop(counting(), 1), inputs)));
        const auto outputs = outputsOf(loop(counting(), 1), inputs);
        ASSERT_EQ(outputs.size(), 1U);
        EXPECT_EQ(outputs[0].at(0).asDouble(),
                  begin < 100 ? std::max(100.0, 100 + begin - static_cast<std::int64_t>(begin)) : 201);
    }
}

// A recurrence in each step, over a sequence of its own: it is written out within the step, or else the steps are.
TEST(LongLoops, haveRecurrencesInTheirSteps)
{
    constexpr std::int64_t kLoops = 70;
    constexpr std::int64_t kHidden = 2;
    const Message size = integerAttribute("hidden_size", kHidden);
    const GraphText body{
        .inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("h", {1, 1, kHidden})},
        .nodes = {{.op = "RNN", .inputs = {"x2", "x3", "x4", "", "", "h"}, .outputs = {"", "next"}, .attributes = {size}},
                  node("Identity", {"go"}, "on")},
        .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {1, 1, kHidden})}};
    std::mt19937 random(3);
    const HostTensor w = randomFloats(random, {1, kHidden, 2}, 1);
    const HostTensor r = randomFloats(random, {1, kHidden, kHidden}, 1);
    const HostTensor start = randomFloats(random, {1, 1, kHidden}, 1);
    const std::vector<std::pair<std::int64_t, std::size_t>> lengthsAndScans{{65, 1}, {257, kLoops}};
    for (const auto &[length, scans] : lengthsAndScans) {
        const HostTensor x = randomFloats(random, {length, 1, 2}, 1);
        HostTensor repeated(DType::F32, {length * kLoops, 1, 2});
        for (std::int64_t i = 0; i < repeated.elements(); ++i)
            repeated.set(i, x.at(i % x.elements()));
        const std::vector<HostTensor> inputs{number(kLoops), start, x, w, r};
        const ModelResult model = importOperator(loop(body, 1), inputs);
        ASSERT_TRUE(model.graph) << toText(model.diagnostics);
        EXPECT_EQ(scansOf(*model.graph).scans.size(), scans);
        const OperatorText whole{.node = {.op = "RNN", .inputs = {"x0", "x1", "x2", "", "", "x3"}, .attributes = {size}},
                                 .outputs = 2};
        const auto expected = outputsOf(whole, {repeated, w, r, start});
        expectNear(outputsOf(loop(body, 1), inputs).at(0), 0, expected.back());
    }
}

// A value that has another shape in each step is no carried value: these loops are written out as before.
TEST(LongLoops, areWrittenOutWhereShapesChange)
{
    const std::vector<HostTensor> inputs{number(80), floats({1}, {3})};
    const ModelResult model = importOperator(loop(growing(), 1), inputs);
    ASSERT_TRUE(model.graph) << toText(model.diagnostics);
    EXPECT_FALSE(hasScan(model));
    EXPECT_EQ(outputsOf(loop(growing(), 1), inputs).at(0).shape(), (Shape{81}));
    const ModelResult tooLong = importOperator(loop(growing(), 1), {number(5000), floats({1}, {3})});
    ASSERT_FALSE(tooLong.graph);
    EXPECT_NE(tooLong.diagnostics.front().message.find("what a step hands on is f32[1] first, and then f32[2]"),
              std::string::npos)
        << toText(tooLong.diagnostics);
}

TEST(LongScans, readAndCollectAlongAnyAxisInBothDirections)
{
    std::mt19937 random(8);
    const HostTensor start = randomFloats(random, {2}, 1);
    const HostTensor x = randomFloats(random, {2, 200}, 1);
    const OperatorText text{
        .node = {.op = "Scan",
                 .attributes = {integerAttribute("num_scan_inputs", 1), integersAttribute("scan_input_axes", {1}),
                                integersAttribute("scan_input_directions", {1}), integersAttribute("scan_output_axes", {-1}),
                                integersAttribute("scan_output_directions", {1}), graphAttribute("body", summing())}},
        .outputs = 2};
    EXPECT_TRUE(hasScan(importOperator(text, {start, x})));
    const auto outputs = outputsOf(text, {start, x});
    ASSERT_EQ(outputs.size(), 2U);
    ASSERT_EQ(outputs[1].shape(), (Shape{2, 200}));
    for (std::int64_t i = 0; i < 2; ++i) {
        double sum = start.at(i).asDouble();
        for (std::int64_t t = 0; t < 200; ++t) {
            const double element = x.at(i * 200 + t).asDouble();
            sum += element;
            EXPECT_EQ(outputs[1].at(i * 200 + t).asDouble(), element * element);
        }
        EXPECT_NEAR(outputs[0].at(i).asDouble(), sum, 1e-3);
    }
}

} // namespace sw::test
