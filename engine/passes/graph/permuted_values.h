#pragma once
// The values of a graph with their axes in another order, computed in that order: the order goes from a value back through the
// nodes that it is made of, until something is there in that order already or has to be read across its memory.

#include "engine/graph/builder.h"

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace sw {

using AxisOrder = std::vector<std::size_t>; // axis i of the result is axis order[i] of the value, as in Permute

// [images, channels, rows, columns] -> [images, rows, columns, channels], for any number of axes of two or more.
[[nodiscard]] AxisOrder channelsLastOrder(std::size_t rank);
[[nodiscard]] AxisOrder inverseOf(const AxisOrder &order);

class PermutedValues {
public:
    // All must outlive it. made: by node of `graph`, what it became in the builder, for those that came so far.
    PermutedValues(const Graph &graph, GraphBuilder &builder, const std::vector<NodeId> &made);

    // Nodes that the order goes through are made anew, unless several others read them and they compute something. The node, and
    // all that it reads, must be made, or need not be read as it is.
    Result<NodeId> at(NodeId id, const AxisOrder &order) { return at(id, order, 0); }
    // From now on the value is there in that order, as a node of the builder.
    void keep(NodeId id, AxisOrder order, NodeId made) { m_known.insert_or_assign({id, std::move(order)}, made); }

private:
    Result<NodeId> at(NodeId id, const AxisOrder &order, std::uint32_t depth);
    Result<NodeId> madeInOrder(NodeId id, const AxisOrder &order, std::uint32_t depth);
    Result<NodeId> reshapedInOrder(NodeId id, const AxisOrder &order, std::uint32_t depth);
    Result<NodeId> readAcross(NodeId id, const AxisOrder &order);
    [[nodiscard]] bool mayBeMadeAnew(NodeId id) const;

    const Graph &m_graph;
    GraphBuilder &m_builder;
    const std::vector<NodeId> &m_made;
    std::vector<std::uint32_t> m_readers; // by node: of live ones
    std::map<std::pair<NodeId, AxisOrder>, NodeId> m_known;
};

} // namespace sw
