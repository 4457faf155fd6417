#include "engine/schedule/layout.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kPageBytes = 4096;

// Considers powers of two only.
std::int64_t largestDivisor(std::int64_t number, std::int64_t most)
{
    std::int64_t divisor = 1;
    while (divisor * 2 <= most && number % (divisor * 2) == 0)
        divisor *= 2;
    return divisor;
}

} // namespace

BufferLayout layoutOf(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    BufferLayout layout;
    const std::vector<std::int64_t> strides = rowMajorStrides(buffer.shape);
    layout.strides.assign(strides.begin(), strides.end());
    for (std::size_t axis = 0; axis < buffer.shape.rank(); ++axis)
        if (layout.strides[axis] == 1 && buffer.shape[axis] > 1)
            layout.contiguousAxes.push_back(axis);
    layout.alignment = largestDivisor(buffer.arenaOffset, kPageBytes);
    const std::int64_t row = layout.contiguousAxes.empty() ? 1 : buffer.shape[layout.contiguousAxes.back()];
    const std::int64_t lanes =
        schedule.device(buffer.device).vectorBytes / static_cast<std::int64_t>(std::max<std::size_t>(bytesOf(buffer.dtype), 1));
    layout.vectorWidth = largestDivisor(row, std::max<std::int64_t>(lanes, 1));
    return layout;
}

bool isHeld(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    const auto isLoad = [&](std::uint32_t item) {
        return item < schedule.items.size() && schedule.items[item].phase == Phase::Load;
    };
    const bool isZeros = schedule.graph->node(buffer.node).kind == NodeKind::Buffer && buffer.role != BufferRole::Intermediate;
    return isZeros || (isLoad(buffer.firstItem) && !isLoad(buffer.lastItem));
}

} // namespace sw
