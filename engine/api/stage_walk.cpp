#include "engine/api/stage_walk.h"

#include "engine/api/describe.h"
#include "engine/api/moments.h"
#include "engine/pipeline/partial_run.h"

#include <algorithm>
#include <utility>

namespace sw {

StageWalk::StageWalk(const Compilation &compilation, StageLevel level, KernelId kernel, std::stop_token stop)
    : m_compilation(compilation), m_level(level), m_kernel(kernel), m_stop(std::move(stop))
{
    const auto &steps = compilation.pipeline.steps;
    const auto isOfLevel = [&](const PassStep &step) { return step.pass->output == level; };
    const auto first = std::ranges::find_if(steps, isOfLevel);
    m_first = static_cast<std::uint32_t>(first - steps.begin());
    m_end = static_cast<std::uint32_t>(std::find_if_not(first, steps.end(), isOfLevel) - steps.begin());
}

bool StageWalk::isGiven() const
{
    return m_first < m_end && m_compilation.pipeline.steps[m_first].pass->input == m_level;
}

// The stage with nothing but the kernel.
Stage StageWalk::part(const Stage &stage) const
{
    if (!m_kernel.isValid())
        return stage;
    if (const auto *loops = std::get_if<LoopProgramPtr>(&stage)) {
        auto one = std::make_shared<LoopProgram>(LoopProgram{.schedule = (*loops)->schedule});
        for (const auto &nest : (*loops)->nests)
            if (nest->kernel == m_kernel)
                one->nests.push_back(nest);
        return LoopProgramPtr(std::move(one));
    }
    if (const auto *lowered = std::get_if<LoweredProgramPtr>(&stage)) {
        auto one = std::make_shared<LoweredProgram>();
        one->schedule = (*lowered)->schedule;
        const KernelList &kernels = (*lowered)->kernels;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const KernelBinding *binding = kernels.bindingOf(i);
            if ((binding != nullptr ? binding->kernel : kernels.bodyOf(i).kernel) == m_kernel)
                one->kernels.push_back(kernels[i]);
        }
        return LoweredProgramPtr(std::move(one));
    }
    return stage;
}

StageDocumentPtr StageWalk::documentOf(const Stage &stage) const
{
    return levelOf(stage) == m_level ? describeStage(part(stage)) : nullptr;
}

StageDocumentPtr StageWalk::before(std::uint32_t pass) const
{
    return documentOf(m_compilation.pipeline.steps[pass].before);
}

StageDocumentPtr StageWalk::after(std::uint32_t pass) const
{
    return documentOf(m_compilation.pipeline.steps[pass].after);
}

std::vector<std::uint32_t> StageWalk::candidates(std::uint32_t pass) const
{
    const PassStep &step = m_compilation.pipeline.steps[pass];
    KernelId logged;
    if (step.pass->input == StageLevel::Loops || step.pass->output == StageLevel::Loops)
        logged = m_kernel;
    const auto *lowered = std::get_if<LoweredProgramPtr>(&step.before);
    if (lowered != nullptr && m_kernel.isValid()) // kernels that share a body are rewritten together
        logged = (*lowered)->kernels.bodyOf(m_kernel.value).kernel;
    std::vector<std::uint32_t> found;
    for (std::uint32_t i = 0; i < step.rewrites.size(); ++i)
        if (!logged.isValid() || step.rewrites.kernel(i) == logged)
            found.push_back(i + 1);
    return found;
}

StageDocumentPtr StageWalk::at(std::uint32_t pass, std::uint32_t rewrites) const
{
    return documentOf(stageBetween(m_compilation.pipeline.steps[pass], m_compilation.target, rewrites, m_stop));
}

std::optional<RewriteEntry> StageWalk::rewrite(std::uint32_t pass, std::uint32_t rewrites) const
{
    std::vector<RewriteEntry> entries =
        rewriteEntries(m_compilation.pipeline.steps[pass], m_compilation.target, {rewrites - 1, 1}, m_stop);
    return entries.empty() ? std::nullopt : std::optional(std::move(entries.front()));
}

} // namespace sw
