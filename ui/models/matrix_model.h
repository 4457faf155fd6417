#pragma once

#include "engine/api/compare/matrix.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QStyledItemDelegate>

namespace stepwell::ui {

// A matrix: the kernels, then the whole run, then the outputs; a column per device and options behind the names.
class MatrixModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum DataRole { SortRole = Qt::UserRole, KindRole, RatioRole, ConformanceRole, LongestRole, DiffersRole };
    enum class RowKind : unsigned char { Kernel, Run, Output };

    explicit MatrixModel(const Appearance &appearance, QObject *parent = nullptr);

    void setMatrix(sw::Matrix matrix);
    void setOutOfDate(bool isOutOfDate);
    [[nodiscard]] const sw::Matrix &matrix() const { return m_matrix; }
    [[nodiscard]] RowKind kindOf(int row) const;
    // The kernel row of Matrix::rows, or the output.
    [[nodiscard]] std::size_t indexOf(int row) const;
    // In words, for the tooltip and the line below the table. A column below 0: none.
    [[nodiscard]] QString describe(int row, int column) const; // column: of the matrix

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    [[nodiscard]] QString nameOf(int row) const;
    [[nodiscard]] QString textOf(int row, std::size_t column) const;
    [[nodiscard]] const sw::MatrixOutput *output(int row, std::size_t column) const; // null: not known
    [[nodiscard]] const sw::MatrixVerdict *verdict(int row, std::size_t column) const;
    [[nodiscard]] std::optional<double> ratio(int row, std::size_t column) const;
    [[nodiscard]] double sortKey(int row, std::size_t column) const;
    [[nodiscard]] double longest(int row) const;
    [[nodiscard]] bool differs(int row) const;

    const Appearance &m_appearance;
    sw::Matrix m_matrix;
    std::vector<std::string> m_outputs; // names
    bool m_isOutOfDate = false;
};

// Sorts and filters the kernels; the whole run and the outputs stay below them.
class MatrixFilter : public QSortFilterProxyModel {
    Q_OBJECT

public:
    enum class Show : unsigned char { All, Different, Slower };

    explicit MatrixFilter(QObject *parent = nullptr) : QSortFilterProxyModel(parent) {}
    // factor: Slower shows kernels that take so many times as long as the best in some column.
    void setShow(Show show, double factor);

protected:
    [[nodiscard]] bool filterAcceptsRow(int row, const QModelIndex &parent) const override;
    [[nodiscard]] bool lessThan(const QModelIndex &left, const QModelIndex &right) const override;

private:
    Show m_show = Show::All;
    double m_factor = 1;
};

// Draws a time with a bar of its ratio to the best of the row, and the sign of its conformance.
class MatrixDelegate : public QStyledItemDelegate {
    Q_OBJECT

public:
    MatrixDelegate(const Appearance &appearance, QObject *parent);
    void paint(QPainter *painter, const QStyleOptionViewItem &option, const QModelIndex &index) const override;
    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem &option, const QModelIndex &index) const override;

private:
    const Appearance &m_appearance;
};

// Green for equal, red for different: beside the sign, never instead of it.
[[nodiscard]] QColor colorOf(sw::Conformance conformance, const Appearance &appearance);

} // namespace stepwell::ui
