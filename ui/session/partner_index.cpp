#include "ui/session/partner_index.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace stepwell::ui {

namespace {

// Turns counts into starts: counts[i + 1] holds how many entries key i has.
void accumulate(std::vector<std::uint32_t> &counts)
{
    for (std::size_t i = 1; i < counts.size(); ++i)
        counts[i] += counts[i - 1];
}

bool hasTag(const sw::DocumentItem &item, std::string_view tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

void sortUnique(std::vector<std::uint32_t> &numbers)
{
    std::ranges::sort(numbers);
    numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
}

// Both are sorted.
bool meet(const std::vector<std::uint32_t> &a, const std::vector<std::uint32_t> &b)
{
    return std::ranges::any_of(a, [&](std::uint32_t number) { return std::ranges::binary_search(b, number); });
}

} // namespace

bool PartnerSet::hasItem(sw::ItemIndex item) const
{
    return std::ranges::binary_search(items, item);
}
bool PartnerSet::hasLine(std::uint32_t line) const
{
    return std::ranges::binary_search(lines, line);
}
bool PartnerSet::hasNearLine(std::uint32_t line) const
{
    return std::ranges::binary_search(nearLines, line);
}

PartnerIndex::PartnerIndex(const sw::StageDocument &document, ItemKernels kernels)
    : m_itemCount(static_cast<std::uint32_t>(document.items.size())),
      m_isProgram(document.kind == sw::StageKind::Program),
      m_itemKernels(std::move(kernels))
{
    std::uint32_t sourceCount = 0;
    std::uint32_t instructionCount = 0;
    m_kernels.reserve(document.items.size());
    for (const sw::DocumentItem &item : document.items) {
        m_kernels.push_back(item.kernel);
        m_frameSources.push_back(hasTag(item, "frame") ? static_cast<std::uint32_t>(item.sources.size()) : 0);
        for (const std::uint32_t source : item.sources)
            sourceCount = std::max(sourceCount, source + 1);
        if (item.instruction != sw::kNoIndex)
            instructionCount = std::max(instructionCount, item.instruction + 1);
    }
    m_sourceStart.assign(sourceCount + 1, 0);
    for (const sw::DocumentItem &item : document.items) {
        for (const std::uint32_t source : item.sources)
            ++m_sourceStart[source + 1];
    }
    accumulate(m_sourceStart);
    m_sourceItems.resize(m_sourceStart.back());
    std::vector<std::uint32_t> next(m_sourceStart.begin(), m_sourceStart.end());
    for (std::uint32_t i = 0; i < m_itemCount; ++i) {
        for (const std::uint32_t source : document.items[i].sources)
            m_sourceItems[next[source]++] = i;
    }

    m_instructionStart.assign(instructionCount + 1, 0);
    for (const sw::DocumentItem &item : document.items) {
        if (item.instruction != sw::kNoIndex)
            ++m_instructionStart[item.instruction + 1];
    }
    accumulate(m_instructionStart);
    m_instructionItems.resize(m_instructionStart.back());
    next.assign(m_instructionStart.begin(), m_instructionStart.end());
    for (std::uint32_t i = 0; i < m_itemCount; ++i) {
        if (document.items[i].instruction != sw::kNoIndex)
            m_instructionItems[next[document.items[i].instruction]++] = i;
    }

    m_lineStart.assign(m_itemCount + 1, 0);
    for (const sw::DocumentLine &line : document.lines) {
        if (line.item < m_itemCount)
            ++m_lineStart[line.item + 1];
    }
    accumulate(m_lineStart);
    m_lines.resize(m_lineStart.back());
    next.assign(m_lineStart.begin(), m_lineStart.end());
    for (std::uint32_t i = 0; i < document.lines.size(); ++i) {
        if (document.lines[i].item < m_itemCount)
            m_lines[next[document.lines[i].item]++] = i;
    }
}

PartnerKey PartnerIndex::keyOf(const sw::DocumentItem &item, sw::ItemIndex index) const
{
    PartnerKey key;
    key.sources = item.sources;
    if (item.kernel != sw::kNoIndex)
        key.kernels = {item.kernel};
    else if (index < m_itemKernels.size())
        key.kernels = m_itemKernels[index];
    key.instruction = item.instruction;
    key.isFrame = hasTag(item, "frame");
    key.isKernel = hasTag(item, "kernel") && item.kernel != sw::kNoIndex;
    return key;
}

bool PartnerIndex::agrees(const PartnerKey &key, sw::ItemIndex item) const
{
    if (key.kernels.empty())
        return true;
    if (m_kernels[item] != sw::kNoIndex)
        return std::ranges::binary_search(key.kernels, m_kernels[item]);
    return item >= m_itemKernels.size() || m_itemKernels[item].empty() || meet(key.kernels, m_itemKernels[item]);
}

void PartnerIndex::addBySources(const PartnerKey &key, std::vector<sw::ItemIndex> &items) const
{
    std::unordered_map<sw::ItemIndex, std::uint32_t> covered; // frames: number of sources shared with the key
    for (const std::uint32_t source : key.sources) {
        if (source + 1 >= m_sourceStart.size())
            continue;
        for (std::uint32_t at = m_sourceStart[source]; at < m_sourceStart[source + 1]; ++at) {
            const sw::ItemIndex item = m_sourceItems[at];
            if (!agrees(key, item))
                continue;
            if (m_frameSources[item] == 0 || key.isFrame || ++covered[item] == m_frameSources[item])
                items.push_back(item);
        }
    }
}

void PartnerIndex::addPartners(const PartnerKey &key, Found &found) const
{
    std::vector<sw::ItemIndex> items;
    addBySources(key, items);
    if (key.instruction != sw::kNoIndex && !m_instructionItems.empty()) {
        if (key.instruction + 1 < m_instructionStart.size())
            found.items.insert(found.items.end(), m_instructionItems.begin() + m_instructionStart[key.instruction],
                               m_instructionItems.begin() + m_instructionStart[key.instruction + 1]);
        found.nearItems.insert(found.nearItems.end(), items.begin(), items.end());
        return;
    }
    // A kernel lights up its own parts; inputs and constants that it only uses are near. Lines of the program have no kernel.
    const auto isNear = [&](sw::ItemIndex item) { return key.isKernel && !m_isProgram && m_kernels[item] == sw::kNoIndex; };
    for (const sw::ItemIndex item : items)
        (isNear(item) ? found.nearItems : found.items).push_back(item);
}

PartnerSet PartnerIndex::partnersOf(std::span<const PartnerKey> keys) const
{
    Found found;
    for (const PartnerKey &key : keys)
        addPartners(key, found);
    return setOf(std::move(found));
}

PartnerSet PartnerIndex::setOf(std::vector<sw::ItemIndex> items, std::span<const PartnerKey> keys) const
{
    Found found;
    for (const PartnerKey &key : keys) {
        if (key.instruction != sw::kNoIndex)
            addPartners(key, found);
    }
    found.nearItems.insert(found.nearItems.end(), found.items.begin(), found.items.end());
    found.items = std::move(items);
    return setOf(std::move(found));
}

std::vector<std::uint32_t> PartnerIndex::linesOf(const std::vector<sw::ItemIndex> &items) const
{
    std::vector<std::uint32_t> lines;
    for (const sw::ItemIndex item : items) {
        if (item < m_itemCount)
            lines.insert(lines.end(), m_lines.begin() + m_lineStart[item], m_lines.begin() + m_lineStart[item + 1]);
    }
    std::ranges::sort(lines);
    return lines;
}

PartnerSet PartnerIndex::setOf(Found found) const
{
    sortUnique(found.items);
    sortUnique(found.nearItems);
    PartnerSet set;
    set.items = std::move(found.items);
    std::ranges::set_difference(found.nearItems, set.items, std::back_inserter(set.nearItems));
    set.lines = linesOf(set.items);
    set.nearLines = linesOf(set.nearItems);
    return set;
}

ItemKernels kernelsOfItems(const sw::StageDocument &program, const sw::StageDocument &graph)
{
    std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> bySource;
    for (const sw::DocumentItem &node : graph.items) {
        if (node.kernel == sw::kNoIndex || hasTag(node, "constant"))
            continue;
        for (const std::uint32_t source : node.sources)
            bySource[source].push_back(node.kernel);
    }
    for (auto &[source, kernels] : bySource)
        sortUnique(kernels);
    ItemKernels kernels(program.items.size());
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        for (const std::uint32_t source : program.items[i].sources) {
            if (const auto found = bySource.find(source); found != bySource.end())
                kernels[i].insert(kernels[i].end(), found->second.begin(), found->second.end());
        }
        sortUnique(kernels[i]);
    }
    return kernels;
}

} // namespace stepwell::ui
