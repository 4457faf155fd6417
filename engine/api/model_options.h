#pragma once
// How a program's input says that a model is imported.

#include "engine/api/front_end.h"
#include "engine/onnx/import.h"

namespace sw {

[[nodiscard]] ModelOptions modelOptionsOf(const ProgramInput &input);

} // namespace sw
