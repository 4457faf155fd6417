#pragma once
// Panels of a matrix: as many rows as a vector has lanes, or all of fewer, lie side by side, so that one load brings a step of
// all of them, or a few steps, as the tensor instructions of the device read them.

#include <cstddef>
#include <cstdint>
#include <span>

namespace sw {

// Element [row, step] of the matrix is element [row / lanes, step / group, row % lanes, step % group] of the panels. The rows lie
// one behind the other, or the steps do.
struct Panels {
    std::int64_t rows = 0; // a multiple of lanes
    std::int64_t steps = 0;
    std::int64_t lanes = 1;
    std::int64_t rowStride = 0; // in the matrix, in elements: `steps`, or 1
    std::int64_t stepStride = 1;
    std::int64_t group = 1; // so many steps of one row lie side by side; divides `steps`

    // The place in the matrix of the element at this place in the panels; both count elements, row by row.
    [[nodiscard]] std::int64_t sourceOf(std::int64_t place) const
    {
        const std::int64_t row = place / (steps * lanes) * lanes + place / group % lanes;
        const std::int64_t step = place / (lanes * group) % (steps / group) * group + place % group;
        return row * rowStride + step * stepStride;
    }
    bool operator==(const Panels &) const = default;
};

// Both have rows * steps elements of that size, and may begin at any address.
void writePanels(const Panels &panels, std::size_t elementBytes, std::span<const std::byte> matrix, std::span<std::byte> to);

} // namespace sw
