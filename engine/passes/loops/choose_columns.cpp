// Reductions down the columns of a matrix whose rows lie far apart. A few columns at a time, every step reads another page, a
// line or two of it, which no processor fetches ahead. One reduction goes through a few rows at a time along many columns: that
// is as many long runs side by side, and the partial results of the columns stay in the first level of the cache. Several
// reductions over the same few rows read longer runs of each.

#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/join_choice.h"
#include "engine/passes/loops/rows_together.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace sw {

namespace {

constexpr std::int64_t kRowsAtOnce = 8;     // as many streams as a processor follows at a time
constexpr std::int64_t kVectors = 2;        // side by side: with the rows, 16 accumulators
constexpr std::int64_t kVectorsOfMany = 16; // likewise, of several reductions: a run of 1 KiB
constexpr std::int64_t kFarBytes = 1024;    // from one step to the next
constexpr std::int64_t kFewestTiles = 4;    // that a work item has side by side: shorter runs are not fetched ahead

// Of the columns of a work item: a quarter of the first level, in a power of two, as numbers of columns mostly are, so that no
// rest is left. Where several results are made of each column, longer runs are worth more than the first level: products of 2 to
// 6 rows with 64 MiB take 2.5 to 3.6 ms with up to 96 KiB, and 3.4 to 4.4 with 8 to 24. They stand in the work item's memory.
std::int64_t partialBytes(const DeviceInfo &device, std::int64_t alike)
{
    const std::int64_t wanted = alike == 1 ? device.firstLevelBytes / 4 : device.cacheBytesPerCore / 8;
    return floorPowerOfTwo(std::min<std::int64_t>(wanted, device.scratchBytes / 2));
}

// Columns that are read once.
struct Columns {
    AxisId axis;
    std::vector<AxisId> alike = {}; // of the domain: their rows, a few in all, read the same columns
};

// The loads of the reductions run along the columns, each element is another one at each of their points, and they are more than
// the core's own cache holds, or than all caches if rows read alike.
std::optional<Columns> columnsReadOnce(const NestPlan &plan, AxisId columns)
{
    Columns found{.axis = columns};
    std::int64_t bytes = 0;
    for (const Reduction &reduction : plan.nest().reductions) {
        if (reduction.axes.size() != 1)
            return std::nullopt;
        for (const NestAccess &load : plan.loadsUnder(reduction.body)) {
            const std::int64_t stride = plan.strideIn(load, columns);
            if (stride == 0)
                continue;
            const bool isFar = plan.bytesApart(load, reduction.axes.front()) >= kFarBytes;
            if (bytes == 0 && plan.nest().reductions.size() == 1)
                found.alike = axesAlike(plan, load);
            const auto isSame = [&](AxisId axis) {
                return plan.dependsOn(load, axis) == (std::ranges::find(found.alike, axis) != found.alike.end());
            };
            if (stride != 1 || load.isMasked || !isFar || std::ranges::any_of(plan.nest().domain, isSame))
                return std::nullopt;
            // In groups of rows that all read the same columns, the rows tell the groups apart.
            const std::int64_t read = plan.elementsOf(plan.nest().domain) / plan.elementsOf(found.alike) *
                                      plan.extentOf(reduction.axes.front()) * load.bytes;
            if (const std::optional<std::int64_t> all = bufferBytes(plan, load); all && read > *all)
                return std::nullopt;
            bytes = std::max(bytes, read);
        }
    }
    const std::int64_t shared = found.alike.empty() ? 0 : plan.device().sharedCacheBytes;
    return bytes > plan.device().cacheBytesPerCore + shared ? std::optional(std::move(found)) : std::nullopt;
}

std::int64_t operationsOf(const NestPlan &plan)
{
    std::int64_t steps = 0;
    for (const Reduction &reduction : plan.nest().reductions)
        steps += plan.elementsOf(reduction.axes);
    return plan.elementsOf(plan.nest().domain) * steps;
}

// Of a partial result of all reductions.
std::int64_t bytesOfResult(const NestPlan &plan)
{
    std::int64_t bytes = 0;
    for (const Reduction &reduction : plan.nest().reductions)
        bytes += bytesOf(reduction.dtype);
    return bytes;
}

// Of one reduction, or of those that go on in its loops.
void chooseForOne(NestPlan &plan, const Columns &columns, std::int64_t share)
{
    const Reduction reduction = plan.nest().reductions.front();
    const bool isAlone = plan.nest().reductions.size() == 1;
    const std::int64_t width = plan.vectorLanes() * kVectors;
    const std::int64_t operations = operationsOf(plan);
    const std::int64_t alike = plan.elementsOf(columns.alike);
    const std::string reason = format(
        "{} steps of {} columns at a time: {} runs that are fetched ahead, and {} bytes of partial results stay in the "
        "{} of the cache",
        kRowsAtOnce, share, kRowsAtOnce, alike * share * bytesOfResult(plan), alike == 1 ? "first level" : "core's own part");
    std::vector<AxisId> order(plan.nest().domain.begin(), plan.nest().domain.end() - 1);
    for (const AxisId axis : columns.alike)
        std::erase(order, axis);
    AxisId inner = columns.axis;
    if (plan.extentOf(columns.axis) > share) {
        const NestPlan::Parts shares = plan.split(columns.axis, share, reason);
        order.push_back(shares.outer);
        inner = shares.inner;
    }
    const NestPlan::Parts blocks = plan.split(reduction.axes.front(), kRowsAtOnce, reason);
    plan.tile(inner, width, plan.vectorLanes(), "memory runs along the columns");
    for (const AxisId axis : columns.alike)
        plan.setType(axis, AxisType::Upcast, format("{} rows read the same columns", plan.extentOf(axis)));
    if (alike == 1 && isAlone)
        plan.setType(blocks.inner, AxisType::Unroll, "each step with accumulators of its own");
    else
        plan.unroll(blocks.inner, kRowsAtOnce,
                    isAlone ? "each column is loaded once for all rows" : "each step goes on from the one before it");
    const auto isOfAlike = [&](AxisId leaf) { return std::ranges::find(columns.alike, leaf) != columns.alike.end(); };
    std::vector<AxisId> inside;
    for (const AxisId leaf : plan.nest().order)
        if (std::ranges::find(order, leaf) == order.end())
            inside.push_back(leaf);
    std::ranges::stable_sort(inside, {}, [&](AxisId leaf) {
        return plan.nest().axes[leaf.value].type == AxisType::Loop ? 0 : isOfAlike(leaf) ? 1 : 2;
    });
    const std::vector<AxisId> shared = order;
    order.push_back(blocks.outer);
    order.insert(order.end(), inside.begin(), inside.end());
    plan.shareLoops(std::move(order), shared, 1, operations, "a few steps for all columns of a work item, then the next ones");
}

void chooseForSeveral(NestPlan &plan, AxisId columns)
{
    const std::int64_t lanes = plan.vectorLanes();
    const std::int64_t operations = operationsOf(plan);
    plan.tile(columns, lanes * kVectorsOfMany, lanes,
              format("steps of {} columns: what the first reduction has read, the next one finds in the first level of the cache",
                     lanes * kVectorsOfMany));
    const std::vector<AxisId> order = plan.nest().order;
    plan.shareLoops(order, plan.loopsAmong(order), 1, operations, "the threads' loop outside");
}

} // namespace

bool chooseForColumns(NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (plan.isStage() || nest.domain.empty() || !isContraction(plan))
        return false;
    const AxisId steps = nest.reductions.front().axes.empty() ? AxisId() : nest.reductions.front().axes.front();
    if (!steps.isValid() || nest.axes[nest.domain.back().value].end.isValid())
        return false;
    const std::optional<Columns> columns = columnsReadOnce(plan, nest.domain.back());
    if (!columns)
        return false;
    const std::int64_t alike = plan.elementsOf(columns->alike);
    std::vector<AxisId> others(nest.domain.begin(), nest.domain.end() - 1);
    for (const AxisId axis : columns->alike)
        std::erase(others, axis);
    const auto threads = static_cast<std::int64_t>(plan.device().threads);
    const AxisId longest = plan.loopForThreads(others, 1);
    const std::int64_t items = longest.isValid() && plan.extentOf(longest) >= threads ? 1 : threads;
    const std::int64_t width = plan.vectorLanes() * kVectors;
    const auto tilesFor = [&](const NestPlan &one) {
        const std::int64_t bytes = bytesOfResult(one) * alike * width;
        return std::min(floorPowerOfTwo(partialBytes(plan.device(), alike) / bytes),
                        plan.extentOf(columns->axis) / width / items);
    };
    NestPlan joined = plan;
    joinReductions(joined, 2 * kRowsAtOnce);
    const std::int64_t tiles = tilesFor(joined);
    if (canBeInBlocks(joined) && tiles >= kFewestTiles && plan.extentOf(steps) >= 2 * kRowsAtOnce) {
        joinReductions(plan, 2 * kRowsAtOnce);
        chooseForOne(plan, *columns, tiles * width);
        return true;
    }
    if (nest.reductions.size() == 1 || plan.extentOf(columns->axis) < plan.vectorLanes() * kVectorsOfMany * items)
        return false;
    chooseForSeveral(plan, columns->axis);
    return true;
}

} // namespace sw
