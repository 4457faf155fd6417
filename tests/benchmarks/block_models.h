#pragma once
// Models of one block each, of kinds that the test models of the ONNX project do not have: they are made here, with random
// weights.

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace sw::benchmark {

// Files among the system's temporary ones, each the model.onnx in a folder of its name:
// - gpt_block: 256 places of width 512, 8 heads that look back only, a feed-forward layer of 2048, normalized before each;
// - mobilenet_block: an inverted residual, 64 channels of 56 x 56, widened to 384, 3 x 3 by channel, back to 64;
// - transposed_convolution: 128 channels of 28 x 28 to 64 of 56 x 56, 4 x 4;
// - product_256, 512, 1024 and 2048: of square matrices, the second one constant;
// - lstm_step: one step of 512 units on 512 inputs, with the state before it.
// Errors: a file that cannot be written.
[[nodiscard]] Result<std::vector<std::string>> writtenBlockModels(std::uint64_t seed);

} // namespace sw::benchmark
