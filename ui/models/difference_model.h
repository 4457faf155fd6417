#pragma once
// A table of two reports, row beside row: each quantity before and now, and how much that is more or less.

#include "engine/api/compare/table_difference.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>
#include <QString>

#include <vector>

namespace stepwell::ui {

struct ComparedQuantity {
    enum class Unit : unsigned char { Nanoseconds, Bytes, Count };
    std::string cell; // CellDifference::column
    QString title;    // "Time"
    Unit unit = Unit::Count;
};

class DifferenceModel : public QAbstractTableModel {
    Q_OBJECT

public:
    // The first columns; three for each quantity follow: before, now, change.
    enum Column { Sign, Name, FirstQuantity };
    enum Part { Before, Now, Change, PartCount };

    DifferenceModel(const Appearance &appearance, std::vector<ComparedQuantity> quantities, QObject *parent = nullptr);

    // isNoise: by row: the times of both overlap. Empty: nothing is known of that.
    void setRows(sw::TableDifference rows, std::vector<bool> isNoise = {});
    [[nodiscard]] const sw::TableDifference &rows() const { return m_rows; }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] const sw::CellDifference *cellOf(int row, int column) const; // null: it has none
    [[nodiscard]] QString textOf(int row, int column) const;
    [[nodiscard]] bool isNoise(int row, int column) const;
    [[nodiscard]] QVariant colorOf(int row, int column) const;

    const Appearance &m_appearance;
    std::vector<ComparedQuantity> m_quantities;
    sw::TableDifference m_rows;
    std::vector<bool> m_isNoise;
};

} // namespace stepwell::ui
