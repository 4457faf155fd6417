#include "engine/backend/host/crash_note.h"

#include "engine/base/text.h"

#include <csignal>

namespace sw {

namespace {

constexpr std::uint64_t kFirstPage = 4096; // addresses that a null pointer leads to

std::string placeText(const CrashNote &note)
{
    if (note.address < kFirstPage)
        return "through a null pointer";
    if (note.argument < 0)
        return format("at the address {:#x}, far from its arguments", note.address);
    const std::string argument = format("argument {}, which has {} bytes", note.argument, note.bytes);
    const auto size = static_cast<std::int64_t>(note.bytes);
    if (note.offset < 0)
        return format("{} bytes before the beginning of {}", -note.offset, argument);
    if (note.offset >= size)
        return format("{} bytes behind the end of {}", note.offset - size, argument);
    return format("at byte {} of {}", note.offset, argument);
}

} // namespace

std::string toText(const CrashNote &note)
{
    if (note.isInLaunch == 0)
        return {};
    if (note.hasAddress != 0)
        return format("it {} {}", note.isWrite != 0 ? "wrote" : "read", placeText(note));
    if (note.signal == SIGFPE)
        return "it divided by zero, or its quotient does not fit";
    if (note.signal == SIGILL)
        return "it came to an instruction that is none, or that this processor does not have";
    return {};
}

} // namespace sw
