// If, Loop and Scan: what their bodies read, how often they run, and what the graph shows of them.

#include "engine/graph/interpreter.h"
#include "tests/unit/onnx/operator_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace sw::test {

namespace {

using Numbers = std::vector<double>;

HostTensor boolean(bool value)
{
    return HostTensor::ofScalar(Scalar::of(DType::Bool, std::int64_t{value}));
}

HostTensor number(std::int64_t value)
{
    return HostTensor::ofScalar(Scalar::of(DType::I64, value));
}

NodeText node(std::string op, std::vector<std::string> inputs, std::string output)
{
    return {.op = std::move(op), .inputs = std::move(inputs), .outputs = {std::move(output)}};
}

// One branch: an operator on values from around it.
GraphText branch(const std::string &op, const std::vector<std::string> &inputs)
{
    return {.inputs = {}, .nodes = {node(op, inputs, "b")}, .outputs = {valueInfo("b", {-1})}};
}

NodeText choice(const GraphText &yes, const GraphText &no)
{
    return {.op = "If", .inputs = {"x0"}, .attributes = {graphAttribute("then_branch", yes), graphAttribute("else_branch", no)}};
}

// x, i -> x * x + i, and collects x.
GraphText squaring()
{
    return {.inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("x", {2})},
            .nodes = {{.op = "Cast", .inputs = {"i"}, .outputs = {"f"}, .attributes = {integerAttribute("to", 1)}},
                      node("Mul", {"x", "x"}, "xx"),
                      node("Add", {"xx", "f"}, "next"),
                      node("Identity", {"go"}, "on"),
                      node("Identity", {"x"}, "row")},
            .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {2}), valueInfo("row", {2})}};
}

// Halves x until it is not greater than 1.
GraphText halving(bool collects)
{
    GraphText body{
        .inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("x", {})},
        .nodes = {node("Mul", {"x", "half"}, "next"), node("Greater", {"next", "one"}, "on"), node("Identity", {"next"}, "row")},
        .outputs = {valueInfo("on", {}, kBool), valueInfo("next", {})},
        .initializers = {floatTensor("half", {}, {0.5F}), floatTensor("one", {}, {1})}};
    if (collects)
        body.outputs.push_back(valueInfo("row", {}));
    return body;
}

NodeText loop(const GraphText &body, std::vector<std::string> inputs)
{
    return {.op = "Loop", .inputs = std::move(inputs), .attributes = {graphAttribute("body", body)}};
}

// The sum so far of x + y, and what is added.
GraphText summing()
{
    return {.inputs = {valueInfo("s", {2}), valueInfo("a", {2}), valueInfo("b", {2})},
            .nodes = {node("Add", {"a", "b"}, "both"), node("Add", {"s", "both"}, "next"), node("Identity", {"both"}, "row")},
            .outputs = {valueInfo("next", {2}), valueInfo("row", {2})}};
}

std::string firstMessage(const ModelResult &result)
{
    return result.diagnostics.empty() ? std::string() : result.diagnostics.front().message;
}

} // namespace

TEST(ControlFlow, makesAChoiceOfAConditionThatTheRunComputes)
{
    const NodeText text = choice(branch("Exp", {"x1"}), branch("Neg", {"x1"}));
    EXPECT_EQ(elementsOf(outputsOf({text}, {boolean(false), floats(Shape{2}, {1, 2})}).at(0)), (Numbers{-1, -2}));
    EXPECT_EQ(elementsOf(outputsOf({text}, {boolean(true), floats(Shape{2}, {0, 0})}).at(0)), (Numbers{1, 1}));
    const ModelResult result = importOperator({text}, {boolean(true), floats(Shape{2}, {0, 0})});
    EXPECT_TRUE(result.constantInputs.empty()); // the condition is still an input
}

TEST(ControlFlow, reportsNoIndexOfTheBranchThatIsNotTaken)
{
    GraphText looking = branch("Gather", {"x1", "x2"});
    looking.outputs = {valueInfo("b", {-1})};
    const NodeText text = choice(looking, branch("Neg", {"x1"}));
    const std::vector<HostTensor> inputs{boolean(false), floats(Shape{2}, {1, 2}), integers(Shape{2}, {0, 5})};
    for (const bool isTaken : {false, true}) {
        ImportedOperator made = graphOf({text}, inputs);
        ASSERT_TRUE(made.graph);
        made.values.front() = boolean(isTaken);
        std::size_t faults = 0;
        InterpretOptions options;
        options.onFault = [&](const NodeIndexFault &) { ++faults; };
        const auto outputs = interpretGraph(*made.graph, made.values, options);
        ASSERT_TRUE(outputs) << toText(outputs.error());
        EXPECT_EQ(faults, isTaken ? 1U : 0U);
        EXPECT_EQ(elementsOf(outputs->front()), isTaken ? (Numbers{1, 0}) : (Numbers{-1, -2}));
    }
}

TEST(ControlFlow, takesTheBranchOfAKnownCondition)
{
    GraphText wide = branch("Concat", {"x0", "x0"});
    wide.nodes.front().attributes = {integerAttribute("axis", 0)};
    ModelText model{.inputs = {valueInfo("x0", {2})},
                    .nodes = {choice(wide, branch("Neg", {"x0"}))},
                    .outputs = {valueInfo("y", {-1})},
                    .initializers = {integerTensor("one", {}, {1}), integerTensor("two", {}, {2})}};
    model.nodes.front().inputs = {"less"};
    model.nodes.front().outputs = {"y"};
    model.nodes.insert(model.nodes.begin(), node("Less", {"one", "two"}, "less"));
    const ModelResult result = importOnnx(modelBytes(model), "test.onnx", libraryOptions(), {});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.graph->node(result.graph->outputs().front()).shape, (Shape{4}));
}

TEST(ControlFlow, decidesByTheGivenValueWhereTheBranchesHaveOtherShapes)
{
    GraphText wide = branch("Concat", {"x1", "x1"});
    wide.nodes.front().attributes = {integerAttribute("axis", 0)};
    const NodeText text = choice(wide, branch("Neg", {"x1"}));
    const ModelResult result = importOperator({text}, {boolean(true), floats(Shape{2}, {1, 2})});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_EQ(result.constantInputs, std::vector<std::string>{"x0"});
    EXPECT_EQ(result.graph->node(result.graph->outputs().front()).shape, (Shape{4}));
}

TEST(ControlFlow, repeatsABodyAndCollectsItsResults)
{
    const OperatorText text{.node = loop(squaring(), {"x0", "", "x1"}), .opset = 22, .outputs = 2};
    const auto outputs = outputsOf(text, {number(3), floats(Shape{2}, {1, 2})});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{6, 291})); // 1, 1, 2, 6 and 2, 4, 17, 291
    EXPECT_EQ(outputs[1].shape(), (Shape{3, 2}));
}

TEST(ControlFlow, makesNoStepAndStillGivesAResult)
{
    const OperatorText text{.node = loop(squaring(), {"x0", "", "x1"}), .opset = 22, .outputs = 2};
    const auto outputs = outputsOf(text, {number(0), floats(Shape{2}, {1, 2})});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{1, 2}));
    EXPECT_EQ(outputs[1].shape(), (Shape{0, 2}));
}

TEST(ControlFlow, stopsByAConditionThatTheRunComputes)
{
    const OperatorText text{.node = loop(halving(false), {"x0", "", "x1"})};
    for (const auto &[begin, end] : {std::pair(20.0, 0.625), std::pair(1.0, 0.5), std::pair(1024.0, 8.0)}) {
        const auto outputs = outputsOf(text, {number(7), floats(Shape{}, {begin})});
        ASSERT_EQ(outputs.size(), 1U);
        EXPECT_EQ(outputs[0].at(0).asDouble(), end) << begin;
    }
    const ModelResult result = importOperator(text, {number(7), floats(Shape{}, {20})});
    EXPECT_EQ(result.constantInputs, std::vector<std::string>{"x0"}); // the number of steps, and not the value
}

TEST(ControlFlow, goesOnAsLongAsTheRunSays)
{
    const OperatorText open{.node = loop(halving(false), {"", "", "x0"}), .unknown = {0}};
    const OperatorText large{.node = loop(halving(false), {"x0", "", "x1"}), .unknown = {1}};
    for (const auto &[begin, end] : {std::pair(20.0, 0.625), std::pair(1.0, 0.5), std::pair(0x1p100, 1.0)}) {
        for (const auto &outputs :
             {outputsOf(open, {floats(Shape{}, {begin})}),
              outputsOf(large, {number(std::numeric_limits<std::int64_t>::max()), floats(Shape{}, {begin})})}) {
            ASSERT_EQ(outputs.size(), 1U);
            EXPECT_EQ(outputs[0].at(0).asDouble(), end) << begin;
        }
    }
}

TEST(ControlFlow, isNotCompiledForTheInputThatSaysHowLongItGoesOn)
{
    const ModelResult result = importOperator({.node = loop(halving(false), {"", "", "x0"})}, {floats(Shape{}, {20})});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    EXPECT_TRUE(result.constantInputs.empty());
}

// The condition may end it earlier, and may already be false.
TEST(ControlFlow, makesAsManyStepsAsTheRunSays)
{
    const OperatorText text{.node = loop(halving(false), {"x0", "x1", "x2"}), .unknown = {0, 1, 2}};
    for (const std::int64_t most : {0, 1, 3, 7, 100})
        for (const bool begins : {true, false}) {
            const auto outputs = outputsOf(text, {number(most), boolean(begins), floats(Shape{}, {20})});
            ASSERT_EQ(outputs.size(), 1U);
            const std::int64_t steps = begins ? std::min<std::int64_t>(most, 5) : 0;
            EXPECT_EQ(outputs[0].at(0).asDouble(), std::ldexp(20.0, static_cast<int>(-steps))) << most;
        }
    // The number of the step counts on.
    GraphText body = squaring();
    body.outputs.pop_back();
    const auto outputs =
        outputsOf({.node = loop(body, {"x0", "", "x1"}), .unknown = {0, 1}}, {number(3), floats(Shape{2}, {1, 2})});
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{6, 291}));
}

TEST(ControlFlow, stopsByTheGivenValueWhereResultsAreCollected)
{
    const OperatorText text{.node = loop(halving(true), {"", "", "x0"}), .opset = 22, .outputs = 2};
    const auto outputs = outputsOf(text, {floats(Shape{}, {20})});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[1]), (Numbers{10, 5, 2.5, 1.25, 0.625}));
}

// Written out, and as a scan.
TEST(ControlFlow, countsWhatItCollectsWhereTheRunComputesTheCondition)
{
    for (const std::int64_t most : {3, 7, 100}) {
        const OperatorText text{.node = loop(halving(true), {"x0", "", "x1"}), .opset = 22, .outputs = 2, .unknown = {1}};
        for (const auto &[begin, steps] : {std::pair(20.0, 5), std::pair(1.0, 1), std::pair(1024.0, 10)}) {
            const auto outputs = outputsOf(text, {number(most), floats(Shape{}, {begin})});
            ASSERT_EQ(outputs.size(), 2U);
            const std::int64_t made = std::min<std::int64_t>(most, steps);
            ASSERT_EQ(outputs[1].shape(), (Shape{made})) << begin << " in at most " << most;
            for (std::int64_t i = 0; i < made; ++i)
                EXPECT_EQ(outputs[1].at(i).asDouble(), std::ldexp(begin, static_cast<int>(-i - 1)));
            EXPECT_EQ(outputs[0].at(0).asDouble(), std::ldexp(begin, static_cast<int>(-made)));
        }
    }
}

TEST(ControlFlow, scansAlongAnyAxisInBothDirections)
{
    const NodeText scan{.op = "Scan",
                        .inputs = {"x0", "x1", "x2"},
                        .attributes = {integerAttribute("num_scan_inputs", 2), integersAttribute("scan_input_axes", {0, 1}),
                                       integersAttribute("scan_input_directions", {0, 1}),
                                       integersAttribute("scan_output_axes", {1}),
                                       integersAttribute("scan_output_directions", {1}), graphAttribute("body", summing())}};
    const auto outputs = outputsOf(
        {.node = scan, .opset = 22, .outputs = 2},
        {floats(Shape{2}, {100, 200}), floats(Shape{3, 2}, {1, 2, 3, 4, 5, 6}), floats(Shape{2, 3}, {10, 20, 30, 40, 50, 60})});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{100 + 9 + 60, 200 + 12 + 150}));
    EXPECT_EQ(outputs[1].shape(), (Shape{2, 3}));
    EXPECT_EQ(elementsOf(outputs[1]), (Numbers{15, 23, 31, 46, 54, 62})); // the last step first
}

TEST(ControlFlow, scansEachElementOfABatch)
{
    const NodeText scan{.op = "Scan",
                        .inputs = {"", "x0", "x1", "x2"},
                        .attributes = {integerAttribute("num_scan_inputs", 2), graphAttribute("body", summing())}};
    const auto outputs = outputsOf({.node = scan, .opset = 8, .outputs = 2},
                                   {floats(Shape{2, 2}, {0, 0, 100, 100}), floats(Shape{2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                    floats(Shape{2, 2, 2}, {0, 0, 0, 0, 10, 10, 10, 10})});
    ASSERT_EQ(outputs.size(), 2U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{4, 6, 132, 134}));
    EXPECT_EQ(elementsOf(outputs[1]), (Numbers{1, 2, 3, 4, 15, 16, 17, 18}));
}

TEST(ControlFlow, readsTheValuesOfAllGraphsAround)
{
    // The inner body hides "x" and reads "x1" of the model and "i" of the loop.
    GraphText inner{
        .inputs = {}, .nodes = {node("Mul", {"x1", "x1"}, "x"), node("Add", {"x", "f"}, "b")}, .outputs = {valueInfo("b", {2})}};
    GraphText body{
        .inputs = {valueInfo("i", {}, kInt64), valueInfo("go", {}, kBool), valueInfo("x", {2})},
        .nodes = {{.op = "Cast", .inputs = {"i"}, .outputs = {"f"}, .attributes = {integerAttribute("to", 1)}},
                  {.op = "If",
                   .inputs = {"go"},
                   .outputs = {"more"},
                   .attributes = {graphAttribute("then_branch", inner), graphAttribute("else_branch", branch("Neg", {"x"}))}},
                  node("Add", {"x", "more"}, "next")},
        .outputs = {valueInfo("go", {}, kBool), valueInfo("next", {2})}};
    const auto outputs =
        outputsOf({.node = loop(body, {"x0", "", "x2"})}, {number(2), floats(Shape{2}, {2, 3}), floats(Shape{2}, {1, 1})});
    ASSERT_EQ(outputs.size(), 1U);
    EXPECT_EQ(elementsOf(outputs[0]), (Numbers{1 + 4 + 5, 1 + 9 + 10}));
}

TEST(ControlFlow, listsBodiesAndGivesEachStepItsOwnScope)
{
    const ModelResult result =
        importOperator({.node = loop(halving(false), {"x0", "", "x1"})}, {number(2), floats(Shape{}, {20})});
    ASSERT_TRUE(result.graph) << toText(result.diagnostics);
    const std::string &text = result.sources->file(SourceMap::programFile()).text;
    EXPECT_NE(text.find("\ny0 = Loop(x0, _, x1) body=...\n"
                        "    body:\n"
                        "        input i: i64[]\n"
                        "        input go: bool[]\n"
                        "        input x: f32[]\n"
                        "        param half: f32[] 0.5\n"
                        "        param one: f32[] 1.0\n"
                        "        next = Mul(x, half)\n"),
              std::string::npos)
        << text;
    std::set<std::string> scopes;
    std::set<std::uint32_t> lines;
    for (std::size_t i = 0; i < result.graph->size(); ++i) {
        const Node &each = result.graph->node(NodeId(i));
        if (each.name != "next")
            continue;
        scopes.insert(result.sources->scopePath(each.scope));
        lines.insert(result.sources->item(each.origin.sources().front()).range.line);
    }
    EXPECT_EQ(scopes, (std::set<std::string>{"step 0", "step 1"}));
    EXPECT_EQ(lines.size(), 1U);
}

TEST(ControlFlow, refusesLoopsWithoutAnEnd)
{
    const ModelResult result =
        importOperator({.node = loop(squaring(), {"", "", "x0"}), .opset = 22, .outputs = 2}, {floats(Shape{2}, {1, 2})});
    EXPECT_FALSE(result.graph);
    EXPECT_NE(firstMessage(result).find("it makes more than 4096 steps"), std::string::npos) << toText(result.diagnostics);
}

TEST(ControlFlow, namesWhatIsWrongInABody)
{
    const std::vector<HostTensor> inputs{boolean(true), floats(Shape{2}, {1, 2})};
    ModelResult result = importOperator({choice(branch("Exp", {"nothing"}), branch("Neg", {"x1"}))}, inputs);
    EXPECT_NE(firstMessage(result).find("reads 'nothing', which nothing defines"), std::string::npos);
    EXPECT_EQ(result.diagnostics.front().where.line, 7U); // in the body
    result = importOperator({choice(branch("Unheard", {"x1"}), branch("Neg", {"x1"}))}, inputs);
    EXPECT_NE(firstMessage(result).find("operator Unheard of ai.onnx"), std::string::npos);
    result = importOperator({choice(branch("MatMul", {"x1", "x0"}), branch("Neg", {"x1"}))}, inputs);
    EXPECT_NE(firstMessage(result).find("MatMul that makes 'b'"), std::string::npos);
    GraphText noInputs = branch("Neg", {"x1"});
    result = importOperator({.node = loop(noInputs, {"x0", "", "x1"})}, {number(2), floats(Shape{2}, {1, 2})});
    EXPECT_NE(firstMessage(result).find("its body has 1 outputs, expected at least 2"), std::string::npos)
        << toText(result.diagnostics);
    result = importOperator({.node = loop(squaring(), {"x0"}), .opset = 22, .outputs = 2}, {number(2)});
    EXPECT_NE(firstMessage(result).find("its body has 3 inputs, and gets 2"), std::string::npos) << toText(result.diagnostics);
    result = importOperator({.node = loop(squaring(), {"x0", "", "x1"}), .opset = 22, .outputs = 2},
                            {number(2), integers(Shape{2}, {1, 2})});
    EXPECT_NE(firstMessage(result).find("input 'x' of its body is f32, and gets i64[2]"), std::string::npos)
        << toText(result.diagnostics);
}

} // namespace sw::test
