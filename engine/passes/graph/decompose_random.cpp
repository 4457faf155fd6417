// The rule for threefry 2x32, whose words are u32 elements. split_words rewrites the generators of u32x4.

#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/word_nodes.h"

#include <array>

namespace sw {

namespace {

Result<Shape> withLastExtent(const Shape &shape, std::int64_t extent)
{
    std::vector<SymbolicExpr> extents = shape.symbolicExtents();
    extents.back() = SymbolicExpr(extent);
    return Shape::checkedSymbolic(std::move(extents));
}

// The two words of each pair, with a last axis of 1.
Result<std::array<WordNode, 2>> wordsOf(RewriteContext &context, WordNodes &nodes, NodeId pairs)
{
    SW_TRY(const NodeId words, context.builder().bitcast(context.origin(), pairs, DType::U32));
    const Shape shape = context.builder().node(words).shape;
    SW_TRY(const Shape taken, withLastExtent(shape, 1));
    std::array<WordNode, 2> out;
    for (std::int64_t word = 0; word < 2; ++word) {
        ShrinkAttributes range{std::vector<std::int64_t>(shape.rank(), 0), std::vector<std::int64_t>(shape.begin(), shape.end())};
        range.begin.back() = word;
        range.end.back() = word + 1;
        SW_TRY(const NodeId lane, context.builder().shrink(context.origin(), words, std::move(range), taken));
        out.at(static_cast<std::size_t>(word)) = nodes.word(lane);
    }
    return out;
}

bool isThreefryOfPairs(const Node &node)
{
    const auto *attributes = std::get_if<ThreefryAttributes>(&node.attributes);
    return attributes != nullptr && attributes->variant == ThreefryVariant::TwoByThirtyTwo;
}

Replacement threefryPairs(RewriteContext &context)
{
    const Node &node = context.node();
    SW_TRY(const Shape lane, withLastExtent(node.shape, 1));
    WordNodes nodes(context.builder(), context.origin(), lane);
    SW_TRY(const auto key, wordsOf(context, nodes, context.inputId(0)));
    SW_TRY(const auto counter, wordsOf(context, nodes, context.inputId(1)));
    const std::array<WordNode, 2> words = threefry2x32(key, counter);
    const std::array lanes{words[0].id, words[1].id};
    SW_TRY(const NodeId joined, context.builder().cat(context.origin(), lanes, node.shape.rank() - 1));
    SW_TRY(const NodeId result, context.builder().bitcast(context.origin(), joined, node.dtype));
    return std::optional(result);
}

constexpr std::array kRules = {
    GraphRule{"threefry-2x32", "Threefry 2x32", "Twenty rounds of additions, rotations and exclusive ors of the two words.",
              threefryPairs, isThreefryOfPairs},
};

} // namespace

std::span<const GraphRule> randomNodeRules()
{
    return kRules;
}

} // namespace sw
