#include "ui/sharing/take_menu.h"

#include <QCoreApplication>
#include <QMenu>
#include <QWidget>

namespace stepwell::ui {

QEvent::Type TakeMenuEvent::kind()
{
    static const int number = registerEventType();
    return static_cast<Type>(number);
}

void addTakeActions(QMenu &menu, QWidget &from)
{
    TakeMenuEvent event(menu, from);
    for (QWidget *widget = &from; widget && !event.isAccepted(); widget = widget->parentWidget())
        QCoreApplication::sendEvent(widget, &event);
}

void popUpTakeMenu(QWidget &from, const QPoint &at)
{
    auto *menu = new QMenu(&from);
    menu->setObjectName(QStringLiteral("takeMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    addTakeActions(*menu, from);
    if (menu->isEmpty())
        delete menu;
    else
        menu->popup(at);
}

} // namespace stepwell::ui
