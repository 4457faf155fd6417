#include "engine/backend/cpu/crash_handler.h"

#include "engine/backend/cpu/launch_record.h"

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ucontext.h>

namespace sw {

namespace {

std::atomic<CrashNote *> note = nullptr; // a signal handler finds nothing else

bool isWrite([[maybe_unused]] void *context)
{
#if defined(__x86_64__)
    constexpr greg_t kWriteBit = 2; // of the page fault's error code
    return (static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_ERR] & kWriteBit) != 0;
#else
    return false;
#endif
}

// Where the kernel was, counted from its entry point.
void describeCode(CrashNote &into, [[maybe_unused]] void *context)
{
#if defined(__x86_64__)
    const LaunchRecord *launch = LaunchRecord::current();
    if (launch == nullptr || launch->entry() == nullptr)
        return;
    const auto at = static_cast<std::uintptr_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
    const auto entry = reinterpret_cast<std::uintptr_t>(launch->entry());
    into.hasCode = at >= entry && at - entry < kLargestKernel ? 1 : 0;
    into.code = at - entry;
#endif
}

// The argument that the address is in or next to.
void describeAddress(CrashNote &into, std::uintptr_t address)
{
    const LaunchRecord *launch = LaunchRecord::current();
    if (launch == nullptr)
        return;
    std::uint64_t nearest = kFarthestFromArgument;
    for (std::size_t i = 0; i < launch->arguments().size(); ++i) {
        const std::span<std::byte> bytes = launch->arguments()[i];
        const auto begin = reinterpret_cast<std::uintptr_t>(bytes.data());
        const std::uintptr_t end = begin + bytes.size();
        const std::uint64_t distance = address < begin ? begin - address : address >= end ? address - end + 1 : 0;
        if (distance >= nearest)
            continue;
        nearest = distance;
        into.argument = static_cast<std::int32_t>(i);
        into.bytes = bytes.size();
        into.offset = static_cast<std::int64_t>(address - begin);
    }
}

// Only what a signal handler may call. The handler is gone by now, so the instruction that is repeated ends the process.
void onSignal(int signal, siginfo_t *facts, void *context)
{
    CrashNote *const into = note;
    if (into != nullptr) {
        into->isInLaunch = LaunchRecord::current() != nullptr ? 1 : 0;
        into->argument = -1;
        describeCode(*into, context);
        if (signal == SIGSEGV || signal == SIGBUS) {
            into->hasAddress = 1;
            into->address = reinterpret_cast<std::uintptr_t>(facts->si_addr);
            into->isWrite = isWrite(context) ? 1 : 0;
            describeAddress(*into, into->address);
        }
        into->signal = signal;
    }
    if (facts->si_code <= 0) // somebody sent it: nothing repeats it
        raise(signal);
}

void install()
{
    struct sigaction action{};
    action.sa_sigaction = onSignal;
    action.sa_flags = static_cast<int>(SA_SIGINFO | SA_RESETHAND | SA_ONSTACK);
    sigemptyset(&action.sa_mask);
    for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL})
        sigaction(signal, &action, nullptr);
}

} // namespace

void describeCrashesIn(CrashNote &into)
{
    note = &into;
    install();
}

void renewCrashHandler()
{
    if (note.load() != nullptr)
        install();
}

} // namespace sw
