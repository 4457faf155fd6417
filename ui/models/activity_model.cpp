#include "ui/models/activity_model.h"

#include "ui/models/quantity.h"

#include <algorithm>
#include <utility>

namespace stepwell::ui {

namespace {

QString textOf(std::string_view text)
{
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

} // namespace

ActivityModel::ActivityModel(const Appearance &appearance, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{
    connect(&appearance, &Appearance::changed, this, [this] {
        if (!m_kernels.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    });
}

void ActivityModel::setKernels(std::vector<sw::KernelActivity> kernels, std::vector<KernelIdentity> tags)
{
    beginResetModel();
    m_kernels = std::move(kernels);
    m_tags = std::move(tags);
    m_hasCounts = std::ranges::any_of(m_kernels, [](const sw::KernelActivity &kernel) { return kernel.countedRuns > 0; });
    endResetModel();
}

int ActivityModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_kernels.size());
}

int ActivityModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid())
        return 0;
    return m_hasCounts ? FirstCount + static_cast<int>(sw::kHardwareEvents) + 1 : static_cast<int>(FirstCount);
}

std::optional<double> ActivityModel::countOf(const sw::KernelActivity &kernel, int column)
{
    const auto number = static_cast<std::size_t>(column - FirstCount);
    if (number < sw::kHardwareEvents)
        return kernel.countOf(sw::hardwareEvents()[number].event);
    const auto cycles = kernel.countOf(sw::HardwareEvent::Cycles);
    const auto instructions = kernel.countOf(sw::HardwareEvent::Instructions);
    return cycles && instructions && *cycles > 0 ? std::optional(*instructions / *cycles) : std::nullopt;
}

QString ActivityModel::textOf(std::size_t row, int column) const
{
    const sw::KernelActivity &kernel = m_kernels[row];
    const QString none = QStringLiteral("\u2013");
    if (column == Tag)
        return row < m_tags.size() ? m_tags[row].tag : none;
    if (column == Name)
        return QString::fromStdString(kernel.name);
    if (column == Time)
        return timeText(kernel.medianNanoseconds);
    if (column == Gap)
        return kernel.medianGap > 0 ? timeText(kernel.medianGap) : none;
    const std::optional<double> count = countOf(kernel, column);
    if (!count)
        return none;
    const bool isRate = column == FirstCount + static_cast<int>(sw::kHardwareEvents);
    return isRate ? QString::number(*count, 'f', 2) : countText(static_cast<std::int64_t>(*count));
}

QVariant ActivityModel::sortKeyOf(std::size_t row, int column) const
{
    const sw::KernelActivity &kernel = m_kernels[row];
    if (column == Tag)
        return static_cast<qulonglong>(row);
    if (column == Name)
        return QString::fromStdString(kernel.name);
    if (column == Time)
        return static_cast<qlonglong>(kernel.medianNanoseconds);
    if (column == Gap)
        return static_cast<qlonglong>(kernel.medianGap);
    return countOf(kernel, column).value_or(-1);
}

QVariant ActivityModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, index.column());
    case SortRole:
        return sortKeyOf(row, index.column());
    case Qt::TextAlignmentRole:
        return static_cast<int>((index.column() <= Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (index.column() == Tag && row < m_tags.size())
            return m_appearance.theme().identityColor(m_tags[row].color);
        return m_appearance.color(Role::Text);
    default:
        return {};
    }
}

QVariant ActivityModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || (role != Qt::DisplayRole && role != Qt::ToolTipRole))
        return {};
    const bool isTip = role == Qt::ToolTipRole;
    if (section == Tag)
        return isTip ? QVariant() : tr("#");
    if (section == Name)
        return isTip ? QVariant() : tr("Kernel");
    if (section == Time)
        return isTip ? tr("The median of the recorded runs") : tr("Time");
    if (section == Gap)
        return isTip ? tr("How long its device did nothing before it, the median of the recorded runs") : tr("Gap before");
    const auto number = static_cast<std::size_t>(section - FirstCount);
    if (number == sw::kHardwareEvents)
        return isTip ? tr("Instructions per cycle") : tr("Per cycle");
    const sw::HardwareEventInfo &event = sw::hardwareEvents()[number];
    if (isTip)
        return tr("%1, per run").arg(ui::textOf(event.doc));
    QString title = ui::textOf(event.title);
    title[0] = title[0].toUpper();
    return title;
}

} // namespace stepwell::ui
