#include "engine/types/box.h"

#include <cstring>

namespace sw {

void copyBox(const HostTensor &from, HostTensor &to, const Shape &box)
{
    if (box.isEmpty())
        return;
    const std::size_t rank = box.rank();
    const std::vector<std::int64_t> fromStrides = rowMajorStrides(from.shape());
    const std::vector<std::int64_t> toStrides = rowMajorStrides(to.shape());
    const auto size = static_cast<std::int64_t>(bytesOf(from.dtype()));
    const std::int64_t row = rank == 0 ? 1 : box[rank - 1];
    std::vector<std::int64_t> coordinates(rank);
    for (std::int64_t i = 0; i < box.elements(); i += row) {
        unravel(i, box, coordinates);
        std::memcpy(to.mutableBytes().data() + ravel(coordinates, toStrides) * size,
                    from.bytes().data() + ravel(coordinates, fromStrides) * size, static_cast<std::size_t>(row * size));
    }
}

HostTensor onlyFirst(const HostTensor &value, const Shape &shape)
{
    HostTensor out(value.dtype(), value.shape());
    copyBox(value, out, shape);
    return out;
}

HostTensor cropped(const HostTensor &value, const Shape &shape)
{
    HostTensor out(value.dtype(), shape);
    copyBox(value, out, shape);
    return out;
}

} // namespace sw
