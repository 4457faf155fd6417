#include "tests/benchmarks/library_peers.h"

#ifdef STEPWELL_HAS_ONEDNN

#include "engine/base/text.h"
#include "engine/types/host_tensor.h"
#include "tests/benchmarks/one_dnn_convolution.h"
#include "tests/benchmarks/peer_threads.h"

#include <dnnl.hpp>
#include <map>
#include <memory>

namespace sw::benchmark {

namespace {

using dnnl::memory;

constexpr auto kFloat = memory::data_type::f32;

// Made once: oneDNN generates its code when the primitive is made, not when it runs.
struct Operation {
    dnnl::engine engine{dnnl::engine::kind::cpu, 0};
    dnnl::stream stream{engine};
    dnnl::primitive primitive;
    std::vector<std::pair<int, memory>> arguments; // in the order of the inputs, the output last
};

void run(Operation &operation, const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads)
{
    setPeerThreads(threads);
    std::unordered_map<int, memory> arguments;
    for (std::size_t i = 0; i < operation.arguments.size(); ++i) {
        auto &[name, place] = operation.arguments[i];
        const bool isOutput = i + 1 == operation.arguments.size();
        // oneDNN takes inputs as plain pointers too, and does not write to them.
        place.set_data_handle(isOutput ? static_cast<void *>(out) : const_cast<float *>(floatsOf(inputs[i])));
        arguments.emplace(name, place);
    }
    operation.primitive.execute(operation.stream, arguments);
    operation.stream.wait();
}

memory::desc rowMajor(const memory::dims &dims)
{
    return {dims, kFloat, dims.size() == 1 ? memory::format_tag::a : memory::format_tag::ab};
}

memory placeFor(const Operation &operation, const memory::desc &layout)
{
    return {layout, operation.engine, nullptr};
}

// The number of threads at its making decides how oneDNN splits the work: an operation for each.
std::vector<Peer> peerOf(const std::function<void(Operation &)> &make)
{
    const auto made = std::make_shared<std::vector<std::unique_ptr<Operation>>>();
    const auto call = [make, made](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        if (made->size() <= threads)
            made->resize(threads + 1);
        std::unique_ptr<Operation> &operation = (*made)[threads];
        if (operation == nullptr) {
            setPeerThreads(threads);
            operation = std::make_unique<Operation>();
            make(*operation);
        }
        run(*operation, inputs, out, threads);
    };
    return {{"oneDNN", call}};
}

void makeRowWise(Operation &operation, const dnnl::primitive &primitive, const memory::desc &layout)
{
    operation.primitive = primitive;
    operation.arguments = {{DNNL_ARG_SRC, placeFor(operation, layout)}, {DNNL_ARG_DST, placeFor(operation, layout)}};
}

std::string nameOf(dnnl::cpu_isa instructions)
{
    switch (instructions) {
    case dnnl::cpu_isa::avx512_core_amx:
        return "AVX-512 and AMX";
    case dnnl::cpu_isa::avx512_core_bf16:
    case dnnl::cpu_isa::avx512_core_vnni:
    case dnnl::cpu_isa::avx512_core:
        return "AVX-512";
    case dnnl::cpu_isa::avx2_vnni:
    case dnnl::cpu_isa::avx2:
        return "AVX2";
    case dnnl::cpu_isa::avx512_mic:
    case dnnl::cpu_isa::avx512_mic_4ops:
    case dnnl::cpu_isa::avx:
    case dnnl::cpu_isa::sse41:
    case dnnl::cpu_isa::all:
        break;
    }
    return format("instruction set {:#x}", static_cast<unsigned>(instructions));
}

memory::dims dimsOf(std::size_t rows, std::size_t columns)
{
    return {static_cast<memory::dim>(rows), static_cast<memory::dim>(columns)};
}

// second: the layout of the second matrix.
std::vector<Peer> productOf(const ProductSize &size, memory::format_tag second)
{
    return peerOf([size, second](Operation &operation) {
        const memory::desc a = rowMajor({size.rows, size.depth});
        const memory::desc b({size.depth, size.columns}, kFloat, second);
        const memory::desc c = rowMajor({size.rows, size.columns});
        operation.primitive = dnnl::matmul({dnnl::matmul::desc(a, b, c), operation.engine});
        operation.arguments = {{DNNL_ARG_SRC, placeFor(operation, a)},
                               {DNNL_ARG_WEIGHTS, placeFor(operation, b)},
                               {DNNL_ARG_DST, placeFor(operation, c)}};
    });
}

} // namespace

std::string oneDnnText()
{
    const dnnl_version_t *version = dnnl_version();
    return format("oneDNN {}.{}.{} ({} kernels)", version->major, version->minor, version->patch,
                  nameOf(dnnl::get_effective_cpu_isa()));
}

std::vector<Peer> oneDnnProduct(const ProductSize &size)
{
    return productOf(size, memory::format_tag::ab);
}

std::vector<Peer> oneDnnLinear(const ProductSize &size)
{
    return productOf(size, memory::format_tag::ba);
}

std::vector<Peer> oneDnnConvolution(const ConvolutionSize &size)
{
    const WantedConvolution wanted{.size = size};
    Peer plain = peerOf([wanted](Operation &operation) {
                     const OneDnnConvolution made = convolutionOf(wanted, operation.engine, ConvolutionLayout::Plain);
                     operation.primitive = dnnl::convolution_forward(made.primitive);
                     operation.arguments = {{DNNL_ARG_SRC, placeFor(operation, made.source)},
                                            {DNNL_ARG_WEIGHTS, placeFor(operation, made.weights)},
                                            {DNNL_ARG_DST, placeFor(operation, made.result)}};
                 }).front();
    const auto blocked = std::make_shared<std::map<std::uint32_t, BlockedConvolution>>();
    const auto call = [wanted, blocked](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        setPeerThreads(threads);
        auto known = blocked->find(threads);
        const bool isFirst = known == blocked->end();
        if (isFirst)
            known = blocked->emplace(threads, BlockedConvolution(wanted, floatsOf(inputs[0]), floatsOf(inputs[1]))).first;
        known->second.run();
        if (isFirst)
            known->second.writeResult(out);
    };
    return {plain, {"blocked", call}};
}

std::vector<Peer> oneDnnSoftmax(std::size_t rows, std::size_t columns)
{
    return peerOf([=](Operation &operation) {
        const memory::desc layout = rowMajor(dimsOf(rows, columns));
        const dnnl::softmax_forward::desc wanted(dnnl::prop_kind::forward_inference, layout, 1);
        makeRowWise(operation, dnnl::softmax_forward({wanted, operation.engine}), layout);
    });
}

std::vector<Peer> oneDnnGelu(std::size_t elements)
{
    return peerOf([=](Operation &operation) {
        const memory::desc layout = rowMajor({static_cast<memory::dim>(elements)});
        const dnnl::eltwise_forward::desc wanted(dnnl::prop_kind::forward_inference, dnnl::algorithm::eltwise_gelu_erf, layout);
        makeRowWise(operation, dnnl::eltwise_forward({wanted, operation.engine}), layout);
    });
}

std::vector<Peer> oneDnnLayerNorm(std::size_t rows, std::size_t columns, float epsilon)
{
    return peerOf([=](Operation &operation) {
        const memory::desc layout = rowMajor(dimsOf(rows, columns));
        const dnnl::layer_normalization_forward::desc wanted(dnnl::prop_kind::forward_inference, layout, epsilon,
                                                             dnnl::normalization_flags::none);
        makeRowWise(operation, dnnl::layer_normalization_forward({wanted, operation.engine}), layout);
    });
}

std::vector<Peer> oneDnnReduction(std::size_t rows, std::size_t columns, Reduced reduced, bool isMaximum)
{
    return peerOf([=](Operation &operation) {
        const memory::desc source = rowMajor(dimsOf(rows, columns));
        const memory::desc result =
            rowMajor(dimsOf(reduced == Reduced::Columns ? rows : 1, reduced == Reduced::Rows ? columns : 1));
        const dnnl::reduction::desc wanted(isMaximum ? dnnl::algorithm::reduction_max : dnnl::algorithm::reduction_sum, source,
                                           result, 0, 0);
        operation.primitive = dnnl::reduction({wanted, operation.engine});
        operation.arguments = {{DNNL_ARG_SRC, placeFor(operation, source)}, {DNNL_ARG_DST, placeFor(operation, result)}};
    });
}

} // namespace sw::benchmark

#else

namespace sw::benchmark {

std::string oneDnnText()
{
    return "oneDNN is not here (package libdnnl-dev)";
}

std::vector<Peer> oneDnnProduct(const ProductSize &)
{
    return {};
}

std::vector<Peer> oneDnnConvolution(const ConvolutionSize &)
{
    return {};
}

std::vector<Peer> oneDnnSoftmax(std::size_t, std::size_t)
{
    return {};
}

std::vector<Peer> oneDnnGelu(std::size_t)
{
    return {};
}

std::vector<Peer> oneDnnLayerNorm(std::size_t, std::size_t, float)
{
    return {};
}

std::vector<Peer> oneDnnLinear(const ProductSize &)
{
    return {};
}

std::vector<Peer> oneDnnReduction(std::size_t, std::size_t, Reduced, bool)
{
    return {};
}

} // namespace sw::benchmark

#endif
