#include "ui/session/target_choice.h"

#include "engine/api/target_code.h"
#include "ui/session/settings.h"

namespace stepwell::ui {

namespace {

// Of the names, those of targets, in the order of the table.
QStringList knownOf(const QStringList &names)
{
    QStringList known;
    for (const sw::TargetEntry &entry : sw::targetEntries())
        if (const QString name = QString::fromStdString(entry.name); names.contains(name))
            known << name;
    return known;
}

} // namespace

TargetChoice::TargetChoice(Settings &settings, QObject *parent)
    : QObject(parent), m_settings(settings), m_targets(knownOf(settings.targets()))
{
}

void TargetChoice::setChosen(const QString &target, bool isChosen)
{
    QStringList targets = m_targets;
    targets.removeAll(target);
    if (isChosen)
        targets << target;
    set(knownOf(targets));
}

void TargetChoice::clear()
{
    set({});
}

void TargetChoice::set(const QStringList &targets)
{
    if (targets == m_targets)
        return;
    m_targets = targets;
    m_settings.setTargets(targets);
    emit changed();
}

} // namespace stepwell::ui
