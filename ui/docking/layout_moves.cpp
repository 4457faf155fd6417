#include "ui/docking/layout_moves.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

using Kind = LayoutPlace::Kind;

Kind kindAlong(Side side)
{
    return side == Side::Left || side == Side::Right ? Kind::Row : Kind::Column;
}
bool isBefore(Side side)
{
    return side == Side::Left || side == Side::Above;
}

bool isLastDocked(const Layout &layout, const QString &panel)
{
    return dockedPanels(layout) == QStringList{panel};
}

void removeFromFloat(Layout &layout, const QString &panel)
{
    if (FloatingStack *stack = floatOf(layout, panel))
        stack->panels.removeAll(panel);
}

void removeFromTree(Layout &layout, const QString &panel)
{
    if (LayoutPlace *stack = stackOf(layout.root, panel))
        std::erase_if(stack->tabs, [&](const LayoutTab &tab) { return tab.panel == panel; });
}

// Half of the room of `place` for a new part on that side.
void split(LayoutPlace &place, LayoutPlace part, Side side)
{
    LayoutPlace both;
    both.kind = kindAlong(side);
    both.size = place.size;
    both.grows = place.grows;
    place.size = part.size = 100;
    place.grows = part.grows = false;
    both.parts.push_back(std::move(place));
    both.parts.insert(isBefore(side) ? both.parts.begin() : both.parts.end(), std::move(part));
    place = std::move(both);
}

// How long the place is in this direction, as far as the sizes in it tell; 0: they do not.
int lengthAlong(const LayoutPlace &place, Kind kind)
{
    int sum = 0;
    int longest = 0;
    for (const LayoutPlace &part : place.parts) {
        sum += part.size;
        longest = std::max(longest, lengthAlong(part, kind));
    }
    return place.kind == kind ? sum : longest;
}

// A quarter of the area for a new part on its edge.
void splitArea(LayoutPlace &root, LayoutPlace part, Side side, int length)
{
    split(root, std::move(part), side);
    const bool isFirst = isBefore(side);
    LayoutPlace &edge = root.parts[isFirst ? 0 : 1];
    LayoutPlace &rest = root.parts[isFirst ? 1 : 0];
    edge.size = length > 0 ? std::max(1, length / 4) : 100;
    rest.size = length > 0 ? std::max(1, length - length / 4) : 300;
    rest.grows = length > 0; // in pixels then, so that the edge keeps its size
}

LayoutPlace stackWith(const QString &panel)
{
    LayoutPlace stack;
    stack.tabs = {{panel, true}};
    stack.front = panel;
    return stack;
}

void insertTab(LayoutPlace &stack, const QString &panel, const QString &before)
{
    const auto at = std::ranges::find(stack.tabs, before, &LayoutTab::panel);
    stack.tabs.insert(at, {panel, true});
    stack.front = panel;
}

void moveIntoFloat(Layout &layout, const QString &panel, const DropPlace &to)
{
    removeFromFloat(layout, panel);
    FloatingStack &stack = *floatOf(layout, to.beside);
    const qsizetype at = stack.panels.indexOf(to.before);
    stack.panels.insert(at < 0 ? stack.panels.size() : at, panel);
    stack.front = panel;
}

// The parts from the root down to the stack that holds the panel.
bool findPath(LayoutPlace &place, const QString &panel, std::vector<LayoutPlace *> &path)
{
    path.push_back(&place);
    if (place.kind == Kind::Stack && std::ranges::find(place.tabs, panel, &LayoutTab::panel) != place.tabs.end())
        return true;
    for (LayoutPlace &part : place.parts)
        if (findPath(part, panel, path))
            return true;
    path.pop_back();
    return false;
}

// The shown stack of `place` that lies nearest to the side from which one comes.
LayoutPlace &nearestStack(const Layout &layout, LayoutPlace &place, Side towards)
{
    LayoutPlace *at = &place;
    while (at->kind != Kind::Stack) {
        std::vector<LayoutPlace *> shown;
        for (LayoutPlace &part : at->parts)
            if (isShown(layout, part))
                shown.push_back(&part);
        at = at->kind == kindAlong(towards) && isBefore(towards) ? shown.back() : shown.front();
    }
    return *at;
}

// Null: nothing is shown on that side.
LayoutPlace *neighbour(Layout &layout, const QString &panel, Side side)
{
    std::vector<LayoutPlace *> path;
    if (!findPath(layout.root, panel, path))
        return nullptr;
    for (std::size_t depth = path.size() - 1; depth-- > 0;) {
        LayoutPlace &parent = *path[depth];
        if (parent.kind != kindAlong(side))
            continue;
        const auto at = path[depth + 1] - parent.parts.data();
        const std::ptrdiff_t step = isBefore(side) ? -1 : 1;
        for (std::ptrdiff_t i = at + step; i >= 0 && i < std::ssize(parent.parts); i += step)
            if (isShown(layout, parent.parts[static_cast<std::size_t>(i)]))
                return &nearestStack(layout, parent.parts[static_cast<std::size_t>(i)], side);
    }
    return nullptr;
}

// Whether the stack already takes the whole edge of the area.
bool hasEdge(const Layout &layout, const LayoutPlace &stack, Side side)
{
    if (&stack == &layout.root)
        return true;
    if (layout.root.kind != kindAlong(side))
        return false;
    std::vector<const LayoutPlace *> shown;
    for (const LayoutPlace &part : layout.root.parts)
        if (isShown(layout, part))
            shown.push_back(&part);
    return (isBefore(side) ? shown.front() : shown.back()) == &stack;
}

} // namespace

void movePanel(Layout &layout, const QString &panel, const DropPlace &to)
{
    const LayoutPlace *from = stackOf(layout.root, panel);
    if (!from || to.beside == panel || (to.beside.isEmpty() && to.side == Side::Middle))
        return;
    if (floatOf(layout, to.beside)) {
        if (to.side != Side::Middle || to.before == panel || (!floatOf(layout, panel) && isLastDocked(layout, panel)))
            return;
        moveIntoFloat(layout, panel, to);
        std::ranges::find(stackOf(layout.root, panel)->tabs, panel, &LayoutTab::panel)->isOpen = true;
        tidy(layout);
        return;
    }
    if ((!to.beside.isEmpty() && !stackOf(layout.root, to.beside)) || (to.side == Side::Middle && to.before == panel))
        return;
    const int length = lengthAlong(layout.root, kindAlong(to.side));
    removeFromFloat(layout, panel);
    removeFromTree(layout, panel);
    layout.maximised.clear();
    if (to.beside.isEmpty())
        splitArea(layout.root, stackWith(panel), to.side, length);
    else if (to.side == Side::Middle)
        insertTab(*stackOf(layout.root, to.beside), panel, to.before);
    else
        split(*stackOf(layout.root, to.beside), stackWith(panel), to.side);
    tidy(layout);
}

void shiftPanel(Layout &layout, const QString &panel, Side side)
{
    LayoutPlace *stack = stackOf(layout.root, panel);
    if (!stack || side == Side::Middle || floatOf(layout, panel) || !isOpen(layout, panel))
        return;
    QStringList others = shownTabs(layout, *stack);
    others.removeAll(panel);
    if (!others.isEmpty())
        return movePanel(layout, panel, {others.front(), side, {}});
    if (LayoutPlace *other = neighbour(layout, panel, side)) {
        std::swap(stack->tabs, other->tabs);
        std::swap(stack->front, other->front);
        layout.maximised.clear();
        return tidy(layout);
    }
    if (!hasEdge(layout, *stack, side))
        movePanel(layout, panel, {{}, side, {}});
}

void floatPanel(Layout &layout, const QString &panel, const QRect &geometry)
{
    if (!stackOf(layout.root, panel) || (!floatOf(layout, panel) && isLastDocked(layout, panel)))
        return;
    removeFromFloat(layout, panel);
    std::ranges::find(stackOf(layout.root, panel)->tabs, panel, &LayoutTab::panel)->isOpen = true;
    layout.floating.push_back({geometry, {panel}, panel});
    tidy(layout);
}

void dockPanel(Layout &layout, const QString &panel)
{
    LayoutPlace *stack = stackOf(layout.root, panel);
    if (!stack || !floatOf(layout, panel))
        return;
    removeFromFloat(layout, panel);
    stack->front = panel;
    layout.maximised.clear();
    tidy(layout);
}

void openPanel(Layout &layout, const QString &panel)
{
    LayoutPlace *stack = stackOf(layout.root, panel);
    if (!stack)
        return;
    std::ranges::find(stack->tabs, panel, &LayoutTab::panel)->isOpen = true;
    if (FloatingStack *floating = floatOf(layout, panel)) {
        floating->front = panel;
    } else {
        stack->front = panel;
        const LayoutPlace *maximised = stackOf(layout.root, layout.maximised);
        if (!maximised || maximised != stack)
            layout.maximised.clear();
    }
    tidy(layout);
}

void closePanel(Layout &layout, const QString &panel)
{
    LayoutPlace *stack = stackOf(layout.root, panel);
    if (!stack || isLastDocked(layout, panel))
        return;
    std::ranges::find(stack->tabs, panel, &LayoutTab::panel)->isOpen = false;
    tidy(layout); // takes it out of its floating window
}

void maximisePanel(Layout &layout, const QString &panel)
{
    const LayoutPlace *stack = stackOf(layout.root, panel);
    const bool isMaximised = stack && stack == stackOf(layout.root, layout.maximised);
    layout.maximised = isMaximised ? QString() : panel;
    tidy(layout);
}

QRect broughtOnScreen(const QRect &geometry, const std::vector<QRect> &screens)
{
    if (screens.empty())
        return geometry;
    const auto area = [&](const QRect &screen) {
        const QRect common = screen.intersected(geometry);
        return common.isEmpty() ? 0 : static_cast<qint64>(common.width()) * common.height();
    };
    const QRect &screen = *std::ranges::max_element(screens, {}, area);
    QRect inside(geometry.topLeft(), geometry.size().boundedTo(screen.size()));
    inside.moveLeft(std::clamp(inside.left(), screen.left(), screen.right() - inside.width() + 1));
    inside.moveTop(std::clamp(inside.top(), screen.top(), screen.bottom() - inside.height() + 1));
    return inside;
}

} // namespace stepwell::ui
