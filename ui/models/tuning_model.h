#pragma once

#include "engine/api/tune/tune_run.h"

#include <QAbstractTableModel>

#include <optional>

namespace stepwell::ui {

// The lists of transformations that were tried for one kernel.
class TuningModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Number, Source, Predicted, Time, Relative, Place, Values, Verdict, Changes, ColumnCount };
    // What rows are sorted by; a candidate without the figure is the last.
    static constexpr int kSortRole = Qt::UserRole;

    using QAbstractTableModel::QAbstractTableModel;

    // Rows that are there stay where they are, and are selected if they were.
    void setTuning(sw::KernelTuning tuning);
    [[nodiscard]] const sw::KernelTuning &tuning() const { return m_tuning; }
    // Among those that have a time: 1 for the best, the others by their ratios; nothing: it has none.
    [[nodiscard]] std::optional<std::size_t> placeOf(std::size_t candidate) const;

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(std::size_t candidate, Column column) const;
    [[nodiscard]] QVariant sortKeyOf(std::size_t candidate, Column column) const;
    void rank();

    sw::KernelTuning m_tuning;
    std::vector<std::size_t> m_places; // by candidate; 0: it has none
};

// "12.3 µs ± 1.4 %": the median and half of its band; empty: there is no time.
[[nodiscard]] QString bandText(const sw::TimeBand &band);

} // namespace stepwell::ui
