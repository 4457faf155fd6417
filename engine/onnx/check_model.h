#pragma once
// Checks the rules between the parts of a model: every name is defined once, every use is defined, and there are no cycles.

#include "engine/onnx/listing.h"

namespace sw::onnx {

// The nodes that the outputs need, each after the nodes that it reads; in the file's own order if that is valid.
[[nodiscard]] Result<std::vector<std::size_t>> checkedOrder(const Model &model, const Listing &listing);

} // namespace sw::onnx
