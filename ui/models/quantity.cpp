#include "ui/models/quantity.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace stepwell::ui {

namespace {

// Three significant digits.
QString threeDigits(double value)
{
    const int decimals = std::abs(value) >= 100 ? 0 : std::abs(value) >= 10 ? 1 : 2;
    return QString::number(value, 'f', decimals);
}

} // namespace

QString timeText(std::int64_t nanoseconds)
{
    struct Unit {
        double size;
        const char16_t *name;
    };
    static constexpr std::array<Unit, 3> kUnits{{{1e9, u" s"}, {1e6, u" ms"}, {1e3, u" \u00b5s"}}};
    for (const Unit &unit : kUnits) {
        if (static_cast<double>(nanoseconds) >= unit.size)
            return threeDigits(static_cast<double>(nanoseconds) / unit.size) + QString::fromUtf16(unit.name);
    }
    return QStringLiteral("%1 ns").arg(nanoseconds);
}

QString rateText(double perSecond, const QString &unit)
{
    static constexpr std::array<const char *, 5> kPrefixes{"", "k", "M", "G", "T"};
    std::size_t prefix = 0;
    while (perSecond >= 1000 && prefix + 1 < kPrefixes.size()) {
        perSecond /= 1000;
        ++prefix;
    }
    return threeDigits(perSecond) + u' ' + QLatin1String(kPrefixes[prefix]) + unit;
}

QString countText(std::int64_t count)
{
    return count < 1000 ? QString::number(count) : rateText(static_cast<double>(count), {}).trimmed();
}

QString amountText(std::int64_t count, const QString &unit)
{
    return count < 1000 ? QStringLiteral("%1 %2").arg(QString::number(count), unit) : rateText(static_cast<double>(count), unit);
}

QString bytesText(std::int64_t bytes)
{
    static constexpr std::array<const char *, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    for (; amount >= 1024 && unit + 1 < kUnits.size(); ++unit)
        amount /= 1024;
    return (unit == 0 ? QString::number(bytes) : threeDigits(amount)) + u' ' + QLatin1String(kUnits[unit]);
}

QString numberText(double value)
{
    constexpr double kLargestWhole = 1e15; // below, every whole number is a double
    if (value == std::trunc(value) && std::abs(value) < kLargestWhole)
        return QString::number(value, 'f', 0);
    return QString::number(value, 'g', 6);
}

QString shortNumber(const QString &text, qsizetype mostCharacters)
{
    if (text.size() <= mostCharacters)
        return text;
    bool isNumber = false;
    const double value = text.toDouble(&isNumber);
    for (int digits = 16; isNumber && digits > 0; --digits) {
        const QString shorter = QString::number(value, 'g', digits);
        if (shorter.size() <= mostCharacters)
            return shorter;
    }
    return text.left(std::max<qsizetype>(0, mostCharacters - 1)) + u'\u2026';
}

} // namespace stepwell::ui
