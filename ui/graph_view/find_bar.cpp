#include "ui/graph_view/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QToolButton>

namespace stepwell::ui {

FindBar::FindBar(const Appearance &appearance, QWidget *parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_edit(new QLineEdit(this)),
      m_count(new QLabel(this)),
      m_previous(new QToolButton(this)),
      m_next(new QToolButton(this)),
      m_close(new QToolButton(this))
{
    setObjectName(QStringLiteral("findBar"));
    setAttribute(Qt::WA_StyledBackground);
    auto *row = new QHBoxLayout(this);
    row->setContentsMargins(6, 4, 6, 4);
    row->setSpacing(4);
    row->addWidget(m_edit, 1);
    row->addWidget(m_count);
    for (QToolButton *button : {m_previous, m_next, m_close}) {
        button->setProperty("pane", true);
        row->addWidget(button);
    }
    m_edit->setObjectName(QStringLiteral("findEdit"));
    m_edit->setAccessibleName(tr("Find"));
    m_edit->setPlaceholderText(tr("Find (regular expression)"));
    m_edit->installEventFilter(this);
    m_previous->setToolTip(tr("Previous (Shift+F3)"));
    m_next->setToolTip(tr("Next (F3)"));
    m_close->setToolTip(tr("Close (Esc)"));
    for (QToolButton *button : {m_previous, m_next, m_close})
        button->setAccessibleName(button->toolTip());
    setIcons();
    connect(&appearance, &Appearance::changed, this, &FindBar::setIcons);
    connect(m_edit, &QLineEdit::textChanged, this, &FindBar::readPattern);
    connect(m_previous, &QToolButton::clicked, this, &FindBar::previousRequested);
    connect(m_next, &QToolButton::clicked, this, &FindBar::nextRequested);
    connect(m_close, &QToolButton::clicked, this, &FindBar::close);
    hide();
}

void FindBar::setIcons()
{
    m_previous->setIcon(m_appearance.icon(QStringLiteral("up")));
    m_next->setIcon(m_appearance.icon(QStringLiteral("down")));
    m_close->setIcon(m_appearance.icon(QStringLiteral("close")));
}

void FindBar::open()
{
    show();
    m_edit->setFocus();
    m_edit->selectAll();
    readPattern();
}

void FindBar::close()
{
    hide();
    m_pattern = {};
    emit patternChanged(m_pattern);
    emit closed();
}

void FindBar::setCount(int current, int total)
{
    if (m_pattern.pattern().isEmpty())
        m_count->clear();
    else if (total == 0)
        m_count->setText(tr("none"));
    else
        m_count->setText(tr("%1 of %2").arg(current).arg(total));
}

void FindBar::readPattern()
{
    const QString text = m_edit->text();
    m_pattern = QRegularExpression(text, QRegularExpression::CaseInsensitiveOption);
    if (!m_pattern.isValid()) // half-typed: search for it literally
        m_pattern = QRegularExpression(QRegularExpression::escape(text), QRegularExpression::CaseInsensitiveOption);
    m_pattern.optimize();
    emit patternChanged(m_pattern);
}

bool FindBar::eventFilter(QObject *watched, QEvent *event)
{
    if (watched != m_edit || event->type() != QEvent::KeyPress)
        return QWidget::eventFilter(watched, event);
    const auto *key = static_cast<QKeyEvent *>(event);
    const bool isBackwards = key->modifiers() & Qt::ShiftModifier;
    switch (key->key()) {
    case Qt::Key_Escape:
        close();
        return true;
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_F3:
        if (isBackwards)
            emit previousRequested();
        else
            emit nextRequested();
        return true;
    default:
        return false;
    }
}

} // namespace stepwell::ui
