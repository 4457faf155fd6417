#pragma once
// How fast the processor's clock runs, measured, beside what the system says about it.

#include <string>
#include <string_view>

namespace sw {

// In cycles per nanosecond. 0: not known.
struct ClockReading {
    double gigahertz = 0; // the middle of several readings
    double low = 0;       // the lowest of them
    double high = 0;
    double stated = 0; // by /proc/cpuinfo, of the first processor: on a virtual machine often what the host calls the clock
};

// Measures, which takes about ten milliseconds: additions, each of which waits for the one before and takes one cycle.
[[nodiscard]] ClockReading readClock();
// In the text of /proc/cpuinfo.
[[nodiscard]] double statedGigahertz(std::string_view cpuinfo);
// "3.10 GHz (3.08 ... 3.11), measured by dependent additions; the system says 2.60 GHz"
[[nodiscard]] std::string toText(const ClockReading &clock);

} // namespace sw
