#include "engine/graph/dimension_nodes.h"

#include "engine/ops/symbolic_op.h"

#include <array>
#include <utility>

namespace sw {

namespace {

class ValueWriter {
public:
    ValueWriter(GraphBuilder &builder, const Origin &origin, const DimensionNodes &nodes)
        : m_builder(builder), m_origin(origin), m_nodes(nodes)
    {
    }

    Result<NodeId> sum(const SymbolicExpr &expr)
    {
        std::optional<NodeId> total;
        for (const SymbolicTerm &term : expr.terms()) {
            SW_TRY(const NodeId next, product(term));
            SW_TRY(total, combined(Op::Add, total, next));
        }
        return total ? *total : constant(0);
    }

private:
    Result<NodeId> product(const SymbolicTerm &term)
    {
        std::optional<NodeId> total;
        if (term.coefficient != 1 || term.atoms.empty())
            total = constant(term.coefficient);
        for (const SymbolicAtom &atom : term.atoms) {
            SW_TRY(const NodeId next, value(atom));
            SW_TRY(total, combined(Op::Mul, total, next));
        }
        return *total;
    }

    Result<NodeId> value(const SymbolicAtom &atom)
    {
        if (!atom.function) {
            const auto found = m_nodes.find(atom.variable.name);
            SW_ASSERT(found != m_nodes.end(), "a node for the dimension " + atom.variable.name);
            return found->second;
        }
        SW_TRY(const NodeId left, sum(*atom.left));
        SW_TRY(const NodeId right, sum(*atom.right));
        return m_builder.elementwise(m_origin, opOf(*atom.function), std::array{left, right});
    }

    Result<NodeId> combined(Op op, std::optional<NodeId> left, NodeId right)
    {
        return left ? m_builder.elementwise(m_origin, op, std::array{*left, right}) : Result<NodeId>(right);
    }

    NodeId constant(std::int64_t value) { return m_builder.constScalar(m_origin, Scalar::of(DType::I64, value)); }

    GraphBuilder &m_builder;
    const Origin &m_origin;
    const DimensionNodes &m_nodes;
};

Result<Done> checkBound(const SymbolicVariable &variable, const SymbolicBindings &bindings)
{
    const auto found = bindings.find(variable.name);
    if (found == bindings.end())
        return Diagnostic::error(Code::Argument, {}, "the dimension {} has no value", variable.name);
    if (found->second < variable.low || found->second > variable.high)
        return Diagnostic::error(Code::ShapeMismatch, {}, "the dimension {} cannot be {}: it lies between {} and {}",
                                 variable.name, found->second, variable.low, variable.high);
    return Done{};
}

// before: the shape with its symbolic extents.
void bindAttributes(Node &node, const Shape &before, const SymbolicBindings &bindings)
{
    if (const auto *dimension = std::get_if<DimensionAttributes>(&node.attributes)) {
        node.attributes = ScalarAttributes{Scalar::of(DType::I64, bindings.at(dimension->variable.name))};
        node.kind = NodeKind::ConstScalar;
    } else if (node.kind == NodeKind::Bind) {
        node.attributes = NoAttributes{};
        node.kind = NodeKind::Noop;
    } else if (auto *range = std::get_if<ShrinkAttributes>(&node.attributes)) {
        for (std::size_t axis = 0; axis < range->end.size(); ++axis)
            range->end[axis] = range->begin[axis] + node.shape[axis];
    } else if (auto *view = std::get_if<ViewAttributes>(&node.attributes)) {
        for (std::size_t axis = 0; axis < view->mask.size(); ++axis)
            if (before.isSymbolic(axis)) // nothing of a symbolic axis is masked
                view->mask[axis].second = node.shape[axis];
    } else if (auto *assign = std::get_if<AssignAttributes>(&node.attributes)) {
        for (auto &ranges : assign->ranges)
            for (std::size_t axis = 0; axis < ranges.size(); ++axis)
                if (before.isSymbolic(axis)) // a symbolic axis is stored over as a whole
                    ranges[axis].second = node.shape[axis];
    }
}

} // namespace

Result<NodeId> dimensionValue(GraphBuilder &builder, const Origin &origin, const SymbolicExpr &expr, const DimensionNodes &nodes)
{
    return ValueWriter(builder, origin, nodes).sum(expr);
}

Result<Node> bindNode(const Node &node, const SymbolicBindings &bindings)
{
    Node bound = node;
    SW_TRY(bound.shape, node.shape.bound(bindings));
    bindAttributes(bound, node.shape, bindings);
    return bound;
}

Result<Graph> bindDimensions(const Graph &graph, const SymbolicBindings &bindings)
{
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    for (Node &node : nodes) {
        if (const auto *dimension = std::get_if<DimensionAttributes>(&node.attributes))
            SW_CHECK(checkBound(dimension->variable, bindings));
        SW_TRY(node, bindNode(node, bindings));
    }
    return Graph(std::move(nodes), graph.sourcesPtr());
}

} // namespace sw
