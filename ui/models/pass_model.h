#pragma once

#include "engine/api/report.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

class PassModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Title, Rewrites, Time, ColumnCount };

    explicit PassModel(const Appearance &appearance, QObject *parent = nullptr);

    void setPasses(std::vector<sw::PassEntry> passes);
    [[nodiscard]] const std::vector<sw::PassEntry> &passes() const { return m_passes; }
    // The next row below (or above) `row` whose pass changed something; -1: none.
    [[nodiscard]] int nextChanged(int row, int direction) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    std::vector<sw::PassEntry> m_passes;
};

} // namespace stepwell::ui
