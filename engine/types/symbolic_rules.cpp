// The arithmetic of symbolic expressions: every result in canonical form.

#include "engine/types/symbolic.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sw {

namespace {

Diagnostic tooLarge(std::string_view operation, const SymbolicExpr &a, const SymbolicExpr &b)
{
    return Diagnostic::error(Code::Limit, {}, "{} of {} and {} leaves 63 bits", operation, toText(a), toText(b));
}

// Terms and factors, including those inside functions. This limits the time and the depth of every walk over an expression.
constexpr std::size_t kMaximumParts = 1000;

std::size_t partsOf(const SymbolicExpr &expr)
{
    std::size_t parts = 0;
    for (const SymbolicTerm &term : expr.terms()) {
        parts += 1 + term.atoms.size();
        for (const SymbolicAtom &atom : term.atoms)
            if (atom.function)
                parts += partsOf(*atom.left) + partsOf(*atom.right);
    }
    return parts;
}

Result<SymbolicExpr> limited(SymbolicExpr expr)
{
    if (partsOf(expr) <= kMaximumParts)
        return expr;
    return Diagnostic::error(Code::Limit, {}, "an extent is made of more than {} parts", kMaximumParts)
        .withHint("give an intermediate extent a name of its own: a dimension with bounds");
}

bool comesBefore(const SymbolicTerm &a, const SymbolicTerm &b)
{
    return a.atoms < b.atoms;
}

} // namespace

// Builds expressions term by term.
class SymbolicMaker {
public:
    // False: a number exceeds 63 bits.
    [[nodiscard]] bool add(std::int64_t coefficient, std::vector<SymbolicAtom> atoms)
    {
        std::ranges::sort(atoms);
        SymbolicTerm term{coefficient, std::move(atoms)};
        const auto place = std::ranges::lower_bound(m_terms, term, comesBefore);
        if (place == m_terms.end() || place->atoms != term.atoms) {
            if (coefficient != 0)
                m_terms.insert(place, std::move(term));
            return true;
        }
        if (__builtin_add_overflow(place->coefficient, coefficient, &place->coefficient))
            return false;
        if (place->coefficient == 0)
            m_terms.erase(place);
        return true;
    }

    [[nodiscard]] bool addScaled(const SymbolicExpr &expr, std::int64_t factor)
    {
        return std::ranges::all_of(expr.terms(), [&](const SymbolicTerm &term) {
            std::int64_t coefficient = 0;
            return !__builtin_mul_overflow(term.coefficient, factor, &coefficient) && add(coefficient, term.atoms);
        });
    }

    [[nodiscard]] SymbolicExpr take()
    {
        SymbolicExpr made;
        made.m_terms = std::move(m_terms);
        return made;
    }

    [[nodiscard]] static SymbolicExpr ofFunction(SymbolicFunction function, const SymbolicExpr &a, const SymbolicExpr &b)
    {
        SymbolicExpr made;
        made.m_terms.push_back(
            {1, {SymbolicAtom{{}, function, std::make_shared<const SymbolicExpr>(a), std::make_shared<const SymbolicExpr>(b)}}});
        return made;
    }

private:
    std::vector<SymbolicTerm> m_terms;
};

namespace {

// expr as multiple * divisor + rest, with as much in the multiple as the terms allow.
struct SplitExpr {
    SymbolicExpr multiple;
    SymbolicExpr rest;
};

std::int64_t floorQuotient(std::int64_t a, std::int64_t b)
{
    const std::int64_t quotient = a / b;
    return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

// By a constant: takes out the terms whose coefficient it divides, and the floor of the constant term.
SplitExpr splitByConstant(const SymbolicExpr &expr, std::int64_t divisor)
{
    SymbolicMaker multiple;
    SymbolicMaker rest;
    bool isSound = true;
    for (const SymbolicTerm &term : expr.terms()) {
        const bool divides = term.coefficient % divisor == 0;
        const std::int64_t quotient =
            term.atoms.empty() ? floorQuotient(term.coefficient, divisor) : (divides ? term.coefficient / divisor : 0);
        isSound = isSound && multiple.add(quotient, term.atoms) && rest.add(term.coefficient - quotient * divisor, term.atoms);
    }
    SW_ASSERT(isSound, "parts that are no larger than the whole");
    return {multiple.take(), rest.take()};
}

// By a product of atoms with a coefficient: takes out the terms that contain it.
SplitExpr splitByTerm(const SymbolicExpr &expr, const SymbolicTerm &divisor)
{
    SymbolicMaker multiple;
    SymbolicMaker rest;
    bool isSound = true;
    for (const SymbolicTerm &term : expr.terms()) {
        std::vector<SymbolicAtom> left;
        std::ranges::set_difference(term.atoms, divisor.atoms, std::back_inserter(left));
        const bool holds = left.size() + divisor.atoms.size() == term.atoms.size() && term.coefficient % divisor.coefficient == 0;
        isSound = isSound && (holds ? multiple.add(term.coefficient / divisor.coefficient, std::move(left))
                                    : rest.add(term.coefficient, term.atoms));
    }
    SW_ASSERT(isSound, "parts that are no larger than the whole");
    return {multiple.take(), rest.take()};
}

SplitExpr split(const SymbolicExpr &expr, const SymbolicExpr &divisor)
{
    if (expr == divisor)
        return {SymbolicExpr(1), {}};
    if (const auto constant = divisor.constant())
        return *constant == -1 ? SplitExpr{{}, expr} : splitByConstant(expr, *constant);
    return divisor.terms().size() == 1 ? splitByTerm(expr, divisor.terms().front()) : SplitExpr{{}, expr};
}

bool mayBeZero(const SymbolicExpr &expr)
{
    const SymbolicBounds bounds = expr.bounds();
    return bounds.low <= 0 && bounds.high >= 0;
}

// Whether 0 <= rest < divisor for all values of the variables.
bool isBelow(const SymbolicExpr &rest, const SymbolicExpr &divisor)
{
    if (rest.bounds().low < 0)
        return false;
    const auto difference = subtract(divisor, rest);
    return difference && difference->bounds().low > 0;
}

Result<Done> checkDivisor(const SymbolicExpr &a, const SymbolicExpr &b)
{
    if (b.constant() == 0)
        return Diagnostic::error(Code::Argument, {}, "{} is divided by zero", toText(a));
    return Done{};
}

Result<SymbolicExpr> extreme(SymbolicFunction function, const SymbolicExpr &a, const SymbolicExpr &b)
{
    const bool isMin = function == SymbolicFunction::Min;
    const auto difference = subtract(a, b);
    if (difference && difference->bounds().high <= 0)
        return isMin ? a : b;
    if (difference && difference->bounds().low >= 0)
        return isMin ? b : a;
    return limited(b < a ? SymbolicMaker::ofFunction(function, b, a) : SymbolicMaker::ofFunction(function, a, b));
}

} // namespace

Result<SymbolicExpr> add(const SymbolicExpr &a, const SymbolicExpr &b)
{
    SymbolicMaker sum;
    if (!sum.addScaled(a, 1) || !sum.addScaled(b, 1))
        return tooLarge("the sum", a, b);
    return limited(sum.take());
}

Result<SymbolicExpr> subtract(const SymbolicExpr &a, const SymbolicExpr &b)
{
    SymbolicMaker difference;
    if (!difference.addScaled(a, 1) || !difference.addScaled(b, -1))
        return tooLarge("the difference", a, b);
    return limited(difference.take());
}

Result<SymbolicExpr> multiply(const SymbolicExpr &a, const SymbolicExpr &b)
{
    SymbolicMaker product;
    for (const SymbolicTerm &x : a.terms()) {
        for (const SymbolicTerm &y : b.terms()) {
            std::int64_t coefficient = 0;
            std::vector<SymbolicAtom> atoms = x.atoms;
            atoms.insert(atoms.end(), y.atoms.begin(), y.atoms.end());
            if (__builtin_mul_overflow(x.coefficient, y.coefficient, &coefficient) || !product.add(coefficient, std::move(atoms)))
                return tooLarge("the product", a, b);
        }
    }
    return limited(product.take());
}

Result<SymbolicExpr> divide(const SymbolicExpr &a, const SymbolicExpr &b)
{
    SW_CHECK(checkDivisor(a, b));
    if (b.constant() == 1)
        return a;
    if (b.constant() == -1)
        return subtract(SymbolicExpr(), a);
    // Taking out a multiple of the divisor would hide that the divisor can be zero.
    if (mayBeZero(b))
        return limited(SymbolicMaker::ofFunction(SymbolicFunction::Divide, a, b));
    const SplitExpr parts = split(a, b);
    if (parts.rest == SymbolicExpr() || isBelow(parts.rest, b))
        return parts.multiple;
    return add(parts.multiple, SymbolicMaker::ofFunction(SymbolicFunction::Divide, parts.rest, b));
}

Result<SymbolicExpr> modulo(const SymbolicExpr &a, const SymbolicExpr &b)
{
    SW_CHECK(checkDivisor(a, b));
    if (b.constant() == 1 || b.constant() == -1)
        return SymbolicExpr();
    if (mayBeZero(b))
        return limited(SymbolicMaker::ofFunction(SymbolicFunction::Modulo, a, b));
    const SplitExpr parts = split(a, b);
    if (parts.rest == SymbolicExpr() || isBelow(parts.rest, b))
        return parts.rest;
    return limited(SymbolicMaker::ofFunction(SymbolicFunction::Modulo, parts.rest, b));
}

Result<SymbolicExpr> minimum(const SymbolicExpr &a, const SymbolicExpr &b)
{
    return extreme(SymbolicFunction::Min, a, b);
}

Result<SymbolicExpr> maximum(const SymbolicExpr &a, const SymbolicExpr &b)
{
    return extreme(SymbolicFunction::Max, a, b);
}

} // namespace sw
