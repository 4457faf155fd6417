#include "engine/passes/schedule/block_rows.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

constexpr std::int64_t kMostRows = 64;
constexpr std::int64_t kCacheParts = 2; // the other part is for what streams through it

} // namespace

BlockOf whatBlocksHave(const Graph &graph, std::span<const NodeId> stages)
{
    const auto isPadded = [&](NodeId stage) { return graph.node(stage).kind == NodeKind::Pad; };
    return std::ranges::all_of(stages, isPadded) ? BlockOf::PaddedImage : BlockOf::Rows;
}

std::int64_t blockBytes(const DeviceInfo &device)
{
    return std::min<std::int64_t>(device.cacheBytesPerCore / kCacheParts, device.scratchBytes / 2);
}

std::int64_t leastBlockRows(std::int64_t rowBytes, double besideBytes)
{
    const double rows = std::ceil(besideBytes / static_cast<double>(std::max<std::int64_t>(rowBytes, 1)));
    return static_cast<std::int64_t>(std::clamp(rows, 1.0, static_cast<double>(kLeastBlockRows)));
}

double fewestBlocks(const DeviceInfo &device)
{
    return 2.0 * device.threads;
}

std::int64_t blockRowsOf(const DeviceInfo &device, std::int64_t rowBytes, std::int64_t rows, BlockOf what,
                         const BlockLimits &limits)
{
    const std::int64_t room = blockBytes(device);
    if (what == BlockOf::PaddedImage)
        return rowBytes <= room ? 1 : 0;
    const double share =
        std::clamp(limits.allRows / fewestBlocks(device), static_cast<double>(limits.least), static_cast<double>(kMostRows));
    const std::int64_t most = std::min({room / std::max<std::int64_t>(rowBytes, 1), static_cast<std::int64_t>(share), rows});
    if (most < limits.least)
        return 0;
    for (std::int64_t divisor = most; 2 * divisor > most; --divisor)
        if (rows % divisor == 0)
            return divisor;
    return most;
}

} // namespace sw
