// The texts of graphs and lowered programs, as every pass leaves them: what is read back prints the same, and gives what the
// graph gives.

#include "engine/api/front_end.h"
#include "engine/api/stage_text.h"
#include "engine/backend/native_backends.h"
#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/structure.h"
#include "engine/pipeline/pipeline.h"
#include "tests/fuzz/device_under_test.h"
#include "tests/fuzz/random_symbolic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace sw {
namespace {

constexpr std::uint64_t kPrinted = 120;

RandomGraph graphOfSeed(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 8 + seed % 9;
    options.patternPercent = seed % 3 == 0 ? 50 : 0;
    return randomGraph(options);
}

CompileTarget plainTarget()
{
    CompileTarget target;
    target.device.id = "any";
    target.device.backend = "c";
    target.device.vectorBytes = 16;
    return target;
}

void expectTextIsWhole(const Graph &graph, const std::string &where)
{
    const std::string text = printGraph(graph).text;
    const auto parsed = parseGraph(text, "random.graph");
    ASSERT_TRUE(parsed) << where << "\n" << toText(parsed.error()) << text;
    ASSERT_TRUE(isSameStructure(graph, *parsed)) << where << "\n" << text;
    ASSERT_EQ(printGraph(*parsed).text, text) << where;
}

TEST(GraphTexts, printTheSameAfterEveryPass)
{
    const CompileTarget target = plainTarget();
    for (std::uint64_t seed = 0; seed < kPrinted; ++seed) {
        const bool isSymbolic = seed % 4 == 3;
        const Graph graph = isSymbolic ? randomSymbolicGraph(seed, 0).graph : graphOfSeed(seed).graph;
        const PipelineRun run = runPipeline(std::make_shared<const Graph>(graph), standardPipeline(), target, {});
        ASSERT_TRUE(run.succeeded) << "seed " << seed << toText(run.diagnostics);
        for (const PassStep &step : run.steps)
            if (const auto *after = std::get_if<GraphPtr>(&step.after); after != nullptr && step.changed)
                expectTextIsWhole(**after, format("seed {} after {}", seed, step.pass->id));
    }
}

class RunFromTexts : public testing::TestWithParam<std::tuple<std::string, std::uint64_t>> {
protected:
    RunFromTexts() { addNativeBackends(m_registry); }

    // What the text gives on the device; empty: what the graph gives.
    std::string faultOfText(DeviceUnderTest &device, const RandomGraph &random, const Stage &stage)
    {
        const std::string name = std::holds_alternative<GraphPtr>(stage) ? "stage.graph" : "stage.lowered";
        ProgramInput input;
        input.fileName = name;
        input.text = stageText(stage);
        input.isText = true;
        const FrontEndResult opened = openProgram(input, {});
        // A text that fills buffers from elsewhere does not say when, and is refused.
        const bool isFilling =
            input.text.find("\nmove %") != std::string::npos || input.text.find("\nupload %") != std::string::npos;
        if (!opened.stage && isFilling) {
            EXPECT_EQ(opened.diagnostics.front().code, Code::Unsupported);
            ++m_refused;
            return {};
        }
        if (!opened.stage)
            return toText(opened.diagnostics) + input.text;
        const PipelineRun run = runPipeline(*opened.stage, standardPipeline(), device.target({}), {});
        if (!run.succeeded)
            return toText(run.diagnostics) + input.text;
        const auto program = std::get<LoweredProgramPtr>(run.last);
        const auto outputs = device.runProgram(program, inputsOf(*program->schedule->graph, random));
        if (!outputs)
            return toText(outputs.error()) + input.text;
        const std::string fault = faultOf(random, *outputs);
        return fault.empty() ? fault : fault + "\n" + input.text;
    }

    // By name: a text may list its inputs in another order.
    static std::vector<HostTensor> inputsOf(const Graph &read, const RandomGraph &random)
    {
        const auto nameIn = [](const Graph &graph, NodeId id) {
            return attributesOf<PlaceholderAttributes>(graph.node(id)).name;
        };
        std::map<std::string, HostTensor> values;
        for (std::size_t i = 0; i < random.inputs.size(); ++i)
            values.emplace(nameIn(random.graph, random.graph.placeholders()[i]), random.inputs[i]);
        std::vector<HostTensor> inputs;
        for (const NodeId id : read.placeholders())
            inputs.push_back(values.at(nameIn(read, id)));
        return inputs;
    }

    BackendRegistry m_registry;
    std::size_t m_refused = 0;
};

TEST_P(RunFromTexts, everyStageGivesWhatTheGraphGives)
{
    const auto &[id, graphs] = GetParam();
    auto device = DeviceUnderTest::open(m_registry, id);
    if (!device)
        GTEST_SKIP() << toText(device.error());
    std::size_t ran = 0;
    for (std::uint64_t seed = 1000; seed < 1000 + graphs; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const PipelineRun run =
            runPipeline(std::make_shared<const Graph>(random.graph), standardPipeline(), device->target({}), {});
        ASSERT_TRUE(run.succeeded) << "seed " << seed << toText(run.diagnostics);
        const bool hasKernels =
            std::ranges::any_of(random.graph.nodes(), [](const Node &node) { return node.kind == NodeKind::Kernel; });
        for (std::size_t i = 0; i < run.steps.size(); ++i) {
            const PassStep &step = run.steps[i];
            const StageLevel level = levelOf(step.after);
            const bool isLast = i + 1 == run.steps.size();
            if ((level != StageLevel::Graph && level != StageLevel::Lowered) || (!step.changed && !isLast))
                continue;
            // What kernel() asks for is refused where passes have left nothing of it, so those texts say so.
            if (level == StageLevel::Graph && hasKernels)
                continue;
            // One pass of each graph, another one for each seed; and the last.
            if (!isLast && (i + seed) % 4 != 0)
                continue;
            ++ran;
            ASSERT_EQ(faultOfText(*device, random, step.after), "") << "seed " << seed << " after " << step.pass->id;
        }
    }
    EXPECT_GT(ran, graphs + m_refused);
    EXPECT_LT(m_refused, graphs); // scans move, too; one text or two are of each graph
}

INSTANTIATE_TEST_SUITE_P(OnDevices, RunFromTexts,
                         testing::Values(std::tuple("interpreter", std::uint64_t{60}), std::tuple("llvm", std::uint64_t{20})),
                         [](const auto &test) { return std::get<0>(test.param); });

} // namespace
} // namespace sw
