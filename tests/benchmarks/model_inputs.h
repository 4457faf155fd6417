#pragma once
// What a model is measured with: the inputs that are stored beside it, as the ONNX project stores test data. Values that a seed
// gives do not do for all models: some look up rows by them, and others have dimensions that only an input tells.

#include "engine/base/result.h"
#include "engine/execute/executor.h"

#include <filesystem>
#include <vector>

namespace sw::benchmark {

// test_data_set_0/input_K.pb beside the model, for each of its inputs in their order; none where the first file is missing.
// Errors: a file that cannot be read.
[[nodiscard]] Result<std::vector<NamedTensor>> storedInputs(const std::filesystem::path &model);

} // namespace sw::benchmark
