#pragma once
// Measured quantities in readable form.

#include <QString>

#include <cstdint>

namespace stepwell::ui {

[[nodiscard]] QString timeText(std::int64_t nanoseconds);                  // "850 ns", "12.3 µs", "4.56 ms", "1.20 s"
[[nodiscard]] QString rateText(double perSecond, const QString &unit);     // "12.3 G" + unit
[[nodiscard]] QString countText(std::int64_t count);                       // "1.05 M"
[[nodiscard]] QString amountText(std::int64_t count, const QString &unit); // "134 MB", "999 B"
[[nodiscard]] QString bytesText(std::int64_t bytes);                       // "384 B", "12.5 KiB"
[[nodiscard]] QString numberText(double value); // whole numbers in full, others with six significant digits
// A number's text in at most this many characters: the mantissa loses digits, the exponent stays. Other text is cut.
[[nodiscard]] QString shortNumber(const QString &text, qsizetype mostCharacters);

} // namespace stepwell::ui
