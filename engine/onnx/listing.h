#pragma once
// The program stage of a model: a text with one line per input, parameter, node and output, and the source table over it.

#include "engine/base/origin.h"
#include "engine/onnx/model.h"

namespace sw::onnx {

// The ids run parallel to the model's own lists.
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

// "f32[batch, 3]", of a tensor.
[[nodiscard]] std::string typeText(const ValueInfo &info);

// "Conv 'conv1'", or "Conv that makes 'x'" where the node has no name: how messages call it.
[[nodiscard]] std::string nodeText(const ModelNode &node);

} // namespace sw::onnx
