#include "tests/benchmarks/block_cases.h"

#include "engine/base/text.h"

#include <cmath>
#include <utility>

namespace sw::benchmark {

namespace {

BlockTensor input(std::string name, Shape shape)
{
    return {std::move(name), std::move(shape)};
}

// Keep the variance of what they are multiplied with, so that no value gets so small that arithmetic slows down.
BlockTensor weights(std::string name, Shape shape, std::int64_t fanIn)
{
    return {std::move(name), std::move(shape), true, std::sqrt(3 / static_cast<double>(fanIn))};
}

// The same where relu takes half of the values away (He et al. 2015).
BlockTensor rectified(std::string name, Shape shape)
{
    const std::int64_t fanIn = shape[1] * shape[2] * shape[3];
    return {std::move(name), std::move(shape), true, std::sqrt(6 / static_cast<double>(fanIn))};
}

BlockCase gpt()
{
    constexpr std::int64_t kPlaces = 256;
    constexpr std::int64_t kWidth = 512;
    constexpr std::int64_t kHeads = 8;
    BlockCase block{.name = "gpt", .tensors = {input("x", {kPlaces, kWidth})}, .body = {}, .peers = {}};
    for (const char *name : {"wq", "wk", "wv", "wo"})
        block.tensors.push_back(weights(name, {kWidth, kWidth}, kWidth));
    block.tensors.push_back(weights("w1", {kWidth, 4 * kWidth}, kWidth));
    block.tensors.push_back(weights("w2", {4 * kWidth, kWidth}, 4 * kWidth));
    block.body = format("h = x + multi_head_attention(layer_norm(x), wq, wk, wv, wo, heads = {}, causal = true)\n"
                        "output y = h + gelu(layer_norm(h) @ w1) @ w2\n",
                        kHeads);
    block.peers = [](const BlockWork &work) { return torchGptBlock(work, kHeads); };
    return block;
}

BlockCase mobileNet()
{
    constexpr std::int64_t kChannels = 64;
    constexpr std::int64_t kWide = 384;
    constexpr std::int64_t kSide = 56;
    return {.name = "mobilenet",
            .tensors = {input("x", {1, kChannels, kSide, kSide}), rectified("w1", {kWide, kChannels, 1, 1}),
                        rectified("w2", {kWide, 1, 3, 3}), weights("w3", {kChannels, kWide, 1, 1}, kWide)},
            .body = format("a = clamp(conv2d(x, w1), 0.0, 6.0)\n"
                           "b = clamp(conv2d(a, w2, padding = 1, groups = {}), 0.0, 6.0)\n"
                           "output y = x + conv2d(b, w3)\n",
                           kWide),
            .peers = torchMobileNetBlock};
}

BlockCase lstm()
{
    constexpr std::int64_t kUnits = 512;
    constexpr std::int64_t kGates = 4 * kUnits;
    return {.name = "lstm",
            .tensors = {input("x", {1, kUnits}), input("h", {1, kUnits}), input("c", {1, kUnits}),
                        weights("wx", {kUnits, kGates}, kUnits), weights("wh", {kUnits, kGates}, kUnits),
                        weights("b", {kGates}, kUnits)},
            .body = "i, f, g, o = split(x @ wx + h @ wh + b, 4, axis = 1)\n"
                    "next = sigmoid(f) * c + sigmoid(i) * tanh(g)\n"
                    "output next_h = sigmoid(o) * tanh(next)\n"
                    "output next_c = next\n",
            .peers = torchLstmStep};
}

// "conv3x3_64x56_64": the window, the channels of an image of 56 x 56, and those of the result.
BlockCase convolution(const ConvolutionSize &size)
{
    const auto peers = [size](const BlockWork &work) {
        std::vector<BlockPeer> all = torchRectifiedConvolution(work, size);
        for (BlockPeer &peer : oneDnnRectifiedConvolution(work, size))
            all.push_back(std::move(peer));
        return all;
    };
    return {.name = format("conv{}x{}_{}x{}_{}", size.window, size.window, size.channels, size.size, size.outputs),
            .tensors = {input("x", {1, size.channels, size.size, size.size}),
                        rectified("w", {size.outputs, size.channels / size.groups, size.window, size.window})},
            .body = format("output y = relu(conv2d(x, w, stride = {}, padding = {}, groups = {}))\n", size.stride, size.padding,
                           size.groups),
            .peers = peers};
}

} // namespace

std::vector<BlockCase> blockCases()
{
    std::vector<BlockCase> blocks{gpt(), mobileNet(), lstm()};
    for (const ConvolutionSize &size : {ConvolutionSize{.channels = 64, .size = 56, .outputs = 64, .window = 3, .padding = 1},
                                        ConvolutionSize{.channels = 64, .size = 56, .outputs = 256, .window = 1},
                                        ConvolutionSize{.channels = 256, .size = 56, .outputs = 64, .window = 1},
                                        ConvolutionSize{.channels = 128, .size = 28, .outputs = 128, .window = 3, .padding = 1},
                                        ConvolutionSize{.channels = 256, .size = 14, .outputs = 256, .window = 3, .padding = 1},
                                        ConvolutionSize{.channels = 512, .size = 7, .outputs = 512, .window = 3, .padding = 1}})
        blocks.push_back(convolution(size));
    return blocks;
}

std::string programOf(const BlockCase &block, DType dtype)
{
    std::string text;
    for (const BlockTensor &tensor : block.tensors)
        text +=
            format("{} {}: {}[{}]\n", tensor.isWeight ? "param" : "input", tensor.name, nameOf(dtype), join(tensor.shape, ", "));
    return text + block.body;
}

} // namespace sw::benchmark
