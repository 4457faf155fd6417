#include "ui/models/cell_model.h"

#include <QFont>

#include <algorithm>
#include <limits>
#include <utility>

namespace stepwell::ui {

namespace {

constexpr double kTouchOpacity = 0.42;

} // namespace

QString placeText(const std::vector<std::int64_t> &shape, std::int64_t element)
{
    QStringList places;
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        const std::int64_t extent = std::max<std::int64_t>(1, shape[axis]);
        places.prepend(QString::number(element % extent));
        element /= extent;
    }
    return u'[' + places.join(QStringLiteral(", ")) + u']';
}

CellModel::CellModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance)
{
    connect(&appearance, &Appearance::changed, this, [this] {
        if (rowCount() > 0)
            emit dataChanged(index(0, 0), index(rowCount() - 1, m_columns - 1));
    });
}

void CellModel::clear()
{
    beginResetModel();
    m_memory = {};
    m_page = {};
    m_accesses.clear();
    endResetModel();
}

void CellModel::setMemory(const sw::TraceMemory &memory)
{
    if (memory.instruction == m_memory.instruction && memory.elements == m_memory.elements && memory.name == m_memory.name)
        return;
    beginResetModel();
    m_memory = memory;
    m_page = {};
    m_longest = 1;
    endResetModel();
}

void CellModel::setColumns(int columns)
{
    if (columns == m_columns)
        return;
    beginResetModel();
    m_columns = columns;
    endResetModel();
}

void CellModel::setPage(const TracePage &page, const std::vector<sw::TraceAccess> &accesses)
{
    m_page = page;
    m_accesses = accesses;
    for (const std::string &text : m_page.elements)
        m_longest = std::max(m_longest, static_cast<int>(text.size()));
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, m_columns - 1));
}

std::int64_t CellModel::elementAt(const QModelIndex &index) const
{
    const std::int64_t element = std::int64_t{index.row()} * m_columns + index.column();
    return index.isValid() && element < m_memory.elements ? element : -1;
}

QModelIndex CellModel::indexOf(std::int64_t element) const
{
    return index(static_cast<int>(element / m_columns), static_cast<int>(element % m_columns));
}

CellModel::Touch CellModel::touchOf(std::int64_t element) const
{
    for (const sw::TraceAccess &access : m_accesses)
        if (access.memory == m_memory.instruction && element >= access.first && element < access.first + access.count)
            return access.isStore ? Touch::Written : Touch::Read;
    return Touch::None;
}

int CellModel::rowCount(const QModelIndex &parent) const
{
    const std::int64_t rows = (m_memory.elements + m_columns - 1) / m_columns;
    return parent.isValid() ? 0 : static_cast<int>(std::min<std::int64_t>(rows, std::numeric_limits<int>::max()));
}

int CellModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_memory.elements == 0 ? 0 : m_columns;
}

QVariant CellModel::data(const QModelIndex &index, int role) const
{
    const std::int64_t element = elementAt(index);
    if (element < 0)
        return {};
    const std::int64_t inPage = element - m_page.first;
    const bool isKnown = m_page.memory == m_memory.instruction && inPage >= 0 && std::cmp_less(inPage, m_page.elements.size());
    const QString text =
        isKnown ? QString::fromStdString(m_page.elements[static_cast<std::size_t>(inPage)]) : QStringLiteral("\u2026");
    const Touch touch = touchOf(element);
    const Role mark = touch == Touch::Written ? Role::Added : Role::Note;
    const QColor background = Theme::blend(m_appearance.color(Role::Base), m_appearance.color(mark), kTouchOpacity);
    switch (role) {
    case Qt::DisplayRole:
        return touch == Touch::None ? text : (touch == Touch::Read ? QStringLiteral("r ") : QStringLiteral("w ")) + text;
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::BackgroundRole:
        return touch == Touch::None ? QVariant() : QVariant(background);
    case Qt::ForegroundRole: {
        const QColor color = m_appearance.color(text.contains(QLatin1String("nan")) ? Role::NotANumber
                                                : isKnown                           ? Role::Text
                                                                                    : Role::Muted);
        return touch == Touch::None ? color : Theme::legible(color, background);
    }
    case Qt::FontRole:
        return m_appearance.codeFont();
    case Qt::ToolTipRole: {
        const QString place =
            QStringLiteral("%1%2").arg(QString::fromStdString(m_memory.name), placeText(m_memory.shape, element));
        if (touch == Touch::None)
            return place;
        return touch == Touch::Read ? tr("%1: the last step read it").arg(place) : tr("%1: the last step wrote it").arg(place);
    }
    default:
        return {};
    }
}

QVariant CellModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal)
        return QStringLiteral("+%1").arg(section);
    return placeText(m_memory.shape, std::int64_t{section} * m_columns);
}

} // namespace stepwell::ui
