#include "ui/panels/text_sides.h"

#include "ui/panels/difference_hint.h"

#include <QApplication>

namespace stepwell::ui {

TextSides::TextSides(const PanelContext &context, sw::StageKind stage, QWidget *now, const QString &name, QWidget *parent)
    : QStackedWidget(parent), m_context(context), m_stage(stage), m_name(name)
{
    addWidget(now);
    setFocusProxy(now);
    connect(&context.baseline.differences(), &StageDifferences::changed, this, [this](sw::StageKind changedStage) {
        if (changedStage == m_stage)
            showSide();
    });
}

void TextSides::setChoice(SideChoice &choice)
{
    m_choice = &choice;
    connect(&choice, &SideChoice::changed, this, &TextSides::showSide);
}

TextView *TextSides::view() const
{
    if (currentWidget() == m_before && m_before)
        return m_before;
    return currentWidget() == m_difference && m_difference ? &m_difference->view() : nullptr;
}

QString TextSides::note() const
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

void TextSides::showEvent(QShowEvent *event)
{
    QStackedWidget::showEvent(event);
    showSide();
}

void TextSides::showSide()
{
    const Shown side = shown();
    // Of the application: focusWidget() is what had the focus last in here, long after it has gone elsewhere.
    const bool hadFocus = isAncestorOf(QApplication::focusWidget());
    if (side == Shown::Now)
        setCurrentIndex(0);
    else if (side == Shown::Before)
        showBefore();
    else
        showDifference();
    setFocusProxy(currentWidget());
    if (hadFocus && isVisible())
        currentWidget()->setFocus();
    emit changed();
}

void TextSides::showBefore()
{
    if (!m_before) {
        m_before = new TextView(m_stage, m_context.appearance, m_context.baseline.selection(), this);
        m_before->setObjectName(m_name + QStringLiteral("Before"));
        addWidget(m_before);
    }
    const SnapshotPtr &before = m_context.baseline.before();
    const sw::StageDocumentPtr document = before ? before->stage(m_stage).document : nullptr;
    m_before->setHint(beforeHint(m_context.baseline, m_stage));
    if (!document)
        m_before->setRows({}, {});
    else if (document != m_before->rows().document())
        m_before->setRows(TextRows(document), before->kernels);
    setCurrentWidget(m_before);
}

void TextSides::showDifference()
{
    Baseline &baseline = m_context.baseline;
    if (!m_difference) {
        m_difference = new DifferenceView(m_stage, m_context.appearance, m_context.selection, baseline.selection(), this);
        m_difference->view().setObjectName(m_name + QStringLiteral("Difference"));
        addWidget(m_difference);
    }
    setCurrentWidget(m_difference);
    if (m_stage == sw::StageKind::Machine && isVisible() && baseline.differences().state(m_stage) == DifferenceState::Unread)
        baseline.wantCode();
    const StageDifferencePtr &difference = baseline.differences().difference(m_stage);
    const bool isShown = difference && difference->isDifferent();
    if (baseline.differences().state(m_stage) == DifferenceState::Equal) // the text is the same: it goes on being shown
        setCurrentIndex(0);
    const SnapshotPtr &now = m_context.session.snapshot();
    m_difference->setHint(differenceHint(baseline, m_stage));
    m_difference->setDifference(isShown ? difference : nullptr, now ? now->kernels : std::vector<KernelIdentity>(),
                                baseline.before() ? baseline.before()->kernels : std::vector<KernelIdentity>());
    // While a newer difference is on its way, the lines are not those of the documents that light up.
    const SnapshotPtr &shown = m_context.moment.snapshot();
    m_difference->view().setLinked(isShown && shown && difference->after == shown->stage(m_stage).document);
}

bool TextSides::step(int direction)
{
    return currentWidget() == m_difference && m_difference && m_difference->step(direction);
}

} // namespace stepwell::ui
