#pragma once
// Checks the rules between the parts of a model: every name is defined once, every use is defined, and there are no cycles.

#include "engine/onnx/listing.h"

namespace sw::onnx {

// Of each graph the nodes that its outputs need, each after the nodes that it reads; in the file's own order if that is valid.
using Orders = std::unordered_map<const ModelGraph *, std::vector<std::size_t>>;

// For the model, the graphs of its nodes and its functions.
[[nodiscard]] Result<Orders> checkedOrders(const Model &model, const Listing &listing);

} // namespace sw::onnx
