// Graphs compiled once for dimensions that are known only at run time: every size gives what a graph of that size gives.

#include "engine/backend/native_backends.h"
#include "engine/execute/executor.h"
#include "engine/graph/dimension_nodes.h"
#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/structure.h"
#include "engine/graph/verify.h"
#include "engine/pipeline/pipeline.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/random_symbolic.h"

#include <gtest/gtest.h>

#include <tuple>

namespace sw {
namespace {

constexpr std::uint64_t kRuns = 4; // the least sizes, the largest, and two between them

// Of the run on the device; empty: none.
std::string faultOf(DeviceUnderTest &device, const LoweredProgramPtr &program, const SymbolicGraph &made)
{
    auto fixed = bindDimensions(made.graph, made.bindings);
    if (!fixed)
        return toText(fixed.error());
    if (const auto verified = verifyGraph(*fixed); !verified)
        return toText(verified.error());
    const auto outputs = device.runProgram(program, made.inputs);
    if (!outputs)
        return toText(outputs.error());
    return faultOf(RandomGraph{std::move(*fixed), made.inputs}, *outputs);
}

class SymbolicFuzz : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {
protected:
    SymbolicFuzz() { addNativeBackends(m_registry); }

    BackendRegistry m_registry;
};

TEST_P(SymbolicFuzz, everySizeGivesWhatAGraphOfThatSizeGives)
{
    const auto &[id, graphs] = GetParam();
    auto device = DeviceUnderTest::open(m_registry, id);
    if (!device)
        GTEST_SKIP() << toText(device.error());
    std::size_t symbolic = 0;
    for (std::uint64_t seed = 0; seed < graphs; ++seed) {
        CompileOptions options;
        options.fuse = seed % 5 != 4;
        options.optimize = seed % 3 != 2;
        const Graph graph = randomSymbolicGraph(seed, 0).graph;
        for (const NodeId output : graph.outputs())
            symbolic += graph.node(output).shape.isSymbolic() ? 1 : 0;
        const PipelineRun lowered =
            runPipeline(std::make_shared<const Graph>(graph), standardPipeline(), device->target(options), {});
        ASSERT_TRUE(lowered.succeeded) << "seed " << seed << "\n" << toText(lowered.diagnostics) << printGraph(graph).text;
        for (std::uint64_t run = 0; run < kRuns; ++run) {
            const SymbolicGraph made = randomSymbolicGraph(seed, run);
            const std::string fault = faultOf(*device, std::get<LoweredProgramPtr>(lowered.last), made);
            ASSERT_EQ(fault, "") << "seed " << seed << " run " << run << "\n" << printGraph(graph).text;
        }
    }
    EXPECT_GT(symbolic, graphs);
}

INSTANTIATE_TEST_SUITE_P(All, SymbolicFuzz,
                         testing::Values(std::tuple{"interpreter", 400}, std::tuple{"llvm", 400}, std::tuple{"c", 30},
                                         std::tuple{"opencl", 12}),
                         [](const auto &test) { return std::get<0>(test.param); });

TEST(SymbolicText, parsesBack)
{
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Graph graph = randomSymbolicGraph(seed, 0).graph;
        const std::string text = printGraph(graph).text;
        const auto parsed = parseGraph(text, "random.graph");
        ASSERT_TRUE(parsed) << toText(parsed.error()) << text;
        EXPECT_TRUE(isSameStructure(*parsed, graph)) << text;
        EXPECT_EQ(printGraph(*parsed).text, text);
    }
}

} // namespace
} // namespace sw
