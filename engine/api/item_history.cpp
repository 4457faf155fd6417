#include "engine/api/item_history.h"

#include "engine/api/describe.h"
#include "engine/api/document_change.h"
#include "engine/api/item_tracking.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

std::optional<StageLevel> levelOf(StageKind kind)
{
    switch (kind) {
    case StageKind::Graph:
        return StageLevel::Graph;
    case StageKind::Schedule:
        return StageLevel::Schedule;
    case StageKind::Loops:
        return StageLevel::Loops;
    case StageKind::Lowered:
    case StageKind::Code:
    case StageKind::Machine:
        return StageLevel::Lowered;
    case StageKind::Program:
        return std::nullopt;
    }
    SW_UNREACHABLE();
}

// The pass and the number of its rewrites at which the item's stage stands at the moment.
std::pair<std::uint32_t, std::uint32_t> standingOf(const Compilation &compilation, const StageWalk &walk, MomentPlace place)
{
    const auto &steps = compilation.pipeline.steps;
    if (place.pass >= walk.endPass())
        return {walk.endPass() - 1, static_cast<std::uint32_t>(steps[walk.endPass() - 1].rewrites.size())};
    return {place.pass, std::min(place.rewrites, static_cast<std::uint32_t>(steps[place.pass].rewrites.size()))};
}

// An item of a whole document, in the document of its kernel.
struct PlacedItem {
    KernelId kernel;      // invalid: the stage has no kernels
    std::size_t item = 0; // of the kernel's items, or of those of them that are gone
    bool isGone = false;  // the moment's rewrite took it away
};

bool isGone(const DocumentItem &item)
{
    return std::ranges::find(item.tags, kGoneTag) != item.tags.end();
}

PlacedItem placeIn(const StageDocument &document, ItemIndex item)
{
    const DocumentItem &asked = document.items[item];
    const bool hasKernels = document.kind == StageKind::Loops || document.kind == StageKind::Lowered;
    PlacedItem placed{hasKernels ? KernelId(asked.kernel) : KernelId(), 0, isGone(asked)};
    for (ItemIndex i = 0; i < item; ++i)
        if ((!hasKernels || document.items[i].kernel == asked.kernel) && isGone(document.items[i]) == placed.isGone)
            ++placed.item;
    return placed;
}

} // namespace

std::optional<ItemHistory> historyOf(const Compilation &compilation, const MomentItem &item, const StageDocument &document,
                                     const std::stop_token &stop)
{
    const std::optional<StageLevel> level = levelOf(item.stage);
    if (!level)
        return ItemHistory{};
    const PlacedItem placed = placeIn(document, item.item);
    const StageWalk walk(compilation, *level, placed.kernel, stop);
    if (walk.firstPass() == walk.endPass())
        return std::nullopt;
    const auto [pass, done] = standingOf(compilation, walk, item.place);
    if (pass < walk.firstPass() || (placed.isGone && done == 0))
        return std::nullopt;
    Standing standing{pass, placed.isGone ? done - 1 : done, nullptr, static_cast<ItemIndex>(placed.item)};
    standing.document = walk.at(standing.pass, standing.done);
    if (standing.document == nullptr)
        return std::nullopt;
    if (placed.isGone) {
        const std::vector<ItemIndex> gone = changeBetween(*standing.document, *walk.at(pass, done)).gone;
        standing.item = placed.item < gone.size() ? gone[placed.item] : kNoIndex;
    }
    if (standing.item >= standing.document->items.size())
        return std::nullopt;
    ItemHistory history;
    if (std::optional<Making> making = makingOf(walk, standing))
        history.made = std::move(making->event);
    history.ended = placed.isGone ? std::optional(eventAt(walk, pass, done)) : endOf(walk, standing);
    return stop.stop_requested() ? std::nullopt : std::optional(std::move(history));
}

} // namespace sw
