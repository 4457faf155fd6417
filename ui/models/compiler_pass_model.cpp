#include "ui/models/compiler_pass_model.h"

#include "ui/models/quantity.h"

#include <algorithm>

namespace stepwell::ui {

CompilerPassModel::CompilerPassModel(const Appearance &appearance, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance)
{
}

void CompilerPassModel::setPasses(sw::CompilerPassesPtr passes)
{
    beginResetModel();
    m_passes = std::move(passes);
    fill();
    endResetModel();
}

void CompilerPassModel::setOnlyChanged(bool isOnly)
{
    beginResetModel();
    m_isOnlyChanged = isOnly;
    fill();
    endResetModel();
}

void CompilerPassModel::fill()
{
    m_shown.clear();
    for (std::size_t i = 0; m_passes && i < m_passes->passes.size(); ++i)
        if (!m_isOnlyChanged || m_passes->passes[i].isChanged)
            m_shown.push_back(i);
}

std::size_t CompilerPassModel::changedCount() const
{
    return m_passes ? static_cast<std::size_t>(std::ranges::count_if(m_passes->passes, &sw::CompilerPassEntry::isChanged)) : 0;
}

int CompilerPassModel::rowOf(std::size_t pass) const
{
    const auto found = std::ranges::lower_bound(m_shown, pass);
    return found == m_shown.end() || *found != pass ? -1 : static_cast<int>(found - m_shown.begin());
}

int CompilerPassModel::nextChanged(int row, int direction) const
{
    for (int next = row + direction; next >= 0 && next < rowCount(); next += direction)
        if (m_passes->passes[passAt(next)].isChanged)
            return next;
    return -1;
}

int CompilerPassModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}
int CompilerPassModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CompilerPassModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const std::size_t number = passAt(index.row());
    const sw::CompilerPassEntry &pass = m_passes->passes[number];
    const auto column = static_cast<Column>(index.column());
    if (role == Qt::ForegroundRole)
        return m_appearance.color(pass.isChanged ? Role::Text : Role::Muted);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((column == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return pass.isChanged ? tr("%1 changed the kernel").arg(QString::fromStdString(pass.name))
                              : tr("%1 changed nothing").arg(QString::fromStdString(pass.name));
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Number:
        return QString::number(number + 1);
    case Name:
        return QString::fromStdString(pass.name);
    case Lines:
        if (!pass.isChanged)
            return {};
        return pass.added + pass.removed == 0 ? (pass.after.empty() ? tr("changed") : tr("names"))
                                              : QStringLiteral("+%1 \u2212%2").arg(pass.added).arg(pass.removed);
    case Time:
        return timeText(pass.nanoseconds);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant CompilerPassModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Number:
        return QString();
    case Name:
        return tr("Pass");
    case Lines:
        return tr("Lines");
    case Time:
        return tr("Time");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
