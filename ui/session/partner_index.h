#pragma once
// Which items of a document belong together with items of another: their sources meet, and their kernels agree where both have
// one. Frames (what a kernel has for all of its parts: prologue, braces) belong only to what covers them whole, or every node
// would light up the whole kernel. Where the compiler knows the very instruction, its own lines come first and what else belongs
// to the same node is near. Built once per document, so that a hover lights up everything within a frame of the screen.

#include "engine/api/stage_document.h"

#include <cstdint>
#include <span>
#include <vector>

namespace stepwell::ui {

// Part of a document, sorted: what the panes light up.
struct PartnerSet {
    std::vector<sw::ItemIndex> items;
    std::vector<std::uint32_t> lines;
    // What belongs less closely, and lights up fainter; none of the above.
    std::vector<sw::ItemIndex> nearItems = {};
    std::vector<std::uint32_t> nearLines = {};

    [[nodiscard]] bool hasItem(sw::ItemIndex item) const;
    [[nodiscard]] bool hasLine(std::uint32_t line) const;
    [[nodiscard]] bool hasNearLine(std::uint32_t line) const;
    [[nodiscard]] bool isEmpty() const { return items.empty() && nearItems.empty(); }
    // Of those that belong closely, else of the others.
    [[nodiscard]] const std::vector<sw::ItemIndex> &firstItems() const { return items.empty() ? nearItems : items; }
    [[nodiscard]] const std::vector<std::uint32_t> &firstLines() const { return lines.empty() ? nearLines : lines; }
};

// What is looked for: one item.
struct PartnerKey {
    std::vector<std::uint32_t> sources;
    std::vector<std::uint32_t> kernels = {}; // where it is computed; empty: not known, or nowhere in particular
    std::uint32_t instruction = sw::kNoIndex;
    bool isFrame = false;
    bool isKernel = false; // all of a kernel

    bool operator==(const PartnerKey &) const = default;
};

// By item of a document, sorted: the kernels that compute what it stands for. For documents whose items have no kernel.
using ItemKernels = std::vector<std::vector<std::uint32_t>>;

class PartnerIndex {
public:
    explicit PartnerIndex(const sw::StageDocument &document, ItemKernels kernels = {});

    [[nodiscard]] PartnerKey keyOf(const sw::DocumentItem &item, sw::ItemIndex index) const;
    [[nodiscard]] PartnerSet partnersOf(std::span<const PartnerKey> keys) const;
    // The given items themselves, with their lines; near: what else the keys find.
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
    ItemKernels m_itemKernels;                     // by item, where the items have no kernel of their own; may be empty
    std::vector<std::uint32_t> m_frameSources;     // by item: how many a key must have in common; 0 for what is no frame
    std::vector<std::uint32_t> m_instructionStart; // by instruction; of a document that knows of none: empty
    std::vector<sw::ItemIndex> m_instructionItems;
};

// The kernels that the items of the program are computed by, from a graph that knows them. Constants are everywhere, and say
// nothing.
[[nodiscard]] ItemKernels kernelsOfItems(const sw::StageDocument &program, const sw::StageDocument &graph);

} // namespace stepwell::ui
