#include "engine/backend/cpu/perf_counters.h"

#include "engine/base/descriptor.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace sw {

namespace {

struct EventCode {
    std::uint32_t type = 0;
    std::uint64_t config = 0;
};

EventCode codeOf(HardwareEvent event)
{
    switch (event) {
    case HardwareEvent::Cycles:
        return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES};
    case HardwareEvent::Instructions:
        return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS};
    case HardwareEvent::L1Misses:
        return {PERF_TYPE_HW_CACHE,
                PERF_COUNT_HW_CACHE_L1D | (PERF_COUNT_HW_CACHE_OP_READ << 8U) | (PERF_COUNT_HW_CACHE_RESULT_MISS << 16U)};
    case HardwareEvent::LastLevelMisses:
        return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES};
    case HardwareEvent::BranchMisses:
        return {PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES};
    }
    SW_UNREACHABLE();
}

// Each event stands for itself, so that the kernel may take turns and one that the processor lacks costs the others nothing.
Descriptor openEvent(HardwareEvent event)
{
    const EventCode code = codeOf(event);
    perf_event_attr wanted{};
    wanted.size = sizeof wanted;
    wanted.type = code.type;
    wanted.config = code.config;
    wanted.exclude_kernel = 1;
    wanted.exclude_hv = 1;
    wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    constexpr int kThisThread = 0;
    constexpr int kAnyProcessor = -1;
    constexpr int kNoGroup = -1;
    return Descriptor(
        static_cast<int>(::syscall(SYS_perf_event_open, &wanted, kThisThread, kAnyProcessor, kNoGroup, PERF_FLAG_FD_CLOEXEC)));
}

class PerfCounters final : public ThreadCounters {
public:
    explicit PerfCounters(std::array<Descriptor, kHardwareEvents> events) : m_events(std::move(events)) {}

    HardwareCounts read() override
    {
        HardwareCounts counts;
        for (std::size_t i = 0; i < m_events.size(); ++i) {
            std::array<std::uint64_t, 3> value{};
            if (m_events[i].get() >= 0 && ::read(m_events[i].get(), value.data(), sizeof value) == sizeof value)
                counts.events[i] = {value[0], value[1], value[2]};
        }
        return counts;
    }

private:
    std::array<Descriptor, kHardwareEvents> m_events; // invalid: the processor does not count it
};

std::optional<int> paranoidLevel()
{
    std::ifstream file("/proc/sys/kernel/perf_event_paranoid");
    int level = 0;
    return file >> level ? std::optional(level) : std::nullopt;
}

bool isVirtualMachine()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("flags"))
            return line.find(" hypervisor") != std::string::npos;
    return false;
}

class PerfSource final : public CounterSource {
public:
    Result<std::unique_ptr<ThreadCounters>> open() override
    {
        std::array<Descriptor, kHardwareEvents> events;
        bool isAny = false;
        int error = 0;
        for (const HardwareEventInfo &info : hardwareEvents()) {
            Descriptor &own = events[static_cast<std::size_t>(info.event)];
            own = openEvent(info.event);
            if (own.get() < 0 && error == 0)
                error = errno;
            isAny |= own.get() >= 0;
        }
        if (!isAny) {
            std::error_code ignored;
            const bool hasUnit = std::filesystem::exists("/sys/bus/event_source/devices/cpu", ignored) ||
                                 std::filesystem::exists("/sys/bus/event_source/devices/cpu_core", ignored);
            return Diagnostic::error(Code::DeviceUnavailable, {}, "{}",
                                     whyNoCounters({error, paranoidLevel(), hasUnit, isVirtualMachine()}));
        }
        return std::unique_ptr<ThreadCounters>(std::make_unique<PerfCounters>(std::move(events)));
    }
};

} // namespace

std::shared_ptr<CounterSource> machineCounters()
{
    return std::make_shared<PerfSource>();
}

std::string whyNoCounters(const CounterRefusal &refusal)
{
    constexpr int kMostForUsers = 2;
    if (refusal.error == ENOSYS || !refusal.paranoid)
        return "this kernel has no hardware counters (perf_event_open)";
    if (refusal.error == EACCES || refusal.error == EPERM) {
        if (*refusal.paranoid > kMostForUsers)
            return format("the kernel lets only privileged programs count: kernel.perf_event_paranoid is {}, and {} or less is "
                          "needed (sudo sysctl kernel.perf_event_paranoid={})",
                          *refusal.paranoid, kMostForUsers, kMostForUsers);
        return format("something forbids to count although kernel.perf_event_paranoid is {}: a container often does, by a filter "
                      "of system calls",
                      *refusal.paranoid);
    }
    if (!refusal.hasUnit || refusal.error == ENOENT || refusal.error == EOPNOTSUPP)
        return refusal.isVirtual ? "this is a virtual machine, and its host does not pass the processor's counters on to it"
                                 : "the kernel knows no counters of this processor";
    return format("the kernel opens no counters: {}", std::strerror(refusal.error));
}

} // namespace sw
