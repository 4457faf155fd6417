#include "engine/ops/tensor_instructions.h"
#include "engine/passes/graph/fold_constants.h"
#include "engine/passes/graph/merge_equal.h"
#include "tests/unit/passes/graph_pass_fixture.h"

namespace sw {
namespace {

TEST(FoldConstants, foldsNestedConstants)
{
    EXPECT_EQ(afterPass(foldConstants, "%0 = vconst {value = [1, 2]} : i32[2]\n%1 = neg %0 : i32[2]\n%2 = mul %1, %0 : i32[2]\n"
                                       "%3 = reduce_axis add %2 {axes = [0]} : i32[1]\nsink %3 {names = [\"y\"]}\n"),
              "%0 = vconst {value = [-5]} : i32[1]\nsink %0 {names = [\"y\"]}\n");
}

TEST(FoldConstants, keepsSpreadScalarsSymbolic)
{
    const std::string spread =
        "%0 = const_scalar {value = 3} : i32[]\n%1 = reshape %0 : i32[1]\n%2 = expand %1 : i32[100000000]\n";
    EXPECT_EQ(afterPass(foldConstants, spread + "sink %2 {names = [\"y\"]}\n"), "unchanged");
    EXPECT_EQ(afterPass(foldConstants, spread + "%3 = mul %2, %2 : i32[100000000]\nsink %3 {names = [\"y\"]}\n"),
              "%0 = const_scalar {value = 9} : i32[]\n%1 = reshape %0 : i32[1]\n%2 = expand %1 : i32[100000000]\n"
              "sink %2 {names = [\"y\"]}\n");
}

TEST(FoldConstants, leavesBigTensorsAlone)
{
    EXPECT_EQ(afterPass(foldConstants,
                        "%0 = vconst {value = fill(1)} : i8[65537]\n%1 = neg %0 : i8[65537]\nsink %1 {names = [\"y\"]}\n"),
              "unchanged");
}

// A tensor instruction multiplies the narrow elements themselves, so the weights stay as they are.
TEST(FoldConstants, keepsNarrowFactorsOfATensorInstruction)
{
    const auto isFolded = [](std::uint32_t instructions, std::int64_t rows, std::string_view wide, bool isStrict = false) {
        PassRun run;
        run.device.tensorInstructions = instructions;
        run.options.strict = isStrict;
        const auto changed =
            foldConstants(graphOfLines(format("%0 = placeholder {{name = \"x\", role = input}} : bf16[8, 1, 16]\n"
                                              "%1 = cast %0 : f32[8, 1, 16]\n%2 = expand %1 : f32[8, {0}, 16]\n"
                                              "%3 = vconst {{value = fill(1)}} : bf16[{0}, 16]\n%4 = cast %3 : f32[{0}, 16]\n"
                                              "%5 = reshape %4 : f32[1, {0}, 16]\n%6 = expand %5 : f32[8, {0}, 16]\n"
                                              "%7 = mul %2, %6 : f32[8, {0}, 16]\n{1}\nsink %8 {{names = [\"y\"]}}\n",
                                              rows, wide)),
                          run.context);
        EXPECT_TRUE(changed) << toText(changed.error());
        return changed->has_value();
    };
    const std::string sum = "%8 = reduce_axis add %7 {axes = [2]} : f32[8, 32, 1]";
    const std::uint32_t has = bitOf(TensorInstruction::DotBf16);
    EXPECT_FALSE(isFolded(has, 32, sum));
    EXPECT_TRUE(isFolded(0, 32, sum));
    EXPECT_TRUE(isFolded(has, 32, sum, true)) << "the order of the sum is given";
    EXPECT_TRUE(isFolded(has, 32, "%8 = reduce_axis max %7 {axes = [2]} : f32[8, 32, 1]")) << "no sum";
    EXPECT_TRUE(isFolded(has, 8, "%8 = reduce_axis add %7 {axes = [2]} : f32[8, 8, 1]")) << "less than a tile";
}

TEST(FoldConstants, doesNotStoreRepeatedElements)
{
    EXPECT_EQ(afterPass(foldConstants,
                        "%0 = vconst {value = [1, 2]} : i8[1, 2]\n%1 = expand %0 : i8[50, 2]\nsink %1 {names = [\"y\"]}\n"),
              "unchanged");
}

TEST(FoldConstants, leavesIndexFaultsToTheRun)
{
    EXPECT_EQ(afterPass(foldConstants, "%0 = vconst {value = [1, 2]} : i8[2]\n%1 = vconst {value = [2]} : i32[1]\n"
                                       "%2 = index %0, %1 : i8[1]\nsink %2 {names = [\"y\"]}\n"),
              "unchanged");
}

TEST(FoldConstants, doesNotTouchParameters)
{
    EXPECT_EQ(afterPass(foldConstants, "%0 = placeholder {name = \"w\", role = param, value = [1.0]} : f32[1] #w\n"
                                       "%1 = neg %0 : f32[1]\nsink %1 {names = [\"y\"]}\n"),
              "unchanged");
}

TEST(MergeEqual, mergesWhatComputesTheSame)
{
    EXPECT_EQ(afterPass(mergeEqual, "%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n%1 = exp %0 : f32[2]\n"
                                    "%2 = exp %0 : f32[2] #e\n%3 = add %1, %2 : f32[2]\n%4 = add %2, %1 : f32[2]\n"
                                    "%5 = mul %3, %4 : f32[2]\nsink %5 {names = [\"y\"]}\n"),
              "%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n%1 = exp %0 : f32[2] #e\n%2 = add %1, %1 : f32[2]\n"
              "%3 = mul %2, %2 : f32[2]\nsink %3 {names = [\"y\"]}\n");
}

TEST(MergeEqual, keepsWhatDiffers)
{
    EXPECT_EQ(afterPass(mergeEqual, "%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n%1 = buffer : f32[2]\n"
                                    "%2 = buffer : f32[2]\n%3 = const_scalar {value = 0.0} : f32[]\n"
                                    "%4 = const_scalar {value = -0.0} : f32[]\n%5 = reduce_axis add %0 {axes = [0]} : f32[1]\n"
                                    "%6 = reduce_axis mul %0 {axes = [0]} : f32[1]\nsink %1, %2, %3, %4, %5, %6 {names = "
                                    "[\"a\", \"b\", \"c\", \"d\", \"e\", \"f\"]}\n"),
              "unchanged");
}

TEST(MergeEqual, joinsOriginsAndRecordsThePair)
{
    const Graph graph = graphOfLines("%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n%1 = exp %0 : f32[2]\n"
                                     "%2 = exp %0 : f32[2]\nsink %1, %2 {names = [\"a\", \"b\"]}\n");
    PassRun run;
    const auto after = mergeEqual(graph, run.context);
    ASSERT_TRUE(after && *after);
    ASSERT_EQ(run.context.rewrites().events().size(), 1U);
    EXPECT_EQ(run.context.rewrites().events().front().before, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ((*after)->node(NodeId(1U)).origin, Origin::merged(graph.node(NodeId(1U)).origin, graph.node(NodeId(2U)).origin));
}

TEST(RemoveDead, removesWhatNoOutputReads)
{
    EXPECT_EQ(
        afterPass(removeDead, "%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n"
                              "%1 = placeholder {name = \"unused\", role = input} : f32[2] #unused\n"
                              "%2 = exp %0 : f32[2]\n%3 = neg %2 : f32[2]\n%4 = sin %0 : f32[2]\nsink %4 {names = [\"y\"]}\n"),
        "%0 = placeholder {name = \"x\", role = input} : f32[2] #x\n"
        "%1 = placeholder {name = \"unused\", role = input} : f32[2] #unused\n%2 = sin %0 : f32[2]\nsink %2 {names = [\"y\"]}\n");
    EXPECT_EQ(afterPass(removeDead, "%0 = buffer : f32[2]\nsink %0 {names = [\"y\"]}\n"), "unchanged");
}

TEST(RemoveDead, leavesAValidGraphWhenTheBudgetIsSpent)
{
    const Graph graph = graphOfLines("%0 = buffer : f32[2]\n%1 = exp %0 : f32[2]\n%2 = neg %1 : f32[2]\nsink {names = []}\n");
    for (std::uint32_t budget = 0; budget <= 3; ++budget) {
        PassRun run(budget);
        const auto after = removeDead(graph, run.context);
        ASSERT_TRUE(after);
        const Graph &left = *after ? **after : graph;
        EXPECT_EQ(left.size(), 4U - budget);
        EXPECT_TRUE(verifyGraph(left));
    }
}

} // namespace
} // namespace sw
