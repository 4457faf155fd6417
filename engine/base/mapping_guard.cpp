#include "engine/base/mapping_guard.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <sys/mman.h>
#include <unistd.h>

namespace sw {

namespace {

// A signal handler finds nothing but what stands at a fixed place, and may not wait for a lock.
struct GuardedRange {
    std::atomic<std::uintptr_t> begin = 0; // 0: the place is free
    std::atomic<std::uintptr_t> end = 0;
};
constexpr std::size_t kMostRanges = 16'384;
std::array<GuardedRange, kMostRanges> ranges;
std::atomic<std::size_t> everUsed = 0; // of the first places: the others were always free
struct sigaction previous;

bool isGuarded(std::uintptr_t address)
{
    for (const GuardedRange &range : ranges)
        if (const std::uintptr_t begin = range.begin; begin != 0 && begin <= address && address < range.end)
            return true;
    return false;
}

// Puts a page of zeros where the fault was. A fault that is not ours is the previous handler's: the instruction is repeated.
void onBusError(int signal, siginfo_t *facts, void *)
{
    const auto address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
    if (facts->si_code == BUS_ADRERR && isGuarded(address)) {
        const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
        void *const start = reinterpret_cast<void *>(address / page * page);
        if (::mmap(start, page, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != MAP_FAILED)
            return;
    }
    // A handler that was installed later passes a fault on like this (LLVM's does), and the instruction is repeated.
    const bool isSent = facts->si_code <= 0;
    if (isSent && facts->si_pid == ::getpid())
        return;
    ::sigaction(SIGBUS, &previous, nullptr);
    if (isSent) // nothing repeats it
        ::raise(signal);
}

bool install()
{
    struct sigaction action{};
    action.sa_sigaction = onBusError;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &previous) == 0;
}

} // namespace

bool guardMapping(std::span<const std::byte> bytes)
{
    static const bool isInstalled = install();
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (std::size_t place = 0; place < ranges.size(); ++place) {
        GuardedRange &range = ranges[place];
        std::uintptr_t free = 0;
        if (!range.begin.compare_exchange_strong(free, begin))
            continue;
        range.end = begin + bytes.size();
        std::size_t used = everUsed;
        while (used <= place && !everUsed.compare_exchange_weak(used, place + 1))
            continue;
        return isInstalled;
    }
    return false;
}

bool areGuarded(std::span<const std::byte> bytes)
{
    const auto first = reinterpret_cast<std::uintptr_t>(bytes.data());
    return std::ranges::any_of(std::span(ranges).first(everUsed), [&](const GuardedRange &range) {
        const std::uintptr_t begin = range.begin;
        return begin != 0 && begin <= first && first + bytes.size() <= range.end;
    });
}

void unguardMapping(std::span<const std::byte> bytes)
{
    const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
    for (GuardedRange &range : ranges) {
        if (range.begin != begin)
            continue;
        range.end = 0;
        range.begin = 0;
        return;
    }
}

} // namespace sw
