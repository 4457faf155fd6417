#include "engine/api/compare/graph_difference.h"

#include "engine/api/compare/item_pairs.h"
#include "engine/api/compare/line_lexer.h"
#include "engine/base/assert.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace sw {

namespace {

// Fields that say where an item is, which is not what it is.
constexpr std::array<std::string_view, 8> kPlaceFields{"node",        "place", "called from", "address",
                                                       "source line", "bytes", "instruction", "shares memory with"};
// Fields that say what became of a node later: they are told, and are no change of the graph.
constexpr std::array<std::string_view, 3> kLaterFields{"kernel", "buffer", "device"};

bool contains(std::span<const std::string_view> names, std::string_view name)
{
    return std::ranges::find(names, name) != names.end();
}

bool saysTheSame(const std::string &a, const std::string &b)
{
    if (a == b)
        return true;
    std::vector<LineWord> words;
    splitLine(a, StageKind::Schedule, words);
    const std::uint64_t key = canonicalHash(a, words);
    splitLine(b, StageKind::Schedule, words);
    return key == canonicalHash(b, words);
}

std::vector<FieldChange> fieldChanges(const DocumentItem &before, const DocumentItem &after)
{
    std::vector<FieldChange> changes;
    for (const DocumentField &field : before.fields) {
        const auto found = std::ranges::find(after.fields, field.name, &DocumentField::name);
        const std::string value = found == after.fields.end() ? std::string() : found->value;
        if (!contains(kPlaceFields, field.name) && !saysTheSame(field.value, value))
            changes.push_back({field.name, field.value, value});
    }
    for (const DocumentField &field : after.fields)
        if (!contains(kPlaceFields, field.name) &&
            std::ranges::find(before.fields, field.name, &DocumentField::name) == before.fields.end())
            changes.push_back({field.name, {}, field.value});
    return changes;
}

class Merge {
public:
    Merge(const StageDocument &before, const StageDocument &after)
        : m_before(before), m_after(after), m_pairs(pairItems(before, after)), m_place(before.items.size())
    {
    }

    GraphDifference merge()
    {
        m_both.kind = m_after.kind;
        m_both.title = m_after.title;
        m_both.items = m_after.items;
        m_both.groups = m_after.groups;
        for (std::uint32_t group = 0; group < m_both.groups.size(); ++group)
            m_groups.emplace(groupPath(m_both, group), group);
        const auto operandsBefore = operandsOf(m_before);
        const auto operandsAfter = operandsOf(m_after);
        for (ItemIndex item = 0; item < m_after.items.size(); ++item) {
            const ItemIndex before = m_pairs.after[item];
            if (before == kNoIndex) {
                m_made.items.push_back({ItemKind::Added, kNoIndex, item});
                continue;
            }
            m_place[before] = item;
            m_made.items.push_back(compared(before, item, operandsBefore[before], operandsAfter[item]));
        }
        addRemoved();
        addEdges();
        for (std::size_t i = 0; i < m_made.items.size(); ++i) {
            const ItemKind kind = m_made.items[i].kind;
            ++m_made.counts[static_cast<std::size_t>(kind)];
            if (kind != ItemKind::Same)
                m_both.items[i].tags.emplace_back(nameOf(kind));
        }
        m_made.both = std::make_shared<const StageDocument>(std::move(m_both));
        return std::move(m_made);
    }

private:
    ItemDifference compared(ItemIndex before, ItemIndex after, const std::vector<ItemIndex> &from,
                            const std::vector<ItemIndex> &to)
    {
        const DocumentItem &a = m_before.items[before];
        const DocumentItem &b = m_after.items[after];
        ItemDifference made{ItemKind::Same, before, after};
        made.operationChanged = labelKey(a) != labelKey(b);
        made.typeChanged = !saysTheSame(a.detail, b.detail);
        made.operandsChanged =
            !std::ranges::equal(from, to, [&](ItemIndex one, ItemIndex other) { return m_pairs.before[one] == other; });
        made.fields = fieldChanges(a, b);
        const std::string_view had = attributesOf(m_before, before);
        const std::string_view has = attributesOf(m_after, after);
        if (!saysTheSame(std::string(had), std::string(has)))
            made.fields.push_back({"attributes", std::string(had), std::string(has)});
        const auto counts = [&](const FieldChange &change) {
            return change.name != "name" && (m_after.kind != StageKind::Graph || !contains(kLaterFields, change.name));
        };
        if (made.operationChanged || made.typeChanged || made.operandsChanged || std::ranges::any_of(made.fields, counts))
            made.kind = ItemKind::Changed;
        else if (std::ranges::find(made.fields, "name", &FieldChange::name) != made.fields.end())
            made.kind = ItemKind::Renamed;
        return made;
    }

    void addRemoved()
    {
        for (ItemIndex item = 0; item < m_before.items.size(); ++item) {
            if (m_pairs.before[item] != kNoIndex)
                continue;
            m_place[item] = static_cast<ItemIndex>(m_both.items.size());
            m_made.items.push_back({ItemKind::Removed, item, kNoIndex});
            m_both.items.push_back(m_before.items[item]);
            DocumentItem &removed = m_both.items.back();
            removed.group = groupFor(removed.group);
            removed.kernel = kNoIndex; // these are of the other compilation
            removed.node = kNoIndex;
            removed.instruction = kNoIndex;
            removed.place = {};
        }
    }

    // The group of the same path in `both`, made where it lacks.
    std::uint32_t groupFor(std::uint32_t group)
    {
        if (group >= m_before.groups.size())
            return kNoIndex;
        const std::string path = groupPath(m_before, group);
        if (const auto found = m_groups.find(path); found != m_groups.end())
            return found->second;
        const std::uint32_t parent = groupFor(m_before.groups[group].parent);
        m_both.groups.push_back({m_before.groups[group].label, parent});
        return m_groups[path] = static_cast<std::uint32_t>(m_both.groups.size() - 1);
    }

    // Edges between the same items are the same; those read twice count twice.
    void addEdges()
    {
        std::map<std::pair<ItemIndex, ItemIndex>, int> had;
        for (const DocumentEdge &edge : m_before.edges)
            ++had[{m_place[edge.from], m_place[edge.to]}];
        for (const DocumentEdge &edge : m_after.edges) {
            const auto found = had.find({edge.from, edge.to});
            const bool isOld = found != had.end() && found->second > 0;
            if (isOld)
                --found->second;
            m_both.edges.push_back(edge);
            m_made.edges.push_back(isOld ? ItemKind::Same : ItemKind::Added);
        }
        for (const DocumentEdge &edge : m_before.edges) {
            int &left = had[{m_place[edge.from], m_place[edge.to]}];
            if (left == 0)
                continue;
            --left;
            m_both.edges.push_back({m_place[edge.from], m_place[edge.to], edge.label, kNoIndex});
            m_made.edges.push_back(ItemKind::Removed);
        }
    }

    const StageDocument &m_before;
    const StageDocument &m_after;
    ItemPairs m_pairs;
    std::vector<ItemIndex> m_place; // in `both`, by item of the first document
    std::map<std::string, std::uint32_t> m_groups;
    StageDocument m_both;
    GraphDifference m_made;
};

} // namespace

std::string_view nameOf(ItemKind kind)
{
    switch (kind) {
    case ItemKind::Same:
        return "same";
    case ItemKind::Renamed:
        return "renamed";
    case ItemKind::Changed:
        return "changed";
    case ItemKind::Removed:
        return "removed";
    case ItemKind::Added:
        return "added";
    }
    SW_UNREACHABLE();
}

bool GraphDifference::isDifferent() const
{
    return count(ItemKind::Same) + count(ItemKind::Renamed) < items.size();
}

GraphDifference graphDifferenceOf(const StageDocument &before, const StageDocument &after)
{
    SW_ASSERT(before.kind == after.kind, "two documents of one stage");
    return Merge(before, after).merge();
}

} // namespace sw
