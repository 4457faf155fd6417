#pragma once
// How the time of a program grows with a dimension or with the number of threads, and where the compiler decides otherwise on the
// way. The command compiles and runs the program at each value; what is here is the rest.

#include "engine/api/compilation.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

struct SweepRange {
    std::string name; // "n", "threads"
    std::int64_t low = 1;
    std::int64_t high = 1;
    std::int64_t steps = 0; // how many values; 0: chosen
};
// "n=1..4096", "n=1..4096:9", "n=8"; errors say what was expected. Values are at least 1.
[[nodiscard]] Result<SweepRange> sweepRangeIn(std::string_view text);
// Increasing, with both ends. With steps: so many, each about the same factor larger than the one before, fewer if they would
// coincide. Without: all, if there are no more than 16, else the powers of two between the ends.
[[nodiscard]] std::vector<std::int64_t> sweepValues(const SweepRange &range);

// The program with this dimension fixed, "n: dim[1, 64] = 8" as "n: dim[24, 24] = 24"; lines keep their numbers. An error when no
// line of the text declares it.
[[nodiscard]] Result<std::string> withFixedDimension(std::string_view program, const std::string &name, std::int64_t value);

// What the compiler decided: its kernels, and the transformations of their loops.
struct KernelDecisions {
    std::string kernel;
    std::vector<std::string> transforms;
    bool operator==(const KernelDecisions &) const = default;
};
[[nodiscard]] std::vector<KernelDecisions> decisionsOf(const Compilation &compilation);
// "kernels 1 -> 2: + k1_sum", "k0_softmax: - split i0 8, + split i0 16"; empty: the same decisions.
[[nodiscard]] std::vector<std::string> changedDecisions(const std::vector<KernelDecisions> &before,
                                                        const std::vector<KernelDecisions> &after);

struct SweepPoint {
    std::int64_t value = 0;
    Timing time;
    std::int64_t flops = 0;
    std::size_t kernels = 0;
    std::vector<std::string> changes = {}; // since the point before

    [[nodiscard]] double flopsPerNanosecond() const;
};

struct Sweep {
    std::string name;  // what is swept
    std::string title; // "softmax.sw on llvm"
    std::vector<SweepPoint> points;
    std::vector<std::string> notes = {}; // values without a point, and why
};
// "n,median_ns,low_ns,high_ns,runs,flops,gflop_per_s,kernels,changes", as RFC 4180 quotes it.
[[nodiscard]] std::string csvOf(const Sweep &sweep);
// Time and GFLOP/s over the values, all logarithmic; dashed lines with numbers where decisions change, and below what changes.
[[nodiscard]] std::string svgOf(const Sweep &sweep);

} // namespace sw
