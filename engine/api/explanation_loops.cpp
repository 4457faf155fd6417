// The cards of loop transformations.

#include "engine/api/explanation.h"
#include "engine/api/explanation_numbers.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

// What the rows of resources/docs/loops.md say.
std::string_view docOf(TransformKind kind)
{
    switch (kind) {
    case TransformKind::Split:
        return "One axis becomes two: the inner one has as many indices as the factor, what does not divide is a rest.";
    case TransformKind::Reorder:
        return "The loops run in this order, outermost first.";
    case TransformKind::SetType:
        return "Says what the axis becomes: a loop, work items, lanes of a vector, or copies in registers.";
    case TransformKind::Merge:
        return "Two neighbouring axes that no index tells apart become one.";
    case TransformKind::Divide:
        return "One axis becomes two: how often the number goes into its index, and what that leaves.";
    case TransformKind::Mask:
        return "What the vectors leave over is one vector of as many lanes, of which some have no index.";
    case TransformKind::Pack:
        return "What is loaded is copied once per step of a loop, laid out as the inner loops read it.";
    case TransformKind::NonTemporal:
        return "The store goes past the caches.";
    case TransformKind::Group:
        return "The work items of the axis come in groups of this size.";
    case TransformKind::Unroll:
        return "The device's compiler writes the body of the loop out so many times per round.";
    case TransformKind::Tensorize:
        return "The steps of the reduction are products of tiles.";
    case TransformKind::Share:
        return "The work items of a group copy what all of them read into the memory of the group, once per step of a loop.";
    case TransformKind::Pad:
        return "The axis counts on to a multiple; indices that do not exist load nothing and store nothing.";
    case TransformKind::Prefetch:
        return "Where it loads, the line that it will load so many rounds of the loop later is fetched into the cache.";
    case TransformKind::Stream:
        return "While a round of the loop runs, what it loads in the next round is fetched into the cache, a part at each step.";
    case TransformKind::Join:
        return "Two reductions over the same elements run in the same loops: each element is read once for both.";
    }
    SW_UNREACHABLE();
}

void addExtents(WhyCard &card, const LoopNest &nest, const Schedule &schedule, const Transform &transform)
{
    for (const std::string &name : transform.axes) {
        const auto stage =
            std::ranges::find_if(nest.stages, [&](const LoopNest &one) { return axisNamed(one, name).has_value(); });
        if (stage != nest.stages.end()) {
            addExtents(card, *stage, schedule, {.kind = transform.kind, .axes = {name}, .factor = transform.factor});
            continue;
        }
        const std::optional<AxisId> axis = axisNamed(nest, name);
        if (!axis)
            continue;
        const std::int64_t extent = nest.axes[axis->value].extent;
        const std::string end = endText(nest, schedule, *axis);
        card.numbers.push_back(countOf(format("extent of {}", name), extent,
                                       end.empty() ? std::string("the axes of the kernel")
                                                   : format("the largest that there may be; a run ends at {}", end)));
        if (transform.kind == TransformKind::Divide) {
            card.numbers.push_back(countOf("rows", extent / transform.factor, "extent / number"));
            card.numbers.push_back(countOf("places in a row", transform.factor, "the transformation"));
        }
        if (transform.kind != TransformKind::Split)
            continue;
        card.numbers.push_back(countOf("factor", transform.factor, "the transformation"));
        card.numbers.push_back(countOf("rounds", extent / transform.factor, "extent / factor"));
        card.numbers.push_back(countOf("rest", extent % transform.factor, "what the factor does not divide"));
    }
}

} // namespace

WhyCard transformCard(const Explained &of, KernelId id, std::uint32_t index)
{
    const LoopNest &nest = *of.loops->nests.at(id.value);
    const Transform &transform = nest.transforms.at(index);
    WhyCard card;
    card.subject = WhySubject::Transform;
    card.title = toText(transform);
    card.decision = format("transformation {} of {} of {}", index + 1, nest.transforms.size(), of.schedule.kernel(id).name);
    card.rule = nameOf(transform.kind);
    card.ruleTitle = nameOf(transform.kind);
    card.ruleDoc = docOf(transform.kind);
    card.reason = transform.reason.empty() ? "done for every kernel where it can be" : transform.reason;
    addExtents(card, nest, of.schedule, transform);
    Override without = loopsOf(nest, of.schedule, of.paths);
    without.transforms.erase(without.transforms.begin() + index);
    card.tries = {{"Leave it out", toText(without)}, {"Change the loops", toText(loopsOf(nest, of.schedule, of.paths))}};
    card.kernel = id.value;
    return card;
}

} // namespace sw
