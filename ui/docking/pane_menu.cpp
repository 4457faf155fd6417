#include "ui/docking/pane_menu.h"

#include "ui/docking/dock_area.h"
#include "ui/docking/dock_stack.h"
#include "ui/docking/layout_moves.h"
#include "ui/panels/panel.h"

#include <QCoreApplication>
#include <QMenu>

#include <functional>
#include <utility>

namespace stepwell::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("PaneMenu", text);
}

QAction *add(QMenu &menu, const QString &name, const QString &text, const std::function<void()> &run)
{
    QAction *action = menu.addAction(text);
    action->setObjectName(name);
    QObject::connect(action, &QAction::triggered, &menu, run);
    return action;
}

void addMoves(QMenu &menu, DockArea &area, Panel *panel)
{
    const std::tuple<const char *, const char *, Side> moves[] = {
        {"moveLeft", QT_TRANSLATE_NOOP("PaneMenu", "Move &left"), Side::Left},
        {"moveRight", QT_TRANSLATE_NOOP("PaneMenu", "Move &right"), Side::Right},
        {"moveUp", QT_TRANSLATE_NOOP("PaneMenu", "Move &up"), Side::Above},
        {"moveDown", QT_TRANSLATE_NOOP("PaneMenu", "Move &down"), Side::Below},
    };
    for (const auto &[name, text, side] : moves)
        add(menu, QLatin1String(name), tr(text), [&area, panel, side = side] {
            area.change([&](Layout &layout) { shiftPanel(layout, panel->objectName(), side); });
        })->setEnabled(!area.isFloating(panel));
}

// The other stacks, by what they show.
void addStacks(QMenu &menu, DockArea &area, Panel *panel)
{
    QMenu *into = menu.addMenu(tr("Move &into"));
    into->setObjectName(QStringLiteral("moveInto"));
    for (const DockStack *stack : area.stacks()) {
        if (stack->holds(panel))
            continue;
        QStringList titles;
        for (const Panel *other : stack->panels())
            titles << other->title();
        const QString beside = stack->current()->objectName();
        add(*into, beside, QString(titles.join(u", ")).replace(u'&', QLatin1String("&&")), [&area, panel, beside] {
            area.change([&](Layout &layout) { movePanel(layout, panel->objectName(), {beside, Side::Middle, {}}); });
        })->setEnabled(!area.isLast(panel) || !area.isFloating(stack->current()));
    }
    into->setEnabled(!into->isEmpty());
}

// Its tabs, for when they do not all fit beside each other.
void addTabs(QMenu &menu, DockArea &area, Panel *panel)
{
    const DockStack *stack = area.stackOf(panel);
    if (!stack || stack->panels().size() == 1)
        return;
    for (Panel *other : stack->panels()) {
        QAction *tab = add(menu, QStringLiteral("tab.") + other->objectName(),
                           QString(other->title()).replace(u'&', QLatin1String("&&")), [&area, other] { area.open(other); });
        tab->setCheckable(true);
        tab->setChecked(other == stack->current());
    }
    menu.addSeparator();
}

} // namespace

void fillPaneMenu(QMenu &menu, DockArea &area, Panel *panel)
{
    addTabs(menu, area, panel);
    const bool isFloating = area.isFloating(panel);
    add(menu, QStringLiteral("close"), tr("&Close"), [&area, panel] { area.close(panel); })->setEnabled(!area.isLast(panel));
    add(menu, QStringLiteral("float"), isFloating ? tr("Dock &back") : tr("&Float"), [&area, panel] {
        area.toggleFloating(panel);
    })->setEnabled(isFloating || !area.isLast(panel));
    add(menu, QStringLiteral("maximise"), area.isMaximised(panel) ? tr("Show the &others again") : tr("&Maximise"),
        [&area, panel] { area.toggleMaximised(panel); })
        ->setEnabled(!isFloating);
    menu.addSeparator();
    addMoves(menu, area, panel);
    addStacks(menu, area, panel);
}

void showPaneMenu(DockArea &area, Panel *panel, const QPoint &screenPosition)
{
    auto *menu = new QMenu(&area);
    menu->setObjectName(QStringLiteral("paneContextMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillPaneMenu(*menu, area, panel);
    menu->popup(screenPosition);
}

} // namespace stepwell::ui
