#include "ui/docking/dock_drag.h"

#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/dock_tabs.h"
#include "ui/docking/drop_hint.h"
#include "ui/docking/floating_window.h"
#include "ui/panels/panel.h"

#include <QApplication>
#include <QKeyEvent>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kAreaEdge = 10;       // pixels along the border of the area
constexpr double kStackEdge = 0.25; // of a stack's width or height
constexpr int kTabMark = 3;         // pixels: the width of the mark between two tabs
constexpr QPoint kGrip(40, 14);     // where the mouse holds a new window

QRect partOf(const QRect &whole, Side side, double share)
{
    const int width = static_cast<int>(whole.width() * share);
    const int height = static_cast<int>(whole.height() * share);
    switch (side) {
    case Side::Middle:
        return whole;
    case Side::Left:
        return {whole.left(), whole.top(), width, whole.height()};
    case Side::Right:
        return {whole.right() - width + 1, whole.top(), width, whole.height()};
    case Side::Above:
        return {whole.left(), whole.top(), whole.width(), height};
    case Side::Below:
        return {whole.left(), whole.bottom() - height + 1, whole.width(), height};
    }
    Q_UNREACHABLE();
}

// The side on whose edge the position lies; Middle: on none.
Side sideAt(const QRect &whole, const QPoint &position)
{
    const double x = static_cast<double>(position.x() - whole.left()) / std::max(1, whole.width());
    const double y = static_cast<double>(position.y() - whole.top()) / std::max(1, whole.height());
    const std::pair<double, Side> distances[] = {{x, Side::Left}, {1 - x, Side::Right}, {y, Side::Above}, {1 - y, Side::Below}};
    const auto nearest = std::ranges::min_element(distances, {}, &std::pair<double, Side>::first);
    return nearest->first < kStackEdge ? nearest->second : Side::Middle;
}

} // namespace

DockDrag::DockDrag(DockArea &area) : m_area(area) {}

DockDrag::~DockDrag()
{
    if (isActive())
        QGuiApplication::restoreOverrideCursor();
}

void DockDrag::begin(Panel *panel)
{
    m_panel = panel;
    QGuiApplication::setOverrideCursor(Qt::ClosedHandCursor);
    qApp->installEventFilter(this);
}

void DockDrag::end()
{
    if (!isActive())
        return;
    m_panel.clear();
    delete m_hint.data();
    qApp->removeEventFilter(this);
    QGuiApplication::restoreOverrideCursor();
}

void DockDrag::cancel()
{
    for (const DockStack *stack : m_area.stacks())
        stack->tabs().cancelDrag();
    end();
}

bool DockDrag::eventFilter(QObject *object, QEvent *event)
{
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (isKey && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape) {
        if (event->type() == QEvent::KeyPress)
            cancel();
        event->accept(); // no shortcut takes it
        return true;
    }
    if (event->type() == QEvent::ApplicationDeactivate)
        cancel();
    return QObject::eventFilter(object, event);
}

void DockDrag::moveTo(Panel *panel, const QPoint &screenPosition)
{
    if (!isActive())
        begin(panel);
    const std::optional<Target> target = targetAt(screenPosition);
    if (target && target->widget)
        showHint(*target);
    else
        delete m_hint.data();
}

void DockDrag::dropAt(Panel *panel, const QPoint &screenPosition)
{
    if (!isActive())
        return;
    const std::optional<Target> target = targetAt(screenPosition);
    end();
    if (!target)
        return;
    const DockStack *from = m_area.stackOf(panel);
    const QRect geometry(screenPosition - kGrip, from ? from->size() : QSize());
    if (target->place)
        m_area.change([&](Layout &layout) { movePanel(layout, panel->objectName(), *target->place); });
    else
        m_area.floatAt(panel, geometry);
    panel->takeFocus();
}

// Floating windows lie above the main window.
DockStack *DockDrag::stackAt(const QPoint &screenPosition) const
{
    const auto &stacks = m_area.stacks();
    const auto found = std::find_if(stacks.rbegin(), stacks.rend(), [&](const DockStack *stack) {
        return stack->isVisible() && stack->rect().contains(stack->mapFromGlobal(screenPosition));
    });
    return found == stacks.rend() ? nullptr : *found;
}

std::optional<DockDrag::Target> DockDrag::targetAt(const QPoint &screenPosition) const
{
    DockStack *stack = stackAt(screenPosition);
    const bool isInWindow = stack && stack->window() != m_area.window();
    if (const std::optional<Target> edge = isInWindow ? std::nullopt : edgeOfArea(screenPosition))
        return edge;
    if (stack)
        return placeIn(*stack, stack->mapFromGlobal(screenPosition));
    const QWidget *window = m_area.window();
    if (window->rect().contains(window->mapFromGlobal(screenPosition)) || m_area.isLast(m_panel))
        return std::nullopt;
    return Target{};
}

std::optional<DockDrag::Target> DockDrag::edgeOfArea(const QPoint &screenPosition) const
{
    const QRect whole = m_area.rect();
    const QPoint at = m_area.mapFromGlobal(screenPosition);
    if (!whole.contains(at) || whole.adjusted(kAreaEdge, kAreaEdge, -kAreaEdge, -kAreaEdge).contains(at))
        return std::nullopt;
    const std::pair<int, Side> distances[] = {{at.x(), Side::Left},
                                              {whole.right() - at.x(), Side::Right},
                                              {at.y(), Side::Above},
                                              {whole.bottom() - at.y(), Side::Below}};
    const Side side = std::ranges::min_element(distances, {}, &std::pair<int, Side>::first)->second;
    return Target{DropPlace{{}, side, {}}, &m_area, partOf(whole, side, 0.25)};
}

std::optional<DockDrag::Target> DockDrag::placeIn(DockStack &stack, const QPoint &position) const
{
    const auto idOf = [](const Panel *panel) { return panel->objectName(); };
    const std::vector<Panel *> &panels = stack.panels();
    const bool isAlone = panels.size() == 1 && panels.front() == m_panel;
    if (position.y() < stack.headerHeight()) {
        const DockTabs &tabs = stack.tabs();
        const int place = tabs.placeAt(tabs.mapFrom(&stack, position).x());
        const QRect near = tabs.tabRect(std::min(place, tabs.count() - 1));
        const int x = tabs.mapTo(&stack, place < tabs.count() ? near.topLeft() : near.topRight()).x();
        const QRect mark(std::max(0, x - kTabMark / 2), 0, kTabMark, stack.headerHeight());
        const QString before = place < tabs.count() ? idOf(panels[static_cast<std::size_t>(place)]) : QString();
        const auto other = std::ranges::find_if(panels, [&](const Panel *panel) { return panel != m_panel; });
        if (other == panels.end())
            return std::nullopt;
        return Target{DropPlace{idOf(*other), Side::Middle, before}, &stack, mark};
    }
    const bool isFloating = stack.window() != m_area.window();
    const QRect body = stack.rect().adjusted(0, stack.headerHeight(), 0, 0);
    const Side side = isFloating ? Side::Middle : sideAt(body, position);
    const bool isOwn = stack.holds(m_panel);
    if (isAlone || (isOwn && side == Side::Middle))
        return std::nullopt;
    const auto other = std::ranges::find_if(panels, [&](const Panel *panel) { return panel != m_panel; });
    return Target{DropPlace{idOf(*other), side, {}}, &stack, partOf(side == Side::Middle ? stack.rect() : body, side, 0.5)};
}

void DockDrag::showHint(const Target &target)
{
    if (!m_hint || m_hint->parentWidget() != target.widget) {
        delete m_hint.data();
        m_hint = new DropHint(m_area.appearance(), target.widget);
    }
    m_hint->setGeometry(target.hint);
    m_hint->raise();
    m_hint->show();
}

std::optional<QRect> DockDrag::hint() const
{
    if (!m_hint)
        return std::nullopt;
    return QRect(m_hint->mapToGlobal(QPoint(0, 0)), m_hint->size());
}

} // namespace stepwell::ui
