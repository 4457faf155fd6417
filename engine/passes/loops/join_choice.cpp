#include "engine/passes/loops/join_choice.h"

#include "engine/loops/join.h"
#include "engine/loops/transform.h"

#include <utility>

namespace sw {

namespace {

Transform joinOf(const NestPlan &plan, std::size_t follower, std::string reason)
{
    const std::vector<Reduction> &reductions = plan.nest().reductions;
    return {.kind = TransformKind::Join,
            .axes = {plan.nameOf(reductions.front().axes.front()), plan.nameOf(reductions[follower].axes.front())},
            .reason = std::move(reason)};
}

std::string reasonFor(const LoopNest &nest, const Reduction &follower)
{
    const Op leader = nest.reductions[follower.joined->leader.value].op;
    switch (follower.joined->rule) {
    case JoinRule::Beside:
        return "both read the same steps: one pass over them";
    case JoinRule::Place:
        return format("the place goes on with the {}: one pass over the elements", nameOf(leader));
    case JoinRule::Distances:
        return "distances from one element tell those from the mean: one pass over the elements";
    case JoinRule::Rescaled:
        return "what was added up is rescaled where the max grows: one pass over the elements";
    }
    SW_UNREACHABLE();
}

} // namespace

void joinReductions(NestPlan &plan, std::int64_t fewestSteps)
{
    if (plan.nest().reductions.empty() || plan.nest().reductions.front().axes.empty())
        return;
    for (std::size_t i = 1; i < plan.nest().reductions.size(); ++i) {
        if (plan.nest().reductions[i].axes.empty())
            continue;
        const Result<LoopNest> made = applyTransform(plan.nest(), joinOf(plan, i, {}));
        if (!made)
            continue;
        const Reduction &follower = made->reductions[i];
        if (follower.joined->rule == JoinRule::Rescaled)
            continue; // its arithmetic takes longer than reading the elements once more
        const bool isRounded = follower.joined->rule == JoinRule::Distances;
        if (isRounded && (plan.isStrict() || plan.elementsOf(follower.axes) < fewestSteps))
            continue;
        plan.joinReduction(joinOf(plan, i, reasonFor(*made, follower)));
    }
}

} // namespace sw
