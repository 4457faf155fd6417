#pragma once
// Operators that read regions of images.

#include "engine/onnx/node_call.h"

namespace sw::onnx {

Result<Outputs> importRoiAlign(NodeCall &call);

} // namespace sw::onnx
