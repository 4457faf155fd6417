#include "ui/panels/tuning_list.h"

#include "engine/api/tune/list_difference.h"

#include <QFontDatabase>

namespace stepwell::ui {

namespace {

constexpr int kKindRole = Qt::UserRole;

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
    clear();
    for (const sw::ListLine &line : listDifference(model, candidate)) {
        auto *item = new QListWidgetItem(textOf(line), this); // the list owns it
        item->setData(kKindRole, static_cast<int>(line.kind));
    }
    colour();
}

void TuningList::colour()
{
    const Theme &theme = m_appearance.theme();
    for (int row = 0; row < count(); ++row) {
        QListWidgetItem *shown = item(row);
        switch (static_cast<sw::ListLineKind>(shown->data(kKindRole).toInt())) {
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
