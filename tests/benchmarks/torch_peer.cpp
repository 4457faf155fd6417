#include "tests/benchmarks/library_peers.h"

#ifdef STEPWELL_HAS_TORCH

#include "tests/benchmarks/torch_memory.h"
#include "tests/benchmarks/torch_threads.h"

#include <ATen/ATen.h>
#include <ATen/CPUFunctions.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <cmath>
#include <limits>
#include <memory>
#include <torch/csrc/api/include/torch/version.h>

namespace sw::benchmark {

namespace {

using Extents = std::vector<std::int64_t>;

// What a peer works on: made anew when it is called with other memory or on other threads, as making it takes longer than some of
// the operations.
struct Work {
    std::uint32_t threads = 0;
    std::vector<const float *> given; // the inputs
    std::vector<at::Tensor> tensors;  // views of them, and behind them what a peer prepares besides
    at::Tensor out;                   // a view of what the caller wants written
};

using Prepare = std::function<void(Work &)>;
using Compute = std::function<at::Tensor(Work &)>;

at::Tensor viewOf(const float *values, at::IntArrayRef extents)
{
    return at::from_blob(const_cast<float *>(values), extents, at::kFloat); // PyTorch writes to no input
}

Work workOn(const std::vector<HostTensor> &inputs, float *out, const Extents &result, std::uint32_t threads)
{
    Work made;
    made.threads = threads;
    made.given = floatsOf(inputs);
    const std::vector<Extents> extents = extentsOf(inputs);
    for (std::size_t i = 0; i < extents.size(); ++i)
        made.tensors.push_back(viewOf(made.given[i], extents[i]));
    made.out = viewOf(out, result);
    return made;
}

// Where PyTorch has no function that writes to memory of the caller, compute returns the result in PyTorch's own, which it keeps
// for the next one. The first call alone, which is not timed, copies it to where it is compared.
Peer peerOf(std::string name, const Extents &result, const Compute &compute, const Prepare &prepare)
{
    const auto work = std::make_shared<Work>();
    const auto call = [=](const std::vector<HostTensor> &inputs, float *out, std::uint32_t threads) {
        keepTorchMemory();
        const c10::InferenceMode withoutGradients;
        setTorchThreads(threads);
        const bool isFirst = work->threads != threads || work->out.data_ptr() != out || work->given != floatsOf(inputs);
        if (isFirst) {
            *work = workOn(inputs, out, result, threads);
            prepare(*work);
        }
        const at::Tensor made = compute(*work);
        if (isFirst && !made.is_same(work->out))
            work->out.copy_(made);
    };
    return {std::move(name), call};
}

void prepareNothing(Work &) {}

std::vector<Peer> peersOf(const Extents &result, const Compute &compute, const Prepare &prepare = prepareNothing)
{
    return {peerOf("PyTorch", result, compute, prepare)};
}

Extents extentsOf(std::size_t rows, std::size_t columns)
{
    return {static_cast<std::int64_t>(rows), static_cast<std::int64_t>(columns)};
}

Extents axesOf(Reduced reduced)
{
    switch (reduced) {
    case Reduced::All:
        return {0, 1};
    case Reduced::Rows:
        return {0};
    case Reduced::Columns:
        return {1};
    }
    return {};
}

Extents reducedExtents(std::size_t rows, std::size_t columns, Reduced reduced)
{
    if (reduced == Reduced::All)
        return {};
    return {static_cast<std::int64_t>(reduced == Reduced::Rows ? columns : rows)};
}

// "AVX512", from the line of PyTorch's own description.
std::string kernelsText()
{
    constexpr std::string_view kLine = "CPU capability usage: ";
    const std::string all = at::show_config();
    const std::size_t found = all.find(kLine);
    if (found == std::string::npos)
        return "unknown";
    const std::size_t begin = found + kLine.size();
    return all.substr(begin, all.find('\n', begin) - begin);
}

// One call, in which PyTorch 1.13 does the steps below for this processor, and some more.
Peer attentionInOneCall(const Extents &result, Mask mask)
{
    const auto compute = [mask](Work &work) {
        const bool isCausal = mask == Mask::Causal;
        return std::get<0>(
            at::_scaled_dot_product_attention(work.tensors[0], work.tensors[1], work.tensors[2], {}, 0.0, false, isCausal));
    };
    return peerOf("PyTorch", result, compute, prepareNothing);
}

// The scores are kept, as oneDNN's are, and the mask is what the first product is added to. On two threads the products are in
// the way of the softmax and it of them: OpenBLAS has threads of its own, and those of OpenMP wait for work by spinning.
Peer attentionInSteps(const Extents &result, Mask mask)
{
    enum : std::uint8_t { Query, Key, Value, Scores, Added };
    const auto prepare = [mask](Work &work) {
        const std::int64_t heads = work.tensors[Query].size(0);
        const std::int64_t rows = work.tensors[Query].size(1);
        work.tensors[Key] = work.tensors[Key].transpose(1, 2);
        work.tensors.push_back(at::empty({heads, rows, rows}));
        const auto hidden = -std::numeric_limits<float>::infinity();
        work.tensors.push_back(mask == Mask::Causal ? at::full({rows, rows}, hidden).triu(1) : work.tensors[Scores]);
    };
    const auto compute = [mask](Work &work) {
        at::Tensor &scores = work.tensors[Scores];
        const double scale = 1 / std::sqrt(static_cast<double>(work.tensors[Query].size(2)));
        at::baddbmm_out(scores, work.tensors[Added], work.tensors[Query], work.tensors[Key], mask == Mask::Causal ? 1 : 0, scale);
        at::_softmax_out(scores, scores, -1, false);
        return at::bmm_out(work.out, scores, work.tensors[Value]);
    };
    return peerOf("PyTorch in steps", result, compute, prepare);
}

} // namespace

std::string torchText()
{
    const auto word = [](bool has) { return std::string(has ? "yes" : "no"); };
    return "PyTorch " + std::string(TORCH_VERSION) + " (" + kernelsText() + " kernels, MKL " + word(at::hasMKL()) + ", oneDNN " +
           word(at::hasMKLDNN()) + ", OpenBLAS " + word(torchHasOpenBlas()) + ")";
}

std::vector<Peer> torchProduct(const ProductSize &size)
{
    if (size.columns > 1)
        return peersOf({size.rows, size.columns},
                       [](Work &work) { return at::mm_out(work.out, work.tensors[0], work.tensors[1]); });
    return peersOf(
        {size.rows}, [](Work &work) { return at::mv_out(work.out, work.tensors[0], work.tensors[1]); },
        [](Work &work) { work.tensors[1] = work.tensors[1].view({-1}); });
}

std::vector<Peer> torchLinear(const ProductSize &size)
{
    return peersOf(
        {size.rows, size.columns}, [](Work &work) { return at::mm_out(work.out, work.tensors[0], work.tensors[1]); },
        [](Work &work) { work.tensors[1] = work.tensors[1].t(); });
}

std::vector<Peer> torchConvolution(const ConvolutionSize &size)
{
    const Extents result{1, size.outputs, size.outputSize(), size.outputSize()};
    const auto compute = [size](Work &work) {
        return at::conv2d(work.tensors[0], work.tensors[1], {}, size.stride, size.padding, 1, size.groups);
    };
    const auto channelsInnermost = [](Work &work) {
        for (at::Tensor &tensor : work.tensors)
            tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
    };
    return {peerOf("PyTorch", result, compute, prepareNothing),
            peerOf("PyTorch, channels innermost", result, compute, channelsInnermost)};
}

std::vector<Peer> torchSoftmax(std::size_t rows, std::size_t columns)
{
    return peersOf(extentsOf(rows, columns), [](Work &work) { return at::_softmax_out(work.out, work.tensors[0], 1, false); });
}

std::vector<Peer> torchLogSoftmax(std::size_t rows, std::size_t columns)
{
    return peersOf(extentsOf(rows, columns),
                   [](Work &work) { return at::_log_softmax_out(work.out, work.tensors[0], 1, false); });
}

std::vector<Peer> torchGelu(std::size_t rows, std::size_t columns)
{
    return peersOf(extentsOf(rows, columns), [](Work &work) { return at::gelu_out(work.out, work.tensors[0]); });
}

std::vector<Peer> torchLayerNorm(std::size_t rows, std::size_t columns, double epsilon)
{
    return peersOf(extentsOf(rows, columns), [epsilon](Work &work) {
        return at::layer_norm(work.tensors[0], work.tensors[0].sizes().slice(1), {}, {}, epsilon);
    });
}

std::vector<Peer> torchSum(std::size_t rows, std::size_t columns, Reduced reduced)
{
    return peersOf(reducedExtents(rows, columns, reduced),
                   [axes = axesOf(reduced)](Work &work) { return at::sum(work.tensors[0], axes); });
}

std::vector<Peer> torchMaximum(std::size_t rows, std::size_t columns, Reduced reduced)
{
    return peersOf(reducedExtents(rows, columns, reduced),
                   [axes = axesOf(reduced)](Work &work) { return at::amax(work.tensors[0], axes); });
}

std::vector<Peer> torchVariance(std::size_t rows, std::size_t columns, Reduced reduced)
{
    constexpr bool kOfSample = false;
    return peersOf(reducedExtents(rows, columns, reduced), [reduced, axes = axesOf(reduced)](Work &work) {
        if (reduced == Reduced::All) // a function of its own, of which all axes by their numbers make no use
            return at::var(work.tensors[0], kOfSample);
        return at::var(work.tensors[0], axes, kOfSample);
    });
}

std::vector<Peer> torchArgmax(std::size_t rows, std::size_t columns, Reduced reduced)
{
    return peersOf(reducedExtents(rows, columns, reduced), [reduced, axes = axesOf(reduced)](Work &work) {
        if (reduced == Reduced::All)
            return at::argmax(work.tensors[0]);
        return at::argmax(work.tensors[0], axes.front());
    });
}

std::vector<Peer> torchAttention(std::int64_t heads, std::int64_t rows, std::int64_t width, Mask mask)
{
    const Extents result{heads, rows, width};
    return {attentionInOneCall(result, mask), attentionInSteps(result, mask)};
}

// The 1 is a tensor: PyTorch would make one of a number, in each call, which takes five times as long as the addition.
std::vector<Peer> torchIncrements(std::size_t elements, int times)
{
    const Extents result{static_cast<std::int64_t>(elements)};
    const auto prepare = [](Work &work) { work.tensors.push_back(at::scalar_tensor(1.0F)); };
    const auto compute = [times](Work &work) {
        for (int i = 0; i < times; ++i)
            at::add_out(work.out, work.tensors[0], work.tensors[1]);
        return work.out;
    };
    const auto computeDirectly = [times](Work &work) {
        for (int i = 0; i < times; ++i)
            at::cpu::add_out(work.out, work.tensors[0], work.tensors[1]);
        return work.out;
    };
    return {peerOf("PyTorch", result, compute, prepare),
            peerOf("PyTorch without its dispatcher", result, computeDirectly, prepare)};
}

} // namespace sw::benchmark

#else

namespace sw::benchmark {

std::string torchText()
{
    return "PyTorch is not here (package libtorch-dev)";
}

std::vector<Peer> torchProduct(const ProductSize &)
{
    return {};
}

std::vector<Peer> torchLinear(const ProductSize &)
{
    return {};
}

std::vector<Peer> torchConvolution(const ConvolutionSize &)
{
    return {};
}

std::vector<Peer> torchSoftmax(std::size_t, std::size_t)
{
    return {};
}

std::vector<Peer> torchLogSoftmax(std::size_t, std::size_t)
{
    return {};
}

std::vector<Peer> torchGelu(std::size_t, std::size_t)
{
    return {};
}

std::vector<Peer> torchLayerNorm(std::size_t, std::size_t, double)
{
    return {};
}

std::vector<Peer> torchSum(std::size_t, std::size_t, Reduced)
{
    return {};
}

std::vector<Peer> torchMaximum(std::size_t, std::size_t, Reduced)
{
    return {};
}

std::vector<Peer> torchVariance(std::size_t, std::size_t, Reduced)
{
    return {};
}

std::vector<Peer> torchArgmax(std::size_t, std::size_t, Reduced)
{
    return {};
}

std::vector<Peer> torchAttention(std::int64_t, std::int64_t, std::int64_t, Mask)
{
    return {};
}

std::vector<Peer> torchIncrements(std::size_t, int)
{
    return {};
}

} // namespace sw::benchmark

#endif
