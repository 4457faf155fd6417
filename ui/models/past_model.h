#pragma once

#include "engine/api/kernel_trace.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// What an instruction made at its last steps, newest first.
class PastModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { kStep, kItem, kLanes, kColumns };

    explicit PastModel(const Appearance &appearance, QObject *parent = nullptr);

    void setPast(std::vector<sw::TracePast> past);
    [[nodiscard]] const std::vector<sw::TracePast> &past() const { return m_past; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    std::vector<sw::TracePast> m_past;
};

} // namespace stepwell::ui
