#pragma once
// The ways in which PyTorch convolves images with weights that are known before.

#include "tests/benchmarks/library_peers.h"

#include <ATen/core/Tensor.h>
#include <functional>
#include <vector>

namespace sw::benchmark {

enum class AfterConvolution : std::uint8_t { Nothing, Relu };

struct TorchConvolution {
    ConvolutionSize size;
    AfterConvolution after = AfterConvolution::Nothing;
};

using Convolve = std::function<at::Tensor(const at::Tensor &image)>;

struct TorchConvolutionWay {
    const char *name = "";
    bool isOpaque = false; // its images are in a layout of oneDNN, for which PyTorch has no clamp
    at::Tensor (*imageOf)(const at::Tensor &image) = nullptr; // in the layout that it likes
    Convolve (*prepare)(const at::Tensor &weights, const TorchConvolution &wanted) = nullptr;
};

[[nodiscard]] const std::vector<TorchConvolutionWay> &torchConvolutionWays();

} // namespace sw::benchmark
