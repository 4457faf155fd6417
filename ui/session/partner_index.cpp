#include "ui/session/partner_index.h"

#include <algorithm>
#include <unordered_map>

namespace stepwell::ui {

namespace {

// Turns counts into starts: counts[i + 1] holds how many entries key i has.
void accumulate(std::vector<std::uint32_t> &counts)
{
    for (std::size_t i = 1; i < counts.size(); ++i)
        counts[i] += counts[i - 1];
}

bool isFrame(const sw::DocumentItem &item)
{
    return std::ranges::find(item.tags, "frame") != item.tags.end();
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

PartnerKey keyOf(const sw::DocumentItem &item)
{
    return {item.sources, item.kernel, isFrame(item)};
}

PartnerIndex::PartnerIndex(const sw::StageDocument &document) : m_itemCount(static_cast<std::uint32_t>(document.items.size()))
{
    std::uint32_t sourceCount = 0;
    m_kernels.reserve(document.items.size());
    for (const sw::DocumentItem &item : document.items) {
        m_kernels.push_back(item.kernel);
        m_frameSources.push_back(isFrame(item) ? static_cast<std::uint32_t>(item.sources.size()) : 0);
        for (const std::uint32_t source : item.sources)
            sourceCount = std::max(sourceCount, source + 1);
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

PartnerSet PartnerIndex::partnersOf(std::span<const PartnerKey> keys) const
{
    std::vector<sw::ItemIndex> items;
    std::unordered_map<sw::ItemIndex, std::uint32_t> covered; // frames: sources in common with the key
    for (const PartnerKey &key : keys) {
        covered.clear();
        for (const std::uint32_t source : key.sources) {
            if (source + 1 >= m_sourceStart.size())
                continue;
            for (std::uint32_t at = m_sourceStart[source]; at < m_sourceStart[source + 1]; ++at) {
                const sw::ItemIndex item = m_sourceItems[at];
                const std::uint32_t kernel = m_kernels[item];
                if (kernel != key.kernel && kernel != sw::kNoIndex && key.kernel != sw::kNoIndex)
                    continue;
                if (m_frameSources[item] == 0 || key.isFrame || ++covered[item] == m_frameSources[item])
                    items.push_back(item);
            }
        }
    }
    return setOf(std::move(items));
}

PartnerSet PartnerIndex::setOf(std::vector<sw::ItemIndex> items) const
{
    std::ranges::sort(items);
    items.erase(std::unique(items.begin(), items.end()), items.end());
    PartnerSet set;
    for (const sw::ItemIndex item : items) {
        if (item < m_itemCount)
            set.lines.insert(set.lines.end(), m_lines.begin() + m_lineStart[item], m_lines.begin() + m_lineStart[item + 1]);
    }
    std::ranges::sort(set.lines);
    set.items = std::move(items);
    return set;
}

} // namespace stepwell::ui
