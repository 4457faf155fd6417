// Which steps of a reduction can be products of tiles.

#include "engine/loops/padding.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostTileElements = 256; // that are written out as lanes of a value

// The type of a factor before it was converted to that of the sums.
DType narrowTypeOf(const LoopNest &nest, ValueId factor)
{
    const Value &value = nest.values[factor.value];
    return value.kind == ValueKind::Cast ? nest.values[value.operands[0].value].dtype : value.dtype;
}

// Why the reduction's instruction does not fit its tiles.
std::optional<std::string> instructionProblemOf(const LoopNest &nest, ReductionId id)
{
    const Reduction &reduction = nest.reductions[id.value];
    const TensorInstructionInfo &info = infoOf(*reduction.instruction);
    const TileRoles roles = tileRolesOf(nest, id);
    const DType a = narrowTypeOf(nest, roles.a);
    const DType b = narrowTypeOf(nest, roles.b);
    if (a != info.a || b != info.b || reduction.dtype != info.sum)
        return format("{} adds products of {} and {} up as {}; the factors are {} and {}, the sums {}", info.name, nameOf(info.a),
                      nameOf(info.b), nameOf(info.sum), nameOf(a), nameOf(b), nameOf(reduction.dtype));
    if (maskedVectorOf(nest, roles.columns).isValid())
        return format("the columns of {} are masked, and {} has all of its columns", nest.axes[roles.columns.value].name,
                      info.name);
    const auto [rows, columns, depth] = tileExtentsOf(nest, id);
    if (columns != info.columns)
        return format("{} has {} columns, and the vector {} lanes", info.name, info.columns, columns);
    const std::int64_t group = depthGroupOf(info.b, info.sum);
    if (depth > info.depth || depth % group != 0)
        return format("{} takes up to {} steps in groups of {}; {} are written out", info.name, info.depth, group, depth);
    // A tile register has one shape in a kernel. Where all tiles have the same rows along one axis, the last register may have
    // rows that nobody reads.
    const auto hasTile = [&](AxisId axis) { return axis != roles.columns && tileOf(nest, axis).isValid(); };
    const bool isOneAxis = std::ranges::count_if(nest.domain, hasTile) == 1;
    for (const AxisId axis : nest.domain)
        if (hasTileRegisters(info) && hasTile(axis) && nest.axes[axis.value].extent % info.rows != 0 &&
            !(isOneAxis && hasOneExtent(nest, tileOf(nest, axis))))
            return format("{} has {} rows, and {} takes {} at a time", nest.axes[axis.value].name, nest.axes[axis.value].extent,
                          info.name, info.rows);
    for (const AxisId axis : reduction.axes)
        if (const AxisId tile = tileOf(nest, axis); tile.isValid() && !hasOneExtent(nest, tile))
            return format("the tiles of {} leave a rest, and {} has no shorter step", nest.axes[axis.value].name, info.name);
    for (const AxisId leaf : reduction.order)
        if (nest.axes[leaf.value].type == AxisType::Local)
            return format("the items of a group share {}, and the sums of {} stay in one of them", nest.axes[leaf.value].name,
                          info.name);
    return std::nullopt;
}

} // namespace

std::optional<std::string> tileProblemOf(const LoopNest &nest, ReductionId id)
{
    const Reduction &reduction = nest.reductions[id.value];
    const Value &body = nest.values[reduction.body.value];
    if (reduction.op != Op::Add || body.kind != ValueKind::Alu || body.op != Op::Mul || body.dtype != reduction.dtype)
        return "the reduction does not add up products of its own type";
    if (blockLoopOf(nest))
        return "the reduction is done in blocks, and products of tiles are not";
    for (const AxisId axis : reduction.axes)
        if (nest.axes[axis.value].end.isValid())
            return format("{} ends at a value of the run, and a tile has all of its steps", nest.axes[axis.value].name);
    for (const AxisId axis : reduction.axes)
        if (nest.axes[axis.value].existing != 0 && !isNothingBehind(nest, reduction, axis))
            return format("{} is padded, and its factors are not 0 where it has no index", nest.axes[axis.value].name);
    const TileRoles roles = tileRolesOf(nest, id);
    if (!roles.columns.isValid())
        return "no axis of the domain is a vector";
    if (std::ranges::count_if(reduction.axes, [&](AxisId axis) { return tileOf(nest, axis).isValid(); }) > 1)
        return "steps along more than one axis of the reduction are written out";
    const auto dependencies = valueDependencies(nest);
    const auto moves = [&](ValueId value, AxisId axis) { return std::ranges::binary_search(dependencies[value.value], axis); };
    if (!moves(roles.b, roles.columns) || moves(roles.a, roles.columns))
        return format("not exactly one factor moves with the vector axis {}", nest.axes[roles.columns.value].name);
    // The tiles of an instruction may stand side by side.
    const auto isOfColumns = [&](AxisId leaf) { return reduction.instruction && unsplitAxis(nest, leaf) == roles.columns; };
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].type == AxisType::Upcast && !isOfColumns(leaf) && moves(roles.b, unsplitAxis(nest, leaf)))
            return format("both factors move with {}", nest.axes[leaf.value].name);
    for (const AxisId leaf : reduction.order)
        if (nest.axes[leaf.value].type == AxisType::Vector)
            return "the reduction itself runs along a vector";
    if (reduction.instruction)
        return instructionProblemOf(nest, id);
    const auto [rows, columns, depth] = tileExtentsOf(nest, id);
    if (std::max({rows * columns, rows * depth, depth * columns}) > kMostTileElements)
        return format("a tile of {} x {} x {} does not fit into values of {} elements", rows, columns, depth, kMostTileElements);
    return std::nullopt;
}

bool liesInTiles(const LoopNest &nest, ValueId load, const TileOrder &order)
{
    const Value &value = nest.values[load.value];
    if (value.kind != ValueKind::Load || !value.buffer.isValid() || !value.conditions.empty())
        return false;
    // How far an axis moves the load within blocks of so many indices, and from block to block.
    struct Move {
        std::int64_t inside = 0;
        std::int64_t across = 0;
    };
    const auto movesOf = [&](AxisId axis, std::int64_t block) -> std::optional<Move> {
        Move move;
        for (const auto &[factor, part] : nest.arena.sumOf(value.index).terms) {
            if (!nest.arena.dependsOn(part, axis))
                continue;
            const IndexExpr &term = nest.arena.at(part);
            const bool isWhole = term.kind == ExprKind::Axis;
            if (!isWhole && (term.number != block || nest.arena.at(term.a).kind != ExprKind::Axis))
                return std::nullopt;
            move.inside += isWhole || term.kind == ExprKind::Mod ? factor : 0;
            move.across += isWhole ? factor * block : term.kind == ExprKind::Div ? factor : 0;
        }
        return move;
    };
    const std::optional<Move> column = movesOf(order.columns, order.width);
    const std::optional<Move> step = movesOf(order.steps, order.group);
    return column && step && column->inside == order.group && step->across == order.width * order.group &&
           (order.group == 1 || step->inside == 1);
}

TileExtents tileExtentsOf(const LoopNest &nest, ReductionId id)
{
    TileExtents tile;
    for (const AxisId leaf : nest.order) {
        const Axis &axis = nest.axes[leaf.value];
        tile.rows *= axis.type == AxisType::Upcast ? axis.extent : 1;
        if (axis.type == AxisType::Vector)
            tile.columns *=
                axis.isMasked ? static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(axis.extent))) : axis.extent;
    }
    for (const AxisId leaf : nest.reductions[id.value].order)
        tile.depth *= nest.axes[leaf.value].type == AxisType::Unroll ? nest.axes[leaf.value].extent : 1;
    return tile;
}

TileRoles tileRolesOf(const LoopNest &nest, ReductionId id)
{
    const Value &body = nest.values[nest.reductions[id.value].body.value];
    TileRoles roles{.a = body.operands.at(0), .b = body.operands.at(1), .columns = AxisId()};
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].type == AxisType::Vector)
            roles.columns = unsplitAxis(nest, leaf);
    if (roles.columns.isValid() && std::ranges::binary_search(valueDependencies(nest)[roles.a.value], roles.columns))
        std::swap(roles.a, roles.b);
    return roles;
}

} // namespace sw
