#include "engine/loops/index_expr.h"

#include "engine/base/assert.h"
#include "engine/base/hash.h"
#include "engine/base/text.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace sw {

namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

constexpr std::size_t kFewestPlaces = 32; // a power of two

std::int64_t floorModulo(std::int64_t a, std::int64_t b)
{
    return a - floorDivide(a, b) * b;
}

} // namespace

// The place of an equal expression, or the free one for it.
std::size_t IndexArena::placeOf(const IndexExpr &expr) const
{
    WordHasher hasher;
    hasher.add(static_cast<std::uint64_t>(expr.kind)).add(static_cast<std::uint64_t>(expr.number));
    hasher.add(std::uint64_t{expr.axis.value}).add(std::uint64_t{expr.a.value}).add(std::uint64_t{expr.b.value});
    const auto isSame = [&](const IndexExpr &known) {
        return known.kind == expr.kind && known.number == expr.number && known.axis == expr.axis && known.a == expr.a &&
               known.b == expr.b;
    };
    std::size_t place = hasher.value() & (m_places.size() - 1);
    while (m_places[place] != 0 && !isSame(m_exprs[m_places[place] - 1]))
        place = (place + 1) & (m_places.size() - 1);
    return place;
}

ExprId IndexArena::intern(IndexExpr expr)
{
    if (m_places.size() < 2 * (m_exprs.size() + 1)) {
        m_places.assign(std::max(kFewestPlaces, 4 * m_places.size()), 0);
        for (std::size_t i = 0; i < m_exprs.size(); ++i)
            m_places[placeOf(m_exprs[i])] = static_cast<std::uint32_t>(i + 1);
    }
    const std::size_t place = placeOf(expr);
    if (m_places[place] != 0)
        return ExprId(m_places[place] - 1);
    m_exprs.push_back(expr);
    m_places[place] = static_cast<std::uint32_t>(m_exprs.size());
    return ExprId(m_exprs.size() - 1);
}

ExprId IndexArena::constant(std::int64_t value)
{
    return intern({.kind = ExprKind::Constant, .number = value, .low = value, .high = value});
}

ExprId IndexArena::axis(AxisId id, std::int64_t extent)
{
    if (extent <= 1)
        return constant(0);
    return intern({.kind = ExprKind::Axis, .axis = id, .low = 0, .high = extent - 1});
}

void IndexArena::collect(ExprId id, std::int64_t factor, Sum &sum) const
{
    const IndexExpr &expr = at(id);
    switch (expr.kind) {
    case ExprKind::Constant:
        sum.constant += factor * expr.number;
        return;
    case ExprKind::Add:
        collect(expr.a, factor, sum);
        collect(expr.b, factor, sum);
        return;
    case ExprKind::Mul:
        collect(expr.a, factor * expr.number, sum);
        return;
    case ExprKind::Axis:
    case ExprKind::Div:
    case ExprKind::Mod:
        sum.terms.emplace_back(factor, id);
        return;
    }
    SW_UNREACHABLE();
}

IndexArena::Sum IndexArena::sumOf(ExprId id) const
{
    Sum sum;
    collect(id, 1, sum);
    return sum;
}

// What two terms of a sum are together, where one of them has the digits of a number right above those of the other:
// d * (x div d) + (x mod d) = x, q * (x div pq) + (x div p mod q) = x div p, p * (x div p mod q) + (x mod p) = x mod pq.
std::optional<ExprId> IndexArena::joined(const Term &upper, const Term &lower)
{
    const IndexExpr high = at(upper.second);
    const IndexExpr low = at(lower.second);
    if (low.kind != ExprKind::Mod)
        return std::nullopt;
    const bool isScaled = upper.first == lower.first * low.number;
    if (high.kind == ExprKind::Div && high.a == low.a && high.number == low.number)
        return isScaled ? std::optional(high.a) : std::nullopt;
    const IndexExpr inLow = at(low.a);
    if (high.kind == ExprKind::Div && inLow.kind == ExprKind::Div && inLow.a == high.a &&
        high.number == inLow.number * low.number)
        return isScaled ? std::optional(low.a) : std::nullopt;
    if (high.kind != ExprKind::Mod)
        return std::nullopt;
    const IndexExpr inHigh = at(high.a);
    if (inHigh.kind == ExprKind::Div && inHigh.a == low.a && inHigh.number == low.number && isScaled)
        return modulo(low.a, low.number * high.number);
    return std::nullopt;
}

// Adds up terms with equal parts and joins the digits of one number; terms are ordered by their parts' ids.
ExprId IndexArena::fromSum(Sum sum)
{
    bool changed = true;
    while (changed) {
        changed = false;
        std::ranges::sort(sum.terms, {}, [](const auto &term) { return term.second; });
        std::vector<std::pair<std::int64_t, ExprId>> merged;
        for (const auto &term : sum.terms) {
            if (!merged.empty() && merged.back().second == term.second)
                merged.back().first += term.first;
            else
                merged.push_back(term);
        }
        std::erase_if(merged, [](const auto &term) { return term.first == 0; });
        sum.terms = std::move(merged);
        for (std::size_t i = 0; i < sum.terms.size() && !changed; ++i)
            for (std::size_t j = 0; j < sum.terms.size() && !changed; ++j) {
                const std::optional<ExprId> whole = i == j ? std::nullopt : joined(sum.terms[i], sum.terms[j]);
                if (!whole)
                    continue;
                const std::int64_t factor = sum.terms[j].first;
                sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(std::max(i, j)));
                sum.terms.erase(sum.terms.begin() + static_cast<std::ptrdiff_t>(std::min(i, j)));
                collect(*whole, factor, sum);
                changed = true;
            }
    }
    std::optional<ExprId> total;
    const auto append = [&](ExprId part) {
        if (!total) {
            total = part;
            return;
        }
        const IndexExpr &left = at(*total);
        const IndexExpr &right = at(part);
        total =
            intern({.kind = ExprKind::Add, .a = *total, .b = part, .low = left.low + right.low, .high = left.high + right.high});
    };
    for (const auto &[factor, part] : sum.terms) {
        if (factor == 1) {
            append(part);
            continue;
        }
        const std::int64_t first = at(part).low * factor;
        const std::int64_t last = at(part).high * factor;
        append(intern(
            {.kind = ExprKind::Mul, .number = factor, .a = part, .low = std::min(first, last), .high = std::max(first, last)}));
    }
    if (sum.constant != 0 || !total)
        append(constant(sum.constant));
    return *total;
}

ExprId IndexArena::add(ExprId a, ExprId b)
{
    Sum sum;
    collect(a, 1, sum);
    collect(b, 1, sum);
    return fromSum(std::move(sum));
}

ExprId IndexArena::multiply(ExprId a, std::int64_t factor)
{
    Sum sum;
    collect(a, factor, sum);
    return fromSum(std::move(sum));
}

// floor((d*q + r) / d) = q + floor(r / d). If r = g*s + t with 0 <= t < g, where g divides d, then t cannot change the quotient:
// floor((g*s + t) / d) = floor(s / (d/g)).
ExprId IndexArena::divide(ExprId a, std::int64_t divisor)
{
    SW_ASSERT(divisor > 0, "a positive divisor");
    if (divisor == 1)
        return a;
    const IndexExpr expr = at(a);
    if (floorDivide(expr.low, divisor) == floorDivide(expr.high, divisor))
        return constant(floorDivide(expr.low, divisor));
    if (expr.kind == ExprKind::Div)
        return divide(expr.a, expr.number * divisor);

    Sum whole;
    Sum rest;
    const Sum sum = sumOf(a);
    for (const auto &term : sum.terms) {
        if (term.first % divisor == 0)
            whole.terms.emplace_back(term.first / divisor, term.second);
        else
            rest.terms.push_back(term);
    }
    whole.constant = floorDivide(sum.constant, divisor);
    rest.constant = floorModulo(sum.constant, divisor);
    if (!whole.terms.empty() || whole.constant != 0) {
        Sum total = whole;
        collect(divide(fromSum(rest), divisor), 1, total);
        return fromSum(std::move(total));
    }
    for (const auto &term : rest.terms) {
        const std::int64_t common = std::gcd(divisor, term.first);
        if (common <= 1)
            continue;
        Sum multiples;
        Sum below;
        for (const auto &other : rest.terms)
            (other.first % common == 0 ? multiples : below).terms.push_back(other);
        multiples.constant = floorDivide(rest.constant, common) * common;
        below.constant = rest.constant - multiples.constant;
        const IndexExpr small = at(fromSum(below));
        if (small.low < 0 || small.high >= common)
            continue;
        for (auto &multiple : multiples.terms)
            multiple.first /= common;
        multiples.constant /= common;
        return divide(fromSum(multiples), divisor / common);
    }
    return intern({.kind = ExprKind::Div,
                   .number = divisor,
                   .a = a,
                   .low = floorDivide(expr.low, divisor),
                   .high = floorDivide(expr.high, divisor)});
}

ExprId IndexArena::modulo(ExprId a, std::int64_t divisor)
{
    SW_ASSERT(divisor > 0, "a positive divisor");
    const IndexExpr expr = at(a);
    if (expr.low >= 0 && expr.high < divisor)
        return a;
    if (expr.kind == ExprKind::Mod && expr.number % divisor == 0)
        return modulo(expr.a, divisor);

    Sum rest;
    const Sum sum = sumOf(a);
    for (const auto &term : sum.terms)
        if (term.first % divisor != 0)
            rest.terms.push_back(term);
    rest.constant = floorModulo(sum.constant, divisor);
    const ExprId reduced = fromSum(rest);
    const IndexExpr kept = at(reduced);
    if (kept.low >= 0 && kept.high < divisor)
        return reduced;
    for (const auto &term : rest.terms) {
        const std::int64_t common = std::gcd(divisor, term.first);
        if (common <= 1)
            continue;
        Sum multiples;
        Sum below;
        for (const auto &other : rest.terms)
            (other.first % common == 0 ? multiples : below).terms.push_back(other);
        multiples.constant = floorDivide(rest.constant, common) * common;
        below.constant = rest.constant - multiples.constant;
        const IndexExpr small = at(fromSum(below));
        if (small.low < 0 || small.high >= common)
            continue;
        for (auto &multiple : multiples.terms)
            multiple.first /= common;
        multiples.constant /= common;
        const ExprId high = modulo(fromSum(multiples), divisor / common);
        collect(high, common, below);
        return fromSum(below);
    }
    const std::int64_t high = kept.low >= 0 ? std::min(divisor - 1, kept.high) : divisor - 1;
    return intern({.kind = ExprKind::Mod, .number = divisor, .a = reduced, .low = 0, .high = high});
}

bool IndexArena::addCondition(std::vector<RangeCondition> &conditions, RangeCondition condition) const
{
    const IndexExpr &expr = at(condition.expr);
    if (expr.low >= condition.low && expr.high < condition.high)
        return true;
    if (expr.high < condition.low || expr.low >= condition.high)
        return false;
    for (RangeCondition &known : conditions) {
        if (known.expr != condition.expr)
            continue;
        known.low = std::max(known.low, condition.low);
        known.high = std::min(known.high, condition.high);
        return known.low < known.high;
    }
    conditions.push_back(condition);
    return true;
}

ExprId IndexArena::substitute(ExprId id, const std::function<ExprId(AxisId)> &replacement)
{
    const IndexExpr expr = at(id);
    switch (expr.kind) {
    case ExprKind::Constant:
        return id;
    case ExprKind::Axis:
        return replacement(expr.axis);
    case ExprKind::Add: {
        const ExprId left = substitute(expr.a, replacement);
        return add(left, substitute(expr.b, replacement));
    }
    case ExprKind::Mul:
        return multiply(substitute(expr.a, replacement), expr.number);
    case ExprKind::Div:
        return divide(substitute(expr.a, replacement), expr.number);
    case ExprKind::Mod:
        return modulo(substitute(expr.a, replacement), expr.number);
    }
    SW_UNREACHABLE();
}

std::string IndexArena::text(ExprId id, const std::function<std::string(AxisId)> &axisName) const
{
    const IndexExpr &expr = at(id);
    const auto operand = [&](ExprId part) {
        const std::string inner = text(part, axisName);
        return at(part).kind == ExprKind::Add ? "(" + inner + ")" : inner;
    };
    switch (expr.kind) {
    case ExprKind::Constant:
        return format("{}", expr.number);
    case ExprKind::Axis:
        return axisName(expr.axis);
    case ExprKind::Add:
        if (at(expr.b).kind == ExprKind::Constant && at(expr.b).number < 0)
            return format("{} - {}", text(expr.a, axisName), -at(expr.b).number);
        return format("{} + {}", text(expr.a, axisName), text(expr.b, axisName));
    case ExprKind::Mul:
        return format("{}*{}", operand(expr.a), expr.number);
    case ExprKind::Div:
        return format("{}//{}", operand(expr.a), expr.number);
    case ExprKind::Mod:
        return format("{}%{}", operand(expr.a), expr.number);
    }
    SW_UNREACHABLE();
}

} // namespace sw
