#pragma once
// A node whose numbers depend on the sizes of dimensions, made of the same node for a few sizes.

#include "engine/graph/dimension_nodes.h"

#include <optional>
#include <span>
#include <variant>
#include <vector>

namespace sw {

// Sizes beside each other: by subset of the variables, each is least, and one more where its variable is in the subset.
struct SizeSamples {
    std::vector<SymbolicVariable> variables;
    std::vector<std::int64_t> least;
};

class OpenNode {
public:
    // nodes: by subset. Nothing: they differ in more than extents and constants, or in ones that no sum of products of sizes is.
    [[nodiscard]] static std::optional<OpenNode> of(const SizeSamples &samples, std::span<const Node *const> nodes);

    // The node for these sizes, reading what the samples read. Nothing: its numbers are too large.
    [[nodiscard]] std::optional<Node> at(const SymbolicBindings &sizes) const;

    [[nodiscard]] const Shape &shape() const { return m_node.shape; }

    // Adds the node, or what computes it of the dimensions. made: by node that the samples read. Errors: a type rule that has no
    // dimensions, without a place.
    [[nodiscard]] Result<NodeId> addTo(GraphBuilder &builder, const DimensionNodes &dimensions,
                                       std::span<const NodeId> made) const;

private:
    // Element i of a constant is first + sum(i[axis] * steps[axis]).
    struct Ramp {
        SymbolicExpr first;
        std::vector<SymbolicExpr> steps; // by axis
    };
    using Constant = std::variant<std::monostate, SymbolicExpr, Scalar, Ramp>; // none; of a scalar; one value everywhere; counted

    explicit OpenNode(Node node) : m_node(std::move(node)) {}

    [[nodiscard]] static std::optional<Constant> constantOf(const SizeSamples &samples, std::span<const Node *const> nodes);
    [[nodiscard]] static std::optional<Ramp> rampOf(const SizeSamples &samples, std::span<const Node *const> nodes);
    [[nodiscard]] static std::optional<HostTensor> valueOf(const Constant &constant, const Node &node,
                                                           const SymbolicBindings &sizes);
    [[nodiscard]] Result<NodeId> addRamp(GraphBuilder &builder, const DimensionNodes &dimensions, const Ramp &ramp) const;

    Node m_node; // with its symbolic shape, and attributes for the largest sizes
    Constant m_constant;
};

} // namespace sw
