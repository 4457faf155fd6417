#include "ui/panels/timings_panel.h"

#include "ui/models/quantity.h"
#include "ui/panels/table.h"
#include "ui/panels/table_sides.h"
#include "ui/sharing/take_menu.h"

#include <QItemSelectionModel>
#include <QMenu>
#include <QSignalBlocker>
#include <QSortFilterProxyModel>

#include <algorithm>

namespace stepwell::ui {

namespace {

// ": kernels 23.1 us, launches 80.4 us": the parts that took any time at all.
QString partsText(const std::vector<sw::RunPart> &parts)
{
    QStringList texts;
    for (const sw::RunPart &part : parts)
        if (part.nanoseconds > 0)
            texts.append(QStringLiteral("%1 %2").arg(QString::fromStdString(part.name), timeText(part.nanoseconds)));
    return texts.isEmpty() ? QString() : QStringLiteral(": ") + texts.join(QStringLiteral(", "));
}

} // namespace

TimingsPanel::TimingsPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new KernelModel(context.appearance, this)),
      m_sorted(new QSortFilterProxyModel(this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("No kernels yet."), this))
{
    m_sorted->setSourceModel(m_model);
    m_sorted->setSortRole(KernelModel::SortRole);
    m_table->setObjectName(QStringLiteral("timingsTable"));
    m_table->setAccessibleName(tr("Kernel times"));
    m_table->setModel(m_sorted);
    m_table->setSortingEnabled(true);
    m_table->sortByColumn(KernelModel::Tag, Qt::AscendingOrder);
    styleTable(*m_table);
    m_table->setItemDelegateForColumn(KernelModel::Share, new ShareDelegate(context.appearance, this));
    QHeaderView *header = m_table->horizontalHeader();
    header->setSectionResizeMode(QHeaderView::ResizeToContents);
    header->setSectionResizeMode(KernelModel::Name, QHeaderView::Stretch);
    header->setSectionResizeMode(KernelModel::Share, QHeaderView::Fixed);
    header->resizeSection(KernelModel::Share, 170);
    using Unit = ComparedQuantity::Unit;
    m_sides = new TableSides(context, m_stack, QStringLiteral("timingsDifference"),
                             {{"median", tr("Time"), Unit::Nanoseconds},
                              {"bytes", tr("Moved"), Unit::Bytes},
                              {"flops", tr("Operations"), Unit::Count}},
                             [&baseline = context.baseline](const sw::Report &before, const sw::Report &now) {
                                 return comparedKernels(before, now, baseline.isMeasuredInTurn());
                             });
    m_sides->setChoice(
        *new SideChoice(context.baseline, addTool(QStringLiteral("compare"), tr("Now, before, or the difference")), this));
    setContent(m_sides);
    connect(m_sides, &TableSides::changed, this, &TimingsPanel::updateNote);
    m_table->setContextMenuPolicy(Qt::CustomContextMenu);
    connect(m_table, &QTableView::customContextMenuRequested, this, &TimingsPanel::showMenu);
    connect(m_table, &QTableView::clicked, this, &TimingsPanel::onClicked);
    connect(&context.selection, &Selection::selectionChanged, this, &TimingsPanel::onSelectionChanged);
}

void TimingsPanel::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    m_model->setSnapshot(snapshot);
    showTable(*m_stack, m_model->rowCount() > 0);
    const sw::ReportPtr timed = snapshot ? snapshot->timed() : nullptr;
    setMadeBy(timed && m_model->rowCount() > 0 ? std::optional(snapshot->timedCompilation()) : std::nullopt);
    m_sides->setSnapshot(snapshot);
    updateNote();
    onSelectionChanged();
}

void TimingsPanel::updateNote()
{
    const sw::ReportPtr timed = m_snapshot ? m_snapshot->timed() : nullptr;
    const SnapshotPtr &before = m_context.baseline.before();
    if (!timed || m_model->rowCount() == 0)
        setNote({});
    else if (m_sides->isDifference() && before && before->report->totalMedianNanoseconds && timed->totalMedianNanoseconds)
        setNote(tr("total %1 before, %2 now, %3")
                    .arg(timeText(*before->report->totalMedianNanoseconds), timeText(*timed->totalMedianNanoseconds),
                         m_context.baseline.isMeasuredInTurn()
                             ? tr("measured in turn: %1").arg(m_context.baseline.times().difference)
                             : tr("not measured in turn")));
    else if (m_sides->isDifference() && before && !before->report->totalMedianNanoseconds)
        setNote(tr("the baseline was not run: Run both (Ctrl+Alt+R)"));
    else if (timed->totalMedianNanoseconds)
        setNote(tr("total %1 on %2%3")
                    .arg(timeText(*timed->totalMedianNanoseconds), QString::fromStdString(timed->device),
                         partsText(timed->runParts)));
    else
        setNote(tr("not measured: Run (Ctrl+R)"));
}

void TimingsPanel::onClicked(const QModelIndex &index)
{
    const std::uint32_t kernel = m_model->kernelAt(m_sorted->mapToSource(index).row());
    const sw::StageDocumentPtr &schedule = m_snapshot->stage(sw::StageKind::Schedule).document;
    if (!schedule || isBeforeEnd()) // its kernels belong to the end
        return;
    if (kernel == sw::kNoIndex)
        return;
    const auto isKernel = [kernel](const sw::DocumentItem &item) {
        return item.kernel == kernel && std::ranges::find(item.tags, "kernel") != item.tags.end();
    };
    const auto found = std::ranges::find_if(schedule->items, isKernel);
    if (found != schedule->items.end())
        m_context.selection.select(sw::StageKind::Schedule, {static_cast<sw::ItemIndex>(found - schedule->items.begin())});
}

void TimingsPanel::showMenu(const QPoint &at)
{
    const QModelIndex index = m_table->indexAt(at);
    const std::uint32_t kernel = index.isValid() ? m_model->kernelAt(m_sorted->mapToSource(index).row()) : sw::kNoIndex;
    if (kernel == sw::kNoIndex || isBeforeEnd()) {
        popUpTakeMenu(*m_table, m_table->viewport()->mapToGlobal(at));
        return;
    }
    auto *menu = new QMenu(this);
    menu->setObjectName(QStringLiteral("kernelMenu"));
    menu->setAttribute(Qt::WA_DeleteOnClose);
    Requests &requests = m_context.requests;
    QAction *tune = menu->addAction(tr("&Tune this kernel"), this, [&requests, kernel] { emit requests.tuningWanted(kernel); });
    tune->setObjectName(QStringLiteral("tuneKernel"));
    QAction *save =
        menu->addAction(tr("Save &kernel reproducer..."), this, [&requests, kernel] { emit requests.reproducerWanted(kernel); });
    save->setObjectName(QStringLiteral("saveReproducer"));
    addTakeActions(*menu, *m_table);
    menu->popup(m_table->viewport()->mapToGlobal(at));
}

void TimingsPanel::onSelectionChanged()
{
    if (!m_snapshot || isBeforeEnd() || !m_snapshot->stage(sw::StageKind::Schedule).document)
        return;
    const sw::StageDocument &schedule = *m_snapshot->stage(sw::StageKind::Schedule).document;
    QItemSelection rows;
    for (const sw::ItemIndex item : m_context.selection.selected(sw::StageKind::Schedule).items) {
        const int row = schedule.items[item].kernel == sw::kNoIndex ? -1 : m_model->rowOf(schedule.items[item].kernel);
        if (row < 0)
            continue;
        const QModelIndex index = m_sorted->mapFromSource(m_model->index(row, 0));
        rows.select(index, index.siblingAtColumn(KernelModel::ColumnCount - 1));
    }
    m_table->selectionModel()->select(rows, QItemSelectionModel::ClearAndSelect);
    if (!rows.isEmpty())
        m_table->scrollTo(rows.indexes().front());
}

} // namespace stepwell::ui
