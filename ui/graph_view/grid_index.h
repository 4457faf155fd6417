#pragma once
// Finds the boxes and edges that may be visible in, or hit at, a part of the scene: a uniform grid of lists.

#include <QRectF>

#include <cstdint>
#include <functional>
#include <vector>

namespace stepwell::ui {

class GridIndex {
public:
    GridIndex() = default;
    GridIndex(const QRectF &bounds, double cellSize);

    void add(const QRectF &area, std::uint32_t entry);
    void finish(); // call after the last add
    // Every entry whose area may meet `area`, each once, in rising order.
    [[nodiscard]] std::vector<std::uint32_t> entriesIn(const QRectF &area) const;

private:
    struct Cells {
        int left, top, right, bottom;
    };
    [[nodiscard]] Cells cellsOf(const QRectF &area) const;

    QRectF m_bounds;
    double m_cellSize = 1;
    int m_columns = 0;
    int m_rows = 0;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_added; // cell, entry
    std::vector<std::uint32_t> m_start;
    std::vector<std::uint32_t> m_entries;
};

} // namespace stepwell::ui
