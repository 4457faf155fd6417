#pragma once
// Which items of a document belong together with items of another: their sources meet, and their kernels agree where both have
// one. Frames (what a kernel has for all of its parts: prologue, braces) belong only to what covers them whole, or every node
// would light up the whole kernel. Built once per document, so that a hover lights up everything within a frame of the screen.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stepwell::ui {

// Part of a document, sorted: what the panes light up.
struct PartnerSet {
    std::vector<sw::ItemIndex> items;
    std::vector<std::uint32_t> lines;

    [[nodiscard]] bool hasItem(sw::ItemIndex item) const;
    [[nodiscard]] bool hasLine(std::uint32_t line) const;
    [[nodiscard]] bool isEmpty() const { return items.empty(); }
};

// What is looked for: one item's sources and kernel.
struct PartnerKey {
    std::vector<std::uint32_t> sources;
    std::uint32_t kernel = sw::kNoIndex;
    bool isFrame = false;

    bool operator==(const PartnerKey &) const = default;
};

class PartnerIndex {
public:
    explicit PartnerIndex(const sw::StageDocument &document);

    [[nodiscard]] PartnerSet partnersOf(std::span<const PartnerKey> keys) const;
    // The given items themselves, with their lines.
    [[nodiscard]] PartnerSet setOf(std::vector<sw::ItemIndex> items) const;

private:
    std::uint32_t m_itemCount = 0;
    std::vector<std::uint32_t> m_sourceStart; // by source: the first of its items in m_sourceItems
    std::vector<sw::ItemIndex> m_sourceItems;
    std::vector<std::uint32_t> m_lineStart; // by item
    std::vector<std::uint32_t> m_lines;
    std::vector<std::uint32_t> m_kernels;      // by item
    std::vector<std::uint32_t> m_frameSources; // by item: how many a key must have in common; 0 for what is no frame
};

[[nodiscard]] PartnerKey keyOf(const sw::DocumentItem &item);

} // namespace stepwell::ui
