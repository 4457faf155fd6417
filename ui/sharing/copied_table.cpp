#include "ui/sharing/copied_table.h"

#include <QAbstractItemModel>
#include <QAbstractItemView>
#include <QHeaderView>
#include <QListView>
#include <QTableView>

#include <algorithm>
#include <set>
#include <vector>

namespace stepwell::ui {

namespace {

// What of a table is copied, by the numbers of the model.
struct Extent {
    std::vector<int> rows;
    std::vector<int> columns;
};

Extent shownOf(const QAbstractItemView &view)
{
    Extent shown;
    const QAbstractItemModel &model = *view.model();
    const auto *table = qobject_cast<const QTableView *>(&view);
    const auto *list = qobject_cast<const QListView *>(&view);
    for (int row = 0; row < model.rowCount(view.rootIndex()); ++row)
        if (!(table && table->isRowHidden(row)) && !(list && list->isRowHidden(row)))
            shown.rows.push_back(row);
    if (list) {
        shown.columns.push_back(list->modelColumn());
        return shown;
    }
    for (int visual = 0; visual < model.columnCount(view.rootIndex()); ++visual) {
        const int column = table ? table->horizontalHeader()->logicalIndex(visual) : visual;
        if (!table || !table->isColumnHidden(column))
            shown.columns.push_back(column);
    }
    return shown;
}

Extent extentOf(const QAbstractItemView &view, CopyExtent extent)
{
    Extent wanted = shownOf(view);
    if (extent == CopyExtent::All)
        return wanted;
    std::set<int> rows;
    std::set<int> columns;
    for (const QItemSelectionRange &range : view.selectionModel()->selection()) {
        for (int row = range.top(); row <= range.bottom(); ++row)
            rows.insert(row);
        for (int column = range.left(); column <= range.right(); ++column)
            columns.insert(column);
    }
    std::erase_if(wanted.rows, [&](int row) { return !rows.contains(row); });
    std::erase_if(wanted.columns, [&](int column) { return !columns.contains(column); });
    return wanted;
}

// Boxes that are ticked, and what colours say, have a text for those who cannot see them.
std::string textOf(const QModelIndex &index)
{
    QString text = index.data(Qt::DisplayRole).toString();
    if (text.isEmpty())
        text = index.data(Qt::AccessibleTextRole).toString();
    if (text.isEmpty() && index.data(Qt::CheckStateRole).isValid())
        text = index.data(Qt::CheckStateRole).toInt() == Qt::Unchecked ? QStringLiteral("no") : QStringLiteral("yes");
    return text.toStdString();
}

bool isRight(const QAbstractItemView &view, int column)
{
    const QModelIndex first = view.model()->index(0, column, view.rootIndex());
    return (first.data(Qt::TextAlignmentRole).toInt() & Qt::AlignRight) != 0;
}

} // namespace

bool hasSelection(const QAbstractItemView &view)
{
    return view.selectionModel() && view.selectionModel()->hasSelection();
}

qint64 cellsOf(const QAbstractItemView &view, CopyExtent extent)
{
    const Extent wanted = extentOf(view, extent);
    return static_cast<qint64>(wanted.rows.size()) * static_cast<qint64>(wanted.columns.size());
}

sw::TextTable copiedTable(const QAbstractItemView &view, CopyExtent extent)
{
    const QAbstractItemModel &model = *view.model();
    const auto *table = qobject_cast<const QTableView *>(&view);
    const bool hasTitles = table && !table->verticalHeader()->isHidden();
    const Extent wanted = extentOf(view, extent);
    sw::TextTable copied;
    if (hasTitles)
        copied.columns.push_back({});
    for (const int column : wanted.columns)
        copied.columns.push_back(
            {table ? model.headerData(column, Qt::Horizontal).toString().toStdString() : view.accessibleName().toStdString(),
             isRight(view, column)});
    copied.rows.reserve(wanted.rows.size());
    for (const int row : wanted.rows) {
        std::vector<std::string> &cells = copied.rows.emplace_back();
        if (hasTitles)
            cells.push_back(model.headerData(row, Qt::Vertical).toString().toStdString());
        for (const int column : wanted.columns)
            cells.push_back(textOf(model.index(row, column, view.rootIndex())));
    }
    return copied;
}

} // namespace stepwell::ui
