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

// Of the item at the end; sw::kNoIndex: none.
std::uint32_t kernelOf(const PanelContext &context, Selection::Place place)
{
    const SnapshotPtr &end = context.session.snapshot();
    const sw::StageDocumentPtr document = end ? end->stage(place.stage).document : nullptr;
    return document && place.item < document->items.size() ? document->items[place.item].kernel : sw::kNoIndex;
}

void addDecisions(QMenu &menu, const PanelContext &context, QWidget *owner, const sw::WhyCard &card)
{
    Requests &requests = context.requests;
    menu.addAction(QCoreApplication::translate("Why", "&Why?"), owner,
                   [&requests] { emit requests.panelWanted(QStringLiteral("why")); });
    menu.addSeparator();
    WhatIf &whatIf = context.whatIf;
    bool isFirst = true;
    for (const sw::WhyTry &one : card.tries) {
        QAction *action = menu.addAction(escapedForMenu(one.title), owner, [&whatIf, one] { whatIf.apply(one); });
        const bool isBlocked = !card.obstacles.empty() && !one.isRemoval && isFirst;
        action->setEnabled(!isBlocked);
        action->setToolTip(QString::fromStdString(isBlocked ? card.obstacles.front() : one.override));
        isFirst = false;
    }
}

// card: null where no decision made the item.
void popUp(const PanelContext &context, QWidget *owner, const sw::WhyCard *card, std::uint32_t kernel, const QPoint &at)
{
    auto *menu = new QMenu(owner);
    menu->setObjectName(QStringLiteral("overrideMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    Requests &requests = context.requests;
    if (card != nullptr)
        addDecisions(*menu, context, owner, *card);
    if (kernel != sw::kNoIndex) {
        menu->addSeparator();
        QAction *tune = menu->addAction(QCoreApplication::translate("Why", "&Tune this kernel"), owner,
                                        [&requests, kernel] { emit requests.tuningWanted(kernel); });
        tune->setObjectName(QStringLiteral("tuneKernel"));
        QAction *save = menu->addAction(QCoreApplication::translate("Why", "Save &kernel reproducer..."), owner,
                                        [&requests, kernel] { emit requests.reproducerWanted(kernel); });
        save->setObjectName(QStringLiteral("saveReproducer"));
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
        [context, owner, at, place](const std::optional<sw::WhyCard> &card) {
            const std::uint32_t kernel = kernelOf(context, place);
            if (card || kernel != sw::kNoIndex)
                popUp(context, owner, card ? &*card : nullptr, kernel, at);
        });
}

} // namespace stepwell::ui
