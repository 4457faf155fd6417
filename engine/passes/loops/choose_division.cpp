// Rows inside of an axis. A reshape makes one axis of the rows of an image, and a crop or a border leaves room between them in
// memory: x[i // 40 * 42 + i % 40]. Vectors of 16 along i would begin in one row and end in the next, and each of their lanes
// would be loaded alone.

#include "engine/loops/division.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// How many indices of the axis have the same `expr`: 1 for the axis itself, 2 for i // 2, and 0 where it is something else.
std::int64_t indicesOf(const LoopNest &nest, ExprId expr)
{
    const IndexExpr &part = nest.arena.at(expr);
    if (part.kind == ExprKind::Axis)
        return 1;
    return part.kind == ExprKind::Div && nest.arena.at(part.a).kind == ExprKind::Axis ? part.number : 0;
}

// Whether memory runs along the places of a row (Mod), or from row to row (Div). In a row, neighbours may come from two
// or four places in turns, or be one element: i // 2 % 14 + i % 2 * 2688 has rows of 28.
bool runsAlong(const LoopNest &nest, const NestAccess &access, ExprKind kind, AxisId axis, std::int64_t row)
{
    return std::ranges::any_of(nest.arena.sumOf(access.index).terms, [&](const IndexArena::Term &term) {
        const IndexExpr &part = nest.arena.at(term.second);
        if (term.first != 1 || part.kind != kind || !nest.arena.dependsOn(term.second, axis))
            return false;
        const std::int64_t indices = indicesOf(nest, part.a);
        return part.number * indices == row && (indices == 1 || (kind == ExprKind::Mod && isReadInTurns(indices)));
    });
}

std::vector<NestAccess> allAccesses(const NestPlan &plan)
{
    std::vector<NestAccess> found = plan.accesses();
    for (const Reduction &reduction : plan.nest().reductions) {
        const std::vector<NestAccess> read = plan.loadsUnder(reduction.body);
        found.insert(found.end(), read.begin(), read.end());
    }
    return found;
}

// The row that the axis is divided into, and why.
struct Division {
    std::int64_t row = 1;
    std::string reason = {};
};

// Rows of whole vectors have no vector between them; those that would leave most of one empty are no gain.
std::optional<Division> intoRows(const NestPlan &plan, AxisId axis, std::int64_t row)
{
    const std::int64_t lanes = plan.vectorLanes();
    // Of a reduction, short rows are the groups of steps in which weights are laid out.
    const std::int64_t least = plan.nest().axes[axis.value].isReduce ? lanes : lanes / 2;
    const bool isUneven = row % lanes != 0 && row >= least;
    const bool isInMemory = std::ranges::any_of(
        allAccesses(plan), [&](const NestAccess &access) { return runsAlong(plan.nest(), access, ExprKind::Mod, axis, row); });
    if (!isUneven || !isInMemory || divisionProblemOf(plan.nest(), axis, row))
        return std::nullopt;
    return Division{
        row,
        format("rows of {} that do not follow each other in memory: vectors of {} lanes would lie in two of them", row, lanes)};
}

// Where pixels are shuffled, neighbours come from different images: x[i % 3 * 4096 + i // 3]. Every third of them lies side by
// side. Of two and of four, a vector picks its lanes from as many vectors that it reads. Nothing also where the rows of so many
// points would not be computed across.
std::optional<Division> intoParts(const NestPlan &plan, AxisId axis, std::int64_t parts)
{
    if (plan.nest().domain.empty() || axis != plan.nest().domain.back() || !plan.nest().reductions.empty() ||
        isReadInTurns(parts))
        return std::nullopt;
    const bool isInMemory = std::ranges::any_of(allAccesses(plan), [&](const NestAccess &access) {
        return !access.isStore && runsAlong(plan.nest(), access, ExprKind::Div, axis, parts);
    });
    if (!isInMemory || divisionProblemOf(plan.nest(), axis, parts))
        return std::nullopt;
    Division made{
        parts, format("each {} neighbours lie apart in what is read, and with those of the next {} side by side", parts, parts)};
    NestPlan tried = plan;
    tried.divide(axis, parts, made.reason);
    return shortRows(tried) ? std::optional(std::move(made)) : std::nullopt;
}

// Whether a tensor instruction may do the kernel as it is: its tiles want many rows on end.
bool isForTensors(const NestPlan &plan)
{
    return plan.tensorInstructions() != 0 && isNarrowProduct(plan.nest()) && bestTensorTile(plan).has_value();
}

} // namespace

void divideUnevenAxes(NestPlan &plan)
{
    if (plan.vectorLanes() == 1)
        return;
    std::vector<AxisId> axes = plan.nest().domain;
    for (const Reduction &reduction : plan.nest().reductions)
        axes.insert(axes.end(), reduction.axes.begin(), reduction.axes.end());
    for (const AxisId axis : axes) {
        if (plan.isRowOfBlock(axis))
            continue;
        const std::vector<std::int64_t> divisors = divisorsOf(plan.nest(), axis);
        std::optional<Division> chosen;
        for (auto row = divisors.begin(); !chosen && row != divisors.end(); ++row)
            chosen = intoRows(plan, axis, *row);
        for (auto parts = divisors.rbegin(); !chosen && parts != divisors.rend(); ++parts)
            chosen = intoParts(plan, axis, *parts);
        if (chosen && isForTensors(plan))
            return;
        if (chosen)
            plan.divide(axis, chosen->row, chosen->reason);
    }
}

} // namespace sw
