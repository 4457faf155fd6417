#pragma once
// What a host says of the signal that ended it, in memory that it shares with the process that started it.

#include <cstdint>
#include <string>

namespace sw {

// Further away, an address has nothing to do with an argument.
inline constexpr std::uint64_t kFarthestFromArgument = std::uint64_t{1} << 24;

inline constexpr std::uint64_t kLargestKernel = std::uint64_t{1} << 24; // bytes of machine code

// Plain numbers, because a signal handler writes them. All are 0 in a host that lives.
struct CrashNote {
    std::int32_t signal = 0;
    std::uint32_t isInLaunch = 0; // a kernel was running
    std::uint32_t hasAddress = 0; // of a load or store that was not allowed
    std::uint32_t isWrite = 0;
    std::uint64_t address = 0;
    std::int32_t argument = 0; // of the kernel, whose buffer the address is next to; -1: none
    std::uint64_t bytes = 0;   // of that buffer
    std::int64_t offset = 0;   // of the address from the buffer's beginning
    std::uint32_t hasCode = 0; // where the kernel's machine code was is known:
    std::uint64_t code = 0;    // counted from its entry point
};

// "it wrote 4 bytes behind the end of argument 1, which has 64 bytes"; empty: there is nothing to say.
[[nodiscard]] std::string toText(const CrashNote &note);

} // namespace sw
