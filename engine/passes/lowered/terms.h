#pragma once
// Formulas over lowered values: each operator adds one instruction. A number stands for a constant of the other operand's type,
// in every lane. All that a writer makes has one origin.

#include "engine/lowered/builder.h"

#include <concepts>
#include <initializer_list>
#include <span>
#include <vector>

namespace sw {

class TermWriter;

struct Term {
    TermWriter *writer = nullptr;
    InstructionId id;
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

template <class N>
concept Number = std::integral<N> || std::floating_point<N>;

template <Number N>
[[nodiscard]] Term constantLike(Term term, N value)
{
    const Instruction &like = term.writer->at(term);
    const DType dtype = like.dtype;
    const std::uint32_t lanes = like.lanes;
    if constexpr (std::floating_point<N>)
        return term.writer->constant(Scalar::of(dtype, static_cast<double>(value)), lanes);
    else if constexpr (std::is_signed_v<N>)
        return term.writer->constant(Scalar::of(dtype, static_cast<std::int64_t>(value)), lanes);
    else
        return term.writer->constant(Scalar::of(dtype, static_cast<std::uint64_t>(value)), lanes);
}

[[nodiscard]] inline Term binary(Op op, Term a, Term b)
{
    return a.writer->alu(op, {a, b});
}
template <Number N>
[[nodiscard]] Term binary(Op op, Term a, N b)
{
    return a.writer->alu(op, {a, constantLike(a, b)});
}
template <Number N>
[[nodiscard]] Term binary(Op op, N a, Term b)
{
    return b.writer->alu(op, {constantLike(b, a), b});
}

template <class A, class B>
concept Operands = (std::same_as<A, Term> && (std::same_as<B, Term> || Number<B>)) || (Number<A> && std::same_as<B, Term>);

// clang-format off
template <class A, class B> requires Operands<A, B> Term operator+(A a, B b) { return binary(Op::Add, a, b); }
template <class A, class B> requires Operands<A, B> Term operator-(A a, B b) { return binary(Op::Sub, a, b); }
template <class A, class B> requires Operands<A, B> Term operator*(A a, B b) { return binary(Op::Mul, a, b); }
template <class A, class B> requires Operands<A, B> Term operator&(A a, B b) { return binary(Op::And, a, b); }
template <class A, class B> requires Operands<A, B> Term operator|(A a, B b) { return binary(Op::Or, a, b); }
template <class A, class B> requires Operands<A, B> Term operator^(A a, B b) { return binary(Op::Xor, a, b); }
template <class A, class B> requires Operands<A, B> Term operator<<(A a, B b) { return binary(Op::Shl, a, b); }
template <class A, class B> requires Operands<A, B> Term operator>>(A a, B b) { return binary(Op::Shr, a, b); }
template <class A, class B> requires Operands<A, B> Term operator/(A a, B b) { return binary(Op::Fdiv, a, b); }
template <class A, class B> requires Operands<A, B> Term isLess(A a, B b) { return binary(Op::Cmplt, a, b); }
template <class A, class B> requires Operands<A, B> Term isLessOrEqual(A a, B b) { return binary(Op::Cmple, a, b); }
template <class A, class B> requires Operands<A, B> Term isEqual(A a, B b) { return binary(Op::Cmpeq, a, b); }
template <class A, class B> requires Operands<A, B> Term isDifferent(A a, B b) { return binary(Op::Cmpne, a, b); }
// clang-format on

[[nodiscard]] inline Term unary(Op op, Term a)
{
    return a.writer->alu(op, {a});
}
[[nodiscard]] inline Term where(Term condition, Term a, Term b)
{
    return a.writer->alu(Op::Where, {condition, a, b});
}
template <Number N>
[[nodiscard]] Term where(Term condition, N a, Term b)
{
    return where(condition, constantLike(b, a), b);
}
template <Number N>
[[nodiscard]] Term where(Term condition, Term a, N b)
{
    return where(condition, a, constantLike(a, b));
}
[[nodiscard]] inline Term fma(Term a, Term b, Term c)
{
    return a.writer->alu(Op::Fma, {a, b, c});
}
template <Number N>
[[nodiscard]] Term fma(Term a, N b, Term c)
{
    return fma(a, constantLike(a, b), c);
}
template <Number N>
[[nodiscard]] Term fma(Term a, Term b, N c)
{
    return fma(a, b, constantLike(a, c));
}
template <Number N, Number M>
[[nodiscard]] Term fma(Term a, N b, M c)
{
    return fma(a, constantLike(a, b), constantLike(a, c));
}

// c0 + x c1 + x^2 c2 + ..., by Horner's rule.
[[nodiscard]] Term polynomial(Term x, std::span<const double> coefficients);

// One bit per lane set or cleared in the value's bits.
[[nodiscard]] Term magnitudeOf(Term value);                  // float: without its sign
[[nodiscard]] Term withSignOf(Term magnitude, Term signed_); // float: magnitude is not negative

// Facts of a float type that the formulas need.
struct FloatFormat {
    DType bits;             // unsigned, as wide
    DType signedBits;       // signed, as wide
    std::uint32_t mantissa; // bits behind the point
    std::uint64_t bias;
    std::uint64_t one; // bits of 1.0
    std::uint64_t sign;
    double integerShift; // adding it rounds a small value to an integer, which is then in the low bits
    double smallestNormal;
};
[[nodiscard]] const FloatFormat &formatOf(Term value);

} // namespace sw
