#pragma once
// Formulas on the words of u32x4 tensors. The words are held in u32 tensors whose last axis selects the word.

#include "engine/passes/graph/word_nodes.h"
#include "engine/types/random_bits.h"

#include <array>

namespace sw {

inline constexpr std::int64_t kWordsPerCell = 4;

// The shape with one more axis at its end.
[[nodiscard]] Shape withLastAxis(const Shape &shape, std::int64_t extent);

// Makes nodes that all have one origin.
class CellWords {
public:
    CellWords(GraphBuilder &builder, const Origin &origin) : m_builder(builder), m_origin(origin) {}

    // Split a tensor [.., 4] into four tensors [.., 1], and join them again.
    Result<std::array<WordNode, 4>> split(WordNodes &nodes, NodeId words);
    Result<NodeId> join(const std::array<WordNode, 4> &words);

    Result<NodeId> threefry(ThreefryVariant variant, RandomStream stream, NodeId key, NodeId counter);
    // The conversions of Scalar::castTo, to the words of cells and back.
    Result<NodeId> spread(NodeId value);
    Result<NodeId> gathered(NodeId words, DType goal);
    // Like uniformOf: words [.., n, 4] give [.., n * lanes] numbers, or the first lane of each cell.
    Result<NodeId> uniform(NodeId words, DType goal, UniformForm form, const Shape &shape);

private:
    Result<NodeId> lane(NodeId id, std::int64_t begin, std::int64_t end); // a range of the last axis
    Result<NodeId> withConstant(Op op, NodeId id, std::uint64_t constant);
    Result<NodeId> wide(NodeId low, NodeId high);             // a u64 from two u32
    Result<NodeId> lanesOf(NodeId words, std::uint32_t bits); // [.., lanes] of unsigned integers of this width
    Result<NodeId> numbersOf(NodeId lanes, DType goal);

    GraphBuilder &m_builder;
    const Origin &m_origin;
};

} // namespace sw
