#include "ui/models/kernel_model.h"

#include "ui/models/quantity.h"

#include <QPainter>

#include <algorithm>
#include <numeric>

namespace stepwell::ui {

namespace {

double rate(std::int64_t amount, std::int64_t nanoseconds)
{
    return nanoseconds <= 0 ? 0 : static_cast<double>(amount) * 1e9 / static_cast<double>(nanoseconds);
}

} // namespace

KernelModel::KernelModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void KernelModel::setSnapshot(const SnapshotPtr &snapshot)
{
    beginResetModel();
    const sw::ReportPtr timed = snapshot ? snapshot->timed() : nullptr;
    m_kernels = timed ? timed->kernels : std::vector<sw::KernelEntry>{};
    m_identities = snapshot ? snapshot->kernels : std::vector<KernelIdentity>{};
    m_kernelsNow.resize(m_kernels.size());
    std::iota(m_kernelsNow.begin(), m_kernelsNow.end(), 0U);
    if (timed && timed == snapshot->measured && timed != snapshot->good)
        m_kernelsNow = snapshot->kernelsOfMeasured;
    m_hasRun = timed && timed->totalMedianNanoseconds;
    m_totalNanoseconds = 0;
    for (const sw::KernelEntry &kernel : m_kernels)
        m_totalNanoseconds += sw::runNanosecondsOf(kernel);
    endResetModel();
}

void KernelModel::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, ColumnCount - 1), {Qt::ForegroundRole});
}

int KernelModel::rowOf(std::uint32_t kernel) const
{
    const auto found = std::ranges::find(m_kernelsNow, kernel);
    return found == m_kernelsNow.end() ? -1 : static_cast<int>(found - m_kernelsNow.begin());
}

const KernelIdentity *KernelModel::identityOf(int row) const
{
    const std::uint32_t kernel = kernelAt(row);
    return kernel < m_identities.size() ? &m_identities[kernel] : nullptr;
}

int KernelModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_kernels.size());
}
int KernelModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString KernelModel::textOf(const sw::KernelEntry &kernel, Column column, int row) const
{
    const QString notMeasured = QStringLiteral("\u2013");
    const std::int64_t time = kernel.medianNanoseconds.value_or(0);
    switch (column) {
    case Tag:
        return identityOf(row) ? identityOf(row)->tag : notMeasured;
    case Name:
        return QString::fromStdString(kernel.name);
    case Nodes:
        return QString::number(kernel.nodes);
    case Time:
        if (!kernel.medianNanoseconds && m_hasRun) // another branch was chosen
            return tr("did not run");
        return kernel.medianNanoseconds ? timeText(time) : notMeasured;
    case Spread:
        if (kernel.isOfLoad)
            return tr("once, when loading");
        return kernel.medianNanoseconds
                   ? QStringLiteral("%1 \u2026 %2").arg(timeText(kernel.minNanoseconds), timeText(kernel.maxNanoseconds))
                   : notMeasured;
    case Share:
        return {};
    case FlopRate:
        if (kernel.flops == 0) // a copy: no rate is meaningful
            return notMeasured;
        return kernel.medianNanoseconds ? rateText(rate(kernel.flops, time), QStringLiteral("FLOP/s"))
                                        : amountText(kernel.flops, QStringLiteral("FLOP"));
    case ByteRate:
        if (kernel.bytes == 0)
            return notMeasured;
        return kernel.medianNanoseconds ? rateText(rate(kernel.bytes, time), QStringLiteral("B/s"))
                                        : amountText(kernel.bytes, QStringLiteral("B"));
    case CompileTime:
        return kernel.compileNanoseconds > 0 ? timeText(kernel.compileNanoseconds) : notMeasured;
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant KernelModel::sortKeyOf(const sw::KernelEntry &kernel, Column column, int row) const
{
    const std::int64_t time = kernel.medianNanoseconds.value_or(0);
    switch (column) {
    case Tag:
        return row;
    case Name:
        return QString::fromStdString(kernel.name);
    case Nodes:
        return kernel.nodes;
    case Time:
    case Share:
        return static_cast<qlonglong>(time);
    case Spread:
        return static_cast<qlonglong>(kernel.maxNanoseconds - kernel.minNanoseconds);
    case FlopRate:
        return kernel.medianNanoseconds ? rate(kernel.flops, time) : static_cast<double>(kernel.flops);
    case ByteRate:
        return kernel.medianNanoseconds ? rate(kernel.bytes, time) : static_cast<double>(kernel.bytes);
    case CompileTime:
        return static_cast<qlonglong>(kernel.compileNanoseconds);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant KernelModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::KernelEntry &kernel = m_kernels[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(kernel, column, index.row());
    case SortRole:
        return sortKeyOf(kernel, column, index.row());
    case ShareRole:
        if (m_totalNanoseconds == 0 || !kernel.medianNanoseconds || kernel.isOfLoad)
            return {};
        return static_cast<double>(*kernel.medianNanoseconds) / static_cast<double>(m_totalNanoseconds);
    case Qt::TextAlignmentRole:
        return static_cast<int>((column <= Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (column == Tag && identityOf(index.row()))
            return m_appearance.theme().identityColor(identityOf(index.row())->color);
        return m_appearance.color(m_isOutOfDate || column == Spread || column == CompileTime ? Role::Muted : Role::Text);
    case Qt::ToolTipRole:
        return tr("%1: %2 executed, %3 by the formulas, %4")
            .arg(QString::fromStdString(kernel.name), amountText(kernel.flops, QStringLiteral("FLOP")),
                 amountText(kernel.mathFlops, QStringLiteral("FLOP")), amountText(kernel.bytes, QStringLiteral("B")));
    default:
        return {};
    }
}

QVariant KernelModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section <= Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Tag:
        return QString();
    case Name:
        return tr("Kernel");
    case Nodes:
        return tr("Nodes");
    case Time:
        return tr("Median");
    case Spread:
        return tr("Min \u2026 max");
    case Share:
        return tr("Share");
    case FlopRate:
        return tr("Compute");
    case ByteRate:
        return tr("Memory");
    case CompileTime:
        return tr("Compile");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

ShareDelegate::ShareDelegate(const Appearance &appearance, QObject *parent)
    : QStyledItemDelegate(parent), m_appearance(appearance)
{
}

void ShareDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyledItemDelegate::paint(painter, option, index);
    const QVariant share = index.data(KernelModel::ShareRole);
    if (!share.isValid())
        return;
    const QRect area = option.rect.adjusted(8, 6, -52, -6);
    painter->fillRect(area, m_appearance.color(Role::Border));
    QRect part = area;
    part.setWidth(std::max(1, static_cast<int>(area.width() * share.toDouble())));
    painter->fillRect(part, m_appearance.color(Role::Bar));
    painter->setPen(m_appearance.color(Role::Text));
    painter->drawText(option.rect.adjusted(0, 0, -8, 0), Qt::AlignRight | Qt::AlignVCenter,
                      QStringLiteral("%1 %").arg(share.toDouble() * 100, 0, 'f', 0));
}

} // namespace stepwell::ui
