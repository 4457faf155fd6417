// The counter-based random nodes.

#include "engine/graph/evaluate_node.h"
#include "engine/types/random_bits.h"

#include <cstring>

namespace sw {

namespace {

template <std::size_t Words>
std::array<std::uint32_t, Words> wordsAt(const HostTensor &tensor, std::int64_t group)
{
    std::array<std::uint32_t, Words> words{};
    std::memcpy(words.data(), tensor.bytes().data() + static_cast<std::size_t>(group) * sizeof(words), sizeof(words));
    return words;
}

template <std::size_t Words>
void setWords(std::span<std::byte> bytes, std::int64_t group, const std::array<std::uint32_t, Words> &words)
{
    std::memcpy(bytes.data() + static_cast<std::size_t>(group) * sizeof(words), words.data(), sizeof(words));
}

} // namespace

HostTensor evaluateThreefry(const Node &node, std::span<const HostTensor> inputs)
{
    const auto &attributes = attributesOf<ThreefryAttributes>(node);
    const HostTensor &key = inputs[0];
    const HostTensor &counter = inputs[1];
    HostTensor out(node.dtype, node.shape);
    const std::span<std::byte> bytes = out.mutableBytes();
    if (attributes.variant == ThreefryVariant::TwoByThirtyTwo) {
        for (std::int64_t i = 0; i < out.elements() / 2; ++i)
            setWords(bytes, i, threefry2x32(wordsAt<2>(key, i), wordsAt<2>(counter, i)));
        return out;
    }
    for (std::int64_t i = 0; i < out.elements(); ++i)
        setWords(bytes, i, threefry4x32(attributes.variant, attributes.stream, wordsAt<4>(key, i), wordsAt<4>(counter, i)));
    return out;
}

HostTensor evaluateUniform(const Node &node, const HostTensor &input)
{
    const bool isVector = attributesOf<UniformAttributes>(node).form == UniformForm::Vector;
    const std::uint32_t width = bytesOf(node.dtype);
    const std::size_t lanes = isVector ? bytesOf(DType::U32x4) / width : 1;
    HostTensor out(node.dtype, node.shape);
    for (std::int64_t i = 0; i < out.elements(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::size_t begin = at / lanes * bytesOf(DType::U32x4) + at % lanes * width;
        std::uint64_t bits = 0;
        std::memcpy(&bits, input.bytes().data() + begin, width);
        out.set(i, uniformOf(node.dtype, bits));
    }
    return out;
}

} // namespace sw
