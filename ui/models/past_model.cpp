#include "ui/models/past_model.h"

#include "ui/models/register_model.h"

#include <QLocale>

namespace stepwell::ui {

namespace {

constexpr int kCellCharacters = 400;

} // namespace

PastModel::PastModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void PastModel::setPast(std::vector<sw::TracePast> past)
{
    beginResetModel();
    m_past = std::move(past);
    endResetModel();
}

int PastModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_past.size());
}

int PastModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant PastModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::TracePast &past = m_past[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<Column>(index.column())) {
        case kStep:
            return QLocale().toString(static_cast<qulonglong>(past.position));
        case kItem:
            return QStringLiteral("%1, %2, %3").arg(past.workItem[0]).arg(past.workItem[1]).arg(past.workItem[2]);
        case kLanes:
            return lanesText(past.lanes, kCellCharacters);
        case kColumns:
            break;
        }
        return {};
    case Qt::ForegroundRole:
        if (index.column() == kLanes && hasNan(past.lanes))
            return m_appearance.color(Role::NotANumber);
        return m_appearance.color(index.column() == kLanes ? Role::Text : Role::Muted);
    case Qt::FontRole:
        return m_appearance.codeFont();
    default:
        return {};
    }
}

QVariant PastModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case kStep:
        return tr("Step");
    case kItem:
        return tr("Work item");
    case kLanes:
        return tr("Value then");
    case kColumns:
        break;
    }
    return {};
}

} // namespace stepwell::ui
