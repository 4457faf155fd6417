#include "engine/graph/interpreter.h"
#include "engine/graph/parser.h"

#include <gtest/gtest.h>

#include <string>

namespace sw {
namespace {

Graph graphOf(const std::string &lines)
{
    auto graph = parseGraph("stepwell graph 1\n" + lines, "t.graph");
    EXPECT_TRUE(graph) << toText(graph.error());
    return std::move(graph).value();
}

std::string textOf(const HostTensor &tensor)
{
    std::vector<std::string> elements;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        elements.push_back(toText(tensor.at(i)));
    return typeText(tensor.dtype(), tensor.shape()) + " " + join(elements, " ");
}

// The value of the last line before the sink, which this adds.
std::string valueOf(const std::string &lines, InterpretOptions options = {})
{
    const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
    const Graph graph = graphOf(lines + "sink " + lines.substr(last, lines.find(' ', last) - last) + " {names = [\"y\"]}\n");
    const auto outputs = interpretGraph(graph, {}, options);
    return outputs ? textOf(outputs->front()) : toText(outputs.error());
}

const std::string kSixFloats = "%0 = vconst {value = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]} : f32[2, 3]\n";

TEST(Interpreter, reducesEachSetOfAxes)
{
    EXPECT_EQ(valueOf(kSixFloats + "%1 = reduce_axis add %0 {axes = [0]} : f32[1, 3]\n"), "f32[1, 3] 5.0 7.0 9.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = reduce_axis add %0 {axes = [1]} : f32[2, 1]\n"), "f32[2, 1] 6.0 15.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = reduce_axis mul %0 {axes = [0, 1]} : f32[1, 1]\n"), "f32[1, 1] 720.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = reduce_axis min %0 {axes = [1]} : f32[2, 1]\n"), "f32[2, 1] 1.0 4.0");
}

TEST(Interpreter, reducesWithTheIdentityOfTheType)
{
    EXPECT_EQ(valueOf("%0 = vconst {value = [-5, -2147483648]} : i32[2]\n%1 = reduce_axis max %0 {axes = [0]} : i32[1]\n"),
              "i32[1] -5");
    EXPECT_EQ(valueOf("%0 = vconst {value = [false, false]} : bool[2]\n%1 = reduce_axis max %0 {axes = [0]} : bool[1]\n"),
              "bool[1] false");
    EXPECT_EQ(valueOf("%0 = vconst {value = [true, true]} : bool[2]\n%1 = reduce_axis min %0 {axes = [0]} : bool[1]\n"),
              "bool[1] true");
    EXPECT_EQ(valueOf("%0 = vconst {value = []} : f32[0, 2]\n%1 = reduce_axis max %0 {axes = [0]} : f32[1, 2]\n"),
              "f32[1, 2] -inf -inf");
    EXPECT_EQ(valueOf("%0 = vconst {value = []} : i32[0]\n%1 = reduce_axis mul %0 {axes = [0]} : i32[1]\n"), "i32[1] 1");
    EXPECT_EQ(valueOf("%0 = vconst {value = []} : u8[0]\n%1 = reduce_axis and %0 {axes = [0]} : u8[1]\n"), "u8[1] 255");
}

TEST(Interpreter, propagatesNanThroughMaxima)
{
    EXPECT_EQ(valueOf("%0 = vconst {value = [1.0, nan, 2.0]} : f32[3]\n%1 = reduce_axis max %0 {axes = [0]} : f32[1]\n"),
              "f32[1] nan");
    EXPECT_EQ(valueOf("%0 = vconst {value = [1.0, nan, 2.0]} : f64[3]\n%1 = reduce_axis min %0 {axes = [0]} : f64[1]\n"),
              "f64[1] nan");
}

// 2048 + 1 is 2048 in f16: a sum gathered there would stay at 2048.
TEST(Interpreter, gathersNarrowFloatsInF32)
{
    EXPECT_EQ(valueOf("%0 = vconst {value = fill(1.0)} : f16[4096]\n%1 = reduce_axis add %0 {axes = [0]} : f16[1]\n"),
              "f16[1] 4096.0");
    EXPECT_EQ(valueOf("%0 = vconst {value = fill(1.0)} : bf16[512]\n%1 = reduce_axis add %0 {axes = [0]} : bf16[1]\n"),
              "bf16[1] 512.0");
}

TEST(Interpreter, appliesAnEpilogueAfterAReduction)
{
    EXPECT_EQ(valueOf(kSixFloats +
                      "%1 = reduce_axis add %0 {axes = [0, 1]} : f32[1, 1]\n%2 = reshape %1 : f32[]\n%3 = neg %2 : f32[]\n"),
              "f32[] -21.0");
}

TEST(Interpreter, movesElements)
{
    EXPECT_EQ(valueOf(kSixFloats + "%1 = permute %0 {axes = [1, 0]} : f32[3, 2]\n"), "f32[3, 2] 1.0 4.0 2.0 5.0 3.0 6.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = reshape %0 : f32[3, 2]\n"), "f32[3, 2] 1.0 2.0 3.0 4.0 5.0 6.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = flip %0 {axes = [0, 1]} : f32[2, 3]\n"), "f32[2, 3] 6.0 5.0 4.0 3.0 2.0 1.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = shrink %0 {begin = [1, 0], end = [2, 2]} : f32[1, 2]\n"), "f32[1, 2] 4.0 5.0");
    EXPECT_EQ(valueOf("%0 = vconst {value = [1, 2]} : i8[2, 1]\n%1 = expand %0 : i8[2, 3]\n"), "i8[2, 3] 1 1 1 2 2 2");
}

TEST(Interpreter, padsWithTheFillValue)
{
    EXPECT_EQ(valueOf(kSixFloats + "%1 = pad %0 {before = [1, 2], after = [1, 1], fill = -999.0} : f32[4, 6]\n"),
              "f32[4, 6] -999.0 -999.0 -999.0 -999.0 -999.0 -999.0 -999.0 -999.0 1.0 2.0 3.0 -999.0 "
              "-999.0 -999.0 4.0 5.0 6.0 -999.0 -999.0 -999.0 -999.0 -999.0 -999.0 -999.0");
}

TEST(Interpreter, readsViewsThroughStridesAndMask)
{
    EXPECT_EQ(valueOf(kSixFloats + "%1 = view %0 {strides = [1, 1], offset = 0} : f32[4, 3]\n"),
              "f32[4, 3] 1.0 2.0 3.0 2.0 3.0 4.0 3.0 4.0 5.0 4.0 5.0 6.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = view %0 {strides = [-2], offset = 6, mask = [[1, 3]]} : f32[4]\n"),
              "f32[4] 0.0 5.0 3.0 0.0");
}

TEST(Interpreter, joinsAlongAnAxis)
{
    EXPECT_EQ(valueOf(kSixFloats + "%1 = vconst {value = [7.0, 8.0]} : f32[2, 1]\n%2 = cat %1, %0, %1 {axis = 1} : f32[2, 5]\n"),
              "f32[2, 5] 7.0 1.0 2.0 3.0 7.0 8.0 4.0 5.0 6.0 8.0");
}

TEST(Interpreter, reportsIndicesOutOfRange)
{
    std::vector<NodeIndexFault> faults;
    InterpretOptions options;
    options.onFault = [&faults](const NodeIndexFault &fault) { faults.push_back(fault); };
    EXPECT_EQ(valueOf(kSixFloats + "%1 = vconst {value = [2, 0, -1, 3]} : i64[2, 2]\n%2 = gather %0, %1 {axis = 1} : f32[2, 2]\n",
                      options),
              "f32[2, 2] 3.0 1.0 0.0 0.0");
    EXPECT_EQ(valueOf(kSixFloats + "%1 = vconst {value = [5, 6]} : u8[2]\n%2 = index %0, %1 : f32[2]\n", options),
              "f32[2] 6.0 0.0");
    ASSERT_EQ(faults.size(), 2U);
    EXPECT_EQ(faults[0].index, -1);
    EXPECT_EQ(faults[0].axis, 1U);
    EXPECT_EQ(faults[0].extent, 3);
    EXPECT_EQ(faults[0].count, 2);
    EXPECT_EQ(faults[1].index, 6);
    EXPECT_EQ(faults[1].extent, 6);
}

TEST(Interpreter, readsNothingWhereIndexIsNotValid)
{
    std::size_t faults = 0;
    InterpretOptions options;
    options.onFault = [&faults](const NodeIndexFault & /*fault*/) { ++faults; };
    EXPECT_EQ(valueOf(kSixFloats + "%1 = vconst {value = [5, 600]} : i32[2]\n%2 = vconst {value = [true, false]} : bool[2]\n"
                                   "%3 = index %0, %1, %2 : f32[2]\n",
                      options),
              "f32[2] 6.0 0.0");
    EXPECT_EQ(faults, 0U);
}

TEST(Interpreter, castsByTheRules)
{
    EXPECT_EQ(valueOf("%0 = vconst {value = [1.9, -1.9, 300.0, nan, -inf]} : f32[5]\n%1 = cast %0 : i8[5]\n"),
              "i8[5] 1 -1 127 0 -128");
    EXPECT_EQ(valueOf("%0 = vconst {value = [0.5, -0.0, nan]} : f32[3]\n%1 = cast %0 : bool[3]\n"), "bool[3] true false true");
    EXPECT_EQ(valueOf("%0 = vconst {value = [300, -1]} : i32[2]\n%1 = cast %0 : u8[2]\n"), "u8[2] 44 255");
    EXPECT_EQ(valueOf("%0 = vconst {value = [1.0]} : f32[1]\n%1 = bitcast %0 : u32[1]\n"), "u32[1] 1065353216");
}

TEST(Interpreter, selectsElements)
{
    EXPECT_EQ(valueOf("%0 = vconst {value = [true, false, true, false]} : bool[4]\n%1 = vconst {value = [1, 2, 3, 4]} : i32[4]\n"
                      "%2 = vconst {value = [10, 20, 30, 40]} : i32[4]\n%3 = where %0, %1, %2 : i32[4]\n"),
              "i32[4] 1 20 3 40");
    EXPECT_EQ(valueOf("%0 = vconst {value = [2.0, 3.0, 4.0, 5.0]} : f32[4]\n%1 = vconst {value = fill(10.0)} : f32[4]\n"
                      "%2 = vconst {value = [1.0, 2.0, 3.0, 4.0]} : f32[4]\n%3 = mulacc %0, %1, %2 : f32[4]\n"),
              "f32[4] 21.0 32.0 43.0 54.0");
}

TEST(Interpreter, showsEveryValueInOrder)
{
    const Graph graph =
        graphOf("%0 = placeholder {name = \"x\", role = input} : i32[2]\n%1 = neg %0 : i32[2]\n%2 = mul %1, %0 : i32[2]\n"
                "sink %2, %0 {names = [\"a\", \"b\"]}\n");
    std::string seen;
    InterpretOptions options;
    options.onValue = [&seen](NodeId id, const HostTensor &value) { seen += format("%{}: {}\n", id.value, textOf(value)); };
    const std::vector<HostTensor> inputs = {HostTensor::ofValues(DType::I32, {2}, std::vector{3.0, -4.0})};
    const auto outputs = interpretGraph(graph, inputs, options);
    ASSERT_TRUE(outputs);
    EXPECT_EQ(seen, "%0: i32[2] 3 -4\n%1: i32[2] -3 4\n%2: i32[2] -9 -16\n");
    EXPECT_EQ(textOf(outputs->at(1)), "i32[2] 3 -4");
}

TEST(Interpreter, rejectsInputsOfAnotherType)
{
    const Graph graph = graphOf("%0 = placeholder {name = \"x\", role = input} : i32[2]\nsink %0 {names = [\"a\"]}\n");
    EXPECT_FALSE(interpretGraph(graph, {}));
    const std::vector<HostTensor> wrong = {HostTensor(DType::I32, {3})};
    const auto outputs = interpretGraph(graph, wrong);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().front().message, "x is i32[2], but was given i32[3]");
}

TEST(Interpreter, stopsWhenAsked)
{
    std::stop_source stop;
    stop.request_stop();
    InterpretOptions options;
    options.stop = stop.get_token();
    const auto outputs = interpretGraph(graphOf("%0 = buffer : f32[4]\nsink %0 {names = [\"a\"]}\n"), {}, options);
    ASSERT_FALSE(outputs);
    EXPECT_EQ(outputs.error().front().code, Code::Cancelled);
}

} // namespace
} // namespace sw
