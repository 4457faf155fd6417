#include "engine/passes/loops/tensor_factors.h"

#include "engine/loops/queries.h"

#include <algorithm>
#include <span>

namespace sw {

namespace {

bool hasEnds(const LoopNest &nest)
{
    return std::ranges::any_of(nest.axes, [](const Axis &axis) { return axis.end.isValid(); });
}

// Only such a load has a copy from which whole tiles can be read.
bool isCopied(const Value &value)
{
    return value.kind == ValueKind::Load && value.conditions.empty();
}

// Whether the columns lie in memory as some instruction reads them.
bool liesInSomeTiles(const LoopNest &nest, const TensorFactors &factors)
{
    return std::ranges::any_of(allTensorInstructions(), [&](TensorInstruction one) {
        const TensorInstructionInfo &info = infoOf(one);
        return info.a == nest.values[factors.a.value].dtype && info.b == nest.values[factors.b.value].dtype &&
               areColumnsInOrder(nest, factors, info);
    });
}

// The loops over the steps of the reduction, which the tiles are inside of.
std::vector<AxisId> loopsOverSteps(const LoopNest &nest)
{
    std::vector<AxisId> loops;
    for (const AxisId axis : nest.reductions.front().axes)
        for (const AxisId leaf : leavesOf(nest, axis))
            if (!isRepeated(nest.axes[leaf.value].type))
                loops.push_back(leaf);
    return loops;
}

void append(std::vector<AxisId> &axes, std::span<const AxisId> more)
{
    axes.insert(axes.end(), more.begin(), more.end());
}

} // namespace

std::optional<TensorFactors> tensorFactorsOf(const LoopNest &nest, const std::vector<std::vector<AxisId>> &dependencies)
{
    if (!isNarrowProduct(nest) || hasEnds(nest))
        return std::nullopt;
    const std::optional<TileAxes> axes = tileAxes(nest, dependencies);
    if (!axes)
        return std::nullopt;
    const std::vector<ValueId> &factors = nest.values[nest.reductions.front().body.value].operands;
    const auto narrow = [&](std::size_t factor) { return nest.values[factors.at(factor).value].operands.at(0); };
    const auto with = [&](const TileAxes &own) {
        return TensorFactors{.axes = own, .a = narrow(1 - own.columnFactor), .b = narrow(own.columnFactor)};
    };
    // What lies in tiles already has the columns, whichever axis is the inner one.
    const TensorFactors turned = with({.rows = axes->columns, .columns = axes->rows, .columnFactor = 1 - axes->columnFactor});
    const TensorFactors found = liesInSomeTiles(nest, turned) ? turned : with(*axes);
    return isCopied(nest.values[found.b.value]) ? std::optional(found) : std::nullopt;
}

std::vector<TensorInstruction> instructionsFor(const LoopNest &nest, const TensorFactors &factors, std::uint32_t set)
{
    std::vector<TensorInstruction> found;
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        if (hasTensorInstruction(set, one) && info.a == nest.values[factors.a.value].dtype &&
            info.b == nest.values[factors.b.value].dtype && info.sum == nest.reductions.front().dtype)
            found.push_back(one);
    }
    return found;
}

bool canCopyRows(const LoopNest &nest, const TensorFactors &factors)
{
    return isCopied(nest.values[factors.a.value]);
}

bool areWholeTiles(const LoopNest &nest, const TensorFactors &factors, const TensorInstructionInfo &info)
{
    return canCopyRows(nest, factors) && nest.axes[factors.axes.columns.value].extent % info.columns == 0 &&
           nest.axes[factors.axes.rows.value].extent % info.rows == 0;
}

std::vector<std::int64_t> depthsFor(const LoopNest &nest, const TensorInstructionInfo &info)
{
    const std::int64_t innermost = nest.axes[nest.reductions.front().axes.back().value].extent;
    const std::int64_t group = depthGroupOf(info.b, info.sum);
    std::vector<std::int64_t> depths;
    for (std::int64_t depth = info.depth; depth % group == 0 && depth >= group; depth /= 2)
        if (innermost % depth == 0 && (!hasTileRegisters(info) || depth == info.depth))
            depths.push_back(depth);
    return depths;
}

bool areColumnsInOrder(const LoopNest &nest, const TensorFactors &factors, const TensorInstructionInfo &info)
{
    return liesInTiles(nest, factors.b,
                       {.columns = factors.axes.columns,
                        .steps = nest.reductions.front().axes.back(),
                        .width = info.columns,
                        .group = depthGroupOf(info.b, info.sum)});
}

std::int64_t registersFor(const TensorInstructionInfo &info, std::int64_t tilesOfRows, std::int64_t vectors)
{
    // A step goes over the rows of one column of tiles after the other: with several, it reads the rows again.
    if (hasTileRegisters(info))
        return tilesOfRows * vectors + (vectors > 1 ? tilesOfRows : 1) + 1;
    // Elements of a are loaded again for each vector of b, but not raised again.
    return info.isRaised ? (tilesOfRows + 1) * vectors + tilesOfRows + 2 : tilesOfRows * vectors + vectors + 1;
}

std::vector<AxisId> copyOfColumns(const LoopNest &nest, AxisId columns, const TensorInstructionInfo &info,
                                  std::vector<AxisId> loops)
{
    append(loops, loopsOverSteps(nest));
    const std::vector<AxisId> steps = leavesOf(nest, tileOf(nest, nest.reductions.front().axes.back()));
    const AxisId tile = tileOf(nest, columns);
    // A tile register is read as a whole, a vector of columns for each group of steps.
    const std::vector<AxisId> parts = hasTileRegisters(info) ? leavesOf(nest, tile) : std::vector<AxisId>{tile};
    append(loops, std::span(parts).first(parts.size() - 1));
    append(loops, std::span(steps).first(steps.size() - 1));
    loops.push_back(parts.back());
    loops.push_back(steps.back());
    return loops;
}

std::vector<AxisId> copyOfRows(const LoopNest &nest, AxisId rows, std::vector<AxisId> loops)
{
    append(loops, loopsOverSteps(nest));
    if (const AxisId tile = tileOf(nest, rows); tile.isValid())
        loops.push_back(tile);
    loops.push_back(tileOf(nest, nest.reductions.front().axes.back()));
    return loops;
}

} // namespace sw
