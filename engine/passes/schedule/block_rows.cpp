#include "engine/passes/schedule/block_rows.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

constexpr std::int64_t kMostRows = 64;
constexpr std::int64_t kCacheParts = 2; // the other part is for what streams through it
constexpr double kMostStored = 1 << 30; // bytes of all rows
constexpr double kRestFactor = 1.15;    // a last block of fewer rows is code of its own, and leaves the threads unequal shares

// What blocks of so many rows take, in rows, where vectors of so many lanes may run along them: a part of a vector takes as long
// as a whole one.
double rowsTaken(std::int64_t rows, std::int64_t block, std::int64_t lanes)
{
    const auto covered = [&](std::int64_t count) { return (count + lanes - 1) / lanes * lanes; };
    const std::int64_t rest = rows % block;
    return static_cast<double>(rows / block * covered(block) + covered(rest)) * (rest == 0 ? 1 : kRestFactor);
}

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

bool areTooManyToStore(std::int64_t rowBytes, double allRows)
{
    return static_cast<double>(rowBytes) * allRows >= kMostStored;
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
    const std::int64_t wide = std::max<std::int64_t>(device.vectorBytes / 4, 1); // of f32
    const std::int64_t lanes = most >= 2 * wide ? wide : 1;                      // few rows are no axis for vectors
    std::int64_t best = most;
    for (std::int64_t block = most - 1; 2 * block > most; --block)
        if (rowsTaken(rows, block, lanes) < rowsTaken(rows, best, lanes))
            best = block;
    return best;
}

} // namespace sw
