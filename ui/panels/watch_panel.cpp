#include "ui/panels/watch_panel.h"

#include "ui/panels/table.h"
#include "ui/session/counted.h"

#include <QShortcut>
#include <QToolButton>

namespace stepwell::ui {

WatchPanel::WatchPanel(const PanelContext &context, const PanelName &name)
    : Panel(context, name),
      m_model(new WatchModel(context.appearance, context.watched, this)),
      m_table(new QTableView(this)),
      m_stack(tableWithHint(
          m_table, tr("Nothing is watched. The pin in the header of Values keeps what is shown there, from run to run."), this)),
      m_remove(addTool(QStringLiteral("close"), tr("Watch the chosen value no longer (Delete)")))
{
    m_table->setObjectName(QStringLiteral("watchTable"));
    m_table->setAccessibleName(tr("Watched values"));
    m_table->setModel(m_model);
    styleTable(*m_table);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    m_remove->setObjectName(QStringLiteral("watchRemove"));
    setContent(m_stack);
    setFocusProxy(m_table);
    connect(&context.watched, &WatchList::changed, this, &WatchPanel::refresh);
    connect(m_remove, &QToolButton::clicked, this, &WatchPanel::removeCurrent);
    const auto *remove = new QShortcut(QKeySequence::Delete, m_table, nullptr, nullptr, Qt::WidgetShortcut);
    connect(remove, &QShortcut::activated, this, &WatchPanel::removeCurrent);
    refresh();
}

void WatchPanel::setSnapshot(const SnapshotPtr &) {} // WatchList says what there is

void WatchPanel::refresh()
{
    m_model->refresh();
    m_table->resizeColumnsToContents(); // the header does not hear of new contents
    const int rows = m_model->rowCount();
    showTable(*m_stack, rows > 0);
    m_remove->setEnabled(rows > 0);
    setNote(rows > 0 ? counted(rows, tr("%1 value"), tr("%1 values")) : QString());
}

void WatchPanel::removeCurrent()
{
    if (const QModelIndex index = m_table->currentIndex(); index.isValid())
        m_context.watched.remove(static_cast<std::size_t>(index.row()));
}

} // namespace stepwell::ui
