#include "engine/passes/graph/split_weighted_sums.h"

#include "engine/graph/interpreter.h"
#include "engine/passes/graph/differentiate.h"
#include "engine/passes/graph/simplify.h"
#include "engine/passes/graph/split_pairs.h"
#include "engine/types/random_fill.h"
#include "tests/support/graph_of_text.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <cmath>
#include <limits>
#include <set>

namespace sw::test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The pass on a processor with a cache of 64 KiB.
struct WeightedRun : PassRun {
    WeightedRun() { device.cacheBytesPerCore = 64 << 10; }

    std::optional<Graph> after(const Graph &before)
    {
        auto changed = splitPairs(before, context);
        EXPECT_TRUE(changed) << toText(changed.error());
        if (*changed)
            EXPECT_TRUE(verifyGraph(**changed));
        return std::move(changed).value();
    }

    [[nodiscard]] bool hasParts() const
    {
        return std::ranges::any_of(context.rewrites().events(),
                                   [](const RewriteEvent &event) { return event.rule == kWeightedSumRule; });
    }
};

Graph simplified(const std::string &text)
{
    Graph graph = *graphOfText(text);
    for (const GraphPass pass : {GraphPass(differentiate), GraphPass(simplify)}) { // detach() is gone, and so are casts
        PassRun run;
        auto changed = pass(graph, run.context);
        EXPECT_TRUE(changed);
        if (*changed)
            graph = std::move(**changed);
    }
    return graph;
}

// 64 queries and more, 8 columns.
std::string attentionText(std::int64_t keys, const std::string &options = "", const std::string &dtype = "f32",
                          const std::string &heads = "")
{
    std::string text = format("input q: {0}[{1}70, 8]\ninput k: {0}[{1}{2}, 8]\ninput v: {0}[{1}{2}, 8]\n", dtype, heads, keys);
    if (options.find("mask") != std::string::npos)
        text += format("input m: bool[70, {}]\n", keys);
    return text + format("output attention(q, k, v{})\n", options);
}

void expectSame(const Graph &before, const Graph &after, std::vector<HostTensor> values, double tolerance)
{
    const auto expected = interpretGraph(before, values);
    const auto actual = interpretGraph(after, values);
    ASSERT_TRUE(expected && actual);
    for (std::int64_t i = 0; i < expected->front().elements(); ++i) {
        const double want = expected->front().at(i).asDouble();
        const double got = actual->front().at(i).asDouble();
        if (std::isnan(want))
            EXPECT_TRUE(std::isnan(got)) << got << " at " << i;
        else
            EXPECT_NEAR(got, want, tolerance) << "at " << i;
    }
}

std::vector<HostTensor> valuesOf(const Graph &graph)
{
    std::vector<HostTensor> values;
    for (const NodeId id : graph.placeholders())
        values.push_back(randomTensor(graph.node(id).dtype, graph.node(id).shape, 5 + id.value));
    return values;
}

// Lengths that parts divide, a prime, several heads, masks, f64, and sums over other axes than the last.
TEST(SplitWeightedSums, meanTheSame)
{
    const std::string plain = "input s: f32[70, 1031]\ninput v: f32[1031]\n";
    for (const std::string &text : std::vector<std::string>{
             attentionText(1024), attentionText(1031), attentionText(1031, ", causal = true"), attentionText(1200, ", mask = m"),
             attentionText(1024, "", "f64"), attentionText(1024, "", "f32", "2, 3, "), attentionText(1500, ", scale = 3.0"),
             plain + "output softmax(s, axis = -1) @ v\n", plain + "output sum(softmax(s, axis = 1) * v, axis = 1)\n",
             plain + "output v @ softmax(s, axis = -1).T\n",
             "input s: f32[70, 1031]\ninput v: f32[1031, 1]\noutput sum(swapaxes(softmax(s, axis = 1), 0, 1) * v, axis = 0)\n",
             "input s: f32[70, 1024]\ninput v: f32[1024, 1]\noutput sum(swapaxes(softmax(s, axis = 1), 0, 1) * v, axis = 0)\n"}) {
        SCOPED_TRACE(text);
        const Graph before = simplified(text);
        WeightedRun run;
        const auto after = run.after(before);
        ASSERT_TRUE(after) << linesOf(before);
        EXPECT_TRUE(run.hasParts());
        expectSame(before, *after, valuesOf(before), text.find("f64") != std::string::npos ? 1e-13 : 2e-5);
    }
}

// Parts in which nothing may be looked at, whole rows, scores that are far apart, infinite, or no numbers.
TEST(SplitWeightedSums, keepWhatIsSpecial)
{
    const Graph masked = simplified(attentionText(1031, ", mask = m"));
    std::vector<HostTensor> values = valuesOf(masked);
    for (std::int64_t key = 0; key < 1031; ++key)
        for (std::int64_t query = 0; query < 70; ++query) {
            const bool isFirstPart = query == 1 && key >= 200;
            const bool isLast = query == 2 && key != 1030;
            if (query == 0 || isFirstPart || isLast)
                values[3].set(query * 1031 + key, Scalar::of(DType::Bool, 0.0));
        }
    WeightedRun run;
    expectSame(masked, *run.after(masked), values, 2e-5);

    const Graph scores = simplified("input s: f32[70, 1031]\ninput v: f32[1031, 3]\noutput softmax(s, axis = -1) @ v\n");
    values = valuesOf(scores);
    std::int64_t row = 0;
    for (const double special : {kInfinity, -kInfinity, std::nan(""), 1e30, -1e30, 300.0})
        for (const std::int64_t place : {std::int64_t{0}, std::int64_t{600}, std::int64_t{1030}})
            values[0].set(row++ * 1031 + place, Scalar::of(DType::F32, special));
    WeightedRun special;
    expectSame(scores, *special.after(scores), values, 2e-5);
}

TEST(SplitWeightedSums, haveRowsOfAPartBehindEachOther)
{
    WeightedRun run;
    const auto after = run.after(simplified(attentionText(1024, "", "f32", "2, ")));
    ASSERT_TRUE(after);
    const std::string text = linesOf(*after);
    EXPECT_NE(text.find("f32[2, 4, 70, 256]"), std::string::npos) << text;
    EXPECT_EQ(text.find("f32[2, 70, 4, 256]"), std::string::npos) << "the scores are computed in parts, and not turned: " << text;
}

// Longer rows have longer parts, so that their results take 16 times the memory of the sum at most, and 1 GiB.
TEST(SplitWeightedSums, haveFewParts)
{
    const auto partsOf = [](std::int64_t keys, std::int64_t queries) {
        WeightedRun run;
        const auto after = run.after(simplified(format(
            "input q: f32[{0}, 64]\ninput k: f32[{1}, 64]\ninput v: f32[{1}, 64]\noutput attention(q, k, v)\n", queries, keys)));
        EXPECT_TRUE(after);
        std::int64_t parts = 0;
        for (const Node &node : after->nodes())
            if (node.kind == NodeKind::Contiguous && node.shape.rank() == 4)
                parts = node.shape[0];
        return parts;
    };
    EXPECT_EQ(partsOf(2048, 128), 8);
    EXPECT_EQ(partsOf(65536, 128), 16);
    EXPECT_EQ(partsOf(65536, 1 << 19), 8); // of 128 MiB each
    EXPECT_EQ(partsOf(65536, 1 << 22), 4);
}

TEST(SplitWeightedSums, leaveTheOthersAlone)
{
    const auto hasParts = [](const std::string &text) {
        WeightedRun run;
        static_cast<void>(run.after(simplified(text)));
        return run.hasParts();
    };
    EXPECT_TRUE(hasParts(attentionText(1024)));
    EXPECT_FALSE(hasParts(attentionText(539)));            // 7 parts of 77 would be too short
    EXPECT_FALSE(hasParts(attentionText(600)));            // too few parts
    EXPECT_TRUE(hasParts(attentionText(1024, "", "f16"))); // computed in f32
    const std::string inputs = "input s: f32[70, 1024]\ninput v: f32[1024, 8]\n";
    EXPECT_TRUE(hasParts(inputs + "output softmax(s, axis = -1) @ v\n"));
    EXPECT_FALSE(hasParts(inputs + "w = softmax(s, axis = -1)\noutput w @ v\noutput w\n")); // the weights are wanted
    const std::string softmax =
        "m = max(s, axis = -1, keepdims = true)\ne = exp(s - m)\nt = sum(e, axis = -1, keepdims = true)\n";
    EXPECT_TRUE(hasParts(inputs + softmax + "output (e / t) @ v\n"));
    EXPECT_FALSE(hasParts(inputs + softmax + "output (e / t) @ v\noutput m\n")); // so is the maximum
    EXPECT_FALSE(hasParts(inputs + softmax + "output (e / t) @ v\noutput t\n")); // and the sum
    EXPECT_FALSE(hasParts("n: dim[1, 70]\ninput s: f32[n, 1024]\ninput v: f32[1024, 8]\noutput softmax(s, axis = -1) @ v\n"));
    EXPECT_FALSE(hasParts(inputs + "e = exp(s - max(s, axis = -1, keepdims = true))\noutput e @ v\n"));         // no softmax
    EXPECT_FALSE(hasParts("input s: f32[8, 1024]\ninput v: f32[1024, 8]\noutput softmax(s, axis = -1) @ v\n")); // few rows
    EXPECT_FALSE(
        hasParts("input s: f32[70, 1024]\ninput v: f32[70, 8]\noutput softmax(s, axis = -1).T @ v\n")); // down the columns
    EXPECT_FALSE(hasParts("input s: f32[70, 1024]\ninput v: f32[1024, 8]\noutput softmax(s, axis = 0) @ v\n")); // likewise

    const auto isLeftBy = [](const auto &change) {
        WeightedRun run;
        change(run);
        static_cast<void>(run.after(simplified(attentionText(1024))));
        return !run.hasParts();
    };
    EXPECT_TRUE(isLeftBy([](WeightedRun &run) { run.options.strict = true; }));
    EXPECT_TRUE(isLeftBy([](WeightedRun &run) { run.options.optimize = false; }));
    EXPECT_TRUE(isLeftBy([](WeightedRun &run) { run.options.fuse = false; }));
    EXPECT_TRUE(isLeftBy([](WeightedRun &run) { run.device.kind = DeviceKind::Gpu; }));
    EXPECT_TRUE(isLeftBy([](WeightedRun &run) { run.device.cacheBytesPerCore = 1 << 20; })); // it keeps the scores
}

TEST(SplitWeightedSums, areSteppedThrough)
{
    const Graph before = simplified(attentionText(1024));
    for (std::uint32_t budget = 0; budget <= 1; ++budget) {
        WeightedRun run;
        PassContext context(run.device, TargetLanguage::C, run.options, {}, budget);
        const auto after = splitWeightedSums(before, context);
        ASSERT_TRUE(after) << toText(after.error());
        EXPECT_EQ(after->has_value(), budget > 0);
        EXPECT_EQ(context.rewrites().size(), budget);
    }
}

// A long chain of work on the scores, or work that others need too, is viewed in parts instead of done in parts.
TEST(SplitWeightedSums, stopAtWhatOthersNeed)
{
    std::string text = "input q: f32[70, 8]\ninput k: f32[1024, 8]\ninput v: f32[1024, 8]\ns = q @ k.T\n";
    const std::string shared = text + "output softmax(s, axis = -1) @ v\noutput sum(s, axis = 0)\n";
    for (int i = 0; i < 100; ++i)
        text += "s = sin(s)\n";
    for (const std::string &each : {shared, text + "output softmax(s, axis = -1) @ v\n"}) {
        const Graph before = simplified(each);
        WeightedRun run;
        const auto after = run.after(before);
        if (each == shared) { // the scores themselves are read by three
            EXPECT_FALSE(run.hasParts());
            continue;
        }
        ASSERT_TRUE(after);
        EXPECT_TRUE(run.hasParts());
        expectSame(before, *after, valuesOf(before), 2e-5);
    }
}

} // namespace
} // namespace sw::test
