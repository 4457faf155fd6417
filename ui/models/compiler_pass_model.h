#pragma once
// The passes of the device's compiler over one kernel.

#include "engine/api/compiler_passes.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

#include <vector>

namespace stepwell::ui {

class CompilerPassModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, Name, Lines, Time, ColumnCount };

    explicit CompilerPassModel(const Appearance &appearance, QObject *parent = nullptr);

    void setPasses(sw::CompilerPassesPtr passes); // may be null
    void setOnlyChanged(bool isOnly);
    [[nodiscard]] bool isOnlyChanged() const { return m_isOnlyChanged; }
    [[nodiscard]] std::size_t changedCount() const;
    // The pass in a row, as an index of the passes.
    [[nodiscard]] std::size_t passAt(int row) const { return m_shown.at(static_cast<std::size_t>(row)); }
    [[nodiscard]] int rowOf(std::size_t pass) const; // -1: not shown
    // The next row below (or above) `row` whose pass changed something; -1: none.
    [[nodiscard]] int nextChanged(int row, int direction) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    void fill();

    const Appearance &m_appearance;
    sw::CompilerPassesPtr m_passes;
    std::vector<std::size_t> m_shown; // indices of the passes
    bool m_isOnlyChanged = false;
};

} // namespace stepwell::ui
