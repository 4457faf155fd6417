// What an index expression depends on, and how.

#include "engine/base/assert.h"
#include "engine/loops/index_expr.h"

#include <algorithm>

namespace sw {

bool IndexArena::dependsOn(ExprId id, AxisId axis) const
{
    const IndexExpr &expr = at(id);
    switch (expr.kind) {
    case ExprKind::Constant:
        return false;
    case ExprKind::Axis:
        return expr.axis == axis;
    case ExprKind::Add:
        return dependsOn(expr.a, axis) || dependsOn(expr.b, axis);
    case ExprKind::Mul:
    case ExprKind::Div:
    case ExprKind::Mod:
        return dependsOn(expr.a, axis);
    }
    SW_UNREACHABLE();
}

bool IndexArena::addLinear(ExprId id, std::int64_t factor, AxisId axis, std::int64_t &coefficient) const
{
    const IndexExpr &expr = at(id);
    switch (expr.kind) {
    case ExprKind::Constant:
        return true;
    case ExprKind::Axis:
        coefficient += expr.axis == axis ? factor : 0;
        return true;
    case ExprKind::Add:
        return addLinear(expr.a, factor, axis, coefficient) && addLinear(expr.b, factor, axis, coefficient);
    case ExprKind::Mul:
        return addLinear(expr.a, factor * expr.number, axis, coefficient);
    case ExprKind::Div:
    case ExprKind::Mod:
        return !dependsOn(expr.a, axis);
    }
    SW_UNREACHABLE();
}

bool IndexArena::linearIn(ExprId id, AxisId axis, std::int64_t &coefficient) const
{
    coefficient = 0;
    return addLinear(id, 1, axis, coefficient);
}

std::vector<AxisId> IndexArena::axesOf(ExprId id) const
{
    std::vector<AxisId> found;
    const auto visit = [&](auto &&self, ExprId part) -> void {
        const IndexExpr &expr = at(part);
        if (expr.kind == ExprKind::Axis)
            found.push_back(expr.axis);
        if (expr.a.isValid())
            self(self, expr.a);
        if (expr.b.isValid())
            self(self, expr.b);
    };
    visit(visit, id);
    std::ranges::sort(found);
    found.erase(std::ranges::unique(found).begin(), found.end());
    return found;
}

} // namespace sw
