#pragma once
// Elementwise formulas as they are written: overloaded operators over graph nodes. A step that fails leaves its diagnostics in
// the call and makes everything that follows from it empty, so a formula needs one check, at its end.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

class Term {
public:
    Term(NodeCall &call, NodeId node) : m_call(&call), m_node(node) {}

    [[nodiscard]] Result<NodeId> result() const
    {
        if (m_node.isValid())
            return m_node;
        return Failure(m_call->problems());
    }
    [[nodiscard]] bool isEmpty() const { return !m_node.isValid(); }
    [[nodiscard]] DType dtype() const { return m_call->dtypeOf(m_node); }
    // A number of this term's type.
    [[nodiscard]] Term number(double value) const { return isEmpty() ? *this : Term(*m_call, m_call->scalar(dtype(), value)); }

    [[nodiscard]] static Term apply(Op op, std::initializer_list<Term> operands)
    {
        NodeCall &call = *operands.begin()->m_call;
        std::vector<NodeId> nodes;
        for (const Term &operand : operands) {
            if (operand.isEmpty())
                return Term(call, NodeId());
            nodes.push_back(operand.m_node);
        }
        auto made = call.builder().broadcasted(call.origin(), op, nodes);
        if (made)
            return Term(call, *made);
        call.note(made.error());
        return Term(call, NodeId());
    }
    [[nodiscard]] Term castTo(DType dtype) const
    {
        if (isEmpty())
            return *this;
        auto made = m_call->cast(m_node, dtype);
        if (made)
            return Term(*m_call, *made);
        m_call->note(made.error());
        return Term(*m_call, NodeId());
    }

private:
    NodeCall *m_call;
    NodeId m_node;
};

inline Term operator+(Term a, Term b)
{
    return Term::apply(Op::Add, {a, b});
}
inline Term operator-(Term a, Term b)
{
    return Term::apply(Op::Sub, {a, b});
}
inline Term operator*(Term a, Term b)
{
    return Term::apply(Op::Mul, {a, b});
}
inline Term operator/(Term a, Term b)
{
    return Term::apply(Op::Div, {a, b});
}
inline Term operator<(Term a, Term b)
{
    return Term::apply(Op::Cmplt, {a, b});
}
inline Term operator+(Term a, double b)
{
    return a + a.number(b);
}
inline Term operator+(double a, Term b)
{
    return b.number(a) + b;
}
inline Term operator-(Term a, double b)
{
    return a - a.number(b);
}
inline Term operator-(double a, Term b)
{
    return b.number(a) - b;
}
inline Term operator*(Term a, double b)
{
    return a * a.number(b);
}
inline Term operator/(Term a, double b)
{
    return a / a.number(b);
}
inline Term operator/(double a, Term b)
{
    return b.number(a) / b;
}
inline Term operator<(Term a, double b)
{
    return a < a.number(b);
}
inline Term operator<(double a, Term b)
{
    return b.number(a) < b;
}
inline Term operator-(Term a)
{
    return Term::apply(Op::Neg, {a});
}
inline Term maximum(Term a, Term b)
{
    return Term::apply(Op::Max, {a, b});
}
inline Term minimum(Term a, Term b)
{
    return Term::apply(Op::Min, {a, b});
}
inline Term exponential(Term a)
{
    return Term::apply(Op::Exp, {a});
}
inline Term logarithm(Term a)
{
    return Term::apply(Op::Log, {a});
}
inline Term squareRoot(Term a)
{
    return Term::apply(Op::Sqrt, {a});
}
inline Term hyperbolicTangent(Term a)
{
    return Term::apply(Op::Tanh, {a});
}
inline Term magnitude(Term a)
{
    return Term::apply(Op::Abs, {a});
}
inline Term choose(Term condition, Term a, Term b)
{
    return Term::apply(Op::Where, {condition, a, b});
}
inline Term choose(Term condition, Term a, double b)
{
    return choose(condition, a, a.number(b));
}
inline Term logistic(Term a)
{
    return 1.0 / (exponential(-a) + 1.0);
}

} // namespace sw::onnx
