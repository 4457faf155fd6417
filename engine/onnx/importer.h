#pragma once
// Walks once over the nodes of a model, visiting each after the nodes that it reads, and builds the graph.

#include "engine/language/library_caller.h"
#include "engine/onnx/check_model.h"
#include "engine/onnx/known_values.h"
#include "engine/onnx/model_inputs.h"

#include <filesystem>

namespace sw {
class WorkProgress;
}

namespace sw::onnx {

struct ImportRequest {
    const Model &model;
    const Listing &listing;
    const Orders &orders;
    const std::vector<ModelInput> &inputs;
    // Given inputs whose values are part of the graph; they are not inputs of the graph.
    const std::set<std::string> &constantInputs;
    const std::filesystem::path &libraryFolder;
    std::stop_token stop;
    WorkProgress *progress = nullptr; // is told how many nodes are imported
};

struct ImportResult {
    std::optional<Graph> graph; // absent if a diagnostic is an error
    SourceMapPtr sources;       // the listing's, with the functions that operators are made of
    // Given inputs whose values decide shapes. Unless all of them were constants, the graph is right only for these values.
    std::set<std::string> decidingInputs;
    Diagnostics diagnostics;
    std::vector<language::LibraryUse> libraryUses = {}; // some may be stale
};

[[nodiscard]] ImportResult importModel(const ImportRequest &request);

} // namespace sw::onnx
