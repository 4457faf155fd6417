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
// @ gives the scope: the names of nested calls, outermost first. When scopes share name and parent, the second one is written
// "layer~2". # gives the value's name. Tensors are written in full, so parsing gives the same graph and printing that gives the
// same bytes: [1.0, 2.0] up to kListedElements, fill(1.0) for equal elements, else hex(...) of the little-endian bytes or
// load("file.npy"), with a name relative to the folder of the text.

#include "engine/graph/graph.h"

#include <string>
#include <vector>

namespace sw {

inline constexpr std::int64_t kListedElements = 64;
inline constexpr std::int64_t kAllBytes = std::numeric_limits<std::int64_t>::max();

// Of a tensor in a text that people look at.
inline constexpr std::int64_t kMostTextBytes = 4096;

// Tensors that are too large for a text written to a file; each gets its own file beside the text.
struct TensorFiles {
    std::string stem; // of the file names: "k.lowered" for k.lowered.0.npy, k.lowered.1.npy ...
    std::int64_t maxTextBytes = kMostTextBytes;
    std::vector<std::pair<std::string, HostTensor>> files = {}; // name and value; the printer fills them in
};

struct GraphPrintOptions {
    // Larger tensors are written as omitted(4096 elements: 0.5, -0.25, 1.0, ...), for people to read; such text cannot be parsed
    // back.
    std::int64_t maxTensorBytes = kAllBytes;
    // Larger tensors go into files beside the text: load("file.npy"). Null: all are in the text.
    TensorFiles *files = nullptr;
    // The numbers of the values in the text, by node; empty: the same as in the graph.
    std::span<const std::uint32_t> numbers = {};
};

struct GraphText {
    std::string text;
    std::vector<NodeId> lines; // the node that each line of text shows; invalid for the first line
};

[[nodiscard]] GraphText printGraph(const Graph &graph, const GraphPrintOptions &options = {});
// Only the lines of the nodes, each indented by this many spaces.
[[nodiscard]] std::string printGraphLines(const Graph &graph, const GraphPrintOptions &options, std::size_t indent);

} // namespace sw
