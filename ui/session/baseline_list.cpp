#include "ui/session/baseline_list.h"

#include "engine/api/compare/text_difference.h"
#include "engine/api/document_sharing.h"
#include "ui/session/counted.h"
#include "ui/session/program_title.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace stepwell::ui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("Baseline", text);
}

// Lines of the program that were changed, added or removed; a changed line counts once.
std::uint32_t changedLines(const sw::StageDocumentPtr &before, const sw::StageDocumentPtr &after)
{
    if (!before || !after || before == after)
        return 0;
    const sw::TextDifference difference = sw::differenceOf(*before, *after);
    std::uint32_t lines = 0;
    for (const sw::RowKind kind : {sw::RowKind::Moved, sw::RowKind::Changed, sw::RowKind::Removed, sw::RowKind::Added})
        lines += difference.count(kind);
    return lines;
}

} // namespace

std::optional<bool> &CompileVariant::operator[](bool sw::CompileSwitches::*which)
{
    const auto row = std::ranges::find(sw::kCompileSwitches, which, &sw::CompileSwitch::isOn);
    return switches[static_cast<std::size_t>(row - sw::kCompileSwitches.begin())];
}

sw::ExploreRequest CompileVariant::of(sw::ExploreRequest request) const
{
    if (!device.isEmpty())
        request.device = device.toStdString();
    for (std::size_t i = 0; i < switches.size(); ++i)
        request.*sw::kCompileSwitches[i].isOn = switches[i].value_or(request.*sw::kCompileSwitches[i].isOn);
    if (!file.isEmpty()) {
        request.fileName = file.toStdString();
        request.text.clear();
        request.isFile = true;
        request.overrides.clear(); // they name values of this program
        request.overridesName.clear();
    }
    return request;
}

QString CompileVariant::name() const
{
    QStringList parts;
    if (!file.isEmpty())
        parts << titleOf(file);
    if (!device.isEmpty())
        parts << tr("device %1").arg(device);
    for (std::size_t i = 0; i < switches.size(); ++i)
        if (switches[i])
            parts << (*switches[i] ? tr("with %1") : tr("without %1"))
                         .arg(QString::fromLatin1(sw::kCompileSwitches[i].noun.data(),
                                                  static_cast<qsizetype>(sw::kCompileSwitches[i].noun.size())));
    return parts.join(QStringLiteral(", "));
}

CompilationChange changeBetween(const sw::Report &before, const sw::Report &after)
{
    CompilationChange change;
    for (const sw::StageKind stage : kStages) {
        const sw::StageDocumentPtr &old = documentOf(before, stage);
        const sw::StageDocumentPtr &now = documentOf(after, stage);
        change.changed[indexOf(stage)] = old != now && (!old || !now || !sw::areEqual(*old, *now));
    }
    QStringList parts;
    const auto kernels = static_cast<qint64>(after.kernels.size()) - static_cast<qint64>(before.kernels.size());
    if (kernels > 0)
        parts << counted(kernels, tr("%1 kernel more"), tr("%1 kernels more"));
    else if (kernels < 0)
        parts << counted(-kernels, tr("%1 kernel fewer"), tr("%1 kernels fewer"));
    if (before.device != after.device)
        parts << tr("device %1").arg(QString::fromStdString(after.device));
    if (const std::uint32_t lines = changedLines(before.program, after.program); lines > 0)
        parts << counted(lines, tr("%1 line of the program"), tr("%1 lines of the program"));
    if (parts.isEmpty()) {
        const auto first = std::ranges::find(change.changed, true);
        parts << (first == change.changed.end() ? tr("nothing") : tr("the code of the same kernels"));
    }
    change.text = parts.join(QStringLiteral(", "));
    return change;
}

BaselineEntry *BaselineList::find(std::uint64_t id)
{
    const auto found = std::ranges::find(m_entries, id, &BaselineEntry::id);
    return found == m_entries.end() ? nullptr : &*found;
}

const BaselineEntry *BaselineList::find(std::uint64_t id) const
{
    const auto found = std::ranges::find(m_entries, id, &BaselineEntry::id);
    return found == m_entries.end() ? nullptr : &*found;
}

BaselineEntry *BaselineList::earlier(std::uint64_t compilation)
{
    const auto isIt = [compilation](const BaselineEntry &entry) {
        return entry.kind == BaselineKind::Earlier && entry.compilation == compilation;
    };
    const auto found = std::ranges::find_if(m_entries, isIt);
    return found == m_entries.end() ? nullptr : &*found;
}

std::uint64_t BaselineList::add(BaselineEntry entry)
{
    entry.id = ++m_last;
    m_entries.push_back(std::move(entry));
    return m_last;
}

void BaselineList::trim(std::uint64_t kept)
{
    const auto isEarlier = [](const BaselineEntry &entry) { return entry.kind == BaselineKind::Earlier; };
    const auto isFull = [&] {
        std::vector<sw::ReportPtr> reports;
        for (const BaselineEntry &entry : m_entries)
            if (isEarlier(entry))
                reports.push_back(entry.report);
        return reports.size() > kKeptCompilations || sw::bytesOf(reports) > m_mostBytes;
    };
    while (isFull()) {
        const auto newest = std::ranges::find_if(m_entries.rbegin(), m_entries.rend(), isEarlier);
        const auto oldest = std::ranges::find_if(
            m_entries, [&](const BaselineEntry &entry) { return isEarlier(entry) && entry.id != kept && &entry != &*newest; });
        if (oldest == m_entries.end())
            return;
        m_entries.erase(oldest);
    }
}

} // namespace stepwell::ui
