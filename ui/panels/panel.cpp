#include "ui/panels/panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace stepwell::ui {

Panel::Panel(const PanelContext &context, const QString &id, const QString &title)
    : m_context(context), m_title(title), m_tools(new QWidget(this)), m_note(new QLabel(m_tools)), m_badge(new QLabel(m_tools))
{
    setObjectName(id);
    setAccessibleName(title);
    auto *row = new QHBoxLayout(m_tools);
    row->setContentsMargins(0, 0, 0, 0);
    row->setSpacing(3);
    m_note->setObjectName(QStringLiteral("paneNote"));
    m_badge->setObjectName(QStringLiteral("paneBadge"));
    m_badge->setText(tr("out of date"));
    m_badge->setToolTip(tr("The program has errors. This is the last result without."));
    m_badge->hide();
    row->addWidget(m_badge);
    row->addWidget(m_note);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    connect(&context.appearance, &Appearance::changed, this, &Panel::setIcons);
}

void Panel::takeFocus()
{
    setFocus(Qt::ShortcutFocusReason); // to the content
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
    return !m_badge->isHidden();
}
void Panel::setNote(const QString &note)
{
    m_note->setText(note);
}
void Panel::setOutOfDate(bool isOutOfDate)
{
    m_badge->setVisible(isOutOfDate);
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
    layout()->addWidget(content);
    setFocusProxy(content);
}

} // namespace stepwell::ui
