#include "ui/models/matrix_model.h"

#include "engine/api/compare/matrix_text.h"
#include "ui/models/quantity.h"

#include <QPainter>

#include <algorithm>
#include <limits>

namespace stepwell::ui {

namespace {

constexpr int kSignWidth = 20; // pixels
constexpr int kSpace = 8;

QString ratioText(double ratio)
{
    return ratio <= 1 ? MatrixModel::tr("best") : QStringLiteral("\u00d7%1").arg(ratio, 0, 'f', ratio < 100 ? 2 : 0);
}

} // namespace

MatrixModel::MatrixModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void MatrixModel::setMatrix(sw::Matrix matrix)
{
    beginResetModel();
    m_matrix = std::move(matrix);
    m_outputs.clear();
    for (const sw::MatrixColumnResult &column : m_matrix.columns)
        if (m_outputs.empty())
            for (const sw::MatrixOutput &output : column.outputs)
                m_outputs.push_back(output.name);
    endResetModel();
}

void MatrixModel::setOutOfDate(bool isOutOfDate)
{
    m_isOutOfDate = isOutOfDate;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1), {Qt::ForegroundRole});
}

MatrixModel::RowKind MatrixModel::kindOf(int row) const
{
    const auto at = static_cast<std::size_t>(row);
    return at < m_matrix.rows.size() ? RowKind::Kernel : at == m_matrix.rows.size() ? RowKind::Run : RowKind::Output;
}

std::size_t MatrixModel::indexOf(int row) const
{
    const auto at = static_cast<std::size_t>(row);
    return kindOf(row) == RowKind::Output ? at - m_matrix.rows.size() - 1 : at;
}

int MatrixModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_matrix.columns.empty() ? 0 : static_cast<int>(m_matrix.rows.size() + 1 + m_outputs.size());
}

int MatrixModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_matrix.columns.empty() ? 0 : static_cast<int>(m_matrix.columns.size() + 1);
}

QString MatrixModel::nameOf(int row) const
{
    switch (kindOf(row)) {
    case RowKind::Kernel:
        return QString::fromStdString(m_matrix.rows[indexOf(row)].name);
    case RowKind::Run:
        return tr("Whole run");
    case RowKind::Output:
        return tr("Output %1").arg(QString::fromStdString(m_outputs[indexOf(row)]));
    }
    Q_UNREACHABLE();
}

const sw::MatrixOutput *MatrixModel::output(int row, std::size_t column) const
{
    const std::vector<sw::MatrixOutput> &outputs = m_matrix.columns[column].outputs;
    return kindOf(row) == RowKind::Output && indexOf(row) < outputs.size() ? &outputs[indexOf(row)] : nullptr;
}

// Of an output: the worse one of the two.
const sw::MatrixVerdict *MatrixModel::verdict(int row, std::size_t column) const
{
    if (kindOf(row) == RowKind::Kernel) {
        const sw::MatrixKernel *kernel = m_matrix.cell(indexOf(row), column);
        return kernel == nullptr ? nullptr : &kernel->verdict;
    }
    const sw::MatrixOutput *made = output(row, column);
    if (made == nullptr)
        return nullptr;
    const bool isByFirst =
        made->byReference.conformance == sw::Conformance::Unknown || made->byFirst.conformance == sw::Conformance::Different;
    return isByFirst ? &made->byFirst : &made->byReference;
}

std::optional<double> MatrixModel::ratio(int row, std::size_t column) const
{
    switch (kindOf(row)) {
    case RowKind::Kernel:
        return m_matrix.ratio(indexOf(row), column);
    case RowKind::Run:
        return m_matrix.totalRatio(column);
    case RowKind::Output:
        return std::nullopt;
    }
    Q_UNREACHABLE();
}

QString MatrixModel::textOf(int row, std::size_t column) const
{
    const sw::MatrixColumnResult &result = m_matrix.columns[column];
    switch (kindOf(row)) {
    case RowKind::Kernel: {
        const sw::MatrixKernel *kernel = m_matrix.cell(indexOf(row), column);
        return kernel == nullptr ? QStringLiteral("\u2013") : timeText(kernel->time.median);
    }
    case RowKind::Run:
        return result.isTimed ? timeText(result.total.median) : QString::fromUtf8(sw::nameOf(result.state).data());
    case RowKind::Output: {
        const sw::MatrixVerdict *found = verdict(row, column);
        if (found == nullptr)
            return QStringLiteral("\u2013");
        return found->conformance == sw::Conformance::Within ? tr("%1 ULP").arg(found->maxUlp)
                                                             : QString::fromUtf8(sw::nameOf(found->conformance).data());
    }
    }
    Q_UNREACHABLE();
}

double MatrixModel::sortKey(int row, std::size_t column) const
{
    const sw::MatrixKernel *kernel = kindOf(row) == RowKind::Kernel ? m_matrix.cell(indexOf(row), column) : nullptr;
    return kernel == nullptr ? std::numeric_limits<double>::infinity() : static_cast<double>(kernel->time.median);
}

double MatrixModel::longest(int row) const
{
    double most = 1;
    for (std::size_t column = 0; column < m_matrix.columns.size(); ++column)
        most = std::max(most, ratio(row, column).value_or(1));
    return most;
}

bool MatrixModel::differs(int row) const
{
    for (std::size_t column = 0; column < m_matrix.columns.size(); ++column)
        if (const sw::MatrixVerdict *found = verdict(row, column);
            found != nullptr && found->conformance == sw::Conformance::Different)
            return true;
    return false;
}

QString MatrixModel::describe(int row, int column) const
{
    if (row < 0 || row >= rowCount())
        return {};
    if (column < 0 || column >= static_cast<int>(m_matrix.columns.size()))
        return nameOf(row);
    const auto at = static_cast<std::size_t>(column);
    const sw::MatrixColumnResult &result = m_matrix.columns[at];
    const QString title = QString::fromStdString(sw::titleOf(result.column));
    QStringList parts;
    const auto addTime = [&](const sw::MatrixTime &time) {
        parts.append(tr("%1 (%2 \u2026 %3)").arg(timeText(time.median), timeText(time.min), timeText(time.max)));
        if (const auto times = ratio(row, at))
            parts.append(*times <= 1 ? tr("the best") : tr("%1 of the best").arg(ratioText(*times)));
    };
    if (!result.reason.empty())
        return tr("%1: %2: %3")
            .arg(title, QString::fromUtf8(sw::nameOf(result.state).data()), QString::fromStdString(result.reason));
    QString subject = nameOf(row);
    if (kindOf(row) == RowKind::Kernel) {
        const sw::MatrixKernel *kernel = m_matrix.cell(indexOf(row), at);
        if (kernel == nullptr)
            return result.isTimed ? tr("%1 has no kernel that reads and stores the same values as %2.").arg(title, subject)
                                  : tr("%1: %2").arg(title, QString::fromUtf8(sw::nameOf(result.state).data()));
        subject = QString::fromStdString(kernel->name);
        addTime(kernel->time);
        if (const auto share = m_matrix.share(indexOf(row), at))
            parts.append(tr("%1 % of the kernels' time").arg(*share * 100, 0, 'f', 0));
        parts.append(tr("values %1").arg(QString::fromStdString(sw::textOf(kernel->verdict))));
    } else if (kindOf(row) == RowKind::Run) {
        if (!result.isTimed)
            return tr("%1: %2").arg(title, QString::fromUtf8(sw::nameOf(result.state).data()));
        addTime(result.total);
    } else if (const sw::MatrixOutput *made = output(row, at)) {
        parts.append(tr("by the reference: %1").arg(QString::fromStdString(sw::textOf(made->byReference))));
        parts.append(tr("against %1: %2")
                         .arg(QString::fromStdString(sw::titleOf(m_matrix.columns[0].column)),
                              QString::fromStdString(sw::textOf(made->byFirst))));
    }
    return tr("%1 on %2: %3").arg(subject, title, parts.join(QStringLiteral("; ")));
}

QVariant MatrixModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const int row = index.row();
    if (role == KindRole)
        return static_cast<int>(kindOf(row));
    if (role == LongestRole)
        return longest(row);
    if (role == DiffersRole)
        return differs(row);
    if (index.column() == 0) {
        if (role == Qt::DisplayRole)
            return nameOf(row);
        if (role == SortRole)
            return row;
        if (role == Qt::ToolTipRole)
            return describe(row, -1);
        if (role == Qt::ForegroundRole)
            return m_appearance.color(m_isOutOfDate || kindOf(row) != RowKind::Kernel ? Role::Muted : Role::Text);
        return {};
    }
    const auto column = static_cast<std::size_t>(index.column() - 1);
    switch (role) {
    case Qt::DisplayRole:
        return textOf(row, column);
    case SortRole:
        return sortKey(row, column);
    case RatioRole:
        return ratio(row, column) ? QVariant(*ratio(row, column)) : QVariant();
    case ConformanceRole:
        return verdict(row, column) == nullptr ? QVariant() : static_cast<int>(verdict(row, column)->conformance);
    case Qt::TextAlignmentRole:
        return static_cast<int>(Qt::AlignRight | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        return m_appearance.color(m_isOutOfDate ? Role::Muted : Role::Text);
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
        return describe(row, index.column() - 1);
    default:
        return {};
    }
}

QVariant MatrixModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == 0 ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (section == 0)
        return role == Qt::DisplayRole ? QVariant(tr("Kernel")) : QVariant();
    const sw::MatrixColumnResult &column = m_matrix.columns[static_cast<std::size_t>(section - 1)];
    const QString title = QString::fromStdString(sw::titleOf(column.column));
    if (role == Qt::ToolTipRole)
        return column.reason.empty() ? tr("%1: %2").arg(title, QString::fromUtf8(sw::nameOf(column.state).data()))
                                     : tr("%1: %2").arg(title, QString::fromStdString(column.reason));
    if (role != Qt::DisplayRole)
        return {};
    return column.state == sw::ColumnState::Done
               ? title
               : QStringLiteral("%1 \u2013 %2").arg(title, QString::fromUtf8(sw::nameOf(column.state).data()));
}

void MatrixFilter::setShow(Show show, double factor)
{
    m_show = show;
    m_factor = factor;
    invalidateFilter();
}

bool MatrixFilter::filterAcceptsRow(int row, const QModelIndex &parent) const
{
    const QModelIndex first = sourceModel()->index(row, 0, parent);
    if (first.data(MatrixModel::KindRole).toInt() != static_cast<int>(MatrixModel::RowKind::Kernel))
        return true;
    switch (m_show) {
    case Show::All:
        return true;
    case Show::Different:
        return first.data(MatrixModel::DiffersRole).toBool();
    case Show::Slower:
        return first.data(MatrixModel::LongestRole).toDouble() > m_factor;
    }
    Q_UNREACHABLE();
}

bool MatrixFilter::lessThan(const QModelIndex &left, const QModelIndex &right) const
{
    if (left.row() == right.row())
        return false;
    const int kinds[] = {left.data(MatrixModel::KindRole).toInt(), right.data(MatrixModel::KindRole).toInt()};
    const bool isAscending = sortOrder() == Qt::AscendingOrder;
    if (kinds[0] != kinds[1] || kinds[0] != static_cast<int>(MatrixModel::RowKind::Kernel)) {
        const bool isAbove = kinds[0] != kinds[1] ? kinds[0] < kinds[1] : left.row() < right.row();
        return isAbove == isAscending;
    }
    const double keys[] = {left.data(MatrixModel::SortRole).toDouble(), right.data(MatrixModel::SortRole).toDouble()};
    return keys[0] != keys[1] ? keys[0] < keys[1] : (left.row() < right.row()) == isAscending;
}

QColor colorOf(sw::Conformance conformance, const Appearance &appearance)
{
    switch (conformance) {
    case sw::Conformance::Unknown:
        return appearance.color(Role::Muted);
    case sw::Conformance::Equal:
        return appearance.color(Role::Added);
    case sw::Conformance::Within:
        return appearance.color(Role::Note);
    case sw::Conformance::Different:
        return appearance.color(Role::Error);
    }
    Q_UNREACHABLE();
}

MatrixDelegate::MatrixDelegate(const Appearance &appearance, QObject *parent)
    : QStyledItemDelegate(parent), m_appearance(appearance)
{
}

void MatrixDelegate::paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    QStyleOptionViewItem plain = option;
    initStyleOption(&plain, index);
    const QString text = plain.text;
    plain.text.clear();
    const QWidget *widget = option.widget;
    widget->style()->drawControl(QStyle::CE_ItemViewItem, &plain, painter, widget);
    painter->save();
    const QRect area = option.rect.adjusted(kSpace / 2, 0, -kSpace, 0);
    if (const QVariant conformance = index.data(MatrixModel::ConformanceRole); conformance.isValid()) {
        const auto kind = static_cast<sw::Conformance>(conformance.toInt());
        QFont bold = option.font;
        bold.setBold(true);
        painter->setFont(bold);
        painter->setPen(colorOf(kind, m_appearance));
        painter->drawText(QRect(area.left(), area.top(), kSignWidth, area.height()), Qt::AlignCenter,
                          QString::fromUtf8(sw::signOf(kind).data()));
        painter->setFont(option.font);
    }
    const QVariant ratio = index.data(MatrixModel::RatioRole);
    const QColor color = index.data(Qt::ForegroundRole).value<QColor>();
    int right = 0;
    if (ratio.isValid()) {
        const QString times = ratioText(ratio.toDouble());
        right = option.fontMetrics.horizontalAdvance(QStringLiteral("\u00d700.00")) + kSpace;
        painter->setPen(m_appearance.color(ratio.toDouble() <= 1 ? Role::Added : Role::Muted));
        painter->drawText(area, Qt::AlignRight | Qt::AlignVCenter, times);
        // The bar is as long as the time, to the longest of the row.
        const double part = ratio.toDouble() / index.data(MatrixModel::LongestRole).toDouble();
        const int room = area.width() - kSignWidth;
        const QRect bar(area.left() + kSignWidth, area.bottom() - 3, std::max(2, static_cast<int>(room * part)), 2);
        painter->fillRect(bar, m_appearance.color(ratio.toDouble() <= 1 ? Role::Added : Role::Bar));
    }
    painter->setPen(color);
    painter->drawText(area.adjusted(kSignWidth, 0, -right, 0), Qt::AlignRight | Qt::AlignVCenter, text);
    painter->restore();
}

QSize MatrixDelegate::sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const
{
    const int text = option.fontMetrics.horizontalAdvance(index.data().toString());
    const int times = option.fontMetrics.horizontalAdvance(QStringLiteral("\u00d700.00")) + kSpace;
    return {kSignWidth + text + times + 2 * kSpace, option.fontMetrics.height() + 6};
}

} // namespace stepwell::ui
