// The times and values of the baseline beside those of the program.

#include "ui/session/baseline.h"

#include <algorithm>

namespace stepwell::ui {

namespace {

// The report with the times and outputs of another one of the same compilation; null: it is another compilation, because the
// file was changed meanwhile.
sw::ReportPtr withRunOf(const sw::ReportPtr &report, const sw::Report &run)
{
    if (!report || !std::ranges::equal(report->kernels, run.kernels, {}, &sw::KernelEntry::name, &sw::KernelEntry::name))
        return nullptr;
    auto made = std::make_shared<sw::Report>(*report);
    made->messages = run.messages;
    made->kernels = run.kernels;
    made->outputs = run.outputs;
    made->totalMedianNanoseconds = run.totalMedianNanoseconds;
    made->runParts = run.runParts;
    made->figures = run.figures;
    made->runOutputs = run.runOutputs;
    return made;
}

} // namespace

sw::ExploreRequest Baseline::request() const
{
    const BaselineEntry &entry = *current();
    return entry.isFollowing() ? entry.variant.of(m_session.request()) : entry.request;
}

bool Baseline::canRunBoth() const
{
    return current() && m_before && m_before->report->succeeded && !m_asked && m_end && m_end->isFinal &&
           m_end->report->succeeded && m_session.activity() == Activity::Idle;
}

void Baseline::runBoth()
{
    if (!canRunBoth())
        return;
    m_times = {};
    m_times.of = m_current;
    m_session.runBoth(request());
    emit changed();
}

void Baseline::onBothRan(const sw::BothRuns &runs)
{
    BaselineEntry *entry = m_list.find(m_current);
    if (!entry || !m_before || m_times.of != m_current)
        return;
    m_times = {};
    m_times.of = m_current;
    m_times.error = QString::fromStdString(runs.error);
    if (!runs.baseline) {
        emit changed();
        return;
    }
    const sw::ReportPtr report = withRunOf(entry->report, *runs.baseline);
    if (!report && !entry->isFollowing()) {
        m_times.error = tr("its file is another one now");
        emit changed();
        return;
    }
    m_times.before = report ? report : runs.baseline;
    m_times.now = runs.now;
    m_times.difference = QString::fromStdString(runs.difference);
    for (const std::string &note : runs.notes)
        m_times.notes << QString::fromStdString(note);
    entry->report = m_times.before;
    if (report) { // the documents are those that are shown
        auto timed = std::make_shared<Snapshot>(*m_before);
        timed->report = timed->good = timed->measured = report;
        if (entry->moment)
            entry->moment = timed;
        setBefore(timed);
        compare();
    } else {
        make(entry->request, entry->report);
    }
    emit changed();
}

// Reading machine code makes other reports with the same times.
bool Baseline::isMeasuredInTurn() const
{
    return m_times.before && m_before && m_end && m_end->good && m_before->report->runOutputs == m_times.before->runOutputs &&
           m_end->good->runOutputs == m_times.now->runOutputs;
}

std::optional<std::uint32_t> Baseline::nodeBefore(std::uint32_t node) const
{
    const StageDifferencePtr &graph = m_differences.difference(sw::StageKind::Graph);
    if (!graph)
        return {};
    const auto item = std::ranges::find(graph->after->items, node, &sw::DocumentItem::node);
    if (item == graph->after->items.end())
        return {};
    const auto index = static_cast<std::size_t>(item - graph->after->items.begin());
    const sw::ItemIndex before = graph->items.items[index].before;
    return before == sw::kNoIndex ? std::nullopt : std::optional(graph->before->items[before].node);
}

} // namespace stepwell::ui
