#include "engine/api/compare/item_pairs.h"

#include "engine/api/compare/line_lexer.h"
#include "engine/api/compare/sequence_match.h"
#include "engine/api/compare/text_difference.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>

namespace sw {

namespace {

std::uint64_t joined(std::uint64_t a, std::uint64_t b)
{
    return (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6U) + (a >> 2U))) * 0xff51afd7ed558ccdULL;
}

std::string_view fieldOf(const DocumentItem &item, std::string_view name)
{
    const auto found = std::ranges::find(item.fields, name, &DocumentField::name);
    return found == item.fields.end() ? std::string_view() : std::string_view(found->value);
}

// What is known about each item of a document, as keys.
struct Keys {
    std::vector<std::vector<ItemIndex>> operands;
    std::vector<std::vector<ItemIndex>> users;
    std::vector<std::uint64_t> label;
    std::vector<std::uint64_t> said; // label and type
    std::vector<std::uint64_t> scope;
    std::vector<std::uint64_t> name;    // with its scope; 0: it has none
    std::vector<std::uint64_t> sources; // with its label
    std::vector<std::uint64_t> above;   // the structure of what leads to it
    std::vector<std::uint64_t> below;   // of what reads it

    explicit Keys(const StageDocument &document) : operands(operandsOf(document)), users(document.items.size())
    {
        const std::size_t size = document.items.size();
        for (ItemIndex item = 0; item < size; ++item)
            for (const ItemIndex operand : operands[item])
                users[operand].push_back(item);
        for (const DocumentItem &item : document.items)
            add(document, item);
        above.resize(size);
        for (std::size_t i = 0; i < size; ++i) {
            above[i] = joined(said[i], hashOfWord(attributesOf(document, static_cast<ItemIndex>(i))));
            for (const ItemIndex operand : operands[i])
                above[i] = joined(above[i], operand < i ? above[operand] : said[operand]);
        }
        below.resize(size);
        for (std::size_t i = size; i-- > 0;) {
            below[i] = said[i];
            for (const ItemIndex user : users[i])
                below[i] += joined(user > i ? below[user] : said[user], placeIn(user, static_cast<ItemIndex>(i)));
        }
    }

private:
    void add(const StageDocument &document, const DocumentItem &item)
    {
        label.push_back(labelKey(item));
        said.push_back(joined(label.back(), hashOfWord(item.detail)));
        scope.push_back(hashOfWord(groupPath(document, item.group)));
        const std::string_view own = fieldOf(item, "name");
        name.push_back(own.empty() ? 0 : joined(scope.back(), hashOfWord(own)));
        std::uint64_t key = label.back();
        for (const std::uint32_t source : item.sources)
            key = joined(key, source);
        sources.push_back(item.sources.empty() ? 0 : key);
    }
    [[nodiscard]] std::uint64_t placeIn(ItemIndex user, ItemIndex operand) const
    {
        return static_cast<std::uint64_t>(std::ranges::find(operands[user], operand) - operands[user].begin());
    }
};

// The key of an item; 0: it takes no part.
using KeyOf = std::function<std::uint64_t(const Keys &, ItemIndex)>;

class Pairing {
public:
    Pairing(const StageDocument &before, const StageDocument &after) : m_before(before), m_after(after)
    {
        m_pairs.before.assign(before.items.size(), kNoIndex);
        m_pairs.after.assign(after.items.size(), kNoIndex);
    }

    ItemPairs pair()
    {
        pairEqual(
            [](const Keys &k, ItemIndex i) { return joined(joined(k.above[i], k.below[i]), joined(k.scope[i], k.name[i])); });
        pairEqual([](const Keys &k, ItemIndex i) { return joined(k.above[i], joined(k.scope[i], k.name[i])); });
        pairEqual([](const Keys &k, ItemIndex i) { return k.name[i] == 0 ? 0 : joined(k.name[i], k.said[i]); });
        pairEqual([](const Keys &k, ItemIndex i) { return joined(k.above[i], k.scope[i]); });
        pairEqual([](const Keys &k, ItemIndex i) { return k.above[i]; });
        pairNeighbours(&Keys::said);
        pairEqual([](const Keys &k, ItemIndex i) { return k.name[i] == 0 ? 0 : joined(k.name[i], k.label[i]); });
        pairEqual([](const Keys &k, ItemIndex i) { return k.sources[i] == 0 ? 0 : joined(k.sources[i], k.scope[i]); });
        pairNeighbours(&Keys::label);
        pairEqual([](const Keys &k, ItemIndex i) { return k.name[i]; });
        pairInOrder([](const Keys &k, ItemIndex i) { return joined(k.said[i], k.scope[i]); });
        pairInOrder([](const Keys &k, ItemIndex i) { return joined(k.label[i], k.scope[i]); });
        return std::move(m_pairs);
    }

private:
    [[nodiscard]] bool isFree(ItemIndex before, ItemIndex after) const
    {
        return m_pairs.before[before] == kNoIndex && m_pairs.after[after] == kNoIndex;
    }
    void join(ItemIndex before, ItemIndex after)
    {
        m_pairs.before[before] = after;
        m_pairs.after[after] = before;
    }

    // Items whose keys occur as often on either side, in their order.
    void pairEqual(const KeyOf &keyOf)
    {
        std::unordered_map<std::uint64_t, std::pair<std::vector<ItemIndex>, std::vector<ItemIndex>>> places;
        for (ItemIndex i = 0; i < m_pairs.before.size(); ++i)
            if (const std::uint64_t key = m_pairs.before[i] == kNoIndex ? keyOf(m_before, i) : 0; key != 0)
                places[key].first.push_back(i);
        if (places.empty())
            return;
        for (ItemIndex i = 0; i < m_pairs.after.size(); ++i)
            if (const std::uint64_t key = m_pairs.after[i] == kNoIndex ? keyOf(m_after, i) : 0; key != 0)
                places[key].second.push_back(i);
        for (const auto &[key, sides] : places)
            if (sides.first.size() == sides.second.size())
                for (std::size_t i = 0; i < sides.first.size(); ++i)
                    join(sides.first[i], sides.second[i]);
    }

    // Operands at the same place of paired items, and the only readers of paired items that say the same.
    void pairNeighbours(std::vector<std::uint64_t> Keys::*key)
    {
        std::vector<ItemIndex> pending;
        for (ItemIndex i = 0; i < m_pairs.before.size(); ++i)
            if (m_pairs.before[i] != kNoIndex)
                pending.push_back(i);
        while (!pending.empty()) {
            const ItemIndex before = pending.back();
            const ItemIndex after = m_pairs.before[before];
            pending.pop_back();
            const auto &from = m_before.operands[before];
            const auto &to = m_after.operands[after];
            for (std::size_t i = 0; i < from.size() && from.size() == to.size(); ++i)
                if (isFree(from[i], to[i]) && (m_before.*key)[from[i]] == (m_after.*key)[to[i]]) {
                    join(from[i], to[i]);
                    pending.push_back(from[i]);
                }
            pairReaders(before, after, key, pending);
        }
    }

    void pairReaders(ItemIndex before, ItemIndex after, std::vector<std::uint64_t> Keys::*key, std::vector<ItemIndex> &pending)
    {
        for (const ItemIndex user : m_before.users[before]) {
            if (m_pairs.before[user] != kNoIndex)
                continue;
            const auto says = [&](const Keys &keys, ItemIndex one) { return (keys.*key)[one] == (m_before.*key)[user]; };
            ItemIndex only = kNoIndex;
            int candidates = 0;
            for (const ItemIndex one : m_after.users[after])
                if (m_pairs.after[one] == kNoIndex && says(m_after, one) && one != only) {
                    only = one;
                    ++candidates;
                }
            const auto own = std::ranges::count_if(m_before.users[before], [&](ItemIndex one) {
                return one != user && m_pairs.before[one] == kNoIndex && says(m_before, one);
            });
            if (candidates == 1 && own == 0) {
                join(user, only);
                pending.push_back(user);
            }
        }
    }

    // What is left, in order.
    void pairInOrder(const KeyOf &keyOf)
    {
        std::vector<ItemIndex> left;
        std::vector<ItemIndex> right;
        std::vector<std::uint64_t> before;
        std::vector<std::uint64_t> after;
        for (ItemIndex i = 0; i < m_pairs.before.size(); ++i)
            if (m_pairs.before[i] == kNoIndex) {
                left.push_back(i);
                before.push_back(keyOf(m_before, i));
            }
        for (ItemIndex i = 0; i < m_pairs.after.size(); ++i)
            if (m_pairs.after[i] == kNoIndex) {
                right.push_back(i);
                after.push_back(keyOf(m_after, i));
            }
        for (const MatchedPair &pair : matchSequences(before, after))
            join(left[pair.before], right[pair.after]);
    }

    Keys m_before;
    Keys m_after;
    ItemPairs m_pairs;
};

// The items of each line: those that stand in it, or the one that it belongs to.
std::vector<std::vector<ItemIndex>> itemsOfLines(const StageDocument &document)
{
    std::vector<std::vector<ItemIndex>> items(document.lines.size());
    for (ItemIndex item = 0; item < document.items.size(); ++item)
        if (const std::uint32_t line = document.items[item].place.line; line > 0 && line <= items.size())
            items[line - 1].push_back(item);
    for (std::size_t line = 0; line < items.size(); ++line)
        if (const ItemIndex item = document.lines[line].item; items[line].empty() && item < document.items.size())
            if (document.items[item].place.line == 0)
                items[line].push_back(item);
    return items;
}

// The items of lines that belong together, then those that are left, in order.
class LinePairing {
public:
    LinePairing(const StageDocument &before, const StageDocument &after) : m_before(before), m_after(after)
    {
        m_pairs.before.assign(before.items.size(), kNoIndex);
        m_pairs.after.assign(after.items.size(), kNoIndex);
    }

    ItemPairs pair()
    {
        const auto from = itemsOfLines(m_before);
        const auto to = itemsOfLines(m_after);
        for (const RowPair &row : differenceOf(m_before, m_after).rows) {
            const std::uint32_t other = row.kind == RowKind::Moved ? row.other : row.after;
            if (row.before == kNoIndex || other == kNoIndex)
                continue;
            if (from[row.before].size() == 1 && to[other].size() == 1)
                join(from[row.before].front(), to[other].front());
            else
                pairInOrder(from[row.before], to[other]);
        }
        std::vector<ItemIndex> all(m_pairs.before.size());
        std::vector<ItemIndex> others(m_pairs.after.size());
        std::iota(all.begin(), all.end(), 0U);
        std::iota(others.begin(), others.end(), 0U);
        if (m_after.kind == StageKind::Program)
            pairInOrder(all, others);
        return std::move(m_pairs);
    }

private:
    void join(ItemIndex before, ItemIndex after)
    {
        if (m_pairs.before[before] != kNoIndex || m_pairs.after[after] != kNoIndex)
            return;
        m_pairs.before[before] = after;
        m_pairs.after[after] = before;
    }

    // Those that say the same and have no partner yet.
    void pairInOrder(std::vector<ItemIndex> before, std::vector<ItemIndex> after)
    {
        std::erase_if(before, [&](ItemIndex item) { return m_pairs.before[item] != kNoIndex; });
        std::erase_if(after, [&](ItemIndex item) { return m_pairs.after[item] != kNoIndex; });
        for (const MatchedPair &pair : matchSequences(keysOf(m_before, before), keysOf(m_after, after)))
            join(before[pair.before], after[pair.after]);
    }
    static std::vector<std::uint64_t> keysOf(const StageDocument &document, const std::vector<ItemIndex> &items)
    {
        std::vector<std::uint64_t> keys;
        for (const ItemIndex item : items)
            keys.push_back(joined(labelKey(document.items[item]), hashOfWord(document.items[item].detail)));
        return keys;
    }

    const StageDocument &m_before;
    const StageDocument &m_after;
    ItemPairs m_pairs;
};

} // namespace

std::uint64_t labelKey(const DocumentItem &item)
{
    // A buffer of a value without a name is called after the number of its node, which any edit shifts.
    constexpr std::string_view kMadeUp = "t";
    const std::string_view label = item.label;
    if (label.size() > 1 && label.starts_with(kMadeUp) &&
        label.find_first_not_of("0123456789", kMadeUp.size()) == std::string_view::npos)
        return hashOfWord(kMadeUp);
    std::vector<LineWord> words;
    splitLine(item.label, StageKind::Schedule, words);
    return canonicalHash(item.label, words);
}

std::string_view attributesOf(const StageDocument &document, ItemIndex item)
{
    const std::uint32_t line = document.items[item].place.line;
    if (document.kind != StageKind::Graph || line == 0 || line > document.lines.size())
        return {};
    const std::string_view text = document.lines[line - 1].text;
    const std::size_t begin = text.find('{');
    const std::size_t end = text.rfind('}');
    return begin == std::string_view::npos || end == std::string_view::npos ? std::string_view()
                                                                            : text.substr(begin, end + 1 - begin);
}

std::string groupPath(const StageDocument &document, std::uint32_t group)
{
    std::string path;
    for (; group < document.groups.size(); group = document.groups[group].parent)
        path.insert(0, document.groups[group].label + '/');
    return path;
}

std::vector<std::vector<ItemIndex>> operandsOf(const StageDocument &document)
{
    std::vector<std::vector<ItemIndex>> operands(document.items.size());
    for (const DocumentEdge &edge : document.edges)
        operands[edge.to].push_back(edge.from);
    return operands;
}

ItemPairs pairItems(const StageDocument &before, const StageDocument &after)
{
    const bool hasStructure = after.kind == StageKind::Graph || after.kind == StageKind::Schedule;
    return hasStructure ? Pairing(before, after).pair() : LinePairing(before, after).pair();
}

} // namespace sw
