#include "engine/passes/graph/constants.h"
#include "engine/passes/graph/simplify.h"

#include <array>

namespace sw {

namespace {

Replacement chooseKnown(RewriteContext &context)
{
    if (context.node().kind != NodeKind::Choose)
        return noMatch();
    const std::optional<Scalar> condition = splatOf(context.builder(), context.inputId(0));
    if (!condition)
        return noMatch();
    return std::optional(context.inputId(condition->asBool() ? 1 : 2));
}

Replacement chooseEqual(RewriteContext &context)
{
    if (context.node().kind != NodeKind::Choose || context.inputId(1) != context.inputId(2))
        return noMatch();
    return std::optional(context.inputId(1));
}

constexpr std::array kRules = {
    GraphRule{"choose-known", "Choose by a known condition",
              "A choice whose condition is constant is the branch that it chooses.", chooseKnown},
    GraphRule{"choose-equal", "Choose between equals", "A choice between a value and itself is that value.", chooseEqual},
};

} // namespace

std::span<const GraphRule> choiceRules()
{
    return kRules;
}

} // namespace sw
