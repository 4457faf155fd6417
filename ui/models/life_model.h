#pragma once
// The steps of a value's life as rows, in the order of the compilation.

#include "engine/api/life.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

class LifeModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Stage, Title, Text, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setSteps(std::vector<sw::LifeStep> steps);
    [[nodiscard]] const sw::LifeStep &step(int row) const { return m_steps[static_cast<std::size_t>(row)]; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::vector<sw::LifeStep> m_steps;
};

} // namespace stepwell::ui
