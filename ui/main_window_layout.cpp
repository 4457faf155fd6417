// Arranges the window's panes.

#include "ui/main_window.h"

#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/layout_text.h"
#include "ui/docking/perspectives.h"
#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/panel_rows.h"
#include "ui/timeline_bar.h"

#include <QAction>
#include <QApplication>
#include <QScreen>
#include <QVBoxLayout>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr QSize kFirstSize(1360, 740); // fits 1366 x 768 with a title bar

} // namespace

void MainWindow::makePanels()
{
    const PanelContext context{m_appearance, m_session, m_selection, m_moment,   m_requests, m_whatIf, m_inputs,
                               m_health,     m_watched, m_debugger,  m_baseline, m_notes,    m_targets};
    for (const PanelRow &row : panelRows()) {
        Panel *panel = row.make(context, {QString::fromLatin1(row.id), QCoreApplication::translate("Panels", row.title)});
        m_panels.push_back(panel);
        if (auto *editor = qobject_cast<EditorPanel *>(panel))
            m_editor = editor;
        if (auto *messages = qobject_cast<MessagesPanel *>(panel))
            m_messages = messages;
    }
}

void MainWindow::placePanels()
{
    auto *center = new QWidget(this);
    auto *column = new QVBoxLayout(center);
    column->setContentsMargins(5, 5, 5, 3);
    column->setSpacing(5);
    m_diskNotice = new NoticeBar(m_appearance, QStringLiteral("diskNotice"), center);
    m_draftNotice = new NoticeBar(m_appearance, QStringLiteral("draftNotice"), center);
    m_overridesNotice = new NoticeBar(m_appearance, QStringLiteral("overridesNotice"), center);
    m_sessionNotice = new NoticeBar(m_appearance, QStringLiteral("sessionNotice"), center);
    m_restoreNotice = new NoticeBar(m_appearance, QStringLiteral("restoreNotice"), center);
    m_timeline = new TimelineBar(m_appearance, m_moment, m_walk, center);
    column->addWidget(m_timeline);
    column->addWidget(m_diskNotice);
    column->addWidget(m_draftNotice);
    column->addWidget(m_overridesNotice);
    column->addWidget(m_sessionNotice);
    column->addWidget(m_restoreNotice);
    std::vector<DockedPanel> panels;
    for (std::size_t i = 0; i < m_panels.size(); ++i)
        panels.push_back({m_panels[i], QString::fromLatin1(panelRows()[i].pane)});
    m_area = new DockArea(m_appearance, panels, center);
    connect(m_area, &DockArea::changed, this, &MainWindow::updatePaneActions);
    column->addWidget(m_area, 1);
    setCentralWidget(center);
}

// A layout that cannot be read is left out as a whole: half of it would look like neither.
void MainWindow::restoreLayout()
{
    resize(kFirstSize.boundedTo(QGuiApplication::primaryScreen()->availableGeometry().size()));
    restoreGeometry(m_settings.geometry());
    const SavedLayout saved = m_settings.layout();
    const ParsedLayout parsed = saved.text.isEmpty() ? ParsedLayout() : layoutOf(saved.text);
    m_perspective = parsed.layout ? saved.perspective : QString();
    m_area->arrange(parsed.layout ? *parsed.layout : *layoutOf(QLatin1String(defaultLayout())).layout);
}

void MainWindow::saveLayout()
{
    m_settings.setGeometry(saveGeometry());
    m_settings.setLayout({m_perspective, textOf(m_area->arrangement())});
}

void MainWindow::resetLayout()
{
    m_settings.clearLayout();
    m_perspective.clear();
    m_area->arrange(*layoutOf(QLatin1String(defaultLayout())).layout);
}

void MainWindow::updatePaneActions()
{
    for (const Panel *panel : m_panels) {
        if (QAction *toggle = action(QStringLiteral("view.pane.") + panel->objectName())) {
            toggle->setChecked(m_area->isOpen(panel));
            toggle->setEnabled(!m_area->isLast(panel));
        }
    }
    for (const QString &name : perspectives())
        if (QAction *choice = action(QStringLiteral("view.perspective.") + name))
            choice->setChecked(name == m_perspective);
    for (QAction *choice : m_ownPerspectives)
        choice->setChecked(choice->data().toString() == m_perspective);
}

Panel *MainWindow::panelNamed(const QString &id) const
{
    const auto found = std::ranges::find(m_panels, id, &QObject::objectName);
    return found == m_panels.end() ? nullptr : *found;
}

void MainWindow::showPanelOf(Panel *panel)
{
    m_area->open(panel);
}

// In the order in which they stand, from the one with the focus on; after the last comes the first.
void MainWindow::goToPane(int direction)
{
    const std::vector<DockStack *> &stacks = m_area->stacks();
    const QWidget *focus = QApplication::focusWidget();
    const auto at = std::ranges::find_if(stacks, [&](const DockStack *stack) { return stack->isAncestorOf(focus); });
    const auto count = static_cast<std::ptrdiff_t>(stacks.size());
    const std::ptrdiff_t next =
        at == stacks.end() ? (direction > 0 ? 0 : count - 1) : (at - stacks.begin() + direction + count) % count;
    goTo(stacks[static_cast<std::size_t>(next)]->current());
}

// The tab beside, in the pane with the focus.
void MainWindow::goToTab(int direction)
{
    const QWidget *focus = QApplication::focusWidget();
    const std::vector<DockStack *> &stacks = m_area->stacks();
    const auto at = std::ranges::find_if(stacks, [&](const DockStack *stack) { return stack->isAncestorOf(focus); });
    if (at != stacks.end())
        goTo((*at)->beside((*at)->current(), direction));
}

} // namespace stepwell::ui
