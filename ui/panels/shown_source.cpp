#include "ui/panels/shown_source.h"

#include <QObject>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

bool hasTag(const sw::DocumentItem &item, const char *tag)
{
    return std::ranges::find(item.tags, tag) != item.tags.end();
}

bool isGiven(const sw::DocumentItem &item)
{
    return hasTag(item, "input") || hasTag(item, "param");
}

// Where a tensor is, and no loop or register.
bool holdsTensor(const sw::DocumentItem &item)
{
    return std::ranges::any_of(std::array{"load", "masked_load", "store", "define_global", "value", "buffer"},
                               [&](const char *tag) { return hasTag(item, tag); });
}

} // namespace

sw::MomentPlace placeOf(const Snapshot &snapshot)
{
    return snapshot.moment ? snapshot.moment->place : sw::MomentPlace{sw::kNoIndex};
}

std::optional<ShownSource> sourceOf(const Selection &selection, const Snapshot &snapshot, const InputChoices &inputs,
                                    const ShownSource &shown)
{
    const std::optional<Selection::Place> place = selection.selectedPlace();
    const sw::StageDocumentPtr document = place ? snapshot.stage(place->stage).document : nullptr;
    if (!document || place->item >= document->items.size())
        return std::nullopt;
    const sw::DocumentItem &item = document->items[place->item];
    const QString name = QString::fromStdString(item.label);
    if (hasTag(item, "sink")) // the outputs themselves
        return ShownSource{ShownKind::Output};
    const bool isAtEnd = !snapshot.moment;
    if (isAtEnd && item.node != sw::kNoIndex)
        return isGiven(item) && inputs.entry(item.label) ? ShownSource{ShownKind::Input, name}
                                                         : ShownSource{ShownKind::Node, name, item.node};
    const bool isStage = place->stage >= sw::StageKind::Graph && place->stage <= sw::StageKind::Lowered;
    if (!isStage || (isAtEnd && !shown.isChosen() && !holdsTensor(item)))
        return std::nullopt;
    return ShownSource{ShownKind::Item, name, place->item, place->stage, placeOf(snapshot)};
}

QString titleOf(const ShownSource &source, const std::vector<sw::PassEntry> &passes)
{
    if (source.kind == ShownKind::Node)
        return QStringLiteral("%1 (%%2)").arg(source.name, QString::number(source.node));
    if (source.place.pass >= passes.size())
        return source.name;
    const QString pass = QString::fromStdString(passes[source.place.pass].id);
    return source.place.rewrites == sw::kNoIndex
               ? QObject::tr("%1 after %2").arg(source.name, pass)
               : QObject::tr("%1 after %2:%3").arg(source.name, pass).arg(source.place.rewrites);
}

} // namespace stepwell::ui
