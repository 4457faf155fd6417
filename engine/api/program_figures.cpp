#include "engine/api/program_figures.h"

#include "engine/lowered/work.h"
#include "engine/schedule/step_estimates.h"

namespace sw {

ProgramFigures programFigures(const Schedule &schedule, const LoweredProgram *lowered, std::span<const DeviceFigures> figures)
{
    ProgramFigures made;
    made.kernels = static_cast<std::int64_t>(schedule.kernels.size());
    const std::vector<KernelWork> works = executedWorks(schedule, lowered);
    for (const ScheduleItem &item : schedule.items)
        if (item.kernel().isValid() && item.phase == Phase::Run)
            made.bytes += works.at(item.kernel().value).bytes();
    for (std::size_t i = 0; lowered != nullptr && i < lowered->kernels.size(); ++i)
        made.instructions += static_cast<std::int64_t>(lowered->kernels.bodyOf(i).instructions.size());
    const StepEstimates estimates = estimateSteps(schedule, figures);
    made.estimatedNanoseconds = estimates.path.nanoseconds;
    made.estimatedBy = sourceOf(estimates.figures.front());
    return made;
}

void addEstimates(std::vector<KernelEntry> &kernels, const Schedule &schedule, std::span<const DeviceFigures> figures)
{
    const StepEstimates estimates = estimateSteps(schedule, figures);
    for (std::size_t i = 0; i < kernels.size(); ++i)
        kernels[i].estimatedNanoseconds = estimates.kernels.at(i);
}

} // namespace sw
