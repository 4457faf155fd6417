#include "ui/models/register_model.h"

#include <QFont>

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kCellCharacters = 400;

} // namespace

QString lanesText(const std::vector<std::string> &lanes, int characters)
{
    if (lanes.size() == 1)
        return QString::fromStdString(lanes.front());
    QString text;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
        const QString next = (i == 0 ? QString() : QStringLiteral(", ")) + QString::fromStdString(lanes[i]);
        if (i > 0 && text.size() + next.size() > characters)
            return u'[' + text + QStringLiteral(", \u2026]");
        text += next;
    }
    return u'[' + text + u']';
}

bool hasNan(const std::vector<std::string> &lanes)
{
    return std::ranges::any_of(lanes, [](const std::string &lane) { return lane.find("nan") != std::string::npos; });
}

RegisterModel::RegisterModel(const Appearance &appearance, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{
    connect(&appearance, &Appearance::changed, this, [this] {
        if (!m_values.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
    });
}

void RegisterModel::setValues(std::vector<sw::TraceValue> values)
{
    const int now = static_cast<int>(values.size());
    const int before = rowCount();
    // Rows are added and removed at the end, so that the view keeps its place.
    if (now > before)
        beginInsertRows({}, before, now - 1);
    else if (now < before)
        beginRemoveRows({}, now, before - 1);
    m_values = std::move(values);
    if (now > before)
        endInsertRows();
    else if (now < before)
        endRemoveRows();
    if (now > 0)
        emit dataChanged(index(0, 0), index(now - 1, kColumns - 1));
}

int RegisterModel::rowNamed(const std::string &name) const
{
    const auto found = std::ranges::find(m_values, name, &sw::TraceValue::name);
    return found == m_values.end() ? -1 : static_cast<int>(found - m_values.begin());
}

int RegisterModel::firstChanged() const
{
    const auto found = std::ranges::find(m_values, true, &sw::TraceValue::isChanged);
    return found == m_values.end() ? -1 : static_cast<int>(found - m_values.begin());
}

int RegisterModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_values.size());
}

int RegisterModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant RegisterModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::TraceValue &value = m_values[static_cast<std::size_t>(index.row())];
    switch (role) {
    case Qt::DisplayRole:
        switch (static_cast<Column>(index.column())) {
        case kChanged:
            return value.isChanged ? QStringLiteral("\u25CF") : QString();
        case kName:
            return value.label.empty()
                       ? u'%' + QString::fromStdString(value.name)
                       : QStringLiteral("%%1 %2").arg(QString::fromStdString(value.name), QString::fromStdString(value.label));
        case kType:
            return QString::fromStdString(value.type);
        case kLanes:
            return lanesText(value.lanes, kCellCharacters);
        case kColumns:
            break;
        }
        return {};
    case Qt::ToolTipRole: {
        QStringList lanes;
        for (std::size_t i = 0; i < value.lanes.size(); ++i)
            lanes << QStringLiteral("[%1] %2").arg(i).arg(QString::fromStdString(value.lanes[i]));
        return value.lanes.size() == 1 ? QVariant() : QVariant(lanes.join(u'\n'));
    }
    case Qt::ForegroundRole:
        if (index.column() == kLanes && hasNan(value.lanes))
            return m_appearance.color(Role::NotANumber);
        if (value.isChanged)
            return Theme::legible(m_appearance.color(Role::Halo), m_appearance.color(Role::Base));
        return m_appearance.color(index.column() == kType ? Role::Muted : Role::Text);
    case Qt::FontRole:
        return m_appearance.codeFont();
    case Qt::AccessibleTextRole:
        return value.isChanged && index.column() == kChanged ? QVariant(tr("changed")) : QVariant();
    default:
        return {};
    }
}

QVariant RegisterModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case kName:
        return tr("Value");
    case kType:
        return tr("Type");
    case kLanes:
        return tr("Now");
    case kChanged:
    case kColumns:
        break;
    }
    return {};
}

} // namespace stepwell::ui
