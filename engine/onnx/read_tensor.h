#pragma once
// Converts a stored tensor of the schema to a HostTensor. Only the reader's own files may include it: it includes the schema.

#include "engine/onnx/external_data.h"
#include "engine/onnx/onnx_types.h"
#include "engine/types/host_tensor.h"

#include <span>
#include <vector>

#define ONNX_ML 1 // the variant of the schema that the installed library uses
#include <onnx/onnx_pb.h>

namespace sw::onnx {

// The file that is read: for messages, and for tensors whose elements are not in the message.
struct ModelFile {
    SourceRange where;
    std::shared_ptr<ExternalFiles> external;            // files beside it
    std::span<const std::byte> bytes = {};              // of the model
    std::shared_ptr<const MappedFile> mapped = {};      // which has the bytes; null: they go when the model is read
    std::vector<std::span<const std::byte>> apart = {}; // of the bytes: see split_model.h
};

struct StoredTensor {
    HostTensor value;
    Narrow narrow = Narrow::None;
};
// Elements of a mapped file stay in it, if they are many.
[[nodiscard]] Result<StoredTensor> readStored(const ::onnx::TensorProto &proto, const ModelFile &file);
// Refuses narrow types.
[[nodiscard]] Result<HostTensor> readTensor(const ::onnx::TensorProto &proto, const ModelFile &file);

} // namespace sw::onnx
