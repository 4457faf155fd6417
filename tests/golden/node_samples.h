#pragma once
// A sample program for each kind of node, whose graph contains a node of that kind.

#include "engine/graph/graph.h"

#include <span>

namespace sw::test {

struct NodeSample {
    NodeKind kind = NodeKind::Sink;
    const char *text = nullptr;
};

[[nodiscard]] std::span<const NodeSample> nodeSamples();

} // namespace sw::test
