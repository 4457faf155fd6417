#include "engine/pipeline/partial_run.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace sw {

namespace {

// The rewrites of the step that are of one kernel stand side by side.
struct KernelRewrites {
    KernelId kernel;
    std::uint32_t first = 0;
    std::uint32_t count = 0;
};

KernelRewrites rewritesAround(const RewriteLog &log, std::uint32_t rewrite)
{
    KernelRewrites found{log.kernel(rewrite), rewrite, 1};
    while (found.first > 0 && log.kernel(found.first - 1) == found.kernel)
        --found.first;
    found.count = rewrite - found.first + 1;
    while (found.first + found.count < log.size() && log.kernel(found.first + found.count) == found.kernel)
        ++found.count;
    return found;
}

std::optional<std::size_t> bodyOf(const KernelList &kernels, KernelId kernel)
{
    for (std::size_t i = 0; i < kernels.bodies().size(); ++i)
        if (kernels.bodies()[i]->kernel == kernel)
            return i;
    return std::nullopt;
}

// The stage with nothing but the kernel, as the log names it: a body that kernels share counts as the first of them. Nothing: the
// stage has no kernels.
std::optional<Stage> kernelAlone(const Stage &stage, KernelId kernel)
{
    if (const auto *loops = std::get_if<LoopProgramPtr>(&stage)) {
        if (kernel.value >= (*loops)->nests.size())
            return std::nullopt;
        return std::make_shared<const LoopProgram>(
            LoopProgram{.schedule = (*loops)->schedule, .nests = {(*loops)->nests[kernel.value]}});
    }
    const auto *lowered = std::get_if<LoweredProgramPtr>(&stage);
    const std::optional<std::size_t> body = lowered == nullptr ? std::nullopt : bodyOf((*lowered)->kernels, kernel);
    if (!body)
        return std::nullopt;
    auto alone = std::make_shared<LoweredProgram>();
    alone->schedule = (*lowered)->schedule;
    alone->kernels.push_back(*(*lowered)->kernels.bodies()[*body]);
    return std::shared_ptr<const LoweredProgram>(std::move(alone));
}

// Both stages are of the same level: what stands before the kernel is taken from `after`.
Stage joined(const LoopProgram &before, const LoopProgram &after, KernelId kernel, const LoopProgram &part)
{
    auto made = std::make_shared<LoopProgram>(after);
    made->nests[kernel.value] = part.nests.front();
    for (std::size_t i = kernel.value + 1; i < made->nests.size(); ++i)
        made->nests[i] = before.nests[i];
    return std::shared_ptr<const LoopProgram>(std::move(made));
}

Stage joined(const LoweredProgram &before, const LoweredProgram &after, std::size_t body, const LoweredProgram &part)
{
    const std::span<const KernelList::Body> done = after.kernels.bodies();
    const std::span<const KernelList::Body> todo = before.kernels.bodies();
    std::vector<KernelList::Body> bodies(done.begin(), done.begin() + static_cast<std::ptrdiff_t>(body));
    bodies.push_back(part.kernels.bodies().front());
    bodies.insert(bodies.end(), todo.begin() + static_cast<std::ptrdiff_t>(body) + 1, todo.end());
    return std::make_shared<const LoweredProgram>(LoweredProgram{before.schedule, before.kernels.withBodies(std::move(bodies))});
}

// The kernels up to this one, which ends where its part ends.
Stage begun(const LoweredProgram &after, KernelId kernel, const LoweredProgram &part)
{
    KernelList kernels = after.kernels.first(kernel.value + 1);
    const std::size_t body = kernels.bodyNumberOf(kernel.value);
    std::vector<KernelList::Body> bodies(kernels.bodies().begin(), kernels.bodies().end());
    LoweredKernel cut = *bodies[body];
    const std::size_t kept = part.kernels.bodies().front()->instructions.size();
    cut.instructions.erase(cut.instructions.begin() + static_cast<std::ptrdiff_t>(kept), cut.instructions.end());
    bodies[body] = std::make_shared<const LoweredKernel>(std::move(cut));
    return std::make_shared<const LoweredProgram>(LoweredProgram{after.schedule, kernels.withBodies(std::move(bodies))});
}

// A kernel whose body is an earlier one's is made in one step.
bool isMadeAtOnce(const Stage &after, KernelId kernel)
{
    const auto *lowered = std::get_if<LoweredProgramPtr>(&after);
    return lowered != nullptr && (*lowered)->kernels.bodyOf(kernel.value).kernel != kernel;
}

// A body that kernels share is lowered with places as its origins, by which its statements are told.
bool isLoweredForOthersToo(const PassStep &step, KernelId kernel)
{
    const auto *lowered = std::get_if<LoweredProgramPtr>(&step.after);
    return levelOf(step.before) == StageLevel::Loops && lowered != nullptr &&
           (*lowered)->kernels.bindingOf(kernel.value) != nullptr;
}

// Nothing: the pass has to run as a whole.
std::optional<Stage> betweenKernels(const PassStep &step, const CompileTarget &target, std::uint32_t rewrites,
                                    const std::stop_token &stop)
{
    const KernelRewrites own = rewritesAround(step.rewrites, rewrites - 1);
    const std::optional<Stage> alone = own.kernel.isValid() ? kernelAlone(step.before, own.kernel) : std::nullopt;
    if (!alone)
        return std::nullopt;
    if (levelOf(step.before) == StageLevel::Loops && isMadeAtOnce(step.after, own.kernel)) {
        const auto &whole = *std::get<LoweredProgramPtr>(step.after);
        return std::make_shared<const LoweredProgram>(LoweredProgram{whole.schedule, whole.kernels.first(own.kernel.value + 1)});
    }
    const std::uint32_t budget = rewrites - own.first;
    const PassStep part = runPass(*alone, *step.pass, target, stop, budget);
    if (part.failed || part.rewrites.size() != budget)
        return std::nullopt;
    if (const auto *loops = std::get_if<LoopProgramPtr>(&step.after))
        return joined(*std::get<LoopProgramPtr>(step.before), **loops, own.kernel, *std::get<LoopProgramPtr>(part.after));
    const auto &after = *std::get<LoweredProgramPtr>(step.after);
    const auto &partial = *std::get<LoweredProgramPtr>(part.after);
    if (const auto *before = std::get_if<LoweredProgramPtr>(&step.before))
        return joined(**before, after, *bodyOf((*before)->kernels, own.kernel), partial);
    return begun(after, own.kernel, partial);
}

} // namespace

Stage stageBetween(const PassStep &step, const CompileTarget &target, std::uint32_t rewrites, const std::stop_token &stop)
{
    if (rewrites >= step.rewrites.size())
        return step.after;
    if (rewrites == 0 && step.pass->input == step.pass->output)
        return step.before;
    if (rewrites > 0)
        if (std::optional<Stage> between = betweenKernels(step, target, rewrites, stop))
            return std::move(*between);
    return runPass(step.before, *step.pass, target, stop, rewrites).after;
}

std::optional<RewriteEvent> rewriteOf(const PassStep &step, const CompileTarget &target, std::uint32_t rewrite,
                                      const std::stop_token &stop)
{
    if (rewrite >= step.rewrites.size())
        return std::nullopt;
    const KernelRewrites own = rewritesAround(step.rewrites, rewrite);
    const bool isAlone = own.kernel.isValid() && !isLoweredForOthersToo(step, own.kernel);
    if (const std::optional<Stage> alone = isAlone ? kernelAlone(step.before, own.kernel) : std::nullopt) {
        const PassStep part = runPass(*alone, *step.pass, target, stop, kNoRewriteLimit, {rewrite - own.first, 1});
        if (!part.failed && part.rewrites.size() == own.count && !part.rewrites.events().empty())
            return part.rewrites.events().front();
    }
    std::vector<RewriteEvent> told = rewritesOf(step, target, {rewrite, 1}, stop);
    return told.empty() ? std::nullopt : std::optional(std::move(told.front()));
}

} // namespace sw
