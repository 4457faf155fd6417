#pragma once
// Models of one operator each, of a size that takes a while: what an operator costs beside another implementation of it.

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw::benchmark {

// Files among the system's temporary ones, each the model.onnx in a folder of its operator's name. Errors: a file that cannot be
// written.
[[nodiscard]] Result<std::vector<std::string>> writtenOperatorModels(std::uint64_t seed);

} // namespace sw::benchmark
