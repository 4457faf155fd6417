#pragma once
// Programs that a reduction tries: a graph and what it runs on. Every edit gives a new one, without what no output needs.

#include "engine/graph/graph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

namespace sw {

struct ProgramCandidate {
    GraphPtr graph;                 // its placeholders are inputs with names that the language can write
    std::vector<HostTensor> values; // by placeholder, in Graph::placeholders order
};

struct CandidateEdit {
    std::vector<NodeId> outputs;             // in their order
    std::map<NodeId, NodeId> replaced = {};  // another, earlier node of the same type takes its place
    std::map<NodeId, HostTensor> given = {}; // becomes an input of this value
    std::map<NodeId, Scalar> constants = {}; // of constants: another value
};
[[nodiscard]] ProgramCandidate edited(const ProgramCandidate &from, const CandidateEdit &edit);

// Every extent of this size is another one in placeholders, constants and where shapes are named; the shapes in between follow.
// Nothing: they do not fit together.
[[nodiscard]] std::optional<ProgramCandidate> withExtent(const ProgramCandidate &from, std::int64_t extent, std::int64_t other);

// The graph with its parameters as inputs, and names that the language can write.
[[nodiscard]] ProgramCandidate plainCandidate(const Graph &graph, std::vector<HostTensor> values);

// The elements of all its values.
[[nodiscard]] std::int64_t elementsOf(const Graph &graph);

} // namespace sw
