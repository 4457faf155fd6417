#include "ui/models/roofline_model.h"

#include "ui/models/quantity.h"

#include <cmath>
#include <utility>

namespace stepwell::ui {

namespace {

QString percentText(double part, int mostDigits)
{
    return RooflineModel::tr("%1 %").arg(100 * part, 0, 'f', std::abs(part) < 0.1 ? mostDigits : 0);
}

} // namespace

RooflineModel::RooflineModel(const Appearance &appearance, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{
    connect(&appearance, &Appearance::changed, this, [this] {
        if (!m_points.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1));
    });
}

void RooflineModel::setPoints(std::vector<sw::RooflinePoint> points, const std::vector<KernelIdentity> &kernels)
{
    beginResetModel();
    m_points = std::move(points);
    m_kernels = kernels;
    endResetModel();
}

int RooflineModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_points.size());
}

int RooflineModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString RooflineModel::textOf(const sw::RooflinePoint &point, Column column) const
{
    const QString none = QStringLiteral("\u2013");
    const bool isMeasured = point.nanoseconds > 0;
    switch (column) {
    case Tag:
        return point.kernel < m_kernels.size() ? m_kernels[point.kernel].tag : none;
    case Name:
        return QString::fromStdString(point.name);
    case Time:
        return isMeasured ? timeText(point.nanoseconds) : none;
    case Share:
        return isMeasured ? percentText(point.share, 0) : none;
    case Intensity:
        return point.intensity > 0 ? QString::number(point.intensity, 'g', 3) : none;
    case Rate:
        return point.rate > 0 ? rateText(1e9 * point.rate, QStringLiteral("FLOP/s")) : none;
    case Part:
        return point.part > 0 ? percentText(point.part, 1) : none;
    case Estimate:
        return point.estimatedNanoseconds > 0 ? timeText(point.estimatedNanoseconds) : none;
    case Error:
        return point.estimateError
                   ? (*point.estimateError > 0 ? QStringLiteral("+") : QString()) + percentText(*point.estimateError, 0)
                   : none;
    case Bound:
        return QString::fromStdString(point.text);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant RooflineModel::sortKeyOf(const sw::RooflinePoint &point, Column column)
{
    switch (column) {
    case Tag:
        return point.kernel;
    case Name:
        return QString::fromStdString(point.name);
    case Time:
    case Share:
        return static_cast<qlonglong>(point.nanoseconds);
    case Intensity:
        return point.intensity;
    case Rate:
        return point.rate;
    case Part:
        return point.part;
    case Estimate:
        return static_cast<qlonglong>(point.estimatedNanoseconds);
    case Error:
        // Twice as long is as wrong as half of it.
        return point.estimateError ? std::abs(std::log(std::max(1e-9, 1 + *point.estimateError))) : -1.0;
    case Bound:
        return QString::fromStdString(point.text);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant RooflineModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::RooflinePoint &point = m_points[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    const bool isText = column <= Name || column == Bound;
    switch (role) {
    case Qt::DisplayRole:
        return textOf(point, column);
    case SortRole:
        return sortKeyOf(point, column);
    case Qt::ToolTipRole:
        return column == Bound ? QVariant(QString::fromStdString(point.text)) : QVariant();
    case Qt::TextAlignmentRole:
        return static_cast<int>((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (column == Tag && point.kernel < m_kernels.size())
            return m_appearance.theme().identityColor(m_kernels[point.kernel].color);
        return m_appearance.color(column == Estimate ? Role::Muted : Role::Text);
    default:
        return {};
    }
}

QVariant RooflineModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const bool isTip = role == Qt::ToolTipRole;
    switch (static_cast<Column>(section)) {
    case Tag:
        return isTip ? QVariant() : tr("#");
    case Name:
        return isTip ? QVariant() : tr("Kernel");
    case Time:
        return isTip ? tr("The median of the last run") : tr("Time");
    case Share:
        return isTip ? tr("Of the time of all kernels") : tr("Share");
    case Intensity:
        return isTip ? tr("Operations executed per byte read or written") : tr("FLOP/B");
    case Rate:
        return isTip ? tr("Floating-point operations per second") : tr("Rate");
    case Part:
        return isTip ? tr("How much of what its roof allows the kernel reaches") : tr("Of roof");
    case Estimate:
        return isTip ? tr("What the compiler expects by the figures of the device") : tr("Estimate");
    case Error:
        return isTip ? tr("How far the estimate is off: +100 % is twice the measured time") : tr("Off by");
    case Bound:
        return isTip ? QVariant() : tr("What bounds it");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace stepwell::ui
