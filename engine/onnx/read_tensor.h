#pragma once
// Converts a stored tensor of the schema to a HostTensor. Only the reader's own files may include it: it includes the schema.

#include "engine/onnx/onnx_types.h"
#include "engine/types/host_tensor.h"

#include <filesystem>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::onnx {

// The file that is read: for messages, and for the tensors that it keeps in other files.
struct ModelFile {
    SourceRange where;
    std::filesystem::path folder = {}; // empty: it has none
};

struct StoredTensor {
    HostTensor value;
    Narrow narrow = Narrow::None;
};
[[nodiscard]] Result<StoredTensor> readStored(const ::onnx::TensorProto &proto, const ModelFile &file);
// Refuses narrow types.
[[nodiscard]] Result<HostTensor> readTensor(const ::onnx::TensorProto &proto, const ModelFile &file);

} // namespace sw::onnx
