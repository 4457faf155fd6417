#include "engine/passes/loops/choose_transforms.h"

#include "engine/base/parallel.h"
#include "engine/loops/transform.h"
#include "engine/passes/kernel_memo.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/loop_overrides.h"
#include "engine/passes/loops/loop_tunings.h"
#include "engine/passes/loops/nest_structure.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sw {

namespace {

void chooseForDevice(NestPlan &plan)
{
    switch (plan.device().kind) {
    case DeviceKind::Interpreter:
        break; // plain loops are the easiest to follow
    case DeviceKind::Gpu:
        if (!chooseGroupTiles(plan) && !chooseTilesForGpu(plan))
            chooseForGpu(plan);
        break;
    case DeviceKind::Cpu:
        divideUnevenAxes(plan);
        if (plan.nest().reductions.empty())
            chooseForMap(plan);
        else if (isContraction(plan) && !chooseForColumns(plan))
            chooseForContraction(plan);
        else if (!isContraction(plan))
            chooseForRows(plan);
        tensorizeNarrowProducts(plan);
        break;
    }
}

LoopNest transformed(const Schedule &schedule, const LoopNest &nest, const PassContext &context)
{
    NestPlan plan(schedule, nest, context);
    const auto choose = [](NestPlan &one) {
        chooseForDevice(one);
        unrollAsAsked(one);
    };
    if (nest.stages.empty())
        choose(plan);
    else if (plan.device().kind != DeviceKind::Interpreter)
        chooseForStages(plan, choose);
    choosePrefetches(plan);
    return plan.take();
}

// Nests that are alike in all that choosing looks at: what is chosen for the first is right for all.
struct AlikeNests {
    std::optional<std::string> key = {}; // nothing: there is one, which is like no other
    std::vector<std::size_t> nests = {};
    std::optional<LoopNest> first = {}; // transformed
};

// Those that are given by hand are left out.
std::vector<AlikeNests> alikeNests(const LoopProgram &program, const LoopOverrides &overrides)
{
    std::vector<std::optional<std::string>> keys(program.nests.size());
    inParallel(keys.size(), [&](std::size_t i) {
        if (!overrides.isAbout(program.nests[i]->kernel))
            keys[i] = choiceKeyOf(*program.schedule, *program.nests[i]);
    });
    std::vector<AlikeNests> all;
    std::unordered_map<std::string, std::size_t> byKey;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (overrides.isAbout(program.nests[i]->kernel))
            continue;
        const auto known = keys[i] ? byKey.try_emplace(*keys[i], all.size()).first->second : all.size();
        if (known == all.size())
            all.push_back({.key = std::move(keys[i])});
        all[known].nests.push_back(i);
    }
    return all;
}

// The nest with the transformations that another one came to have.
LoopNest transformedLike(const LoopNest &nest, const LoopNest &chosen)
{
    return withFirstTransforms(nest, chosen.transforms, chosen.transforms.size());
}

// By nest, side by side, as long as no step is forbidden; nothing for those that are given by hand, and where steps are
// forbidden.
std::vector<std::optional<LoopNest>> transformedTogether(const LoopProgram &program, const LoopOverrides &overrides,
                                                         const PassContext &context)
{
    std::vector<std::optional<LoopNest>> made(program.nests.size());
    if (context.rewritesLeft() <= kNoRewriteLimit / 2 || !context.options().optimize)
        return made;
    std::vector<AlikeNests> all = alikeNests(program, overrides);
    KernelMemo *const memo = context.memo();
    std::vector<AlikeNests *> unknown;
    for (AlikeNests &alike : all) {
        const auto *chosen = memo == nullptr || !alike.key ? nullptr : memo->chosen(*alike.key);
        if (chosen != nullptr)
            alike.first = withFirstTransforms(*program.nests[alike.nests.front()], *chosen, chosen->size());
        else
            unknown.push_back(&alike);
    }
    context.expectKernels(unknown.size());
    inParallel(unknown.size(), [&](std::size_t i) {
        if (!context.isCancelled())
            unknown[i]->first = transformed(*program.schedule, *program.nests[unknown[i]->nests.front()], context);
        context.kernelDone();
    });
    if (context.isCancelled())
        return made;
    if (memo != nullptr)
        for (const AlikeNests *alike : unknown)
            if (alike->key)
                memo->keepChosen(*alike->key, alike->first->transforms);
    std::vector<const AlikeNests *> likeWhich(made.size());
    for (const AlikeNests &alike : all)
        for (const std::size_t nest : alike.nests)
            likeWhich[nest] = &alike;
    inParallel(made.size(), [&](std::size_t i) {
        if (likeWhich[i] != nullptr)
            made[i] = transformedLike(*program.nests[i], *likeWhich[i]->first);
    });
    return made;
}

// Records each transformation as one step, and keeps as many as the context allows. A nest in between need not satisfy the
// verifier: an axis is repeated in registers before the axes inside of it are.
LoopNest withAllowedSteps(const LoopNest &nest, LoopNest made, PassContext &context)
{
    std::size_t done = nest.transforms.size();
    for (; done < made.transforms.size() && context.mayRewrite(); ++done) {
        const Transform &transform = made.transforms[done];
        context.record(nameOf(transform.kind), nest.kernel, [&] {
            return RewriteDetail{transform.reason.empty() ? toText(transform)
                                                          : format("{}: {}", toText(transform), transform.reason)};
        });
    }
    return done == made.transforms.size() ? std::move(made) : withFirstTransforms(nest, made.transforms, done);
}

constexpr std::array kRules{
    StepRule{"split", "One loop becomes two: the outer one counts blocks, the inner one the indices in a block."},
    StepRule{"reorder", "The loops change places; the same points are visited in another order."},
    StepRule{"set_type", "The loop becomes work items of threads, lanes of a vector, or copies in registers; what it computes "
                         "stays the same."},
    StepRule{"merge", "Two neighbouring loops become one that counts what both did."},
    StepRule{"divide",
             "One loop becomes two: the outer one counts rows, the inner one the places in a row; indices that told rows "
             "from places by a division then move evenly with both."},
    StepRule{"join",
             "Two reductions over the same elements go on together in the loops of the first: each element is read once."},
    StepRule{"mask", "What the vectors leave over is one vector of as many lanes; those that have no index are not loaded or "
                     "stored."},
    StepRule{"pack", "What the inner loops read again and again is copied first, in the order in which they read it."},
    StepRule{"non_temporal", "The store goes past the caches: the buffer is larger than they are, so keeping it would only push "
                             "other values out."},
    StepRule{"group", "So many neighbouring work items run together on the device."},
    StepRule{"unroll", "The body of the loop is written out several times, so that fewer jumps are taken."},
    StepRule{"tensorize", "Each step multiplies two tiles with one instruction, where the device has it."},
    StepRule{"share", "The work items of a group copy together what all of them read, and wait until it is there."},
    StepRule{"pad",
             "The axis counts on to a multiple, so that tiles divide it; what is not there counts as 0 and is not stored."},
    StepRule{"prefetch",
             "What will be loaded some rounds later is fetched into the cache now: the processor does not foresee it, "
             "because it follows what is read again."},
    StepRule{"stream", "While one block of an operand is computed with, the next one is fetched, a little at each step: memory "
                       "and the core work at the same time."},
};

} // namespace

bool isContraction(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (nest.reductions.empty())
        return false;
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        if (nest.values[i].kind != ValueKind::Reduction)
            continue;
        for (const AxisId axis : nest.domain)
            if (!std::ranges::binary_search(plan.dependencies()[i], axis))
                return false;
    }
    return true;
}

std::span<const StepRule> transformRules()
{
    return kRules;
}

Result<std::optional<LoopProgram>> chooseTransforms(const LoopProgram &program, PassContext &context)
{
    LoopOverrides overrides(*program.schedule, context.options());
    if (!context.options().optimize && overrides.empty())
        return std::optional<LoopProgram>();
    LoopTunings tunings(*program.schedule, context);
    LoopProgram changed{.schedule = program.schedule};
    bool isChanged = !overrides.empty();
    std::vector<std::optional<LoopNest>> chosen = transformedTogether(program, overrides, context);
    for (std::size_t i = 0; i < program.nests.size(); ++i) {
        const auto &nest = program.nests[i];
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while choosing loop transformations");
        if (!context.mayRewrite() || !context.options().optimize) {
            changed.nests.push_back(nest);
            continue;
        }
        std::optional<LoopNest> byHand = overrides.transformed(*nest, *program.schedule);
        std::optional<LoopNest> tuned = byHand || overrides.isAbout(nest->kernel) ? std::nullopt : tunings.transformed(*nest);
        if (!byHand && !tuned && !chosen[i])
            chosen[i] = transformed(*program.schedule, *nest, context);
        LoopNest made = byHand ? std::move(*byHand) : tuned ? std::move(*tuned) : std::move(*chosen[i]);
        const std::size_t before = nest->transforms.size();
        if (made.transforms.size() == before) {
            changed.nests.push_back(nest);
            continue;
        }
        isChanged = true;
        changed.nests.push_back(std::make_shared<const LoopNest>(withAllowedSteps(*nest, std::move(made), context)));
    }
    changed.overrides = std::move(overrides).outcomes();
    changed.notes = std::move(tunings).notes();
    isChanged = isChanged || !changed.notes.empty();
    return isChanged ? std::optional(std::move(changed)) : std::nullopt;
}

} // namespace sw
