#include "ui/session/kernel_choice.h"

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kQuickFlops = 50'000'000; // of the kernels before one

bool isQuickToOpen(const sw::Report &report, std::uint32_t kernel)
{
    std::int64_t flops = 0;
    for (std::uint32_t i = 0; i < kernel && i < report.kernels.size(); ++i)
        flops += report.kernels[i].flops;
    return flops <= kQuickFlops;
}

// The first one, or the open one if it is among them.
std::optional<std::uint32_t> selectedKernel(const Debugger &debugger, const Selection &selection,
                                            const sw::StageDocument &lowered)
{
    std::optional<std::uint32_t> found;
    for (const sw::ItemIndex item : selection.selected(sw::StageKind::Lowered).items) {
        const std::uint32_t kernel = item < lowered.items.size() ? lowered.items[item].kernel : sw::kNoIndex;
        if (kernel == debugger.kernel())
            return kernel;
        if (!found && kernel != sw::kNoIndex)
            found = kernel;
    }
    return found;
}

} // namespace

std::optional<std::uint32_t> kernelToOpen(const Debugger &debugger, const Selection &selection, const Moment &moment,
                                          const SnapshotPtr &end)
{
    if (!end || !end->isFinal || !moment.isAtEnd() || !end->stage(sw::StageKind::Lowered).document ||
        end->isOutOfDate(sw::StageKind::Lowered) || end->report->kernels.empty())
        return std::nullopt;
    const sw::DocumentItem *item = selection.selectedItem();
    const bool isKernel = item && std::ranges::find(item->tags, "kernel") != item->tags.end();
    if (debugger.hasStepped() && !isKernel)
        return std::nullopt;
    std::optional<std::uint32_t> wanted = selectedKernel(debugger, selection, *end->stage(sw::StageKind::Lowered).document);
    if (!wanted && !debugger.kernel())
        wanted = 0;
    if (!wanted || wanted == debugger.kernel() || (!isKernel && !isQuickToOpen(*end->report, *wanted)))
        return std::nullopt;
    return wanted;
}

} // namespace stepwell::ui
