#include "engine/api/document_change.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace sw {

namespace {

// "%12 add" -> "add", "k3_softmax" -> "softmax": numbers change when something before them comes or goes.
std::string_view withoutNumber(std::string_view label)
{
    if (!label.starts_with('%') && !label.starts_with('k'))
        return label;
    const std::size_t end = label.find_first_not_of("0123456789", 1);
    const char behind = label.front() == '%' ? ' ' : '_';
    return end == std::string_view::npos || end == 1 || label[end] != behind ? label : label.substr(end + 1);
}

bool saysTheSame(const DocumentItem &a, const DocumentItem &b)
{
    return a.detail == b.detail && withoutNumber(a.label) == withoutNumber(b.label);
}

// When several items say the same, those with the same origin are paired first; a rewrite may have added to an origin.
enum class Origins : std::uint8_t { Same, Any };

std::string keyOf(const DocumentItem &item, Origins origins)
{
    std::string key = std::string(withoutNumber(item.label)) + '\n' + item.detail;
    if (origins == Origins::Same)
        for (const std::uint32_t source : item.sources)
            key += '\n' + std::to_string(source);
    return key;
}

// Pairs the items that have no partner yet.
void pairUp(const StageDocument &before, const StageDocument &after, std::vector<ItemIndex> &partner,
            std::vector<bool> &hasPartner, Origins origins)
{
    std::map<std::string, std::vector<ItemIndex>> waiting; // items of `after`, in reverse order
    for (std::size_t i = after.items.size(); i-- > 0;)
        if (!hasPartner[i])
            waiting[keyOf(after.items[i], origins)].push_back(static_cast<ItemIndex>(i));
    if (waiting.empty())
        return;
    for (std::size_t i = 0; i < before.items.size(); ++i) {
        if (partner[i] != kNoIndex)
            continue;
        const auto found = waiting.find(keyOf(before.items[i], origins));
        if (found == waiting.end() || found->second.empty())
            continue;
        partner[i] = found->second.back();
        hasPartner[found->second.back()] = true;
        found->second.pop_back();
    }
}

std::vector<std::uint32_t> linesOfItems(const StageDocument &document)
{
    std::vector<std::uint32_t> lines(document.items.size(), kNoIndex);
    for (std::uint32_t line = 0; line < document.lines.size(); ++line)
        if (const ItemIndex item = document.lines[line].item; item < lines.size() && lines[item] == kNoIndex)
            lines[item] = line;
    return lines;
}

// The lines that are gone, by the number of lines of `after` in front of them.
using Inserted = std::map<std::uint32_t, std::vector<DocumentLine>>;

Inserted goneLines(const StageDocument &before, const StageDocument &after, const DocumentChange &change,
                   const std::vector<ItemIndex> &goneItem)
{
    const std::vector<std::uint32_t> lineAfter = linesOfItems(after);
    Inserted inserted;
    std::uint32_t place = 0;
    for (const DocumentLine &line : before.lines) {
        if (line.item >= before.items.size())
            continue;
        const ItemIndex same = change.partner[line.item];
        if (same != kNoIndex) {
            if (lineAfter[same] != kNoIndex)
                place = lineAfter[same] + 1;
            continue;
        }
        DocumentLine gone = line;
        gone.item = goneItem[line.item];
        gone.tags.emplace_back(kGoneTag);
        inserted[place].push_back(std::move(gone));
    }
    return inserted;
}

} // namespace

DocumentChange changeBetween(const StageDocument &before, const StageDocument &after)
{
    DocumentChange change;
    change.partner.assign(before.items.size(), kNoIndex);
    std::vector<bool> hasPartner(after.items.size(), false);
    const auto join = [&](std::size_t from, std::size_t to) {
        change.partner[from] = static_cast<ItemIndex>(to);
        hasPartner[to] = true;
    };
    const std::size_t shorter = std::min(before.items.size(), after.items.size());
    std::size_t first = 0;
    for (; first < shorter && saysTheSame(before.items[first], after.items[first]); ++first)
        join(first, first);
    for (std::size_t last = 1; last <= shorter - first; ++last) {
        const std::size_t from = before.items.size() - last;
        const std::size_t to = after.items.size() - last;
        if (!saysTheSame(before.items[from], after.items[to]))
            break;
        join(from, to);
    }
    pairUp(before, after, change.partner, hasPartner, Origins::Same);
    pairUp(before, after, change.partner, hasPartner, Origins::Any);
    for (std::size_t i = 0; i < before.items.size(); ++i)
        if (change.partner[i] == kNoIndex)
            change.gone.push_back(static_cast<ItemIndex>(i));
    for (std::size_t i = 0; i < after.items.size(); ++i)
        if (!hasPartner[i])
            change.made.push_back(static_cast<ItemIndex>(i));
    return change;
}

StageDocumentPtr withGone(const StageDocument &before, const StageDocument &after, const DocumentChange &change,
                          StageMarks &marks)
{
    StageDocument both = after;
    std::vector<ItemIndex> goneItem(before.items.size(), kNoIndex);
    for (const ItemIndex item : change.gone) {
        goneItem[item] = static_cast<ItemIndex>(both.items.size());
        marks.matched.push_back(goneItem[item]);
        both.items.push_back(before.items[item]);
        both.items.back().tags.emplace_back(kGoneTag);
        if (both.items.back().group >= both.groups.size())
            both.items.back().group = kNoIndex;
    }
    std::ranges::sort(marks.matched);
    for (const DocumentEdge &edge : before.edges) {
        if (goneItem[edge.to] == kNoIndex)
            continue;
        const ItemIndex from = goneItem[edge.from] != kNoIndex ? goneItem[edge.from] : change.partner[edge.from];
        both.edges.push_back({from, goneItem[edge.to], edge.label, kNoIndex});
    }
    const Inserted inserted = goneLines(before, after, change, goneItem);
    both.lines.clear();
    for (std::uint32_t line = 0; line <= after.lines.size(); ++line) {
        if (const auto here = inserted.find(line); here != inserted.end())
            both.lines.insert(both.lines.end(), here->second.begin(), here->second.end());
        if (line < after.lines.size())
            both.lines.push_back(after.lines[line]);
    }
    return std::make_shared<const StageDocument>(std::move(both));
}

} // namespace sw
