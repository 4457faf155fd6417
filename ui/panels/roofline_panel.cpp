#include "ui/panels/roofline_panel.h"

#include "engine/api/compare/table_difference.h"
#include "ui/panels/invitation.h"
#include "ui/panels/table.h"

#include <QItemSelectionModel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSplitter>
#include <QStackedWidget>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace stepwell::ui {

RooflinePanel::RooflinePanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_plot(new RooflinePlot(context.appearance, this)),
      m_model(new RooflineModel(context.appearance, this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this)),
      m_content(new QSplitter(Qt::Horizontal, this)),
      m_stack(new QStackedWidget(this))
{
    m_plot->setObjectName(QStringLiteral("rooflinePlot"));
    m_plot->setAccessibleName(tr("Roofline of the kernels"));
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(RooflineModel::SortRole);
    m_table->setObjectName(QStringLiteral("rooflineTable"));
    m_table->setAccessibleName(tr("What bounds the kernels"));
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(RooflineModel::Tag, Qt::AscendingOrder);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_content->addWidget(m_plot);
    m_content->addWidget(m_table);
    m_content->setStretchFactor(0, 2);
    m_content->setStretchFactor(1, 3);
    m_content->setChildrenCollapsible(false);
    const Invitation invitation = makeInvitation(tr("Measure this machine"), QStringLiteral("rooflineMeasure"), m_stack);
    m_told = invitation.told;
    m_measure = invitation.button;
    connect(m_measure, &QPushButton::clicked, this, [this] { ask(sw::RoofsWanted::Measured); });
    m_stack->addWidget(invitation.page);
    m_stack->addWidget(m_content);
    setContent(m_stack);
    m_again = addTool(QStringLiteral("device"), tr("Measure the roofs of this machine anew"));
    m_again->setObjectName(QStringLiteral("rooflineAgain"));
    connect(m_again, &QToolButton::clicked, this, [this] { ask(sw::RoofsWanted::MeasuredAnew); });
    // A compilation that was stopped makes no snapshot, and dropped the question all the same. A broken program has no device:
    // the next snapshot that is whole asks again.
    connect(&context.session, &Session::compileFinished, this, [this] {
        const SnapshotPtr &now = m_context.session.snapshot();
        if (m_context.session.isDropped(RequestTag::Roofs) && now && now->report->succeeded)
            ask(m_wanted);
    });
    connect(&context.baseline, &Baseline::changed, this, &RooflinePanel::fill);
    connect(m_plot, &RooflinePlot::kernelChosen, this, &RooflinePanel::choose);
    connect(m_table, &QTableView::clicked, this,
            [this](const QModelIndex &index) { choose(m_model->kernelAt(m_sorted->mapToSource(index).row())); });
    connect(&context.selection, &Selection::selectionChanged, this, &RooflinePanel::onSelectionChanged);
    fill();
}

void RooflinePanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    rememberRun();
    const bool isReady = snapshot && snapshot->isFinal && snapshot->report->succeeded;
    if (isReady) {
        const QString device = QString::fromStdString(snapshot->report->device);
        // Another device has other roofs; a measurement that a newer compilation ended begins again.
        if (std::exchange(m_roofsDevice, device) != device) {
            m_roofs.reset();
            ask(sw::RoofsWanted::Known);
        } else if (m_context.session.isDropped(RequestTag::Roofs)) {
            ask(m_wanted);
        }
    }
    const sw::ReportPtr timed = snapshot ? snapshot->timed() : nullptr;
    setMadeBy(timed && !timed->kernels.empty() ? std::optional(snapshot->timedCompilation()) : std::nullopt);
    fill();
}

// Arrows lead from the run before.
void RooflinePanel::rememberRun()
{
    if (!m_snapshot) {
        m_run.reset();
        m_runBefore.reset();
        return;
    }
    const sw::ReportPtr &report = m_snapshot->report;
    if (!m_snapshot->isFinal || !report->totalMedianNanoseconds || report == m_run)
        return;
    const auto isSameRun = m_run && m_run->runOutputs == report->runOutputs;
    if (!isSameRun)
        m_runBefore = m_run;
    m_run = report;
}

void RooflinePanel::ask(sw::RoofsWanted wanted)
{
    m_wanted = wanted;
    m_context.session.ask(
        RequestTag::Roofs, this,
        [wanted](EngineService &service, const std::stop_token &stop) { return service.roofs(wanted, stop); },
        [this, wanted](sw::RoofsAnswer answer) {
            m_wanted = sw::RoofsWanted::Known;
            if (answer.roofs)
                m_roofs = std::move(answer.roofs);
            m_roofsError = wanted == sw::RoofsWanted::Known ? QString() : QString::fromStdString(answer.error);
            fill();
        });
    fill();
}

// With the names that the kernels have now: those of an earlier compilation may be counted otherwise.
std::vector<sw::RooflinePoint> RooflinePanel::pointsBefore(const sw::Report &now) const
{
    const Baseline &baseline = m_context.baseline;
    sw::ReportPtr before = m_runBefore;
    if (baseline.current())
        before = baseline.before() && baseline.before()->report->totalMedianNanoseconds ? baseline.before()->report : nullptr;
    if (!before)
        return {};
    std::vector<sw::KernelEntry> kernels;
    for (const sw::TableRowDifference &row : sw::kernelDifferences(*before, now)) {
        if (row.before == sw::kNoIndex || row.after == sw::kNoIndex)
            continue;
        kernels.push_back(before->kernels[row.before]);
        kernels.back().name = now.kernels[row.after].name;
    }
    return sw::rooflineOf(kernels, *m_roofs).points;
}

void RooflinePanel::fill()
{
    const bool isMeasuring = m_wanted != sw::RoofsWanted::Known && m_context.session.isAsking(RequestTag::Roofs);
    const sw::ReportPtr timed = m_snapshot ? m_snapshot->timed() : nullptr;
    const bool hasKernels = timed && !timed->kernels.empty();
    m_again->setEnabled(m_roofs && !isMeasuring);
    m_measure->setVisible(hasKernels && !m_roofs);
    m_measure->setEnabled(!isMeasuring);
    if (!hasKernels)
        m_told->setText(tr("No kernels yet."));
    else if (isMeasuring)
        m_told->setText(tr("Measuring how fast this machine moves bytes and computes\u2026"));
    else
        m_told->setText(
            tr("A roofline holds kernels against what this machine can do. That is measured once, in one or two seconds.%1")
                .arg(m_roofsError.isEmpty() ? QString() : u'\n' + m_roofsError));
    m_stack->setCurrentIndex(hasKernels && m_roofs ? 1 : 0);
    if (!hasKernels || !m_roofs) {
        setNote({});
        return;
    }
    sw::Roofline roofline = sw::rooflineOf(timed->kernels, *m_roofs);
    // What ran last may be of an earlier compilation, with other numbers.
    const std::vector<sw::KernelEntry> &now = m_snapshot->report->kernels;
    for (sw::RooflinePoint &point : roofline.points) {
        const auto found = std::ranges::find(now, point.name, &sw::KernelEntry::name);
        point.kernel = found == now.end() ? sw::kNoIndex : static_cast<std::uint32_t>(found - now.begin());
    }
    m_model->setPoints(roofline.points, m_snapshot->kernels);
    m_plot->setRoofline(std::move(roofline), pointsBefore(*timed), m_snapshot->kernels);
    if (isMeasuring)
        setNote(tr("measuring\u2026"));
    else if (!timed->totalMedianNanoseconds)
        setNote(tr("not measured: Run (Ctrl+R)"));
    else
        setNote(tr("roofs measured %1").arg(QString::fromStdString(m_roofs->measuredOn)));
    onSelectionChanged();
}

void RooflinePanel::choose(std::uint32_t kernel)
{
    const sw::StageDocumentPtr &schedule = m_snapshot->stage(sw::StageKind::Schedule).document;
    if (kernel == sw::kNoIndex || !schedule || isBeforeEnd()) // its kernels belong to the end
        return;
    const auto found = std::ranges::find_if(schedule->items, [kernel](const sw::DocumentItem &item) {
        return item.kernel == kernel && std::ranges::find(item.tags, "kernel") != item.tags.end();
    });
    if (found != schedule->items.end())
        m_context.selection.select(sw::StageKind::Schedule, {static_cast<sw::ItemIndex>(found - schedule->items.begin())});
}

void RooflinePanel::onSelectionChanged()
{
    if (!m_snapshot || isBeforeEnd() || !m_snapshot->stage(sw::StageKind::Schedule).document)
        return;
    const sw::StageDocument &schedule = *m_snapshot->stage(sw::StageKind::Schedule).document;
    std::vector<std::uint32_t> kernels;
    for (const sw::ItemIndex item : m_context.selection.selected(sw::StageKind::Schedule).items)
        if (schedule.items[item].kernel != sw::kNoIndex)
            kernels.push_back(schedule.items[item].kernel);
    QItemSelection rows;
    for (int row = 0; row < m_model->rowCount(); ++row) {
        if (std::ranges::find(kernels, m_model->kernelAt(row)) == kernels.end())
            continue;
        const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
        rows.select(index, index.siblingAtColumn(RooflineModel::ColumnCount - 1));
    }
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.isEmpty())
        m_table->scrollTo(rows.indexes().front());
    m_plot->setSelected(std::move(kernels));
}

} // namespace stepwell::ui
