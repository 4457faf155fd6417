#pragma once
// Elementwise formulas (engine/ops/formula.h) over nodes of one type and shape, so that building them cannot fail.

#include "engine/ops/formula.h"
#include "engine/passes/graph/gradient_rules.h"

#include <initializer_list>

namespace sw {

class NodeTerm {
public:
    static constexpr Op kDivision = Op::Fdiv;

    NodeTerm(BackwardStep &step, NodeId id) : m_step(&step), m_id(id) {}

    [[nodiscard]] NodeId id() const { return m_id; }
    // A constant of this term's type and shape.
    [[nodiscard]] NodeTerm number(double value) const
    {
        const Node &like = m_step->builder().node(m_id);
        const Scalar scalar = Scalar::of(like.dtype, value);
        const Shape shape = like.shape;
        return {*m_step, m_step->builder().full(m_step->origin(), scalar, shape).value()};
    }

    [[nodiscard]] static NodeTerm apply(Op op, std::initializer_list<NodeTerm> operands)
    {
        BackwardStep &step = *operands.begin()->m_step;
        std::vector<NodeId> ids;
        for (const NodeTerm &operand : operands)
            ids.push_back(operand.m_id);
        return {step, step.builder().elementwise(step.origin(), op, ids).value()};
    }

private:
    BackwardStep *m_step;
    NodeId m_id;
};

struct OperationTerms {
    NodeTerm x, y, z; // the operands; a missing one repeats the first
    NodeTerm r;       // the result
    NodeTerm g;       // its adjoint
};

} // namespace sw
