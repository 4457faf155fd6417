#include "engine/graph/strided_copy.h"

#include "engine/base/assert.h"

#include <algorithm>
#include <cstring>

namespace sw {

namespace {

template <std::size_t Bytes>
void copyRow(const std::byte *from, std::int64_t fromStep, std::byte *to, std::int64_t toStep, std::int64_t count)
{
    constexpr auto size = static_cast<std::int64_t>(Bytes);
    for (std::int64_t i = 0; i < count; ++i)
        std::memcpy(to + i * toStep * size, from + i * fromStep * size, Bytes);
}

using CopyRow = void (*)(const std::byte *, std::int64_t, std::byte *, std::int64_t, std::int64_t);

CopyRow rowCopierOf(std::size_t bytes)
{
    switch (bytes) {
    case 1:
        return copyRow<1>;
    case 2:
        return copyRow<2>;
    case 4:
        return copyRow<4>;
    case 8:
        return copyRow<8>;
    case 16:
        return copyRow<16>;
    }
    SW_UNREACHABLE();
}

struct Walk {
    const StridedCopy &copy;
    CopyRow copyRow = nullptr;
    const std::byte *from = nullptr;
    std::byte *to = nullptr;

    void axis(std::size_t axis, std::int64_t fromAt, std::int64_t toAt) const
    {
        const std::int64_t count = copy.extents[axis];
        const std::int64_t fromStep = copy.from.strides[axis];
        const std::int64_t toStep = copy.to.strides[axis];
        if (axis + 1 == copy.extents.size()) {
            const auto size = static_cast<std::int64_t>(copy.elementBytes);
            copyRow(from + fromAt * size, fromStep, to + toAt * size, toStep, count);
            return;
        }
        for (std::int64_t i = 0; i < count; ++i)
            this->axis(axis + 1, fromAt + i * fromStep, toAt + i * toStep);
    }
};

} // namespace

void copyStrided(const StridedCopy &copy, std::span<const std::byte> from, std::span<std::byte> to)
{
    if (std::ranges::find(copy.extents, 0) != copy.extents.end())
        return;
    const Walk walk{copy, rowCopierOf(copy.elementBytes), from.data(), to.data()};
    if (copy.extents.empty()) {
        const auto size = static_cast<std::int64_t>(copy.elementBytes);
        walk.copyRow(walk.from + copy.from.offset * size, 0, walk.to + copy.to.offset * size, 0, 1);
        return;
    }
    walk.axis(0, copy.from.offset, copy.to.offset);
}

} // namespace sw
