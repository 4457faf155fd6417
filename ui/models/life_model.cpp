#include "ui/models/life_model.h"

#include "ui/models/stage_name.h"

#include <utility>

namespace stepwell::ui {

void LifeModel::setSteps(std::vector<sw::LifeStep> steps)
{
    beginResetModel();
    m_steps = std::move(steps);
    endResetModel();
}

int LifeModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_steps.size());
}
int LifeModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant LifeModel::data(const QModelIndex &index, int role) const
{
    if (!index.isValid() || role != Qt::DisplayRole)
        return {};
    const sw::LifeStep &step = m_steps[static_cast<std::size_t>(index.row())];
    switch (static_cast<Column>(index.column())) {
    case Stage: // once for the rows of one stage
        return index.row() > 0 && m_steps[static_cast<std::size_t>(index.row()) - 1].stage == step.stage ? QString()
                                                                                                         : stageName(step.stage);
    case Title:
        return QString::fromStdString(step.title);
    case Text:
        return QString::fromStdString(step.text);
    case ColumnCount:
        break;
    }
    return {};
}

QVariant LifeModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (static_cast<Column>(section)) {
    case Stage:
        return tr("Stage");
    case Title:
        return tr("What happened");
    case Text:
        return tr("How");
    case ColumnCount:
        break;
    }
    return {};
}

} // namespace stepwell::ui
