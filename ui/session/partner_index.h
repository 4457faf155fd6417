#pragma once
// Which items of one document belong to items of another: they share sources, and have the same kernel if both have
// one. Frames (what a kernel has for all its parts: prologue, braces) belong only to items that cover them whole; otherwise each
// node would light up the whole kernel. Where the compiler knows the exact instruction, its own lines come first, and the rest
// of the same node is near. Built once per document, so that a hover lights up everything within a frame of the screen.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stepwell::ui {

// The part of a document that the panes light up, sorted.
struct PartnerSet {
    std::vector<sw::ItemIndex> items;
    std::vector<std::uint32_t> lines;
    // What belongs less closely and lights up fainter; contains none of the above.
    std::vector<sw::ItemIndex> nearItems = {};
    std::vector<std::uint32_t> nearLines = {};

    [[nodiscard]] bool hasItem(sw::ItemIndex item) const;
    [[nodiscard]] bool hasLine(std::uint32_t line) const;
    [[nodiscard]] bool hasNearLine(std::uint32_t line) const;
    [[nodiscard]] bool isEmpty() const { return items.empty() && nearItems.empty(); }
    // The items that belong closely, or, if there are none, the near ones.
    [[nodiscard]] const std::vector<sw::ItemIndex> &firstItems() const { return items.empty() ? nearItems : items; }
    [[nodiscard]] const std::vector<std::uint32_t> &firstLines() const { return lines.empty() ? nearLines : lines; }
};

// The search key for one item.
struct PartnerKey {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> kernels = {}; // kernels that compute it; empty: unknown, or nowhere in particular
    std::uint32_t instruction = sw::kNoIndex;
    bool isFrame = false;
    bool isKernel = false; // the whole kernel

    bool operator==(const PartnerKey &) const = default;
};

// For each item of a document, the kernels that compute what it stands for, sorted. For documents whose items have no kernel.
using ItemKernels = std::vector<std::vector<std::uint32_t>>;

class PartnerIndex {
public:
    explicit PartnerIndex(const sw::StageDocument &document, ItemKernels kernels = {});

    [[nodiscard]] PartnerKey keyOf(const sw::DocumentItem &item, sw::ItemIndex index) const;
    [[nodiscard]] PartnerSet partnersOf(std::span<const PartnerKey> keys) const;
    // The given items themselves, with their lines; whatever else the keys find is near.
    [[nodiscard]] PartnerSet setOf(std::vector<sw::ItemIndex> items, std::span<const PartnerKey> keys = {}) const;

private:
    struct Found {
        std::vector<sw::ItemIndex> items;
        std::vector<sw::ItemIndex> nearItems;
    };

    void addBySources(const PartnerKey &key, std::vector<sw::ItemIndex> &items) const;
    void addPartners(const PartnerKey &key, Found &found) const;
    [[nodiscard]] bool agrees(const PartnerKey &key, sw::ItemIndex item) const;
    [[nodiscard]] std::vector<std::uint32_t> linesOf(const std::vector<sw::ItemIndex> &items) const;
    [[nodiscard]] PartnerSet setOf(Found found) const;

    std::uint32_t m_itemCount = 0;
    bool m_isProgram = false;
    std::vector<std::uint32_t> m_sourceStart; // by source: the first of its items in m_sourceItems
    std::vector<sw::ItemIndex> m_sourceItems;
    std::vector<std::uint32_t> m_lineStart; // by item
    std::vector<std::uint32_t> m_lines;
    std::vector<std::uint32_t> m_kernels;          // by item
    ItemKernels m_itemKernels;                     // by item, if the items have no kernel of their own; may be empty
    std::vector<std::uint32_t> m_frameSources;     // by item: how many a key must have in common; 0 if it is not a frame
    std::vector<std::uint32_t> m_instructionStart; // by instruction; empty if the document knows none
    std::vector<sw::ItemIndex> m_instructionItems;
};

// The kernels that compute the items of the program, taken from a graph that knows them. Constants are left out, because they
// are everywhere.
[[nodiscard]] ItemKernels kernelsOfItems(const sw::StageDocument &program, const sw::StageDocument &graph);

} // namespace stepwell::ui
