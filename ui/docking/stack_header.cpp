#include "ui/docking/stack_header.h"

#include <QEvent>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kHeight = 28;
constexpr int kSpacing = 6;
constexpr int kRightMargin = 3;
constexpr int kLeastTabs = 96; // pixels: one tab and the buttons that scroll

} // namespace

StackHeader::StackHeader(QWidget *parent) : QWidget(parent)
{
    setObjectName(QStringLiteral("paneHeader"));
    setAttribute(Qt::WA_StyledBackground);
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed);
}

void StackHeader::setParts(QWidget *tabs, QWidget *menuButton)
{
    m_tabs = tabs;
    m_menuButton = menuButton;
}

void StackHeader::setTools(QWidget *tools)
{
    if (m_tools && m_tools->parentWidget() == this)
        m_tools->hide();
    m_tools = tools;
    m_tools->setParent(this);
    m_tools->show();
    updateGeometry();
    arrange();
}

int StackHeader::leastTabs() const
{
    return std::min(m_tabs->sizeHint().width(), kLeastTabs);
}

QSize StackHeader::minimumSizeHint() const
{
    const int tools = m_tools ? m_tools->minimumSizeHint().width() : 0;
    const int height = std::max({kHeight, fontMetrics().height() + 12, m_tabs->sizeHint().height()});
    return {leastTabs() + kSpacing + tools + m_menuButton->sizeHint().width() + kRightMargin, height};
}

// The tools are not in a layout: they tell a new note by a layout request.
bool StackHeader::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest) {
        updateGeometry();
        arrange();
    }
    return QWidget::event(event);
}

void StackHeader::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    arrange();
}

void StackHeader::arrange()
{
    if (!m_tools || m_tools->parentWidget() != this)
        return;
    const QSize button = m_menuButton->sizeHint();
    const int right = width() - kRightMargin - button.width();
    m_menuButton->setGeometry(right, (height() - button.height()) / 2, button.width(), button.height());
    const QSize hint = m_tabs->sizeHint();
    const int most = std::max(m_tools->sizeHint().width(), m_tools->minimumSizeHint().width());
    const int tools = std::clamp(right - kSpacing - hint.width(), m_tools->minimumSizeHint().width(), most);
    const int tabs = std::clamp(right - kSpacing - tools, 0, hint.width());
    m_tabs->setGeometry(0, height() - hint.height(), tabs, hint.height());
    const int toolsHeight = std::min(height(), m_tools->sizeHint().height());
    m_tools->setGeometry(right - tools, (height() - toolsHeight) / 2, tools, toolsHeight);
}

} // namespace stepwell::ui
