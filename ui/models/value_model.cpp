#include "ui/models/value_model.h"

#include <algorithm>

namespace stepwell::ui {

namespace {

constexpr int kAlignment = static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);

// The first element of the page that shows `at`; pages begin at multiples of their size.
std::int64_t pageStart(std::int64_t at, std::int64_t pageSize)
{
    return at / pageSize * pageSize;
}

QVariant lookOf(const sw::TensorView &view, std::int64_t element, sw::ValueFormat format, const Appearance &appearance, int role)
{
    switch (role) {
    case Qt::DisplayRole: {
        const QString text = QString::fromStdString(view.text(element, format));
        const sw::ValueClass kind = view.classOf(element);
        const QString glyph = glyphOf(kind);
        // "nan" and "inf" say it themselves.
        const bool saysIt = format == sw::ValueFormat::Decimal && kind != sw::ValueClass::Subnormal;
        return glyph.isEmpty() || saysIt ? text : glyph + u' ' + text;
    }
    case Qt::EditRole:
        return QString::fromStdString(view.text(element, sw::ValueFormat::Decimal));
    case Qt::TextAlignmentRole:
        return kAlignment;
    case Qt::ForegroundRole:
        return colorOf(view.classOf(element), appearance);
    case Qt::FontRole:
        return appearance.codeFont();
    default:
        return {};
    }
}

} // namespace

QString glyphOf(sw::ValueClass kind)
{
    switch (kind) {
    case sw::ValueClass::NotANumber:
        return QStringLiteral("!");
    case sw::ValueClass::Infinity:
        return QStringLiteral("^");
    case sw::ValueClass::Subnormal:
        return QStringLiteral("~");
    case sw::ValueClass::Ordinary:
    case sw::ValueClass::Zero:
        break;
    }
    return {};
}

QColor colorOf(sw::ValueClass kind, const Theme &theme)
{
    switch (kind) {
    case sw::ValueClass::NotANumber:
        return theme.color(Role::NotANumber);
    case sw::ValueClass::Infinity:
        return theme.color(Role::Warning);
    case sw::ValueClass::Subnormal:
        return theme.color(Role::Note);
    case sw::ValueClass::Ordinary:
    case sw::ValueClass::Zero:
        break;
    }
    return theme.color(Role::Text);
}

QColor colorOf(sw::ValueClass kind, const Appearance &appearance)
{
    return colorOf(kind, appearance.theme());
}

ValueModel::ValueModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void ValueModel::setView(sw::TensorViewPtr view, const sw::SliceChoice &choice)
{
    const sw::TensorSlice slice = view ? sw::TensorSlice(view->shape(), choice) : sw::TensorSlice();
    const bool isSameSize = view && m_view && slice.rows() == m_slice.rows() && slice.columns() == m_slice.columns();
    if (!isSameSize)
        beginResetModel();
    m_view = std::move(view);
    m_choice = choice;
    m_slice = slice;
    if (!isSameSize) {
        m_firstRow = m_firstColumn = 0;
        endResetModel();
    } else if (rowCount() > 0) { // the view keeps its place
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
    }
}

void ValueModel::setFormat(sw::ValueFormat format)
{
    m_format = format;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::DisplayRole});
}

void ValueModel::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole});
}

bool ValueModel::isPaged() const
{
    return m_slice.rows() > kPageRows || m_slice.columns() > kPageColumns;
}

void ValueModel::showPlace(std::int64_t row, std::int64_t column)
{
    const std::int64_t firstRow =
        pageStart(std::clamp<std::int64_t>(row, 0, std::max<std::int64_t>(0, m_slice.rows() - 1)), kPageRows);
    const std::int64_t firstColumn =
        pageStart(std::clamp<std::int64_t>(column, 0, std::max<std::int64_t>(0, m_slice.columns() - 1)), kPageColumns);
    if (firstRow == m_firstRow && firstColumn == m_firstColumn)
        return;
    beginResetModel();
    m_firstRow = firstRow;
    m_firstColumn = firstColumn;
    endResetModel();
}

std::optional<std::int64_t> ValueModel::elementAt(const QModelIndex &index) const
{
    if (!index.isValid() || !m_view)
        return std::nullopt;
    return m_slice.indexAt(m_firstRow + index.row(), m_firstColumn + index.column());
}

QModelIndex ValueModel::indexOf(std::int64_t element)
{
    if (!m_view || element < 0 || element >= m_view->elements())
        return {};
    const auto [row, column] = m_slice.placeOf(m_view->coordinatesOf(element));
    showPlace(row, column);
    return index(static_cast<int>(row - m_firstRow), static_cast<int>(column - m_firstColumn));
}

int ValueModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(std::min<std::int64_t>(kPageRows, m_slice.rows() - m_firstRow));
}
int ValueModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(std::min<std::int64_t>(kPageColumns, m_slice.columns() - m_firstColumn));
}

QVariant ValueModel::data(const QModelIndex &index, int role) const
{
    const std::optional<std::int64_t> element = elementAt(index);
    if (!element)
        return {};
    if (role == Qt::ForegroundRole && m_isOutOfDate)
        return m_appearance.color(Role::Muted);
    if (role == Qt::ToolTipRole)
        return QStringLiteral("[%1]").arg(QString::fromStdString(m_view->placeText(*element)));
    return lookOf(*m_view, *element, m_format, m_appearance, role);
}

bool ValueModel::setData(const QModelIndex &index, const QVariant &value, int role)
{
    const std::optional<std::int64_t> element = elementAt(index);
    if (role != Qt::EditRole || !element || !m_change)
        return false;
    const QString text = value.toString().trimmed();
    return text == data(index, Qt::EditRole).toString() || m_change(*element, text);
}

Qt::ItemFlags ValueModel::flags(const QModelIndex &index) const
{
    const Qt::ItemFlags usual = QAbstractTableModel::flags(index);
    return m_change && elementAt(index) ? usual | Qt::ItemIsEditable : usual;
}

QVariant ValueModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return kAlignment;
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Horizontal)
        return QString::number(m_firstColumn + section);
    const std::int64_t row = m_firstRow + section;
    return QString::number(m_slice.isWrapped() ? row * sw::kVectorColumns : row);
}

ValueOrderModel::ValueOrderModel(const Appearance &appearance, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{
}

void ValueOrderModel::setOrder(sw::TensorViewPtr view, std::vector<std::int64_t> elements)
{
    beginResetModel();
    m_view = std::move(view);
    m_elements = std::move(elements);
    endResetModel();
}

void ValueOrderModel::setFormat(sw::ValueFormat format)
{
    m_format = format;
    if (!m_elements.empty())
        emit dataChanged(index(0, Value), index(rowCount() - 1, Value), {Qt::DisplayRole});
}

int ValueOrderModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_elements.size());
}
int ValueOrderModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant ValueOrderModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const std::int64_t element = elementAt(index.row());
    if (index.column() == Place && role == Qt::DisplayRole)
        return QString::fromStdString(m_view->placeText(element));
    if (index.column() == Place && role == Qt::ForegroundRole)
        return m_appearance.color(Role::Muted);
    return lookOf(*m_view, element, m_format, m_appearance, role);
}

QVariant ValueOrderModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (role == Qt::TextAlignmentRole)
        return kAlignment;
    if (role != Qt::DisplayRole)
        return {};
    if (orientation == Qt::Vertical)
        return QString::number(section + 1);
    return section == Place ? tr("Place") : tr("Value");
}

} // namespace stepwell::ui
