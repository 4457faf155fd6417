// Two reasons to reduce several rows at the same time. A core has only so many lines of each run of memory under way, and a row
// by itself leaves most of its bandwidth unused: rows far apart are as many runs, each of which goes on from row to row. And what
// a few rows read alike, as those of a small batch read all weights, is loaded once for them.

#include "engine/passes/loops/rows_together.h"

#include "engine/base/checked_size.h"
#include "engine/loops/join.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kPartialVectors = 4; // of one row

// Measured on a Zen 3 with 64 MiB in rows of 4 to 256 KiB: one run at a time 25 GB/s, two 31, four and eight 38 to 40. From the
// shared cache one run comes as fast as eight. Neighbouring rows end together: of rows of 4 KiB, four come with 29 GB/s.
constexpr std::array<std::int64_t, 6> kRowsTogether = {4, 5, 3, 6, 7, 2}; // the best first
// At a time, of all operands: with two of them, four rows take 4.4 ms, and two 5.1.
constexpr std::int64_t kMostRuns = 8;

constexpr std::int64_t kSmallBody = 10; // operations for a step; more take longer than its memory

// Rows that read the same: eight that are a multiple of 4 KiB apart leave a first level of eight ways no room for the others.
// With seven and two others, partial results in the lanes need more registers than AVX2 has, and tiles are better.
constexpr std::int64_t kMostAlike = 7;
constexpr std::int64_t kMostAlikeInLanes = 6;

// Axes of the domain that the load does not move with.
std::vector<AxisId> axesBeside(const NestPlan &plan, const NestAccess &load)
{
    std::vector<AxisId> beside;
    for (const AxisId axis : plan.nest().domain)
        if (plan.extentOf(axis) > 1 && !plan.dependsOn(load, axis))
            beside.push_back(axis);
    return beside;
}

std::int64_t cachesOf(const DeviceInfo &device)
{
    return device.cacheBytesPerCore + device.sharedCacheBytes;
}

// Whether each step reads an element of its own, along the innermost steps, and each row but those along `alike`, of what the
// caches do not hold.
bool isReadOnce(const NestPlan &plan, const Reduction &reduction, const NestAccess &load, const std::vector<AxisId> &alike)
{
    const auto isSame = [&](AxisId axis) { return plan.extentOf(axis) > 1 && !plan.dependsOn(load, axis); };
    if (load.isMasked || plan.strideIn(load, reduction.axes.back()) != 1 || axesBeside(plan, load) != alike ||
        std::ranges::any_of(reduction.axes, isSame))
        return false;
    CheckedSize read = load.bytes;
    read *= plan.elementsOf(plan.nest().domain) / plan.elementsOf(alike);
    read *= plan.elementsOf(reduction.axes);
    const std::optional<std::int64_t> all = bufferBytes(plan, load);
    return read.saturated() > cachesOf(plan.device()) && all && read.saturated() <= *all;
}

// What a row reads once.
struct RowReads {
    std::int64_t runs = 0;
    std::int64_t bytes = 0;
};

RowReads rowReads(const NestPlan &plan, const Reduction &reduction, const std::vector<AxisId> &alike)
{
    RowReads reads;
    for (const NestAccess &load : plan.loadsUnder(reduction.body))
        if (isReadOnce(plan, reduction, load, alike)) {
            ++reads.runs;
            reads.bytes += plan.elementsOf(reduction.axes) * load.bytes;
        }
    return reads;
}

// Of the only reduction.
std::optional<NestAccess> largestOperand(const NestPlan &plan)
{
    std::optional<NestAccess> largest;
    const auto bytes = [&](const NestAccess &load) { return bufferBytes(plan, load).value_or(0); };
    if (plan.nest().reductions.size() == 1)
        for (const NestAccess &load : plan.loadsUnder(plan.nest().reductions.front().body))
            if (!largest || bytes(load) > bytes(*largest))
                largest = load;
    return largest;
}

// The longest loop over the axes when so many indices of one of them are taken together.
std::int64_t longestLoop(const NestPlan &plan, const std::vector<AxisId> &axes, AxisId axis, std::int64_t count)
{
    std::int64_t longest = 1;
    for (const AxisId loop : axes)
        longest = std::max(longest, plan.extentOf(loop) / (loop == axis ? count : 1));
    return longest;
}

// Of the axes, which are the loops of the nest: the one of which so many indices can be taken together and leave the threads the
// longest loop; invalid: there is none, or too few rounds for all threads would be left.
AxisId axisTogether(const NestPlan &plan, const std::vector<AxisId> &axes, std::int64_t count)
{
    AxisId best;
    std::int64_t most = std::min<std::int64_t>(plan.device().threads, longestLoop(plan, axes, {}, 1)) - 1;
    for (const AxisId axis : axes) {
        const std::int64_t extent = plan.extentOf(axis);
        const std::int64_t left = longestLoop(plan, axes, axis, count);
        const bool isOpen = plan.nest().axes[axis.value].end.isValid();
        if (extent > count && extent % count == 0 && !isOpen && left > most) {
            best = axis;
            most = left;
        }
    }
    return best;
}

} // namespace

std::vector<AxisId> axesAlike(const NestPlan &plan, const NestAccess &load)
{
    std::vector<AxisId> alike = axesBeside(plan, load);
    const bool isOpen = std::ranges::any_of(alike, [&](AxisId axis) { return plan.nest().axes[axis.value].end.isValid(); });
    return isOpen || plan.elementsOf(alike) > kMostAlike ? std::vector<AxisId>() : alike;
}

std::optional<RowTile> rowsTogether(const NestPlan &plan)
{
    if (plan.isStage())
        return std::nullopt;
    const std::optional<NestAccess> largest = largestOperand(plan);
    const std::vector<AxisId> alike = largest ? axesAlike(plan, *largest) : std::vector<AxisId>();
    const std::int64_t others = plan.elementsOf(alike);
    RowReads most;
    bool isFromMemory = true; // in all reductions
    for (const Reduction &reduction : plan.nest().reductions) {
        if (reduction.joined)
            continue; // it reads what its leader has read
        if (reduction.axes.empty() || plan.operationsAlong(reduction.body, reduction.axes.back()) >= kSmallBody)
            return std::nullopt;
        const RowReads reads = rowReads(plan, reduction, alike);
        isFromMemory = isFromMemory && reads.runs > 0;
        most = {.runs = std::max(most.runs, reads.runs), .bytes = std::max(most.bytes, reads.bytes)};
    }
    if ((!isFromMemory && others == 1) || others > kMostAlikeInLanes)
        return std::nullopt;
    // The next reduction over the same rows finds them in the cache.
    const bool isReread = leadersIn(plan.nest()) > 1;
    const std::int64_t registers = plan.device().vectorRegisters;
    // From memory, loads wait longer than for a few sums that are put aside. Three and four rows from a cache take 147 us where
    // three and two take 90.
    const auto fits = [&](std::int64_t count) {
        const bool stays = !isReread || count * most.bytes <= plan.device().cacheBytesPerCore / 2;
        return isFromMemory ? stays && count * most.runs <= kMostRuns && others * count <= registers
                            : others * count + std::max(others, count) < registers;
    };
    RowTile tile{.rows = {}, .isFromMemory = isFromMemory, .isAlike = others > 1};
    for (const AxisId axis : alike)
        tile.rows.push_back({axis, plan.extentOf(axis)});
    std::vector<AxisId> loops = plan.nest().domain;
    std::erase_if(loops, [&](AxisId axis) { return std::ranges::find(alike, axis) != alike.end(); });
    for (const std::int64_t count : kRowsTogether)
        if (const AxisId axis = fits(count) ? axisTogether(plan, loops, count) : AxisId(); axis.isValid()) {
            tile.rows.push_back({axis, count});
            return tile;
        }
    const bool isEnough = others > 1 && longestLoop(plan, loops, {}, 1) >= plan.device().threads;
    return isEnough ? std::optional(std::move(tile)) : std::nullopt;
}

void takeTogether(NestPlan &plan, const RowTile &tile)
{
    std::vector<AxisId> order = plan.nest().order;
    std::vector<std::pair<AxisId, std::string>> repeated;
    for (const RowsTogether &rows : tile.rows) {
        const std::int64_t extent = plan.extentOf(rows.axis);
        if (rows.count == extent) {
            repeated.emplace_back(rows.axis, format("{} rows at a time: what they read alike is loaded once", rows.count));
            std::erase(order, rows.axis);
            continue;
        }
        std::string reason =
            tile.isFromMemory
                ? format("{} rows at a time, far apart, so that the core has as many runs of memory under way", rows.count)
                : format("{} at a time share what the rows of the other operand load", rows.count);
        const NestPlan::Parts parts = plan.split(rows.axis, extent / rows.count, reason);
        std::ranges::replace(order, rows.axis, parts.inner);
        repeated.emplace_back(parts.outer, std::move(reason));
    }
    for (const auto &[axis, reason] : repeated)
        order.push_back(axis);
    plan.reorder(order, repeated.back().second);
    for (const auto &[axis, reason] : repeated)
        plan.setType(axis, AxisType::Upcast, reason);
}

std::int64_t productOf(std::span<const RowsTogether> rows)
{
    std::int64_t product = 1;
    for (const RowsTogether &one : rows)
        product *= one.count;
    return product;
}

std::int64_t partialVectors(const NestPlan &plan, std::span<const RowsTogether> rows, std::int64_t reductions)
{
    const std::int64_t count = productOf(rows) * reductions;
    return count == 1 ? kPartialVectors : std::clamp<std::int64_t>(plan.device().vectorRegisters / 2 / count, 1, kPartialVectors);
}

std::int64_t partialLanes(const NestPlan &plan, AxisId axis)
{
    return std::min(plan.vectorLanes(), floorPowerOfTwo(plan.extentOf(axis)));
}

} // namespace sw
