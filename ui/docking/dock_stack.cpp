#include "ui/docking/dock_stack.h"

#include "ui/docking/dock_tabs.h"
#include "ui/docking/stack_header.h"
#include "ui/panels/panel.h"

#include <QApplication>
#include <QStackedWidget>
#include <QStyle>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr QSize kLeastSize(120, 92); // pixels: 60 are left for the panel; with less it cannot be read

} // namespace

DockStack::DockStack(const Appearance &appearance, const std::vector<ui::Panel *> &panels, QWidget *parent)
    : QFrame(parent),
      m_appearance(appearance),
      m_panels(panels),
      m_header(new StackHeader(this)),
      m_tabs(new DockTabs(m_header)),
      m_menuButton(new QToolButton(m_header)),
      m_contents(new QStackedWidget(this))
{
    setObjectName(QStringLiteral("pane"));
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(1, 1, 1, 1);
    column->setSpacing(0);
    m_menuButton->setProperty("pane", true);
    m_menuButton->setObjectName(QStringLiteral("paneMenu"));
    m_menuButton->setIconSize(QSize(14, 14));
    m_menuButton->setFocusPolicy(Qt::TabFocus);
    const auto setIcon = [this] { m_menuButton->setIcon(m_appearance.icon(QStringLiteral("menu"))); };
    setIcon();
    connect(&m_appearance, &Appearance::changed, this, setIcon);
    connect(m_menuButton, &QToolButton::clicked, this,
            [this] { emit menuWanted(current(), m_menuButton->mapToGlobal(m_menuButton->rect().bottomLeft())); });
    m_header->setParts(m_tabs, m_menuButton);
    column->addWidget(m_header);
    column->addWidget(m_contents, 1);
    makeTabs();
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget *, const QWidget *now) { markFocus(now); });
}

void DockStack::makeTabs()
{
    m_tabs->setObjectName(QStringLiteral("paneTabs"));
    m_tabs->setAccessibleName(tr("Panels"));
    m_tabs->setProperty("single", m_panels.size() == 1);
    m_tabs->setFocusPolicy(m_panels.size() == 1 ? Qt::NoFocus : Qt::TabFocus);
    for (ui::Panel *panel : m_panels) {
        m_contents->addWidget(panel);
        panel->tools()->setParent(m_header);
        panel->tools()->hide();
        m_tabs->setTabToolTip(m_tabs->addTab(panel->title()), panel->title());
        connect(panel, &ui::Panel::titleChanged, this, [this, panel] {
            const int index = static_cast<int>(std::ranges::find(m_panels, panel) - m_panels.begin());
            m_tabs->setTabText(index, panel->title());
            m_tabs->setTabToolTip(index, panel->title());
        });
    }
    showTab(0);
    connect(m_tabs, &QTabBar::currentChanged, this, [this](int index) {
        showTab(index);
        emit currentChanged(at(index));
    });
    connect(m_tabs, &DockTabs::closeWanted, this, [this](int index) { emit closeWanted(at(index)); });
    connect(m_tabs, &DockTabs::doubleClicked, this, [this](int index) { emit doubleClicked(at(index)); });
    connect(m_tabs, &DockTabs::menuWanted, this,
            [this](int index, const QPoint &position) { emit menuWanted(at(index), position); });
    connect(m_tabs, &DockTabs::dragMoved, this,
            [this](int index, const QPoint &position) { emit dragMoved(at(index), position); });
    connect(m_tabs, &DockTabs::dropped, this, [this](int index, const QPoint &position) { emit dropped(at(index), position); });
}

void DockStack::showTab(int index)
{
    ui::Panel *panel = at(index);
    m_contents->setCurrentWidget(panel);
    m_header->setTools(panel->tools());
    setAccessibleName(panel->title());
    m_menuButton->setAccessibleName(tr("Menu of %1").arg(panel->title()));
    m_menuButton->setToolTip(tr("Close, move or float %1").arg(panel->title()));
}

// The style sheet draws a different border around the stack that has the keyboard focus.
void DockStack::markFocus(const QWidget *focus)
{
    const bool hasFocus = focus && isAncestorOf(focus);
    if (property("focused").toBool() == hasFocus)
        return;
    setProperty("focused", hasFocus);
    style()->unpolish(this);
    style()->polish(this);
}

void DockStack::setCurrent(ui::Panel *panel)
{
    if (const auto found = std::ranges::find(m_panels, panel); found != m_panels.end())
        m_tabs->setCurrentIndex(static_cast<int>(found - m_panels.begin()));
}

ui::Panel *DockStack::current() const
{
    return at(m_tabs->currentIndex());
}

ui::Panel *DockStack::beside(const ui::Panel *panel, int places) const
{
    const auto count = static_cast<std::ptrdiff_t>(m_panels.size());
    const std::ptrdiff_t place = std::ranges::find(m_panels, panel) - m_panels.begin();
    return m_panels[static_cast<std::size_t>((place + places % count + count) % count)];
}

bool DockStack::holds(const ui::Panel *panel) const
{
    return std::ranges::find(m_panels, panel) != m_panels.end();
}

QSize DockStack::minimumSizeHint() const
{
    return QFrame::minimumSizeHint().expandedTo(kLeastSize);
}

int DockStack::headerHeight() const
{
    return m_header->height();
}

} // namespace stepwell::ui
