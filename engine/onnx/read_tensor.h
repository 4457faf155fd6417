#pragma once
// From a stored tensor of the schema to a HostTensor. Includes the schema: for the reader's own files only.

#include "engine/onnx/onnx_types.h"
#include "engine/types/host_tensor.h"

#define ONNX_ML 1 // the flavour of the schema that the installed library has
#include <onnx/onnx_pb.h>

namespace sw::onnx {

[[nodiscard]] Result<HostTensor> readTensor(const ::onnx::TensorProto &proto, const SourceRange &where);

} // namespace sw::onnx
