// The drawing of a difference: the items of two documents in one graph.

#include "ui/graph_view/graph_view.h"

#include <algorithm>

namespace stepwell::ui {

void GraphView::setDifference(const StageDifferencePtr &difference, Selection &before, const std::vector<KernelIdentity> &kernels,
                              const GraphScenePtr &like)
{
    if (!m_before) {
        m_before = &before;
        connect(&before, &Selection::hoverChanged, this, &GraphView::showMarks);
        connect(&before, &Selection::selectionChanged, this, [this] {
            showMarks();
            reveal();
        });
    }
    if (difference == m_difference && m_document)
        return;
    m_difference = difference;
    m_drawnBefore.assign(difference ? difference->before->items.size() : 0, sw::kNoIndex);
    if (difference)
        for (sw::ItemIndex item = 0; item < difference->items.items.size(); ++item)
            if (const sw::ItemIndex of = difference->items.items[item].before; of != sw::kNoIndex)
                m_drawnBefore[of] = item;
    if (like && difference) {
        m_like = {like};
        m_isNextMoment = true; // what stayed keeps its place
    }
    m_canvas->setEdgeKinds(difference ? difference->items.edges : std::vector<sw::ItemKind>());
    setDocument(difference ? difference->items.both : nullptr, kernels);
}

std::vector<sw::ItemIndex> GraphView::drawn(const std::vector<sw::ItemIndex> &now, const std::vector<sw::ItemIndex> &before) const
{
    std::vector<sw::ItemIndex> items = now;
    if (!m_difference)
        return items;
    std::erase_if(items, [this](sw::ItemIndex item) { return item >= m_difference->after->items.size(); });
    for (const sw::ItemIndex item : before)
        if (item < m_drawnBefore.size() && m_drawnBefore[item] != sw::kNoIndex)
            items.push_back(m_drawnBefore[item]);
    return items;
}

GraphView::Lit GraphView::litBy(const std::vector<sw::ItemIndex> &items)
{
    if (!m_difference)
        return {m_selection, items};
    std::vector<sw::ItemIndex> now;
    std::vector<sw::ItemIndex> removed;
    for (const sw::ItemIndex item : items) {
        const sw::ItemDifference &difference = m_difference->items.items[item];
        if (difference.after != sw::kNoIndex)
            now.push_back(difference.after);
        else
            removed.push_back(difference.before);
    }
    return now.empty() ? Lit{*m_before, removed} : Lit{m_selection, now};
}

void GraphView::markDifference(GraphMarks &marks) const
{
    if (!m_difference || !isCurrent())
        return;
    std::array<std::vector<sw::ItemIndex>, sw::kItemKinds> byKind;
    for (sw::ItemIndex item = 0; item < m_difference->items.items.size(); ++item)
        byKind[static_cast<std::size_t>(m_difference->items.items[item].kind)].push_back(item);
    const auto boxes = [&](sw::ItemKind kind) { return boxesOf(byKind[static_cast<std::size_t>(kind)]); };
    marks.matched = boxes(sw::ItemKind::Removed);
    marks.made = boxes(sw::ItemKind::Added);
    marks.changed = boxes(sw::ItemKind::Changed);
    marks.renamed = boxes(sw::ItemKind::Renamed);
    // A folded scope may have all of them: it was changed.
    for (BoxIndex box = 0; box < m_canvas->scene()->boxes.size(); ++box) {
        if (!m_canvas->scene()->boxes[box].isScope())
            continue;
        const auto has = [box](const std::vector<BoxIndex> &list) { return std::ranges::binary_search(list, box); };
        const int kinds = (has(marks.matched) ? 1 : 0) + (has(marks.made) ? 1 : 0) + (has(marks.changed) ? 1 : 0);
        const auto keep = [&](std::vector<BoxIndex> &list) { std::erase(list, box); };
        if (kinds > 0)
            keep(marks.renamed);
        if (kinds < 2)
            continue;
        keep(marks.matched);
        keep(marks.made);
        keep(marks.changed);
        marks.changed.insert(std::ranges::lower_bound(marks.changed, box), box);
    }
}

bool GraphView::stepDifference(int direction)
{
    if (!m_difference || !isCurrent())
        return false;
    const GraphScene &scene = *m_canvas->scene();
    std::vector<BoxIndex> boxes;
    for (const auto *list : {&m_canvas->marks().matched, &m_canvas->marks().made, &m_canvas->marks().changed})
        boxes.insert(boxes.end(), list->begin(), list->end());
    // From the top to the bottom.
    const auto place = [&](BoxIndex box) { return std::pair(scene.boxes[box].rect.top(), scene.boxes[box].rect.left()); };
    std::ranges::sort(boxes, {}, place);
    const std::vector<BoxIndex> &selected = m_canvas->marks().selected;
    const auto at = std::ranges::find_if(boxes, [&](BoxIndex box) { return std::ranges::binary_search(selected, box); });
    auto next = static_cast<std::ptrdiff_t>(direction > 0 ? 0 : boxes.size() - 1);
    if (at != boxes.end())
        next = at - boxes.begin() + direction;
    if (next < 0 || next >= static_cast<std::ptrdiff_t>(boxes.size()))
        return false;
    const BoxIndex box = boxes[static_cast<std::size_t>(next)];
    m_canvas->centerOn(box);
    const Lit lit = litBy(scene.itemsOf(box));
    lit.selection.select(m_stage, lit.items);
    return true;
}

} // namespace stepwell::ui
