#include "engine/execute/clock.h"

#include "engine/base/text.h"
#include "engine/execute/machine_conditions.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <iterator>

namespace sw {

ClockReading readClock()
{
    std::array<double, 5> readings{};
    for (double &reading : readings)
        reading = measuredGigahertz();
    std::ranges::sort(readings);
    std::ifstream file("/proc/cpuinfo");
    return {readings[readings.size() / 2], readings.front(), readings.back(),
            statedGigahertz(std::string{std::istreambuf_iterator<char>(file), {}})};
}

double statedGigahertz(std::string_view cpuinfo)
{
    constexpr std::string_view kKey = "cpu MHz";
    const std::size_t at = cpuinfo.find(kKey);
    const std::size_t colon = at == std::string_view::npos ? at : cpuinfo.find(": ", at);
    if (colon == std::string_view::npos)
        return 0;
    double megahertz = 0;
    const auto [end, error] = std::from_chars(cpuinfo.data() + colon + 2, cpuinfo.data() + cpuinfo.size(), megahertz);
    return error == std::errc() && megahertz > 0 ? megahertz / 1000 : 0;
}

std::string toText(const ClockReading &clock)
{
    const std::string stated =
        clock.stated > 0 ? format("the system says {:.2f} GHz", clock.stated) : "the system does not say what it is";
    return format("{:.2f} GHz ({:.2f} ... {:.2f}), measured by dependent additions; {}", clock.gigahertz, clock.low, clock.high,
                  stated);
}

} // namespace sw
