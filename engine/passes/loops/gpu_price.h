#pragma once
// What a product costs on a GPU, whose units run groups of work items. The figures are those of a unit of present GPUs, since a
// driver does not tell them; they decide between tiles, and are no forecast.

#include <cstdint>
#include <string>

namespace sw {

// Per cycle and unit, and what a unit has room for.
inline constexpr std::int64_t kGpuProducts = 128;        // multiply-adds of f32; half as many of f64
inline constexpr std::int64_t kGpuWarpItems = 32;        // work items that run in step
inline constexpr std::int64_t kGpuSchedulers = 4;        // of which each does an instruction of one warp per cycle
inline constexpr std::int64_t kGpuCopyInstructions = 24; // of a work item, for each element that it copies
inline constexpr std::int64_t kGpuStepInstructions = 12; // for each multiply-add without tiles: two elements and their places
inline constexpr std::int64_t kGpuMemoryBytes = 16;      // a unit's share of the memory
inline constexpr std::int64_t kGpuSectorBytes = 32;      // the least that memory is read by
inline constexpr std::int64_t kGpuNearBytes = 128;       // of a group's memory, or of a unit's cache
inline constexpr std::int64_t kGpuRegisters = 1 << 16;   // of 4 bytes
inline constexpr std::int64_t kGpuMostRegisters = 128;   // of one work item
inline constexpr std::int64_t kGpuMostItems = 2048;
inline constexpr std::int64_t kGpuBlockCycles = 500; // until a copy of the group is there: memory answers, and two barriers
inline constexpr std::int64_t kGpuLoadCycles = 40;   // until a unit's cache answers

// The product: for each of `batches`, rows x columns sums of `steps` products of elements of so many bytes.
struct GpuProduct {
    std::int64_t batches = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t steps = 1;
    std::int64_t bytes = 4;      // of an element in memory
    std::int64_t sumBytes = 4;   // of a sum
    std::int64_t units = 1;      // of the device
    std::int64_t localBytes = 0; // of a group's memory
};

// rows x columns sums per group, of which each work item has own rows x own columns in registers; the group copies `steps` steps
// of both factors at a time. The padding is counted: the tiles divide what `product` says.
struct GpuTile {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t steps = 1;
    std::int64_t ownRows = 1;
    std::int64_t ownColumns = 1;

    [[nodiscard]] std::int64_t items() const { return rows / ownRows * (columns / ownColumns); }
};

// In cycles of a unit: waves * (the most of products + copying, memory and near + waits). A warp waits for its results about as
// long as it computes, unless the unit has others that compute meanwhile: see issueCycles.
struct GpuPrice {
    std::int64_t groups = 0;
    std::int64_t waves = 0;    // groups of which each unit runs one after the other
    std::int64_t products = 0; // of one group: multiply-adds, by as many warps as are there
    std::int64_t copying = 0;  // of one group: instructions that copy elements, likewise
    std::int64_t memory = 0;   // of one group: bytes from memory
    std::int64_t near = 0;     // of one group: reads of its copies
    std::int64_t blocks = 0;   // of the steps, for each of which the group waits
    std::int64_t resident = 0; // groups that a unit runs side by side; 0: not even one fits
    std::int64_t waits = 0;    // of one group, while no other one is there to run

    [[nodiscard]] std::int64_t cycles() const;
    // The bytes that a group reads from memory for 1000 multiply-adds. They fall as the tile grows.
    std::int64_t bytesPerThousand = 0;
};

[[nodiscard]] GpuPrice priceOf(const GpuProduct &product, const GpuTile &tile);
[[nodiscard]] std::string toText(const GpuPrice &price);
// The elements between the rows of a group's copy that its items write down a column, so that they meet different banks.
inline constexpr std::int64_t kGpuApart = 4;

// Without tiles: one work item for each sum, or a group for each sum, whichever is cheaper.
[[nodiscard]] std::int64_t untiledCycles(const GpuProduct &product);

} // namespace sw
