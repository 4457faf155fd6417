#include "ui/session/selection.h"

#include "ui/session/counted.h"

#include <QStringList>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

bool isKernel(const sw::DocumentItem &item)
{
    return std::ranges::find(item.tags, "kernel") != item.tags.end();
}

// How many things of the stage a set contains, for the status line: nodes and kernels count items, text counts lines.
int countOf(const StageView &view, const PartnerSet &set)
{
    switch (view.document->kind) {
    case sw::StageKind::Graph:
        return static_cast<int>(set.items.size());
    case sw::StageKind::Schedule: {
        const auto isOne = [&](sw::ItemIndex item) { return isKernel(view.document->items[item]); };
        return static_cast<int>(std::ranges::count_if(set.items, isOne));
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
    // Machine code that was read because of what is pointed at lights up then; under another document the pointer points anew.
    const Mark oldHovered = std::exchange(m_hovered, {});
    const bool isPointedAtStill = m_snapshot && snapshot && !oldHovered.items.empty() &&
                                  m_snapshot->stage(oldHovered.stage).document == snapshot->stage(oldHovered.stage).document;
    m_snapshot = snapshot;
    if (isPointedAtStill)
        m_hovered = markOf(oldHovered.stage, oldHovered.items);
    if (m_snapshot && !oldSelected.items.empty()) {
        m_selected = markOf(oldSelected.stage, findAgain(oldSelected));
        // While the stage that was clicked is still being made, the selection is kept.
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
    ++m_number;
    emit selectionChanged();
}

void Selection::clear()
{
    ++m_number;
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
    const StageView &view = m_snapshot->stage(stage);
    for (const sw::ItemIndex item : items) {
        if (item >= view.document->items.size())
            continue;
        mark.items.push_back(item);
        mark.labels.push_back(view.document->items[item].label);
        PartnerKey key = view.partners->keyOf(view.document->items[item], item);
        if (mark.keys.empty() || mark.keys.back() != key)
            mark.keys.push_back(std::move(key));
    }
    return mark;
}

std::optional<StageItem> Selection::firstHovered() const
{
    return m_hovered.items.empty() ? std::nullopt : std::optional(StageItem{m_hovered.stage, m_hovered.items.front()});
}

std::optional<StageItem> Selection::firstSelected() const
{
    return m_selected.items.empty() ? std::nullopt : std::optional(StageItem{m_selected.stage, m_selected.items.front()});
}

std::vector<std::uint32_t> Selection::selectedSources() const
{
    std::vector<std::uint32_t> sources;
    const sw::StageDocumentPtr document = m_snapshot ? m_snapshot->stage(m_selected.stage).document : nullptr;
    for (const sw::ItemIndex item : m_selected.items)
        if (document && item < document->items.size())
            sources.insert(sources.end(), document->items[item].sources.begin(), document->items[item].sources.end());
    std::ranges::sort(sources);
    const auto repeated = std::ranges::unique(sources);
    sources.erase(repeated.begin(), repeated.end());
    return sources;
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
    // Source items are numbered separately in each compilation.
    if (!view.document || view.compilation != m_snapshot->stage(mark.stage).compilation)
        return set;
    set = stage == mark.stage ? view.partners->setOf(mark.items, mark.keys) : view.partners->partnersOf(mark.keys);
    return set;
}

std::vector<sw::ItemIndex> Selection::findAgain(const Mark &mark) const
{
    std::vector<sw::ItemIndex> found;
    const StageView &view = m_snapshot->stage(mark.stage);
    if (!view.document)
        return found;
    const sw::StageDocument &document = *view.document;
    // Kernel and instruction numbers change when the program changes; sources do not.
    std::vector<PartnerKey> keys = mark.keys;
    for (PartnerKey &key : keys) {
        key.instruction = sw::kNoIndex;
        if (mark.stage == sw::StageKind::Program)
            key.kernels.clear();
    }
    // The document is the same; the report only grew.
    if (!mark.items.empty() && mark.items.back() < document.items.size()) {
        const auto isSame = [&](std::size_t i) { return document.items[mark.items[i]].label == mark.labels[i]; };
        bool allSame = true;
        for (std::size_t i = 0; i < mark.items.size() && allSame; ++i)
            allSame = mark.items[i] < document.items.size() && isSame(i);
        if (allSame && view.partners->partnersOf(keys).items.size() >= mark.items.size())
            return mark.items;
    }
    const auto withSameLabel = [&](const PartnerSet &partners) {
        std::vector<sw::ItemIndex> same;
        for (const sw::ItemIndex item : partners.items)
            if (std::ranges::find(mark.labels, document.items[item].label) != mark.labels.end())
                same.push_back(item);
        return same;
    };
    const PartnerSet partners = view.partners->partnersOf(keys);
    if (found = withSameLabel(partners); !found.empty())
        return found;
    // It may have moved to another kernel.
    for (PartnerKey &key : keys)
        key.kernels.clear();
    found = withSameLabel(view.partners->partnersOf(keys));
    return found.empty() ? partners.items : found;
}

const sw::DocumentItem *Selection::firstItemOf(const Mark &mark) const
{
    if (!m_snapshot || mark.items.empty())
        return nullptr;
    const sw::StageDocumentPtr &document = m_snapshot->stage(mark.stage).document;
    return document && mark.items.front() < document->items.size() ? &document->items[mark.items.front()] : nullptr;
}

std::optional<Selection::Place> Selection::selectedPlace() const
{
    return selectedItem() ? std::optional(Place{m_selected.stage, m_selected.items.front()}) : std::nullopt;
}
const sw::DocumentItem *Selection::selectedItem() const
{
    return firstItemOf(m_selected);
}
const sw::DocumentItem *Selection::hoveredItem() const
{
    return firstItemOf(m_hovered);
}

QString Selection::nameOf(const Mark &mark) const
{
    constexpr qsizetype kMostCharacters = 40;
    QString first = QString::fromStdString(mark.labels.front());
    if (first.size() > kMostCharacters)
        first = first.left(kMostCharacters - 1) + u'\u2026';
    const auto others = static_cast<qint64>(mark.items.size()) - 1;
    return others == 0 ? first : counted(others, tr("%2 and %1 other"), tr("%2 and %1 others")).arg(first);
}

// The time of the kernels that the mark belongs to, from the last run, if that run was of this program.
QString Selection::shareOfTime(Mark &mark) const
{
    const StageView &view = m_snapshot->stage(sw::StageKind::Schedule);
    if (m_snapshot->moment || !m_snapshot->measured || m_snapshot->measuredCompilation != view.compilation || !view.document)
        return {};
    const std::vector<sw::KernelEntry> &kernels = m_snapshot->measured->kernels;
    std::vector<bool> isMeant(kernels.size(), false);
    for (const sw::ItemIndex item : resolve(mark, sw::StageKind::Schedule).items)
        if (isKernel(view.document->items[item]) && view.document->items[item].kernel < kernels.size())
            isMeant[view.document->items[item].kernel] = true;
    std::int64_t whole = 0;
    std::int64_t part = 0;
    bool isOfRun = false;
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        isOfRun = isOfRun || (isMeant[i] && !kernels[i].isOfLoad);
        const std::int64_t time = sw::runNanosecondsOf(kernels[i]);
        whole += time;
        part += isMeant[i] ? time : 0;
    }
    if (whole == 0 || std::ranges::find(isMeant, true) == isMeant.end())
        return {};
    if (!isOfRun)
        return tr("once, when loading");
    const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
    return tr("%1 % of the time").arg(percent, 0, 'f', percent < 10 ? 1 : 0);
}

QString Selection::summary() const
{
    Mark &mark = m_hovered.items.empty() ? m_selected : m_hovered;
    if (mark.items.empty() || !m_snapshot)
        return {};
    const std::uint64_t compilation = m_snapshot->stage(mark.stage).compilation;
    QStringList parts;
    int all = 0;
    for (const sw::StageKind stage :
         {sw::StageKind::Graph, sw::StageKind::Schedule, sw::StageKind::Lowered, sw::StageKind::Code, sw::StageKind::Machine}) {
        const StageView &view = m_snapshot->stage(stage);
        if (!view.document || view.compilation != compilation)
            continue;
        const int count = countOf(view, resolve(mark, stage));
        all += count;
        parts << countText(stage, count);
    }
    const QString arrow = QStringLiteral(" \u2192 ");
    if (parts.isEmpty())
        return tr("%1: not compiled").arg(nameOf(mark));
    if (all == 0)
        return tr("%1: nothing was made of it").arg(nameOf(mark));
    if (const QString share = shareOfTime(mark); !share.isEmpty())
        parts << share;
    return tr("%1: %2").arg(nameOf(mark), parts.join(arrow));
}

} // namespace stepwell::ui
