// Reductions along the rows of what no cache holds. A core has so many lines of each run of memory under way, and a row by itself
// leaves most of its bandwidth unused. Rows far apart that are reduced together are as many runs, each of which goes on from row
// to row.

#include "engine/passes/loops/choose.h"

#include "engine/base/checked_size.h"
#include "engine/passes/loops/contraction_lines.h"

#include <algorithm>
#include <array>
#include <optional>

namespace sw {

namespace {

// Measured on a Zen 3 with 64 MiB in rows of 4 to 256 KiB: one run at a time 25 GB/s, two 31, four and eight 38 to 40. From the
// shared cache one run comes as fast as eight. Neighbouring rows end together: of rows of 4 KiB, four come with 29 GB/s.
constexpr std::array<std::int64_t, 6> kRowsTogether = {4, 5, 3, 6, 7, 2}; // the best first
constexpr std::int64_t kMostRuns = 8; // at a time, of all operands: with two of them, four rows take 4.4 ms, and two 5.1

constexpr std::int64_t kSmallBody = 10; // operations for a step; more take longer than its memory

// Whether each point of the nest and step of the reduction reads an element of its own, along the innermost steps.
bool isReadOnce(const NestPlan &plan, const Reduction &reduction, const NestAccess &load)
{
    const auto isSame = [&](AxisId axis) { return plan.extentOf(axis) > 1 && !plan.dependsOn(load, axis); };
    if (load.isMasked || plan.strideIn(load, reduction.axes.back()) != 1 || std::ranges::any_of(plan.nest().domain, isSame) ||
        std::ranges::any_of(reduction.axes, isSame))
        return false;
    CheckedSize read = load.bytes;
    read *= plan.elementsOf(plan.nest().domain);
    read *= plan.elementsOf(reduction.axes);
    const std::optional<std::int64_t> all = bufferBytes(plan, load);
    const std::int64_t caches = plan.device().cacheBytesPerCore + plan.device().sharedCacheBytes;
    return read.saturated() > caches && all && read.saturated() <= *all;
}

// What a row reads once.
struct RowReads {
    std::int64_t runs = 0;
    std::int64_t bytes = 0;
};

// nullopt: the body does more than memory takes for it.
std::optional<RowReads> rowReads(const NestPlan &plan, const Reduction &reduction)
{
    if (plan.operationsUnder(reduction.body) >= kSmallBody)
        return std::nullopt;
    RowReads reads;
    for (const NestAccess &load : plan.loadsUnder(reduction.body))
        if (isReadOnce(plan, reduction, load)) {
            ++reads.runs;
            reads.bytes += plan.elementsOf(reduction.axes) * load.bytes;
        }
    return reads;
}

// Whether there are rounds enough for all threads when so many indices of the axis are taken together.
bool canTakeTogether(const NestPlan &plan, AxisId axis, std::int64_t rows)
{
    return plan.extentOf(axis) > rows && plan.extentOf(axis) % rows == 0 && !plan.nest().axes[axis.value].end.isValid() &&
           plan.elementsOf(plan.nest().domain) / rows >= plan.device().threads;
}

} // namespace

std::optional<RowStreams> rowStreams(const NestPlan &plan)
{
    if (plan.isStage())
        return std::nullopt;
    RowReads most;
    for (const Reduction &reduction : plan.nest().reductions) {
        const std::optional<RowReads> reads = rowReads(plan, reduction);
        if (!reads || reads->runs == 0)
            return std::nullopt;
        most = {.runs = std::max(most.runs, reads->runs), .bytes = std::max(most.bytes, reads->bytes)};
    }
    // The next reduction over the same rows finds them in the cache.
    const bool isReread = plan.nest().reductions.size() > 1;
    for (const std::int64_t rows : kRowsTogether)
        for (const AxisId axis : plan.nest().domain)
            if (rows * most.runs <= kMostRuns && canTakeTogether(plan, axis, rows) &&
                (!isReread || rows * most.bytes <= plan.device().cacheBytesPerCore / 2))
                return RowStreams{.axis = axis, .rows = rows};
    return std::nullopt;
}

void takeTogether(NestPlan &plan, const RowStreams &streams)
{
    const std::string reason =
        format("{} rows at a time, far apart, so that the core has as many runs of memory under way", streams.rows);
    const AxisId rows = plan.split(streams.axis, plan.extentOf(streams.axis) / streams.rows, reason).outer;
    std::vector<AxisId> order = plan.nest().order;
    std::erase(order, rows);
    order.push_back(rows);
    plan.reorder(order, reason);
    plan.setType(rows, AxisType::Upcast, reason);
}

} // namespace sw
