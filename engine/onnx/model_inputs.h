#pragma once
// The inputs of a model with every dimension settled: by the file, by what is given beforehand, or by an assumption that is told.

#include "engine/onnx/import.h"
#include "engine/onnx/listing.h"

namespace sw::onnx {

struct ModelInput {
    DType dtype = DType::F32;
    Shape shape = {};
    std::optional<HostTensor> given; // of this type and shape
};

struct ModelInputs {
    std::vector<ModelInput> inputs; // parallel to the model's
    Diagnostics notes;
};

// Errors are all that contradict each other, with the names of both.
[[nodiscard]] Result<ModelInputs> settleInputs(const Model &model, const Listing &listing, const ModelOptions &options);

} // namespace sw::onnx
