#pragma once
// Weights for models whose own are one number each, as in the test models of the ONNX project. Such weights fold away: whole
// convolutions become sums over windows, and what is then measured is not the model.

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace sw::benchmark {

struct RandomWeights {
    std::string file;          // a model beside the system's temporary files; the given one when it has no such weights
    std::size_t tensors = 0;   // that were replaced
    std::int64_t elements = 0; // in all of them
};

// Each ConstantOfShape of a known shape and of a number that is not 0 becomes an initializer with values of its own (zeros are
// states and masks, no weights). Those of rank 2 and more are uniform in +-sqrt(6 / fan-in) (He et al. 2015, which keeps the
// variance through relu). The others scale, shift and divide: they are in 0.25..0.75, so that values do not grow through many
// residual blocks until a softmax has one answer only. Errors: the file cannot be read, is no model, or cannot be written.
[[nodiscard]] Result<RandomWeights> withRandomWeights(const std::string &file, std::uint64_t seed);

} // namespace sw::benchmark
