#pragma once

#include "ui/session/health.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

namespace stepwell::ui {

// What the numbers of a kind look like: "!" for NaN, "^" infinite, "~" subnormal, "\u2212" lost bits.
[[nodiscard]] QString glyphOf(sw::HealthKind kind);
[[nodiscard]] QColor colorOf(sw::HealthKind kind, const Appearance &appearance);

// The nodes where something begins, in the order of the graph.
class HealthModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Node, Line, Begins, What, kColumns };

    HealthModel(const Appearance &appearance, const Health &health, QObject *parent = nullptr);

    void refresh();
    [[nodiscard]] std::uint32_t nodeAt(int row) const { return m_findings.at(static_cast<std::size_t>(row)).node; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    const Health &m_health;
    std::vector<sw::HealthFinding> m_findings;
};

} // namespace stepwell::ui
