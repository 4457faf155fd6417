// Whether a fault that is put into a pass is found again: in a small graph, and by the name of the pass.

#include "engine/backend/native_backends.h"
#include "engine/passes/pass.h"
#include "engine/pipeline/pipeline.h"
#include "tests/fuzz/minimise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace sw {
namespace {

// Takes the larger of two for the smaller.
Result<std::optional<Graph>> confuse(const Graph &graph, PassContext &)
{
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    for (Node &node : nodes)
        if (node.kind == NodeKind::Binary && node.op == Op::Max)
            node.op = Op::Min;
    return std::optional(Graph(std::move(nodes), graph.sourcesPtr()));
}

std::vector<PassInfo> confusedPipeline()
{
    const auto standard = standardPipeline();
    std::vector<PassInfo> passes(standard.begin(), standard.end());
    const auto at = std::ranges::find(passes, "simplify", &PassInfo::id);
    passes.insert(at, makePass<confuse>("confuse", "Confuse", "Wrong."));
    return passes;
}

RandomGraph graphOf(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 20;
    options.dtypes = {DType::F32, DType::I32};
    options.ops = {Op::Add, Op::Max, Op::Mul, Op::Sub};
    options.kinds = {NodeKind::Binary, NodeKind::Reshape, NodeKind::Permute,
                     NodeKind::Expand, NodeKind::Pad,     NodeKind::Contiguous};
    options.maxElements = 64;
    return randomGraph(options);
}

TEST(Minimise, findsASmallGraphAndThePass)
{
    const std::vector<PassInfo> passes = confusedPipeline();
    const CompileTarget target;
    const auto faultOf = [&](const RandomGraph &random) { return firstDifferingPass(random, passes, target); };
    std::size_t found = 0;
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RandomGraph random = graphOf(seed);
        if (!faultOf(random).starts_with("confuse: "))
            continue;
        ++found;
        const RandomGraph small =
            minimised(random, [&](const RandomGraph &tried) { return faultOf(tried).starts_with("confuse: "); });
        EXPECT_TRUE(faultOf(small).starts_with("confuse: ")) << "seed " << seed;
        // Two inputs, the operation and the sink.
        EXPECT_LE(small.graph.size(), 4U) << "seed " << seed;
        EXPECT_TRUE(std::ranges::any_of(small.graph.nodes(), [](const Node &node) { return node.op == Op::Max; }));
    }
    EXPECT_GT(found, 5U);
}

TEST(Minimise, leavesWhatDoesNotFail)
{
    const RandomGraph random = graphOf(1);
    const RandomGraph same = minimised(random, [](const RandomGraph &) { return false; });
    EXPECT_EQ(same.graph.size(), random.graph.size());
    EXPECT_EQ(firstDifferingPass(random, standardPipeline(), CompileTarget{}), "");
}

} // namespace
} // namespace sw
