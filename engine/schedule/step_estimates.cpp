#include "engine/schedule/step_estimates.h"

#include <algorithm>

namespace sw {

std::int64_t estimatedNanoseconds(const Schedule &schedule, const ScheduleItem &item, std::span<const DeviceFigures> figures)
{
    if (const KernelId id = item.kernel(); id.isValid()) {
        const ScheduledKernel &kernel = schedule.kernel(id);
        return kernelNanoseconds(kernel.estimate, figures[kernel.device.value].rates);
    }
    const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
    std::int64_t longest = 0;
    if (transfer != nullptr)
        for (const DeviceSlot slot : devicesOf(schedule, item))
            longest = std::max(longest, transferNanoseconds(transfer->bytes, figures[slot.value].rates));
    return longest;
}

std::int64_t estimatedNanoseconds(const Schedule &schedule, std::uint32_t item, std::span<const DeviceFigures> figures)
{
    const std::int64_t once = estimatedNanoseconds(schedule, schedule.items.at(item), figures);
    const RepeatedItems *repeat = schedule.repeatOf(item);
    const bool isOfAllSteps = repeat == nullptr || schedule.items[item].kernel().isValid();
    return isOfAllSteps ? once : once * estimatedSteps(repeat->steps);
}

StepEstimates estimateSteps(const Schedule &schedule, std::span<const DeviceFigures> figures)
{
    StepEstimates estimates;
    estimates.figures.assign(figures.begin(), figures.end());
    estimates.figures.resize(std::max(schedule.devices.size(), std::size_t{1}));
    for (const ScheduledKernel &kernel : schedule.kernels)
        estimates.kernels.push_back(kernelNanoseconds(kernel.estimate, estimates.figures.at(kernel.device.value).rates));
    for (std::uint32_t i = 0; i < schedule.items.size(); ++i)
        estimates.items.push_back(estimatedNanoseconds(schedule, i, estimates.figures));
    estimates.path = findCriticalPath(schedule, estimates.items);
    return estimates;
}

} // namespace sw
