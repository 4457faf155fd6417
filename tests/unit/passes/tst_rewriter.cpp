// Which nodes are offered to a rule.

#include "engine/passes/graph/rewriter.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <array>

namespace sw {
namespace {

constexpr const char *kProduct = "%0 = placeholder {name = \"x\", role = input} : f32[4]\n"
                                 "%1 = neg %0 : f32[4]\n%2 = neg %1 : f32[4]\n%3 = mul %2, %0 : f32[4]\n"
                                 "sink %3 {names = [\"y\"]}\n";

bool isNegation(const Node &node)
{
    return node.kind == NodeKind::Unary && node.op == Op::Neg;
}

// A negation of a negation; it may count on nothing but negations.
Replacement dropPair(RewriteContext &context)
{
    EXPECT_TRUE(isNegation(context.node()));
    return isNegation(context.input(0)) ? Replacement(context.input(0).inputs[0]) : noMatch();
}

constexpr std::array kRules = {
    GraphRule{"drop-pair", "Drop a pair", "The negation of a negation.", dropPair, isNegation},
};

TEST(Rewriter, offersARuleOnlyWhatItConcerns)
{
    PassRun run;
    const auto changed = rewriteGraph(graphOfLines(kProduct), kRules, run.context);
    ASSERT_TRUE(changed && *changed);
    EXPECT_EQ(run.context.rewrites().size(), 1U);
}

Replacement neverAsked(RewriteContext &)
{
    ADD_FAILURE() << "the graph has no cat";
    return noMatch();
}

constexpr std::array kCatRules = {
    GraphRule{"cat", "Cat", "A cat.", neverAsked, isOfKind<NodeKind::Cat>},
};

TEST(Rewriter, leavesAGraphAloneThatNoRuleConcerns)
{
    PassRun run;
    const auto changed = rewriteGraph(graphOfLines(kProduct), kCatRules, run.context);
    ASSERT_TRUE(changed);
    EXPECT_FALSE(*changed);
}

} // namespace
} // namespace sw
