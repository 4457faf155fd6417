#include "ui/models/difference_model.h"

#include "ui/models/quantity.h"

#include <QLocale>

#include <algorithm>
#include <cstdlib>

namespace stepwell::ui {

namespace {

QString amountOf(std::int64_t amount, ComparedQuantity::Unit unit)
{
    switch (unit) {
    case ComparedQuantity::Unit::Nanoseconds:
        return timeText(amount);
    case ComparedQuantity::Unit::Bytes:
        return bytesText(amount);
    case ComparedQuantity::Unit::Count:
        return countText(amount);
    }
    Q_UNREACHABLE();
}

// "+12.3 us (+8 %)"
QString changeOf(const sw::CellDifference &cell, ComparedQuantity::Unit unit)
{
    const std::int64_t change = *cell.change();
    if (change == 0)
        return QStringLiteral("=");
    QString text = (change > 0 ? QStringLiteral("+") : QStringLiteral("\u2212")) + amountOf(std::abs(change), unit);
    if (*cell.before != 0) {
        const double percent = 100.0 * static_cast<double>(change) / static_cast<double>(std::abs(*cell.before));
        const QString number = QLocale().toString(std::abs(percent), 'f', std::abs(percent) < 10 ? 1 : 0);
        text += QStringLiteral(" (%1%2\u202f%)").arg(change > 0 ? QStringLiteral("+") : QStringLiteral("\u2212"), number);
    }
    return text;
}

QString signOf(sw::ItemKind kind)
{
    switch (kind) {
    case sw::ItemKind::Same:
        return {};
    case sw::ItemKind::Renamed:
        return QStringLiteral("\u2248");
    case sw::ItemKind::Changed:
        return QStringLiteral("\u2260");
    case sw::ItemKind::Removed:
        return QStringLiteral("\u2212");
    case sw::ItemKind::Added:
        return QStringLiteral("+");
    }
    Q_UNREACHABLE();
}

QString wordOf(sw::ItemKind kind)
{
    switch (kind) {
    case sw::ItemKind::Same:
        return DifferenceModel::tr("the same but for times");
    case sw::ItemKind::Renamed:
        return DifferenceModel::tr("renamed");
    case sw::ItemKind::Changed:
        return DifferenceModel::tr("changed");
    case sw::ItemKind::Removed:
        return DifferenceModel::tr("only the baseline has it");
    case sw::ItemKind::Added:
        return DifferenceModel::tr("the baseline does not have it");
    }
    Q_UNREACHABLE();
}

} // namespace

DifferenceModel::DifferenceModel(const Appearance &appearance, std::vector<ComparedQuantity> quantities, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance), m_quantities(std::move(quantities))
{
}

void DifferenceModel::setRows(sw::TableDifference rows, std::vector<bool> isNoise)
{
    beginResetModel();
    m_rows = std::move(rows);
    m_isNoise = std::move(isNoise);
    endResetModel();
}

int DifferenceModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DifferenceModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : FirstQuantity + PartCount * static_cast<int>(m_quantities.size());
}

const sw::CellDifference *DifferenceModel::cellOf(int row, int column) const
{
    if (column < FirstQuantity)
        return nullptr;
    const auto &cells = m_rows[static_cast<std::size_t>(row)].cells;
    const std::string &name = m_quantities[static_cast<std::size_t>((column - FirstQuantity) / PartCount)].cell;
    const auto found = std::ranges::find(cells, name, &sw::CellDifference::column);
    return found == cells.end() ? nullptr : &*found;
}

bool DifferenceModel::isNoise(int row, int column) const
{
    const auto &quantity = m_quantities[static_cast<std::size_t>((column - FirstQuantity) / PartCount)];
    return quantity.unit == ComparedQuantity::Unit::Nanoseconds && static_cast<std::size_t>(row) < m_isNoise.size() &&
           m_isNoise[static_cast<std::size_t>(row)];
}

QString DifferenceModel::textOf(int row, int column) const
{
    const sw::TableRowDifference &compared = m_rows[static_cast<std::size_t>(row)];
    if (column == Sign)
        return signOf(compared.kind);
    if (column == Name)
        return QString::fromStdString(compared.name);
    const sw::CellDifference *cell = cellOf(row, column);
    if (!cell)
        return {};
    const ComparedQuantity::Unit unit = m_quantities[static_cast<std::size_t>((column - FirstQuantity) / PartCount)].unit;
    const auto amount = [unit](std::optional<std::int64_t> value) {
        return value ? amountOf(*value, unit) : QStringLiteral("\u2013");
    };
    switch (static_cast<Part>((column - FirstQuantity) % PartCount)) {
    case Before:
        return amount(cell->before);
    case Now:
        return amount(cell->after);
    case Change:
        if (!cell->change())
            return {};
        return isNoise(row, column) ? tr("within noise") : changeOf(*cell, unit);
    case PartCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant DifferenceModel::colorOf(int row, int column) const
{
    const sw::ItemKind kind = m_rows[static_cast<std::size_t>(row)].kind;
    if (column < FirstQuantity) {
        if (kind == sw::ItemKind::Added || kind == sw::ItemKind::Removed)
            return m_appearance.color(kind == sw::ItemKind::Added ? Role::Added : Role::Removed);
        if (column == Sign)
            return m_appearance.color(kind == sw::ItemKind::Changed ? Role::Warning : Role::Muted);
        return m_appearance.color(Role::Text);
    }
    const sw::CellDifference *cell = cellOf(row, column);
    if (!cell || (column - FirstQuantity) % PartCount != Change || !cell->change())
        return m_appearance.color(Role::Muted);
    if (*cell->change() == 0 || isNoise(row, column))
        return m_appearance.color(Role::Muted);
    if (m_quantities[static_cast<std::size_t>((column - FirstQuantity) / PartCount)].unit == ComparedQuantity::Unit::Count)
        return m_appearance.color(Role::Text);
    return m_appearance.color(*cell->change() > 0 ? Role::Removed : Role::Added); // less time and traffic is better
}

QVariant DifferenceModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return textOf(index.row(), index.column());
    case Qt::ForegroundRole:
        return colorOf(index.row(), index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() == Name   ? Qt::AlignLeft
                                 : index.column() == Sign ? Qt::AlignHCenter
                                                          : Qt::AlignRight) |
                                Qt::AlignVCenter);
    case Qt::ToolTipRole:
        return wordOf(m_rows[static_cast<std::size_t>(index.row())].kind);
    default:
        return {};
    }
}

QVariant DifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section <= Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole || section == Sign)
        return {};
    if (section == Name)
        return tr("Name");
    const QString &title = m_quantities[static_cast<std::size_t>((section - FirstQuantity) / PartCount)].title;
    switch (static_cast<Part>((section - FirstQuantity) % PartCount)) {
    case Before:
        return tr("%1 before").arg(title);
    case Now:
        return tr("now");
    case Change:
        return QStringLiteral("\u00b1");
    case PartCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
