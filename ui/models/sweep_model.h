#pragma once

#include "engine/api/sweep.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The points of a sweep, and what the compiler decided otherwise on the way.
class SweepModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Value, Time, Band, Rate, Kernels, Changes, ColumnCount };

    using QAbstractTableModel::QAbstractTableModel;

    void setSweep(sw::Sweep sweep);
    [[nodiscard]] const sw::Sweep &sweep() const { return m_sweep; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] static QString textOf(const sw::SweepPoint &point, Column column);

    sw::Sweep m_sweep;
};

} // namespace stepwell::ui
