#pragma once
// Which items of two documents of one stage are the same item. Indices say nothing: they shift. Items of a graph are found by
// what they compute (the structure of what leads to them and of what reads them), by their names and scopes, by what they were
// made from, and by the items next to them that are paired already; items of texts by their lines.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// By item; kNoIndex: it has no partner.
struct ItemPairs {
    std::vector<ItemIndex> before;
    std::vector<ItemIndex> after;
};

[[nodiscard]] ItemPairs pairItems(const StageDocument &before, const StageDocument &after);

// What an item says, without its number: "%12 add" and "%13 add" are equal.
[[nodiscard]] std::uint64_t labelKey(const DocumentItem &item);
// The attributes of a node, as its line has them: "{axes = [1]}"; empty: none.
[[nodiscard]] std::string_view attributesOf(const StageDocument &document, ItemIndex item);
// Where it stands: the labels of its groups, the outermost first, each followed by '/'.
[[nodiscard]] std::string groupPath(const StageDocument &document, std::uint32_t group);
// The items that each item reads, in the order of the edges.
[[nodiscard]] std::vector<std::vector<ItemIndex>> operandsOf(const StageDocument &document);

} // namespace sw
