#pragma once
// The rules that hold between the parts of a model: every name defined once, every use defined, no cycles.

#include "engine/onnx/listing.h"

namespace sw::onnx {

// The nodes that the outputs need, in an order in which each comes after those it reads: the file's own where that is one.
[[nodiscard]] Result<std::vector<std::size_t>> checkedOrder(const Model &model, const Listing &listing);

} // namespace sw::onnx
