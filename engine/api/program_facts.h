#pragma once
// What a program or a model is, before it is compiled for a device: what goes in and out, how large its parameters are, and how
// much it computes, as a whole and in each scope.

#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw {

struct NamedType {
    std::string name;
    std::string type; // "f32[1, 3, 224, 224]"
};

struct ScopeFacts {
    std::string path;            // "encoder/layer x 12"; empty: the program
    std::size_t depth = 0;       // of the path
    std::int64_t count = 0;      // of scopes with this path: calls of one function have one
    std::int64_t operations = 0; // nodes that are no inputs, parameters or constants
    std::int64_t flops = 0;      // of floats, one for each element that an operation makes, or that a reduction reads
};

struct ProgramFacts {
    std::vector<std::string> about; // the comments that the text begins with; of a model: its name, opset, producer and licence
    std::vector<NamedType> inputs;
    std::vector<NamedType> outputs;
    std::int64_t parameterTensors = 0;
    std::int64_t parameterElements = 0;
    std::int64_t parameterBytes = 0;
    std::vector<ScopeFacts> scopes; // the program first, then each scope behind the one that it stands in
};

// mostDepth: of the scopes. Dimensions that are known only when the program runs count with their largest value.
[[nodiscard]] ProgramFacts factsOf(const Graph &graph, std::size_t mostDepth);

// The comments that a text begins with, without their marks.
[[nodiscard]] std::vector<std::string> openingComments(const std::string &text);

} // namespace sw
