#pragma once
// A model whose open dimensions stay open, as far as its operators allow it.

#include "engine/onnx/import.h"
#include "engine/onnx/model.h"

#include <functional>

namespace sw::onnx {

// Imports the model with these options, which keep no dimension open.
using ModelImport = std::function<ModelResult(const ModelOptions &)>;

// As many of the dimensions that the options keep open as stay open together. One that does not even alone has the size of the
// tensor that is given, or the least of its range; a note names the line of the model that stops it.
[[nodiscard]] ModelResult importOpen(const Model &model, const ModelOptions &options, const ModelImport &import);

} // namespace sw::onnx
