#include "engine/backend/hardware_counts.h"

#include <algorithm>

namespace sw {

std::span<const HardwareEventInfo> hardwareEvents()
{
    static constexpr std::array<HardwareEventInfo, kHardwareEvents> kEvents{{
        {HardwareEvent::Cycles, "cycles", "cycles", "clock cycles of the processor, of all threads together"},
        {HardwareEvent::Instructions, "instructions", "instructions", "machine instructions that were completed"},
        {HardwareEvent::L1Misses, "l1_misses", "L1 misses", "reads that the nearest data cache could not serve"},
        {HardwareEvent::LastLevelMisses, "llc_misses", "LLC misses", "accesses that no cache could serve: they went to memory"},
        {HardwareEvent::BranchMisses, "branch_misses", "branch misses", "jumps that the processor guessed wrongly"},
    }};
    return kEvents;
}

double HardwareCount::scaled() const
{
    return counted == 0 ? 0 : static_cast<double>(value) * (static_cast<double>(wanted) / static_cast<double>(counted));
}

double HardwareCount::part() const
{
    return wanted == 0 ? 0 : std::min(1.0, static_cast<double>(counted) / static_cast<double>(wanted));
}

bool HardwareCounts::isEmpty() const
{
    return std::ranges::none_of(events, &HardwareCount::isCounted);
}

HardwareCounts &HardwareCounts::operator+=(const HardwareCounts &more)
{
    for (std::size_t i = 0; i < events.size(); ++i) {
        events[i].value += more.events[i].value;
        events[i].wanted += more.events[i].wanted;
        events[i].counted += more.events[i].counted;
    }
    return *this;
}

HardwareCounts countsBetween(const HardwareCounts &before, const HardwareCounts &after)
{
    HardwareCounts between;
    for (std::size_t i = 0; i < between.events.size(); ++i)
        between.events[i] = {after.events[i].value - before.events[i].value, after.events[i].wanted - before.events[i].wanted,
                             after.events[i].counted - before.events[i].counted};
    return between;
}

} // namespace sw
