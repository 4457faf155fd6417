#include "ui/panels/tuning_list.h"

#include <QFontDatabase>

namespace stepwell::ui {

namespace {

QString textOf(const sw::ListLine &line)
{
    const QString text = QString::fromStdString(line.text);
    switch (line.kind) {
    case sw::ListLineKind::Same:
        return QStringLiteral("  ") + text;
    case sw::ListLineKind::Removed:
        return QStringLiteral("\u2212 ") + text;
    case sw::ListLineKind::Added:
        return QStringLiteral("+ ") + text;
    }
    Q_UNREACHABLE();
}

} // namespace

TuningList::TuningList(const Appearance &appearance, QWidget *parent) : QListWidget(parent), m_appearance(appearance)
{
    setFrameShape(QFrame::NoFrame);
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setSelectionMode(QAbstractItemView::ExtendedSelection);
    setUniformItemSizes(true);
    connect(&appearance, &Appearance::changed, this, &TuningList::colour);
}

void TuningList::setLists(const sw::TransformList &model, const sw::TransformList &candidate)
{
    std::vector<sw::ListLine> lines = listDifference(model, candidate);
    if (lines == m_lines)
        return;
    m_lines = std::move(lines);
    clear();
    for (const sw::ListLine &line : m_lines)
        addItem(textOf(line));
    colour();
}

void TuningList::colour()
{
    const Theme &theme = m_appearance.theme();
    for (std::size_t row = 0; row < m_lines.size(); ++row) {
        QListWidgetItem *shown = item(static_cast<int>(row));
        switch (m_lines[row].kind) {
        case sw::ListLineKind::Same:
            shown->setForeground(theme.color(Role::Text));
            break;
        case sw::ListLineKind::Removed:
            shown->setForeground(theme.color(Role::Removed));
            shown->setBackground(theme.color(Role::RemovedFill));
            break;
        case sw::ListLineKind::Added:
            shown->setForeground(theme.color(Role::Added));
            shown->setBackground(theme.color(Role::AddedFill));
            break;
        }
    }
}

} // namespace stepwell::ui
