#pragma once
// The libraries that whole blocks of networks are measured against, on the same values as our program. C++17, as library_peers.h
// is.

#include "tests/benchmarks/library_peers.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sw::benchmark {

enum class Precision : std::uint8_t { F32, BF16 };

// Row after row; of bf16 the bits.
struct GivenTensor {
    const void *values = nullptr; // stay where they are as long as a peer is used
    std::vector<std::int64_t> extents;
};

struct BlockWork {
    Precision precision = Precision::F32;
    std::uint32_t threads = 1;
    std::vector<GivenTensor> tensors; // in the order that each function below names
};

// Weights are in the layout that the peer likes, and results stay in it.
struct BlockPeer {
    std::string name;
    std::string refusal;                                      // why there is nothing to run; empty: there is
    std::function<void()> run;                                // once, on the threads of its work
    std::function<std::vector<std::vector<float>>()> results; // of the last run, row after row, as f32
};

// Absent when PyTorch was not there to build with. x [places, width]; wq, wk, wv and wo [width, width]; w1 [width, 4 width];
// w2 [4 width, width].
[[nodiscard]] std::vector<BlockPeer> torchGptBlock(const BlockWork &work, std::int64_t heads);
// x [1, channels, side, side]; weights of the widening, of the convolution by channel and of the narrowing.
[[nodiscard]] std::vector<BlockPeer> torchMobileNetBlock(const BlockWork &work);
// x, h and c [1, units]; wx and wh [units, 4 units], for input, forget, cell and output; b [4 units]. Gives the next h and c.
[[nodiscard]] std::vector<BlockPeer> torchLstmStep(const BlockWork &work);
// With a relu of the result. x and the weights.
[[nodiscard]] std::vector<BlockPeer> torchRectifiedConvolution(const BlockWork &work, const ConvolutionSize &size);

// Absent when oneDNN was not there to build with.
[[nodiscard]] std::vector<BlockPeer> oneDnnRectifiedConvolution(const BlockWork &work, const ConvolutionSize &size);

} // namespace sw::benchmark
