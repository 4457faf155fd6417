#pragma once

#include "engine/api/timeline.h"
#include "ui/session/snapshot.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The kernels of recorded runs: how long each took, how long its device did nothing before it, and what hardware counters
// counted.
class ActivityModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // Behind Gap: a column for each hardware event, and instructions per cycle.
    enum Column { Tag, Name, Time, Gap, FirstCount };
    enum DataRole { SortRole = Qt::UserRole };

    explicit ActivityModel(const Appearance &appearance, QObject *parent = nullptr);

    // tags: by kernel.
    void setKernels(std::vector<sw::KernelActivity> kernels, std::vector<KernelIdentity> tags);
    [[nodiscard]] bool hasCounts() const { return m_hasCounts; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    // What was counted per run; nothing: it was not.
    [[nodiscard]] static std::optional<double> countOf(const sw::KernelActivity &kernel, int column);
    [[nodiscard]] QString textOf(std::size_t row, int column) const;
    [[nodiscard]] QVariant sortKeyOf(std::size_t row, int column) const;

    const Appearance &m_appearance;
    std::vector<sw::KernelActivity> m_kernels;
    std::vector<KernelIdentity> m_tags;
    bool m_hasCounts = false;
};

} // namespace stepwell::ui
