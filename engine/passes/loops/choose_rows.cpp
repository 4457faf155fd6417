#include "engine/passes/loops/choose.h"

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/join_choice.h"

#include <algorithm>
#include <ranges>

namespace sw {

namespace {

constexpr std::int64_t kRowVectors = 4; // of rows, side by side: sums do not wait for each other
// Where registers transpose what is stored, all points of a tile are written out.
constexpr std::int64_t kTurnedVectors = 2;
constexpr std::int64_t kTurnedPoints = 8;
constexpr std::int64_t kRoundsPerThread = 4; // of the loop that they share
constexpr std::int64_t kFewPoints = 8;       // of a row: vectors along it would be narrow
constexpr std::int64_t kMostWritten = 1024;  // operations of a body that is written out for all points of a tile

bool isFloatSum(const Reduction &reduction)
{
    return roundsEachStep(reduction.op, reduction.dtype);
}

// Whether the loads of every reduction's body run along (or do not move with) the axis.
bool runsAlong(const NestPlan &plan, AxisId axis)
{
    bool moves = false;
    for (const Reduction &reduction : plan.nest().reductions) {
        for (const NestAccess &load : plan.loadsUnder(reduction.body)) {
            const std::int64_t stride = plan.strideIn(load, axis);
            if (stride != 0 && stride != 1)
                return false;
            moves = moves || stride == 1;
        }
    }
    return moves;
}

// Keeps partial results in the lanes of vectors, with several vectors at once to hide the latency of the operation.
void vectorizeReduction(NestPlan &plan, const Reduction &reduction)
{
    if (reduction.axes.empty() || (plan.isStrict() && isFloatSum(reduction)))
        return;
    const AxisId axis = reduction.axes.back();
    for (const NestAccess &load : plan.loadsUnder(reduction.body)) {
        const std::int64_t stride = plan.strideIn(load, axis);
        if (stride != 0 && stride != 1)
            return;
    }
    const std::int64_t operations = plan.operationsUnder(reduction.body);
    const std::int64_t points = (CheckedSize(plan.elementsOf(reduction.axes)) * plan.elementsOf(rowAxes(plan))).saturated();
    const BodyWork work{.perPoint = plan.operationsAlong(reduction.body, axis),
                        .total = (CheckedSize(operations) * points).saturated()};
    const VectorShape shape = vectorShape(plan, axis, work, plan.loadsUnder(reduction.body));
    const std::int64_t extent = plan.extentOf(axis);
    const std::int64_t lanes = std::min(plan.vectorLanes() * shape.registers, floorPowerOfTwo(extent));
    if (lanes > 1)
        plan.tile(axis, std::min(extent, lanes * shape.repeats), lanes,
                  shape.reason("partial results, added up at the end; the loads run along the axis"));
}

// Whether the next reduction over a row finds little of it in the core's own cache, in which it is next to what streams through.
// Rows of 256 KiB are normalized in 28 ms in place of 32 then (512 KiB of cache), but those of 64 KiB in 27 in place of 25.
bool areLong(const NestPlan &plan)
{
    CheckedSize most;
    for (const Reduction &reduction : plan.nest().reductions) {
        CheckedSize bytes;
        for (const NestAccess &load : plan.loadsUnder(reduction.body))
            bytes += CheckedSize(plan.elementsOf(reduction.axes)) * load.bytes;
        most = std::max(most.saturated(), bytes.saturated());
    }
    return most > plan.device().cacheBytesPerCore / 4;
}

// The axis along which rows lie side by side in memory; invalid: there is none. The last one may be short; another one must fill
// a vector.
AxisId rowsSideBySide(const NestPlan &plan, const std::vector<AxisId> &rows)
{
    for (const AxisId axis : std::views::reverse(rows))
        if (runsAlong(plan, axis) && (axis == rows.back() || plan.extentOf(axis) >= plan.vectorLanes()))
            return axis;
    return {};
}

bool isForOpenCl(const NestPlan &plan)
{
    return plan.context().language(plan.schedule().kernel(plan.nest().kernel).device) == TargetLanguage::OpenCl;
}

// Whether what is stored runs along the axis, and across the vectors of rows. What stays with the work item is stored element by
// element then, and OpenCL's drivers take seconds for a tile that registers transpose.
bool isStoredAlong(const NestPlan &plan, AxisId axis, AxisId vectors)
{
    const auto isKept = [](const StoreStatement &store) { return !store.buffer.isValid(); };
    if (isForOpenCl(plan) || std::ranges::any_of(plan.nest().stores, isKept))
        return false;
    return std::ranges::all_of(plan.accesses(), [&](const NestAccess &access) {
        return !access.isStore || (plan.strideIn(access, axis) == 1 && plan.strideIn(access, vectors) != 1);
    });
}

// Whether the rows have so few points that vectors along them would be narrow and have their lanes added up for each row.
bool areShort(const NestPlan &plan, const std::vector<AxisId> &rows, const std::vector<AxisId> &inner)
{
    const std::int64_t lanes = plan.vectorLanes();
    if (rows.empty() || plan.isStage() || isForOpenCl(plan) || lanes == 1 || plan.extentOf(rows.back()) < lanes)
        return false;
    const auto areFew = [&](const std::vector<AxisId> &axes) {
        const auto isOpen = [&](AxisId axis) { return plan.nest().axes[axis.value].end.isValid(); };
        return plan.elementsOf(axes) <= kFewPoints && std::ranges::none_of(axes, isOpen);
    };
    const auto isEven = [&](const NestAccess &access) { return plan.strideIn(access, rows.back()) != NestPlan::kScattered; };
    const auto isShort = [&](const Reduction &reduction) {
        return areFew(reduction.axes) && std::ranges::all_of(plan.loadsUnder(reduction.body), isEven);
    };
    const std::int64_t written = inner.empty() ? 0 : plan.operationsAlong(inner.back()) * plan.elementsOf(inner);
    return areFew(inner) && written <= kMostWritten && std::ranges::all_of(plan.nest().reductions, isShort) &&
           std::ranges::all_of(plan.accesses(), isEven);
}

// Loops first, of them the threads' (the first that has rounds enough for them, or the longest), then what is repeated in
// registers, with the vectors of rows innermost. Returns the loop for the threads; invalid: there is none. outside: what is left
// of the loop that became vectors.
AxisId withVectorsInnermost(NestPlan &plan, const std::vector<AxisId> &rows, AxisId across, AxisId outside)
{
    std::vector<AxisId> loops;
    for (const AxisId row : rows)
        if (const AxisId loop = row == across ? outside : row; loop.isValid() && !plan.isStage())
            loops.push_back(loop); // a stage's blocks are shared out as a whole
    const AxisId threaded = plan.loopForThreads(loops, kRoundsPerThread);
    const LoopNest &nest = plan.nest();
    std::vector<AxisId> leaves = nest.order;
    std::ranges::stable_sort(leaves, {}, [&](AxisId leaf) {
        if (nest.axes[leaf.value].type == AxisType::Loop)
            return leaf == threaded ? 0 : 1;
        return unsplitAxis(nest, leaf) == across ? 3 : 2;
    });
    plan.reorder(leaves, "vectors of rows innermost");
    return threaded;
}

// Writes the points of the rows out: what a sum has computed of a point is there when the point is stored. Under strict, the
// device's compiler writes the steps of a sum out, in their order. Returns the loop that is left outside.
AxisId vectorsOfShortRows(NestPlan &plan, const std::vector<AxisId> &inner, AxisId across)
{
    const std::string reason = format("rows of {} points, {} rows at a time", plan.elementsOf(inner), plan.vectorLanes());
    const AxisId outside = plan.tile(across, plan.vectorLanes(), plan.vectorLanes(), reason);
    for (const AxisId axis : inner)
        plan.setType(axis, AxisType::Upcast, reason);
    for (std::size_t i = 0; i < plan.nest().reductions.size(); ++i) {
        const Reduction reduction = plan.nest().reductions[i];
        for (const AxisId axis : reduction.axes) {
            if (plan.isStrict() && isFloatSum(reduction)) // one after the other
                plan.unroll(axis, plan.extentOf(axis), reason);
            else
                plan.tile(axis, plan.extentOf(axis), 1, reason);
        }
    }
    return outside;
}

// Computes a vector of rows at a time, with the loop along them outside the vectors. Returns the loop that is left outside.
AxisId vectorsOfRows(NestPlan &plan, const std::vector<AxisId> &inner, AxisId across)
{
    const std::int64_t operations = inner.empty() ? 0 : plan.operationsAlong(inner.back());
    const bool isTurned =
        !inner.empty() && operations * kTurnedPoints <= kMostWritten && isStoredAlong(plan, inner.back(), across);
    const bool isLong = operations * kTurnedPoints * kTurnedVectors > kMostWritten;
    const std::int64_t vectors = !isTurned ? kRowVectors : isLong ? 1 : kTurnedVectors;
    const AxisId outside =
        plan.tile(across, vectors * plan.vectorLanes(), plan.vectorLanes(), "neighbouring rows lie side by side in memory");
    if (isTurned)
        plan.tile(
            inner.back(), kTurnedPoints, 1,
            format("{} points of each row, which lie side by side in what is stored: registers transpose them", kTurnedPoints));
    return outside;
}

} // namespace

std::vector<AxisId> rowAxes(const NestPlan &plan)
{
    std::vector<AxisId> rows;
    for (const AxisId axis : plan.nest().domain) {
        for (std::size_t i = 0; i < plan.nest().values.size(); ++i) {
            if (plan.nest().values[i].kind == ValueKind::Reduction && std::ranges::binary_search(plan.dependencies()[i], axis)) {
                rows.push_back(axis);
                break;
            }
        }
    }
    return rows;
}

std::vector<AxisId> rowsOutside(NestPlan &plan, const std::vector<AxisId> &rows, const std::string &reason)
{
    std::vector<AxisId> inner;
    for (const AxisId axis : plan.nest().domain)
        if (std::ranges::find(rows, axis) == rows.end())
            inner.push_back(axis);
    std::vector<AxisId> order = rows;
    order.insert(order.end(), inner.begin(), inner.end());
    plan.reorder(order, reason);
    return inner;
}

void chooseForRows(NestPlan &plan)
{
    const std::vector<AxisId> rows = rowAxes(plan);
    const std::vector<AxisId> inner =
        rowsOutside(plan, rows, "rows outside: what is reduced along them is computed once per row");

    std::int64_t perPoint = plan.operationsPerPoint();
    for (const Reduction &reduction : plan.nest().reductions)
        perPoint += plan.operationsUnder(reduction.body);
    const std::int64_t total = (CheckedSize(perPoint) * plan.elementsOf(plan.nest().domain)).saturated();

    AxisId threaded;
    bool isRowByRow = false;
    if (const AxisId across = rowsSideBySide(plan, rows); across.isValid()) {
        threaded = withVectorsInnermost(plan, rows, across, vectorsOfRows(plan, inner, across));
    } else if (areShort(plan, rows, inner)) {
        threaded = withVectorsInnermost(plan, rows, rows.back(), vectorsOfShortRows(plan, inner, rows.back()));
    } else {
        isRowByRow = true;
        if (areLong(plan))
            joinReductions(plan, kFewestStepsInLanes);
        const std::size_t count = plan.nest().reductions.size();
        for (std::size_t i = 0; i < count; ++i)
            if (!plan.nest().reductions[i].joined)
                vectorizeReduction(plan, Reduction(plan.nest().reductions[i]));
        if (!inner.empty())
            tileInVectors(plan, inner.back(),
                          vectorShape(plan, inner.back(), {.perPoint = plan.operationsAlong(inner.back()), .total = total},
                                      plan.accesses()),
                          format("memory runs along {}", plan.nameOf(inner.back())));
    }
    streamLargeStores(plan);
    if (threaded.isValid())
        plan.distribute(threaded, total);
    else if (isRowByRow)
        plan.shareLoops(plan.nest().order, rows, kRoundsPerThread, total, "the threads' loop outside");
}

} // namespace sw
