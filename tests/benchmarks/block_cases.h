#pragma once
// The blocks of networks that are measured against other libraries: their programs, their values and who else computes them.

#include "engine/types/dtype.h"
#include "engine/types/shape.h"
#include "tests/benchmarks/block_peers.h"

#include <functional>
#include <string>
#include <vector>

namespace sw::benchmark {

// Uniform in +-limit.
struct BlockTensor {
    std::string name;
    Shape shape;
    bool isWeight = false; // known before the run, and laid out once
    double limit = 1;
};

struct BlockCase {
    std::string name;
    std::vector<BlockTensor> tensors; // in the order in which the peers take them
    std::string body;                 // of the program, behind the declarations of the tensors
    std::function<std::vector<BlockPeer>(const BlockWork &)> peers;
};

// - gpt: 256 places of width 512, 8 heads that look back only, a feed-forward layer of 2048 with gelu, normalized before each;
// - mobilenet: an inverted residual, 64 channels of 56 x 56, widened to 384, 3 x 3 by channel, back to 64;
// - lstm: one step of 512 units on 512 inputs;
// - conv...: one convolution with a relu.
[[nodiscard]] std::vector<BlockCase> blockCases();

[[nodiscard]] std::string programOf(const BlockCase &block, DType dtype);

} // namespace sw::benchmark
