#include "engine/api/quantity.h"

#include "engine/base/text.h"

#include <array>
#include <cmath>
#include <span>

namespace sw {

namespace {

constexpr std::array<std::string_view, 5> kPrefixes{"", "k", "M", "G", "T"};
constexpr std::array<std::string_view, 5> kByteUnits{"B", "KiB", "MiB", "GiB", "TiB"};
constexpr std::array<std::string_view, 4> kTimeUnits{"ns", "µs", "ms", "s"};

// A value that rounds up to the next power of ten has one more digit before the point.
int decimalsOf(double value)
{
    return std::abs(value) >= 99.95 ? 0 : std::abs(value) >= 9.995 ? 1 : 2;
}

struct Scaled {
    double value = 0;
    std::string_view unit;
    bool isWhole = false; // counted in the smallest unit
};

// The first unit in which the value, as it is written, is below `step`.
Scaled scaled(double value, double step, std::span<const std::string_view> units)
{
    std::size_t unit = 0;
    const auto written = [&] { return unit == 0 ? value : std::round(value); };
    for (; std::abs(written()) >= step && unit + 1 < units.size(); ++unit)
        value /= step;
    return {value, units[unit], unit == 0};
}

std::string digitsOf(const Scaled &scaled)
{
    return scaled.isWhole ? format("{:.0f}", scaled.value) : format("{:.{}f}", scaled.value, decimalsOf(scaled.value));
}

} // namespace

std::string nanosecondsText(std::int64_t nanoseconds)
{
    const Scaled time = scaled(static_cast<double>(nanoseconds), 1000, kTimeUnits);
    return format("{} {}", digitsOf(time), time.unit);
}

std::string bytesText(std::int64_t bytes)
{
    const Scaled size = scaled(static_cast<double>(bytes), 1024, kByteUnits);
    return format("{} {}", digitsOf(size), size.unit);
}

std::string amountText(std::int64_t count, std::string_view unit)
{
    const Scaled amount = scaled(static_cast<double>(count), 1000, kPrefixes);
    return format("{} {}{}", digitsOf(amount), amount.unit, unit);
}

std::string rateText(double perSecond, std::string_view unit)
{
    Scaled rate = scaled(perSecond, 1000, kPrefixes);
    rate.isWhole = false;
    return format("{} {}{}", digitsOf(rate), rate.unit, unit);
}

} // namespace sw
