#include "engine/passes/loops/choose.h"

#include "engine/base/checked_size.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>

namespace sw {

namespace {

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

    AxisId threaded = rows.empty() ? AxisId() : rows.front();
    const AxisId lastRow = rows.empty() ? AxisId() : rows.back();
    if (lastRow.isValid() && runsAlong(plan, lastRow)) {
        // Rows lie side by side in memory: compute a vector of rows at a time, with the loop along them outside the vectors.
        const AxisId outside =
            plan.tile(lastRow, 4 * plan.vectorLanes(), plan.vectorLanes(), "neighbouring rows lie side by side in memory");
        std::vector<AxisId> leaves = plan.nest().order;
        std::stable_partition(leaves.begin(), leaves.end(), [&](AxisId leaf) {
            const AxisType type = plan.nest().axes[leaf.value].type;
            return type == AxisType::Loop;
        });
        plan.reorder(leaves, "vectors of rows innermost");
        if (threaded == lastRow)
            threaded = outside;
    } else {
        const std::size_t count = plan.nest().reductions.size();
        for (std::size_t i = 0; i < count; ++i)
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
}

} // namespace sw
