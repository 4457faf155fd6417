#pragma once
// The reference interpreter defines what a graph means. One plain function per family of nodes evaluates each element by ops.def;
// reductions go in row-major order and accumulate f16 and bf16 in f32. It is slow and never wrong.

#include "engine/graph/graph.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <vector>

namespace sw {

// An index of Gather or Index outside its axis: the element is 0 and nothing is read. Index treats its source as one axis.
struct NodeIndexFault {
    NodeId node;
    std::int64_t index = 0; // the first one found
    std::size_t axis = 0;
    std::int64_t extent = 0;
    std::int64_t count = 0; // how many such indices this node has
};

// A scan that is evaluated up to one of its steps, which it has. The values of its body are then those of that step, and those of
// its results are not whole: nobody may want them.
struct ScanEnd {
    std::int64_t scan = 0; // its number
    std::int64_t step = 0;
};

struct InterpretOptions {
    std::stop_token stop;                                    // a stop request gives a diagnostic with Code::Cancelled
    std::function<void(NodeId, const HostTensor &)> onValue; // receives each node's value, in order; may be empty
    std::function<void(const NodeIndexFault &)> onFault;     // called at most once per node; may be empty
    // Receives the values of the nodes of a scan in each of its steps, rows as far as they are computed; may be empty. onValue
    // receives those of the last step, after it.
    std::function<void(NodeId, std::int64_t step, const HostTensor &)> onStepValue = {};
    std::optional<ScanEnd> end = {}; // nothing: all scans are evaluated to their ends
};

// Returns the outputs in the order of the sink. `placeholders` are the values of graph.placeholders(), in that order, and include
// initial values and random parameters. Values are freed after their last use. The graph must be valid.
[[nodiscard]] Result<std::vector<HostTensor>> interpretGraph(const Graph &graph, std::span<const HostTensor> placeholders,
                                                             const InterpretOptions &options = {});

// The values of some nodes (not the sink), in their order. Evaluates only what they need.
[[nodiscard]] Result<std::vector<HostTensor>> interpretNodes(const Graph &graph, std::span<const HostTensor> placeholders,
                                                             std::span<const NodeId> wanted,
                                                             const InterpretOptions &options = {});

// For each node, the last node that reads it; the sink for outputs, invalid if nothing reads it.
[[nodiscard]] std::vector<NodeId> lastReaders(const Graph &graph);

// "index 7 is out of range for axis 0 of extent 4 (3 such indices)", placed at the node.
[[nodiscard]] Diagnostic toDiagnostic(const NodeIndexFault &fault, const Graph &graph);

} // namespace sw
