#include "engine/passes/graph/tensor_convolutions.h"

#include "engine/graph/interpreter.h"
#include "engine/ops/tensor_instructions.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>
#include <ostream>
#include <random>

namespace sw {
namespace {

struct Layer {
    std::int64_t images = 1;
    std::int64_t groups = 1;
    std::int64_t outputs = 16; // of a group
    std::int64_t channels = 32;
    std::int64_t rows = 6;
    std::int64_t columns = 8;
    std::int64_t border = 1;
    std::int64_t stride = 1;
    std::int64_t window = 3;
    std::string type = "bf16";
    std::string sum = "f32";
    std::string kernelRole = "param";
};

void PrintTo(const Layer &layer, std::ostream *out)
{
    *out << layer.type << " " << layer.images << " x " << layer.groups << " groups of " << layer.channels << " -> "
         << layer.outputs << ", " << layer.rows << " x " << layer.columns << ", window " << layer.window << ", stride "
         << layer.stride << ", border " << layer.border;
}

std::string listOf(std::initializer_list<std::int64_t> extents)
{
    std::string text;
    for (const std::int64_t extent : extents)
        text += (text.empty() ? "" : ", ") + std::to_string(extent);
    return "[" + text + "]";
}

// The sums of a convolution, as the library's conv2d becomes it.
std::string linesFor(const Layer &layer)
{
    const std::int64_t all = layer.groups * layer.channels;
    const std::int64_t down = layer.rows + 2 * layer.border;
    const std::int64_t across = layer.columns + 2 * layer.border;
    const std::int64_t rows = (down - layer.window) / layer.stride + 1;
    const std::int64_t columns = (across - layer.window) / layer.stride + 1;
    const std::int64_t plane = down * across;
    const std::string fill = layer.sum == "f32" ? "0.0" : "0";
    const std::string pads = listOf({0, 0, layer.border, layer.border});
    const std::string whole =
        listOf({layer.images, layer.groups, layer.outputs, rows, columns, layer.channels, layer.window, layer.window});
    const std::string wide = " : " + layer.sum;
    return "%0 = placeholder {name = \"x\", role = input} : " + layer.type +
           listOf({layer.images, all, layer.rows, layer.columns}) + "\n" +
           "%1 = placeholder {name = \"w\", role = " + layer.kernelRole + "} : " + layer.type +
           listOf({layer.groups * layer.outputs, layer.channels, layer.window, layer.window}) + "\n" + "%2 = cast %0" + wide +
           listOf({layer.images, all, layer.rows, layer.columns}) + "\n" + "%3 = pad %2 {before = " + pads + ", after = " + pads +
           ", fill = " + fill + "}" + wide + listOf({layer.images, all, down, across}) + "\n" + "%4 = view %3 {strides = " +
           listOf({all * plane, layer.channels * plane, 0, layer.stride * across, layer.stride, plane, across, 1}) +
           ", offset = 0}" + wide +
           listOf({layer.images, layer.groups, 1, rows, columns, layer.channels, layer.window, layer.window}) + "\n" +
           "%5 = cast %1" + wide + listOf({layer.groups * layer.outputs, layer.channels, layer.window, layer.window}) + "\n" +
           "%6 = reshape %5" + wide + listOf({1, layer.groups, layer.outputs, 1, 1, layer.channels, layer.window, layer.window}) +
           "\n" + "%7 = expand %4" + wide + whole + "\n" + "%8 = expand %6" + wide + whole + "\n" + "%9 = mul %7, %8" + wide +
           whole + "\n" + "%10 = reduce_axis add %9 {axes = [5, 6, 7]}" + wide +
           listOf({layer.images, layer.groups, layer.outputs, rows, columns, 1, 1, 1}) + "\n" + "sink %10 {names = [\"y\"]}\n";
}

struct Rewriting : PassRun {
    explicit Rewriting(std::uint32_t instructions = ~std::uint32_t{0}) { device.tensorInstructions = instructions; }

    std::vector<TargetDevice> others;

    std::optional<Graph> rewritten(const Graph &graph)
    {
        PassContext own(device, TargetLanguage::Llvm, options, {}, kNoRewriteLimit, others);
        auto made = tensorConvolutions(graph, own);
        EXPECT_TRUE(made) << toText(made.error());
        return std::move(*made);
    }
};

// Whole numbers whose sums are exact in any order.
HostTensor numbersFor(const Node &node)
{
    HostTensor made(node.dtype, node.shape);
    for (std::int64_t i = 0; i < node.shape.elements(); ++i)
        made.set(i, Scalar::of(DType::F64, static_cast<double>((i * 7 + i / 11) % 9 - 4)).castTo(node.dtype));
    return made;
}

void expectTheSameValues(const Graph &graph, const Graph &made)
{
    const auto verified = verifyGraph(made);
    ASSERT_TRUE(verified) << toText(verified.error());
    std::vector<HostTensor> inputs;
    for (const NodeId id : graph.placeholders())
        inputs.push_back(numbersFor(graph.node(id)));
    const auto expected = interpretGraph(graph, inputs);
    const auto found = interpretGraph(made, inputs);
    ASSERT_TRUE(expected && found);
    EXPECT_TRUE(std::ranges::equal(expected->front().bytes(), found->front().bytes()));
}

class TensorConvolutions : public testing::TestWithParam<Layer> {};

TEST_P(TensorConvolutions, keepTheirValues)
{
    const Graph graph = graphOfLines(linesFor(GetParam()));
    Rewriting run;
    const std::optional<Graph> made = run.rewritten(graph);
    ASSERT_TRUE(made);
    expectTheSameValues(graph, *made);
    // What is multiplied is stored narrow, and the image's elements once: with its border, pixel by pixel.
    std::size_t stored = 0;
    for (const Node &node : made->nodes())
        if (node.kind == NodeKind::Contiguous) {
            EXPECT_EQ(node.dtype, graph.node(graph.placeholders().front()).dtype);
            ++stored;
        }
    EXPECT_EQ(stored, 2U);
}

INSTANTIATE_TEST_SUITE_P(Layers, TensorConvolutions,
                         testing::Values(Layer(), Layer{.images = 2, .groups = 2}, Layer{.stride = 2}, Layer{.border = 0},
                                         Layer{.columns = 9, .border = 0, .window = 1},
                                         Layer{.rows = 9, .columns = 9, .border = 2, .stride = 2, .window = 5},
                                         Layer{.channels = 64, .columns = 7, .type = "i8", .sum = "i32"},
                                         Layer{.outputs = 32, .channels = 96, .kernelRole = "input"}));

TEST(TensorConvolutionsTest, keepTheValuesOfRandomLayers)
{
    std::mt19937 random(5);
    const auto from = [&](std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random);
    };
    int rewritten = 0;
    for (int i = 0; i < 24; ++i) {
        const Layer layer{.images = from(1, 2),
                          .groups = from(1, 2),
                          .rows = from(3, 6),
                          .columns = from(4, 11),
                          .border = from(0, 2),
                          .stride = from(1, 2),
                          .window = from(1, 3)};
        SCOPED_TRACE(testing::PrintToString(layer));
        const Graph graph = graphOfLines(linesFor(layer));
        const std::optional<Graph> made = Rewriting().rewritten(graph);
        if (!made)
            continue; // its rows are too short
        ++rewritten;
        expectTheSameValues(graph, *made);
    }
    EXPECT_GE(rewritten, 12);
}

TEST(TensorConvolutionsTest, leaveWhatNoInstructionTakes)
{
    const auto isLeft = [](const Layer &layer, std::uint32_t instructions = ~std::uint32_t{0}) {
        return !Rewriting(instructions).rewritten(graphOfLines(linesFor(layer)));
    };
    EXPECT_TRUE(isLeft({.channels = 24})) << "no whole steps";
    EXPECT_TRUE(isLeft({.outputs = 24})) << "no whole columns";
    EXPECT_TRUE(isLeft({.columns = 37})) << "no even tiles of pixels";
    EXPECT_TRUE(isLeft({.type = "f16"})) << "no such elements";
    EXPECT_TRUE(isLeft({}, bitOf(TensorInstruction::AmxI8)));
    EXPECT_TRUE(isLeft({}, 0));
    EXPECT_FALSE(isLeft({}, bitOf(TensorInstruction::AmxBf16)));
    EXPECT_TRUE(isLeft({}, bitOf(TensorInstruction::DotBf16))) << "no tile registers";
    EXPECT_TRUE(isLeft({.rows = 1, .columns = 8, .border = 0, .window = 1})) << "no loop around the tiles";
}

// The windows of a tile are copied: 32 rows of all steps, into half of the cache.
TEST(TensorConvolutionsTest, leaveWindowsThatACoreCannotCopy)
{
    const Graph graph = graphOfLines(linesFor({}));
    for (const std::int64_t bytes : {32 * 9 * 32 * 2, 32 * 9 * 32 * 2 - 1}) {
        Rewriting run;
        run.device.cacheBytesPerCore = 2 * bytes;
        EXPECT_EQ(run.rewritten(graph).has_value(), bytes == 32 * 9 * 32 * 2) << bytes;
    }
}

TEST(TensorConvolutionsTest, leaveProgramsOnSeveralDevices)
{
    Rewriting run;
    TargetDevice other;
    other.device.id = "other";
    run.others.push_back(other);
    EXPECT_FALSE(run.rewritten(graphOfLines(linesFor({}))));
}

TEST(TensorConvolutionsTest, leaveStrictSums)
{
    Rewriting run;
    run.options.strict = true;
    EXPECT_FALSE(run.rewritten(graphOfLines(linesFor({}))));
}

} // namespace
} // namespace sw
