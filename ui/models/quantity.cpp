#include "ui/models/quantity.h"

#include "engine/api/quantity.h"

#include <algorithm>
#include <cmath>

namespace stepwell::ui {

QString timeText(std::int64_t nanoseconds)
{
    return QString::fromStdString(sw::nanosecondsText(nanoseconds));
}

QString rateText(double perSecond, const QString &unit)
{
    return QString::fromStdString(sw::rateText(perSecond, unit.toStdString()));
}

QString countText(std::int64_t count)
{
    return amountText(count, {}).trimmed();
}

QString amountText(std::int64_t count, const QString &unit)
{
    return QString::fromStdString(sw::amountText(count, unit.toStdString()));
}

QString bytesText(std::int64_t bytes)
{
    return QString::fromStdString(sw::bytesText(bytes));
}

QString numberText(double value)
{
    constexpr double kLargestWhole = 1e15; // below this, every whole number is exact in a double
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
