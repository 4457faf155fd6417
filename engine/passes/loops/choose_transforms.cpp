#include "engine/passes/loops/choose_transforms.h"

#include "engine/loops/transform.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/loop_overrides.h"

#include <algorithm>

namespace sw {

namespace {

bool isContraction(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        if (nest.values[i].kind != ValueKind::Reduction)
            continue;
        for (const AxisId axis : nest.domain)
            if (!std::ranges::binary_search(plan.dependencies()[i], axis))
                return false;
    }
    return true;
}

void chooseForDevice(NestPlan &plan)
{
    switch (plan.device().kind) {
    case DeviceKind::Interpreter:
        break; // plain loops are the easiest to follow
    case DeviceKind::Gpu:
        if (!chooseTilesForGpu(plan))
            chooseForGpu(plan);
        break;
    case DeviceKind::Cpu:
        if (plan.nest().reductions.empty())
            chooseForMap(plan);
        else if (isContraction(plan))
            chooseForContraction(plan);
        else
            chooseForRows(plan);
        tensorizeNarrowProducts(plan);
        break;
    }
}

LoopNest transformed(const Schedule &schedule, const LoopNest &nest, const PassContext &context)
{
    NestPlan plan(schedule, nest, context);
    chooseForDevice(plan);
    unrollAsAsked(plan);
    return plan.take();
}

} // namespace

Result<std::optional<LoopProgram>> chooseTransforms(const LoopProgram &program, PassContext &context)
{
    LoopOverrides overrides(*program.schedule, context.options());
    if (!context.options().optimize && overrides.empty())
        return std::optional<LoopProgram>();
    LoopProgram changed{.schedule = program.schedule};
    bool isChanged = !overrides.empty();
    for (const auto &nest : program.nests) {
        if (context.isCancelled())
            return Diagnostic::error(Code::Cancelled, {}, "cancelled while choosing loop transformations");
        if (!context.mayRewrite() || !context.options().optimize) {
            changed.nests.push_back(nest);
            continue;
        }
        std::optional<LoopNest> byHand = overrides.transformed(*nest, *program.schedule);
        auto made =
            std::make_shared<const LoopNest>(byHand ? std::move(*byHand) : transformed(*program.schedule, *nest, context));
        const std::size_t before = nest->transforms.size();
        if (made->transforms.size() == before) {
            changed.nests.push_back(nest);
            continue;
        }
        isChanged = true;
        context.record("choose-transforms", nest->kernel, [&] {
            return RewriteDetail{join(std::span(made->transforms).subspan(before), "; ",
                                      [](const Transform &transform) { return toText(transform); }),
                                 {nest->kernel.value},
                                 {nest->kernel.value}};
        });
        changed.nests.push_back(std::move(made));
    }
    changed.overrides = std::move(overrides).outcomes();
    return isChanged ? std::optional(std::move(changed)) : std::nullopt;
}

} // namespace sw
