#include "engine/api/tensor_slice.h"

#include "engine/api/tensor_numbers.h"

#include <algorithm>

namespace sw {

namespace {

template <class Number>
void addTo(Tile &tile, long double &sum, Number value, ValueClass kind)
{
    switch (kind) {
    case ValueClass::NotANumber:
        ++tile.nans;
        return;
    case ValueClass::Infinity:
        ++tile.infinities;
        return;
    case ValueClass::Subnormal:
        ++tile.subnormals;
        break;
    case ValueClass::Ordinary:
    case ValueClass::Zero:
        break;
    }
    const auto number = static_cast<double>(value);
    tile.minimum = tile.finite == 0 ? number : std::min(tile.minimum, number);
    tile.maximum = tile.finite == 0 ? number : std::max(tile.maximum, number);
    sum += static_cast<long double>(number);
    ++tile.finite;
}

// The piece of `pieces` equal ones of [0, size) that begins at or before `at`: the inverse of piece * size / pieces.
std::int64_t pieceOf(std::int64_t at, std::int64_t size, std::int64_t pieces)
{
    return ((at + 1) * pieces - 1) / size;
}

} // namespace

SliceChoice TensorSlice::usual(std::span<const std::int64_t> shape)
{
    SliceChoice choice;
    choice.columnAxis = shape.empty() ? 0 : shape.size() - 1;
    choice.rowAxis = shape.size() < 2 ? 0 : shape.size() - 2;
    choice.fixed.assign(shape.size(), 0);
    return choice;
}

SliceChoice TensorSlice::showing(std::span<const std::int64_t> coordinates, SliceChoice choice)
{
    for (std::size_t axis = 0; axis < choice.fixed.size(); ++axis)
        choice.fixed[axis] = axis == choice.rowAxis || axis == choice.columnAxis ? 0 : coordinates[axis];
    return choice;
}

TensorSlice::TensorSlice(std::span<const std::int64_t> shape, const SliceChoice &choice)
    : m_rowAxis(choice.rowAxis), m_columnAxis(choice.columnAxis)
{
    m_elements = 1;
    for (const std::int64_t extent : shape)
        m_elements *= extent;
    if (m_elements == 0)
        return;
    if (shape.size() < 2) {
        m_isWrapped = m_elements > kVectorColumns;
        m_columns = std::min(m_elements, kVectorColumns);
        m_rows = (m_elements + m_columns - 1) / m_columns;
        m_rowStride = m_columns;
        m_columnStride = 1;
        return;
    }
    SW_ASSERT(choice.fixed.size() == shape.size() && choice.rowAxis != choice.columnAxis, "two axes and the place of the slice");
    const std::vector<std::int64_t> strides = rowMajorStrides(Shape(std::vector<std::int64_t>(shape.begin(), shape.end())));
    m_rows = shape[choice.rowAxis];
    m_columns = shape[choice.columnAxis];
    m_rowStride = strides[choice.rowAxis];
    m_columnStride = strides[choice.columnAxis];
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        if (axis != choice.rowAxis && axis != choice.columnAxis)
            m_offset += std::clamp<std::int64_t>(choice.fixed[axis], 0, shape[axis] - 1) * strides[axis];
}

std::optional<std::int64_t> TensorSlice::indexAt(std::int64_t row, std::int64_t column) const
{
    if (row < 0 || column < 0 || row >= m_rows || column >= m_columns)
        return std::nullopt;
    const std::int64_t index = m_offset + row * m_rowStride + column * m_columnStride;
    return index < m_elements ? std::optional(index) : std::nullopt;
}

std::pair<std::int64_t, std::int64_t> TensorSlice::placeOf(std::span<const std::int64_t> coordinates) const
{
    if (coordinates.size() < 2) {
        const std::int64_t at = coordinates.empty() ? 0 : coordinates[0];
        return {at / m_columns, at % m_columns};
    }
    return {coordinates[m_rowAxis], coordinates[m_columnAxis]};
}

std::optional<TileMap> tilesOf(const TensorView &view, const TensorSlice &slice, std::int64_t rows, std::int64_t columns,
                               const std::stop_token &stop)
{
    TileMap map;
    map.rows = std::min(rows, slice.rows());
    map.columns = std::min(columns, slice.columns());
    if (map.rows <= 0 || map.columns <= 0 || !view.hasNumbers())
        return TileMap{};
    map.tiles.resize(static_cast<std::size_t>(map.rows * map.columns));
    std::vector<long double> sums(map.tiles.size());
    std::vector<std::int64_t> tileOfColumn;
    for (std::int64_t column = 0; column < slice.columns(); ++column)
        tileOfColumn.push_back(pieceOf(column, slice.columns(), map.columns));
    const bool isWhole = visitNumbers(view.tensor(), [&](const auto &reader) {
        std::int64_t done = 0;
        for (std::int64_t row = 0; row < slice.rows(); ++row) {
            const std::int64_t first = pieceOf(row, slice.rows(), map.rows) * map.columns;
            for (std::int64_t column = 0; column < slice.columns(); ++column) {
                if (done++ % kElementsPerCheck == 0 && stop.stop_requested())
                    return false;
                const std::optional<std::int64_t> index = slice.indexAt(row, column);
                if (!index)
                    continue;
                const auto value = reader.at(*index);
                const auto tile = static_cast<std::size_t>(first + tileOfColumn[static_cast<std::size_t>(column)]);
                addTo(map.tiles[tile], sums[tile], value, reader.classOf(value));
            }
        }
        return true;
    });
    if (!isWhole)
        return std::nullopt;
    for (std::size_t i = 0; i < map.tiles.size(); ++i)
        if (map.tiles[i].finite > 0)
            map.tiles[i].mean = static_cast<double>(sums[i] / static_cast<long double>(map.tiles[i].finite));
    return map;
}

} // namespace sw
