#pragma once

#include "engine/api/tensor_slice.h"
#include "ui/theme/appearance.h"

#include <QAbstractTableModel>

#include <functional>
#include <optional>

namespace stepwell::ui {

// What a colour alone must not say: "!" before NaN, "^" before infinity, "~" before a subnormal number; empty for all others.
[[nodiscard]] QString glyphOf(sw::ValueClass kind);
[[nodiscard]] QColor colorOf(sw::ValueClass kind, const Theme &theme);
[[nodiscard]] QColor colorOf(sw::ValueClass kind, const Appearance &appearance);

// A slice of a tensor as a table. The table holds a page of the slice: views take time and memory for each of their rows.
class ValueModel : public QAbstractTableModel {
    Q_OBJECT

public:
    static constexpr int kPageRows = 20'000;
    static constexpr int kPageColumns = 4096;
    // Receives an element and its new text; returns whether it was taken.
    using Change = std::function<bool(std::int64_t element, const QString &text)>;

    explicit ValueModel(const Appearance &appearance, QObject *parent = nullptr);

    void setView(sw::TensorViewPtr view, const sw::SliceChoice &choice); // a null view empties the table
    void setFormat(sw::ValueFormat format);
    void setOutOfDate(bool isOutOfDate);
    // With a change, elements can be edited. An empty function ends that.
    void setChange(Change change) { m_change = std::move(change); }
    [[nodiscard]] bool isEditable() const { return static_cast<bool>(m_change); }

    [[nodiscard]] const sw::TensorViewPtr &view() const { return m_view; }
    [[nodiscard]] const sw::TensorSlice &slice() const { return m_slice; }
    [[nodiscard]] const sw::SliceChoice &choice() const { return m_choice; }
    [[nodiscard]] sw::ValueFormat format() const { return m_format; }
    [[nodiscard]] bool isOutOfDate() const { return m_isOutOfDate; }
    // Of the slice, whether or not they are on the page.
    [[nodiscard]] std::int64_t firstRow() const { return m_firstRow; }
    [[nodiscard]] std::int64_t firstColumn() const { return m_firstColumn; }
    [[nodiscard]] bool isPaged() const;
    // Moves the page so that this row and column of the slice are on it.
    void showPlace(std::int64_t row, std::int64_t column);

    [[nodiscard]] std::optional<std::int64_t> elementAt(const QModelIndex &index) const;
    // Where an element of the slice is on the page, which moves to it if needed.
    [[nodiscard]] QModelIndex indexOf(std::int64_t element);

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] bool setData(const QModelIndex &index, const QVariant &value, int role) override;
    [[nodiscard]] Qt::ItemFlags flags(const QModelIndex &index) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    sw::TensorViewPtr m_view;
    sw::SliceChoice m_choice;
    sw::TensorSlice m_slice;
    sw::ValueFormat m_format = sw::ValueFormat::Decimal;
    std::int64_t m_firstRow = 0;
    std::int64_t m_firstColumn = 0;
    bool m_isOutOfDate = false;
    Change m_change;
};

// Elements in another order than their places: the first of them.
class ValueOrderModel : public QAbstractTableModel {
    Q_OBJECT

public:
    enum Column : int { Place, Value, kColumns };

    explicit ValueOrderModel(const Appearance &appearance, QObject *parent = nullptr);

    void setOrder(sw::TensorViewPtr view, std::vector<std::int64_t> elements);
    void setFormat(sw::ValueFormat format);
    [[nodiscard]] std::int64_t elementAt(int row) const { return m_elements.at(static_cast<std::size_t>(row)); }

    [[nodiscard]] int rowCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] int columnCount(const QModelIndex &parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex &index, int role) const override;
    [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    const Appearance &m_appearance;
    sw::TensorViewPtr m_view;
    std::vector<std::int64_t> m_elements;
    sw::ValueFormat m_format = sw::ValueFormat::Decimal;
};

} // namespace stepwell::ui
