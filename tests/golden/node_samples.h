#pragma once
// A program for each kind of node, in whose graph it occurs.

#include "engine/graph/graph.h"

#include <span>

namespace sw::test {

struct NodeSample {
    NodeKind kind = NodeKind::Sink;
    const char *text = nullptr;
};

[[nodiscard]] std::span<const NodeSample> nodeSamples();

} // namespace sw::test
