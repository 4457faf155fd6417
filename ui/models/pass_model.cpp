#include "ui/models/pass_model.h"

#include "ui/models/quantity.h"

#include <algorithm>
#include <vector>

namespace stepwell::ui {

namespace {

// The rules that the pass applied, one per line, the most frequent first.
QString rulesText(const sw::PassEntry &pass)
{
    constexpr std::size_t kMost = 8;
    const std::vector<sw::RuleEntry> &rules = pass.rules;
    QString text;
    for (std::size_t i = 0; i < std::min(rules.size(), kMost); ++i)
        text += QStringLiteral("<br>%1 x %2").arg(rules[i].rewrites).arg(QString::fromStdString(rules[i].rule).toHtmlEscaped());
    if (rules.size() > kMost)
        text += QStringLiteral("<br>") + PassModel::tr("and %n other rule(s)", nullptr, static_cast<int>(rules.size() - kMost));
    return text;
}

} // namespace

PassModel::PassModel(const Appearance &appearance, QObject *parent) : QAbstractTableModel(parent), m_appearance(appearance) {}

void PassModel::setPasses(std::vector<sw::PassEntry> passes)
{
    beginResetModel();
    m_passes = std::move(passes);
    endResetModel();
}

int PassModel::nextChanged(int row, int direction) const
{
    for (int next = row + direction; next >= 0 && next < rowCount(); next += direction) {
        if (m_passes[static_cast<std::size_t>(next)].changed)
            return next;
    }
    return -1;
}

int PassModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_passes.size());
}
int PassModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PassModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::PassEntry &pass = m_passes[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    if (role == Qt::ForegroundRole)
        return m_appearance.color(pass.failed ? Role::Error : pass.changed ? Role::Text : Role::Muted);
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((column == Title ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::ToolTipRole)
        return QStringLiteral("<b>%1</b><br>%2%3")
            .arg(QString::fromStdString(pass.id), QString::fromStdString(pass.doc).toHtmlEscaped(), rulesText(pass));
    if (role != Qt::DisplayRole)
        return {};
    switch (column) {
    case Title:
        return QString::fromStdString(pass.title) + (pass.failed ? tr(" (failed)") : QString());
    case Rewrites:
        return pass.rewrites == 0 ? QString() : QString::number(pass.rewrites);
    case Time:
        return timeText(pass.nanoseconds);
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

QVariant PassModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Title ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Title:
        return tr("Pass");
    case Rewrites:
        return tr("Rewrites");
    case Time:
        return tr("Time");
    case ColumnCount:
        break;
    }
    Q_UNREACHABLE();
}

} // namespace stepwell::ui
