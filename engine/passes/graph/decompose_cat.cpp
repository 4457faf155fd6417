// The rule for a cat of very many inputs: a kernel takes a limited number of buffers, so the inputs are joined in parts.

#include "engine/passes/graph/decompose_nodes.h"

#include <algorithm>
#include <array>
#include <span>

namespace sw {

namespace {

// A kernel with this many inputs and one result has the largest number of buffers that every device takes.
constexpr std::size_t kMostInputs = 30;

bool isWideCat(const Node &node)
{
    return node.kind == NodeKind::Cat && node.inputs.size() > kMostInputs;
}

Replacement wideCat(RewriteContext &context)
{
    const Node &node = context.node();
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    std::vector<NodeId> parts = node.inputs;
    while (parts.size() > kMostInputs) {
        std::vector<NodeId> joined;
        for (std::size_t first = 0; first < parts.size(); first += kMostInputs) {
            const std::size_t count = std::min(kMostInputs, parts.size() - first);
            SW_TRY(const NodeId part, context.builder().cat(context.origin(), std::span(parts).subspan(first, count), axis));
            joined.push_back(part);
        }
        parts = std::move(joined);
    }
    SW_TRY(const NodeId whole, context.builder().cat(context.origin(), parts, axis));
    return std::optional(whole);
}

constexpr std::array kRules = {
    GraphRule{"wide-cat", "Wide cat", "More inputs than a kernel has buffers are joined in parts, and the parts then.", wideCat,
              isWideCat},
};

} // namespace

std::span<const GraphRule> catRules()
{
    return kRules;
}

} // namespace sw
