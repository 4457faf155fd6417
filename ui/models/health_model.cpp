#include "ui/models/health_model.h"

#include "ui/models/value_model.h"

#include <array>

namespace stepwell::ui {

namespace {

constexpr std::array<const char *, HealthModel::kColumns> kTitles{
    QT_TRANSLATE_NOOP("HealthModel", "Operation"), QT_TRANSLATE_NOOP("HealthModel", "Line"),
    QT_TRANSLATE_NOOP("HealthModel", "Begins"), QT_TRANSLATE_NOOP("HealthModel", "What")};

sw::ValueClass classOf(sw::HealthKind kind)
{
    switch (kind) {
    case sw::HealthKind::NotANumber:
        return sw::ValueClass::NotANumber;
    case sw::HealthKind::Infinity:
        return sw::ValueClass::Infinity;
    case sw::HealthKind::Subnormal:
        return sw::ValueClass::Subnormal;
    case sw::HealthKind::LostBits:
        break;
    }
    return sw::ValueClass::Ordinary;
}

} // namespace

QString glyphOf(sw::HealthKind kind)
{
    return kind == sw::HealthKind::LostBits ? QStringLiteral("\u2212") : glyphOf(classOf(kind));
}

QColor colorOf(sw::HealthKind kind, const Appearance &appearance)
{
    return kind == sw::HealthKind::LostBits ? appearance.color(Role::Error) : colorOf(classOf(kind), appearance);
}

HealthModel::HealthModel(const Appearance &appearance, const Health &health, QObject *parent)
    : QAbstractTableModel(parent), m_appearance(appearance), m_health(health)
{
}

void HealthModel::refresh()
{
    beginResetModel();
    m_findings = m_health.findings();
    endResetModel();
}

int HealthModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_findings.size());
}
int HealthModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : kColumns;
}

QVariant HealthModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid())
        return {};
    const sw::HealthFinding &finding = m_findings[static_cast<std::size_t>(index.row())];
    const sw::NodeHealth *node = m_health.node(finding.node);
    if (role == Qt::ForegroundRole)
        return index.column() == Begins ? colorOf(finding.kind, m_appearance)
                                        : m_appearance.color(index.column() == Line ? Role::Muted : Role::Text);
    if (role == Qt::FontRole)
        return m_appearance.textFont();
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((index.column() == Line ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    if (role != Qt::DisplayRole || !node)
        return {};
    switch (static_cast<Column>(index.column())) {
    case Node:
        return tr("%1 (%%2) %3")
            .arg(QString::fromStdString(node->label), QString::number(node->node), QString::fromStdString(node->type));
    case Line:
        return node->line == 0 ? QStringLiteral("\u2013") : QString::number(node->line);
    case Begins:
        return glyphOf(finding.kind) + u' ' + QString::fromUtf8(sw::nameOf(finding.kind));
    case What:
        return QString::fromStdString(finding.text);
    case kColumns:
        break;
    }
    return {};
}

QVariant HealthModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= kColumns)
        return {};
    if (role == Qt::TextAlignmentRole)
        return static_cast<int>((section == Line ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    return role == Qt::DisplayRole ? QVariant(tr(kTitles[static_cast<std::size_t>(section)])) : QVariant();
}

} // namespace stepwell::ui
