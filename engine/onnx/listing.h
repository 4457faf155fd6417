#pragma once
// The program stage of a model: a text with one line per input, parameter, node and output, and its source table.

#include "engine/base/origin.h"
#include "engine/onnx/model.h"

namespace sw::onnx {

// The ids are parallel to the model's own lists.
struct Listing {
    SourceMapPtr sources;
    std::vector<SourceId> inputs;
    std::vector<SourceId> initializers;
    std::vector<SourceId> nodes;
    std::vector<SourceId> outputs;

    [[nodiscard]] SourceRange placeOf(SourceId id) const { return sources->programRange(id); }
    [[nodiscard]] ScopeId scopeOf(SourceId id) const { return sources->item(id).scope; }
};

[[nodiscard]] Listing listModel(const Model &model, const std::string &fileName);

// Returns the type of a tensor: "f32[batch, 3]".
[[nodiscard]] std::string typeText(const ValueInfo &info);

// How messages name a node: "Conv 'conv1'", or "Conv that makes 'x'" if the node has no name.
[[nodiscard]] std::string nodeText(const ModelNode &node);

} // namespace sw::onnx
