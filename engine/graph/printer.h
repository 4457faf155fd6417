#pragma once
// The canonical text of a graph: one node per line, in order.
//
//   stepwell graph 1
//   %0 = placeholder {name = "x", role = input} : f32[2, 3] #x
//   %1 = const_scalar {value = 0.0} : f32[]
//   %2 = reshape %1 : f32[1, 1] @"layer/relu"
//   %3 = expand %2 : f32[2, 3] @"layer/relu"
//   %4 = max %0, %3 : f32[2, 3] @"layer/relu" #hidden
//   sink %4 {names = ["output"]}
//
// @ is the scope: names of nested calls from the outermost. Of scopes that share name and parent, the second to appear is written
// "layer~2". # is the value's name. Tensors are written complete, so that parseGraph gives the same graph and printing that gives
// the same bytes: [1.0, 2.0] up to kListedElements, fill(1.0) for equal elements, hex(...) of the little-endian bytes otherwise,
// or load("file.npy"), whose name is relative to the folder of the text.

#include "engine/graph/graph.h"

#include <string>
#include <vector>

namespace sw {

inline constexpr std::int64_t kListedElements = 64;

// The tensors that are too large for a text that is written to a file: each has one beside it.
struct TensorFiles {
    std::string stem; // of their names: "k.lowered" for k.lowered.0.npy, k.lowered.1.npy ...
    std::int64_t maxTextBytes = 4096;
    std::vector<std::pair<std::string, HostTensor>> files = {}; // name and value; filled by the printer
};

struct GraphPrintOptions {
    // Tensors of more bytes are written as omitted(N bytes), for people; such text does not parse back.
    std::int64_t maxTensorBytes = std::numeric_limits<std::int64_t>::max();
    // Tensors of more bytes are kept in files beside the text: load("file.npy"). Null: they are in the text.
    TensorFiles *files = nullptr;
    // What the text calls the values, by node; empty: as they are numbered in the graph.
    std::span<const std::uint32_t> numbers = {};
};

struct GraphText {
    std::string text;
    std::vector<NodeId> lines; // per line of text: the node that it shows; invalid for the first
};

[[nodiscard]] GraphText printGraph(const Graph &graph, const GraphPrintOptions &options = {});
// The lines of the nodes alone, each indented by so many spaces.
[[nodiscard]] std::string printGraphLines(const Graph &graph, const GraphPrintOptions &options, std::size_t indent);

} // namespace sw
