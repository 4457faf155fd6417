#pragma once
// What elements find among updates that each name an element: by sorting, in time of elements plus updates. Comparing each
// element with each update takes elements times updates.
//
// 1. A key for each update: its element, and then its own place. The keys are sorted: blocks of 64 by counting, for each key,
// those
//    that are smaller; longer ones by Batcher's bitonic merges ("Sorting networks and their applications", 1968), whose steps
//    compare keys at one distance. So updates of one element stand together, in their order.
// 2. They are combined with those before them at distances 1, 2 and 3, then 4, 8 and 12, and so on, as long as they are of the
// same
//    element. So the last of them has the value of all.
// 3. Each element finds its last update by bisection.

#include "engine/graph/builder.h"

#include <optional>
#include <span>

namespace sw {

// updates: a shape with `axis`, along which the updates stand. line: the same, with extent 1 along axes where all updates at one
// place have one element. elements: how many there are along the axis, of each line. All extents are numbers.
struct UpdateLines {
    Shape updates;
    Shape line;
    std::size_t axis = 0;
    std::int64_t elements = 0;
};

// In nanoseconds on one thread, measured; only their ratio counts.
struct ScatterCost {
    double sorting = 0;
    double comparing = 0;
    [[nodiscard]] bool sortingPays() const { return sorting < comparing; }
};
// comparing: pairs that are compared otherwise. op: nothing: the last update wins.
[[nodiscard]] ScatterCost scatterCost(const UpdateLines &lines, double pairs, std::optional<Op> op);

class SortedUpdates {
public:
    SortedUpdates(GraphBuilder &builder, Origin origin, UpdateLines lines);

    // Of the shape of the updates, but with the elements along the axis: `elements` in place of updates.
    struct Found {
        NodeId isFound; // bool; as `line`, with the elements along the axis
        NodeId value;   // where there is none, anything
    };
    // positions, of the shape `line` and an integer type: for each update one more than its element, or 0 for none. updates:
    // values of a type in which `op` has an identity; they are combined in another order than theirs. Without an op the last one
    // wins.
    Result<Found> find(NodeId positions, NodeId updates, std::optional<Op> op);

private:
    Result<NodeId> apply(Op op, std::initializer_list<NodeId> operands);
    NodeId number(std::int64_t value) const;
    Result<NodeId> counted(std::int64_t count, Shape shape);
    Result<NodeId> inLines(NodeId id, const Shape &shape);
    Result<NodeId> fromLines(NodeId id, bool isOfLine);
    Result<NodeId> keysOf(NodeId positions);
    Result<NodeId> sorted(NodeId keys);
    Result<NodeId> sortedBlocks(NodeId keys);
    Result<NodeId> exchanged(NodeId keys, std::int64_t distance, bool isFirst);
    Result<NodeId> shifted(NodeId id, std::int64_t by, const Scalar &fill);
    Result<NodeId> combined(NodeId values, NodeId elements, Op op);
    Result<NodeId> placesBelow(NodeId keys);
    Result<NodeId> looked(NodeId source, NodeId places, std::int64_t columns);

    GraphBuilder &m_builder;
    Origin m_origin;
    UpdateLines m_lines;
    std::vector<std::size_t> m_order; // of the axes: those of lines, the one of the updates, those of columns
    std::size_t m_lineAxes = 0;
    std::int64_t m_lineCount = 1;
    std::int64_t m_columns = 1;
    std::int64_t m_updates = 1;
    std::int64_t m_places = 1; // updates and what fills the last block: a power of two
    DType m_type = DType::I32; // of keys
};

} // namespace sw
