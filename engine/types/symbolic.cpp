#include "engine/types/symbolic.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>
#include <utility>

namespace sw {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();

std::int64_t saturated(Wide value)
{
    return static_cast<std::int64_t>(std::clamp<Wide>(value, kLeast, kMost));
}

std::int64_t floorQuotient(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

SymbolicBounds sumOf(SymbolicBounds a, SymbolicBounds b)
{
    return {saturated(Wide{a.low} + b.low), saturated(Wide{a.high} + b.high)};
}

SymbolicBounds productOf(SymbolicBounds a, SymbolicBounds b)
{
    const std::array<Wide, 4> corners = {Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high};
    return {saturated(std::ranges::min(corners)), saturated(std::ranges::max(corners))};
}

// Bounds of floor(a / b) for b other than 0: the extremes are at the corners of each sign of b.
SymbolicBounds quotientOf(SymbolicBounds a, SymbolicBounds b)
{
    SymbolicBounds out{kMost, kLeast};
    const auto include = [&](std::int64_t divisor) {
        for (const std::int64_t dividend : {a.low, a.high}) {
            const std::int64_t quotient = dividend == kLeast && divisor == -1 ? kMost : floorQuotient(dividend, divisor);
            out.low = std::min(out.low, quotient);
            out.high = std::max(out.high, quotient);
        }
    };
    if (b.high >= 1) {
        include(std::max<std::int64_t>(b.low, 1));
        include(b.high);
    }
    if (b.low <= -1) {
        include(b.low);
        include(std::min<std::int64_t>(b.high, -1));
    }
    return out;
}

// Bounds of the floor remainder, which has the divisor's sign and is smaller than the divisor.
SymbolicBounds remainderOf(SymbolicBounds a, SymbolicBounds b)
{
    if (b.low >= 1 && a.low >= 0)
        return {0, std::min(a.high, b.high - 1)};
    return {b.low <= -1 ? b.low + 1 : 0, b.high >= 1 ? b.high - 1 : 0};
}

SymbolicBounds boundsOf(const SymbolicAtom &atom)
{
    if (!atom.function)
        return {atom.variable.low, atom.variable.high};
    const SymbolicBounds a = atom.left->bounds();
    const SymbolicBounds b = atom.right->bounds();
    switch (*atom.function) {
    case SymbolicFunction::Divide:
        return quotientOf(a, b);
    case SymbolicFunction::Modulo:
        return remainderOf(a, b);
    case SymbolicFunction::Min:
        return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case SymbolicFunction::Max:
        return {std::max(a.low, b.low), std::max(a.high, b.high)};
    }
    SW_UNREACHABLE();
}

std::optional<std::int64_t> valueOf(const SymbolicAtom &atom, const SymbolicBindings &bindings)
{
    if (!atom.function) {
        const auto found = bindings.find(atom.variable.name);
        return found == bindings.end() ? std::nullopt : std::optional(found->second);
    }
    const auto a = atom.left->evaluate(bindings);
    const auto b = atom.right->evaluate(bindings);
    if (!a || !b)
        return std::nullopt;
    switch (*atom.function) {
    case SymbolicFunction::Divide:
        return *b == 0 || (*a == kLeast && *b == -1) ? std::nullopt : std::optional(floorQuotient(*a, *b));
    case SymbolicFunction::Modulo:
        if (*b == 0)
            return std::nullopt;
        return *b == -1 ? 0 : *a - floorQuotient(*a, *b) * *b;
    case SymbolicFunction::Min:
        return std::min(*a, *b);
    case SymbolicFunction::Max:
        return std::max(*a, *b);
    }
    SW_UNREACHABLE();
}

void collectVariables(const SymbolicExpr &expr, std::set<SymbolicVariable> &found)
{
    for (const SymbolicTerm &term : expr.terms())
        for (const SymbolicAtom &atom : term.atoms) {
            if (!atom.function) {
                found.insert(atom.variable);
                continue;
            }
            collectVariables(*atom.left, found);
            collectVariables(*atom.right, found);
        }
}

} // namespace

std::strong_ordering SymbolicAtom::operator<=>(const SymbolicAtom &other) const
{
    if (const auto order = function <=> other.function; order != 0)
        return order;
    if (!function)
        return variable <=> other.variable;
    if (const auto order = *left <=> *other.left; order != 0)
        return order;
    return *right <=> *other.right;
}

SymbolicExpr::SymbolicExpr(std::int64_t constant)
{
    if (constant != 0)
        m_terms.push_back({constant, {}});
}

SymbolicExpr::SymbolicExpr(const SymbolicVariable &variable)
{
    SW_ASSERT(variable.low <= variable.high, "a variable that has a value");
    if (variable.low == variable.high)
        *this = SymbolicExpr(variable.low);
    else
        m_terms.push_back({1, {SymbolicAtom{variable, {}, {}, {}}}});
}

std::optional<std::int64_t> SymbolicExpr::constant() const
{
    if (m_terms.empty())
        return 0;
    return m_terms.size() == 1 && m_terms.front().atoms.empty() ? std::optional(m_terms.front().coefficient) : std::nullopt;
}

SymbolicBounds SymbolicExpr::bounds() const
{
    SymbolicBounds sum;
    for (const SymbolicTerm &term : m_terms) {
        SymbolicBounds product{term.coefficient, term.coefficient};
        for (const SymbolicAtom &atom : term.atoms)
            product = productOf(product, boundsOf(atom));
        sum = sumOf(sum, product);
    }
    return sum;
}

std::vector<SymbolicVariable> SymbolicExpr::variables() const
{
    std::set<SymbolicVariable> found;
    collectVariables(*this, found);
    return {found.begin(), found.end()};
}

std::optional<std::int64_t> SymbolicExpr::evaluate(const SymbolicBindings &bindings) const
{
    std::int64_t sum = 0;
    for (const SymbolicTerm &term : m_terms) {
        std::int64_t product = term.coefficient;
        for (const SymbolicAtom &atom : term.atoms) {
            const auto factor = valueOf(atom, bindings);
            if (!factor || __builtin_mul_overflow(product, *factor, &product))
                return std::nullopt;
        }
        if (__builtin_add_overflow(sum, product, &sum))
            return std::nullopt;
    }
    return sum;
}

std::strong_ordering SymbolicExpr::operator<=>(const SymbolicExpr &other) const
{
    const auto compareTerms = [](const SymbolicTerm &a, const SymbolicTerm &b) {
        const auto order = std::lexicographical_compare_three_way(a.atoms.begin(), a.atoms.end(), b.atoms.begin(), b.atoms.end());
        return order != 0 ? order : a.coefficient <=> b.coefficient;
    };
    return std::lexicographical_compare_three_way(m_terms.begin(), m_terms.end(), other.m_terms.begin(), other.m_terms.end(),
                                                  compareTerms);
}

} // namespace sw
