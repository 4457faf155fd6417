#include "engine/passes/loops/choose.h"

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <optional>

namespace sw {

namespace {

// Data that leaves the caches anyway should not push other data out.
constexpr std::int64_t kStreamedBytes = std::int64_t{32} << 20;

constexpr std::int64_t kScatteredCost = 4; // of an access that must be done lane by lane, against 1 for a vector

constexpr std::int64_t kShortRow = 16;     // points; longer rows fill vectors of their own
constexpr std::int64_t kTransposeCost = 3; // shuffles and stores of a vector whose lanes lie apart in memory

struct Candidate {
    AxisId axis;
    std::int64_t cost = 0;
};

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

// The axis along which most accesses run: the one with the fewest accesses whose stride along it is neither 0 nor 1.
Candidate bestVectorAxis(const NestPlan &plan)
{
    Candidate best;
    for (const AxisId axis : plan.nest().domain) {
        std::int64_t cost = 0;
        for (const NestAccess &access : plan.accesses()) {
            const std::int64_t stride = plan.strideIn(access, axis);
            cost += stride == 0 || stride == 1 ? 1 : kScatteredCost;
        }
        if (!best.axis.isValid() || cost <= best.cost) // on a tie the inner one
            best = {axis, cost};
    }
    return best;
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
    std::int64_t apart = 0; // accesses per row that are done lane by lane, or transposed
    for (const NestAccess &access : plan.accesses()) {
        const std::int64_t stride = plan.strideIn(access, axes.rows);
        if (stride == NestPlan::kScattered || plan.strideIn(access, axes.along) == NestPlan::kScattered)
            return std::nullopt;
        if (stride != 0 && stride != 1)
            apart += points * (access.isStore ? kTransposeCost : lanes);
    }
    const WorkSplit work = workAround(plan, axes.along);
    const std::int64_t lanesAlong = isGpu ? 1 : std::min(lanes, floorPowerOfTwo(points));
    const std::int64_t vectorsAlong = (points + lanesAlong - 1) / lanesAlong;
    // Of as many rows as a vector has lanes. Work items of a GPU have nothing in common.
    const std::int64_t costAlong = (work.perRow * (isGpu ? points : 1) + work.perPoint * vectorsAlong) * lanes;
    const std::int64_t costAcross = work.perRow + work.perPoint * points + apart;
    return costAcross < costAlong ? std::optional(axes) : std::nullopt;
}

std::string shortRowsReason(const NestPlan &plan, const ShortRows &rows)
{
    return format("the {} points of a row share most of their work", plan.extentOf(rows.along));
}

std::int64_t vectorRepeats(std::int64_t operations, std::int64_t total)
{
    constexpr std::int64_t kSmall = 6;
    constexpr std::int64_t kLarge = 10;     // for example with one transcendental: a processor overlaps its steps by itself
    constexpr std::int64_t kMuch = 1 << 26; // about ten milliseconds: a few percent are worth some milliseconds of compiling
    if (operations >= kLarge)
        return total >= kMuch ? 2 : 1;
    return operations < kSmall ? 4 : 2;
}

void vectorizeDomain(NestPlan &plan, AxisId vectorAxis, std::int64_t repeats)
{
    const std::int64_t extent = plan.extentOf(vectorAxis);
    const std::int64_t lanes = std::min(plan.vectorLanes(), floorPowerOfTwo(extent));
    if (lanes <= 1)
        return;
    const std::int64_t tile = extent >= lanes * repeats ? lanes * repeats : extent / lanes * lanes;
    plan.tile(vectorAxis, extent < 2 * lanes ? extent : tile, lanes, format("memory runs along {}", plan.nameOf(vectorAxis)));
}

void streamLargeStores(NestPlan &plan)
{
    for (std::size_t i = 0; i < plan.nest().stores.size(); ++i) {
        if (!plan.nest().stores[i].buffer.isValid())
            continue; // it stays with the work item
        const ScheduledBuffer &buffer = plan.schedule().buffer(plan.nest().stores[i].buffer);
        if (buffer.bytes() >= kStreamedBytes)
            plan.nonTemporal(
                i, format("{} MiB are written once: they would only push other data out of the caches", buffer.bytes() >> 20));
    }
}

void chooseForMap(NestPlan &plan)
{
    if (plan.nest().domain.empty())
        return;
    const std::int64_t operations = plan.operationsPerPoint();
    const std::int64_t total = (CheckedSize(operations) * plan.elementsOf(plan.nest().domain)).saturated();
    if (const std::optional<ShortRows> rows = shortRows(plan)) {
        plan.setType(rows->along, AxisType::Upcast, shortRowsReason(plan, *rows));
        vectorizeDomain(plan, rows->rows, 1);
    } else {
        vectorizeDomain(plan, bestVectorAxis(plan).axis, vectorRepeats(operations, total));
    }
    streamLargeStores(plan);

    // Any order of the loops will do: the longest one goes outside, for the threads.
    std::vector<AxisId> order = plan.nest().order;
    const auto isLoop = [&](AxisId leaf) { return plan.nest().axes[leaf.value].type == AxisType::Loop; };
    std::stable_partition(order.begin(), order.end(), isLoop);
    AxisId longest;
    for (const AxisId leaf : order)
        if (isLoop(leaf) && (!longest.isValid() || plan.extentOf(leaf) > plan.extentOf(longest)))
            longest = leaf;
    if (longest.isValid() && plan.extentOf(order.front()) < plan.device().threads * 4) {
        const auto at = std::ranges::find(order, longest);
        std::rotate(order.begin(), at, at + 1);
    } else if (longest.isValid()) {
        longest = order.front();
    }
    plan.reorder(order, "the longest loop outside, vectors inside");
    if (longest.isValid())
        plan.distribute(longest, total);
}

} // namespace sw
