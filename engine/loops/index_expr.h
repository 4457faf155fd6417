#pragma once
// Index arithmetic over loop axes, as a hash-consed arena: equal expressions have equal ids. Every constructor simplifies, with
// the axes' extents as bounds, so that the flat index of a reshaped, permuted, padded view becomes as simple as possible.
// Values that are used to read memory are non-negative. Div and Mod round down (floor); their divisors are positive constants.

#include "engine/base/id.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sw {

using ExprId = Id<struct ExprTag>;

enum class ExprKind : std::uint8_t { Constant, Axis, Add, Mul, Div, Mod };

// Add: a + b. Mul, Div, Mod: a by the constant `number`. Constant: `number`. Axis: the axis `axis`.
struct IndexExpr {
    ExprKind kind = ExprKind::Constant;
    std::int64_t number = 0;
    AxisId axis = {};
    ExprId a = {};
    ExprId b = {};
    std::int64_t low = 0;  // smallest value
    std::int64_t high = 0; // largest value
};

// low <= expr < high
struct RangeCondition {
    ExprId expr;
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool operator==(const RangeCondition &) const = default;
};

class IndexArena {
public:
    [[nodiscard]] const IndexExpr &at(ExprId id) const { return m_exprs.at(id.value); }
    [[nodiscard]] std::size_t size() const { return m_exprs.size(); }

    ExprId constant(std::int64_t value);
    ExprId axis(AxisId id, std::int64_t extent); // 0 <= axis < extent; an extent of 1 is the constant 0
    ExprId add(ExprId a, ExprId b);
    ExprId multiply(ExprId a, std::int64_t factor);
    ExprId divide(ExprId a, std::int64_t divisor); // divisor > 0
    ExprId modulo(ExprId a, std::int64_t divisor); // divisor > 0

    // Adds the condition to the list unless the expression's bounds prove it; returns false when the bounds disprove it.
    [[nodiscard]] bool addCondition(std::vector<RangeCondition> &conditions, RangeCondition condition) const;

    [[nodiscard]] bool dependsOn(ExprId id, AxisId axis) const;
    // The coefficient c in expr == rest + c * axis, where rest does not depend on axis; false when there is none.
    [[nodiscard]] bool linearIn(ExprId id, AxisId axis, std::int64_t &coefficient) const;
    // Sorted, unique.
    [[nodiscard]] std::vector<AxisId> axesOf(ExprId id) const;
    // expr with each axis replaced by replacement(axis), and simplified again.
    ExprId substitute(ExprId id, const std::function<ExprId(AxisId)> &replacement);
    // The terms of a sum as (factor, part), where no part is an Add, Mul or Constant, and its constant.
    using Term = std::pair<std::int64_t, ExprId>;
    struct Sum {
        std::vector<Term> terms;
        std::int64_t constant = 0;
    };
    [[nodiscard]] Sum sumOf(ExprId id) const;

    [[nodiscard]] std::string text(ExprId id, const std::function<std::string(AxisId)> &axisName) const;

private:
    ExprId intern(IndexExpr expr);
    ExprId fromSum(Sum sum);
    std::optional<ExprId> joined(const Term &upper, const Term &lower);
    void collect(ExprId id, std::int64_t factor, Sum &sum) const;
    [[nodiscard]] bool addLinear(ExprId id, std::int64_t factor, AxisId axis, std::int64_t &coefficient) const;
    [[nodiscard]] std::size_t placeOf(const IndexExpr &expr) const;

    std::vector<IndexExpr> m_exprs;
    // Where each expression is found again: by its hash, or in the next place that is free; 1 more than its number, 0 is free. At
    // least half of the places are. One piece of memory, because nests are copied.
    std::vector<std::uint32_t> m_places;
};

} // namespace sw
