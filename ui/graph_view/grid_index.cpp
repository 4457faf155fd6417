#include "ui/graph_view/grid_index.h"

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

namespace {

constexpr int kMostCells = 400; // in one direction

} // namespace

GridIndex::GridIndex(const QRectF &bounds, double cellSize) : m_bounds(bounds)
{
    const double longest = std::max({bounds.width(), bounds.height(), 1.0});
    m_cellSize = std::max(cellSize, longest / kMostCells);
    m_columns = static_cast<int>(bounds.width() / m_cellSize) + 1;
    m_rows = static_cast<int>(bounds.height() / m_cellSize) + 1;
}

GridIndex::Cells GridIndex::cellsOf(const QRectF &area) const
{
    const auto cell = [this](double distance, int count) {
        return std::clamp(static_cast<int>(std::floor(distance / m_cellSize)), 0, count - 1);
    };
    return {cell(area.left() - m_bounds.left(), m_columns), cell(area.top() - m_bounds.top(), m_rows),
            cell(area.right() - m_bounds.left(), m_columns), cell(area.bottom() - m_bounds.top(), m_rows)};
}

void GridIndex::add(const QRectF &area, std::uint32_t entry)
{
    const Cells cells = cellsOf(area);
    for (int row = cells.top; row <= cells.bottom; ++row) {
        for (int column = cells.left; column <= cells.right; ++column)
            m_added.emplace_back(static_cast<std::uint32_t>(row * m_columns + column), entry);
    }
}

void GridIndex::finish()
{
    m_start.assign(static_cast<std::size_t>(m_columns) * static_cast<std::size_t>(m_rows) + 1, 0);
    for (const auto &[cell, entry] : m_added)
        ++m_start[cell + 1];
    for (std::size_t i = 1; i < m_start.size(); ++i)
        m_start[i] += m_start[i - 1];
    m_entries.resize(m_added.size());
    std::vector<std::uint32_t> next(m_start.begin(), m_start.end() - 1);
    for (const auto &[cell, entry] : m_added)
        m_entries[next[cell]++] = entry;
    m_added.clear();
    m_added.shrink_to_fit();
}

std::vector<std::uint32_t> GridIndex::entriesIn(const QRectF &area) const
{
    std::vector<std::uint32_t> found;
    if (m_start.empty() || !area.intersects(m_bounds))
        return found;
    const Cells cells = cellsOf(area);
    for (int row = cells.top; row <= cells.bottom; ++row) {
        const auto first = static_cast<std::size_t>(row * m_columns + cells.left);
        const auto last = static_cast<std::size_t>(row * m_columns + cells.right);
        found.insert(found.end(), m_entries.begin() + m_start[first], m_entries.begin() + m_start[last + 1]);
    }
    std::ranges::sort(found);
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace stepwell::ui
