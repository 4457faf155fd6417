#pragma once
// Shapes: the extents of a tensor's axes, outermost first; row-major unless strides say otherwise. Rank 0 is a scalar; an extent
// may be 0. Element counts are checked: a shape whose size or byte size does not fit into 63 bits cannot be made.
//
// Some extents may be expressions over dimensions that are known only when a program runs. Their numbers are then the largest
// possible values; code that needs to know asks isSymbolic. Two such shapes are equal when their expressions are.

#include "engine/base/result.h"
#include "engine/base/short_list.h"
#include "engine/types/dtype.h"
#include "engine/types/symbolic.h"

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sw {

class Shape {
public:
    static constexpr std::size_t kMaxRank = 16;

    Shape() = default;
    Shape(std::initializer_list<std::int64_t> extents) : Shape(std::span(extents.begin(), extents.size())) {}
    // For extents known to be valid (asserts). Front ends use checked().
    explicit Shape(const std::vector<std::int64_t> &extents) : Shape(std::span(extents)) {}

    // Errors: rank above kMaxRank, a negative extent, more than 2^58 elements (2^62 bytes for the widest type).
    [[nodiscard]] static Result<Shape> checked(const std::vector<std::int64_t> &extents);
    // Errors: those of checked(), or an extent that can be negative.
    [[nodiscard]] static Result<Shape> checkedSymbolic(std::vector<SymbolicExpr> extents);

    [[nodiscard]] std::size_t rank() const { return m_extents.size(); }
    [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return m_extents[axis]; }
    [[nodiscard]] std::span<const std::int64_t> extents() const { return {m_extents.begin(), m_extents.size()}; }
    [[nodiscard]] auto begin() const { return m_extents.begin(); }
    [[nodiscard]] auto end() const { return m_extents.end(); }
    [[nodiscard]] std::int64_t elements() const; // 1 for rank 0
    [[nodiscard]] bool isEmpty() const { return elements() == 0; }

    [[nodiscard]] bool isSymbolic() const { return m_symbolic != nullptr; }
    [[nodiscard]] bool isSymbolic(std::size_t axis) const { return isSymbolic() && !(*m_symbolic)[axis].isConstant(); }
    [[nodiscard]] SymbolicExpr extent(std::size_t axis) const;
    [[nodiscard]] std::vector<SymbolicExpr> symbolicExtents() const; // of every axis
    // The shape with the largest extents; the shape itself when no extent is symbolic.
    [[nodiscard]] Shape largest() const;
    // The shape with numbers in place of its dimensions. Errors: a dimension is not bound.
    [[nodiscard]] Result<Shape> bound(const SymbolicBindings &bindings) const;

    bool operator==(const Shape &other) const;

private:
    explicit Shape(std::span<const std::int64_t> extents);
    static Result<Shape> ofExtents(std::span<const std::int64_t> extents);

    ShortList<std::int64_t, 6> m_extents;                        // nodes are copied in each pass, and few have more axes
    std::shared_ptr<const std::vector<SymbolicExpr>> m_symbolic; // null when every extent is a number
};

[[nodiscard]] std::string toText(const Shape &shape); // "[2, 3]", "[n, 3]"

// The number of elements. Errors: a coefficient of the product exceeds 63 bits.
[[nodiscard]] Result<SymbolicExpr> elementsOf(const Shape &shape);

// The strides, in elements, of a contiguous row-major tensor.
[[nodiscard]] std::vector<std::int64_t> rowMajorStrides(const Shape &shape);

// NumPy's rule: align at the last axis; extents are equal or one of them is 1. A dimension that happens to be 1 does not repeat.
[[nodiscard]] Result<Shape> broadcast(const Shape &a, const Shape &b);

// Maps an axis from [-rank, rank) to [0, rank).
[[nodiscard]] Result<std::size_t> normalizedAxis(std::int64_t axis, std::size_t rank);

// Row-major coordinates of a flat index, and back.
void unravel(std::int64_t flatIndex, const Shape &shape, std::span<std::int64_t> coordinates);
[[nodiscard]] std::int64_t ravel(std::span<const std::int64_t> coordinates, std::span<const std::int64_t> strides);

} // namespace sw
