#pragma once
// What a processor can do at most, measured on this machine: how fast each level of its memory moves bytes, and how fast each of
// its instruction sets computes in f32, and each of its tensor instructions in the types of its own, with one thread and with
// all. It takes about two seconds.

#include "engine/backend/backend.h"
#include "engine/base/result.h"
#include "engine/execute/roof_loops.h"

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

enum class RoofKind : std::uint8_t { Memory, Compute, Tensor };
[[nodiscard]] std::string_view nameOf(RoofKind kind); // "memory", "compute", "tensor"

struct Roof {
    RoofKind kind = RoofKind::Memory;
    std::string name; // "L2 read", "memory copy", "AVX2 FMA"; of a tensor instruction that of its table, "amx_bf16"
    std::uint32_t threads = 1;
    std::int64_t levelBytes = 0; // what the level holds for all the threads together; 0: main memory, and arithmetic
    double perNanosecond = 0;    // bytes that the program reads and writes, or operations: GB/s or GFLOP/s
    bool operator==(const Roof &) const = default;
};

struct MachineRoofs {
    std::vector<Roof> roofs; // those of one thread first; memory before arithmetic, the nearest level first
    std::string measuredOn;  // the date, "2026-11-22"
    bool operator==(const MachineRoofs &) const = default;
};

// "AMD EPYC 9B45", as a text like /proc/cpuinfo says; "processor" if it does not.
[[nodiscard]] std::string processorName(std::string_view cpuinfo);

[[nodiscard]] std::string processorName(); // of this machine

// The best of several trials, operations per nanosecond of all threads together; 0: it was stopped.
[[nodiscard]] double loopRate(const ArithmeticLoop &loop, std::uint32_t threads, const std::stop_token &stop);

// threads: those that "all" means.
[[nodiscard]] Result<MachineRoofs> measureRoofs(std::uint32_t threads, const std::stop_token &stop);

} // namespace sw
