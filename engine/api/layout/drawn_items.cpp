#include "engine/api/layout/drawn_items.h"

#include <algorithm>
#include <string_view>

namespace sw {

namespace {

bool hasTag(const DocumentItem &item, std::string_view tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

} // namespace

std::vector<ItemIndex> constantsInsideReaders(const StageDocument &document)
{
    const std::size_t count = document.items.size();
    std::vector<bool> hasReader(count, false);
    std::vector<ItemIndex> operand(count, kNoIndex);
    std::vector<int> operands(count, 0);
    for (const DocumentEdge &edge : document.edges) {
        hasReader[edge.from] = true;
        operand[edge.to] = edge.from;
        ++operands[edge.to];
    }
    std::vector<ItemIndex> constants(count, kNoIndex);
    for (ItemIndex i = 0; i < count; ++i) {
        const DocumentItem &item = document.items[i];
        if (hasReader[i] && operands[i] == 0 && hasTag(item, "constant"))
            constants[i] = i;
        else if (hasReader[i] && operands[i] == 1 && operand[i] < i && hasTag(item, "view"))
            constants[i] = constants[operand[i]];
    }
    return constants;
}

bool isNeverDrawn(const DocumentItem &item)
{
    return hasTag(item, "decision") || hasTag(item, "step");
}

} // namespace sw
