#pragma once
// Elementwise formulas (engine/ops/formula.h) over graph nodes. A failed step leaves its diagnostics in the call and makes all
// terms that depend on it empty, so a formula needs only one check, at its end.

#include "engine/onnx/node_call.h"
#include "engine/ops/formula.h"

namespace sw::onnx {

class Term {
public:
    static constexpr Op kDivision = Op::Div;

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

inline Term logistic(Term a)
{
    return 1.0 / (exponential(-a) + 1.0);
}

} // namespace sw::onnx
