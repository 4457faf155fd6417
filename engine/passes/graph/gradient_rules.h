#pragma once
// The differentiation rules, as rows. A rule turns the adjoint of a node (how the loss changes with each of its elements) into
// contributions to the adjoints of the node's inputs. A node without a row has no gradient, and needing one is an error. A row
// that contributes nothing states that the derivative is zero.

#include "engine/graph/builder.h"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sw {

// What a rule sees of one step: the node, its adjoint, and the builder to which the rule adds nodes.
class BackwardStep {
public:
    struct Contribution {
        std::size_t input = 0;
        NodeId value;
    };

    BackwardStep(GraphBuilder &builder, NodeId id, NodeId adjoint, Origin origin, std::vector<bool> isWanted,
                 bool isStrict = false)
        : m_builder(builder),
          m_id(id),
          m_node(builder.node(id)),
          m_adjoint(adjoint),
          m_origin(std::move(origin)),
          m_isWanted(std::move(isWanted)),
          m_isStrict(isStrict)
    {
    }

    [[nodiscard]] GraphBuilder &builder() { return m_builder; }
    [[nodiscard]] NodeId id() const { return m_id; }
    [[nodiscard]] const Node &node() const { return m_node; }
    [[nodiscard]] NodeId adjoint() const { return m_adjoint; }
    [[nodiscard]] NodeId inputId(std::size_t i) const { return m_node.inputs[i]; }
    // The reference holds until the next node is built.
    [[nodiscard]] const Node &input(std::size_t i) const { return m_builder.node(m_node.inputs[i]); }
    // The merged origin of the node and of the call that asked for the gradient.
    [[nodiscard]] const Origin &origin() const { return m_origin; }

    // Whether the input is a floating-point value that is, or depends on, a value whose gradient is wanted.
    [[nodiscard]] bool isWanted(std::size_t i) const { return m_isWanted[i]; }
    // Whether floating-point sums keep their order.
    [[nodiscard]] bool isStrict() const { return m_isStrict; }
    // Adds `value` to the adjoint of the input. It must have the type and shape of the input.
    void contribute(std::size_t i, NodeId value)
    {
        SW_ASSERT(isWanted(i), "an input that the gradient goes through");
        m_contributions.push_back({i, value});
    }
    [[nodiscard]] const std::vector<Contribution> &contributions() const { return m_contributions; }

private:
    GraphBuilder &m_builder;
    NodeId m_id;
    Node m_node; // a copy: the builder grows
    NodeId m_adjoint;
    Origin m_origin;
    std::vector<bool> m_isWanted;
    bool m_isStrict = false;
    std::vector<Contribution> m_contributions;
};

struct GradientRule {
    NodeKind kind = NodeKind::Sink;
    std::string_view doc; // a sentence
    Result<Done> (*apply)(BackwardStep &) = nullptr;
};

class NodeTerm; // gradient_term.h
struct OperationTerms;

// What the adjoint of a result contributes to the adjoint of one operand; null: nothing, the derivative is zero.
using Partial = NodeTerm (*)(const OperationTerms &);

struct OperationGradient {
    Op op = Op::Add;
    std::string_view doc; // the formula, with x, y, z for the operands, r for the result and g for its adjoint
    Partial x = nullptr;
    Partial y = nullptr;
    Partial z = nullptr;
};

[[nodiscard]] std::span<const OperationGradient> operationGradients();
// Null: the operation has no gradient.
[[nodiscard]] const OperationGradient *gradientOf(Op op);
[[nodiscard]] Result<Done> applyOperationGradient(const OperationGradient &row, BackwardStep &step);

// Rules for the kinds of nodes that carry no operation.
[[nodiscard]] std::span<const GradientRule> movementGradients();
[[nodiscard]] std::span<const GradientRule> structuralGradients();
[[nodiscard]] std::span<const GradientRule> indexingGradients();

// Rules for reductions, by the operation that combines the elements.
struct ReductionGradient {
    Op op = Op::Add;
    std::string_view doc;
    Result<Done> (*apply)(BackwardStep &) = nullptr;
};
[[nodiscard]] std::span<const ReductionGradient> reductionGradients();
[[nodiscard]] const ReductionGradient *reductionGradientOf(Op op);

// ---- rules with a file of their own

[[nodiscard]] Result<Done> viewGradient(BackwardStep &step);
[[nodiscard]] Result<Done> productGradient(BackwardStep &step);

} // namespace sw
