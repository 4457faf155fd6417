#pragma once
// The libraries that kernels are measured against: OpenBLAS, oneDNN, Eigen and PyTorch, each with its best code for this
// processor. This header is C++17, as the headers of PyTorch 1.13 are: they have vectors of types that are not complete yet,
// which Clang does not take in C++20.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace sw {

class HostTensor;

} // namespace sw

namespace sw::benchmark {

// Writes a result over the same memory each time, as our program does. Inputs are f32, row after row.
using Computation = std::function<void(const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads)>;

struct Peer {
    std::string name;
    Computation run;
};

struct ProductSize {
    std::int64_t rows = 0;
    std::int64_t depth = 0;
    std::int64_t columns = 0;
};

// Of one image of `channels` x `size` x `size` by a square window, without a bias.
struct ConvolutionSize {
    std::int64_t channels = 0;
    std::int64_t size = 0;
    std::int64_t outputs = 0;
    std::int64_t window = 0;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t groups = 1;

    [[nodiscard]] std::int64_t outputSize() const { return (size + 2 * padding - window) / stride + 1; }
};

[[nodiscard]] const float *floatsOf(const HostTensor &tensor);
[[nodiscard]] std::vector<const float *> floatsOf(const std::vector<HostTensor> &tensors);
[[nodiscard]] std::vector<std::vector<std::int64_t>> extentsOf(const std::vector<HostTensor> &tensors);

// "OpenBLAS 0.3.21 (SkylakeX kernels)": the version, and the kernels that it chose for this processor.
[[nodiscard]] std::string openBlasText();
[[nodiscard]] Peer openBlasProduct(const ProductSize &size);
[[nodiscard]] Peer openBlasLinear(const ProductSize &size); // by the second matrix transposed

// Absent when it was not there to build with. "Eigen 3.4.0 (compiled for AVX512, ...)": it chooses its code when it is compiled.
[[nodiscard]] std::string eigenText();
[[nodiscard]] std::vector<Peer> eigenProduct(const ProductSize &size);
[[nodiscard]] std::vector<Peer> eigenLinear(const ProductSize &size); // by the second matrix transposed

// Absent when it was not there to build with.
[[nodiscard]] std::string oneDnnText();
[[nodiscard]] std::vector<Peer> oneDnnProduct(const ProductSize &size);
[[nodiscard]] std::vector<Peer> oneDnnLinear(const ProductSize &size);
// In the layout of the inputs, and in the one that oneDNN likes best, into which the inputs are brought before any time is taken.
[[nodiscard]] std::vector<Peer> oneDnnConvolution(const ConvolutionSize &size);
[[nodiscard]] std::vector<Peer> oneDnnSoftmax(std::size_t rows, std::size_t columns); // along the columns
[[nodiscard]] std::vector<Peer> oneDnnGelu(std::size_t elements);                     // 0.5 x (1 + erf(x / sqrt(2)))
[[nodiscard]] std::vector<Peer> oneDnnLayerNorm(std::size_t rows, std::size_t columns, float epsilon);

enum class Reduced : std::uint8_t { All, Rows, Columns };
[[nodiscard]] std::vector<Peer> oneDnnReduction(std::size_t rows, std::size_t columns, Reduced reduced, bool isMaximum);

// Absent when it was not there to build with. "PyTorch 1.13.0 (AVX512 kernels, MKL no, oneDNN yes, OpenBLAS yes)"
[[nodiscard]] std::string torchText();
[[nodiscard]] std::vector<Peer> torchProduct(const ProductSize &size); // of a matrix and a vector, if there is one column
[[nodiscard]] std::vector<Peer> torchLinear(const ProductSize &size);
// In the layout of the inputs, and with the channels innermost, which the inputs are brought into before any time is taken.
[[nodiscard]] std::vector<Peer> torchConvolution(const ConvolutionSize &size);
[[nodiscard]] std::vector<Peer> torchSoftmax(std::size_t rows, std::size_t columns);
[[nodiscard]] std::vector<Peer> torchLogSoftmax(std::size_t rows, std::size_t columns);
[[nodiscard]] std::vector<Peer> torchGelu(std::size_t rows, std::size_t columns);
[[nodiscard]] std::vector<Peer> torchLayerNorm(std::size_t rows, std::size_t columns, double epsilon);
[[nodiscard]] std::vector<Peer> torchSum(std::size_t rows, std::size_t columns, Reduced reduced);
[[nodiscard]] std::vector<Peer> torchMaximum(std::size_t rows, std::size_t columns, Reduced reduced);
[[nodiscard]] std::vector<Peer> torchVariance(std::size_t rows, std::size_t columns, Reduced reduced); // of a population
[[nodiscard]] std::vector<Peer> torchArgmax(std::size_t rows, std::size_t columns, Reduced reduced);

enum class Mask : std::uint8_t { No, Causal };
// Of inputs of [heads, rows, width]: in one call, and as two products with a softmax between them.
[[nodiscard]] std::vector<Peer> torchAttention(std::int64_t heads, std::int64_t rows, std::int64_t width, Mask mask);

// x + 1, so many times in one call.
[[nodiscard]] std::vector<Peer> torchIncrements(std::size_t elements, int times);

} // namespace sw::benchmark
