#pragma once
// Formulas in their usual notation: operators over terms. A term stands for a value made by a builder, such as a graph node or a
// lowered instruction; an operation on terms makes another. A number is a constant with the other operand's type and shape.

#include "engine/ops/op.h"

#include <concepts>
#include <type_traits>

namespace sw {

template <class N>
concept Number = std::integral<N> || std::floating_point<N>;

// apply makes the value of an operation; number makes a constant of the term's type and shape; kDivision is the meaning of `/`.
template <class T>
concept FormulaTerm = requires(const T term) {
    { T::apply(Op::Add, {term, term}) } -> std::same_as<T>;
    { term.number(1.0) } -> std::same_as<T>;
    { T::kDivision } -> std::convertible_to<Op>;
};

template <class A, class B>
concept FormulaOperands = (FormulaTerm<A> && (std::same_as<A, B> || Number<B>)) || (Number<A> && FormulaTerm<B>);

template <class A, class B>
using TermAmong = std::conditional_t<FormulaTerm<A>, A, B>;

// Turns a number beside a term into a term; returns a term unchanged.
template <FormulaTerm T>
[[nodiscard]] T termLike(const T &, const T &term)
{
    return term;
}
template <FormulaTerm T, Number N>
[[nodiscard]] T termLike(const T &like, N number)
{
    return like.number(number);
}

template <class A, class B>
    requires FormulaOperands<A, B>
[[nodiscard]] TermAmong<A, B> binary(Op op, const A &a, const B &b)
{
    if constexpr (FormulaTerm<A>)
        return A::apply(op, {a, termLike(a, b)});
    else
        return B::apply(op, {termLike(b, a), b});
}

template <FormulaTerm T>
[[nodiscard]] T unary(Op op, const T &a)
{
    return T::apply(op, {a});
}

// clang-format off
template <class A, class B> requires FormulaOperands<A, B> auto operator+(const A &a, const B &b) { return binary(Op::Add, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator-(const A &a, const B &b) { return binary(Op::Sub, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator*(const A &a, const B &b) { return binary(Op::Mul, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator/(const A &a, const B &b) { return binary(TermAmong<A, B>::kDivision, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator&(const A &a, const B &b) { return binary(Op::And, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator|(const A &a, const B &b) { return binary(Op::Or, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator^(const A &a, const B &b) { return binary(Op::Xor, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator<<(const A &a, const B &b) { return binary(Op::Shl, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto operator>>(const A &a, const B &b) { return binary(Op::Shr, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto isLess(const A &a, const B &b) { return binary(Op::Cmplt, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto isLessOrEqual(const A &a, const B &b) { return binary(Op::Cmple, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto isEqual(const A &a, const B &b) { return binary(Op::Cmpeq, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto isDifferent(const A &a, const B &b) { return binary(Op::Cmpne, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto maximum(const A &a, const B &b) { return binary(Op::Max, a, b); }
template <class A, class B> requires FormulaOperands<A, B> auto minimum(const A &a, const B &b) { return binary(Op::Min, a, b); }
template <FormulaTerm T> T operator-(const T &a) { return unary(Op::Neg, a); }
template <FormulaTerm T> T exponential(const T &a) { return unary(Op::Exp, a); }
template <FormulaTerm T> T logarithm(const T &a) { return unary(Op::Log, a); }
template <FormulaTerm T> T squareRoot(const T &a) { return unary(Op::Sqrt, a); }
template <FormulaTerm T> T hyperbolicTangent(const T &a) { return unary(Op::Tanh, a); }
template <FormulaTerm T> T magnitude(const T &a) { return unary(Op::Abs, a); }
// clang-format on

// Selects a where the condition holds, b elsewhere.
template <FormulaTerm T, class A, class B>
    requires FormulaOperands<A, B>
[[nodiscard]] T choose(const T &condition, const A &a, const B &b)
{
    if constexpr (FormulaTerm<A>)
        return T::apply(Op::Where, {condition, a, termLike(a, b)});
    else
        return T::apply(Op::Where, {condition, termLike(b, a), b});
}

// Computes a * b + c with one rounding.
template <FormulaTerm T, class B, class C>
[[nodiscard]] T fma(const T &a, const B &b, const C &c)
{
    const T factor = termLike(a, b);
    return T::apply(Op::Fma, {a, factor, termLike(a, c)});
}

} // namespace sw
