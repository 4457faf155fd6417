#include "engine/execute/machine_roofs.h"

#include "engine/backend/cpu/cache_levels.h"
#include "engine/base/assert.h"
#include "engine/base/text.h"
#include "engine/base/today.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <thread>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kTrial{1500}; // what one thread does without looking at the clock
constexpr int kTrials = 12;
constexpr std::int64_t kLine = 1024;
constexpr std::int64_t kLeastMemory = std::int64_t{64} << 20; // beyond the caches
constexpr std::int64_t kMostMemory = std::int64_t{512} << 20;

struct Freed {
    void operator()(std::byte *memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<std::byte[], Freed>;

// Written once by the thread that uses it, so that it lies close to it.
Memory memoryOf(std::int64_t bytes)
{
    Memory memory(static_cast<std::byte *>(std::aligned_alloc(64, static_cast<std::size_t>(bytes))));
    if (memory)
        std::fill_n(memory.get(), bytes, std::byte{1});
    return memory;
}

// What one thread does: prepares, then does `rounds` rounds as often as it is called.
struct Task {
    std::function<bool()> prepare; // false: there is no memory
    std::function<void(std::int64_t rounds)> run;
    double perRound = 0; // bytes or operations
};

// The best of several trials, work per nanosecond of all threads together; 0: it was stopped, or a thread had no memory. Threads
// begin together, and a trial lasts until the last of them is done.
double rateOf(std::vector<Task> tasks, const std::stop_token &stop)
{
    std::vector<std::chrono::nanoseconds> took(tasks.size());
    std::atomic<bool> isReady = true;
    std::atomic<std::int64_t> rounds = 1;
    double best = 0;
    int trial = 0;
    const auto judge = [&]() noexcept {
        const auto longest = std::max(*std::ranges::max_element(took), std::chrono::nanoseconds(1));
        if (longest < kTrial / 2 && trial == 0) {
            rounds = rounds * 2; // too short to measure; the next trial is the first one again
            return;
        }
        double work = 0;
        for (const Task &task : tasks)
            work += task.perRound * static_cast<double>(rounds);
        best = std::max(best, work / static_cast<double>(longest.count()));
        ++trial;
    };
    std::barrier begin(static_cast<std::ptrdiff_t>(tasks.size()));
    std::barrier end(static_cast<std::ptrdiff_t>(tasks.size()), judge);
    const auto work = [&](std::size_t thread) {
        if (!tasks[thread].prepare())
            isReady = false;
        begin.arrive_and_wait();
        while (isReady && trial < kTrials) {
            begin.arrive_and_wait();
            const Clock::time_point start = Clock::now();
            tasks[thread].run(rounds);
            took[thread] = Clock::now() - start;
            if (stop.stop_requested())
                isReady = false;
            end.arrive_and_wait();
        }
    };
    std::vector<std::jthread> others;
    for (std::size_t thread = 1; thread < tasks.size(); ++thread)
        others.emplace_back(work, thread);
    work(0);
    others.clear();
    return isReady ? best : 0;
}

struct Level {
    std::string name;
    std::int64_t holds = 0;     // for all threads together; 0: main memory
    std::int64_t perThread = 0; // what each thread passes over
};

// Half of what a level holds, so that it stays there.
std::vector<Level> levelsFor(std::uint32_t threads, const std::vector<CacheLevel> &caches)
{
    std::vector<Level> levels;
    std::int64_t largest = 0;
    for (const CacheLevel &cache : caches) {
        const std::uint32_t sharers = std::min(cache.sharedBy, threads);
        const std::int64_t copies = (threads + sharers - 1) / sharers;
        const std::int64_t each = cache.bytes / sharers / 2 / kLine * kLine;
        if (each > 0)
            levels.push_back({cache.name, cache.bytes * copies, each});
        largest = std::max(largest, cache.bytes * copies);
    }
    const std::int64_t beyond = std::clamp(4 * largest, kLeastMemory, kMostMemory);
    levels.push_back({"memory", 0, beyond / threads / kLine * kLine});
    return levels;
}

double trafficRate(const Level &level, Traffic traffic, Passage passage, std::uint32_t threads, const std::stop_token &stop)
{
    std::vector<Memory> memories(threads);
    std::vector<Task> tasks;
    for (std::uint32_t thread = 0; thread < threads; ++thread) {
        Memory &memory = memories[thread];
        const auto size = static_cast<std::size_t>(level.perThread);
        tasks.push_back({[&memory, size] {
                             memory = memoryOf(static_cast<std::int64_t>(size));
                             return memory != nullptr;
                         },
                         [&memory, size, traffic, passage](std::int64_t rounds) {
                             for (std::int64_t i = 0; i < rounds; ++i)
                                 static_cast<void>(passOver({memory.get(), size}, traffic, passage));
                         },
                         static_cast<double>(level.perThread)});
    }
    return rateOf(std::move(tasks), stop);
}

double bestTrafficRate(const Level &level, Traffic traffic, std::uint32_t threads, const std::stop_token &stop)
{
    const double rate = trafficRate(level, traffic, Passage::EndToEnd, threads, stop);
    return level.holds > 0 ? rate : std::max(rate, trafficRate(level, traffic, Passage::BeyondCaches, threads, stop));
}

} // namespace

double loopRate(const ArithmeticLoop &loop, std::uint32_t threads, const std::stop_token &stop)
{
    constexpr std::int64_t kRounds = 100;
    const Task task{[] { return true; }, [&loop](std::int64_t rounds) { loop.run(kRounds * rounds); },
                    static_cast<double>(kRounds * loop.operationsPerRound)};
    return rateOf(std::vector<Task>(threads, task), stop);
}

std::string_view nameOf(RoofKind kind)
{
    switch (kind) {
    case RoofKind::Memory:
        return "memory";
    case RoofKind::Compute:
        return "compute";
    case RoofKind::Tensor:
        return "tensor";
    }
    SW_UNREACHABLE();
}

std::string processorName(std::string_view cpuinfo)
{
    constexpr std::string_view kKey = "model name";
    const std::size_t at = cpuinfo.find(kKey);
    const std::size_t colon = at == std::string_view::npos ? at : cpuinfo.find(": ", at);
    if (colon == std::string_view::npos)
        return "processor";
    return std::string(cpuinfo.substr(colon + 2, cpuinfo.find('\n', colon) - colon - 2));
}

std::string processorName()
{
    std::ifstream file("/proc/cpuinfo");
    return processorName(std::string{std::istreambuf_iterator<char>(file), {}});
}

Result<MachineRoofs> measureRoofs(std::uint32_t threads, const std::stop_token &stop)
{
    const std::vector<CacheLevel> caches = cacheLevels(kCacheFolder);
    std::vector<std::uint32_t> counts{1};
    if (threads > 1)
        counts.push_back(threads);
    MachineRoofs made;
    made.measuredOn = today();
    const auto add = [&](Roof roof) -> Result<Done> {
        if (stop.stop_requested())
            return Diagnostic::error(Code::Cancelled, {}, "measuring was stopped");
        if (roof.perNanosecond <= 0)
            return Diagnostic::error(Code::Limit, {}, "there is no memory to measure {} with", roof.name);
        made.roofs.push_back(std::move(roof));
        return Done{};
    };
    for (const std::uint32_t count : counts) {
        for (const Level &level : levelsFor(count, caches))
            for (const Traffic traffic : {Traffic::Read, Traffic::Write, Traffic::Copy})
                SW_CHECK(add({RoofKind::Memory, format("{} {}", level.name, nameOf(traffic)), count, level.holds,
                              bestTrafficRate(level, traffic, count, stop)}));
        for (const ArithmeticLoop &loop : arithmeticLoops())
            SW_CHECK(add({RoofKind::Compute, std::string(loop.name), count, 0, loopRate(loop, count, stop)}));
        for (const ArithmeticLoop &loop : tensorLoops())
            SW_CHECK(add({RoofKind::Tensor, std::string(loop.name), count, 0, loopRate(loop, count, stop)}));
    }
    return made;
}

} // namespace sw
