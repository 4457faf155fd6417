#pragma once
// The reference interpreter: what a graph means. One plain function per family of nodes, each element by ops.def's evaluation;
// reductions go through their elements in row-major order, f16 and bf16 gathered in f32. Slow and never wrong.

#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// An index of Gather or Index outside of its axis: the element is 0 and nothing was read. Index sees its source as one axis.
struct NodeIndexFault {
    NodeId node;
    std::int64_t index = 0; // the first that was found
    std::size_t axis = 0;
    std::int64_t extent = 0;
    std::int64_t count = 0; // of such indices in this node
};

struct InterpretOptions {
    std::stop_token stop;                                    // a stop request ends in a diagnostic with Code::Cancelled
    std::function<void(NodeId, const HostTensor &)> onValue; // each node's value, in order; may be empty
    std::function<void(const NodeIndexFault &)> onFault;     // at most one per node; may be empty
};

// The outputs in the order of the sink. `placeholders` are the values of graph.placeholders(), in that order, initial values and
// random parameters included. Values are freed after their last use. The graph must be valid.
[[nodiscard]] Result<std::vector<HostTensor>> interpretGraph(const Graph &graph, std::span<const HostTensor> placeholders,
                                                             const InterpretOptions &options = {});

// Per node, the last node that reads it; the sink for outputs, invalid for what nothing reads.
[[nodiscard]] std::vector<NodeId> lastReaders(const Graph &graph);

// "index 7 is out of range for axis 0 of extent 4 (3 such indices)", at the node's place.
[[nodiscard]] Diagnostic toDiagnostic(const NodeIndexFault &fault, const Graph &graph);

} // namespace sw
