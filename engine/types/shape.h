#pragma once
// Shapes: the extents of a tensor's axes, outermost first; row-major unless strides say otherwise. Rank 0 is a scalar; an extent
// may be 0. Element counts are checked: a shape whose size or byte size does not fit into 63 bits cannot be made.

#include "engine/base/result.h"
#include "engine/types/dtype.h"

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <vector>

namespace sw {

class Shape {
public:
    static constexpr std::size_t kMaxRank = 16;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : Shape(std::vector<std::int64_t>(extents)) {}
    // For extents known to be valid (asserts). Front ends use checked().
    explicit Shape(std::vector<std::int64_t> extents);

    // Errors: rank above kMaxRank, a negative extent, more than 2^60 elements.
    [[nodiscard]] static Result<Shape> checked(std::vector<std::int64_t> extents);

    [[nodiscard]] std::size_t rank() const { return m_extents.size(); }
    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return m_extents[axis]; }
    [[nodiscard]] std::span<const std::int64_t> extents() const { return m_extents; }
    [[nodiscard]] auto begin() const { return m_extents.begin(); }
    [[nodiscard]] auto end() const { return m_extents.end(); }
    [[nodiscard]] std::int64_t elements() const; // 1 for rank 0
    [[nodiscard]] bool isEmpty() const { return elements() == 0; }

    bool operator==(const Shape &) const = default;

private:
    std::vector<std::int64_t> m_extents;
};

[[nodiscard]] std::string toText(const Shape &shape); // "[2, 3]"

// Strides in elements of a contiguous row-major tensor.
[[nodiscard]] std::vector<std::int64_t> rowMajorStrides(const Shape &shape);

// NumPy's rule: aligned at the last axis, extents equal or one of them 1.
[[nodiscard]] Result<Shape> broadcast(const Shape &a, const Shape &b);

// An axis from [-rank, rank) to [0, rank).
[[nodiscard]] Result<std::size_t> normalizedAxis(std::int64_t axis, std::size_t rank);

// Row-major coordinates of a flat index, and back.
void unravel(std::int64_t flatIndex, const Shape &shape, std::span<std::int64_t> coordinates);
[[nodiscard]] std::int64_t ravel(std::span<const std::int64_t> coordinates, std::span<const std::int64_t> strides);

} // namespace sw
