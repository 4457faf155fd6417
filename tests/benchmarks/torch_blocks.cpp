#include "tests/benchmarks/block_peers.h"

#ifdef STEPWELL_HAS_TORCH

#include "tests/benchmarks/torch_convolutions.h"
#include "tests/benchmarks/torch_memory.h"
#include "tests/benchmarks/torch_threads.h"

#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <cmath>
#include <exception>
#include <limits>
#include <memory>

namespace sw::benchmark {

namespace {

using Tensors = std::vector<at::Tensor>;
using Compute = std::function<Tensors()>;

Tensors tensorsOf(const BlockWork &work)
{
    const auto type = work.precision == Precision::BF16 ? at::kBFloat16 : at::kFloat;
    Tensors tensors;
    for (const GivenTensor &given : work.tensors) // PyTorch writes to none of them
        tensors.push_back(at::from_blob(const_cast<void *>(given.values), given.extents, type));
    return tensors;
}

std::vector<float> floatsOf(const at::Tensor &tensor)
{
    const at::Tensor dense = (tensor.is_mkldnn() ? tensor.to_dense() : tensor).to(at::kFloat).contiguous();
    const auto *begin = dense.data_ptr<float>();
    return {begin, begin + dense.numel()};
}

std::string firstLine(const std::string &text)
{
    return text.substr(0, text.find('\n'));
}

// The results of a run take the memory of those of the one before.
BlockPeer peerOf(const std::string &name, std::uint32_t threads, const std::function<Compute()> &prepare)
{
    BlockPeer peer;
    peer.name = name;
    keepTorchMemory();
    const auto results = std::make_shared<Tensors>();
    try {
        Compute compute;
        {
            const c10::InferenceMode withoutGradients;
            setTorchThreads(threads);
            compute = prepare();
        }
        peer.run = [=] {
            const c10::InferenceMode withoutGradients;
            setTorchThreads(threads);
            results->clear();
            *results = compute();
        };
        peer.results = [=] {
            const c10::InferenceMode withoutGradients;
            std::vector<std::vector<float>> values;
            for (const at::Tensor &result : *results)
                values.push_back(floatsOf(result));
            return values;
        };
        peer.run();
    } catch (const std::exception &error) { // behind the first line is where it was thrown
        peer.refusal = firstLine(error.what());
    }
    return peer;
}

// ---- products with weights [in, out]

struct ProductWay {
    at::Tensor (*prepare)(const at::Tensor &weights);
    at::Tensor (*product)(const at::Tensor &x, const at::Tensor &prepared);
};

at::Tensor turned(const at::Tensor &weights)
{
    return weights.t().contiguous();
}

const ProductWay kLinear{turned, [](const at::Tensor &x, const at::Tensor &prepared) { return at::linear(x, prepared); }};

const ProductWay kAsGiven{[](const at::Tensor &weights) { return weights; },
                          [](const at::Tensor &x, const at::Tensor &prepared) { return at::mm(x, prepared); }};

// In f32, where PyTorch takes the product from its BLAS: the threads of OpenMP do all of the block.
const ProductWay kOneDnn{
    [](const at::Tensor &weights) { return turned(weights).to_mkldnn(); },
    [](const at::Tensor &x, const at::Tensor &prepared) { return at::mkldnn_linear(x.to_mkldnn(), prepared).to_dense(); }};

// ---- the block of a language model

enum class AttentionWay : std::uint8_t { Steps, OneCall };

struct GptWay {
    const char *name;
    const ProductWay &products;
    AttentionWay attention;
};

const GptWay kGptWays[] = {
    {"PyTorch", kLinear, AttentionWay::Steps},
    {"PyTorch, attention in one call", kLinear, AttentionWay::OneCall},
    {"PyTorch, weights as given", kAsGiven, AttentionWay::Steps},
    {"PyTorch, products of oneDNN", kOneDnn, AttentionWay::Steps},
};

class GptBlock {
public:
    GptBlock(const Tensors &given, std::int64_t heads, const GptWay &way) : m_way(way), m_x(given[X]), m_heads(heads)
    {
        const auto prepared = [&](const at::Tensor &weights) { return way.products.prepare(weights); };
        m_inward = prepared(at::cat({given[Query], given[Key], given[Value]}, 1));
        m_outward = prepared(given[Out]);
        m_widen = prepared(given[Widen]);
        m_narrow = prepared(given[Narrow]);
        const std::int64_t rows = m_x.size(0);
        m_hidden = at::full({rows, rows}, -std::numeric_limits<double>::infinity(), m_x.options()).triu(1);
    }

    [[nodiscard]] at::Tensor run() const
    {
        const at::Tensor attended = product(attention(product(normalized(m_x), m_inward)), m_outward).add_(m_x);
        at::Tensor wide = product(normalized(attended), m_widen);
        at::gelu_(wide);
        return product(wide, m_narrow).add_(attended);
    }

private:
    enum : std::uint8_t { X, Query, Key, Value, Out, Widen, Narrow };

    [[nodiscard]] at::Tensor product(const at::Tensor &x, const at::Tensor &prepared) const
    {
        return m_way.products.product(x, prepared);
    }
    [[nodiscard]] static at::Tensor normalized(const at::Tensor &x)
    {
        constexpr double kEpsilon = 1e-5;
        return at::layer_norm(x, x.sizes().slice(1), {}, {}, kEpsilon);
    }
    [[nodiscard]] at::Tensor attention(const at::Tensor &together) const
    {
        const std::int64_t rows = together.size(0);
        const std::int64_t width = together.size(1) / 3 / m_heads;
        const at::Tensor parts = together.view({rows, 3, m_heads, width}).permute({1, 2, 0, 3});
        const at::Tensor mixed = mean(parts.select(0, 0), parts.select(0, 1), parts.select(0, 2));
        return mixed.transpose(0, 1).reshape({rows, m_heads * width});
    }
    // Of inputs of [heads, rows, width].
    [[nodiscard]] at::Tensor mean(const at::Tensor &query, const at::Tensor &key, const at::Tensor &value) const
    {
        if (m_way.attention == AttentionWay::OneCall)
            return std::get<0>(at::_scaled_dot_product_attention(query, key, value, {}, 0.0, false, true));
        const double scale = 1 / std::sqrt(static_cast<double>(query.size(2)));
        const at::Tensor scores = at::baddbmm(m_hidden, query, key.transpose(1, 2), 1, scale);
        return at::bmm(at::softmax(scores, -1), value);
    }

    GptWay m_way;
    at::Tensor m_x, m_inward, m_outward, m_widen, m_narrow, m_hidden;
    std::int64_t m_heads;
};

// ---- a step of an LSTM

// x and h side by side, by weights [4 units, 2 units].
Compute lstmInOneProduct(const Tensors &given,
                         at::Tensor (*gatesOf)(const at::Tensor &bias, const at::Tensor &weights, const at::Tensor &x))
{
    const at::Tensor weights = turned(at::cat({given[3], given[4]}, 0));
    return [=] {
        const at::Tensor gates = gatesOf(given[5], weights, at::cat({given[0], given[1]}, 1)).view({4, -1});
        gates.narrow(0, 0, 2).sigmoid_();
        const at::Tensor next = at::mul(gates.select(0, 1), given[2]);
        next.addcmul_(gates.select(0, 0), gates.select(0, 2).tanh_());
        return Tensors{at::mul(gates.select(0, 3).sigmoid_(), at::tanh(next)), next};
    };
}

Compute lstmCell(const Tensors &given)
{
    const at::Tensor ofInput = turned(given[3]);
    const at::Tensor ofState = turned(given[4]);
    return [=] {
        const auto [h, c] = at::lstm_cell(given[0], {given[1], given[2]}, ofInput, ofState, given[5], {});
        return Tensors{h, c};
    };
}

} // namespace

std::vector<BlockPeer> torchGptBlock(const BlockWork &work, std::int64_t heads)
{
    std::vector<BlockPeer> peers;
    for (const GptWay &way : kGptWays)
        peers.push_back(peerOf(way.name, work.threads, [&] {
            const auto block = std::make_shared<GptBlock>(tensorsOf(work), heads, way);
            return [block] { return Tensors{block->run()}; };
        }));
    return peers;
}

std::vector<BlockPeer> torchMobileNetBlock(const BlockWork &work)
{
    const std::vector<std::int64_t> &image = work.tensors[0].extents;
    const std::int64_t wide = work.tensors[1].extents[0];
    const ConvolutionSize widening{image[1], image[2], wide, 1};
    const ConvolutionSize byChannel{wide, image[2], wide, 3, 1, 1, wide};
    const ConvolutionSize narrowing{wide, image[2], image[1], 1};
    std::vector<BlockPeer> peers;
    for (const TorchConvolutionWay &way : torchConvolutionWays())
        if (!way.isOpaque)
            peers.push_back(peerOf(way.name, work.threads, [&] {
                const Tensors given = tensorsOf(work);
                const at::Tensor x = way.imageOf(given[0]);
                const Convolve widen = way.prepare(given[1], {widening});
                const Convolve mix = way.prepare(given[2], {byChannel});
                const Convolve narrow = way.prepare(given[3], {narrowing});
                return [=] {
                    const at::Tensor mixed = mix(widen(x).clamp_(0, 6)).clamp_(0, 6);
                    return Tensors{narrow(mixed).add_(x)};
                };
            }));
    return peers;
}

std::vector<BlockPeer> torchLstmStep(const BlockWork &work)
{
    const auto byMatrix = [](const at::Tensor &bias, const at::Tensor &weights, const at::Tensor &x) {
        return at::linear(x, weights, bias);
    };
    const auto byVector = [](const at::Tensor &bias, const at::Tensor &weights, const at::Tensor &x) {
        return at::addmv(bias, weights, x.view({-1}));
    };
    return {peerOf("PyTorch", work.threads, [&] { return lstmCell(tensorsOf(work)); }),
            peerOf("PyTorch, one product", work.threads, [&] { return lstmInOneProduct(tensorsOf(work), byMatrix); }),
            peerOf("PyTorch, matrix and vector", work.threads, [&] { return lstmInOneProduct(tensorsOf(work), byVector); })};
}

std::vector<BlockPeer> torchRectifiedConvolution(const BlockWork &work, const ConvolutionSize &size)
{
    std::vector<BlockPeer> peers;
    for (const TorchConvolutionWay &way : torchConvolutionWays())
        peers.push_back(peerOf(way.name, work.threads, [&] {
            const Tensors given = tensorsOf(work);
            const at::Tensor x = way.imageOf(given[0]);
            const Convolve convolve = way.prepare(given[1], {size, AfterConvolution::Relu});
            return [=] { return Tensors{convolve(x)}; };
        }));
    return peers;
}

} // namespace sw::benchmark

#else

namespace sw::benchmark {

std::vector<BlockPeer> torchGptBlock(const BlockWork &, std::int64_t)
{
    return {};
}

std::vector<BlockPeer> torchMobileNetBlock(const BlockWork &)
{
    return {};
}

std::vector<BlockPeer> torchLstmStep(const BlockWork &)
{
    return {};
}

std::vector<BlockPeer> torchRectifiedConvolution(const BlockWork &, const ConvolutionSize &)
{
    return {};
}

} // namespace sw::benchmark

#endif
