#include "engine/api/rewrite_filter.h"

#include "engine/api/describe_common.h"
#include "engine/loops/printer.h"

#include <algorithm>
#include <map>
#include <utility>

namespace sw {

namespace {

// Tells which items of one stage come from some sources.
class TouchedItems {
public:
    TouchedItems(const Stage &stage, std::span<const std::uint32_t> sources) : m_stage(stage), m_sources(sources) {}

    [[nodiscard]] bool has(KernelId kernel, std::uint32_t id)
    {
        if (const auto *graph = std::get_if<GraphPtr>(&m_stage))
            return hasNode(**graph, id);
        if (const auto *schedule = std::get_if<SchedulePtr>(&m_stage))
            return hasNode(*(*schedule)->graph, id);
        if (const auto *loops = std::get_if<LoopProgramPtr>(&m_stage))
            return hasLine(**loops, kernel, id);
        return hasInstruction(*std::get<LoweredProgramPtr>(m_stage), kernel, id);
    }

    // For a rewrite that names no item: it is about the kernel as a whole.
    [[nodiscard]] bool hasKernel(KernelId kernel) const
    {
        const Schedule *schedule = scheduleOf();
        return schedule != nullptr && kernel.value < schedule->kernels.size() && meets(schedule->kernel(kernel).origin);
    }

private:
    [[nodiscard]] const Schedule *scheduleOf() const
    {
        if (const auto *schedule = std::get_if<SchedulePtr>(&m_stage))
            return schedule->get();
        if (const auto *loops = std::get_if<LoopProgramPtr>(&m_stage))
            return (*loops)->schedule.get();
        const auto *lowered = std::get_if<LoweredProgramPtr>(&m_stage);
        return lowered == nullptr ? nullptr : (*lowered)->schedule.get();
    }

    [[nodiscard]] bool meets(const Origin &origin) const
    {
        return std::ranges::any_of(origin.sources(),
                                   [this](SourceId source) { return std::ranges::binary_search(m_sources, source.value); });
    }

    [[nodiscard]] bool hasNode(const Graph &graph, std::uint32_t id) const
    {
        return id < graph.size() && meets(graph.node(NodeId(id)).origin);
    }

    [[nodiscard]] bool hasLine(const LoopProgram &program, KernelId kernel, std::uint32_t id)
    {
        if (kernel.value >= program.nests.size())
            return false;
        auto [lines, isNew] = m_lines.try_emplace(kernel);
        if (isNew)
            for (const LoopLine &line : linesOf(*program.nests[kernel.value], *program.schedule))
                lines->second.push_back(meets(line.origin));
        return id < lines->second.size() && lines->second[id];
    }

    // A rewrite of a body that kernels share happened to each of them.
    [[nodiscard]] bool hasInstruction(const LoweredProgram &program, KernelId kernel, std::uint32_t id)
    {
        if (kernel.value >= program.kernels.size())
            return false;
        const std::size_t number = program.kernels.bodyNumberOf(kernel.value);
        auto [touched, isNew] = m_instructions.try_emplace(number);
        if (isNew)
            touched->second = touchedInstructions(program.kernels, number);
        return id < touched->second.size() && touched->second[id];
    }

    [[nodiscard]] std::vector<bool> touchedInstructions(const KernelList &kernels, std::size_t number) const
    {
        const LoweredKernel &body = *kernels.bodies()[number];
        std::vector<bool> isPlaceMet;
        bool isShared = false;
        for (std::size_t kernel = 0; kernel < kernels.size(); ++kernel) {
            const KernelBinding *binding = kernels.bindingOf(kernel);
            if (kernels.bodyNumberOf(kernel) != number || binding == nullptr)
                continue;
            isShared = true;
            isPlaceMet.resize(binding->places.size());
            for (std::size_t place = 0; place < binding->places.size(); ++place)
                isPlaceMet[place] = isPlaceMet[place] || meets(binding->places[place]);
        }
        std::vector<bool> touched;
        for (const Instruction &instruction : body.instructions)
            touched.push_back(isShared ? std::ranges::any_of(instruction.origin.sources(),
                                                             [&](SourceId place) { return isPlaceMet.at(place.value); })
                                       : meets(instruction.origin));
        return touched;
    }

    const Stage &m_stage;
    std::span<const std::uint32_t> m_sources; // sorted
    std::map<KernelId, std::vector<bool>> m_lines;
    std::map<std::size_t, std::vector<bool>> m_instructions; // by body
};

// By rewrite of the step: whether it touched an item with one of the sources.
std::vector<bool> touchedBy(const PassStep &step, const CompileTarget &target, std::span<const std::uint32_t> sources,
                            const std::stop_token &stop)
{
    std::vector<bool> touched;
    TouchedItems before(step.before, sources);
    TouchedItems after(step.after, sources);
    for (const RewriteEvent &event : rewritesOf(step, target, kAllRewrites, stop)) {
        const auto isIn = [&](TouchedItems &items) {
            return [&items, &event](std::uint32_t id) { return items.has(event.kernel, id); };
        };
        const bool namesItems = !event.before.empty() || !event.after.empty();
        touched.push_back(namesItems
                              ? std::ranges::any_of(event.before, isIn(before)) || std::ranges::any_of(event.after, isIn(after))
                              : before.hasKernel(event.kernel));
    }
    return touched;
}

// The kernel under whose number the log has the rewrites of this one: kernels that share a body are rewritten together.
KernelId loggedKernel(const PassStep &step, std::uint32_t kernel)
{
    const auto *lowered = std::get_if<LoweredProgramPtr>(&step.before);
    if (lowered == nullptr || kernel >= (*lowered)->kernels.size())
        return KernelId(kernel);
    return (*lowered)->kernels.bodyOf(kernel).kernel;
}

} // namespace

PassMatches matchesIn(const PassStep &step, const CompileTarget &target, const RewriteFilter &filter, const std::stop_token &stop)
{
    const RewriteLog &log = step.rewrites;
    const bool hasRule = filter.rule.empty() || log.countOf(filter.rule) > 0;
    PassMatches matches;
    if (log.empty() || !hasRule)
        return matches;
    const KernelId kernel = filter.kernel == kNoIndex ? KernelId() : loggedKernel(step, filter.kernel);
    const std::vector<bool> touched =
        filter.sources.empty() ? std::vector<bool>() : touchedBy(step, target, filter.sources, stop);
    for (std::size_t i = 0; i < log.size(); ++i) {
        const bool isWanted = (filter.rule.empty() || log.rule(i) == filter.rule) &&
                              (!kernel.isValid() || log.kernel(i) == kernel) &&
                              (filter.sources.empty() || (i < touched.size() && touched[i]));
        if (isWanted)
            matches.push_back(static_cast<std::uint32_t>(i + 1));
    }
    return matches;
}

std::vector<PassMatches> matchingRewrites(const Compilation &compilation, const RewriteFilter &filter,
                                          const std::stop_token &stop)
{
    RewriteFilter sorted = filter;
    std::ranges::sort(sorted.sources);
    std::vector<PassMatches> all;
    for (const PassStep &step : compilation.pipeline.steps) {
        if (stop.stop_requested())
            return {};
        all.push_back(matchesIn(step, compilation.target, sorted, stop));
    }
    return stop.stop_requested() ? std::vector<PassMatches>() : std::move(all);
}

} // namespace sw
