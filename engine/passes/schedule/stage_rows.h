#pragma once
// How the nodes of a stage read values along its rows.

#include "engine/passes/schedule/grouping.h"
#include "engine/passes/schedule/place.h"

#include <map>

namespace sw {

// One stage of a kernel: its root and what is computed for it.
class StageReads {
public:
    // members: in graph order, with the root.
    StageReads(const Graph &graph, const Dataflow &flow, NodeId root, const std::vector<NodeId> &members);

    // The most leading axes of the root's shape that are rows for a value which the stage reads: the value has the same ones,
    // and for one index of them only that row of the value is read. 0: there are none.
    [[nodiscard]] std::size_t rowAxesFor(NodeId value) const;
    // Bytes of what the stage reads anew for each index of row axis `rowAxis`, though it does not move with it, for one index of
    // the row axes outside: matrices that rows are multiplied with.
    [[nodiscard]] double bytesBesideRows(std::size_t rowAxis) const;

private:
    [[nodiscard]] bool isAlongRows(const Place &place, NodeId value, std::size_t rowAxes) const;

    const Graph &m_graph;
    NodeId m_root;
    std::map<NodeId, std::vector<Place>> m_places; // of all that it reads and computes
    std::vector<NodeId> m_read;                    // of it, what it does not compute
};

// The members of a kernel that are computed for the stage of `root`: not those of the stages before it. In graph order.
[[nodiscard]] std::vector<NodeId> stageMembersOf(const Dataflow &flow, const KernelGroup &kernel, NodeId root);

// Whether a value of the shape has one element for each index of the first `rowAxes` axes of the other one.
[[nodiscard]] bool isOneForEachRow(const Shape &shape, const Shape &rows, std::size_t rowAxes);

// Bytes that the kernel keeps for each row: the most that later stages still read while one is computed.
[[nodiscard]] std::int64_t keptRowBytesOf(const Graph &graph, const Dataflow &flow, const KernelGroup &kernel);

} // namespace sw
