#include "tests/benchmarks/block_peers.h"

#ifdef STEPWELL_HAS_ONEDNN

#include "tests/benchmarks/one_dnn_convolution.h"
#include "tests/benchmarks/peer_threads.h"

#include <memory>

namespace sw::benchmark {

namespace {

dnnl::memory::data_type typeOf(Precision precision)
{
    switch (precision) {
    case Precision::F32:
        return dnnl::memory::data_type::f32;
    case Precision::BF16:
        return dnnl::memory::data_type::bf16;
    }
    return dnnl::memory::data_type::undef;
}

} // namespace

std::vector<BlockPeer> oneDnnRectifiedConvolution(const BlockWork &work, const ConvolutionSize &size)
{
    const WantedConvolution wanted{.size = size, .type = typeOf(work.precision), .isRectified = true};
    const std::uint32_t threads = work.threads;
    BlockPeer peer;
    peer.name = "oneDNN blocked";
    try {
        setPeerThreads(threads); // decides how it splits the work
        const auto made = std::make_shared<BlockedConvolution>(wanted, work.tensors[0].values, work.tensors[1].values);
        peer.run = [made, threads] {
            setPeerThreads(threads);
            made->run();
        };
        const auto elements = static_cast<std::size_t>(size.outputs * size.outputSize() * size.outputSize());
        peer.results = [made, elements] {
            std::vector<std::vector<float>> results{std::vector<float>(elements)};
            made->writeResult(results.front().data());
            return results;
        };
    } catch (const dnnl::error &error) { // this processor has no bf16
        peer.refusal = error.what();
    }
    return {peer};
}

} // namespace sw::benchmark

#else

namespace sw::benchmark {

std::vector<BlockPeer> oneDnnRectifiedConvolution(const BlockWork &, const ConvolutionSize &)
{
    return {};
}

} // namespace sw::benchmark

#endif
