#include "engine/types/shape.h"

#include "engine/base/checked_size.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

// 2^62 bytes for the widest type, so sizes in bytes fit into 63 bits too.
constexpr std::int64_t kMaxElements = std::int64_t{1} << 58;

} // namespace

Shape::Shape(std::span<const std::int64_t> extents)
{
    auto made = ofExtents(extents);
    *this = std::move(made.value());
}

Result<Shape> Shape::checked(const std::vector<std::int64_t> &extents)
{
    return ofExtents(extents);
}

Result<Shape> Shape::ofExtents(std::span<const std::int64_t> extents)
{
    Shape out;
    out.m_extents = ShortList<std::int64_t, 6>(extents);
    if (out.rank() > kMaxRank)
        return Diagnostic::error(Code::Limit, {}, "shape {} has rank {}; at most {} is supported", toText(out), out.rank(),
                                 kMaxRank);
    CheckedSize elements = 1;
    for (const std::int64_t extent : out.m_extents) {
        if (extent < 0)
            return Diagnostic::error(Code::ShapeMismatch, {}, "shape {} has a negative extent", toText(out));
        // An extent of 0 does not make the others harmless: strides must fit too.
        elements *= std::max<std::int64_t>(extent, 1);
        if (elements > kMaxElements)
            return Diagnostic::error(Code::Limit, {}, "shape {} has more than 2^58 elements", toText(out));
    }
    return out;
}

Result<Shape> Shape::checkedSymbolic(std::vector<SymbolicExpr> extents)
{
    std::vector<std::int64_t> largest;
    for (const SymbolicExpr &extent : extents) {
        const SymbolicBounds bounds = extent.bounds();
        if (bounds.low < 0 && !extent.isConstant())
            return Diagnostic::error(Code::ShapeMismatch, {}, "the extent {} can be negative: it lies between {} and {}",
                                     toText(extent), bounds.low, bounds.high);
        largest.push_back(bounds.high);
    }
    SW_TRY(Shape out, checked(largest));
    if (!std::ranges::all_of(extents, &SymbolicExpr::isConstant))
        out.m_symbolic = std::make_shared<const std::vector<SymbolicExpr>>(std::move(extents));
    return out;
}

SymbolicExpr Shape::extent(std::size_t axis) const
{
    return isSymbolic() ? (*m_symbolic)[axis] : SymbolicExpr(m_extents[axis]);
}

std::vector<SymbolicExpr> Shape::symbolicExtents() const
{
    return isSymbolic() ? *m_symbolic : std::vector<SymbolicExpr>(m_extents.begin(), m_extents.end());
}

Shape Shape::largest() const
{
    Shape out = *this;
    out.m_symbolic = nullptr;
    return out;
}

Result<Shape> Shape::bound(const SymbolicBindings &bindings) const
{
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < rank(); ++axis) {
        const auto value = extent(axis).evaluate(bindings);
        if (!value)
            return Diagnostic::error(Code::ShapeMismatch, {}, "the extent {} of shape {} has no value", toText(extent(axis)),
                                     toText(*this));
        extents.push_back(*value);
    }
    return checked(extents);
}

bool Shape::operator==(const Shape &other) const
{
    if (m_extents != other.m_extents || isSymbolic() != other.isSymbolic())
        return false;
    return m_symbolic == other.m_symbolic || *m_symbolic == *other.m_symbolic;
}

std::int64_t Shape::elements() const
{
    std::int64_t count = 1;
    for (const std::int64_t extent : m_extents)
        count *= extent;
    return count;
}

std::string toText(const Shape &shape)
{
    if (!shape.isSymbolic())
        return "[" + join(shape.extents(), ", ") + "]";
    return "[" + join(shape.symbolicExtents(), ", ", [](const SymbolicExpr &extent) { return toText(extent); }) + "]";
}

Result<SymbolicExpr> elementsOf(const Shape &shape)
{
    SymbolicExpr count(1);
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        SW_TRY(count, multiply(count, shape.extent(axis)));
    }
    return count;
}

std::vector<std::int64_t> rowMajorStrides(const Shape &shape)
{
    std::vector<std::int64_t> strides(shape.rank());
    std::int64_t stride = 1;
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        strides[axis] = stride;
        stride *= std::max<std::int64_t>(shape[axis], 1);
    }
    return strides;
}

Result<Shape> broadcast(const Shape &a, const Shape &b)
{
    if (!a.isSymbolic() && a == b)
        return a;
    const std::size_t rank = std::max(a.rank(), b.rank());
    std::vector<SymbolicExpr> extents(rank);
    for (std::size_t fromEnd = 1; fromEnd <= rank; ++fromEnd) {
        const SymbolicExpr left = fromEnd <= a.rank() ? a.extent(a.rank() - fromEnd) : SymbolicExpr(1);
        const SymbolicExpr right = fromEnd <= b.rank() ? b.extent(b.rank() - fromEnd) : SymbolicExpr(1);
        if (left != right && left != SymbolicExpr(1) && right != SymbolicExpr(1))
            return Diagnostic::error(Code::ShapeMismatch, {}, "shapes {} and {} do not broadcast: axis {} has extents {} and {}",
                                     toText(a), toText(b), -static_cast<std::int64_t>(fromEnd), toText(left), toText(right));
        extents[rank - fromEnd] = left == SymbolicExpr(1) ? right : left;
    }
    return Shape::checkedSymbolic(std::move(extents));
}

Result<std::size_t> normalizedAxis(std::int64_t axis, std::size_t rank)
{
    const auto signedRank = static_cast<std::int64_t>(rank);
    if (axis < -signedRank || axis >= signedRank)
        return Diagnostic::error(Code::ShapeMismatch, {}, "axis {} is out of range for rank {}", axis, rank);
    return static_cast<std::size_t>(axis < 0 ? axis + signedRank : axis);
}

void unravel(std::int64_t flatIndex, const Shape &shape, std::span<std::int64_t> coordinates)
{
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        coordinates[axis] = flatIndex % shape[axis];
        flatIndex /= shape[axis];
    }
}

std::int64_t ravel(std::span<const std::int64_t> coordinates, std::span<const std::int64_t> strides)
{
    std::int64_t flatIndex = 0;
    for (std::size_t axis = 0; axis < coordinates.size(); ++axis)
        flatIndex += coordinates[axis] * strides[axis];
    return flatIndex;
}

} // namespace sw
