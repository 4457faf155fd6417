#pragma once
// The inner kernel of a matrix product, written by hand: 8 x 48 sums in registers, A packed by columns and B by rows.

#include "engine/lowered/builder.h"

namespace sw::test {

inline constexpr std::int64_t kTileRows = 8;
inline constexpr std::int64_t kTileColumns = 48;
inline constexpr std::uint32_t kTileLanes = 16;

// c[item] = a . b for every work item: a is depth x 8, b depth x 48, c items x 8 x 48.
inline LoweredKernel registerTileKernel(std::int64_t items, std::int64_t depth)
{
    const Origin origin{SourceId(0U)};
    LoweredBuilder builder({.kernel = KernelId(0U),
                            .name = "register_tile",
                            .symbol = "register_tile",
                            .instructions = {},
                            .arguments = {},
                            .globalSize = {items, 1, 1},
                            .localSize = {1, 1, 1},
                            .origin = origin});
    const auto index = [&](std::int64_t value) { return builder.index(origin, value); };
    const auto scaled = [&](InstructionId value, std::int64_t by) { return builder.alu(origin, Op::Mul, {value, index(by)}); };
    const auto plus = [&](InstructionId value, std::int64_t by) {
        return by == 0 ? value : builder.alu(origin, Op::Add, {value, index(by)});
    };
    const auto a = builder.defineGlobal(origin, {BufferId(0U), DType::F32, depth * kTileRows, false, "a"});
    const auto b = builder.defineGlobal(origin, {BufferId(1U), DType::F32, depth * kTileColumns, false, "b"});
    const auto c = builder.defineGlobal(origin, {BufferId(2U), DType::F32, items * kTileRows * kTileColumns, true, "c"});
    const auto item = builder.special(origin, SpecialIndex::GlobalX);
    const auto zero = builder.constant(origin, Scalar::of(DType::F32, 0.0), kTileLanes);
    std::vector<InstructionId> sums;
    for (std::int64_t i = 0; i < kTileRows * kTileColumns / kTileLanes; ++i) {
        sums.push_back(builder.acc(origin, DType::F32, kTileLanes, format("sum{}", i)));
        builder.assign(origin, sums.back(), zero);
    }
    const auto k = builder.beginRange(origin, depth, "k");
    const auto rowOfB = scaled(k, kTileColumns);
    const auto columnOfA = scaled(k, kTileRows);
    std::vector<InstructionId> right;
    for (std::int64_t j = 0; j < kTileColumns; j += kTileLanes)
        right.push_back(builder.load(origin, b, plus(rowOfB, j), kTileLanes, {.isAligned = true}));
    for (std::int64_t row = 0; row < kTileRows; ++row) {
        const auto left = builder.broadcast(origin, builder.load(origin, a, plus(columnOfA, row)), kTileLanes);
        for (std::size_t j = 0; j < right.size(); ++j) {
            const auto sum = sums[static_cast<std::size_t>(row) * right.size() + j];
            builder.assign(origin, sum, builder.alu(origin, Op::Fma, {left, right[j], sum}));
        }
    }
    builder.endRange(origin);
    const auto tile = scaled(item, kTileRows * kTileColumns);
    for (std::size_t i = 0; i < sums.size(); ++i)
        builder.store(origin, c, plus(tile, static_cast<std::int64_t>(i) * kTileLanes), sums[i], {.isAligned = true});
    return builder.take();
}

} // namespace sw::test
