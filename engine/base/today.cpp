#include "engine/base/today.h"

#include "engine/base/text.h"

#include <chrono>
#include <ctime>

namespace sw {

std::string today()
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm day{};
    gmtime_r(&now, &day);
    return format("{:04}-{:02}-{:02}", day.tm_year + 1900, day.tm_mon + 1, day.tm_mday);
}

} // namespace sw
