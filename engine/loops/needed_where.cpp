#include "engine/loops/needed_where.h"

#include "engine/loops/join.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace sw {

namespace {

// Of sums of places, and of conditions of conditions. What is used twice is looked at twice, so that deeper ones take long.
constexpr int kMostDepth = 6;

// What a value is made of, as far as the reduction is among it.
struct Use {
    bool isThere = false;
    std::vector<NeededCondition> where = {}; // all of them; none: everywhere
};

// a + factor * b
IndexArena::Sum combined(IndexArena::Sum a, const IndexArena::Sum &b, std::int64_t factor)
{
    a.constant += factor * b.constant;
    for (const auto &[own, part] : b.terms) {
        const auto known = std::ranges::find(a.terms, part, &IndexArena::Term::second);
        if (known != a.terms.end())
            known->first += factor * own;
        else
            a.terms.emplace_back(factor * own, part);
    }
    std::erase_if(a.terms, [](const IndexArena::Term &term) { return term.first == 0; });
    return a;
}

// A whole number that moves with axes, and its bounds.
struct Place {
    IndexArena::Sum sum;
    std::int64_t low = 0;
    std::int64_t high = 0;
};

class UseFinder {
public:
    // Operands stand before what uses them.
    UseFinder(const LoopNest &nest, ReductionId reduction) : m_nest(nest), m_reduction(reduction)
    {
        m_uses.reserve(nest.values.size());
        for (const Value &value : nest.values)
            m_uses.push_back(found(value));
    }

    [[nodiscard]] const Use &of(ValueId id) const { return m_uses.at(id.value); }

    static Use either(const Use &a, const Use &b)
    {
        if (!a.isThere || !b.isThere)
            return a.isThere ? a : b;
        const auto isSame = [](const NeededCondition &one, const NeededCondition &other) {
            return one.condition == other.condition && one.holds == other.holds;
        };
        return std::ranges::equal(a.where, b.where, isSame) ? a : Use{.isThere = true};
    }

private:
    [[nodiscard]] Use found(const Value &value) const
    {
        if (value.kind == ValueKind::Reduction)
            return {.isThere = value.reduction == m_reduction};
        if (value.kind == ValueKind::Alu && value.op == Op::Where)
            return either(of(value.operands[0]), either(chosen(value, 1), chosen(value, 2)));
        Use all;
        for (const ValueId operand : value.operands)
            all = either(all, of(operand));
        return all;
    }

    // Of what the `where` takes if its condition holds (1), or else (2).
    [[nodiscard]] Use chosen(const Value &where, std::size_t operand) const
    {
        Use use = of(where.operands[operand]);
        if (use.isThere)
            addConditions(where.operands[0], operand == 1, kMostDepth, use.where);
        return use;
    }

    void addConditions(ValueId condition, bool holds, int depth, std::vector<NeededCondition> &all) const
    {
        const Value &value = m_nest.values[condition.value];
        if (value.kind != ValueKind::Alu || depth == 0)
            return;
        if (value.op == Op::And && value.dtype == DType::Bool && holds) {
            addConditions(value.operands[0], holds, depth - 1, all);
            addConditions(value.operands[1], holds, depth - 1, all);
        } else if (std::optional<IndexArena::Sum> least = leastOf(value)) {
            if (!holds) // it is more than 0: at least 1
                least = combined({.terms = {}, .constant = 1}, *least, -1);
            all.push_back({.condition = condition, .holds = holds, .least = *std::move(least)});
        }
    }

    // What is at most 0 exactly where the comparison holds.
    [[nodiscard]] std::optional<IndexArena::Sum> leastOf(const Value &compared) const
    {
        if (compared.op != Op::Cmplt && compared.op != Op::Cmple)
            return std::nullopt;
        const std::optional<Place> left = placeOf(compared.operands[0], kMostDepth);
        const std::optional<Place> right = placeOf(compared.operands[1], kMostDepth);
        if (!left || !right)
            return std::nullopt;
        IndexArena::Sum least = combined(left->sum, right->sum, -1);
        least.constant += compared.op == Op::Cmplt ? 1 : 0;
        const bool isLinear = std::ranges::all_of(
            least.terms, [&](const IndexArena::Term &term) { return m_nest.arena.at(term.second).kind == ExprKind::Axis; });
        return isLinear ? std::optional(std::move(least)) : std::nullopt;
    }

    // A sum of places and whole numbers; nothing: it is something else, or its type may not hold it.
    [[nodiscard]] std::optional<Place> placeOf(ValueId id, int depth) const
    {
        if (depth == 0)
            return std::nullopt;
        const Value &value = m_nest.values[id.value];
        switch (value.kind) {
        case ValueKind::IndexValue: {
            const IndexExpr &index = m_nest.arena.at(value.index);
            return Place{m_nest.arena.sumOf(value.index), index.low, index.high};
        }
        case ValueKind::Constant: {
            if (value.dtype != DType::I32 && value.dtype != DType::I64)
                return std::nullopt;
            const std::int64_t number = value.constant.asInt();
            return within(Place{{.terms = {}, .constant = number}, number, number}, value.dtype);
        }
        case ValueKind::Cast:
            return within(placeOf(value.operands[0], depth - 1), value.dtype);
        case ValueKind::Alu: {
            if (value.op != Op::Add && value.op != Op::Sub)
                return std::nullopt;
            const std::optional<Place> left = placeOf(value.operands[0], depth - 1);
            const std::optional<Place> right = placeOf(value.operands[1], depth - 1);
            if (!left || !right)
                return std::nullopt;
            const std::int64_t sign = value.op == Op::Add ? 1 : -1;
            return within(Place{combined(left->sum, right->sum, sign), left->low + (sign > 0 ? right->low : -right->high),
                                left->high + (sign > 0 ? right->high : -right->low)},
                          value.dtype);
        }
        case ValueKind::Load:
        case ValueKind::Indexed:
        case ValueKind::Bitcast:
        case ValueKind::Custom:
        case ValueKind::Reduction:
        case ValueKind::Masked:
            return std::nullopt;
        }
        SW_UNREACHABLE();
    }

    // Of numbers that i32 holds, in a type that holds all of them, so that no sum of two wraps around.
    static std::optional<Place> within(const std::optional<Place> &place, DType dtype)
    {
        const bool fits = place && place->low >= std::numeric_limits<std::int32_t>::min() &&
                          place->high <= std::numeric_limits<std::int32_t>::max();
        return fits && (dtype == DType::I32 || dtype == DType::I64) ? place : std::nullopt;
    }

    const LoopNest &m_nest;
    ReductionId m_reduction;
    std::vector<Use> m_uses; // by value
};

} // namespace

std::vector<NeededCondition> neededWhere(const LoopNest &nest, ReductionId reduction)
{
    // What is joined is done at every point.
    if (nest.reductions[reduction.value].joined || !joinedTo(nest, reduction).empty())
        return {};
    const auto isWhere = [](const Value &value) { return value.kind == ValueKind::Alu && value.op == Op::Where; };
    if (std::ranges::none_of(nest.values, isWhere))
        return {};
    const auto isLookUp = [&](ValueId id) { return nest.values[id.value].kind == ValueKind::Indexed; };
    if (std::ranges::any_of(valuesUnder(nest, nest.reductions[reduction.value].body, ThroughReductions::Yes), isLookUp))
        return {};
    const UseFinder finder(nest, reduction);
    Use all;
    for (const StoreStatement &store : nest.stores)
        all = UseFinder::either(all, finder.of(store.value));
    for (std::size_t other = 0; other < nest.reductions.size(); ++other)
        if (other != reduction.value && finder.of(nest.reductions[other].body).isThere)
            return {}; // read at every step of another one
    return all.where;
}

} // namespace sw
