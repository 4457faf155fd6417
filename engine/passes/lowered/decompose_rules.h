#pragma once
// The rules of the decomposition pass, one per operation that a target language may lack. Each writes the operation with
// operations that every language spells; resources/docs/decompositions.md explains the mathematics.

#include "engine/passes/lowered/terms.h"

#include <span>
#include <string_view>

namespace sw {

struct DecompositionRule {
    Op op;
    std::string_view id;
    std::string_view doc;
    // Whether the rule has a formula for operands of the type.
    bool (*applies)(DType operandType);
    Term (*write)(std::span<const Term> operands);
};

[[nodiscard]] std::span<const DecompositionRule> decompositionRules();

// Conversions that no target language has. If the result ends in another cast, that cast may need a rule of its own.
struct CastRule {
    std::string_view id;
    std::string_view doc;
    bool (*applies)(DType from, DType to);
    Term (*write)(Term value, DType to);
};

[[nodiscard]] std::span<const CastRule> castRules();

// Formulas that other formulas use, for f32 and f64.
[[nodiscard]] Term expOf(Term x);
[[nodiscard]] Term exp2Of(Term x);
[[nodiscard]] Term logOf(Term x);
[[nodiscard]] Term log2Of(Term x);
[[nodiscard]] Term sinOf(Term x);
[[nodiscard]] Term cosOf(Term x);
[[nodiscard]] Term tanhOf(Term x);
[[nodiscard]] Term erfOf(Term x);
[[nodiscard]] Term powOf(Term base, Term exponent); // floats
[[nodiscard]] Term integerPowOf(Term base, Term exponent);

// e^x for results that are normal numbers: one scaling step, no special cases.
[[nodiscard]] Term boundedExpOf(Term x);

// x = 2^e (1 + f) with 1 + f from sqrt(1/2) to sqrt(2), for positive finite x; e is a float.
struct SplitFloat {
    Term f;
    Term e;
};
[[nodiscard]] SplitFloat splitFloat(Term x);
// `result` where x is positive and finite, else the logarithm's special values.
[[nodiscard]] Term withLogarithmLimits(Term x, Term result);

// x = n pi/2 + r for large finite x (at least 2^17 for f32, 2^20 for f64): the low two bits of n, and r; NaN for the rest.
struct ReducedAngle {
    Term quadrant; // unsigned bits
    Term r;
};
[[nodiscard]] ReducedAngle reduceLargeAngle(Term x);

// The coefficients for the type of x.
[[nodiscard]] std::span<const double> forTypeOf(Term x, std::span<const double> single, std::span<const double> twice);
[[nodiscard]] double forTypeOf(Term x, double single, double twice);

} // namespace sw
