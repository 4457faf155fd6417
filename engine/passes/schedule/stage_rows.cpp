#include "engine/passes/schedule/stage_rows.h"

#include "engine/graph/cat_lane.h"

#include <algorithm>
#include <set>

namespace sw {

StageReads::StageReads(const Graph &graph, const Dataflow &flow, NodeId root, const std::vector<NodeId> &members)
    : m_graph(graph), m_root(root)
{
    const Shape &shape = graph.node(root).shape;
    KernelLoops loops(shape);
    m_places[root] = {loops.rootPlace(shape)};
    const std::set<NodeId> own(members.begin(), members.end());
    for (auto member = members.rbegin(); member != members.rend(); ++member) {
        const Node &node = graph.node(*member);
        for (const Place &reader : std::vector<Place>(m_places[*member])) {
            std::vector<std::uint32_t> reduced;
            if (node.kind == NodeKind::ReduceAxis)
                reduced = loops.addReduceLoops(graph.node(node.inputs[0]).shape, attributesOf<AxesAttributes>(node).axes);
            for (const Read &read : flow.reads[member->value]) {
                if (isLiteral(graph, read))
                    continue;
                if (!own.contains(read.producer) && std::ranges::find(m_read, read.producer) == m_read.end())
                    m_read.push_back(read.producer);
                Place place;
                if (read.kind == ReadKind::Reduced)
                    place = loops.throughReduction(
                        reader, {graph.node(node.inputs[0]).shape, attributesOf<AxesAttributes>(node).axes, reduced},
                        read.access);
                else if (isCatOfParts(graph, node))
                    place = loops.throughParts(reader, node.shape, read.access);
                else
                    place = loops.throughElements(reader, node.shape, read.access);
                if (read.kind == ReadKind::Lookup)
                    place.access.isStrided = false;
                std::vector<Place> &known = m_places[read.producer];
                if (std::ranges::find(known, place) == known.end())
                    known.push_back(std::move(place));
            }
        }
    }
}

// The loops 0, 1, ... of a place are the axes of the root. One index of the first `rowAxes` must lead to one row of the value,
// the same one.
bool StageReads::isAlongRows(const Place &place, NodeId value, std::size_t rowAxes) const
{
    const Shape &shape = m_graph.node(value).shape;
    const std::vector<std::int64_t> strides = rowMajorStrides(shape);
    if (!place.access.isStrided || place.access.isMasked || place.access.offset < 0)
        return false;
    std::int64_t rowElements = 1;
    for (std::size_t axis = rowAxes; axis < shape.rank(); ++axis)
        rowElements *= shape[axis];
    std::size_t moving = 0;
    std::int64_t last = place.access.offset; // the last element of the row that is read
    for (const AccessTerm &term : place.access.terms) {
        if (term.axis < rowAxes) {
            ++moving;
            if (term.stride != strides[term.axis])
                return false;
        } else if (term.stride < 0) {
            return false;
        } else {
            last += (term.extent - 1) * term.stride;
        }
    }
    const auto isRow = [&](std::size_t axis) { return shape[axis] != 1; };
    std::size_t wanted = 0;
    for (std::size_t axis = 0; axis < rowAxes; ++axis)
        wanted += isRow(axis) ? 1 : 0;
    return moving == wanted && last < rowElements;
}

std::size_t StageReads::rowAxesFor(NodeId value) const
{
    const Shape &shape = m_graph.node(value).shape;
    const Shape &own = m_graph.node(m_root).shape;
    const auto found = m_places.find(value);
    if (found == m_places.end())
        return 0;
    std::size_t alike = 0;
    while (alike < std::min(shape.rank(), own.rank()) && shape[alike] == own[alike])
        ++alike;
    for (; alike > 0; --alike)
        if (std::ranges::all_of(found->second, [&](const Place &place) { return isAlongRows(place, value, alike); }))
            break;
    return alike;
}

double StageReads::bytesBesideRows(std::size_t rowAxis) const
{
    double bytes = 0;
    for (const NodeId value : m_read) {
        for (const Place &place : m_places.at(value)) {
            double elements = 1;
            bool movesWithRows = !place.access.isStrided;
            for (const AccessTerm &term : place.access.terms) {
                movesWithRows = movesWithRows || term.axis == rowAxis;
                if (term.axis >= rowAxis)
                    elements *= static_cast<double>(term.extent);
            }
            if (!movesWithRows)
                bytes += elements * static_cast<double>(bytesOf(m_graph.node(value).dtype));
        }
    }
    return bytes;
}

std::vector<NodeId> stageMembersOf(const Dataflow &flow, const KernelGroup &kernel, NodeId root)
{
    std::set<NodeId> found{root};
    std::vector<NodeId> pending{root};
    const std::set<NodeId> all(kernel.members.begin(), kernel.members.end());
    while (!pending.empty()) {
        const NodeId member = pending.back();
        pending.pop_back();
        for (const Read &read : flow.reads[member.value]) {
            const bool isStage = std::ranges::find(kernel.stages, read.producer) != kernel.stages.end();
            if (all.contains(read.producer) && !isStage && found.insert(read.producer).second)
                pending.push_back(read.producer);
        }
    }
    return {found.begin(), found.end()};
}

bool isOneForEachRow(const Shape &shape, const Shape &rows, std::size_t rowAxes)
{
    bool isOne = shape.rank() >= rowAxes;
    for (std::size_t axis = 0; isOne && axis < shape.rank(); ++axis)
        isOne = shape[axis] == (axis < rowAxes ? rows[axis] : 1);
    return isOne;
}

std::int64_t keptRowBytesOf(const Graph &graph, const Dataflow &flow, const KernelGroup &kernel)
{
    std::vector<NodeId> roots = kernel.stages;
    roots.push_back(kernel.root);
    std::map<NodeId, std::size_t> lastReader; // by stage, the number of the last one that reads it
    for (std::size_t i = 0; i < roots.size(); ++i)
        for (const NodeId member : stageMembersOf(flow, kernel, roots[i]))
            for (const Read &read : flow.reads[member.value])
                lastReader[read.producer] = i;
    double rows = 1;
    for (std::size_t axis = 0; axis < kernel.rowAxes; ++axis)
        rows *= static_cast<double>(graph.node(kernel.root).shape[axis]);
    double most = 0;
    for (std::size_t i = 0; i < kernel.stages.size(); ++i) {
        double bytes = 0;
        for (std::size_t kept = 0; kept <= i; ++kept) {
            const Node &node = graph.node(kernel.stages[kept]);
            if (kept == i || lastReader[kernel.stages[kept]] >= i)
                bytes += static_cast<double>(node.shape.elements()) * static_cast<double>(bytesOf(node.dtype));
        }
        most = std::max(most, bytes);
    }
    return static_cast<std::int64_t>(most / std::max(rows, 1.0));
}

} // namespace sw
