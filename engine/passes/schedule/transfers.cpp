#include "engine/passes/schedule/transfers.h"

#include <vector>

namespace sw {

namespace {

// The stride of each axis of the shape; nothing where an axis is repeated or reversed.
std::optional<std::vector<std::int64_t>> stridesOf(const Access &access, const Shape &shape)
{
    std::vector<std::int64_t> strides(shape.rank(), 0);
    for (const AccessTerm &term : access.terms)
        strides.at(term.axis) += term.stride;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] != 1 && strides[axis] <= 0)
            return std::nullopt;
    return strides;
}

} // namespace

std::optional<StridedRegion> regionRead(const Access &access, const Shape &shape, std::size_t elementBytes)
{
    if (!access.isStrided || access.isMasked || shape.isEmpty())
        return std::nullopt;
    const auto strides = stridesOf(access, shape);
    if (!strides)
        return std::nullopt;
    std::int64_t row = 1; // elements that lie together
    std::int64_t rows = 1;
    std::int64_t distance = 0; // between rows, once there are several
    for (std::size_t axis = shape.rank(); axis-- > 0;) {
        const std::int64_t stride = (*strides)[axis];
        if (shape[axis] == 1)
            continue;
        if (distance == 0 && stride == row) {
            row *= shape[axis];
            continue;
        }
        if (distance == 0)
            distance = stride;
        if (stride != distance * rows)
            return std::nullopt;
        rows *= shape[axis];
    }
    if (distance != 0 && distance < row)
        return std::nullopt;
    const auto bytes = static_cast<std::int64_t>(elementBytes);
    StridedRegion region{.rows = rows, .rowBytes = row * bytes, .sourceOffset = access.offset * bytes};
    region.sourceStride = rows == 1 ? region.rowBytes : distance * bytes;
    region.destinationStride = region.rowBytes;
    return region;
}

} // namespace sw
