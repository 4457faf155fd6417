#include "ui/panels/pane_frame.h"

#include "ui/panels/panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QStackedWidget>
#include <QStyle>
#include <QTabBar>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kHeaderHeight = 28;

} // namespace

PaneFrame::PaneFrame(const QString &id, const std::vector<ui::Panel *> &panels, QWidget *parent)
    : QFrame(parent), m_id(id), m_panels(panels), m_tools(new QStackedWidget(this)), m_contents(new QStackedWidget(this))
{
    setObjectName(QStringLiteral("pane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    auto *header = new QWidget(this);
    header->setObjectName(QStringLiteral("paneHeader"));
    header->setAttribute(Qt::WA_StyledBackground);
    header->setFixedHeight(kHeaderHeight);
    auto *row = new QHBoxLayout(header);
    row->setContentsMargins(panels.size() == 1 ? 9 : 1, 0, 5, 0);
    row->setSpacing(6);
    if (panels.size() == 1) {
        m_title = new QLabel(panels.front()->title(), header);
        m_title->setObjectName(QStringLiteral("paneTitle"));
        row->addWidget(m_title);
        row->addStretch(1);
    } else {
        m_tabs = new QTabBar(header);
        m_tabs->setObjectName(id + QStringLiteral("Tabs"));
        m_tabs->setAccessibleName(tr("Panels"));
        m_tabs->setExpanding(false);
        m_tabs->setDrawBase(false);
        m_tabs->setUsesScrollButtons(true);
        // The note beside the tabs shrinks first: it is cut with an ellipsis, tabs would be cut without one.
        m_tabs->setSizePolicy(QSizePolicy::Minimum, QSizePolicy::Fixed);
        row->addWidget(m_tabs, 1, Qt::AlignBottom);
    }
    m_tools->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    row->addWidget(m_tools);
    column->addWidget(header);
    column->addWidget(m_contents, 1);

    for (std::size_t i = 0; i < m_panels.size(); ++i) {
        ui::Panel *panel = m_panels[i];
        m_contents->addWidget(panel);
        m_tools->addWidget(panel->tools());
        if (m_tabs)
            m_tabs->setTabToolTip(m_tabs->addTab(panel->title()), panel->title());
        connect(panel, &ui::Panel::titleChanged, this, [this, panel, i] {
            if (m_tabs) {
                m_tabs->setTabText(static_cast<int>(i), panel->title());
                m_tabs->setTabToolTip(static_cast<int>(i), panel->title());
            } else {
                m_title->setText(panel->title());
            }
        });
    }
    if (m_tabs)
        connect(m_tabs, &QTabBar::currentChanged, this, &PaneFrame::show);
    show(0);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget *, const QWidget *now) { markFocus(now); });
}

// The style sheet draws a different border around the pane that has the keyboard focus.
void PaneFrame::markFocus(const QWidget *focus)
{
    const bool hasFocus = focus && isAncestorOf(focus);
    if (property("focused").toBool() == hasFocus)
        return;
    setProperty("focused", hasFocus);
    style()->unpolish(this);
    style()->polish(this);
}

void PaneFrame::show(int index)
{
    m_contents->setCurrentIndex(index);
    // A stacked widget is as wide as its widest page, but only the visible tools should count.
    for (int i = 0; i < m_tools->count(); ++i)
        m_tools->widget(i)->setSizePolicy(i == index ? QSizePolicy::Preferred : QSizePolicy::Ignored, QSizePolicy::Fixed);
    m_tools->setCurrentIndex(index);
    m_tools->adjustSize();
    emit currentChanged();
}

void PaneFrame::setCurrent(ui::Panel *panel)
{
    const auto found = std::ranges::find(m_panels, panel);
    if (found == m_panels.end())
        return;
    const int index = static_cast<int>(found - m_panels.begin());
    if (m_tabs)
        m_tabs->setCurrentIndex(index);
}

ui::Panel *PaneFrame::current() const
{
    return m_panels[static_cast<std::size_t>(m_contents->currentIndex())];
}

ui::Panel *PaneFrame::beside(const ui::Panel *panel, int places) const
{
    const auto count = static_cast<std::ptrdiff_t>(m_panels.size());
    const std::ptrdiff_t at = std::ranges::find(m_panels, panel) - m_panels.begin();
    return m_panels[static_cast<std::size_t>((at + places % count + count) % count)];
}

bool PaneFrame::holds(const ui::Panel *panel) const
{
    return std::ranges::find(m_panels, panel) != m_panels.end();
}

} // namespace stepwell::ui
