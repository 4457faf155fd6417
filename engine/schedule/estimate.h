#pragma once
// Estimates the time of a schedule's steps with a roofline: a kernel takes the longer of its memory traffic and its arithmetic,
// plus the launch time. The schedule's text and decisions use assumed figures, which are options of the compilation, so that the
// same program has the same text everywhere. What users see is computed with the figures of their devices, where those were
// measured.

#include "engine/ops/tensor_instructions.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace sw {

// A fused multiply-add is two operations: rates of arithmetic count them so, and the priced work counts every vector instruction
// as two, since it takes as long.
inline constexpr std::int64_t kOperationsPerInstruction = 2;

// How fast bytes stream that a level of caches holds, of all threads together.
struct CacheRate {
    std::int64_t holds = 0;
    double bytesPerNanosecond = 0; // 0: it was not measured
    bool operator==(const CacheRate &) const = default;
};

struct RooflineFigures {
    double memoryBytesPerNanosecond = 10;  // of what no cache holds
    double operationsPerNanosecond = 50;   // of fused multiply-adds in vectors of f32
    double transferBytesPerNanosecond = 8; // between a device and the host, or two devices
    double launchNanoseconds = 1000;       // of a kernel or a transfer, however small
    // By TensorInstruction, as their roofs are measured; 0: it was not.
    std::array<double, kTensorInstructions> tensorOperationsPerNanosecond = {};
    std::array<CacheRate, 2> caches = {}; // those of the cores, and the one that they share
    bool operator==(const RooflineFigures &) const = default;
};
// Operations per nanosecond: those that were measured, or as many times those of multiply-adds as the table says.
[[nodiscard]] double tensorRate(const RooflineFigures &figures, TensorInstruction instruction);

// Bytes per nanosecond of a kernel that moves so many: those of the nearest cache that holds them all, as they are there since
// the kernel before or the round before.
[[nodiscard]] double bytesRate(const RooflineFigures &figures, double bytes);

// The figures of a device, and where they come from.
struct DeviceFigures {
    RooflineFigures rates = {};
    std::string measuredOn = {}; // the date, "2026-11-22"; empty: assumed
    bool operator==(const DeviceFigures &) const = default;
};
// "measured on this machine, 2026-11-22", or "assumed"
[[nodiscard]] std::string sourceOf(const DeviceFigures &figures);
// "10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns", and for what was measured, "72.5 GB/s in 4 MiB of cache" and "amx_bf16
// 2900 GFLOP/s"
[[nodiscard]] std::string toText(const RooflineFigures &rates);

// Products that a tensor instruction adds up.
struct TensorWork {
    TensorInstruction instruction = {};
    std::int64_t operations = 0; // multiply and add count as one each
    bool operator==(const TensorWork &) const = default;
};

// What a kernel costs, estimated from its shapes alone.
struct KernelEstimate {
    std::int64_t flops = 0; // multiply and add count as one each
    // The same arithmetic by the prices of ops.def, but for that of tensor instructions: see kOperationsPerInstruction.
    std::int64_t pricedWork = 0;
    std::vector<TensorWork> tensorWork = {}; // one for each instruction
    std::int64_t bytesRead = 0;
    std::int64_t bytesWritten = 0;
    std::int64_t registers = 0; // scalar values that one work item holds at the same time, before any tile or vector
    std::int64_t nanoseconds = 0;
    std::int64_t launches = 1; // that the other figures, but not the registers, are the sum of

    [[nodiscard]] std::int64_t bytes() const { return bytesRead + bytesWritten; }
    // Operations per byte of traffic; 0 where there is no traffic.
    [[nodiscard]] double intensity() const;
};

[[nodiscard]] std::int64_t kernelNanoseconds(const KernelEstimate &estimate, const RooflineFigures &figures);
// How that was computed: "launch 1000 ns + the longer of bytes / 10 GB/s and priced work / 50 GFLOP/s"
[[nodiscard]] std::string formulaText(const KernelEstimate &estimate, const RooflineFigures &figures);
[[nodiscard]] std::int64_t transferNanoseconds(std::int64_t bytes, const RooflineFigures &figures);

} // namespace sw
