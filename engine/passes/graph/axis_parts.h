#pragma once
// Values with one axis taken apart: [.., rows, .., places] becomes [.., parts, rows, .., places of a part]. The parts' axis
// stands before that of the rows, so that the rows of one part follow each other.

#include "engine/graph/builder.h"

#include <compare>
#include <map>
#include <vector>

namespace sw {

// Which axis of a value is taken apart, and before which one the axis of the parts goes.
struct AxisInParts {
    std::size_t axis = 0;
    std::size_t before = 0;
    // The axis of the steps of a part, once that of the parts is there.
    [[nodiscard]] std::size_t steps() const { return axis + (axis >= before ? 1 : 0); }
    auto operator<=>(const AxisInParts &) const = default;
};

// Elements [begin, end) along the axis, in parts of `steps`, which divides their number.
struct PartsOfAxis {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t steps = 1;

    [[nodiscard]] std::int64_t parts() const { return (end - begin) / steps; }
};

// Where the axis is before a node that moves elements; nothing: the node makes or takes apart axes of several elements.
[[nodiscard]] std::optional<std::size_t> axisBeforeView(const Graph &graph, const Node &view, std::size_t axis);

// Makes nodes that compute what nodes of a graph compute, with an axis in parts. It goes back through elementwise work, sums, and
// views, up to the factors of a sum of products; what it comes to then, and what others read too, is viewed in parts.
class ValueInParts {
public:
    // made: the nodes of the builder, by those of the graph, at least up to what is asked for.
    ValueInParts(const Graph &graph, const std::vector<std::uint32_t> &readers, GraphBuilder &builder,
                 const std::vector<NodeId> &made, PartsOfAxis parts)
        : m_graph(graph), m_readers(readers), m_builder(builder), m_made(made), m_parts(parts)
    {
    }

    // Says what a node is in parts; views of it then are views of that.
    void know(NodeId id, AxisInParts where, NodeId inParts) { m_known[{id, where}] = inParts; }
    // The value in parts. Its axis has as many elements as the parts are of.
    Result<NodeId> of(NodeId id, AxisInParts where) { return begin(id, where, Place::Value); }
    // Likewise, of what is added up: it goes back through elementwise work, and then through views alone.
    Result<NodeId> ofProduct(NodeId id, AxisInParts where) { return begin(id, where, Place::Product); }
    // The shape that a value of this one has in parts; one element along the axis stays one, for all parts.
    [[nodiscard]] Shape shapeOf(const Shape &shape, AxisInParts where) const;

private:
    // What is passed on the way back.
    enum class Place : std::uint8_t { Value, Product, Factor };

    Result<NodeId> begin(NodeId id, AxisInParts where, Place place);
    Result<NodeId> made(NodeId id, AxisInParts where, Place place);
    Result<std::optional<NodeId>> rebuilt(NodeId id, AxisInParts where, Place place);
    Result<std::optional<NodeId>> throughView(const Node &node, AxisInParts where, Place place);
    Result<NodeId> viewed(NodeId id, AxisInParts where);

    const Graph &m_graph;
    const std::vector<std::uint32_t> &m_readers; // how many, by node
    GraphBuilder &m_builder;
    const std::vector<NodeId> &m_made;
    PartsOfAxis m_parts;
    std::size_t m_nodes = 0; // that it went through for a value
    std::map<std::pair<NodeId, AxisInParts>, NodeId> m_known;
};

} // namespace sw
