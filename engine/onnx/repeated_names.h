#pragma once
// Models that define a value more than once, as some exporters write them. A node reads what was defined last before it; what is
// read outside of the graph is the last of all.

#include "engine/onnx/model.h"

namespace sw::onnx {

// Renames all definitions of a value but the last, with what reads them, and drops all initializers of a name but the last, in
// the graph and in those of its nodes. Returns the names. An input that is defined again stays as it is, and is an error later.
[[nodiscard]] std::vector<std::string> resolveRepeatedNames(ModelGraph &graph);

} // namespace sw::onnx
