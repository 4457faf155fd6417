#include "engine/passes/graph/choose_layouts.h"

#include "engine/graph/interpreter.h"
#include "engine/passes/graph/permuted_values.h"
#include "engine/passes/graph/simplify.h"
#include "engine/types/random_fill.h"
#include "tests/support/random_network.h"
#include "tests/unit/language/language_fixture.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>

namespace sw {
namespace {

Graph simplified(const std::string &program)
{
    ProgramResult made = test::compileText(program);
    EXPECT_TRUE(made.graph) << toText(made.diagnostics) << program;
    PassRun run;
    Result<std::optional<Graph>> simple = simplify(*made.graph, run.context);
    EXPECT_TRUE(simple) << toText(simple.error());
    return *simple ? std::move(**simple) : std::move(*made.graph);
}

// A graph after the pass, without dead nodes, and what the pass says.
struct Chosen {
    std::optional<Graph> graph; // nothing: the pass changes nothing
    std::vector<std::string> told;
};

Chosen chosen(const Graph &graph, CompileOptions options = {}, DeviceKind kind = DeviceKind::Cpu,
              std::uint32_t budget = kNoRewriteLimit)
{
    PassRun run(budget);
    run.options = std::move(options);
    run.device.kind = kind;
    run.device.vectorBytes = 32;
    Result<std::optional<Graph>> made = chooseLayouts(graph, run.context);
    EXPECT_TRUE(made) << toText(made.error());
    Chosen all;
    for (const RewriteEvent &event : run.context.rewrites().events())
        all.told.push_back(event.detail);
    if (!*made)
        return all;
    const auto verified = verifyGraph(**made);
    EXPECT_TRUE(verified) << toText(verified.error());
    PassRun cleaning;
    Result<std::optional<Graph>> clean = removeDead(**made, cleaning.context);
    all.graph = *clean ? std::move(**clean) : std::move(**made);
    return all;
}

Chosen chosen(const std::string &program, CompileOptions options = {})
{
    return chosen(simplified(program), std::move(options));
}

std::vector<HostTensor> inputsOf(const Graph &graph, std::uint64_t seed)
{
    std::vector<HostTensor> inputs;
    for (const NodeId id : graph.placeholders())
        inputs.push_back(randomTensor(graph.node(id).dtype, graph.node(id).shape, seed++));
    return inputs;
}

// How many values that are computed have the shape.
std::ptrdiff_t computedOf(const Graph &graph, const Shape &shape)
{
    return std::ranges::count_if(
        graph.nodes(), [&](const Node &node) { return node.shape == shape && familyOf(node.kind) == NodeFamily::Elementwise; });
}

constexpr const char *kBlock =
    "input x: f32[1, 16, 12, 10]\n"
    "param a: f32[32, 16, 1, 1]\nparam b: f32[32]\nparam c: f32[32, 1, 3, 3]\nparam d: f32[16, 32, 1, 1]\n"
    "h = relu(conv2d(x, a, b))\n"
    "g = relu(conv2d(h, c, padding = 1, groups = 32))\n"
    "output conv2d(g, d)\n";

// The first convolution reads its image from outside and the last one's result is an output: both stay. What is between them is
// in the other order.
TEST(ChooseLayouts, putsWhatIsBetweenConvolutionsPixelByPixel)
{
    const Graph before = simplified(kBlock);
    const Chosen after = chosen(before);
    ASSERT_TRUE(after.graph);
    EXPECT_EQ(computedOf(before, Shape({1, 32, 12, 10})), 3) << "the bias, and two largest";
    EXPECT_EQ(computedOf(*after.graph, Shape({1, 32, 12, 10})), 0) << linesOf(*after.graph);
    EXPECT_EQ(computedOf(*after.graph, Shape({1, 12, 10, 32})), 3) << linesOf(*after.graph);
    ASSERT_EQ(after.told.size(), 1U);
    // At 0.07 ns, for each of 21504 bytes that a convolution by channel reads, border and all, and of 15360 of the product.
    EXPECT_EQ(after.told.front(),
              "6 values pixel by pixel: saves 2.6 us of copies (convolutions: 1 of 1 x 1, 1 by channel), costs 0.0 us "
              "across the memory");
    const auto pad = std::ranges::find(after.graph->nodes(), NodeKind::Pad, &Node::kind);
    ASSERT_NE(pad, after.graph->nodes().end());
    EXPECT_EQ(attributesOf<PadAttributes>(*pad).before, (std::vector<std::int64_t>{0, 1, 1, 0}));
}

TEST(ChooseLayouts, isDoneWhereItIsAllowed)
{
    const Graph block = simplified(kBlock);
    EXPECT_FALSE(chosen(block, {.layouts = false}).graph) << "switched off";
    EXPECT_FALSE(chosen(block, {.optimize = false}).graph);
    EXPECT_FALSE(chosen(block, {}, DeviceKind::Gpu).graph) << "work items read side by side what lies side by side either way";
    EXPECT_FALSE(chosen(block, {}, DeviceKind::Cpu, 0).graph) << "no rewrite may be made";
    EXPECT_TRUE(chosen(block, {.strict = true}).graph) << "sums keep their order";
}

// What is made, or read, with the channels of a pixel side by side anyway: 0.25 ns for each of its bytes is saved.
TEST(ChooseLayouts, countsWhatIsMadeAndReadPixelByPixelAnyway)
{
    const std::string before = "input x: f32[1, 16, 12, 10]\ninput p: f32[1, 12, 10, 32]\nparam a: f32[32, 16, 3, 3]\n";
    const auto told = [&](const std::string &program) {
        const Chosen after = chosen(before + program);
        return after.told.empty() ? std::string("nothing") : after.told.front();
    };
    // 15360 bytes each.
    const std::string made = "h = relu(permute(p, [0, 3, 1, 2]))\n";
    EXPECT_NE(told(made + "output permute(h * 2.0 + conv2d(x, a, padding = 1), [0, 2, 3, 1])\n").find("saves 7.7 us"),
              std::string::npos)
        << told(made + "output permute(h * 2.0 + conv2d(x, a, padding = 1), [0, 2, 3, 1])\n");
    EXPECT_NE(told("output permute(relu(conv2d(x, a, padding = 1)), [0, 2, 3, 1])\n").find("saves 3.8 us"), std::string::npos)
        << told("output permute(relu(conv2d(x, a, padding = 1)), [0, 2, 3, 1])\n");
    EXPECT_EQ(told("output relu(conv2d(x, a, padding = 1))\n"), "nothing");
}

// What another reader takes, and channels that are no whole vectors, speak against it.
TEST(ChooseLayouts, isLeftWhereItDoesNotPay)
{
    const auto stays = [](const std::string &program) { return !chosen(program).graph.has_value(); };
    const std::string weights = "param a: f32[32, 16, 1, 1]\nparam d: f32[16, 32, 1, 1]\nparam c: f32[16, 1, 3, 3]\n";
    const std::string x = "input x: f32[1, 16, 12, 10]\n" + weights;
    EXPECT_TRUE(stays(x + "output conv2d(x, a)\n")) << "the image is from outside, the result an output";
    EXPECT_FALSE(stays(x + "output conv2d(relu(conv2d(x, a)), d)\n"));
    EXPECT_TRUE(stays(x + "h = relu(conv2d(x, a))\noutput conv2d(h, d)\noutput h\n")) << "the image is an output, too";
    EXPECT_TRUE(stays("input x: f32[1, 16, 12, 10]\nparam a: f32[12, 16, 1, 1]\nparam d: f32[16, 12, 1, 1]\n"
                      "output conv2d(relu(conv2d(x, a)), d)\n"))
        << "12 channels are one vector and a half";
    EXPECT_TRUE(stays(
        x + "g = pad(relu(conv2d(x, a)), [[0, 0], [0, 4], [0, 0], [0, 0]])\nparam e: f32[16, 36, 1, 1]\noutput conv2d(g, e)\n"))
        << "32 channels are whole vectors, and 36 are not";
    EXPECT_TRUE(stays(x + "output conv2d(conv2d(x, c, padding = 1, groups = 16), a)\n"))
        << "a convolution by channel would read x across the memory";
    EXPECT_TRUE(
        stays(x + "h = relu(conv2d(x, a))\ng = cat([h, h * 2], axis = 1)\nparam e: f32[16, 64, 1, 1]\noutput conv2d(g, e)\n"))
        << "parts of pixels would be copied";
    EXPECT_FALSE(stays(x + "h = relu(conv2d(x, a))\ng = cat([h, h * 2], axis = 2)\noutput conv2d(g, d)\n"));
    EXPECT_TRUE(stays("input x: i32[1, 16, 12, 10]\nparam a: i32[32, 16, 1, 1]\nparam d: i32[16, 32, 1, 1]\n"
                      "output conv2d(relu(conv2d(x, a)), d)\n"))
        << "nothing was measured of integers";
}

// All pixels of a channel together, and the channels last, are as good either way.
TEST(ChooseLayouts, doesNotChargeForReadersThatDoAsWell)
{
    const std::string x =
        "input x: f32[1, 16, 12, 10]\nparam a: f32[32, 16, 1, 1]\nparam d: f32[16, 32, 1, 1]\nh = relu(conv2d(x, a))\n"
        "output conv2d(h, d)\n";
    EXPECT_TRUE(chosen(x + "output sum(h, axis = [2, 3])\n").graph);
    EXPECT_TRUE(chosen(x + "output h.transpose([0, 2, 3, 1]) * 2\n").graph);
    EXPECT_FALSE(chosen(x + "output sum(h, axis = [1, 3])\n").graph);
    EXPECT_FALSE(chosen(x + "output windows2d(h, [3, 3]) * 2\n").graph) << "windows of no reduction, which none has priced";
    EXPECT_FALSE(chosen(x + "output h.transpose([0, 3, 2, 1]) * 2\n").graph);
}

// How many nodes compute something.
std::ptrdiff_t operationsOf(const Graph &graph)
{
    PassRun cleaning;
    const Result<std::optional<Graph>> clean = removeDead(graph, cleaning.context);
    return std::ranges::count_if((*clean ? **clean : graph).nodes(), [](const Node &node) {
        return familyOf(node.kind) == NodeFamily::Elementwise || node.kind == NodeKind::ReduceAxis;
    });
}

// What others read, too, is read across its memory.
TEST(ChooseLayouts, computesNothingTwice)
{
    std::string program = "input x: f32[1, 16, 12, 10]\nparam a: f32[16, 16, 1, 1]\nz = relu(x.reshape([16, 120]))\n"
                          "h = z.reshape([1, 16, 12, 10]) + conv2d(x, a)\noutput z\n";
    for (int i = 0; i < 6; ++i)
        program += format("output conv2d(h, a) * {}\n", i + 2);
    const Graph before = simplified(program);
    const Chosen after = chosen(before);
    ASSERT_TRUE(after.graph);
    EXPECT_EQ(operationsOf(*after.graph), operationsOf(before)) << linesOf(*after.graph);
}

void expectSameValues(const Graph &before, const Graph &after, std::uint64_t seed, const std::string &program)
{
    const std::vector<HostTensor> inputs = inputsOf(before, seed);
    ASSERT_EQ(inputsOf(after, seed).size(), inputs.size()) << program;
    const auto expected = interpretGraph(before, inputs);
    const auto actual = interpretGraph(after, inputs);
    ASSERT_TRUE(expected && actual) << program;
    for (std::size_t output = 0; output < expected->size(); ++output) {
        const HostTensor &want = (*expected)[output];
        const HostTensor &got = (*actual)[output];
        ASSERT_EQ(got.shape(), want.shape()) << program;
        ASSERT_TRUE(std::ranges::equal(got.bytes(), want.bytes())) << program << linesOf(after);
    }
}

// Signals and volumes.
TEST(ChooseLayouts, isDoneForAnyNumberOfSpaceAxes)
{
    for (const char *program :
         {"input x: f32[2, 16, 40]\n"
          "param a: f32[32, 16, 1]\n"
          "param c: f32[32, 1, 3]\n"
          "param d: f32[16, 32, 1]\n"
          "def conv(x, w, groups, padding):\n"
          "    p = pad(x, [[0, 0], [0, 0], [padding, padding]])\n"
          "    n, ch, l = p.shape\n"
          "    o, depth, k = w.shape\n"
          "    m = l - k + 1\n"
          "    v = view(p, [n, groups, 1, m, depth, k], [ch * l, depth * l, 0, 1, l, 1])\n"
          "    return sum(v * w.reshape([1, groups, o // groups, 1, depth, k]), axis = [-2, -1]).reshape([n, o, m])\n"
          "h = relu(conv(x, a, 1, 0))\n"
          "g = relu(conv(h, c, 32, 1))\n"
          "output conv(g, d, 1, 0)\n",
          "input x: f32[1, 16, 5, 6, 7]\n"
          "param a: f32[32, 16, 1, 1, 1]\n"
          "param c: f32[32, 1, 3, 3, 3]\n"
          "param d: f32[16, 32, 1, 1, 1]\n"
          "def conv(x, w, groups, padding):\n"
          "    p = pad(x, [[0, 0], [0, 0], [padding, padding], [padding, padding], [padding, padding]])\n"
          "    n, ch, z, y, l = p.shape\n"
          "    o, depth, kz, ky, k = w.shape\n"
          "    v = view(p, [n, groups, 1, z - kz + 1, y - ky + 1, l - k + 1, depth, kz, ky, k], [ch * z * y * l, depth * z * y * "
          "l, 0, y * l, l, 1, z * y * l, y * l, l, 1])\n"
          "    return sum(v * w.reshape([1, groups, o // groups, 1, 1, 1, depth, kz, ky, k]), axis = [-4, -3, -2, "
          "-1]).reshape([n, o, z - kz + 1, y - ky + 1, l - k + 1])\n"
          "h = relu(conv(x, a, 1, 0))\n"
          "g = relu(conv(h, c, 32, 1))\n"
          "output conv(g, d, 1, 0)\n"}) {
        const Graph before = simplified(program);
        const Chosen after = chosen(before);
        ASSERT_TRUE(after.graph) << program;
        expectSameValues(before, *after.graph, 5, program);
    }
}

// An order changes no value: sums go over the same elements in the same order.
TEST(ChooseLayouts, givesTheSameValues)
{
    int changed = 0;
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::string program = test::randomNetwork(seed);
        const Graph before = simplified(program);
        const Chosen after = chosen(before);
        if (!after.graph)
            continue;
        ++changed;
        EXPECT_EQ(operationsOf(*after.graph), operationsOf(before)) << program << linesOf(*after.graph);
        expectSameValues(before, *after.graph, seed, program);
    }
    EXPECT_GT(changed, 100);
}

} // namespace
} // namespace sw
