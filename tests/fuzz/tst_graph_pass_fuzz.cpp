// The graph passes on random graphs: the result is valid, means the same, and comes from the same program.

#include "engine/accuracy/error_bounds.h"
#include "engine/accuracy/error_rules.h"
#include "engine/accuracy/first_difference.h"
#include "engine/graph/interpreter.h"
#include "engine/graph/printer.h"
#include "engine/graph/structure.h"
#include "engine/graph/verify.h"
#include "engine/pipeline/pipeline.h"
#include "engine/types/npy.h"
#include "tests/fuzz/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace sw {
namespace {

constexpr std::uint64_t kGraphs = 2000;

// Passes that the graphs of this file give nothing to do; tests of their own run them on random graphs: gradients, symbolic
// shapes, reductions of very many elements, in pairs and alone, convolutions, constants of many rows.
constexpr std::array<std::string_view, 8> kTestedElsewhere{"differentiate",    "pad-dimensions",   "tensor-convolutions",
                                                           "winograd",         "choose-layouts",   "split-pairs",
                                                           "split-reductions", "lay-out-constants"};

// Every pass of the pipeline from graphs to graphs, in its order.
std::vector<const PassInfo *> graphPasses()
{
    std::vector<const PassInfo *> passes;
    for (const PassInfo &pass : standardPipeline())
        if (pass.input == StageLevel::Graph && pass.output == StageLevel::Graph)
            passes.push_back(&pass);
    return passes;
}

// Nothing: the pass changed nothing.
Result<std::optional<Graph>> run(const PassInfo &pass, const Graph &graph, PassContext &context)
{
    const Stage before = std::make_shared<const Graph>(graph);
    SW_TRY(const Stage after, pass.run(before, context));
    if (after == before)
        return std::optional<Graph>();
    return std::optional<Graph>(*std::get<GraphPtr>(after));
}

RandomGraph graphOfSeed(std::uint64_t seed)
{
    RandomGraphOptions options;
    options.seed = seed;
    options.steps = 16;
    options.specialValues = seed % 3 != 0;
    options.devices = {std::string(kDefaultDevice), "alpha", "beta"};
    options.indexFaults = seed % 4 == 0;
    // Graphs of few types, operations and kinds, in which rules meet more often.
    if (seed % 4 == 1)
        options.dtypes = {DType::F32, DType::I32, DType::Bool};
    if (seed % 4 >= 2) {
        options.dtypes = {seed % 8 < 4 ? DType::F32 : DType::I8};
        options.ops = {Op::Add, Op::Sub, Op::Mul, Op::Div, Op::Max, Op::Min, Op::Pow, Op::Neg, Op::Where, Op::Cmple, Op::Abs};
        options.kinds = {NodeKind::ConstScalar, NodeKind::Unary,  NodeKind::Binary, NodeKind::Ternary, NodeKind::Reshape,
                         NodeKind::Permute,     NodeKind::Expand, NodeKind::Pad,    NodeKind::Shrink,  NodeKind::Flip,
                         NodeKind::ReduceAxis,  NodeKind::Copy,   NodeKind::Multi,  NodeKind::Multi,   NodeKind::Device};
    }
    if (seed % 16 == 5) {
        options.dtypes.clear();
        options.kinds = {NodeKind::Cast, NodeKind::Bitcast, NodeKind::View, NodeKind::Cat, NodeKind::Contiguous};
    }
    return randomGraph(options);
}

// Pow may be multiplied out, sums over shards and composite nodes are written out: those round. The rest is exact to the bit, but
// what may be anything may be anything here too.
HostTensor strictBounds(const HostTensor &bounds, bool mayRound)
{
    HostTensor out(DType::F64, bounds.shape());
    for (std::int64_t i = 0; i < bounds.elements(); ++i)
        if (mayRound || bounds.at(i).asDouble() == kAnything)
            out.set(i, bounds.at(i));
    return out;
}

TargetDevice deviceCalled(const char *name)
{
    TargetDevice made;
    made.device.id = name;
    return made;
}

struct Runner {
    explicit Runner(std::uint32_t budget = kNoRewriteLimit)
        : others{deviceCalled("alpha"), deviceCalled("beta")}, context(device, TargetLanguage::C, options, {}, budget, others)
    {
    }

    DeviceInfo device;
    std::vector<TargetDevice> others;
    CompileOptions options;
    PassContext context;
};

// Tensors of u32x4 that split-words has taken apart are u32 with a last axis of 4: the same bytes.
std::vector<HostTensor> inputsOf(const RandomGraph &random, const Graph &after)
{
    std::vector<HostTensor> inputs = random.inputs;
    const std::vector<NodeId> placeholders = after.placeholders();
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (after.node(placeholders[i]).dtype != inputs[i].dtype())
            inputs[i] = toRawBits(inputs[i]);
    return inputs;
}

// What is wrong with the graph after the pass; empty when nothing is.
std::string faultOf(const RandomGraph &random, const BoundedOutputs &expected, const Graph &after)
{
    if (const auto verified = verifyGraph(after); !verified)
        return toText(verified.error());
    const auto outputs = interpretGraph(after, inputsOf(random, after));
    if (!outputs)
        return toText(outputs.error());
    const bool mayRound = std::ranges::any_of(random.graph.nodes(), [](const Node &node) {
        return node.op == Op::Pow || node.kind == NodeKind::Multi || infoOf(node.kind).family == NodeFamily::Composite;
    });
    for (std::size_t i = 0; i < outputs->size(); ++i) {
        const HostTensor bounds = strictBounds(expected.bounds[i], mayRound);
        const HostTensor &wanted = expected.values[i];
        const HostTensor &given = outputs->at(i);
        const HostTensor same = given.dtype() == wanted.dtype() ? given : fromRawBits(given, wanted.dtype()).value_or(given);
        if (const auto difference = firstDifference(wanted, same, bounds, {.zeroSigns = true}))
            return format("output {}: {}", i, *difference);
    }
    return {};
}

// What each pass of the list is given: the graph as the passes before it left it.
std::vector<Graph> graphsBefore(const RandomGraph &random)
{
    std::vector<Graph> graphs{random.graph};
    for (const PassInfo *pass : graphPasses()) {
        Runner runner;
        auto after = run(*pass, graphs.back(), runner.context);
        if (!after)
            throw std::runtime_error(toText(after.error()));
        graphs.push_back(*after ? std::move(**after) : graphs.back());
    }
    return graphs;
}

TEST(GraphPassFuzz, keepsTheMeaningOfEveryGraph)
{
    const std::vector<const PassInfo *> passes = graphPasses();
    std::vector<std::size_t> rewrites(passes.size());
    for (std::uint64_t seed = 0; seed < kGraphs; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const auto expected = interpretWithBounds(random.graph, random.inputs);
        ASSERT_TRUE(expected) << "seed " << seed;
        Graph current = random.graph;
        for (std::size_t i = 0; i < passes.size(); ++i) {
            Runner runner;
            auto after = run(*passes[i], current, runner.context);
            ASSERT_TRUE(after) << "seed " << seed << " " << passes[i]->id << "\n" << toText(after.error());
            rewrites[i] += runner.context.rewrites().events().size();
            ASSERT_EQ(after->has_value(), !runner.context.rewrites().events().empty());
            if (!*after)
                continue;
            const std::string fault = faultOf(random, *expected, **after);
            ASSERT_EQ(fault, "") << "seed " << seed << " " << passes[i]->id << "\nbefore:\n"
                                 << printGraph(current).text << "after:\n"
                                 << printGraph(**after).text;
            current = std::move(**after);
        }
    }
    for (std::size_t i = 0; i < passes.size(); ++i)
        if (std::ranges::find(kTestedElsewhere, passes[i]->id) == kTestedElsewhere.end()) {
            EXPECT_GT(rewrites[i], 0U) << passes[i]->id;
        }
}

// Each budget gives a valid graph of the same meaning: this is how a wrong result is traced to one rewrite. Between the steps of
// passes that only build something, there is a graph to look at.
TEST(GraphPassFuzz, keepsTheMeaningForEveryBudget)
{
    const std::vector<const PassInfo *> passes = graphPasses();
    for (std::uint64_t seed = 0; seed < 100; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const auto expected = interpretWithBounds(random.graph, random.inputs);
        ASSERT_TRUE(expected);
        const std::vector<Graph> before = graphsBefore(random);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            for (std::uint32_t budget = 1; budget < 1000; ++budget) {
                Runner runner(budget);
                const auto after = run(*passes[i], before[i], runner.context);
                ASSERT_TRUE(after) << passes[i]->id << "\n" << toText(after.error());
                ASSERT_LE(runner.context.rewrites().events().size(), budget);
                const bool isWhole = runner.context.rewrites().events().size() < budget;
                if (*after && passes[i]->isIncompleteBetween && !isWhole) {
                    ASSERT_FALSE(printGraph(**after).text.empty()) << passes[i]->id << " budget " << budget;
                } else if (*after) {
                    ASSERT_EQ(faultOf(random, *expected, **after), "")
                        << "seed " << seed << " " << passes[i]->id << " budget " << budget;
                }
                if (isWhole)
                    break;
            }
        }
    }
}

TEST(GraphPassFuzz, givesTheSameGraphEachTime)
{
    const std::vector<const PassInfo *> passes = graphPasses();
    for (std::uint64_t seed = 0; seed < 200; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const std::vector<Graph> before = graphsBefore(random);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            Runner first;
            Runner second;
            const auto a = run(*passes[i], before[i], first.context);
            const auto b = run(*passes[i], before[i], second.context);
            ASSERT_EQ(a->has_value(), b->has_value());
            if (*a) {
                ASSERT_EQ(printGraph(**a).text, printGraph(**b).text) << "seed " << seed << " " << passes[i]->id;
            }
        }
    }
}

// A pass that has run leaves nothing for itself to do.
TEST(GraphPassFuzz, findsNothingMoreToDoTheSecondTime)
{
    const std::vector<const PassInfo *> passes = graphPasses();
    for (std::uint64_t seed = 0; seed < 500; ++seed) {
        const RandomGraph random = graphOfSeed(seed);
        const std::vector<Graph> before = graphsBefore(random);
        for (std::size_t i = 0; i < passes.size(); ++i) {
            Runner first;
            const auto once = run(*passes[i], before[i], first.context);
            ASSERT_TRUE(once);
            if (!*once)
                continue;
            Runner again;
            const auto twice = run(*passes[i], **once, again.context);
            ASSERT_TRUE(twice);
            EXPECT_FALSE(*twice) << "seed " << seed << " " << passes[i]->id << ": "
                                 << again.context.rewrites().events().front().rule << " "
                                 << again.context.rewrites().events().front().detail;
        }
    }
}

} // namespace
} // namespace sw
