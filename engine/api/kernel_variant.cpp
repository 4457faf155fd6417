#include "engine/api/kernel_variant.h"

#include "engine/api/effect.h"
#include "engine/api/explanation.h"
#include "engine/api/override_notes.h"
#include "engine/pipeline/pipeline.h"

#include <algorithm>

namespace sw {

namespace {

// Those about the loops of the kernel go, whichever of its values they name.
Overrides withLoops(Overrides overrides, const Override &loops, const Schedule &schedule, const ValuePaths &paths)
{
    const auto kernelOf = [&](const std::string &value) {
        const NodeId node = paths.find(value);
        return node.isValid() ? schedule.kernelOf(node) : KernelId();
    };
    const KernelId kernel = kernelOf(loops.value);
    std::erase_if(overrides.items,
                  [&](const Override &item) { return item.kind == OverrideKind::Loops && kernelOf(item.value) == kernel; });
    overrides.items.push_back(loops);
    return overrides;
}

} // namespace

const LoopNest *plainNest(const Compilation &compilation, KernelId kernel)
{
    for (const PassStep &step : compilation.pipeline.steps)
        if (step.pass->id == "choose-transforms")
            return std::get<LoopProgramPtr>(step.before)->nests.at(kernel.value).get();
    return nullptr;
}

const DeviceInfo &deviceOf(const Compilation &compilation, KernelId kernel)
{
    const DeviceSlot slot = compilation.schedule->kernel(kernel).device;
    return slot.value == 0 ? compilation.target.device : compilation.target.others.at(slot.value - 1).device;
}

Result<Compilation> withTransforms(const Compilation &compilation, KernelId kernel, std::size_t transforms,
                                   const std::stop_token &stop)
{
    const LoopNest *plain = compilation.loops == nullptr ? nullptr : plainNest(compilation, kernel);
    if (plain == nullptr)
        return Diagnostic::error(Code::Argument, {}, "the loops of kernel {} were not chosen by the compiler", kernel.value);
    const LoopNest &nest = *compilation.loops->nests.at(kernel.value);
    const std::size_t first = plain->transforms.size();
    if (transforms < first || transforms > nest.transforms.size())
        return Diagnostic::error(Code::Argument, {}, "the loops of kernel {} can have {} to {} of their transformations, not {}",
                                 kernel.value, first, nest.transforms.size(), transforms);
    const ValuePaths paths(*compilation.schedule->graph);
    Override loops = loopsOf(nest, *compilation.schedule, paths);
    loops.transforms.resize(transforms);
    CompileTarget target = compilation.target;
    target.options.overrides = withLoops(target.options.overrides, loops, *compilation.schedule, paths);
    const PipelineRun run = runPipeline(compilation.pipeline.steps.front().before, standardPipeline(), target, stop);
    if (run.cancelled || stop.stop_requested())
        return Diagnostic::error(Code::Cancelled, {}, "the compilation was cancelled");
    if (!run.succeeded)
        return Failure(run.diagnostics);
    Compilation made;
    made.target = target;
    made.threads = compilation.threads;
    made.sources = compilation.sources;
    made.runDimensions = compilation.runDimensions;
    made.lowered = std::get<LoweredProgramPtr>(run.last);
    made.schedule = made.lowered->schedule;
    made.graph = made.schedule->graph;
    for (const PassStep &step : run.steps)
        if (const auto *program = std::get_if<LoopProgramPtr>(&step.after))
            made.loops = *program;
    const std::span<const OverrideOutcome> outcomes = outcomesOf(*made.schedule, made.loops.get());
    if (outcomes.empty() || outcomes.back().state == OverrideState::Refused || outcomes.back().state == OverrideState::Unknown)
        return Diagnostic::error(Code::Argument, {}, "the first {} transformations of kernel {} are no loops: {}", transforms,
                                 compilation.schedule->kernel(kernel).name, outcomes.empty() ? "" : outcomes.back().reason);
    return made;
}

} // namespace sw
