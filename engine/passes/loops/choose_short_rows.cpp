// Rows of a few points that share most of their work.

#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace sw {

namespace {

constexpr std::int64_t kShortRow = 16;          // points; longer rows fill vectors of their own
constexpr std::int64_t kWorthWriting = 1 << 15; // elements
constexpr std::int64_t kTransposeCost = 3;      // shuffles and stores of a vector whose lanes lie apart in memory
constexpr std::int64_t kPickCost = 2;           // to read a vector and to pick lanes from it

// Operations of the values that do not move with the axis, and of all others.
struct WorkSplit {
    std::int64_t perRow = 0;
    std::int64_t perPoint = 0;
};

WorkSplit workAround(const NestPlan &plan, AxisId along)
{
    WorkSplit work;
    std::vector<bool> isSeen(plan.nest().values.size(), false);
    for (const StoreStatement &store : plan.nest().stores) {
        for (const ValueId id : valuesUnder(plan.nest(), store.value, ThroughReductions::No)) {
            const Value &value = plan.nest().values[id.value];
            if (isSeen[id.value] || value.kind == ValueKind::Constant)
                continue;
            isSeen[id.value] = true;
            const bool isPerPoint = std::ranges::binary_search(plan.dependencies()[id.value], along);
            (isPerPoint ? work.perPoint : work.perRow) += value.kind == ValueKind::Alu ? infoOf(value.op).price : 1;
        }
    }
    return work;
}

} // namespace

std::optional<ShortRows> shortRows(const NestPlan &plan)
{
    const std::vector<AxisId> &domain = plan.nest().domain;
    if (domain.size() < 2)
        return std::nullopt;
    const ShortRows axes{domain[domain.size() - 2], domain.back()};
    const bool isGpu = plan.device().kind == DeviceKind::Gpu;
    const std::int64_t points = plan.extentOf(axes.along);
    const std::int64_t lanes = isGpu ? 1 : plan.vectorLanes();
    if (points > kShortRow || plan.extentOf(axes.rows) < lanes)
        return std::nullopt;
    // Fewer elements take less time, one by one, than the code takes to compile; tiles of whole vectors are turned.
    const bool isWorthWriting = !isGpu && points < kShortRow && plan.elementsOf(domain) >= kWorthWriting;
    std::int64_t apart = 0;  // per row, of accesses whose lanes lie apart in vectors of rows
    std::int64_t strewn = 0; // per row, of loads that vectors along it would do lane by lane
    for (const NestAccess &access : plan.accesses()) {
        const std::int64_t stride = plan.strideIn(access, axes.rows);
        const std::int64_t step = plan.strideIn(access, axes.along);
        const bool isStrewn = step == NestPlan::kScattered;
        if (stride == NestPlan::kScattered || (isStrewn && (isGpu || access.isStore)))
            return std::nullopt;
        const bool isApart = step != 0 && step != 1 && !isReadSpread(step, lanes);
        if (!access.isStore && (isStrewn || (isApart && isWorthWriting)))
            strewn += points;
        if (stride != 0 && stride != 1)
            apart += points * (access.isStore ? kTransposeCost : isReadSpread(stride, lanes) ? kPickCost * stride : lanes);
    }
    const WorkSplit work = workAround(plan, axes.along);
    const std::int64_t lanesAlong = isGpu ? 1 : std::min(lanes, floorPowerOfTwo(points));
    const std::int64_t vectorsAlong = (points + lanesAlong - 1) / lanesAlong;
    // Of as many rows as a vector has lanes. Work items of a GPU have nothing in common.
    const std::int64_t costAlong = (work.perRow * (isGpu ? points : 1) + work.perPoint * vectorsAlong + strewn) * lanes;
    const std::int64_t costAcross = work.perRow + work.perPoint * points + apart;
    return costAcross < costAlong ? std::optional(axes) : std::nullopt;
}

std::vector<AxisId> axesOfParts(const NestPlan &plan)
{
    std::vector<AxisId> axes;
    std::int64_t points = 1;
    for (const Value &value : plan.nest().values) {
        if (value.kind != ValueKind::Masked || value.conditions.size() != 1)
            continue;
        const RangeCondition &condition = value.conditions.front();
        const IndexExpr &at = plan.nest().arena.at(condition.expr);
        const bool isOfDomain =
            at.kind == ExprKind::Axis && !plan.nest().axes[at.axis.value].isReduce && at.axis != plan.nest().domain.back();
        if (!isOfDomain || condition.high - condition.low != 1 || std::ranges::find(axes, at.axis) != axes.end())
            continue;
        points *= plan.extentOf(at.axis);
        if (points > kShortRow)
            return axes;
        axes.push_back(at.axis);
    }
    return axes;
}

std::string partsReason(const NestPlan &plan, AxisId axis)
{
    return format("each index of {} is another value, and they share their work", plan.nameOf(axis));
}

std::string shortRowsReason(const NestPlan &plan, const ShortRows &rows)
{
    const std::int64_t points = plan.extentOf(rows.along);
    return workAround(plan, rows.along).perRow > 0
               ? format("the {} points of a row share most of their work", points)
               : format("vectors across the rows of {} points cost less than along them", points);
}

} // namespace sw
