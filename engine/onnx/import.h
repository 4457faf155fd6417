#pragma once
// The front end for ONNX models: reads a file and makes the tensor graph and its source table. The program stage of a model is a
// listing made here, one line per input, parameter and node; every graph node refers to the line that it was made for.

#include "engine/graph/graph.h"
#include "engine/language/library_caller.h"
#include "engine/types/dimension_choice.h"

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <stop_token>
#include <string>

namespace sw {

class WorkProgress;

struct ModelOptions {
    // Tensors that the model will run on. They determine the open dimensions of their inputs. If shapes depend on an input's
    // values, the values become part of the graph, and the graph does not have that input.
    std::map<std::string, HostTensor> givenInputs = {};
    // Open dimensions of the inputs by name; one without a name is INPUT.AXIS. Dimensions left open become 1, with a note.
    std::map<std::string, std::int64_t, std::less<>> dimensions = {};
    // Those that stay dimensions of the graph, as far as the operators allow it; a note says which one does not. A given tensor
    // does not settle them. Their names in the graph are words.
    DimensionRanges openDimensions = {};
    std::filesystem::path libraryFolder = {}; // the language's, with the functions that operators are made of
    std::filesystem::path folder = {};        // of the model, in which it may keep tensors in other files; empty: it may not
    WorkProgress *progress = nullptr;         // is told how far the import is
};

struct ModelResult {
    std::optional<Graph> graph = {};                 // absent if a diagnostic is an error
    SourceMapPtr sources;                            // null if the file could not be read as a model
    std::vector<std::string> constantInputs = {};    // given inputs whose values became part of the graph
    std::vector<std::string> assumedDimensions = {}; // open ones that nothing says, so that they are 1
    // The open ones of the inputs that no given tensor settles, by name, and what each is in the graph.
    std::vector<DimensionChoice> chosenDimensions = {};
    Diagnostics diagnostics = {};
    std::vector<language::LibraryUse> libraryUses = {}; // of operators that are functions; some may be stale
};

// The folder that a file stands in.
[[nodiscard]] std::filesystem::path folderOf(const std::filesystem::path &file);

// Never throws, whatever the file contains. Without a folder in the options, a file's own one is taken.
[[nodiscard]] ModelResult importOnnx(const std::filesystem::path &file, const ModelOptions &options, std::stop_token stop);
[[nodiscard]] ModelResult importOnnx(std::span<const std::byte> bytes, const std::string &fileName, const ModelOptions &options,
                                     std::stop_token stop);

// Reads a stored tensor (TensorProto), the format of ONNX's test data.
[[nodiscard]] Result<HostTensor> readOnnxTensor(std::span<const std::byte> bytes, const std::string &fileName);

} // namespace sw
