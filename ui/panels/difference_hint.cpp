#include "ui/panels/difference_hint.h"

#include <QCoreApplication>
#include <QStringList>

namespace stepwell::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Difference", text);
}

} // namespace

QString beforeHint(const Baseline &baseline, sw::StageKind stage)
{
    const BaselineEntry *entry = baseline.current();
    if (!entry)
        return tr("There is no baseline.");
    if (!baseline.before())
        return baseline.isCompiling() ? tr("\u201c%1\u201d is being compiled.").arg(entry->name)
                                      : tr("\u201c%1\u201d is compiled once the program has no errors.").arg(entry->name);
    if (baseline.before()->stage(stage).document)
        return {};
    if (const QString problem = baseline.problem(); !problem.isEmpty())
        return tr("\u201c%1\u201d stopped before this stage: %2").arg(entry->name, problem);
    return tr("\u201c%1\u201d has no such stage.").arg(entry->name);
}

QString differenceHint(const Baseline &baseline, sw::StageKind stage)
{
    switch (baseline.differences().state(stage)) {
    case DifferenceState::None:
    case DifferenceState::NotBefore:
        return beforeHint(baseline, stage);
    case DifferenceState::NotNow:
        return tr("The program has no such stage here, and the baseline has.");
    case DifferenceState::Pending:
        return tr("Comparing");
    case DifferenceState::Unread:
        return tr("Reading the machine code of both");
    case DifferenceState::Equal:
        return tr("No difference to \u201c%1\u201d.").arg(baseline.current()->name);
    case DifferenceState::Different:
        return {};
    }
    Q_UNREACHABLE();
}

QString differenceNote(const StageDifference &difference)
{
    const bool isGraph = difference.after->kind == sw::StageKind::Graph || difference.after->kind == sw::StageKind::Schedule;
    const auto count = [&](sw::ItemKind item, sw::RowKind row) {
        return isGraph ? difference.items.count(item) : difference.text.count(row);
    };
    QStringList parts;
    const auto add = [&parts](std::uint32_t number, const QString &text) {
        if (number > 0)
            parts << text.arg(number);
    };
    add(count(sw::ItemKind::Changed, sw::RowKind::Changed), tr("%1 changed"));
    add(count(sw::ItemKind::Removed, sw::RowKind::Removed), tr("%1 removed"));
    add(count(sw::ItemKind::Added, sw::RowKind::Added), tr("%1 added"));
    if (!isGraph)
        add(difference.text.count(sw::RowKind::Moved), tr("%1 moved"));
    return parts.join(QStringLiteral(", "));
}

} // namespace stepwell::ui
