#pragma once
// One walk over the nodes of a model, in an order in which each comes after what it reads, and the graph that it makes.

#include "engine/onnx/fold_node.h"
#include "engine/onnx/known_values.h"
#include "engine/onnx/listing.h"
#include "engine/onnx/model_inputs.h"

namespace sw::onnx {

struct ImportRequest {
    const Model &model;
    const Listing &listing;
    const std::vector<std::size_t> &order;
    const std::vector<ModelInput> &inputs;
    // Given inputs that are no inputs of the graph: their values are a part of it.
    const std::set<std::string> &constantInputs;
    std::stop_token stop;
};

struct ImportResult {
    std::optional<Graph> graph; // absent when a diagnostic is an error
    // Given inputs whose values decide shapes. When not all of them were constants, the graph is right for these values alone.
    std::set<std::string> decidingInputs;
    Diagnostics diagnostics;
};

[[nodiscard]] ImportResult importModel(const ImportRequest &request);

} // namespace sw::onnx
