#include "ui/session/selection.h"

#include "ui/session/counted.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

// How many things of the stage a set is, for the status line: nodes and kernels are items, text is lines.
int countOf(const StageView &view, const PartnerSet &set)
{
    switch (view.document->kind) {
    case sw::StageKind::Graph:
        return static_cast<int>(set.items.size());
    case sw::StageKind::Schedule: {
        const auto isKernel = [&](sw::ItemIndex item) {
            const auto &tags = view.document->items[item].tags;
            return std::ranges::find(tags, "kernel") != tags.end();
        };
        return static_cast<int>(std::ranges::count_if(set.items, isKernel));
    }
    case sw::StageKind::Program:
    case sw::StageKind::Loops:
    case sw::StageKind::Lowered:
    case sw::StageKind::Code:
    case sw::StageKind::Machine:
        return static_cast<int>(set.lines.size());
    }
    Q_UNREACHABLE();
}

QString countText(sw::StageKind stage, int count)
{
    switch (stage) {
    case sw::StageKind::Graph:
        return counted(count, Selection::tr("%1 node"), Selection::tr("%1 nodes"));
    case sw::StageKind::Schedule:
        return counted(count, Selection::tr("%1 kernel"), Selection::tr("%1 kernels"));
    case sw::StageKind::Lowered:
        return counted(count, Selection::tr("%1 instruction"), Selection::tr("%1 instructions"));
    case sw::StageKind::Code:
        return counted(count, Selection::tr("%1 line"), Selection::tr("%1 lines"));
    case sw::StageKind::Machine:
        return counted(count, Selection::tr("%1 machine instruction"), Selection::tr("%1 machine instructions"));
    case sw::StageKind::Program:
    case sw::StageKind::Loops:
        return {};
    }
    Q_UNREACHABLE();
}

} // namespace

Selection::Selection(QObject *parent) : QObject(parent) {}

void Selection::setSnapshot(const SnapshotPtr &snapshot)
{
    const Mark oldSelected = std::exchange(m_selected, {});
    m_hovered = {};
    m_snapshot = snapshot;
    if (m_snapshot && !oldSelected.items.empty()) {
        m_selected = markOf(oldSelected.stage, findAgain(oldSelected));
        // While the stage that was clicked is on its way, the wish is kept.
        if (m_selected.items.empty() && !m_snapshot->isFinal)
            m_selected = oldSelected;
        m_selected.isResolved.fill(false);
    }
    emit hoverChanged();
    emit selectionChanged();
}

void Selection::setHover(sw::StageKind stage, const std::vector<sw::ItemIndex> &items)
{
    if (m_hovered.stage == stage && m_hovered.items == items)
        return;
    m_hovered = markOf(stage, items);
    emit hoverChanged();
}

void Selection::clearHover()
{
    if (m_hovered.items.empty())
        return;
    m_hovered = {};
    emit hoverChanged();
}

void Selection::select(sw::StageKind stage, const std::vector<sw::ItemIndex> &items, SelectMode mode)
{
    std::vector<sw::ItemIndex> all = items;
    if (mode == SelectMode::Add && m_selected.stage == stage) {
        all = m_selected.items;
        for (const sw::ItemIndex item : items) {
            if (std::erase(all, item) == 0)
                all.push_back(item);
        }
    }
    m_selected = markOf(stage, std::move(all));
    emit selectionChanged();
}

void Selection::clear()
{
    if (m_selected.items.empty())
        return;
    m_selected = {};
    emit selectionChanged();
}

Selection::Mark Selection::markOf(sw::StageKind stage, std::vector<sw::ItemIndex> items) const
{
    Mark mark;
    mark.stage = stage;
    if (!m_snapshot || !m_snapshot->stage(stage).document)
        return mark;
    const sw::StageDocument &document = *m_snapshot->stage(stage).document;
    for (const sw::ItemIndex item : items) {
        if (item >= document.items.size())
            continue;
        mark.items.push_back(item);
        mark.labels.push_back(document.items[item].label);
        if (mark.keys.empty() || mark.keys.back() != keyOf(document.items[item]))
            mark.keys.push_back(keyOf(document.items[item]));
    }
    return mark;
}

const PartnerSet &Selection::hovered(sw::StageKind stage) const
{
    return resolve(m_hovered, stage);
}
const PartnerSet &Selection::selected(sw::StageKind stage) const
{
    return resolve(m_selected, stage);
}

const PartnerSet &Selection::resolve(Mark &mark, sw::StageKind stage) const
{
    PartnerSet &set = mark.resolved[indexOf(stage)];
    if (mark.isResolved[indexOf(stage)])
        return set;
    mark.isResolved[indexOf(stage)] = true;
    set = {};
    if (!m_snapshot || mark.items.empty())
        return set;
    const StageView &view = m_snapshot->stage(stage);
    // Source items of different compilations are numbered apart.
    if (!view.document || view.compilation != m_snapshot->stage(mark.stage).compilation)
        return set;
    set = stage == mark.stage ? view.partners->setOf(mark.items) : view.partners->partnersOf(mark.keys);
    return set;
}

std::vector<sw::ItemIndex> Selection::findAgain(const Mark &mark) const
{
    std::vector<sw::ItemIndex> found;
    const StageView &view = m_snapshot->stage(mark.stage);
    if (!view.document)
        return found;
    const sw::StageDocument &document = *view.document;
    // The same document: the report only grew.
    if (!mark.items.empty() && mark.items.back() < document.items.size()) {
        const auto isSame = [&](std::size_t i) { return document.items[mark.items[i]].label == mark.labels[i]; };
        bool allSame = true;
        for (std::size_t i = 0; i < mark.items.size() && allSame; ++i)
            allSame = mark.items[i] < document.items.size() && isSame(i);
        if (allSame && view.partners->partnersOf(mark.keys).items.size() >= mark.items.size())
            return mark.items;
    }
    const PartnerSet partners = view.partners->partnersOf(mark.keys);
    for (const sw::ItemIndex item : partners.items) {
        if (std::ranges::find(mark.labels, document.items[item].label) != mark.labels.end())
            found.push_back(item);
    }
    return found.empty() ? partners.items : found;
}

std::vector<PartnerKey> Selection::selectedKeys() const
{
    return m_selected.keys;
}

const sw::DocumentItem *Selection::firstItemOf(const Mark &mark) const
{
    if (!m_snapshot || mark.items.empty())
        return nullptr;
    const sw::StageDocumentPtr &document = m_snapshot->stage(mark.stage).document;
    return document && mark.items.front() < document->items.size() ? &document->items[mark.items.front()] : nullptr;
}

const sw::DocumentItem *Selection::selectedItem() const
{
    return firstItemOf(m_selected);
}
const sw::DocumentItem *Selection::hoveredItem() const
{
    return firstItemOf(m_hovered);
}

QString Selection::summary() const
{
    Mark &mark = m_hovered.items.empty() ? m_selected : m_hovered;
    if (mark.items.empty() || !m_snapshot)
        return {};
    QStringList parts;
    for (const sw::StageKind stage :
         {sw::StageKind::Graph, sw::StageKind::Schedule, sw::StageKind::Lowered, sw::StageKind::Code, sw::StageKind::Machine}) {
        if (!m_snapshot->stage(stage).document)
            continue;
        parts << countText(stage, countOf(m_snapshot->stage(stage), resolve(mark, stage)));
    }
    return parts.join(QStringLiteral(" \u2192 "));
}

} // namespace stepwell::ui
