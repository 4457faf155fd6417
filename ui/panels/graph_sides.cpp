#include "ui/panels/graph_sides.h"

#include "ui/panels/difference_hint.h"
#include "ui/sharing/take_menu.h"

namespace stepwell::ui {

GraphSides::GraphSides(const PanelContext &context, sw::StageKind stage, GraphView *now, QWidget *parent)
    : QStackedWidget(parent), m_context(context), m_stage(stage), m_now(now)
{
    addWidget(now);
    setFocusProxy(now);
    connect(&context.baseline.differences(), &StageDifferences::changed, this, [this](sw::StageKind changedStage) {
        if (changedStage == m_stage)
            showSide();
    });
}

void GraphSides::setChoice(SideChoice &choice)
{
    m_choice = &choice;
    connect(&choice, &SideChoice::changed, this, &GraphSides::showSide);
}

GraphView &GraphSides::view() const
{
    return *static_cast<GraphView *>(currentWidget());
}

bool GraphSides::isSettled() const
{
    return !view().isLayingOut() && !view().canvas().isFading();
}

QString GraphSides::note() const
{
    const BaselineEntry *entry = m_context.baseline.current();
    if (!entry || shown() == Shown::Now)
        return {};
    const StageDifferencePtr &difference = m_context.baseline.differences().difference(m_stage);
    if (shown() == Shown::Before || !difference)
        return tr("before: %1").arg(entry->name);
    const QString note = differenceNote(*difference);
    return note.isEmpty() ? tr("no difference") : note;
}

GraphView *GraphSides::makeView(Selection &selection, const char *name)
{
    auto *view = new GraphView(m_stage, m_context.appearance, selection, this);
    view->setObjectName(QLatin1String(name));
    view->canvas().setAccessibleName(m_now->canvas().accessibleName());
    addWidget(view);
    connect(view, &GraphView::boxMenuWanted, view, [view](BoxIndex, const QPoint &at) { popUpTakeMenu(view->canvas(), at); });
    connect(view, &GraphView::edgeMenuWanted, view,
            [view](std::uint32_t, const QPoint &at) { popUpTakeMenu(view->canvas(), at); });
    return view;
}

void GraphSides::showSide()
{
    const bool hadFocus = view().canvas().hasFocus();
    switch (shown()) {
    case Shown::Now:
        setCurrentWidget(m_now);
        break;
    case Shown::Before:
        showBefore();
        break;
    case Shown::Difference:
        showDifference();
        break;
    }
    setFocusProxy(currentWidget());
    if (hadFocus && isVisible())
        view().canvas().setFocus();
    emit changed();
}

void GraphSides::showBefore()
{
    if (!m_before)
        m_before = makeView(m_context.baseline.selection(), "before");
    const SnapshotPtr &before = m_context.baseline.before();
    m_before->setHint(beforeHint(m_context.baseline, m_stage));
    if (before)
        m_before->setDocument(before->stage(m_stage).document, before->kernels);
    else
        m_before->setDocument(nullptr, {});
    setCurrentWidget(m_before);
}

void GraphSides::showDifference()
{
    Baseline &baseline = m_context.baseline;
    if (!m_difference)
        m_difference = makeView(m_context.selection, "difference");
    const StageDifferencePtr &difference = baseline.differences().difference(m_stage);
    const bool isShown = difference && difference->isDifferent();
    const SnapshotPtr &now = m_context.session.snapshot();
    m_difference->setHint(differenceHint(baseline, m_stage));
    m_difference->setDifference(isShown ? difference : nullptr, baseline.selection(),
                                now ? now->kernels : std::vector<KernelIdentity>(), m_now->canvas().scene());
    // While a newer difference is on its way, its items are not those that light up.
    const SnapshotPtr &shown = m_context.moment.snapshot();
    m_difference->setDimmed(!isShown || !shown || difference->after != shown->stage(m_stage).document);
    // A graph that is the same goes on being shown.
    const bool isEqual = baseline.differences().state(m_stage) == DifferenceState::Equal;
    setCurrentWidget(isEqual ? m_now : m_difference);
}

bool GraphSides::step(int direction)
{
    return currentWidget() == m_difference && m_difference && m_difference->stepDifference(direction);
}

} // namespace stepwell::ui
