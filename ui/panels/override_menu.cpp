#include "ui/panels/override_menu.h"

#include "ui/sharing/take_menu.h"

#include <QCoreApplication>
#include <QMenu>

namespace stepwell::ui {

namespace {

QString escapedForMenu(const std::string &text)
{
    return QString::fromStdString(text).replace(u'&', QStringLiteral("&&"));
}

void popUp(const PanelContext &context, QWidget *owner, const sw::WhyCard &card, const QPoint &at)
{
    auto *menu = new QMenu(owner);
    menu->setObjectName(QStringLiteral("overrideMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    Requests &requests = context.requests;
    menu->addAction(QCoreApplication::translate("Why", "&Why?"), owner,
                    [&requests] { emit requests.panelWanted(QStringLiteral("why")); });
    menu->addSeparator();
    WhatIf &whatIf = context.whatIf;
    bool isFirst = true;
    for (const sw::WhyTry &one : card.tries) {
        QAction *action = menu->addAction(escapedForMenu(one.title), owner, [&whatIf, one] { whatIf.apply(one); });
        const bool isBlocked = !card.obstacles.empty() && !one.isRemoval && isFirst;
        action->setEnabled(!isBlocked);
        action->setToolTip(QString::fromStdString(isBlocked ? card.obstacles.front() : one.override));
        isFirst = false;
    }
    addTakeActions(*menu, *owner);
    menu->popup(at);
}

} // namespace

void showOverrideMenu(const PanelContext &context, QWidget *owner, Selection::Place place, const QPoint &at)
{
    context.selection.select(place.stage, {place.item});
    context.session.ask(
        RequestTag::Menu, owner,
        [place](EngineService &service, const std::stop_token &stop) { return service.why(place.stage, place.item, stop); },
        [context, owner, at](const std::optional<sw::WhyCard> &card) {
            if (card)
                popUp(context, owner, *card, at);
        });
}

} // namespace stepwell::ui
