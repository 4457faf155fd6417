#pragma once
// How much of every value of a graph a run needs. The pass pad-dimensions gives each value its largest shape; this goes from the
// outputs, whose real shapes the sink knows, back through the graph, and tells where along each axis the elements end that some
// output depends on. What lies beyond need not be computed.

#include "engine/graph/graph.h"

#include <vector>

namespace sw {

// Where the needed elements end, per axis of the value's shape; a constant may be less than the extent too.
using NeededEnds = std::vector<SymbolicExpr>;

class NeededExtents {
public:
    explicit NeededExtents(const Graph &graph);

    // Null: an output needs all of it, or the graph has no dimensions.
    [[nodiscard]] const NeededEnds *of(NodeId node) const;
    // The placeholder of the dimension; invalid if the graph has none of this name.
    [[nodiscard]] NodeId dimension(const std::string &name) const;

private:
    std::vector<NeededEnds> m_ends; // by node; empty: see of()
    std::vector<std::pair<std::string, NodeId>> m_dimensions;
};

} // namespace sw
