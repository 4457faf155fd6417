#include "ui/docking/layout.h"

#include <QSet>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

using Kind = LayoutPlace::Kind;

bool hasTab(const LayoutPlace &stack, const QString &panel)
{
    return std::ranges::find(stack.tabs, panel, &LayoutTab::panel) != stack.tabs.end();
}

template <class Visit>
void forEachStack(LayoutPlace &place, const Visit &visit)
{
    if (place.kind == Kind::Stack)
        visit(place);
    for (LayoutPlace &part : place.parts)
        forEachStack(part, visit);
}

bool isEmpty(const LayoutPlace &place)
{
    return place.kind == Kind::Stack ? place.tabs.empty() : place.parts.empty();
}

// The parts of a row in a row share the room that the inner row had.
void joinInto(std::vector<LayoutPlace> &parts, LayoutPlace &inner)
{
    int total = 0;
    for (const LayoutPlace &part : inner.parts)
        total += part.size;
    const bool doAllGrow = inner.grows && std::ranges::none_of(inner.parts, &LayoutPlace::grows);
    for (LayoutPlace &part : inner.parts) {
        part.size = std::max(1, part.size * inner.size / std::max(1, total));
        part.grows = inner.grows && (part.grows || doAllGrow);
        parts.push_back(std::move(part));
    }
}

void tidyTree(LayoutPlace &place)
{
    std::vector<LayoutPlace> parts;
    for (LayoutPlace &part : place.parts) {
        tidyTree(part);
        if (isEmpty(part))
            continue;
        if (part.kind == place.kind)
            joinInto(parts, part);
        else
            parts.push_back(std::move(part));
    }
    place.parts = std::move(parts);
    if (place.parts.size() != 1)
        return;
    LayoutPlace only = std::move(place.parts.front());
    only.size = place.size;
    only.grows = place.grows;
    place = std::move(only);
}

void tidyFront(const QStringList &shown, const std::vector<LayoutTab> &all, QString &front)
{
    if (shown.isEmpty() || shown.contains(front)) {
        front = shown.isEmpty() ? QString() : front;
        return;
    }
    // The shown tab nearest to the one that was in front.
    const auto placeOf = [&](const QString &panel) { return std::ranges::find(all, panel, &LayoutTab::panel) - all.begin(); };
    const auto before = placeOf(front);
    QString nearest = shown.front();
    if (before < std::ssize(all))
        for (const QString &panel : shown)
            if (std::abs(placeOf(panel) - before) < std::abs(placeOf(nearest) - before))
                nearest = panel;
    front = nearest;
}

// Which stack has most of the panels that share this home; null: none has any.
LayoutPlace *stackOfHome(LayoutPlace &root, const QString &home, const std::vector<PanelHome> &panels)
{
    LayoutPlace *best = nullptr;
    std::ptrdiff_t most = 0;
    forEachStack(root, [&](LayoutPlace &stack) {
        const auto count = std::ranges::count_if(
            panels, [&](const PanelHome &other) { return other.home == home && hasTab(stack, other.panel); });
        if (count > most) {
            best = &stack;
            most = count;
        }
    });
    return best;
}

LayoutPlace *lastStack(LayoutPlace &root)
{
    LayoutPlace *last = nullptr;
    forEachStack(root, [&](LayoutPlace &stack) { last = &stack; });
    return last;
}

void addMissing(Layout &layout, const std::vector<PanelHome> &panels)
{
    const QStringList present = allPanels(layout.root);
    for (const auto &[panel, home] : panels) {
        if (present.contains(panel))
            continue;
        LayoutPlace *stack = stackOfHome(layout.root, home, panels);
        const bool isOpen = !stack || std::ranges::any_of(stack->tabs, &LayoutTab::isOpen);
        if (!stack)
            stack = lastStack(layout.root);
        if (!stack) {
            layout.root = {};
            stack = &layout.root;
        }
        stack->tabs.push_back({panel, isOpen});
    }
}

void clearFronts(LayoutPlace &place)
{
    place.front.clear();
    for (LayoutPlace &part : place.parts)
        clearFronts(part);
}

} // namespace

FloatingStack *floatOf(Layout &layout, const QString &panel)
{
    const auto found = std::ranges::find_if(layout.floating, [&](const FloatingStack &f) { return f.panels.contains(panel); });
    return found == layout.floating.end() ? nullptr : &*found;
}
const FloatingStack *floatOf(const Layout &layout, const QString &panel)
{
    return floatOf(const_cast<Layout &>(layout), panel);
}

LayoutPlace *stackOf(LayoutPlace &place, const QString &panel)
{
    LayoutPlace *found = nullptr;
    forEachStack(place, [&](LayoutPlace &stack) {
        if (hasTab(stack, panel))
            found = &stack;
    });
    return found;
}
const LayoutPlace *stackOf(const LayoutPlace &place, const QString &panel)
{
    return stackOf(const_cast<LayoutPlace &>(place), panel);
}

bool isOpen(const Layout &layout, const QString &panel)
{
    const LayoutPlace *stack = stackOf(layout.root, panel);
    return stack && std::ranges::find(stack->tabs, panel, &LayoutTab::panel)->isOpen;
}

QStringList shownTabs(const Layout &layout, const LayoutPlace &stack)
{
    QStringList shown;
    for (const LayoutTab &tab : stack.tabs)
        if (tab.isOpen && !floatOf(layout, tab.panel))
            shown << tab.panel;
    return shown;
}

bool isShown(const Layout &layout, const LayoutPlace &place)
{
    return place.kind == Kind::Stack
               ? !shownTabs(layout, place).isEmpty()
               : std::ranges::any_of(place.parts, [&](const LayoutPlace &part) { return isShown(layout, part); });
}

QStringList dockedPanels(const Layout &layout)
{
    QStringList panels = allPanels(layout.root);
    panels.removeIf([&](const QString &panel) { return !isOpen(layout, panel) || floatOf(layout, panel); });
    return panels;
}

QStringList allPanels(const LayoutPlace &place)
{
    QStringList panels;
    for (const LayoutTab &tab : place.tabs)
        panels << tab.panel;
    for (const LayoutPlace &part : place.parts)
        panels << allPanels(part);
    return panels;
}

Layout withoutFronts(Layout layout)
{
    clearFronts(layout.root);
    for (FloatingStack &stack : layout.floating)
        stack.front.clear();
    return layout;
}

QString frontBeside(const Layout &layout, const QString &panel)
{
    if (const FloatingStack *floating = floatOf(layout, panel))
        return floating->front;
    const LayoutPlace *stack = stackOf(layout.root, panel);
    return stack ? stack->front : QString();
}

void tidy(Layout &layout)
{
    for (FloatingStack &stack : layout.floating) {
        stack.panels.removeIf([&](const QString &panel) { return !isOpen(layout, panel); });
        if (!stack.panels.contains(stack.front) && !stack.panels.isEmpty())
            stack.front = stack.panels.front();
    }
    std::erase_if(layout.floating, [](const FloatingStack &stack) { return stack.panels.isEmpty(); });
    tidyTree(layout.root);
    layout.root.size = 100;
    layout.root.grows = false;
    forEachStack(layout.root, [&](LayoutPlace &stack) { tidyFront(shownTabs(layout, stack), stack.tabs, stack.front); });
    if (!layout.maximised.isEmpty() && !dockedPanels(layout).contains(layout.maximised))
        layout.maximised.clear();
}

void complete(Layout &layout, const std::vector<PanelHome> &panels)
{
    QSet<QString> known;
    for (const PanelHome &panel : panels)
        known.insert(panel.panel);
    QSet<QString> seen;
    forEachStack(layout.root, [&](LayoutPlace &stack) {
        std::erase_if(stack.tabs, [&](const LayoutTab &tab) {
            const bool isKept = known.contains(tab.panel) && !seen.contains(tab.panel);
            seen.insert(tab.panel);
            return !isKept;
        });
    });
    QSet<QString> floating;
    for (FloatingStack &stack : layout.floating)
        stack.panels.removeIf([&](const QString &panel) {
            const bool isKept = known.contains(panel) && !floating.contains(panel);
            floating.insert(panel);
            return !isKept;
        });
    tidy(layout);
    addMissing(layout, panels);
    tidy(layout);
    if (!dockedPanels(layout).isEmpty() || panels.empty())
        return;
    // A window without panels would offer no way back: the first one comes home.
    const QString first = allPanels(layout.root).front();
    for (FloatingStack &stack : layout.floating)
        stack.panels.removeAll(first);
    std::ranges::find(stackOf(layout.root, first)->tabs, first, &LayoutTab::panel)->isOpen = true;
    tidy(layout);
}

} // namespace stepwell::ui
