#include "engine/execute/measure_kernels.h"

#include "engine/lowered/builder.h"

#include <algorithm>
#include <string>
#include <vector>

namespace sw {

namespace {

constexpr std::int64_t kChunkBytes = 64 << 10; // what one work item of a CPU copies
constexpr std::int64_t kGroup = 256;           // work items in a group of a GPU

std::uint32_t lanesOf(const DeviceInfo &device)
{
    return std::clamp(device.vectorBytes / 4, 1U, 16U);
}

std::int64_t groupOf(const DeviceInfo &device)
{
    return device.kind == DeviceKind::Gpu ? std::clamp<std::int64_t>(device.maxWorkgroup, 1, kGroup) : 1;
}

// A placeholder: these kernels belong to no program.
Origin ownOrigin()
{
    return Origin(SourceId(0U));
}

LoweredKernel frameOf(std::string name, const DeviceInfo &device, std::int64_t items)
{
    return {.kernel = KernelId(0U),
            .name = name,
            .symbol = name,
            .instructions = {},
            .arguments = {},
            .globalSize = {items, 1, 1},
            .localSize = {groupOf(device), 1, 1},
            .origin = ownOrigin()};
}

// Iterations of the loop that computes.
std::int64_t roundsOf(const DeviceInfo &device)
{
    return device.kind == DeviceKind::Interpreter ? 64 : 4096;
}

// Enough independent chains to hide the latency of an addition, but few enough not to spill.
std::uint32_t chainsOf(const DeviceInfo &device)
{
    return device.vectorRegisters >= 32 ? 12 : 10;
}

} // namespace

MeasureKernel emptyKernel(const DeviceInfo &device)
{
    const std::int64_t items = std::max<std::int64_t>(device.threads, 1) * groupOf(device);
    LoweredBuilder builder(frameOf("measure_launch", device, items));
    builder.defineGlobal(ownOrigin(), {BufferId(0U), DType::F32, 1, true, "out"});
    return {builder.take(), items, 1};
}

MeasureKernel copyKernel(const DeviceInfo &device, std::int64_t bytes)
{
    const Origin origin = ownOrigin();
    const std::uint32_t lanes = lanesOf(device);
    const std::int64_t vectorBytes = std::int64_t{4} * lanes;
    // On GPUs, neighbours in a group read neighbouring vectors.
    const std::int64_t vectors = device.kind == DeviceKind::Gpu ? 1 : kChunkBytes / vectorBytes;
    const std::int64_t elements = bytes / 4;
    LoweredBuilder builder(frameOf("measure_copy", device, elements / (vectors * lanes)));
    const auto from = builder.defineGlobal(origin, {BufferId(0U), DType::F32, elements, false, "from"});
    const auto to = builder.defineGlobal(origin, {BufferId(1U), DType::F32, elements, true, "to"});
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto first = builder.alu(origin, Op::Mul, {item, builder.index(origin, vectors * lanes)});
    const auto i = builder.beginRange(origin, vectors, "i");
    const auto offset = builder.alu(origin, Op::Mul, {i, builder.index(origin, lanes)});
    const auto at = builder.alu(origin, Op::Add, {first, offset});
    builder.store(origin, to, at, builder.load(origin, from, at, lanes));
    builder.endRange(origin);
    return {builder.take(), groupOf(device), 2 * vectors * vectorBytes};
}

std::int64_t arithmeticElements(const DeviceInfo &device, std::int64_t mostItems)
{
    return mostItems * lanesOf(device);
}

// Every chain starts with its own number, and every work item with its own part of the result, so that the compiler cannot
// compute anything once for several of them.
MeasureKernel arithmeticKernel(const DeviceInfo &device, std::int64_t mostItems)
{
    const Origin origin = ownOrigin();
    const std::uint32_t lanes = lanesOf(device);
    LoweredBuilder builder(frameOf("measure_arithmetic", device, mostItems));
    const auto numbers = builder.defineGlobal(origin, {BufferId(0U), DType::F32, 2, false, "numbers"});
    const auto result =
        builder.defineGlobal(origin, {BufferId(1U), DType::F32, arithmeticElements(device, mostItems), true, "result"});
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto at = builder.alu(origin, Op::Mul, {item, builder.index(origin, lanes)});
    const auto number = [&](std::int64_t place) {
        return builder.broadcast(origin, builder.load(origin, numbers, builder.index(origin, place), 1), lanes);
    };
    const auto factor = number(0);
    const auto summand = number(1);
    const auto start = builder.load(origin, result, at, lanes);
    std::vector<InstructionId> chains;
    for (std::uint32_t chain = 0; chain < chainsOf(device); ++chain) {
        const auto own = builder.constant(origin, Scalar::of(DType::F32, static_cast<double>(chain)), lanes);
        chains.push_back(builder.acc(origin, DType::F32, lanes, "chain"));
        builder.assign(origin, chains.back(), builder.alu(origin, Op::Add, {start, own}));
    }
    builder.beginRange(origin, roundsOf(device), "i");
    for (const InstructionId chain : chains)
        builder.assign(origin, chain, builder.alu(origin, Op::Fma, {chain, factor, summand}));
    builder.endRange(origin);
    InstructionId sum = chains.front();
    for (std::size_t chain = 1; chain < chains.size(); ++chain)
        sum = builder.alu(origin, Op::Add, {sum, chains[chain]});
    builder.store(origin, result, at, sum);
    return {builder.take(), groupOf(device), 2 * roundsOf(device) * chainsOf(device) * lanes};
}

} // namespace sw
