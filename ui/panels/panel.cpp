#include "ui/panels/panel.h"

#include "ui/panels/content_scroll.h"
#include "ui/panels/cut_text.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace stepwell::ui {

Panel::Panel(const PanelContext &context, const PanelName &name)
    : m_context(context),
      m_title(name.title),
      m_tools(new QWidget(this)),
      m_note(new CutLabel(m_tools)),
      m_badge(new QLabel(m_tools)),
      m_endBadge(new QLabel(m_tools))
{
    setObjectName(name.id);
    setAccessibleName(name.title);
    auto *row = new QHBoxLayout(m_tools);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(3);
    m_note->setObjectName(QStringLiteral("paneNote"));
    m_badge->setObjectName(QStringLiteral("paneBadge"));
    m_badge->setText(tr("out of date"));
    m_badge->hide();
    m_endBadge->setObjectName(QStringLiteral("paneEndBadge"));
    m_endBadge->setText(tr("from the end"));
    m_endBadge->setToolTip(tr("The window shows an earlier moment. This is what the end of the compilation made."));
    m_endBadge->hide();
    for (QLabel *badge : {m_badge, m_endBadge})
        badge->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    row->addWidget(m_badge);
    row->addWidget(m_endBadge);
    row->addWidget(m_note);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    connect(&context.appearance, &Appearance::changed, this, &Panel::setIcons);
    connect(&context.session, &Session::outOfDateChanged, this, &Panel::updateOutOfDate);
}

void Panel::takeFocus()
{
    setFocus(Qt::ShortcutFocusReason); // passes it to the content
    const QWidget *now = QApplication::focusWidget();
    if (now && isAncestorOf(now) && now->isVisible())
        return;
    for (QWidget *child : findChildren<QWidget *>()) {
        if (child->isVisible() && child->isEnabled() && child->focusPolicy() == Qt::StrongFocus && !child->focusProxy()) {
            child->setFocus(Qt::ShortcutFocusReason);
            return;
        }
    }
}

void Panel::zoom(int) {}

void Panel::setSnapshots(const SnapshotPtr &now, const SnapshotPtr &end)
{
    m_isBeforeEnd = now && now->moment;
    m_endBadge->setVisible(m_isBeforeEnd && belongsToEnd());
    setSnapshot(belongsToEnd() ? end : now);
    updateOutOfDate();
}

void Panel::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (std::exchange(m_isRefillDue, false))
        refill();
}

void Panel::refillWhenVisible()
{
    m_isRefillDue = !isVisible();
    if (!m_isRefillDue)
        refill();
}

void Panel::setFromEnd(bool isFromEnd)
{
    m_endBadge->setVisible(m_isBeforeEnd && isFromEnd);
}

QString Panel::notYet(const SnapshotPtr &snapshot, sw::StageKind stage) const
{
    if (!snapshot || !snapshot->moment || snapshot->stage(stage).document || !snapshot->good)
        return {};
    for (const sw::PassEntry &pass : snapshot->good->passes)
        if (pass.output == stage)
            return tr("Not yet: made by \u201c%1\u201d").arg(QString::fromStdString(pass.title));
    return {};
}

void Panel::setTitle(const QString &title)
{
    if (title == m_title)
        return;
    m_title = title;
    emit titleChanged();
}

QString Panel::note() const
{
    return m_note->text();
}
bool Panel::isMarkedOutOfDate() const
{
    return m_isOutOfDate;
}
void Panel::setNote(const QString &note)
{
    m_note->setText(note);
}

void Panel::setMadeBy(std::optional<std::uint64_t> compilation)
{
    m_madeBy = compilation;
    updateOutOfDate();
}

void Panel::updateOutOfDate()
{
    const bool isOutOfDate = m_madeBy && m_context.session.isOutOfDate(*m_madeBy);
    if (isOutOfDate)
        m_badge->setToolTip(m_context.session.isEdited() ? tr("The program was edited since this was made.")
                                                         : tr("This was made from an earlier program."));
    m_badge->setVisible(isOutOfDate);
    m_isOutOfDate = isOutOfDate;
    const bool isDimmed = isOutOfDate || (m_isBeforeEnd && belongsToEnd());
    if (std::exchange(m_isDimmed, isDimmed) != isDimmed)
        showOutOfDate(isDimmed);
}

QToolButton *Panel::addTool(const QString &icon, const QString &toolTip)
{
    auto *button = new QToolButton(m_tools);
    button->setProperty("pane", true);
    button->setToolTip(toolTip);
    button->setAccessibleName(toolTip);
    button->setIcon(m_context.appearance.icon(icon));
    button->setIconSize(QSize(14, 14));
    button->setFocusPolicy(Qt::TabFocus);
    m_tools->layout()->addWidget(button);
    m_buttons.emplace_back(button, icon);
    return button;
}

void Panel::setIcons()
{
    for (const auto &[button, icon] : m_buttons)
        button->setIcon(m_context.appearance.icon(icon));
}

void Panel::setContent(QWidget *content)
{
    layout()->addWidget(new ContentScroll(content, this));
    setFocusProxy(content);
}

} // namespace stepwell::ui
