// Networks whose images are pixel by pixel in memory, on every kind of device: their values are those of the reference, also
// where weights are not finite.

#include "engine/graph/printer.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"
#include "tests/golden/kernel_stages.h"
#include "tests/support/random_network.h"

#include <gtest/gtest.h>

#include <limits>

namespace sw::test {
namespace {

class Layouts : public KernelsOnProcessors {
protected:
    // The text of the graph that kernels are made of.
    std::string graphOf(const std::string &program, CompileOptions options = {})
    {
        CompileRequest request = requestFor(program, GetParam());
        request.options = std::move(options);
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, request);
        return made.succeeded ? printGraph(*made.graph).text : "";
    }
};

std::string blockOf(std::string_view middle, int stride)
{
    return format("input x: f32[2, 16, 14, 13]\nparam a: f32[32, 16, 1, 1]\n{}\nparam d: f32[16, 32, 1, 1]\n"
                  "h = relu(conv2d(x, a))\ng = conv2d(h, c, stride = {}, padding = 1, groups = 32)\n"
                  "output conv2d(minimum(g, 6), d)\n",
                  middle, stride);
}

TEST_P(Layouts, ofABlockGiveItsValues)
{
    for (const int stride : {1, 2}) {
        const std::string block = blockOf("param c: f32[32, 1, 3, 3]", stride);
        EXPECT_NE(graphOf(block).find(": f32[2, 14, 13, 32]"), std::string::npos);
        EXPECT_EQ(graphOf(block, {.layouts = false}).find(": f32[2, 14, 13, 32]"), std::string::npos);
    }
}

// A zero of the border times a weight that is not finite is NaN, whether the weight is known before or not.
TEST_P(Layouts, keepWhatIsNotFinite)
{
    for (const char *special : {"inf", "nan", "1"}) {
        const std::string corner = format("pad(full([32, 1, 1, 1], {}), [[0, 0], [0, 0], [0, 2], [0, 2]])", special);
        EXPECT_NE(graphOf(blockOf(format("param r: f32[32, 1, 3, 3]\nc = r + {}", corner), 1)), "") << special;
        EXPECT_NE(graphOf(blockOf(format("c = {}", corner), 1)), "") << special;
        EXPECT_NE(graphOf(blockOf(format("c = contiguous({}).reshape([32, 1, 3, 3])", corner), 2)), "") << special;
    }
}

// Two kernels that differ in that alone are two, also with loops in which no step is written out.
TEST_P(Layouts, keepWhatIsNotFiniteBesideWhatIs)
{
    constexpr std::string_view kLoops = "split i3 8; set_type i3.i vector";
    const std::string overrides = format("stepwell overrides 1\nloops f: {}\nloops g: {}\n", kLoops, kLoops);
    HostTensor weights = randomTensor(DType::F32, Shape({32, 1, 3, 3}), 1);
    const std::string finite = testing::TempDir() + "layouts_finite.npy";
    ASSERT_TRUE(writeNpyFile(finite, weights));
    weights.set(0, Scalar::of(DType::F32, std::numeric_limits<double>::infinity()));
    const std::string infinite = testing::TempDir() + "layouts_infinite.npy";
    ASSERT_TRUE(writeNpyFile(infinite, weights));
    const std::string program =
        format("input x: f32[2, 16, 14, 13]\nparam a: f32[32, 16, 1, 1]\nparam d: f32[16, 32, 1, 1]\nh = relu(conv2d(x, a))\n"
               "const c: f32[32, 1, 3, 3] = load(\"{}\")\nconst e: f32[32, 1, 3, 3] = load(\"{}\")\n"
               "f = relu(conv2d(h, c, padding = 1, groups = 32))\ng = relu(conv2d(h, e, padding = 1, groups = 32))\n"
               "output conv2d(f, d)\noutput conv2d(g, d)\n",
               finite, infinite);
    EXPECT_NE(graphOf(program, {.overrides = parseOverrides(overrides, "test").value()}), "");
}

// Steps in padding are left out where weights are known to be finite, unless sums are to keep their steps.
TEST_P(Layouts, leaveOutWhatAddsNothing)
{
    const auto elsewhere = [&](bool isStrict) {
        CompileRequest request = requestFor(blockOf("c = contiguous(full([32, 1, 3, 3], 2))", 1), GetParam());
        request.options.strict = isStrict;
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, request);
        std::ptrdiff_t count = 0;
        for (const LoweredKernel &kernel : made.lowered->kernels)
            count += std::ranges::count_if(kernel.instructions, [](const Instruction &one) {
                return one.kind == InstructionKind::Alu && one.op == Op::Cmpeq && one.dtype == DType::Bool;
            });
        return count;
    };
    EXPECT_EQ(elsewhere(false), 0);
    EXPECT_GT(elsewhere(true), 0);
}

TEST_P(Layouts, ofRandomNetworksGiveTheirValues)
{
    int changed = 0;
    for (std::uint64_t seed = 1000; seed < 1030; ++seed) {
        const std::string program = randomNetwork(seed);
        const std::string graph = graphOf(program);
        EXPECT_NE(graph, "") << program;
        changed += graph.find("{axes = [0, 3, 1, 2]}") != std::string::npos ? 1 : 0;
    }
    EXPECT_GT(changed, 8);
}

INSTANTIATE_TEST_SUITE_P(Devices, Layouts, testing::Values("llvm", "c"),
                         [](const auto &test) { return std::string(test.param); });

} // namespace
} // namespace sw::test
