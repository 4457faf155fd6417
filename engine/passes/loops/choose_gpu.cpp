#include "engine/passes/loops/choose.h"

#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::size_t kDimensions = 3;
constexpr std::int64_t kMostShared = 256;       // work items that share a reduction
constexpr std::int64_t kFewestShared = 32;      // fewer leave lanes of a unit empty
constexpr std::int64_t kManyResults = 1 << 14;  // enough work items to fill a GPU with one for each
constexpr std::int64_t kWorthRounding = 4 * 32; // indices; from here on, a few idle work items in the last group are cheaper

// The axis of a reduction whose steps the items of a group share out: the last axis, along which memory mostly runs, if it is
// long enough, else the longest axis.
AxisId sharedAxis(const NestPlan &plan, const Reduction &reduction)
{
    AxisId best = reduction.axes.back();
    if (plan.extentOf(best) < kFewestShared)
        for (const AxisId axis : reduction.axes)
            if (plan.extentOf(axis) > plan.extentOf(best))
                best = axis;
    return best;
}

// Whether the body of a reduction runs another reduction at every step.
bool isNested(const NestPlan &plan, const Reduction &reduction)
{
    const LoopNest &nest = plan.nest();
    for (const ValueId id : valuesUnder(nest, reduction.body, ThroughReductions::No)) {
        if (nest.values[id.value].kind != ValueKind::Reduction)
            continue;
        for (const AxisId axis : reduction.axes)
            if (std::ranges::binary_search(plan.dependencies()[id.value], axis))
                return true;
    }
    return false;
}

// Whether neighbouring steps of the reduction read neighbouring elements, and neighbouring results do not.
bool runsAlongSteps(const NestPlan &plan, const Reduction &reduction, const std::vector<AxisId> &rows)
{
    bool isAlong = false;
    for (const NestAccess &load : plan.loadsUnder(reduction.body)) {
        if (!rows.empty() && plan.strideIn(load, rows.back()) == 1)
            return false;
        isAlong = isAlong || plan.strideIn(load, reduction.axes.back()) == 1;
    }
    return isAlong;
}

// How many work items should share the reductions of each result; 1: no sharing.
std::int64_t sharingItems(const NestPlan &plan, const std::vector<AxisId> &rows)
{
    if (plan.nest().reductions.empty())
        return 1;
    bool isAlong = true;
    std::int64_t fewest = kMostShared;
    std::int64_t bytes = 0;
    for (const Reduction &reduction : plan.nest().reductions) {
        const bool keepsOrder = plan.isStrict() && roundsEachStep(reduction.op, reduction.dtype);
        if (reduction.axes.empty() || keepsOrder || isNested(plan, reduction))
            return 1;
        fewest = std::min(fewest, plan.extentOf(sharedAxis(plan, reduction)));
        isAlong = isAlong && runsAlongSteps(plan, reduction, rows);
        bytes += bytesOf(reduction.dtype);
    }
    const bool areFew = plan.elementsOf(rows) < kManyResults;
    if (fewest < kFewestShared || !(areFew || isAlong))
        return 1;
    const std::int64_t most =
        std::min({fewest, plan.device().maxWorkgroup, plan.device().localMemoryBytes / std::max<std::int64_t>(bytes, 1)});
    const auto items = floorPowerOfTwo(most);
    return items < kFewestShared ? 1 : items;
}

void share(NestPlan &plan, AxisId axis, std::int64_t items, const std::string &reason)
{
    const AxisId inner = plan.extentOf(axis) > items ? plan.split(axis, items, reason).inner : axis;
    plan.setType(inner, AxisType::Local, reason);
}

// Gives every result of the reductions a group: its items share out the steps, and then the points computed from the result.
void shareReductions(NestPlan &plan, const std::vector<AxisId> &rows, std::int64_t items)
{
    const std::size_t count = plan.nest().reductions.size();
    for (std::size_t i = 0; i < count; ++i)
        share(plan, sharedAxis(plan, plan.nest().reductions[i]), items,
              format("{} work items have a part of the steps each, and add them up in shared memory", items));
    const std::vector<AxisId> inner = rowsOutside(plan, rows, "what is reduced is computed once per group");
    if (!inner.empty())
        share(plan, inner.back(), items, "neighbouring work items compute neighbouring points");
    const std::size_t first = rows.size() > kDimensions ? rows.size() - kDimensions : 0;
    for (std::size_t i = first; i < rows.size(); ++i)
        plan.setType(rows[i], AxisType::Global, "a group per index");
}

} // namespace

// One work item per point of the last domain axes; the axes outside these become loops.
void chooseForGpu(NestPlan &plan)
{
    const std::vector<AxisId> rows = rowAxes(plan);
    if (const std::int64_t items = sharingItems(plan, rows); items > 1) {
        shareReductions(plan, rows, items);
        return;
    }
    std::vector<AxisId> domain = plan.nest().domain;
    if (const std::optional<ShortRows> together = shortRows(plan); together && rows.empty()) {
        plan.setType(together->along, AxisType::Upcast, shortRowsReason(plan, *together));
        domain.pop_back();
    } else if (rows.empty()) {
        for (const AxisId axis : axesOfParts(plan)) {
            plan.setType(axis, AxisType::Upcast, partsReason(plan, axis));
            std::erase(domain, axis);
        }
    }
    const std::size_t first = domain.size() > kDimensions ? domain.size() - kDimensions : 0;
    for (std::size_t i = first; i < domain.size(); ++i)
        plan.setType(domain[i], AxisType::Global, "a work item per index");
    if (domain.empty())
        return;
    const std::int64_t extent = plan.extentOf(domain.back());
    const std::int64_t items = std::min(kItemsPerGroup, plan.device().maxWorkgroup);
    if (extent >= kWorthRounding && items > 1 && largestDivisor(extent, items) < kFewestShared)
        plan.group(domain.back(), items, format("no group of {} or more divides {}", kFewestShared, extent));
}

} // namespace sw
