#pragma once
// Two axes of a tensor laid out as rows and columns, at fixed coordinates of the others; and such a slice seen from afar.

#include "engine/api/tensor_view.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stop_token>
#include <utility>
#include <vector>

namespace sw {

// Which slice. For shapes of rank 0 and 1 there is nothing to choose.
struct SliceChoice {
    std::size_t rowAxis = 0;
    std::size_t columnAxis = 0;
    std::vector<std::int64_t> fixed = {}; // a coordinate per axis; those of the two axes do not count
    bool operator==(const SliceChoice &) const = default;
};

// A vector longer than this is laid out in rows of this length.
inline constexpr std::int64_t kVectorColumns = 16;

class TensorSlice {
public:
    TensorSlice() = default; // of nothing
    TensorSlice(std::span<const std::int64_t> shape, const SliceChoice &choice);

    // The last two axes, at the beginning of all others.
    [[nodiscard]] static SliceChoice usual(std::span<const std::int64_t> shape);
    // The choice, changed so far that this element is on the slice.
    [[nodiscard]] static SliceChoice showing(std::span<const std::int64_t> coordinates, SliceChoice choice);

    [[nodiscard]] std::int64_t rows() const { return m_rows; }
    [[nodiscard]] std::int64_t columns() const { return m_columns; }
    [[nodiscard]] bool isWrapped() const { return m_isWrapped; } // a vector in rows
    // Row-major index of the element; nothing: there is none (after the end of a vector that is laid out in rows).
    [[nodiscard]] std::optional<std::int64_t> indexAt(std::int64_t row, std::int64_t column) const;
    // The row and the column of an element that is on the slice.
    [[nodiscard]] std::pair<std::int64_t, std::int64_t> placeOf(std::span<const std::int64_t> coordinates) const;

private:
    std::int64_t m_rows = 0;
    std::int64_t m_columns = 0;
    std::int64_t m_elements = 0;
    std::int64_t m_offset = 0;
    std::int64_t m_rowStride = 0;
    std::int64_t m_columnStride = 0;
    std::size_t m_rowAxis = 0;
    std::size_t m_columnAxis = 0;
    bool m_isWrapped = false;
};

// What a rectangle of the slice holds. The numbers are of its finite elements.
struct Tile {
    double minimum = 0;
    double maximum = 0;
    double mean = 0;
    std::int64_t finite = 0;
    std::int64_t nans = 0;
    std::int64_t infinities = 0;
    std::int64_t subnormals = 0;
};

struct TileMap {
    std::int64_t rows = 0;
    std::int64_t columns = 0;
    std::vector<Tile> tiles; // row-major
};

// The slice in at most `rows` by `columns` tiles; fewer when it has fewer elements. Tile (r, c) holds the rows from
// r * slice.rows() / rows to before (r + 1) * slice.rows() / rows, and columns likewise. Nothing: stopped.
[[nodiscard]] std::optional<TileMap> tilesOf(const TensorView &view, const TensorSlice &slice, std::int64_t rows,
                                             std::int64_t columns, const std::stop_token &stop);

} // namespace sw
