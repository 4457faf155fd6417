// Devices have tile instructions for products of narrow elements that are added up as wider ones. A contraction of that kind
// becomes products of tiles on every device, and a pass writes them out for devices without such instructions.

#include "engine/loops/queries.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kTileRows = 4;
constexpr std::int64_t kTileColumns = 4; // what a work item of a GPU reads at once
constexpr std::int64_t kTileDepth = 4;

bool isNarrow(const LoopNest &nest, ValueId factor)
{
    const Value &value = nest.values[factor.value];
    return value.kind == ValueKind::Cast && bytesOf(nest.values[value.operands[0].value].dtype) < bytesOf(value.dtype);
}

} // namespace

bool isNarrowProduct(const LoopNest &nest)
{
    if (nest.reductions.size() != 1 || nest.reductions.front().axes.empty())
        return false;
    const Reduction &reduction = nest.reductions.front();
    const Value &body = nest.values[reduction.body.value];
    return reduction.op == Op::Add && body.kind == ValueKind::Alu && body.op == Op::Mul && body.dtype == reduction.dtype &&
           isNarrow(nest, body.operands[0]) && isNarrow(nest, body.operands[1]);
}

std::optional<TileAxes> tileAxes(const LoopNest &nest, const std::vector<std::vector<AxisId>> &dependencies)
{
    const Value &body = nest.values[nest.reductions.front().body.value];
    const auto moves = [&](std::size_t factor, AxisId axis) {
        return std::ranges::binary_search(dependencies[body.operands.at(factor).value], axis);
    };
    TileAxes axes;
    std::optional<std::size_t> columnFactor;
    for (auto axis = nest.domain.rbegin(); axis != nest.domain.rend(); ++axis) {
        if (moves(0, *axis) == moves(1, *axis))
            continue;
        const std::size_t factor = moves(1, *axis) ? 1 : 0;
        if (!columnFactor) {
            columnFactor = factor;
            axes.columns = *axis;
        } else if (factor != *columnFactor) {
            axes.rows = *axis;
            axes.columnFactor = *columnFactor;
            return axes;
        }
    }
    return std::nullopt;
}

bool chooseTilesForGpu(NestPlan &plan)
{
    const std::optional<TileAxes> axes = isNarrowProduct(plan.nest()) ? tileAxes(plan.nest(), plan.dependencies()) : std::nullopt;
    if (!axes || plan.extentOf(axes->columns) < 2)
        return false;
    const Reduction reduction = plan.nest().reductions.front();
    const AxisId depth = reduction.axes.back();
    const std::string reason = "a tile per work item";
    const std::int64_t lanes = std::min(kTileColumns, floorPowerOfTwo(plan.extentOf(axes->columns)));
    plan.tile(axes->columns, lanes, lanes, reason);
    plan.tile(axes->rows, std::min(kTileRows, plan.extentOf(axes->rows)), 1, reason);
    plan.tile(depth, std::min(kTileDepth, plan.extentOf(depth)), 1, reason);
    std::vector<AxisId> order = plan.nest().order;
    const auto isLoop = [&](AxisId leaf) { return plan.nest().axes[leaf.value].type == AxisType::Loop; };
    const auto tiles = std::stable_partition(order.begin(), order.end(), isLoop);
    const auto loops = tiles - order.begin();
    plan.reorder(order, "the tile innermost");
    for (auto i = std::max<std::ptrdiff_t>(loops - 3, 0); i < loops; ++i)
        plan.setType(order[static_cast<std::size_t>(i)], AxisType::Global, "a work item per index");
    tensorizeNarrowProducts(plan);
    return true;
}

void tensorizeNarrowProducts(NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (!isNarrowProduct(nest) || nest.reductions.front().isTiled || tileProblemOf(nest, ReductionId(0U)))
        return;
    const auto [rows, columns, depth] = tileExtentsOf(nest, ReductionId(0U));
    plan.tensorize(
        nest.reductions.front().axes.back(),
        format("products of {} are added up as {}: {} x {} x {} at once",
               sw::nameOf(
                   nest.values[nest.values[nest.values[nest.reductions.front().body.value].operands[0].value].operands[0].value]
                       .dtype),
               sw::nameOf(nest.reductions.front().dtype), rows, columns, depth));
}

} // namespace sw
