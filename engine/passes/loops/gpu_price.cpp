#include "engine/passes/loops/gpu_price.h"

#include "engine/base/text.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kOtherRegisters = 24; // of a work item, for its indices
constexpr std::int64_t kGroupBarriers = 9;   // of a group that adds up one sum
constexpr std::int64_t kMostResident = 16;

std::int64_t divideUp(std::int64_t value, std::int64_t by)
{
    return (value + by - 1) / by;
}

std::int64_t productsPerCycle(const GpuProduct &product)
{
    return kGpuProducts * 4 / std::max<std::int64_t>(product.sumBytes, 4);
}

// Cycles for so many instructions of work items, `perCycle` of which the unit does when it has warps enough. Of `resident`
// groups, each has its share of the unit. A warp waits for its results about as long as it computes, and the other warps of its
// scheduler compute meanwhile: where a scheduler has n warps, one n-th of the time is added.
std::int64_t issueCycles(std::int64_t instructions, std::int64_t perCycle, const GpuTile &tile, std::int64_t resident)
{
    const std::int64_t warps = std::max<std::int64_t>(resident * divideUp(tile.items(), kGpuWarpItems), 1);
    const std::int64_t active = std::min(warps, kGpuSchedulers);
    const std::int64_t cycles = divideUp(instructions * kGpuSchedulers, perCycle * active);
    return cycles + divideUp(cycles * active, warps);
}

// How many groups a unit has room for.
std::int64_t residentGroups(const GpuProduct &product, const GpuTile &tile)
{
    const std::int64_t copies = tile.steps * (tile.rows + tile.columns + 2 * kGpuApart) * product.bytes;
    const std::int64_t words = divideUp(product.sumBytes, 4);
    const std::int64_t registers = (tile.ownRows * tile.ownColumns + tile.ownRows + tile.ownColumns) * words + kOtherRegisters;
    if (registers > kGpuMostRegisters)
        return 0;
    return std::min({product.localBytes / copies, kGpuRegisters / (registers * tile.items()), kGpuMostItems / tile.items()});
}

} // namespace

std::int64_t GpuPrice::cycles() const
{
    return waves * (std::max({products + copying, memory, near}) + waits);
}

GpuPrice priceOf(const GpuProduct &product, const GpuTile &tile)
{
    GpuPrice price;
    price.groups = product.batches * (product.rows / tile.rows) * (product.columns / tile.columns);
    price.waves = divideUp(price.groups, product.units);
    const std::int64_t sums = tile.rows * tile.columns;
    const std::int64_t bytes = (tile.rows + tile.columns) * product.steps * product.bytes;
    price.memory = divideUp(bytes, kGpuMemoryBytes);
    price.near = divideUp(tile.items() * (tile.ownRows + tile.ownColumns) * product.steps * product.bytes, kGpuNearBytes);
    price.blocks = divideUp(product.steps, tile.steps);
    price.resident = std::min(residentGroups(product, tile), price.waves);
    price.products = issueCycles(sums * product.steps, productsPerCycle(product), tile, price.resident);
    price.copying =
        issueCycles((tile.rows + tile.columns) * product.steps * kGpuCopyInstructions, kGpuProducts, tile, price.resident);
    if (price.resident > 0)
        price.waits = price.blocks * kGpuBlockCycles / price.resident;
    price.bytesPerThousand = bytes * 1000 / (sums * product.steps);
    return price;
}

std::string toText(const GpuPrice &price)
{
    return format("{} cycles: {} times the most of {} for products and {} for copying, {} for memory and {} for the group's "
                  "copies, and {} of waiting (blocks {}, groups at once {}); groups in all {}, {} bytes from memory per 1000 "
                  "products",
                  price.cycles(), price.waves, price.products, price.copying, price.memory, price.near, price.waits, price.blocks,
                  price.resident, price.groups, price.bytesPerThousand);
}

std::int64_t untiledCycles(const GpuProduct &product)
{
    const std::int64_t sums = product.batches * product.rows * product.columns;
    const std::int64_t bytes = 2 * product.steps * product.bytes;
    const std::int64_t itemWaves = divideUp(divideUp(sums, kItemsPerGroup), product.units);
    const std::int64_t issued = divideUp(kItemsPerGroup * product.steps * kGpuStepInstructions, kGpuProducts);
    const std::int64_t items = itemWaves * std::max(divideUp(kItemsPerGroup * bytes, kGpuNearBytes), issued) +
                               itemWaves * product.steps * kGpuLoadCycles / std::min(itemWaves, kMostResident);
    const std::int64_t groupWaves = divideUp(sums, product.units);
    // The items of a group run along the steps; one of the factors mostly does not.
    const std::int64_t sectors = product.steps * (product.bytes + std::max(product.bytes, kGpuSectorBytes));
    const std::int64_t groups =
        groupWaves * (divideUp(sectors, kGpuMemoryBytes) + kGroupBarriers * kGpuLoadCycles / kMostResident);
    return std::min(items, groups);
}

} // namespace sw
