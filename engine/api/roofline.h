#pragma once
// The roofline of a program (Williams, Waterman and Patterson, 2009): what bounds each kernel, its memory traffic or its
// arithmetic, and how much of what is possible it reaches. Roofs are measured on this machine; bytes and operations are those
// that the compiler counted.

#include "engine/api/report.h"
#include "engine/execute/machine_roofs.h"
#include "engine/schedule/estimate.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sw {

enum class BoundBy : std::uint8_t { Memory, Compute, Neither, Unknown };
[[nodiscard]] std::string_view nameOf(BoundBy bound); // "memory", "compute", "neither", "unknown"

struct RooflinePoint {
    std::uint32_t kernel = 0; // its index in the report
    std::string name;
    std::int64_t flops = 0;
    std::int64_t bytes = 0;
    std::int64_t nanoseconds = 0; // the measured median; 0: it was not run
    std::int64_t estimatedNanoseconds = 0;
    double intensity = 0; // operations per byte; 0: no arithmetic, or no traffic
    double rate = 0;      // operations per nanosecond: GFLOP/s
    double share = 0;     // of the time of all kernels
    BoundBy bound = BoundBy::Unknown;
    std::string roof; // that would bound it: "L2 read"; empty: it neither computes nor moves anything
    double part = 0;  // of what that roof allows; 1: as fast as it can be
    std::string text; // "memory bound: 62 % of the measured L2 read rate"
    // By how much the estimate is off, as a part of the measured time: 0.5 is half again as long, -0.5 half of it.
    std::optional<double> estimateError;
};

// Known: what was measured before.
enum class RoofsWanted : std::uint8_t { Known, Measured, MeasuredAnew };

struct Roofline {
    // Of all threads, memory before arithmetic, the fastest of each level of memory; tensor instructions that some kernel has.
    std::vector<Roof> roofs;
    std::string measuredOn;
    std::vector<RooflinePoint> points; // by kernel
};

// A kernel's bytes are counted once each, so they may come from the nearest level that holds all of them; its roof is the fastest
// measured way to move bytes there. Its arithmetic is held against that of its tensor instruction, or else the fastest f32
// arithmetic. Of the two, the one that takes longer bounds it, unless it reaches less than a tenth of it.
[[nodiscard]] Roofline rooflineOf(std::span<const KernelEntry> kernels, const MachineRoofs &roofs);

// Of a device that is no processor of this machine: its memory and its arithmetic, as they were measured for estimates.
[[nodiscard]] MachineRoofs roofsOf(const DeviceFigures &figures);

} // namespace sw
