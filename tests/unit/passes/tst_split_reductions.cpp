#include "engine/passes/graph/split_reductions.h"

#include "engine/graph/interpreter.h"
#include "engine/types/random_fill.h"
#include "tests/unit/passes/graph_pass_fixture.h"

namespace sw {
namespace {

// A reduction of one input, on two threads.
struct SplitRun : PassRun {
    SplitRun() { device.threads = 2; }

    Graph graph(std::string_view op, const std::string &from, const std::string &axes, const std::string &to)
    {
        return graphOfLines(
            format("%0 = placeholder {{name = \"x\", role = input}} : {} #x\n%1 = reduce_axis {} %0 {{axes = {}}} : {}\n"
                   "sink %1 {{names = [\"y\"]}}\n",
                   from, op, axes, to));
    }
    // "unchanged" when nothing was split.
    std::string after(const Graph &before)
    {
        const auto changed = splitReductions(before, context);
        EXPECT_TRUE(changed) << toText(changed.error());
        return *changed ? linesOf(**changed) : "unchanged";
    }
    std::string after(std::string_view op, const std::string &from, const std::string &axes, const std::string &to)
    {
        return after(graph(op, from, axes, to));
    }
};

TEST(SplitReductions, givesEveryThreadParts)
{
    SplitRun run;
    EXPECT_EQ(run.after("add", "f32[1024, 1024]", "[0, 1]", "f32[1, 1]"),
              "%0 = placeholder {name = \"x\", role = input} : f32[1024, 1024] #x\n"
              "%1 = reshape %0 : f32[8, 128, 1024]\n"
              "%2 = reduce_axis add %1 {axes = [1, 2]} : f32[8, 1, 1]\n"
              "%3 = reduce_axis add %2 {axes = [0]} : f32[1, 1, 1]\n"
              "%4 = reshape %3 : f32[1, 1]\n"
              "sink %4 {names = [\"y\"]}\n");
    ASSERT_EQ(run.context.rewrites().events().size(), 1U);
    EXPECT_EQ(run.context.rewrites().events().front().rule, "split-reduction");
    EXPECT_EQ(run.context.rewrites().events().front().before, std::vector<std::uint32_t>{1});
}

// On a GPU of 64 units.
struct SplitOnGpu : SplitRun {
    SplitOnGpu()
    {
        device.kind = DeviceKind::Gpu;
        device.threads = 64;
    }
};

// Hundreds of parts, of whole rows: along one axis, each would be short.
TEST(SplitReductions, givesEveryUnitOfAGpuParts)
{
    EXPECT_EQ(SplitOnGpu().after("add", "f32[1024, 4096]", "[0, 1]", "f32[1, 1]"),
              "%0 = placeholder {name = \"x\", role = input} : f32[1024, 4096] #x\n"
              "%1 = reshape %0 : f32[256, 4, 4096]\n"
              "%2 = reduce_axis add %1 {axes = [1, 2]} : f32[256, 1, 1]\n"
              "%3 = reduce_axis add %2 {axes = [0]} : f32[1, 1, 1]\n"
              "%4 = reshape %3 : f32[1, 1]\n"
              "sink %4 {names = [\"y\"]}\n");
}

// A work item reads a part of a column, and its neighbour the next column: 1024 items for each unit.
TEST(SplitReductions, givesEveryUnitOfAGpuPartsOfColumns)
{
    EXPECT_EQ(SplitOnGpu().after("add", "f32[4096, 4096]", "[0]", "f32[1, 4096]"),
              "%0 = placeholder {name = \"x\", role = input} : f32[4096, 4096] #x\n"
              "%1 = reshape %0 : f32[16, 256, 4096]\n"
              "%2 = reduce_axis add %1 {axes = [1]} : f32[16, 1, 4096]\n"
              "%3 = reduce_axis add %2 {axes = [0]} : f32[1, 1, 4096]\n"
              "%4 = reshape %3 : f32[1, 4096]\n"
              "sink %4 {names = [\"y\"]}\n");
    EXPECT_NE(SplitOnGpu().after("add", "f32[262144, 64]", "[0]", "f32[1, 64]").find("f32[1024, 256, 64]"), std::string::npos);
    EXPECT_NE(SplitOnGpu().after("add", "f32[262144, 2]", "[0]", "f32[1, 2]").find("f32[128, 2048, 2]"), std::string::npos);
    EXPECT_EQ(SplitOnGpu().after("add", "f32[4096, 65536]", "[0]", "f32[1, 65536]"), "unchanged"); // columns for all
    EXPECT_EQ(SplitOnGpu().after("add", "f32[4096, 4096]", "[1]", "f32[4096, 1]"), "unchanged");   // rows: a group for each
}

TEST(SplitReductions, addsWhatPartsLeaveOver)
{
    EXPECT_EQ(SplitRun().after("max", "i32[1000003]", "[0]", "i32[1]"),
              "%0 = placeholder {name = \"x\", role = input} : i32[1000003] #x\n"
              "%1 = shrink %0 {begin = [0], end = [1000000]} : i32[1000000]\n"
              "%2 = reshape %1 : i32[8, 125000]\n"
              "%3 = reduce_axis max %2 {axes = [1]} : i32[8, 1]\n"
              "%4 = reduce_axis max %3 {axes = [0]} : i32[1, 1]\n"
              "%5 = reshape %4 : i32[1]\n"
              "%6 = shrink %0 {begin = [1000000], end = [1000003]} : i32[3]\n"
              "%7 = reduce_axis max %6 {axes = [0]} : i32[1]\n"
              "%8 = max %5, %7 : i32[1]\n"
              "sink %8 {names = [\"y\"]}\n");
}

TEST(SplitReductions, roundsHalvesOnce)
{
    const std::string text = SplitRun().after("add", "f16[262144]", "[0]", "f16[1]");
    EXPECT_NE(text.find("cast %0 : f32[262144]"), std::string::npos) << text;
    EXPECT_EQ(text.find("reduce_axis add %1 {axes = [1]} : f16"), std::string::npos) << text;
}

TEST(SplitReductions, leavesTheOthersAlone)
{
    EXPECT_EQ(SplitRun().after("add", "f32[100000]", "[0]", "f32[1]"), "unchanged");                           // few elements
    EXPECT_EQ(SplitRun().after("add", "f32[64, 65536]", "[1]", "f32[64, 1]"), "unchanged");                    // results for all
    EXPECT_EQ(SplitRun().after("add", "f32[2, 0, 200000]", "[1]", "f32[2, 1, 200000]"), "unchanged");          // nothing to add
    EXPECT_EQ(SplitRun().after("add", "f32[32, 32, 32, 32]", "[0, 1, 2, 3]", "f32[1, 1, 1, 1]"), "unchanged"); // short axes
    SplitRun alone;
    alone.device.threads = 1;
    EXPECT_EQ(alone.after("add", "f32[1048576]", "[0]", "f32[1]"), "unchanged");
    SplitRun plain;
    plain.options.optimize = false;
    EXPECT_EQ(plain.after("add", "f32[1048576]", "[0]", "f32[1]"), "unchanged");
}

TEST(SplitReductions, keepsTheOrderOfStrictSums)
{
    SplitRun strict;
    strict.options.strict = true;
    EXPECT_EQ(strict.after("add", "f32[1048576]", "[0]", "f32[1]"), "unchanged");
    EXPECT_EQ(strict.after("mul", "f32[1048576]", "[0]", "f32[1]"), "unchanged");
    EXPECT_NE(strict.after("max", "f32[1048576]", "[0]", "f32[1]"), "unchanged");
    EXPECT_NE(strict.after("add", "i32[1048576]", "[0]", "i32[1]"), "unchanged");
}

TEST(SplitReductions, keepsTheDigitsOfLongSumsOnTheInterpreter)
{
    SplitRun run;
    run.device.threads = 1;
    run.device.kind = DeviceKind::Interpreter;
    EXPECT_NE(run.after("add", "f32[1048576]", "[0]", "f32[1]").find("reshape %0 : f32[1024, 1024]"), std::string::npos);
    EXPECT_EQ(run.after("add", "i32[1048576]", "[0]", "i32[1]"), "unchanged");
    EXPECT_EQ(run.after("add", "f32[1024, 1024]", "[0]", "f32[1, 1024]"), "unchanged");
}

TEST(SplitReductions, meansTheSame)
{
    for (const char *op : {"add", "mul", "max"}) {
        for (const char *from : {"i32[3, 50021]", "i32[3, 49152]"}) {
            SplitRun run;
            const Graph before = run.graph(op, from, "[1]", "i32[3, 1]");
            const auto after = splitReductions(before, run.context);
            ASSERT_TRUE(after && *after);
            const std::vector<HostTensor> inputs{randomTensor(DType::I32, before.node(NodeId(0U)).shape, 5)};
            const auto expected = interpretGraph(before, inputs);
            const auto actual = interpretGraph(**after, inputs);
            ASSERT_TRUE(expected && actual);
            EXPECT_TRUE(actual->front().isIdenticalTo(expected->front())) << op << " " << from;
        }
    }
}

} // namespace
} // namespace sw
