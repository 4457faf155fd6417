#pragma once
// What a kernel executes: counted from its instructions as the passes left them, not from what the program says.

#include "engine/lowered/lowered.h"

#include <optional>
#include <vector>

namespace sw {

struct KernelWork {
    // Floating-point arithmetic, per lane: an operation whose result is a float is one, a fused multiply-add two. Comparisons,
    // choices and conversions do not count. Instructions in an `if` count for the part of the rounds and of the work items for
    // which its condition holds, where it compares what they count; else as done, unless it denies the condition of another one.
    std::int64_t flops = 0;
    // Bytes touched in each buffer, once: as many elements as are loaded or stored, but never more than the buffer has.
    std::int64_t bytesRead = 0;
    std::int64_t bytesWritten = 0;

    [[nodiscard]] std::int64_t bytes() const { return bytesRead + bytesWritten; }
};

// For all work items of a run with these dimensions, or else with the largest ones. Empty when the rounds of a loop are not known
// before it runs.
[[nodiscard]] std::optional<KernelWork> workOf(const LoweredKernel &kernel, const SymbolicBindings &dimensions = {});

// The same of all launches of a run, where it is known, else the schedule's estimate. lowered: null until there is one.
[[nodiscard]] KernelWork executedWork(const ScheduledKernel &kernel, const LoweredProgram *lowered, std::size_t index,
                                      const SymbolicBindings &dimensions = {});

// That of every kernel of the schedule, by KernelId. Kernels that share a body are counted once.
[[nodiscard]] std::vector<KernelWork> executedWorks(const Schedule &schedule, const LoweredProgram *lowered,
                                                    const SymbolicBindings &dimensions = {});

} // namespace sw
