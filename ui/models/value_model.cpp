#include "ui/models/value_model.h"

#include <QStringList>

#include <algorithm>

namespace stepwell::ui {

namespace {

// "1, 3" for row 9 in [2, 6, n].
QString rowName(const std::vector<std::int64_t> &shape, std::int64_t row)
{
    QStringList parts;
    for (std::size_t i = shape.size() < 2 ? 0 : shape.size() - 1; i-- > 0;) {
        const std::int64_t size = std::max<std::int64_t>(1, shape[i]);
        parts.prepend(QString::number(row % size));
        row /= size;
    }
    return parts.join(QStringLiteral(", "));
}

} // namespace

ValueModel::ValueModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void ValueModel::setSummary(sw::TensorSummary summary)
{
    beginResetModel();
    m_summary = std::move(summary);
    const auto count = static_cast<std::int64_t>(m_summary.firstValues.size());
    const std::int64_t across = m_summary.shape.empty() ? 1 : std::max<std::int64_t>(1, m_summary.shape.back());
    m_columns = count == 0 ? 0 : static_cast<int>(std::min(across, count));
    m_rows = count == 0 ? 0 : static_cast<int>((count + across - 1) / across);
    m_longestText = 0;
    for (const std::string &value : m_summary.firstValues)
        m_longestText = std::max(m_longestText, static_cast<int>(value.size()));
    endResetModel();
}

void ValueModel::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    if (m_rows > 0)
        emit dataChanged(index(0, 0), index(m_rows - 1, m_columns - 1), {Qt::ForegroundRole});
}

std::int64_t ValueModel::elements() const
{
    std::int64_t elements = 1;
    for (const std::int64_t size : m_summary.shape)
        elements *= size;
    return elements;
}

bool ValueModel::isTruncated() const
{
    return elements() > static_cast<std::int64_t>(m_summary.firstValues.size());
}

bool ValueModel::hasFinite() const
{
    return elements() > m_summary.nanCount + m_summary.infinityCount;
}

int ValueModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_rows;
}
int ValueModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_columns;
}

QVariant ValueModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t across =
        m_summary.shape.empty() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(1, m_summary.shape.back()));
    const std::size_t at = static_cast<std::size_t>(index.row()) * across + static_cast<std::size_t>(index.column());
    if (at >= m_summary.firstValues.size())
        return {};
    const QString text = QString::fromStdString(m_summary.firstValues[at]);
    switch (role) {
    case Qt::DisplayRole:
        return text;
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (m_isOutOfDate)
            return m_appearance.color(Role::Muted);
        if (text.contains(QLatin1String("nan"), Qt::CaseInsensitive))
            return m_appearance.color(Role::NotANumber);
        return m_appearance.color(text.contains(QLatin1String("inf")) ? Role::Warning : Role::Text);
    case Qt::FontRole:
        return m_appearance.codeFont();
    default:
        return {};
    }
}

QVariant ValueModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    return orientation == Qt::Horizontal ? QVariant(section) : QVariant(rowName(m_summary.shape, section));
}

} // namespace stepwell::ui
