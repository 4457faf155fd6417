#include "engine/passes/schedule/block_rows.h"

#include <algorithm>

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

std::int64_t blockRowsOf(const DeviceInfo &device, std::int64_t rowBytes, std::int64_t rows, BlockOf what)
{
    const std::int64_t room = std::min<std::int64_t>(device.cacheBytesPerCore / kCacheParts, device.scratchBytes / 2);
    if (what == BlockOf::PaddedImage)
        return rowBytes <= room ? 1 : 0;
    const std::int64_t most = std::min({room / std::max<std::int64_t>(rowBytes, 1), kMostRows, rows});
    if (most < kLeastBlockRows)
        return 0;
    for (std::int64_t divisor = most; 2 * divisor > most; --divisor)
        if (rows % divisor == 0)
            return divisor;
    return most;
}

} // namespace sw
