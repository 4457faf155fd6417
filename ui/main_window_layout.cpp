// Arranges the window's panes.

#include "ui/main_window.h"

#include "ui/notice_bar.h"
#include "ui/panels/editor_panel.h"
#include "ui/panels/messages_panel.h"
#include "ui/panels/pane_frame.h"
#include "ui/panels/panel_rows.h"
#include "ui/timeline_bar.h"

#include <QApplication>
#include <QScreen>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <iterator>

namespace stepwell::ui {

namespace {

constexpr int kSplitterWidth = 5;
constexpr int kLeastRoom = 60;         // pixels, for a pane to be readable
constexpr QSize kFirstSize(1360, 740); // fits 1366 x 768 with a title bar

// The panes that a perspective shows, and the front panels of those with tabs.
struct Perspective {
    const char *id;
    const char *panes; // ids, separated by spaces
    const char *front;
    std::array<int, 3> rows; // heights: stages, code, strip
};
constexpr std::array<Perspective, 6> kPerspectives{{
    {"compile", "program inspector graph kernels lowered source machine strip", "code timings", {300, 190, 180}},
    {"learn", "program inspector graph kernels lowered strip", "messages", {520, 0, 150}},
    {"step", "program graph lowered strip", "passes", {300, 0, 380}},
    {"performance", "graph kernels source machine strip", "code timings", {260, 220, 220}},
    {"memory", "program inspector kernels strip", "memory", {280, 0, 380}},
    {"present", "program graph lowered source", "code", {420, 260, 0}},
}};

QSplitter *makeSplitter(Qt::Orientation orientation, const char *name, std::vector<QSplitter *> &all)
{
    auto *splitter = new QSplitter(orientation);
    splitter->setObjectName(QLatin1String(name));
    splitter->setHandleWidth(kSplitterWidth);
    splitter->setChildrenCollapsible(false);
    all.push_back(splitter);
    return splitter;
}

} // namespace

void MainWindow::makePanels()
{
    const PanelContext context{m_appearance, m_session, m_selection, m_moment, m_requests};
    for (const PanelRow &row : panelRows()) {
        Panel *panel = row.make(context, {QString::fromLatin1(row.id), QCoreApplication::translate("Panels", row.title)});
        m_panels.push_back(panel);
        if (auto *editor = qobject_cast<EditorPanel *>(panel))
            m_editor = editor;
        if (auto *messages = qobject_cast<MessagesPanel *>(panel))
            m_messages = messages;
    }
}

void MainWindow::addPane(const QString &id, const QString &title, QSplitter *splitter)
{
    std::vector<Panel *> panels;
    for (std::size_t i = 0; i < m_panels.size(); ++i)
        if (id == QLatin1String(panelRows()[i].pane))
            panels.push_back(m_panels[i]);
    auto *pane = new PaneFrame(id, panels);
    pane->setAccessibleName(title);
    splitter->addWidget(pane);
    m_panes.push_back(pane);
}

void MainWindow::placePanels()
{
    auto *columns = makeSplitter(Qt::Horizontal, "columns", m_splitters);
    auto *left = makeSplitter(Qt::Vertical, "left", m_splitters);
    auto *rows = makeSplitter(Qt::Vertical, "rows", m_splitters);
    auto *middle = makeSplitter(Qt::Horizontal, "middle", m_splitters);
    auto *below = makeSplitter(Qt::Horizontal, "below", m_splitters);
    addPane(QStringLiteral("program"), tr("Program"), left);
    addPane(QStringLiteral("inspector"), tr("Details"), left);
    addPane(QStringLiteral("graph"), tr("Graph"), middle);
    addPane(QStringLiteral("kernels"), tr("Kernels"), middle);
    addPane(QStringLiteral("lowered"), tr("Lowered"), middle);
    addPane(QStringLiteral("source"), tr("Source and loops"), below);
    addPane(QStringLiteral("machine"), tr("Machine code"), below);
    columns->addWidget(left);
    columns->addWidget(rows);
    rows->addWidget(middle);
    rows->addWidget(below);
    addPane(QStringLiteral("strip"), tr("Messages, timings, values, passes, memory"), rows);

    auto *center = new QWidget(this);
    auto *column = new QVBoxLayout(center);
    column->setContentsMargins(5, 5, 5, 3);
    column->setSpacing(5);
    m_diskNotice = new NoticeBar(m_appearance, QStringLiteral("diskNotice"), center);
    m_draftNotice = new NoticeBar(m_appearance, QStringLiteral("draftNotice"), center);
    m_timeline = new TimelineBar(m_appearance, m_moment, center);
    column->addWidget(m_timeline);
    column->addWidget(m_diskNotice);
    column->addWidget(m_draftNotice);
    column->addWidget(columns, 1);
    setCentralWidget(center);
}

void MainWindow::defaultSizes()
{
    for (QSplitter *splitter : m_splitters) {
        const QString name = splitter->objectName();
        if (name == QLatin1String("columns"))
            splitter->setSizes({360, 1000});
        else if (name == QLatin1String("left"))
            splitter->setSizes({400, 260});
        else if (name == QLatin1String("rows"))
            splitter->setSizes({300, 190, 170});
        else if (name == QLatin1String("middle"))
            splitter->setSizes({400, 250, 380});
        else
            splitter->setSizes({520, 510});
        // When the window grows, the program keeps its width and the strip its height; the stages share the new space.
        splitter->setStretchFactor(0, name == QLatin1String("columns") ? 0 : 3);
        splitter->setStretchFactor(1, name == QLatin1String("left") ? 1 : 2);
    }
}

// Restores the whole arrangement or nothing: sizes from one and panes from another would match neither.
void MainWindow::restoreLayout()
{
    resize(kFirstSize.boundedTo(QGuiApplication::primaryScreen()->availableGeometry().size()));
    restoreGeometry(m_settings.geometry());
    defaultSizes();
    const WindowLayout layout = m_settings.layout();
    const auto isKnown = [this](const QString &id) { return std::ranges::count(m_panes, id, &PaneFrame::paneId) > 0; };
    if (layout.isEmpty() || !std::ranges::all_of(layout.panes, isKnown))
        return; // never saved, or saved by a version with other panes
    m_perspective = layout.perspective;
    for (PaneFrame *pane : m_panes)
        if (layout.panes.contains(pane->paneId()))
            showPane(pane, true);
    for (PaneFrame *pane : m_panes)
        if (!layout.panes.contains(pane->paneId()))
            showPane(pane, false);
    for (Panel *panel : m_panels)
        if (layout.front.contains(panel->objectName()))
            paneOf(panel).setCurrent(panel);
    for (QSplitter *splitter : m_splitters)
        splitter->restoreState(layout.splitters.value(splitter->objectName()));
    updatePaneActions();
}

void MainWindow::saveLayout()
{
    m_settings.setGeometry(saveGeometry());
    WindowLayout layout;
    layout.perspective = m_perspective;
    for (const PaneFrame *pane : m_panes) {
        if (!pane->isHidden())
            layout.panes << pane->paneId();
        layout.front << pane->current()->objectName();
    }
    for (const QSplitter *splitter : m_splitters)
        layout.splitters.insert(splitter->objectName(), splitter->saveState());
    m_settings.setLayout(layout);
}

void MainWindow::resetLayout()
{
    m_settings.clearLayout();
    m_perspective.clear();
    for (PaneFrame *pane : m_panes)
        showPane(pane, true);
    defaultSizes();
    updatePaneActions();
}

// The last pane stays: a window without panes would offer no way back.
void MainWindow::showPane(PaneFrame *pane, bool isVisible)
{
    const auto isShown = [](const PaneFrame *other) { return !other->isHidden(); };
    if (!isVisible && !pane->isHidden() && std::ranges::count_if(m_panes, isShown) == 1)
        isVisible = true;
    pane->setVisible(isVisible);
    // Splitters without visible panes take no space.
    for (QWidget *splitter = pane->parentWidget(); splitter != centralWidget(); splitter = splitter->parentWidget()) {
        const auto *all = static_cast<QSplitter *>(splitter);
        bool isAnyVisible = false;
        for (int i = 0; i < all->count(); ++i)
            isAnyVisible = isAnyVisible || !all->widget(i)->isHidden();
        splitter->setVisible(isAnyVisible);
    }
    updatePaneActions();
}

void MainWindow::updatePaneActions()
{
    const auto shown = std::ranges::count_if(m_panes, [](const PaneFrame *pane) { return !pane->isHidden(); });
    for (const PaneFrame *pane : m_panes) {
        if (QAction *toggle = action(QStringLiteral("view.pane.") + pane->paneId())) {
            toggle->setChecked(!pane->isHidden());
            toggle->setEnabled(pane->isHidden() || shown > 1);
        }
    }
    for (const QString &name : perspectives())
        if (QAction *choice = action(QStringLiteral("view.perspective.") + name))
            choice->setChecked(name == m_perspective);
}

QStringList MainWindow::perspectives()
{
    QStringList names;
    for (const Perspective &perspective : kPerspectives)
        names << QLatin1String(perspective.id);
    return names;
}

bool MainWindow::setPerspective(const QString &name)
{
    const auto found = std::ranges::find_if(kPerspectives, [&](const Perspective &p) { return name == QLatin1String(p.id); });
    if (found == kPerspectives.end())
        return false;
    const QStringList panes = QString::fromLatin1(found->panes).split(u' ');
    for (PaneFrame *pane : m_panes)
        if (panes.contains(pane->paneId()))
            showPane(pane, true);
    for (PaneFrame *pane : m_panes)
        if (!panes.contains(pane->paneId()))
            showPane(pane, false);
    defaultSizes();
    for (QSplitter *splitter : m_splitters) {
        if (splitter->objectName() == QLatin1String("rows"))
            splitter->setSizes({found->rows.begin(), found->rows.end()});
    }
    for (const QString &front : QString::fromLatin1(found->front).split(u' ')) {
        if (Panel *panel = panelNamed(front))
            showPanelOf(panel);
    }
    m_perspective = name;
    updatePaneActions();
    return true;
}

Panel *MainWindow::panelNamed(const QString &id) const
{
    const auto found = std::ranges::find(m_panels, id, &QObject::objectName);
    return found == m_panels.end() ? nullptr : *found;
}

PaneFrame &MainWindow::paneOf(const Panel *panel)
{
    return **std::ranges::find_if(m_panes, [panel](const PaneFrame *pane) { return pane->holds(panel); });
}

void MainWindow::showPanelOf(Panel *panel)
{
    PaneFrame &pane = paneOf(panel);
    showPane(&pane, true);
    pane.setCurrent(panel);
    // Sizes that were kept while it was hidden may leave it no room.
    if (isVisible() && (pane.width() < kLeastRoom || pane.height() < kLeastRoom))
        defaultSizes();
}

// In the order in which they stand, from the one with the focus on; after the last comes the first.
void MainWindow::goToPane(int direction)
{
    std::vector<PaneFrame *> shown;
    std::ranges::copy_if(m_panes, std::back_inserter(shown), [](const PaneFrame *pane) { return !pane->isHidden(); });
    const QWidget *focus = QApplication::focusWidget();
    const auto at = std::ranges::find_if(shown, [&](const PaneFrame *pane) { return pane->isAncestorOf(focus); });
    const auto count = static_cast<std::ptrdiff_t>(shown.size());
    const std::ptrdiff_t next =
        at == shown.end() ? (direction > 0 ? 0 : count - 1) : (at - shown.begin() + direction + count) % count;
    goTo(shown[static_cast<std::size_t>(next)]->current());
}

// The tab beside, in the pane with the focus.
void MainWindow::goToTab(int direction)
{
    const QWidget *focus = QApplication::focusWidget();
    const auto at = std::ranges::find_if(m_panes, [&](const PaneFrame *pane) { return pane->isAncestorOf(focus); });
    if (at != m_panes.end())
        goTo((*at)->beside((*at)->current(), direction));
}

} // namespace stepwell::ui
