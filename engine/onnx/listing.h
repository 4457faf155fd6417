#pragma once
// The program stage of a model: a text with one line per input, parameter, node and output, and its source table. Nodes of a
// module stand indented behind its name, the graphs that belong to a node behind the node, the model's functions at the end.

#include "engine/base/origin.h"
#include "engine/onnx/model.h"

#include <unordered_map>

namespace sw::onnx {

// The ids are parallel to the graph's own lists.
struct GraphListing {
    std::vector<SourceId> inputs;
    std::vector<SourceId> initializers;
    std::vector<SourceId> nodes;
    std::vector<SourceId> outputs;
};

struct Listing : GraphListing { // of the model's own graph
    SourceMapPtr sources;
    std::unordered_map<const ModelGraph *, GraphListing> bodies; // of nodes, and functions

    [[nodiscard]] const GraphListing &of(const ModelGraph &body) const { return bodies.at(&body); }
    [[nodiscard]] SourceRange placeOf(SourceId id) const { return sources->programRange(id); }
    [[nodiscard]] ScopeId scopeOf(SourceId id) const { return sources->item(id).scope; }
};

[[nodiscard]] Listing listModel(const Model &model, const std::string &fileName);

// Returns the type of a tensor: "f32[batch, 3]".
[[nodiscard]] std::string typeText(const ValueInfo &info);

// How messages name a node: "Conv 'conv1'", or "Conv that makes 'x'" if the node has no name.
[[nodiscard]] std::string nodeText(const ModelNode &node);

} // namespace sw::onnx
