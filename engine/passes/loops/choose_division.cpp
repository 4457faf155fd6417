// Rows inside of an axis. A reshape makes one axis of the rows of an image, and a crop or a border leaves room between them in
// memory: x[i // 40 * 42 + i % 40]. Vectors of 16 along i would begin in one row and end in the next, and each of their lanes
// would be loaded alone.

#include "engine/loops/division.h"
#include "engine/passes/loops/choose.h"

#include <algorithm>

namespace sw {

namespace {

// Whether what lies side by side in the rows of an axis lies side by side in what is read or written.
bool isRowInMemory(const LoopNest &nest, const NestAccess &access, AxisId axis, std::int64_t row)
{
    return std::ranges::any_of(nest.arena.sumOf(access.index).terms, [&](const IndexArena::Term &term) {
        const IndexExpr &part = nest.arena.at(term.second);
        return term.first == 1 && part.kind == ExprKind::Mod && part.number == row &&
               nest.arena.at(part.a).kind == ExprKind::Axis && nest.arena.dependsOn(term.second, axis);
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

} // namespace

void divideUnevenAxes(NestPlan &plan)
{
    // A stage's rows are those of all stages of the kernel.
    const std::int64_t lanes = plan.vectorLanes();
    if (plan.isStage() || lanes == 1)
        return;
    const std::vector<AxisId> domain = plan.nest().domain;
    for (const AxisId axis : domain) {
        const std::vector<std::int64_t> divisors = divisorsOf(plan.nest(), axis);
        // Rows of whole vectors have no vector between them; those that would leave most of one empty are no gain.
        if (divisors.empty() || divisors.front() % lanes == 0 || 2 * divisors.front() < lanes)
            continue;
        const std::int64_t row = divisors.front();
        const bool isInMemory = std::ranges::any_of(
            allAccesses(plan), [&](const NestAccess &access) { return isRowInMemory(plan.nest(), access, axis, row); });
        if (isInMemory && !divisionProblemOf(plan.nest(), axis, row))
            plan.divide(axis, row,
                        format("rows of {} that do not follow each other in memory: vectors of {} lanes would lie in two of them",
                               row, lanes));
    }
}

} // namespace sw
