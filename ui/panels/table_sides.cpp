#include "ui/panels/table_sides.h"

#include "ui/panels/difference_hint.h"
#include "ui/panels/table.h"

namespace stepwell::ui {

TableSides::Rows comparedKernels(const sw::Report &before, const sw::Report &now, bool isInTurn)
{
    TableSides::Rows made{sw::kernelDifferences(before, now)};
    for (const sw::TableRowDifference &row : made.rows) {
        bool isNoise = false;
        if (row.before != sw::kNoIndex && row.after != sw::kNoIndex) {
            const sw::KernelEntry &a = before.kernels[row.before];
            const sw::KernelEntry &b = now.kernels[row.after];
            const bool isOverlap = isInTurn ? a.lowNanoseconds <= b.highNanoseconds && b.lowNanoseconds <= a.highNanoseconds
                                            : a.minNanoseconds <= b.maxNanoseconds && b.minNanoseconds <= a.maxNanoseconds;
            isNoise = a.medianNanoseconds && b.medianNanoseconds && isOverlap;
        }
        made.isNoise.push_back(isNoise);
    }
    return made;
}

TableSides::TableSides(const PanelContext &context, QWidget *now, const QString &name, std::vector<ComparedQuantity> quantities,
                       Compare compare)
    : m_context(context),
      m_compare(std::move(compare)),
      m_model(new DifferenceModel(context.appearance, std::move(quantities), this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(m_table, tr("There is no baseline."), this))
{
    addWidget(now);
    addWidget(m_stack);
    setFocusProxy(now);
    m_table->setObjectName(name);
    m_table->setAccessibleName(tr("Difference to the baseline"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setSectionResizeMode(DifferenceModel::Name, QHeaderView::Stretch);
}

void TableSides::setChoice(SideChoice &choice)
{
    m_choice = &choice;
    connect(&choice, &SideChoice::changed, this, &TableSides::showSide);
}

void TableSides::setSnapshot(const SnapshotPtr &snapshot)
{
    m_snapshot = snapshot;
    showSide();
}

void TableSides::showSide()
{
    const Shown side = m_choice ? m_choice->shown() : Shown::Now;
    const SnapshotPtr &before = m_context.baseline.before();
    const sw::ReportPtr now = m_snapshot ? m_snapshot->good : nullptr;
    setCurrentIndex(side == Shown::Now ? 0 : 1);
    if (side != Shown::Now) {
        Rows made;
        if (before && now)
            made = m_compare(*before->report, *now);
        const QString hint = beforeHint(m_context.baseline, sw::StageKind::Schedule);
        setTableHint(*m_stack, !hint.isEmpty() ? hint : tr("There is nothing to compare."));
        m_model->setRows(std::move(made.rows), std::move(made.isNoise));
        showTable(*m_stack, m_model->rowCount() > 0);
        showColumns(side);
    }
    setFocusProxy(side == Shown::Now ? widget(0) : m_table);
    emit changed();
}

// Only what was, or both.
void TableSides::showColumns(Shown side)
{
    for (int column = DifferenceModel::FirstQuantity; column < m_model->columnCount(); ++column) {
        const int part = (column - DifferenceModel::FirstQuantity) % DifferenceModel::PartCount;
        m_table->setColumnHidden(column, side == Shown::Before && part != DifferenceModel::Before);
    }
    for (int row = 0; row < m_model->rowCount(); ++row)
        m_table->setRowHidden(row, side == Shown::Before &&
                                       m_model->rows()[static_cast<std::size_t>(row)].kind == sw::ItemKind::Added);
}

} // namespace stepwell::ui
