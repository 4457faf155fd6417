// Passes and the branches of choices: which choices stay, and that merging keeps branches apart.

#include "engine/passes/graph/branch_price.h"
#include "engine/passes/graph/merge_equal.h"
#include "engine/passes/graph/select_branches.h"
#include "engine/passes/graph/simplify.h"
#include "tests/unit/passes/graph_pass_fixture.h"

namespace sw {
namespace {

constexpr const char *kGiven = "%0 = placeholder {name = \"c\", role = input} : bool[] #c\n"
                               "%1 = placeholder {name = \"x\", role = input} : f32[256, 256] #x\n";

TEST(ChoicePasses, selectWhereSkippingSavesLess)
{
    const std::string cheap = std::string(kGiven) + "%2 = neg %1 : f32[256, 256]\n%3 = choose %0, %2, %1 : f32[256, 256]\n" +
                              "sink %3 {names = [\"y\"]}\n";
    const std::string after = afterPass(selectBranches, cheap);
    EXPECT_NE(after.find("where"), std::string::npos) << after;
    EXPECT_EQ(after.find("choose"), std::string::npos) << after;
}

TEST(ChoicePasses, keepABranchThatCosts)
{
    const std::string dear = std::string(kGiven) +
                             "%2 = reshape %1 : f32[256, 256, 1]\n%3 = expand %2 : f32[256, 256, 256]\n"
                             "%4 = reduce_axis max %3 {axes = [2]} : f32[256, 256, 1]\n%5 = reshape %4 : f32[256, 256]\n"
                             "%6 = choose %0, %5, %1 : f32[256, 256]\nsink %6 {names = [\"y\"]}\n";
    EXPECT_EQ(afterPass(selectBranches, dear), "unchanged");
    const Graph graph = graphOfLines(dear);
    const std::map<NodeId, BranchPrice> prices = branchPricesOf(graph, {});
    ASSERT_EQ(prices.size(), 1U);
    const BranchPrice &price = prices.at(NodeId(0U));
    EXPECT_GT(price.whenTrue, 2 * 256.0 * 256 * 256 / 50); // an instruction for each element that is reduced
    EXPECT_EQ(price.whenFalse, 0);
    EXPECT_GE(price.asking, 2000 + 2 * 4 * 256 * 256 / 10.0); // two launches, and a copy
    EXPECT_FALSE(price.mayFault);
    EXPECT_NE(toText(price).find("saves"), std::string::npos);
}

TEST(ChoicePasses, keepABranchOfDearOperations)
{
    const auto choosing = [](std::string_view op) {
        return std::string(kGiven) + format("%2 = {} %1, %1 : f32[256, 256]\n%3 = choose %0, %2, %1 : f32[256, 256]\n", op) +
               "sink %3 {names = [\"y\"]}\n";
    };
    EXPECT_NE(afterPass(selectBranches, choosing("mul")), "unchanged");
    EXPECT_EQ(afterPass(selectBranches, choosing("pow")), "unchanged") << "by its price";
}

// Reporting the fault of a branch that was not chosen would be wrong, however cheap the lookup is.
TEST(ChoicePasses, keepABranchWithAGivenIndex)
{
    const auto choosing = [](std::string_view index) {
        return format("%0 = placeholder {{name = \"c\", role = input}} : bool[] #c\n"
                      "%1 = placeholder {{name = \"x\", role = input}} : f32[2] #x\n{}"
                      "%3 = index %1, %2 : f32[2]\n%4 = choose %0, %3, %1 : f32[2]\nsink %4 {{names = [\"y\"]}}\n",
                      index);
    };
    EXPECT_EQ(afterPass(selectBranches, choosing("%2 = placeholder {name = \"at\", role = input} : i64[2] #at\n")), "unchanged");
    EXPECT_NE(afterPass(selectBranches, choosing("%2 = iota : i64[2]\n")), "unchanged");
    EXPECT_EQ(afterPass(selectBranches, choosing("%2 = vconst {value = [1, 2]} : i64[2]\n")), "unchanged");
}

TEST(ChoicePasses, resolveWhatIsKnown)
{
    const auto choosing = [](std::string_view condition, std::string_view other) {
        return format("%0 = {}\n%1 = placeholder {{name = \"x\", role = input}} : f32[2] #x\n%2 = exp %1 : f32[2]\n"
                      "%3 = choose %0, %1, %{} : f32[2]\nsink %3 {{names = [\"y\"]}}\n",
                      condition, other);
    };
    const std::string given = "placeholder {name = \"c\", role = input} : bool[] #c";
    const std::string yes = afterPass(simplify, choosing("const_scalar {value = true} : bool[]", "2"));
    EXPECT_EQ(yes.find("exp"), std::string::npos) << yes;
    EXPECT_EQ(yes.find("choose"), std::string::npos) << yes;
    const std::string no = afterPass(simplify, choosing("const_scalar {value = false} : bool[]", "2"));
    EXPECT_NE(no.find("exp"), std::string::npos) << no;
    EXPECT_EQ(no.find("choose"), std::string::npos) << no;
    EXPECT_EQ(afterPass(simplify, choosing(given, "1")).find("choose"), std::string::npos);
    EXPECT_EQ(afterPass(simplify, choosing(given, "2")), "unchanged");
}

// Of two conditions, neither branch may make the other one's computation a part of every run.
TEST(ChoicePasses, mergeOnlyWhatIsComputedNoMoreThanBefore)
{
    const auto choosing = [](std::string_view second, std::string_view branches) {
        return format("%0 = placeholder {{name = \"c\", role = input}} : bool[] #c\n"
                      "%1 = placeholder {{name = \"d\", role = input}} : bool[] #d\n"
                      "%2 = placeholder {{name = \"x\", role = input}} : f32[2] #x\n"
                      "%3 = exp %2 : f32[2]\n%4 = exp %2 : f32[2]\n"
                      "%5 = choose %0, %3, %2 : f32[2]\n%6 = choose %{}, {} : f32[2]\n"
                      "sink %5, %6 {{names = [\"y\", \"z\"]}}\n",
                      second, branches);
    };
    EXPECT_EQ(afterPass(mergeEqual, choosing("1", "%4, %2")), "unchanged");
    EXPECT_NE(afterPass(mergeEqual, choosing("0", "%4, %2")), "unchanged");
    EXPECT_NE(afterPass(mergeEqual, choosing("0", "%2, %4")), "unchanged"); // in every run one of the two is computed
}

} // namespace
} // namespace sw
