#include "ui/models/watch_model.h"

#include "ui/models/quantity.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr std::int64_t kShownValues = 4;
constexpr std::array<const char *, WatchModel::kColumns> kTitles{
    QT_TRANSLATE_NOOP("WatchModel", "Value"),         QT_TRANSLATE_NOOP("WatchModel", "Type"),
    QT_TRANSLATE_NOOP("WatchModel", "Begins"),        QT_TRANSLATE_NOOP("WatchModel", "Min"),
    QT_TRANSLATE_NOOP("WatchModel", "Max"),           QT_TRANSLATE_NOOP("WatchModel", "Mean"),
    QT_TRANSLATE_NOOP("WatchModel", "NaN, inf"),      QT_TRANSLATE_NOOP("WatchModel", "Changed"),
    QT_TRANSLATE_NOOP("WatchModel", "Largest change")};

bool isNumber(int column)
{
    return column >= WatchModel::Minimum;
}

QString firstValues(const sw::TensorView &view)
{
    QStringList texts;
    for (const std::string &text : view.texts(0, kShownValues, sw::ValueFormat::Decimal))
        texts << QString::fromStdString(text);
    return texts.join(QStringLiteral(", ")) + (view.elements() > kShownValues ? QStringLiteral(" \u2026") : QString());
}

} // namespace

WatchModel::WatchModel(const Appearance &appearance, const WatchList &watched, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance), m_watched(watched)
{
}

void WatchModel::refresh()
{
    const bool isSameSize = m_rows.size() == m_watched.values().size();
    if (!isSameSize)
        beginResetModel();
    m_rows = m_watched.values();
    if (!isSameSize)
        endResetModel();
    else if (!m_rows.empty())
        emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

int WatchModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int WatchModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString WatchModel::textOf(const Watched &watched, Column column) const
{
    if (column == Name)
        return QString::fromStdString(watched.name);
    if (!watched.value)
        return column == Type ? QString::fromStdString(watched.error) : QString();
    const sw::TensorStatisticsPtr statistics = watched.value->knownStatistics();
    const auto number = [&](double sw::TensorStatistics::*value) {
        return statistics && statistics->minimumAt ? numberText((*statistics).*value) : QStringLiteral("\u2013");
    };
    switch (column) {
    case Name:
        break;
    case Type:
        return QString::fromStdString(watched.value->type());
    case Values:
        return firstValues(*watched.value);
    case Minimum:
        return number(&sw::TensorStatistics::minimum);
    case Maximum:
        return number(&sw::TensorStatistics::maximum);
    case Mean:
        return number(&sw::TensorStatistics::mean);
    case Marks:
        return statistics ? QString::number(statistics->nans + statistics->infinities) : QString();
    case Changed:
        return watched.change ? tr("%1 of %2").arg(watched.change->changed).arg(watched.value->elements())
                              : QStringLiteral("\u2013");
    case Largest:
        if (!watched.change || watched.change->changed == 0)
            return watched.change ? QStringLiteral("0") : QStringLiteral("\u2013");
        return watched.change->notComparable > 0 ? tr("to or from NaN, inf") : numberText(watched.change->largest);
    case kColumns:
        break;
    }
    return {};
}

QVariant WatchModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const Watched &watched = m_rows[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    const bool isChanged = watched.change && watched.change->changed > 0;
    switch (role) {
    case Qt::DisplayRole:
        return textOf(watched, column);
    case Qt::TextAlignmentRole:
        return static_cast<int>((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::FontRole:
        return column == Name ? m_appearance.textFont() : m_appearance.codeFont();
    case Qt::ForegroundRole:
        if (!watched.value)
            return m_appearance.color(Role::Muted);
        if (column == Marks && textOf(watched, column) != QLatin1String("0"))
            return m_appearance.color(Role::NotANumber);
        return m_appearance.color(isChanged && column >= Changed ? Role::Accent : Role::Text);
    default:
        return {};
    }
}

QVariant WatchModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(tr(kTitles[static_cast<std::size_t>(section)])) : QVariant();
}

} // namespace stepwell::ui
