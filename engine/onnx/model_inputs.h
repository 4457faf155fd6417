#pragma once
// The inputs of a model with every dimension set: by the file, by what the user gives, or by an assumption that a note reports.

#include "engine/onnx/import.h"
#include "engine/onnx/listing.h"

namespace sw::onnx {

struct ModelInput {
    DType dtype = DType::F32;
    Shape shape = {};
    std::optional<HostTensor> given; // of this type and shape
};

struct ModelInputs {
    std::vector<ModelInput> inputs;                // parallel to the model's
    std::vector<std::string> assumedDimensions;    // those that became 1
    std::vector<DimensionChoice> chosenDimensions; // those that no given tensor settles, and the number of each
    Diagnostics notes;
};

// Reports all contradictions, each with the names of both sides.
[[nodiscard]] Result<ModelInputs> settleInputs(const Model &model, const Listing &listing, const ModelOptions &options);

} // namespace sw::onnx
