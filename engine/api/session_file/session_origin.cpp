#include "engine/api/session_file/session_origin.h"

#include "engine/base/sha256.h"
#include "engine/base/text.h"

#include <sys/utsname.h>

#include <chrono>
#include <ctime>
#include <thread>

namespace sw {

std::string machineText(const std::vector<DeviceEntry> &devices, const std::string &device)
{
    utsname system{};
    std::string text = format("{} processors", std::thread::hardware_concurrency());
    if (::uname(&system) == 0)
        text += format(", {} {} {}", system.sysname, system.release, system.machine);
    for (const DeviceEntry &entry : devices)
        if (entry.id == device)
            text += format(", {}: {}", entry.id, entry.description);
    return text;
}

std::string timeTextNow()
{
    const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
    std::tm parts{};
    ::gmtime_r(&now, &parts);
    return format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday, parts.tm_hour,
                  parts.tm_min, parts.tm_sec);
}

void keepProgram(SessionContents &contents, std::string program, std::uint64_t mostBytes)
{
    contents.programBytes = program.size();
    contents.programDigest = hexText(sha256Of(program));
    contents.program.reset();
    if (program.size() <= mostBytes)
        contents.program = std::move(program);
}

} // namespace sw
