#pragma once
// Integer expressions over named dimensions with bounds: the extents of shapes that are known only when a program runs. They are
// always kept in one canonical form, so that expressions that are equal by the rules below compare equal.
//
//   sums of products are multiplied out, like terms are collected, and terms have a fixed order
//   division and remainder are Python's (floor), for which (c a + r) / c = a + r / c and (c a + r) % c = r % c for every a and r
//   the bounds decide what they can: x / 8 is 0 and x % 8 is x for 0 <= x < 8; min(x, 8) is x for x <= 8
//
// Numbers are exact: an expression with a constant beyond 63 bits cannot be made.

#include "engine/base/result.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw {

// A dimension of a program: n: dim[1, 4096].
struct SymbolicVariable {
    std::string name;
    std::int64_t low = 0; // low <= high, both included
    std::int64_t high = 0;
    auto operator<=>(const SymbolicVariable &) const = default;
};

// Every value that an expression can take lies between these, both included; it need not take every value between them.
struct SymbolicBounds {
    std::int64_t low = 0;
    std::int64_t high = 0;
    bool operator==(const SymbolicBounds &) const = default;
};

enum class SymbolicFunction : std::uint8_t { Divide, Modulo, Min, Max };

class SymbolicExpr;
using SymbolicBindings = std::map<std::string, std::int64_t, std::less<>>;

// A factor of a product: a variable, or a function of two expressions that no rule could simplify.
struct SymbolicAtom {
    SymbolicVariable variable; // used when function is empty
    std::optional<SymbolicFunction> function;
    std::shared_ptr<const SymbolicExpr> left;
    std::shared_ptr<const SymbolicExpr> right;

    [[nodiscard]] std::strong_ordering operator<=>(const SymbolicAtom &other) const;
    bool operator==(const SymbolicAtom &other) const { return (*this <=> other) == 0; }
};

// coefficient * atoms[0] * atoms[1] ...; no atoms: a constant. Atoms are sorted; a repeated atom means a power.
struct SymbolicTerm {
    std::int64_t coefficient = 0;
    std::vector<SymbolicAtom> atoms;
    bool operator==(const SymbolicTerm &) const = default;
};

class SymbolicExpr {
public:
    SymbolicExpr() = default;            // 0
    SymbolicExpr(std::int64_t constant); // NOLINT: a number is an expression
    explicit SymbolicExpr(const SymbolicVariable &variable);

    [[nodiscard]] std::span<const SymbolicTerm> terms() const { return m_terms; }
    [[nodiscard]] std::optional<std::int64_t> constant() const; // its value, when it is a constant
    [[nodiscard]] bool isConstant() const { return constant().has_value(); }
    // Sound bounds: interval arithmetic over the bounds of the variables, saturated at 63 bits.
    [[nodiscard]] SymbolicBounds bounds() const;
    [[nodiscard]] std::vector<SymbolicVariable> variables() const; // each once, by name
    // Nothing: a variable is not bound, something is divided by zero, or a value exceeds 63 bits.
    [[nodiscard]] std::optional<std::int64_t> evaluate(const SymbolicBindings &bindings) const;

    [[nodiscard]] std::strong_ordering operator<=>(const SymbolicExpr &other) const;
    bool operator==(const SymbolicExpr &other) const { return (*this <=> other) == 0; }

private:
    friend class SymbolicMaker;
    std::vector<SymbolicTerm> m_terms; // sorted, no coefficient is 0
};

// "4*n + 2", "n // 8", "min(n, m)".
[[nodiscard]] std::string toText(const SymbolicExpr &expr);

// Errors: a result with a constant beyond 63 bits; division by an expression that is always zero.
[[nodiscard]] Result<SymbolicExpr> add(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> subtract(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> multiply(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> divide(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> modulo(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> minimum(const SymbolicExpr &a, const SymbolicExpr &b);
[[nodiscard]] Result<SymbolicExpr> maximum(const SymbolicExpr &a, const SymbolicExpr &b);

// Finds the values of variables from the values of expressions: one unknown at a time, when it occurs once in an expression, in a
// term with a known factor. Errors name the expression and its value: it cannot be solved, does not divide, is out of the
// variable's bounds, or contradicts another equation.
struct SymbolicEquation {
    SymbolicExpr expr;
    std::int64_t value = 0;
};
[[nodiscard]] Result<SymbolicBindings> solve(std::span<const SymbolicEquation> equations);

} // namespace sw
