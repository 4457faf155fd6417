#pragma once
// The front end for ONNX models: a file in, the tensor graph and its source table out. The program stage of a model is a
// listing made here, one line per input, parameter and node; every graph node points at the line that it was made for.

#include "engine/graph/graph.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace sw {

struct ModelOptions {
    // Tensors that the model will run on. They settle the open dimensions of their inputs. Where shapes depend on the values of
    // an input, those values become a part of the graph, and the input is none of the graph's.
    std::map<std::string, HostTensor> givenInputs = {};
    // Open dimensions of the inputs by name; one without a name is INPUT.AXIS. What nothing settles is 1, with a note.
    std::map<std::string, std::int64_t, std::less<>> dimensions = {};
};

struct ModelResult {
    std::optional<Graph> graph = {};              // absent when a diagnostic is an error
    SourceMapPtr sources;                         // null when the file could not be read as a model
    std::vector<std::string> constantInputs = {}; // given inputs whose values became a part of the graph
    Diagnostics diagnostics = {};
};

// Never throws for what a file can contain. External data is refused.
[[nodiscard]] ModelResult importOnnx(const std::filesystem::path &file, const ModelOptions &options, std::stop_token stop);
[[nodiscard]] ModelResult importOnnx(std::span<const std::byte> bytes, const std::string &fileName, const ModelOptions &options,
                                     std::stop_token stop);

// A stored tensor (TensorProto), as ONNX's test data are kept.
[[nodiscard]] Result<HostTensor> readOnnxTensor(std::span<const std::byte> bytes, const std::string &fileName);

} // namespace sw
