#pragma once
// What disturbs times on this machine while they are measured: processors that its host gives to others, and clocks that change.

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sw {

// Of all processors since the machine started, in the ticks of /proc/stat.
struct ProcessorTicks {
    std::uint64_t all = 0;
    std::uint64_t stolen = 0; // wanted here, but given to other guests of the host
};
// The first line of /proc/stat. Nothing: it does not say.
[[nodiscard]] std::optional<ProcessorTicks> processorTicksIn(std::string_view stat);

struct MachineConditions {
    std::optional<ProcessorTicks> ticks;
    double gigahertz = 0; // 0: not measured
};

// Reads the ticks and measures the clock, which takes about a millisecond.
[[nodiscard]] MachineConditions machineConditions();
// The clock of the processor that calls: cycles of a chain of additions, each of which waits for the one before and takes one
// cycle, per nanosecond. The best of several short trials, so that an interruption does not count.
[[nodiscard]] double measuredGigahertz();

// Sentences about what changed or was missing between the two; none: nothing that matters.
[[nodiscard]] std::vector<std::string> conditionNotes(const MachineConditions &before, const MachineConditions &after);

} // namespace sw
