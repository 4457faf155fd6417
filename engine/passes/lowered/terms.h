#pragma once
// Formulas (engine/ops/formula.h) over lowered values: each operator adds one instruction, and a number is a constant in every
// lane. Everything that a writer makes has one origin.

#include "engine/lowered/builder.h"
#include "engine/ops/formula.h"

#include <initializer_list>
#include <span>
#include <vector>

namespace sw {

class TermWriter;

struct Term {
    static constexpr Op kDivision = Op::Fdiv;

    TermWriter *writer = nullptr;
    InstructionId id;

    [[nodiscard]] static Term apply(Op op, std::initializer_list<Term> operands);
    template <Number N>
    [[nodiscard]] Term number(N value) const;
};

class TermWriter {
public:
    TermWriter(LoweredBuilder &builder, const Origin &origin) : m_builder(builder), m_origin(origin) {}

    [[nodiscard]] Term term(InstructionId id) { return {this, id}; }
    [[nodiscard]] const Instruction &at(Term value) const { return m_builder.at(value.id); }
    Term alu(Op op, std::initializer_list<Term> operands);
    // The same constant is made once per block.
    Term constant(const Scalar &value, std::uint32_t lanes);
    Term cast(DType dtype, Term value) { return term(m_builder.cast(m_origin, dtype, value.id)); }
    Term bitcast(DType dtype, Term value) { return term(m_builder.bitcast(m_origin, dtype, value.id)); }

    // An accumulator that starts as the value.
    Term variable(Term start);
    void assign(Term variable, Term value) { m_builder.assign(m_origin, variable.id, value.id); }
    void beginIfAnyLane(Term condition);
    void endIf();
    void beginRange(std::int64_t extent);
    void endRange();

private:
    LoweredBuilder &m_builder;
    const Origin &m_origin;
    std::vector<InstructionId> m_constants; // of the current block
    std::vector<std::size_t> m_constantsBefore;
};

inline Term Term::apply(Op op, std::initializer_list<Term> operands)
{
    return operands.begin()->writer->alu(op, operands);
}

template <Number N>
Term Term::number(N value) const
{
    const Instruction &like = writer->at(*this);
    const DType dtype = like.dtype;
    const std::uint32_t lanes = like.lanes;
    if constexpr (std::floating_point<N>)
        return writer->constant(Scalar::of(dtype, static_cast<double>(value)), lanes);
    else if constexpr (std::is_signed_v<N>)
        return writer->constant(Scalar::of(dtype, static_cast<std::int64_t>(value)), lanes);
    else
        return writer->constant(Scalar::of(dtype, static_cast<std::uint64_t>(value)), lanes);
}

// c0 + x c1 + x^2 c2 + ..., by Horner's rule.
[[nodiscard]] Term polynomial(Term x, std::span<const double> coefficients);

// These set or clear one bit per lane in the value's bits.
[[nodiscard]] Term magnitudeOf(Term value);                  // float: without its sign
[[nodiscard]] Term withSignOf(Term magnitude, Term signed_); // float: magnitude is not negative

// Facts of a float type that the formulas need.
struct FloatFormat {
    DType bits;             // unsigned, of the same width
    DType signedBits;       // signed, of the same width
    std::uint32_t mantissa; // bits behind the point
    std::uint64_t bias;
    std::uint64_t one; // bits of 1.0
    std::uint64_t sign;
    double integerShift; // adding it rounds a small value to an integer, which is then in the low bits
    double smallestNormal;
};
[[nodiscard]] const FloatFormat &formatOf(Term value);

} // namespace sw
