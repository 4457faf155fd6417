#pragma once
// Quantities as people read them: three significant digits, a prefix and a unit.

#include <cstdint>
#include <string>
#include <string_view>

namespace sw {

[[nodiscard]] std::string nanosecondsText(std::int64_t nanoseconds);             // "850 ns", "12.3 µs", "1.20 s"
[[nodiscard]] std::string bytesText(std::int64_t bytes);                         // "384 B", "12.5 KiB"
[[nodiscard]] std::string amountText(std::int64_t count, std::string_view unit); // "12 flop", "1.20 Mflop"
[[nodiscard]] std::string rateText(double perSecond, std::string_view unit);     // "12.3 GB/s"

} // namespace sw
