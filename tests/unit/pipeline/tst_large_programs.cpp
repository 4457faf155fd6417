// Programs that are large in one direction: no walk over them goes deeper than the stack is.

#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/growing_graphs.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

using test::GrowingGraph;

PipelineRun compiled(Graph graph, std::string_view last)
{
    CompileTarget target;
    target.device.id = "c";
    target.device.backend = "c";
    target.device.vectorBytes = 16;
    const std::span<const PassInfo> all = standardPipeline();
    std::size_t count = 0;
    while (count < all.size() && all[count].id != last)
        ++count;
    return runPipeline(std::make_shared<const Graph>(std::move(graph)), all.first(count + 1), target, {});
}

TEST(LargePrograms, mayBeLongChains)
{
    const PipelineRun run = compiled(GrowingGraph::chain(40'000), "remove-dead-instructions");
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    EXPECT_GE(std::get<LoweredProgramPtr>(run.last)->kernels.size(), 20U);
}

TEST(LargePrograms, mayBeChainsOfViews)
{
    const PipelineRun run = compiled(GrowingGraph::views(20'000), "remove-dead-instructions");
    EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
}

TEST(LargePrograms, mayJoinManyInputs)
{
    const PipelineRun run = compiled(GrowingGraph::cat(40'000), "remove-dead-instructions");
    ASSERT_TRUE(run.succeeded) << toText(run.diagnostics);
    for (const LoweredKernel &kernel : std::get<LoweredProgramPtr>(run.last)->kernels)
        ASSERT_LE(kernel.arguments.size(), 31U) << kernel.name;
}

TEST(LargePrograms, haveTextsThatAreReadBack)
{
    const Graph graph = GrowingGraph::chain(500'000);
    const std::string text = printGraph(graph).text;
    const auto parsed = parseGraph(text, "chain.graph");
    ASSERT_TRUE(parsed) << toText(parsed.error());
    EXPECT_EQ(parsed->size(), graph.size());
    EXPECT_EQ(printGraph(*parsed).text, text);
}

// Texts that nest very deep, each in its own way.
TEST(LargePrograms, mayNotNestWithoutEnd)
{
    const std::string deep(500'000, '(');
    std::string functions;
    for (int i = 0; i < 100'000; ++i)
        functions += "min(n, ";
    std::string scopes = "a";
    for (int i = 0; i < 250'000; ++i)
        scopes += "/a";
    const std::string start = "stepwell graph 1\n%0 = define_var {name = \"n\", low = 1, high = 9} : i64[]\n";
    for (const std::string &line :
         {"%1 = placeholder {name = \"x\", role = input} : f32[" + deep + "n]",
          "%1 = placeholder {name = \"x\", role = input} : f32[" + std::string(500'000, '-') + "n]",
          "%1 = placeholder {name = \"x\", role = input} : f32[" + functions + "1]",
          "%1 = placeholder {name = \"x\", role = input} : f32[2] @\"" + scopes + "\"",
          "%1 = shrink %0 {begin = [" + deep + "], end = []} : f32[2]", "%1 = vconst {value = " + deep + "} : f32[2]"})
        EXPECT_FALSE(parseGraph(start + line + "\nsink %1 {names = [\"output\"]}\n", "deep.graph")) << line.substr(0, 60);
}

TEST(LargePrograms, mayNotGrowExtentsWithoutEnd)
{
    SymbolicExpr extent(SymbolicVariable{"n", 1, 1'000'000});
    std::size_t steps = 0;
    for (; steps < 500'000; ++steps) {
        const auto half = divide(extent, SymbolicExpr(std::int64_t{2}));
        const auto next = half ? add(*half, SymbolicExpr(std::int64_t{7})) : half;
        const auto smaller = next ? minimum(*next, extent) : next;
        if (!smaller) {
            EXPECT_NE(toText(smaller.error()).find("parts"), std::string::npos);
            break;
        }
        extent = *smaller;
    }
    EXPECT_LT(steps, 500'000U);
}

} // namespace
} // namespace sw
