#pragma once

#include "ui/session/watch_list.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The watched values: a row each.
class WatchModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Name, Type, Values, Minimum, Maximum, Mean, Marks, Changed, Largest, kColumns };

    WatchModel(const Appearance &appearance, const WatchList &watched, QObject *parent = nullptr);

    void refresh();

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(const Watched &watched, Column column) const;

    const Appearance &m_appearance;
    const WatchList &m_watched;
    std::vector<Watched> m_rows;
};

} // namespace stepwell::ui
