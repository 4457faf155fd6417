#include "ui/models/sweep_model.h"

#include "ui/models/quantity.h"

#include <utility>

namespace stepwell::ui {

void SweepModel::setSweep(sw::Sweep sweep)
{
    beginResetModel();
    m_sweep = std::move(sweep);
    endResetModel();
}

int SweepModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_sweep.points.size());
}

int SweepModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SweepModel::textOf(const sw::SweepPoint &point, Column column)
{
    const QString none = QStringLiteral("\u2013");
    switch (column) {
    case Value:
        return QString::number(point.value);
    case Time:
        return timeText(point.time.median.count());
    case Band:
        return point.time.low == point.time.high
                   ? none
                   : QStringLiteral("%1 \u2026 %2").arg(timeText(point.time.low.count()), timeText(point.time.high.count()));
    case Rate:
        return point.flops > 0 ? rateText(1e9 * point.flopsPerNanosecond(), QStringLiteral("FLOP/s")) : none;
    case Kernels:
        return QString::number(point.kernels);
    case Changes: {
        QStringList changes;
        for (const std::string &change : point.changes)
            changes << QString::fromStdString(change);
        return changes.join(QStringLiteral("; "));
    }
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant SweepModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto column = static_cast<Column>(index.column());
    if (role == Qt::DisplayRole || (role == Qt::ToolTipRole && column == Changes))
        return textOf(m_sweep.points[static_cast<std::size_t>(index.row())], column);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((column == Changes ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    return {};
}

QVariant SweepModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const bool isTip = role == Qt::ToolTipRole;
    switch (static_cast<Column>(section)) {
    case Value:
        return isTip ? tr("What is swept") : m_sweep.name.empty() ? tr("Value") : QString::fromStdString(m_sweep.name);
    case Time:
        return isTip ? tr("The median of the runs") : tr("Time");
    case Band:
        return isTip ? tr("The band that holds the median in 95 % of all cases") : tr("95 % band");
    case Rate:
        return isTip ? tr("Operations that the kernels execute, by the time") : tr("Rate");
    case Kernels:
        return isTip ? QVariant() : tr("Kernels");
    case Changes:
        return isTip ? tr("Since the value before") : tr("Decided otherwise");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
