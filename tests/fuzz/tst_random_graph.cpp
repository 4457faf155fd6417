#include "engine/graph/interpreter.h"
#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/structure.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/fuzz/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sw {
namespace {

constexpr std::uint64_t kGraphs = 2000;

RandomGraph graphOfSeed(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.specialValues = seed % 2 == 1;
    options.indexFaults = seed % 4 == 2;
    return randomGraph(options);
}

TEST(RandomGraph, isTheSameForTheSameSeed)
{
    for (std::uint64_t seed = 0; seed < 20; ++seed)
        EXPECT_EQ(printGraph(graphOfSeed(seed).graph).text, printGraph(graphOfSeed(seed).graph).text);
    EXPECT_NE(printGraph(graphOfSeed(1).graph).text, printGraph(graphOfSeed(2).graph).text);
}

TEST(RandomGraph, drawsEveryKindOperationAndType)
{
    std::set<NodeKind> kinds;
    std::set<Op> ops;
    std::set<DType> dtypes;
    std::set<std::size_t> ranks;
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        for (const Node &node : random.graph.nodes()) {
            kinds.insert(node.kind);
            dtypes.insert(node.dtype);
            ranks.insert(node.shape.rank());
            if (carriesOp(node.kind))
                ops.insert(node.op);
        }
    }
    // All but gradient and custom, and the dimensions, which random_symbolic.h draws.
    EXPECT_EQ(kinds.size(), allNodeKinds().size() - 4);
    EXPECT_EQ(ops.size(), allOps().size());
    EXPECT_EQ(dtypes.size(), scalarDTypes().size() + 1); // and u32x4
    for (std::size_t rank = 0; rank <= 4; ++rank)
        EXPECT_TRUE(ranks.contains(rank)) << rank;
}

// Patterns are there for what the compiler does with them: some of these values are joined without a copy.
TEST(RandomGraph, drawsWhatIsJoined)
{
    std::ptrdiff_t joins = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        RandomGraphOptions options;
        options.seed = seed;
        options.steps = 12;
        options.patternPercent = 40;
        CompileTarget target;
        target.device.id = "test";
        const auto graph = std::make_shared<const Graph>(randomGraph(options).graph);
        const PipelineRun run = runPipeline(graph, standardPipeline(), target, {});
        ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
        const SchedulePtr schedule = std::get<LoweredProgramPtr>(run.last)->schedule;
        joins += std::ranges::count_if(schedule->items,
                                       [](const ScheduleItem &item) { return std::holds_alternative<Join>(item.work); });
    }
    EXPECT_GE(joins, 5);
}

TEST(RandomGraph, respectsTheRestrictions)
{
    RandomGraphOptions options;
    options.kinds = {NodeKind::Binary, NodeKind::ReduceAxis};
    options.ops = {Op::Add, Op::Max};
    options.dtypes = {DType::F32};
    for (options.seed = 0; options.seed < 50; ++options.seed) {
        const RandomGraph random = randomGraph(options);
        for (const Node &node : random.graph.nodes()) {
            EXPECT_EQ(node.dtype, DType::F32);
            EXPECT_TRUE(!carriesOp(node.kind) || node.op == Op::Add || node.op == Op::Max);
        }
    }
}

TEST(RandomGraph, survivesPrintingAndParsing)
{
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const std::string text = printGraph(random.graph).text;
        const auto parsed = parseGraph(text, "random.graph");
        ASSERT_TRUE(parsed) << "seed " << seed << "\n" << toText(parsed.error()) << text;
        ASSERT_TRUE(isSameStructure(random.graph, *parsed)) << "seed " << seed << "\n" << text;
        ASSERT_EQ(printGraph(*parsed).text, text) << "seed " << seed;
    }
}

TEST(RandomGraph, isInterpreted)
{
    std::int64_t faults = 0;
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        InterpretOptions options;
        options.onValue = [&random](NodeId id, const HostTensor &value) {
            const Node &node = random.graph.node(id);
            ASSERT_EQ(typeText(value.dtype(), value.shape()), typeText(node.dtype, node.shape));
        };
        options.onFault = [&faults](const NodeIndexFault &fault) { faults += fault.count; };
        const auto outputs = interpretGraph(random.graph, random.inputs, options);
        ASSERT_TRUE(outputs) << "seed " << seed << "\n" << toText(outputs.error());
    }
    EXPECT_GT(faults, 0);
}

} // namespace
} // namespace sw
