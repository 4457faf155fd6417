#include "ui/docking/dock_area.h"

#include "ui/docking/dock_drag.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/floating_window.h"
#include "ui/docking/layout_moves.h"
#include "ui/docking/pane_menu.h"
#include "ui/panels/panel.h"

#include <QApplication>
#include <QEvent>
#include <QScreen>
#include <QScrollArea>
#include <QSplitter>
#include <QVBoxLayout>

#include <algorithm>
#include <numeric>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr int kSplitterWidth = 5;

std::vector<PanelHome> homesOf(const std::vector<DockedPanel> &panels)
{
    std::vector<PanelHome> homes;
    for (const DockedPanel &docked : panels)
        homes.push_back({docked.panel->objectName(), docked.home});
    return homes;
}

std::vector<QRect> screens()
{
    std::vector<QRect> areas;
    for (const QScreen *screen : QGuiApplication::screens())
        areas.push_back(screen->availableGeometry());
    return areas;
}

} // namespace

DockArea::DockArea(const Appearance &appearance, const std::vector<DockedPanel> &panels, QWidget *parent)
    : QWidget(parent),
      m_appearance(appearance),
      m_panels(panels),
      m_scroll(new QScrollArea(this)),
      m_shelf(new QWidget(this)),
      m_drag(std::make_unique<DockDrag>(*this))
{
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(m_scroll);
    auto *content = new QWidget;
    content->setObjectName(QStringLiteral("panes"));
    m_column = new QVBoxLayout(content);
    m_column->setContentsMargins(0, 0, 0, 0);
    m_scroll->setObjectName(QStringLiteral("panesScroll"));
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setFocusPolicy(Qt::NoFocus);
    m_scroll->setWidgetResizable(true);
    m_scroll->setWidget(content);
    connect(qApp, &QApplication::focusChanged, this, [this](const QWidget *, QWidget *now) {
        if (now && m_scroll->isAncestorOf(now))
            m_scroll->ensureWidgetVisible(now, 0, 0);
    });
    m_shelf->hide();
}

DockArea::~DockArea() = default;

void DockArea::arrange(const Layout &layout)
{
    Layout onScreen = layout;
    for (FloatingStack &stack : onScreen.floating)
        stack.geometry = broughtOnScreen(stack.geometry, screens());
    showLayout(onScreen);
}

void DockArea::showLayout(const Layout &layout)
{
    m_layout = layout;
    complete(m_layout, homesOf(m_panels));
    rebuild();
    emit changed();
}

Layout DockArea::arrangement()
{
    readSizes();
    return m_layout;
}

void DockArea::change(const std::function<void(Layout &)> &move)
{
    readSizes();
    Layout layout = m_layout;
    move(layout);
    bringToFront(layout);
    if (layout != m_layout)
        showLayout(layout);
}

// Where the layout is the one that is shown but for the tabs in front, which is what most keys and links want, nothing moves.
void DockArea::bringToFront(const Layout &layout)
{
    if (layout == m_layout || withoutFronts(layout) != withoutFronts(m_layout))
        return;
    for (DockStack *stack : m_stacks)
        stack->setCurrent(panelOf(frontBeside(layout, stack->current()->objectName())));
}

void DockArea::open(Panel *panel)
{
    change([&](Layout &layout) { openPanel(layout, panel->objectName()); });
}
void DockArea::close(Panel *panel)
{
    change([&](Layout &layout) { closePanel(layout, panel->objectName()); });
}
void DockArea::toggleMaximised(Panel *panel)
{
    change([&](Layout &layout) { maximisePanel(layout, panel->objectName()); });
}

// It begins where it stands, a little aside, so that one sees that it has left.
void DockArea::toggleFloating(Panel *panel)
{
    const DockStack *stack = stackOf(panel);
    const QSize size = stack ? stack->size() : QSize(480, 360);
    const QPoint corner = stack ? stack->mapToGlobal(QPoint(24, 24)) : mapToGlobal(QPoint(24, 24));
    if (isFloating(panel))
        change([&](Layout &layout) { dockPanel(layout, panel->objectName()); });
    else
        floatAt(panel, QRect(corner, size));
}

void DockArea::floatAt(Panel *panel, const QRect &geometry)
{
    change([&](Layout &layout) { floatPanel(layout, panel->objectName(), broughtOnScreen(geometry, screens())); });
}

bool DockArea::isOpen(const Panel *panel) const
{
    return ui::isOpen(m_layout, panel->objectName());
}
bool DockArea::isFloating(const Panel *panel) const
{
    return floatOf(m_layout, panel->objectName());
}
bool DockArea::isMaximised(const Panel *panel) const
{
    return !m_layout.maximised.isEmpty() &&
           ui::stackOf(m_layout.root, m_layout.maximised) == ui::stackOf(m_layout.root, panel->objectName());
}
bool DockArea::isLast(const Panel *panel) const
{
    return dockedPanels(m_layout) == QStringList{panel->objectName()};
}

DockStack *DockArea::stackOf(const Panel *panel) const
{
    const auto found = std::ranges::find_if(m_stacks, [&](const DockStack *stack) { return stack->holds(panel); });
    return found == m_stacks.end() ? nullptr : *found;
}

std::vector<FloatingWindow *> DockArea::floatingWindows() const
{
    return m_windows;
}

Panel *DockArea::panelOf(const QString &id) const
{
    const auto found =
        std::ranges::find_if(m_panels, [&](const DockedPanel &docked) { return docked.panel->objectName() == id; });
    return found == m_panels.end() ? nullptr : found->panel;
}

// Hidden parts keep their share: their sizes grow and shrink with those of their siblings.
void DockArea::readSizes()
{
    for (std::size_t i = 0; i < m_windows.size(); ++i)
        if (m_windows[i]->isVisible())
            m_layout.floating[i].geometry = m_windows[i]->geometry();
    for (const ShownParts &shown : m_splitters) {
        const QList<int> now = shown.splitter->sizes();
        const int after = std::accumulate(now.begin(), now.end(), 0);
        if (!shown.splitter->isVisible() || after == 0)
            continue;
        std::vector<LayoutPlace> &parts = shown.place->parts;
        int before = 0;
        for (const std::size_t part : shown.parts)
            before += parts[part].size;
        for (std::size_t part = 0; part < parts.size(); ++part)
            if (std::ranges::find(shown.parts, part) == shown.parts.end())
                parts[part].size = std::max(1, static_cast<int>(std::int64_t{parts[part].size} * after / std::max(1, before)));
        for (std::size_t at = 0; at < shown.parts.size(); ++at)
            parts[shown.parts[at]].size = std::max(1, now[static_cast<qsizetype>(at)]);
    }
}

// Panels keep their widgets. What was shown as it is now keeps its stack too; splitters are made anew.
void DockArea::rebuild()
{
    QWidget *focus = QApplication::focusWidget() ? QApplication::focusWidget() : window()->focusWidget();
    const bool wasUpdating = window()->updatesEnabled();
    window()->setUpdatesEnabled(false);
    QWidget *old = m_root;
    if (old)
        old->hide();
    std::vector<DockStack *> former = std::exchange(m_stacks, {});
    buildRoot(former);
    buildWindows(former);
    shelve();
    for (DockStack *stack : former) { // they are empty now
        stack->setParent(m_shelf);
        stack->deleteLater(); // the mouse may have been pressed in it
    }
    if (qobject_cast<QSplitter *>(old))
        old->deleteLater();
    window()->setUpdatesEnabled(wasUpdating);
    if (focus && focus->isVisibleTo(focus->window()))
        focus->setFocus();
}

void DockArea::buildRoot(std::vector<DockStack *> &former)
{
    m_splitters.clear();
    LayoutPlace *maximised = m_layout.maximised.isEmpty() ? nullptr : ui::stackOf(m_layout.root, m_layout.maximised);
    m_root = build(maximised ? *maximised : m_layout.root, nullptr, former);
    m_root->show();
    for (const ShownParts &shown : m_splitters) {
        QList<int> sizes;
        for (const std::size_t part : shown.parts)
            sizes << shown.place->parts[part].size;
        shown.splitter->setSizes(sizes);
    }
}

// A window stays as long as one of its panels floats.
void DockArea::buildWindows(std::vector<DockStack *> &former)
{
    std::vector<FloatingWindow *> old = std::exchange(m_windows, {});
    for (const FloatingStack &floating : m_layout.floating) {
        const auto kept = std::ranges::find_if(old, [&](const FloatingWindow *window) {
            return std::ranges::any_of(window->stack()->panels(),
                                       [&](const Panel *panel) { return floating.panels.contains(panel->objectName()); });
        });
        FloatingWindow *window = kept == old.end() ? nullptr : *kept;
        if (window)
            old.erase(kept);
        else
            window = new FloatingWindow(this->window());
        if (window->geometry() != floating.geometry)
            window->setGeometry(floating.geometry);
        window->setStack(stackFor(floating.panels, floating.front, window, former));
        disconnect(window, &FloatingWindow::closed, this, nullptr);
        connect(window, &FloatingWindow::closed, this, [this, panels = floating.panels] {
            change([&](Layout &layout) {
                for (const QString &panel : panels)
                    dockPanel(layout, panel);
            });
        });
        m_windows.push_back(window);
        window->setVisible(this->window()->isVisible());
    }
    for (FloatingWindow *window : old) {
        window->hide();
        window->deleteLater();
    }
}

// From the outside in: all that is inside a widget is styled anew when that gets another parent, so each stack gets one once.
QWidget *DockArea::build(LayoutPlace &place, QSplitter *into, std::vector<DockStack *> &former)
{
    QWidget *parent = into ? into : m_column->parentWidget();
    if (place.kind == LayoutPlace::Kind::Stack)
        return added(stackFor(shownTabs(m_layout, place), place.front, parent, former), into);
    ShownParts shown{nullptr, &place, {}};
    for (std::size_t part = 0; part < place.parts.size(); ++part)
        if (isShown(m_layout, place.parts[part]))
            shown.parts.push_back(part);
    if (shown.parts.size() == 1)
        return build(place.parts[shown.parts.front()], into, former);
    auto *splitter = new QSplitter(place.kind == LayoutPlace::Kind::Row ? Qt::Horizontal : Qt::Vertical, parent);
    splitter->setHandleWidth(kSplitterWidth);
    splitter->setChildrenCollapsible(false);
    added(splitter, into);
    shown.splitter = splitter;
    for (std::size_t i = 0; i < shown.parts.size(); ++i) {
        LayoutPlace &part = place.parts[shown.parts[i]];
        build(part, splitter, former)->show();
        splitter->setStretchFactor(static_cast<int>(i), part.grows ? 1 : 0);
    }
    m_splitters.push_back(std::move(shown));
    return splitter;
}

// The widget, now the last one of the splitter, or the root.
QWidget *DockArea::added(QWidget *widget, QSplitter *into)
{
    if (into)
        into->addWidget(widget);
    else
        m_column->addWidget(widget);
    return widget;
}

// The former stack of these panels, where it was, or a new one.
DockStack *DockArea::stackFor(const QStringList &panels, const QString &front, QWidget *parent, std::vector<DockStack *> &former)
{
    std::vector<Panel *> wanted;
    for (const QString &panel : panels)
        wanted.push_back(panelOf(panel));
    const auto same = std::ranges::find(former, wanted, &DockStack::panels);
    DockStack *stack = same == former.end() ? nullptr : *same;
    if (stack) {
        former.erase(same);
    } else {
        stack = new DockStack(m_appearance, wanted, parent);
        follow(stack);
    }
    {
        const QSignalBlocker blocker(stack);
        stack->setCurrent(panelOf(front));
    }
    m_stacks.push_back(stack);
    return stack;
}

void DockArea::follow(DockStack *stack)
{
    connect(stack, &DockStack::currentChanged, this, &DockArea::putInFront);
    connect(stack, &DockStack::closeWanted, this, &DockArea::close);
    connect(stack, &DockStack::doubleClicked, this, [this](Panel *panel) {
        if (isFloating(panel))
            toggleFloating(panel);
        else
            toggleMaximised(panel);
    });
    connect(stack, &DockStack::menuWanted, this,
            [this](Panel *panel, const QPoint &position) { showPaneMenu(*this, panel, position); });
    connect(stack, &DockStack::dragMoved, m_drag.get(), &DockDrag::moveTo);
    connect(stack, &DockStack::dropped, m_drag.get(), &DockDrag::dropAt);
}

// Takes in the panels that no stack shows.
void DockArea::shelve()
{
    for (const DockedPanel &docked : m_panels) {
        if (stackOf(docked.panel))
            continue;
        docked.panel->setParent(m_shelf);
        docked.panel->tools()->setParent(docked.panel);
        docked.panel->tools()->hide();
    }
}

// The user chose a tab.
void DockArea::putInFront(Panel *panel)
{
    const QString id = panel->objectName();
    if (FloatingStack *floating = floatOf(m_layout, id))
        floating->front = id;
    else if (LayoutPlace *stack = ui::stackOf(m_layout.root, id))
        stack->front = id;
    emit changed();
}

// Floating windows come and go with the window.
bool DockArea::event(QEvent *event)
{
    if (event->type() == QEvent::Show || event->type() == QEvent::Hide)
        for (FloatingWindow *window : m_windows)
            window->setVisible(event->type() == QEvent::Show);
    return QWidget::event(event);
}

} // namespace stepwell::ui
