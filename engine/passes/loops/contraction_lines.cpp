#include "engine/passes/loops/contraction_lines.h"

#include "engine/base/checked_size.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace sw {

namespace {

constexpr double kFarLineCycles = 12;  // for a cache line from the second level that nothing fetches ahead of time
constexpr double kLostRowCycles = 2.3; // for a vector of a row whose lines fall on the same few sets as those of the other rows
constexpr double kCutPanelLineCycles = 2.6;      // for a line of a panel that no earlier steps fetch ahead
constexpr std::int64_t kStreamsFetchedAhead = 8; // that the processor follows at a time

} // namespace

std::optional<std::int64_t> bufferBytes(const NestPlan &plan, const NestAccess &load)
{
    const BufferId buffer = plan.nest().values[load.load.value].buffer;
    return buffer.isValid() ? std::optional(plan.schedule().buffer(buffer).bytes()) : std::nullopt;
}

std::int64_t runOf(const NestPlan &plan, const NestAccess &load)
{
    std::int64_t run = 1;
    const std::vector<AxisId> &axes = plan.nest().reductions.front().axes;
    for (auto axis = axes.rbegin(); axis != axes.rend() && plan.strideIn(load, *axis) == run; ++axis)
        run *= plan.extentOf(*axis);
    return run;
}

bool hasFarSteps(const NestPlan &plan, const NestAccess &load)
{
    return std::ranges::any_of(plan.nest().reductions, [&](const Reduction &reduction) {
        std::int64_t next = 0; // the step of an axis that goes on where the one inside of it ends
        for (auto axis = reduction.axes.rbegin(); axis != reduction.axes.rend(); ++axis) {
            const std::int64_t stride = plan.strideIn(load, *axis);
            if ((next == 0 || stride != next) && plan.bytesApart(load, *axis) >= 1024)
                return true;
            next = stride == NestPlan::kScattered ? 0 : stride * plan.extentOf(*axis);
        }
        return false;
    });
}

double partAcrossLines(const NestPlan &plan, const NestAccess &load, std::int64_t lanes)
{
    if (bufferBytes(plan, load).value_or(0) <= plan.device().firstLevelBytes)
        return 0;
    bool isUneven = false;
    for (const Reduction &reduction : plan.nest().reductions)
        for (const AxisId axis : reduction.axes) {
            const std::int64_t stride = plan.strideIn(load, axis);
            if (stride == NestPlan::kScattered || (stride != 0 && std::abs(stride) < lanes))
                return 0;
            isUneven = isUneven || stride % lanes != 0;
        }
    return isUneven ? std::min(1.0, static_cast<double>(lanes * load.bytes) / static_cast<double>(kCacheLineBytes)) : 0;
}

namespace {

bool areStepsApart(const NestPlan &plan, const NestAccess &load, std::int64_t bytes)
{
    return std::ranges::all_of(plan.nest().reductions, [&](const Reduction &reduction) {
        return std::ranges::all_of(reduction.axes,
                                   [&](AxisId axis) { return plan.extentOf(axis) == 1 || plan.bytesApart(load, axis) >= bytes; });
    });
}

} // namespace

bool readsNewLines(const NestPlan &plan, const NestAccess &load)
{
    return areStepsApart(plan, load, kCacheLineBytes);
}

bool readsNewVectors(const NestPlan &plan, const NestAccess &load)
{
    return areStepsApart(plan, load, plan.vectorLanes() * load.bytes);
}

double farRowCycles(const NestPlan &plan, const ContractionFacts &facts, const NestAccess &load, std::int64_t rows)
{
    const std::int64_t perLine = kCacheLineBytes / load.bytes;
    const std::int64_t run = runOf(plan, load);
    const double lines = static_cast<double>(rows) / static_cast<double>(std::min(run, perLine));
    const bool isFetchedAhead = run >= perLine;
    const bool fits = lines * static_cast<double>(facts.steps) * static_cast<double>(kCacheLineBytes) <=
                      static_cast<double>(plan.device().firstLevelBytes);
    return isFetchedAhead || fits ? 0 : lines * kFarLineCycles;
}

namespace {

// How many lines that are so many bytes apart the first level keeps together: one in each way of the sets that they fall on.
std::int64_t keptLines(const DeviceInfo &device, std::int64_t bytesApart)
{
    const std::int64_t way = wayBytesOf(device);
    return std::min(way / kCacheLineBytes, way / std::gcd(bytesApart, way)) * device.firstLevelWays;
}

} // namespace

bool loseEachOther(const DeviceInfo &device, std::int64_t bytesApart, std::int64_t lines)
{
    return bytesApart >= kCacheLineBytes && lines > keptLines(device, bytesApart);
}

double lostRowCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t rows)
{
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytesApart = plan.bytesApart(load, choice.rowAxis);
        if (load.load != choice.rowLoad || bytesApart < kCacheLineBytes)
            continue;
        const auto ways = static_cast<double>(std::max<std::int64_t>(keptLines(plan.device(), bytesApart), 1));
        const double places = rowLoads(plan, facts, choice, rows) * static_cast<double>(plan.extentOf(choice.rowSteps));
        return kLostRowCycles * std::clamp((places - ways) / ways, 0.0, 1.0);
    }
    return 0;
}

double farStepCycles(const NestPlan &plan, const NestAccess &load, std::int64_t rows)
{
    CheckedSize steps = 1;
    const std::int64_t lines = (rows * load.bytes + kCacheLineBytes - 1) / kCacheLineBytes;
    bool areLost = false;      // they fall on few sets
    bool isNewEachTime = true; // steps in between, as those of a window, read on in the same lines
    for (const Reduction &reduction : plan.nest().reductions)
        for (const AxisId axis : reduction.axes) {
            const std::int64_t bytesApart = plan.bytesApart(load, axis);
            if (bytesApart < 1024) {
                isNewEachTime = isNewEachTime && plan.extentOf(axis) == 1;
                continue;
            }
            steps = steps * plan.extentOf(axis);
            areLost = areLost || loseEachOther(plan.device(), bytesApart, plan.extentOf(axis) * lines);
        }
    const bool areTooMany = steps * lines * kCacheLineBytes > plan.device().firstLevelBytes;
    return areTooMany || (areLost && isNewEachTime) ? static_cast<double>(lines) * kFarLineCycles : 0;
}

bool losesStoredLines(const NestPlan &plan, const TileChoice &choice)
{
    return std::ranges::any_of(plan.accesses(), [&](const NestAccess &access) {
        return access.isStore &&
               loseEachOther(plan.device(), plan.bytesApart(access, choice.vectorAxis), plan.extentOf(choice.vectorAxis));
    });
}

namespace {

// Whether each step reads a line of its own, not far from that of the step before.
bool isLineByLine(const NestPlan &plan, const NestAccess &load)
{
    return !hasFarSteps(plan, load) && std::ranges::any_of(plan.nest().reductions, [&](const Reduction &reduction) {
        return !reduction.axes.empty() && plan.bytesApart(load, reduction.axes.back()) >= kCacheLineBytes;
    });
}

} // namespace

double rereadCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t panels)
{
    if (!choice.rowAxis.isValid() || choice.blockSteps > 0) // blocks copy far rows, too
        return 0;
    const std::int64_t largestCache = std::max(plan.device().cacheBytesPerCore, plan.device().sharedCacheBytes);
    double cycles = 0;
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytes = bufferBytes(plan, load).value_or(0);
        const bool isReread = plan.dependsOn(load, choice.rowAxis) && !plan.dependsOn(load, choice.vectorAxis);
        if (!isReread || bytes <= plan.device().cacheBytesPerCore / 2)
            continue;
        const double lines = static_cast<double>(panels) * static_cast<double>(bytes) / kCacheLineBytes;
        const bool isFar = plan.bytesApart(load, choice.rowAxis) >= kCacheLineBytes;
        if (isFar && choice.rows > kStreamsFetchedAhead)
            cycles += lines * kFarLineCycles;
        else if (!isFar && isLineByLine(plan, load) && bytes > largestCache)
            cycles += lines * kNextLineCycles;
    }
    return cycles;
}

double revisitCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    double cycles = 0;
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytes = bufferBytes(plan, load).value_or(0);
        if (!choice.rowAxis.isValid() || !plan.dependsOn(load, choice.rowAxis) || bytes <= plan.device().cacheBytesPerCore)
            continue;
        double visits = 1;
        double around = 1; // of the axes so far that it does not move with
        for (const AxisId axis : plan.nest().domain) {
            if (plan.dependsOn(load, axis))
                visits = around;
            else if (axis != choice.vectorAxis)
                around *= static_cast<double>(plan.extentOf(axis));
        }
        cycles += (visits - 1) * static_cast<double>(bytes) / kCacheLineBytes * kFarLineCycles;
    }
    return cycles;
}

namespace {

// Whether some tiles of so many columns are parts of panels in which they do not begin: 24 of panels of 16.
bool cutsPanels(const NestPlan &plan, const NestAccess &load, AxisId axis, std::int64_t columns)
{
    const IndexArena &arena = plan.nest().arena;
    return std::ranges::any_of(arena.sumOf(load.index).terms, [&](const IndexArena::Term &term) {
        const IndexExpr &part = arena.at(term.second);
        return part.kind == ExprKind::Div && arena.dependsOn(term.second, axis) && part.number % columns != 0 &&
               columns % part.number != 0;
    });
}

} // namespace

double cutPanelCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    double cycles = 0;
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytes = bufferBytes(plan, load).value_or(0);
        const bool isPacked = std::ranges::find(choice.packed, load.load) != choice.packed.end();
        if (!isPacked && bytes > plan.device().cacheBytesPerCore &&
            cutsPanels(plan, load, choice.vectorAxis, choice.lanes * choice.vectors))
            cycles += static_cast<double>(bytes) / kCacheLineBytes * kCutPanelLineCycles;
    }
    return cycles;
}

} // namespace sw
