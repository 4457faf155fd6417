#pragma once

#include "engine/api/roofline.h"
#include "ui/session/snapshot.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// The kernels of a roofline: what bounds each, and how far its estimate is off.
class RooflineModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column { Tag, Name, Time, Share, Intensity, Rate, Part, Estimate, Error, Bound, ColumnCount };
    enum DataRole { SortRole = Qt::UserRole };

    explicit RooflineModel(const Appearance &appearance, QObject *parent = nullptr);

    void setPoints(std::vector<sw::RooflinePoint> points, const std::vector<KernelIdentity> &kernels);
    [[nodiscard]] std::uint32_t kernelAt(int row) const { return m_points[static_cast<std::size_t>(row)].kernel; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString textOf(const sw::RooflinePoint &point, Column column) const;
    [[nodiscard]] static QVariant sortKeyOf(const sw::RooflinePoint &point, Column column);

    const Appearance &m_appearance;
    std::vector<sw::RooflinePoint> m_points;
    std::vector<KernelIdentity> m_kernels;
};

} // namespace stepwell::ui
