#include "engine/passes/graph/simplify.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <set>

namespace sw {
namespace {

std::string input(const std::string &type)
{
    return "%0 = placeholder {name = \"x\", role = input} : " + type + " #x\n";
}

// After simplification of: x, then the given lines, the last of which is %LAST.
std::string simplified(const std::string &type, const std::string &lines)
{
    const std::size_t last = lines.rfind('\n', lines.size() - 2) + 1;
    const std::string sink = "sink " + lines.substr(last, lines.find(' ', last) - last) + " {names = [\"y\"]}\n";
    const std::string after = afterPass(simplify, input(type) + lines + sink);
    return after.starts_with(input(type)) ? after.substr(input(type).size()) : after;
}

constexpr const char *kJustX = "sink %0 {names = [\"y\"]}\n";

TEST(Simplify, dropsNeutralOperands)
{
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 0} : i32[]\n%2 = add %1, %0 : i32[]\n"), kJustX);
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 1.0} : f32[]\n%2 = mul %0, %1 : f32[]\n"), kJustX);
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 0.0} : f32[]\n%2 = sub %0, %1 : f32[]\n"), kJustX);
    EXPECT_EQ(simplified("u8[]", "%1 = const_scalar {value = 255} : u8[]\n%2 = and %0, %1 : u8[]\n"), kJustX);
    EXPECT_EQ(simplified("f16[]", "%1 = const_scalar {value = -inf} : f16[]\n%2 = max %0, %1 : f16[]\n"), kJustX);
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = const_scalar {value = 1.0} : f32[]\n%2 = reshape %1 : f32[1, 1]\n"
                                      "%3 = expand %2 : f32[2, 3]\n%4 = fdiv %0, %3 : f32[2, 3]\n"),
              kJustX);
}

TEST(Simplify, keepsTheSignOfZero)
{
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 0.0} : f32[]\n%2 = add %0, %1 : f32[]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = -0.0} : f32[]\n%2 = add %0, %1 : f32[]\n"), kJustX);
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = -0.0} : f32[]\n%2 = sub %0, %1 : f32[]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[1]", "%1 = reduce_axis add %0 {axes = [0]} : f32[1]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[1]", "%1 = reduce_axis mul %0 {axes = [0]} : f32[1]\n"), kJustX);
}

TEST(Simplify, doesNotDropTheLeftOperandOfASubtraction)
{
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 0} : i32[]\n%2 = sub %1, %0 : i32[]\n"), "unchanged");
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 1} : i32[]\n%2 = idiv %1, %0 : i32[]\n"), "unchanged");
}

TEST(Simplify, multipliesIntegersByZero)
{
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 0} : i32[]\n%2 = mul %0, %1 : i32[]\n"),
              "%1 = const_scalar {value = 0} : i32[]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 0.0} : f32[]\n%2 = mul %0, %1 : f32[]\n"), "unchanged");
}

TEST(Simplify, combinesEqualOperands)
{
    EXPECT_EQ(simplified("i32[]", "%1 = sub %0, %0 : i32[]\n"),
              "%1 = const_scalar {value = 0} : i32[]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[]", "%1 = sub %0, %0 : f32[]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[]", "%1 = max %0, %0 : f32[]\n"), kJustX);
    EXPECT_EQ(simplified("f32[]", "%1 = cmpeq %0, %0 : bool[]\n"), "unchanged");
    EXPECT_EQ(simplified("u8[]", "%1 = cmple %0, %0 : bool[]\n"),
              "%1 = const_scalar {value = true} : bool[]\nsink %1 {names = [\"y\"]}\n");
}

TEST(Simplify, undoesNegations)
{
    EXPECT_EQ(simplified("f32[]", "%1 = neg %0 : f32[]\n%2 = neg %1 : f32[]\n"), kJustX);
    EXPECT_EQ(simplified("bool[]", "%1 = not %0 : bool[]\n%2 = not %1 : bool[]\n"), kJustX);
    EXPECT_EQ(simplified("i32[]", "%1 = not %0 : bool[]\n%2 = not %1 : bool[]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[]", "%1 = floor %0 : f32[]\n%2 = floor %1 : f32[]\n"),
              "%1 = floor %0 : f32[]\nsink %1 {names = [\"y\"]}\n");
}

TEST(Simplify, castsOnceWhenNothingIsLost)
{
    EXPECT_EQ(simplified("i8[]", "%1 = cast %0 : i32[]\n%2 = cast %1 : i8[]\n"), kJustX);
    EXPECT_EQ(simplified("f16[]", "%1 = cast %0 : f32[]\n%2 = cast %1 : f64[]\n"),
              "%1 = cast %0 : f64[]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[]", "%1 = cast %0 : f16[]\n%2 = cast %1 : f32[]\n"), "unchanged");
    EXPECT_EQ(simplified("i64[]", "%1 = cast %0 : f64[]\n%2 = cast %1 : i64[]\n"), "unchanged");
    // A cast to i8 wraps 200 to -56, but saturates 200.0 to 127.
    EXPECT_EQ(simplified("u8[]", "%1 = cast %0 : f32[]\n%2 = cast %1 : i8[]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[]", "%1 = bitcast %0 : u32[]\n%2 = bitcast %1 : f32[]\n"), kJustX);
}

TEST(Simplify, choosesByAConstant)
{
    EXPECT_EQ(
        simplified("f32[]", "%1 = const_scalar {value = false} : bool[]\n%2 = exp %0 : f32[]\n%3 = where %1, %2, %0 : f32[]\n"),
        kJustX);
    EXPECT_EQ(simplified("bool[]", "%1 = where %0, %0, %0 : bool[]\n"), kJustX);
}

TEST(Simplify, multipliesOutSmallPowers)
{
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 2.0} : f32[]\n%2 = pow %0, %1 : f32[]\n"),
              "%1 = mul %0, %0 : f32[]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 5} : i32[]\n%2 = pow %0, %1 : i32[]\n"),
              "%1 = mul %0, %0 : i32[]\n%2 = mul %1, %1 : i32[]\n%3 = mul %2, %0 : i32[]\nsink %3 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 3.0} : f32[]\n%2 = pow %0, %1 : f32[]\n"), "unchanged");
}

TEST(Simplify, multipliesByTheReciprocalOfAPowerOfTwo)
{
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = -8.0} : f32[]\n%2 = fdiv %0, %1 : f32[]\n"),
              "%1 = const_scalar {value = -0.125} : f32[]\n%2 = mul %0, %1 : f32[]\nsink %2 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[]", "%1 = const_scalar {value = 3.0} : f32[]\n%2 = fdiv %0, %1 : f32[]\n"), "unchanged");
    EXPECT_EQ(simplified("i32[]", "%1 = const_scalar {value = 8} : i32[]\n%2 = div %0, %1 : i32[]\n"), "unchanged");
}

TEST(Simplify, dropsMovementThatMovesNothing)
{
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = permute %0 {axes = [0, 1]} : f32[2, 3]\n"), kJustX);
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = pad %0 {before = [0, 0], after = [0, 0], fill = 1.0} : f32[2, 3]\n"), kJustX);
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = shrink %0 {begin = [0, 0], end = [2, 3]} : f32[2, 3]\n"), kJustX);
    EXPECT_EQ(simplified("f32[1, 3]", "%1 = flip %0 {axes = [0]} : f32[1, 3]\n"), kJustX);
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = flip %0 {axes = [0]} : f32[2, 3]\n"), "unchanged");
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = view %0 {strides = [3, 1], offset = 0} : f32[2, 3]\n"), kJustX);
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = cat %0 {axis = 0} : f32[2, 3]\n"), kJustX);
}

TEST(Simplify, joinsMovement)
{
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = reshape %0 : f32[6]\n%2 = reshape %1 : f32[2, 3]\n"), kJustX);
    EXPECT_EQ(
        simplified("f32[2, 3, 4]",
                   "%1 = permute %0 {axes = [2, 0, 1]} : f32[4, 2, 3]\n%2 = permute %1 {axes = [1, 2, 0]} : f32[2, 3, 4]\n"),
        kJustX);
    EXPECT_EQ(simplified("f32[9]",
                         "%1 = shrink %0 {begin = [2], end = [8]} : f32[6]\n%2 = shrink %1 {begin = [1], end = [3]} : f32[2]\n"),
              "%1 = shrink %0 {begin = [3], end = [5]} : f32[2]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[2, 3]", "%1 = flip %0 {axes = [0, 1]} : f32[2, 3]\n%2 = flip %1 {axes = [1]} : f32[2, 3]\n"),
              "%1 = flip %0 {axes = [0]} : f32[2, 3]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("i8[2]", "%1 = pad %0 {before = [1], after = [0], fill = 7} : i8[3]\n"
                                  "%2 = pad %1 {before = [2], after = [1], fill = 7} : i8[6]\n"),
              "%1 = pad %0 {before = [3], after = [1], fill = 7} : i8[6]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[2, 1, 3]", "%1 = permute %0 {axes = [1, 0, 2]} : f32[1, 2, 3]\n"),
              "%1 = reshape %0 : f32[1, 2, 3]\nsink %1 {names = [\"y\"]}\n");
}

TEST(Simplify, joinsReductionsThatAreExactInAnyOrder)
{
    const std::string twice =
        "%1 = reduce_axis max %0 {axes = [0]} : f32[1, 3]\n%2 = reduce_axis max %1 {axes = [1]} : f32[1, 1]\n";
    EXPECT_EQ(simplified("f32[2, 3]", twice), "%1 = reduce_axis max %0 {axes = [0, 1]} : f32[1, 1]\nsink %1 {names = [\"y\"]}\n");
    const std::string sums =
        "%1 = reduce_axis add %0 {axes = [0]} : f32[1, 3]\n%2 = reduce_axis add %1 {axes = [1]} : f32[1, 1]\n";
    EXPECT_EQ(simplified("f32[2, 3]", sums), "unchanged");
}

TEST(Simplify, offersWhatARuleMadeToTheRules)
{
    // The reshape of the reshape of x appears only once the permute has become one.
    EXPECT_EQ(simplified("f32[2, 1, 3]", "%1 = reshape %0 : f32[1, 2, 3]\n%2 = permute %1 {axes = [1, 0, 2]} : f32[2, 1, 3]\n"),
              kJustX);
}

TEST(Simplify, recordsEachRewriteAndMergesOrigins)
{
    const Graph graph = graphOfLines(input("f32[]") + "%1 = neg %0 : f32[] #a\n%2 = neg %1 : f32[]\n%3 = exp %2 : f32[]\n"
                                                      "sink %3 {names = [\"y\"]}\n");
    PassRun run;
    const auto after = simplify(graph, run.context);
    ASSERT_TRUE(after && *after);
    ASSERT_EQ(run.context.rewrites().events().size(), 1U);
    const RewriteEvent &event = run.context.rewrites().events().front();
    EXPECT_EQ(event.rule, "undo-twice");
    EXPECT_EQ(event.detail, "neg(a) -> x");
    EXPECT_EQ(event.before, (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(event.after, (std::vector<std::uint32_t>{0}));
    const Origin &origin = (*after)->node(NodeId(0U)).origin;
    for (const std::uint32_t id : {0U, 1U, 2U})
        EXPECT_TRUE(origin.meets(graph.node(NodeId(id)).origin));
}

TEST(Simplify, stopsWhenTheBudgetIsSpent)
{
    const Graph graph = graphOfLines(input("f32[]") + "%1 = neg %0 : f32[]\n%2 = neg %1 : f32[]\n%3 = neg %2 : f32[]\n"
                                                      "%4 = neg %3 : f32[]\nsink %4 {names = [\"y\"]}\n");
    for (std::uint32_t budget = 0; budget <= 3; ++budget) {
        PassRun run(budget);
        const auto after = simplify(graph, run.context);
        ASSERT_TRUE(after);
        EXPECT_EQ(run.context.rewrites().events().size(), std::min(budget, 2U));
        EXPECT_EQ(after->has_value(), budget > 0);
    }
}

TEST(Simplify, takesPartsOfACatFromTheInputsThatHaveThem)
{
    const std::string parts = "%1 = neg %0 : f32[2, 3]\n%2 = sqrt %0 : f32[2, 3]\n%3 = cat %0, %1, %2 {axis = 1} : f32[2, 9]\n";
    EXPECT_EQ(simplified("f32[2, 3]", parts + "%4 = shrink %3 {begin = [0, 3], end = [2, 6]} : f32[2, 3]\n"),
              "%1 = neg %0 : f32[2, 3]\nsink %1 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[2, 3]", parts + "%4 = shrink %3 {begin = [1, 2], end = [2, 5]} : f32[1, 3]\n"),
              "%1 = neg %0 : f32[2, 3]\n%2 = shrink %0 {begin = [1, 2], end = [2, 3]} : f32[1, 1]\n"
              "%3 = shrink %1 {begin = [1, 0], end = [2, 2]} : f32[1, 2]\n%4 = cat %2, %3 {axis = 1} : f32[1, 3]\n"
              "sink %4 {names = [\"y\"]}\n");
    EXPECT_EQ(simplified("f32[2, 3]", parts + "%4 = shrink %3 {begin = [0, 2], end = [2, 7]} : f32[2, 5]\n"), "unchanged");
}

TEST(Simplify, namesAndExplainsEveryRuleOnce)
{
    std::set<std::string_view> ids;
    for (const std::span<const GraphRule> rules : simplifyRules()) {
        for (const GraphRule &rule : rules) {
            EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
            EXPECT_FALSE(rule.title.empty());
            EXPECT_TRUE(rule.doc.ends_with('.')) << rule.id;
        }
    }
}

} // namespace
} // namespace sw
