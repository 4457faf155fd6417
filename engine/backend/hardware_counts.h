#pragma once
// Hardware counters of a processor: what is counted, where the counts come from, and what was counted.

#include "engine/base/result.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sw {

enum class HardwareEvent : std::uint8_t { Cycles, Instructions, L1Misses, LastLevelMisses, BranchMisses };
inline constexpr std::size_t kHardwareEvents = 5;

struct HardwareEventInfo {
    HardwareEvent event = HardwareEvent::Cycles;
    std::string_view id;    // "l1_misses"
    std::string_view title; // "L1 misses"
    std::string_view doc;
};
[[nodiscard]] std::span<const HardwareEventInfo> hardwareEvents(); // one per event, in their order

// A processor counts fewer events at a time than one may ask for, and then takes turns. Times in nanoseconds.
struct HardwareCount {
    std::uint64_t value = 0;
    std::uint64_t wanted = 0;  // how long it was to be counted
    std::uint64_t counted = 0; // how long it was counted

    [[nodiscard]] bool isCounted() const { return counted > 0; }
    // As if it had been counted all the time, which assumes that it happened at the same rate meanwhile.
    [[nodiscard]] double scaled() const;
    // The part of the time that it was counted, 0 to 1.
    [[nodiscard]] double part() const;
};

// Readings of counters that run, or the difference of two of them.
struct HardwareCounts {
    std::array<HardwareCount, kHardwareEvents> events = {};

    [[nodiscard]] const HardwareCount &of(HardwareEvent event) const { return events[static_cast<std::size_t>(event)]; }
    [[nodiscard]] bool isEmpty() const; // nothing was counted
    HardwareCounts &operator+=(const HardwareCounts &more);
};
[[nodiscard]] HardwareCounts countsBetween(const HardwareCounts &before, const HardwareCounts &after);

// The running counters of one thread.
class ThreadCounters {
public:
    virtual ~ThreadCounters() = default;
    [[nodiscard]] virtual HardwareCounts read() = 0;
};

class CounterSource {
public:
    virtual ~CounterSource() = default;
    // Counters of the calling thread. Errors: why this machine or its kernel lets nobody count.
    [[nodiscard]] virtual Result<std::unique_ptr<ThreadCounters>> open() = 0;
};

} // namespace sw
