// No pass takes more than n log n: of programs of n, 2n and 4n values, what a pass allocates and how often it rewrites grows with
// the program, and a failure names the pass. Memory is counted and no time is measured, so the numbers are the same in each run.
//
// A copy of the program for each rewrite is seen, and so is a list that each value has of all others. What takes no memory is
// not: a scan of all nodes for each node, or a table that finds everything in one place, takes time alone, which
// stepwell_pass_benchmark tells. Where n values become one, its origin is a list of n places, and each of the kernels that
// compute it has one, so that the lowered text of such a program is left out.

#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/unit/allocations/counted_allocations.h"
#include "tests/unit/allocations/grown_programs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {
namespace {

using test::Allocations;
using test::allocationsSoFar;

// What one pass took.
struct PassCost {
    std::string_view pass;
    Allocations made;    // by the pass
    Allocations checked; // by the verifier of what it made
    std::uint64_t rewrites = 0;
};

// A doubled program may have so much more of it: 2.2 times is n log n at a thousand values, and what is left is for lists and
// tables that grow by doubling. `start` more are what does not depend on the size: threads begin to share kernels at some number.
constexpr double kMostGrowth = 2.6;
struct Quantity {
    std::string_view name;
    std::uint64_t (*of)(const PassCost &);
    std::uint64_t start = 0;
};

constexpr std::array kQuantities{
    Quantity{"allocations", [](const PassCost &cost) { return cost.made.calls; }, 1000},
    Quantity{"allocated bytes", [](const PassCost &cost) { return cost.made.bytes; }, 100'000},
    Quantity{"allocations of the verifier", [](const PassCost &cost) { return cost.checked.calls; }, 1000},
    Quantity{"allocated bytes of the verifier", [](const PassCost &cost) { return cost.checked.bytes; }, 100'000},
    Quantity{"rewrites", [](const PassCost &cost) { return cost.rewrites; }, 50},
};

CompileTarget plainTarget()
{
    CompileTarget target;
    target.device.id = "c";
    target.device.backend = "c";
    target.device.threads = 2;
    target.device.vectorBytes = 32;
    return target;
}

std::vector<PassCost> costsOf(std::span<const PassInfo> passes, const GraphPtr &graph)
{
    const CompileTarget target = plainTarget();
    std::vector<PassCost> costs;
    Stage stage = graph;
    for (const PassInfo &pass : passes) {
        PassContext context(target.device, target.language, target.options, {}, kNoRewriteLimit, {}, kNoRewrites);
        const Allocations begin = allocationsSoFar();
        const Result<Stage> made = pass.run(stage, context);
        const Allocations end = allocationsSoFar();
        EXPECT_TRUE(made) << pass.id << ": " << toText(made.error());
        if (!made)
            return costs;
        const auto valid = verifyStage(*made); // also where the pass has changed nothing, so that sizes are alike
        EXPECT_TRUE(valid) << pass.id << ": " << toText(valid.error());
        costs.push_back({pass.id, end - begin, allocationsSoFar() - end, context.rewrites().size()});
        stage = *made;
    }
    return costs;
}

// A line for each quantity of a pass that grows too fast.
std::vector<std::string> tooFast(std::span<const PassInfo> passes, std::string (*text)(std::size_t), std::size_t size)
{
    std::vector<std::string> found;
    std::vector<PassCost> before = costsOf(passes, test::graphOf(text(size)));
    for (const std::size_t larger : {2 * size, 4 * size}) {
        std::vector<PassCost> after = costsOf(passes, test::graphOf(text(larger)));
        for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i)
            for (const Quantity &quantity : kQuantities) {
                const std::uint64_t small = quantity.of(before[i]);
                const std::uint64_t large = quantity.of(after[i]);
                if (static_cast<double>(large) > kMostGrowth * static_cast<double>(small) + static_cast<double>(quantity.start))
                    found.push_back(format("{}: {} grow from {} at size {} to {} at size {}", before[i].pass, quantity.name,
                                           small, larger / 2, large, larger));
            }
        before = std::move(after);
    }
    return found;
}

std::string tooFast(std::string (*text)(std::size_t), std::size_t size)
{
    return join(tooFast(standardPipeline(), text, size), "\n");
}

TEST(PassGrowth, withTheMembersOfOneKernel)
{
    EXPECT_EQ(tooFast(test::chainText, 450), ""); // a kernel has at most 2000
}

TEST(PassGrowth, withALongChainOfKernels)
{
    EXPECT_EQ(tooFast(test::chainText, 4500), "");
}

TEST(PassGrowth, withIndependentSums)
{
    EXPECT_EQ(tooFast(test::sumsText, 500), "");
}

TEST(PassGrowth, withTheReadersOfAValue)
{
    EXPECT_EQ(tooFast(test::readersText, 700), "");
}

TEST(PassGrowth, withEqualValues)
{
    const std::span<const PassInfo> all = standardPipeline();
    const auto lowering = std::ranges::find(all, "lower-loops", &PassInfo::id);
    ASSERT_NE(lowering, all.end());
    EXPECT_EQ(join(tooFast({all.begin(), lowering}, test::equalText, 500), "\n"), "");
}

TEST(PassGrowth, withLayers)
{
    EXPECT_EQ(tooFast(test::layersText, 250), "");
}

TEST(PassGrowth, withViewsOfViews)
{
    EXPECT_EQ(tooFast(test::viewsText, 1000), "");
}

TEST(PassGrowth, withViewsThatMixTheirAxes)
{
    EXPECT_EQ(tooFast(test::mixedViewsText, 100), "");
}

// ---- passes that the tests above would find

Result<std::optional<Graph>> copyForEachNode(const Graph &graph, PassContext &)
{
    std::size_t copied = 0;
    for (std::size_t i = 0; i < graph.size(); ++i)
        copied += std::vector<Node>(graph.nodes().begin(), graph.nodes().end()).size();
    EXPECT_EQ(copied, graph.size() * graph.size());
    return std::optional<Graph>();
}

Result<std::optional<Graph>> rewritePairs(const Graph &graph, PassContext &context)
{
    for (std::size_t i = 0; i < graph.size() * graph.size(); ++i)
        context.record("pair", [] { return RewriteDetail{"a pair"}; });
    return std::optional<Graph>();
}

constexpr std::array kSquarePasses{
    makePass<copyForEachNode>("copy-for-each-node", "Copy for each node", "For tests."),
    makePass<rewritePairs>("rewrite-pairs", "Rewrite pairs", "For tests."),
};

TEST(PassGrowth, isFoundWhereItIsSquare)
{
    const std::vector<std::string> found = tooFast(kSquarePasses, test::chainText, 100);
    const auto isFound = [&](std::string_view start) {
        return std::ranges::count_if(found, [&](const std::string &line) { return line.starts_with(start); }) == 2;
    };
    EXPECT_TRUE(isFound("copy-for-each-node: allocated bytes grow")) << join(found, "\n");
    EXPECT_TRUE(isFound("rewrite-pairs: rewrites grow")) << join(found, "\n");
    EXPECT_FALSE(isFound("copy-for-each-node: rewrites grow")) << join(found, "\n");
}

} // namespace
} // namespace sw
