#pragma once
// Where the nodes of a model stand in its author's program: the modules around each, from the outside.

#include "engine/onnx/model.h"

#include <string>
#include <string_view>
#include <vector>

namespace sw::onnx {

using ModulePath = std::vector<std::string>;

// By node. What an exporter wrote down about modules counts first, then the path in the node's name
// ("/encoder/layer.3/attention/Add" of PyTorch, "model/dense/MatMul" of TensorFlow); a model without any has those of its weights
// ("layer1.0.conv1.weight"). Modules beside each other that differ in a number only, and consist of the same operators, stand in
// one more called "layer x 12"; if there are others of that name, in "layer 1-5 x 5".
[[nodiscard]] std::vector<ModulePath> modulePaths(const ModelGraph &graph);

// The modules that a node's metadata_props name: the value of "pkg.torch.onnx.name_scopes", a list of dotted paths from the
// outside to the node itself ("['', 'encoder', 'encoder.layer.0', 'linear']"), or of "namespace", "encoder:
// Encoder/encoder.layer.0: Layer/...". Empty: there are none.
[[nodiscard]] ModulePath modulesInNameScopes(std::string_view text);
[[nodiscard]] ModulePath modulesInNamespace(std::string_view text);

} // namespace sw::onnx
