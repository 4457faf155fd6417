#pragma once
// Convolutions by oneDNN, in the layout of the inputs and in the one that it likes best.

#include "tests/benchmarks/library_peers.h"

#include <dnnl.hpp>
#include <unordered_map>

namespace sw::benchmark {

enum class ConvolutionLayout : std::uint8_t { Plain, Any };

struct WantedConvolution {
    ConvolutionSize size;
    dnnl::memory::data_type type = dnnl::memory::data_type::f32; // of the image, the weights and the result
    bool isRectified = false;                                    // relu of the result
};

struct OneDnnConvolution {
    dnnl::memory::desc source;
    dnnl::memory::desc weights;
    dnnl::memory::desc result;
    dnnl::convolution_forward::primitive_desc primitive;
};

[[nodiscard]] OneDnnConvolution convolutionOf(const WantedConvolution &wanted, const dnnl::engine &engine,
                                              ConvolutionLayout layout);

// A convolution of tensors in the layout that oneDNN chooses. Making it brings the inputs, which lie row after row, into that
// layout.
class BlockedConvolution {
public:
    BlockedConvolution(const WantedConvolution &wanted, const void *source, const void *weights);

    void run();
    void writeResult(float *out); // of the last run, row after row

private:
    dnnl::engine m_engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream m_stream{m_engine};
    dnnl::primitive m_primitive;
    dnnl::memory m_result;
    std::unordered_map<int, dnnl::memory> m_arguments;
};

} // namespace sw::benchmark
