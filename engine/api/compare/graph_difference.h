#pragma once
// The difference of two documents of one stage item by item, and one document that shows both: a drawing of it has what stayed,
// what changed, what was added and what was removed.

#include "engine/api/stage_document.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sw {

// Renamed: the program gives it another name, and nothing else differs.
enum class ItemKind : std::uint8_t { Same, Renamed, Changed, Removed, Added };
inline constexpr std::size_t kItemKinds = 5;
[[nodiscard]] std::string_view nameOf(ItemKind kind); // "same"

// Tags of the items of GraphDifference::both: nameOf(ItemKind), for all but Same.

// A field of an item; an empty text: the item has no such field.
struct FieldChange {
    std::string name;
    std::string before;
    std::string after;
};

struct ItemDifference {
    ItemKind kind = ItemKind::Same;
    ItemIndex before = kNoIndex; // an item of the first document
    ItemIndex after = kNoIndex;
    bool operationChanged = false;        // the label
    bool typeChanged = false;             // the detail
    bool operandsChanged = false;         // it reads other items
    std::vector<FieldChange> fields = {}; // also those that do not count as a change: the kernel that a node is in
};

struct GraphDifference {
    // By item of `both`: first those of the second document in its order, then those that were removed.
    std::vector<ItemDifference> items;
    std::vector<ItemKind> edges;                    // by edge of `both`
    StageDocumentPtr both;                          // without lines: texts have rows (text_difference.h)
    std::array<std::uint32_t, kItemKinds> counts{}; // items by kind

    [[nodiscard]] std::uint32_t count(ItemKind kind) const { return counts[static_cast<std::size_t>(kind)]; }
    [[nodiscard]] bool isDifferent() const;
};

// Of two documents of one kind.
[[nodiscard]] GraphDifference graphDifferenceOf(const StageDocument &before, const StageDocument &after);

} // namespace sw
