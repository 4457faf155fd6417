#include "ui/models/input_model.h"

#include "ui/models/quantity.h"

#include <QStringList>

#include <algorithm>
#include <array>

namespace stepwell::ui {

namespace {

constexpr std::array<const char *, InputModel::kColumns> kTitles{
    QT_TRANSLATE_NOOP("InputModel", "Name"), QT_TRANSLATE_NOOP("InputModel", "Kind"),    QT_TRANSLATE_NOOP("InputModel", "Type"),
    QT_TRANSLATE_NOOP("InputModel", "Fill"), QT_TRANSLATE_NOOP("InputModel", "Min"),     QT_TRANSLATE_NOOP("InputModel", "Max"),
    QT_TRANSLATE_NOOP("InputModel", "Mean"), QT_TRANSLATE_NOOP("InputModel", "Remarks"),
};

bool isNumber(int column)
{
    return column == InputModel::Minimum || column == InputModel::Maximum || column == InputModel::Mean;
}

// "2 NaN, 1 infinite"
QString marksOf(const sw::TensorStatistics &statistics)
{
    QStringList marks;
    for (const auto &[count, name] : {std::pair{statistics.nans, InputModel::tr("NaN")},
                                      {statistics.infinities, InputModel::tr("infinite")},
                                      {statistics.subnormals, InputModel::tr("subnormal")}})
        if (count > 0)
            marks << QStringLiteral("%1 %2").arg(count).arg(name);
    return marks.join(QStringLiteral(", "));
}

} // namespace

InputModel::InputModel(const Appearance &appearance, const InputChoices &inputs, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance), m_inputs(inputs)
{
}

void InputModel::refresh()
{
    if (m_entries == m_inputs.entries()) {
        if (!m_entries.empty())
            emit dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
        return;
    }
    beginResetModel();
    m_entries = m_inputs.entries();
    endResetModel();
}

int InputModel::rowOf(const std::string &name) const
{
    const auto found = std::ranges::find(m_entries, name, &sw::InputEntry::name);
    return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

int InputModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}
int InputModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QString InputModel::textOf(const sw::InputEntry &entry, Column column) const
{
    const sw::InputFacts *facts = m_inputs.facts(entry.name);
    const sw::TensorStatistics *statistics = facts ? facts->statistics.get() : nullptr;
    const auto number = [&](double sw::TensorStatistics::*value) {
        return statistics && statistics->finite() > 0 && statistics->minimumAt ? numberText(statistics->*value)
                                                                               : QStringLiteral("\u2013");
    };
    switch (column) {
    case Name:
        return QString::fromStdString(entry.name);
    case Kind:
        return entry.isParam ? tr("param") : tr("input");
    case Type:
        return QString::fromStdString(facts ? facts->type : entry.type);
    case Fill: {
        const sw::InputChoice choice = m_inputs.choice(entry.name);
        if (m_inputs.isChosen(entry.name))
            return QString::fromStdString(sw::describe(choice));
        return entry.isParam ? tr("as the program says") : tr("random, seed %1").arg(sw::RunInputs{}.seed);
    }
    case Minimum:
        return number(&sw::TensorStatistics::minimum);
    case Maximum:
        return number(&sw::TensorStatistics::maximum);
    case Mean:
        return number(&sw::TensorStatistics::mean);
    case Marks:
        if (facts && !facts->error.empty())
            return QString::fromStdString(facts->error);
        return statistics ? marksOf(*statistics) : QString();
    case kColumns:
        break;
    }
    return {};
}

QVariant InputModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::InputEntry &entry = m_entries[static_cast<std::size_t>(index.row())];
    const auto column = static_cast<Column>(index.column());
    switch (role) {
    case Qt::DisplayRole:
        return textOf(entry, column);
    case Qt::TextAlignmentRole:
        return static_cast<int>((isNumber(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ForegroundRole:
        if (column == Fill && m_inputs.isChosen(entry.name))
            return m_appearance.color(Role::Accent);
        if (column == Marks)
            return m_appearance.color(Role::NotANumber);
        return m_appearance.color(column == Kind || (column == Fill) ? Role::Muted : Role::Text);
    case Qt::FontRole:
        return isNumber(column) || column == Type ? m_appearance.codeFont() : m_appearance.textFont();
    default:
        return {};
    }
}

QVariant InputModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((isNumber(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(tr(kTitles[static_cast<std::size_t>(section)])) : QVariant();
}

} // namespace stepwell::ui
