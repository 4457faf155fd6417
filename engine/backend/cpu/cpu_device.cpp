#include "engine/backend/cpu/cpu_device.h"

#include "engine/backend/cpu/cache_levels.h"
#include "engine/base/checked_size.h"

#include <algorithm>
#include <fstream>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <thread>

namespace sw {

namespace {

std::string modelName()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (const std::size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    return "this machine's processor";
}

// The cores that this process may use, which can be fewer than the machine has.
std::uint32_t usableCores()
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<std::uint32_t>(std::max(1, CPU_COUNT(&set)));
    return std::max(1U, std::thread::hardware_concurrency());
}

// Half of the smallest stack that a kernel may run on: that of the main thread, or of a thread created without a stack size. The
// other half is for vector values that do not fit into registers, and for the callers of the kernel.
std::uint32_t scratchOnStack()
{
    constexpr std::int64_t kMost = std::int64_t{4} << 20;
    std::int64_t stack = 2 * kMost;
    rlimit limit{};
    if (getrlimit(RLIMIT_STACK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        stack = std::min(stack, CheckedSize(limit.rlim_cur).saturated());
    pthread_attr_t attributes;
    if (pthread_getattr_default_np(&attributes) == 0) {
        std::size_t size = 0;
        if (pthread_attr_getstacksize(&attributes, &size) == 0)
            stack = std::min(stack, CheckedSize(size).saturated());
        pthread_attr_destroy(&attributes);
    }
    return static_cast<std::uint32_t>(stack / 2);
}

void readVectorUnit(DeviceInfo &device)
{
    device.vectorBytes = 16;
    device.vectorRegisters = 16;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq")) {
        device.vectorBytes = 64;
        device.vectorRegisters = 32;
    } else if (__builtin_cpu_supports("avx2")) {
        device.vectorBytes = 32;
    }
#elif defined(__aarch64__)
    device.vectorRegisters = 32;
#endif
}

} // namespace

DeviceInfo cpuDevice(std::string_view backend, std::string_view compilerName)
{
    DeviceInfo device;
    device.id = backend;
    device.backend = backend;
    device.kind = DeviceKind::Cpu;
    device.threads = usableCores();
    device.maxWorkgroup = 1;
    device.scratchBytes = scratchOnStack();
    takeCaches(device, cacheLevels(kCacheFolder));
    readVectorUnit(device);
    device.driver = compilerName;
    device.description =
        format("{} on {}, {} threads, {}-byte vectors", compilerName, modelName(), device.threads, device.vectorBytes);
    return device;
}

std::uint32_t threadsFor(const DeviceInfo &device, const DeviceOptions &options)
{
    return options.threads == 0 ? device.threads : options.threads;
}

} // namespace sw
