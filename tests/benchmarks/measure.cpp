#include "tests/benchmarks/measure.h"

#include "engine/base/text.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <thread>

namespace sw::benchmark {

namespace {

// The system wakes a thread on the core of the one that wakes it, and looks at what is where every few milliseconds: until then
// two threads that are awake share one core, as all peers on two threads show.
constexpr std::chrono::milliseconds kSpreadTime{20};
constexpr int kRunsPerTurn = 3;

void wakeUp(const Contender &contender, std::chrono::milliseconds pause)
{
    std::this_thread::sleep_for(pause);
    const auto awake = std::chrono::steady_clock::now() + kSpreadTime;
    do
        contender.run();
    while (std::chrono::steady_clock::now() < awake);
}

} // namespace

std::vector<Timing> measureInTurns(const std::vector<Contender> &contenders, int rounds, std::chrono::milliseconds pause)
{
    std::vector<std::vector<Nanoseconds>> samples(contenders.size());
    for (int round = -1; round < rounds; ++round)
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            if (pause.count() > 0)
                wakeUp(contenders[i], pause);
            for (int run = 0; run < (pause.count() > 0 ? kRunsPerTurn : 1); ++run)
                if (const Nanoseconds time = contenders[i].run(); round >= 0)
                    samples[i].push_back(time);
        }
    std::vector<Timing> timings;
    for (const std::vector<Nanoseconds> &times : samples)
        timings.push_back(timingOf(times));
    return timings;
}

Nanoseconds handoverTime()
{
    if (std::thread::hardware_concurrency() < 2)
        return Nanoseconds(0);
    constexpr int kBatches = 31; // of which the median counts: in the first ones both threads may share a core
    constexpr int kWords = 200;
    constexpr int kAll = kBatches * kWords;
    alignas(64) std::atomic<int> word{0};
    const auto waitFor = [&](int value) {
        while (word.load(std::memory_order_acquire) != value)
            continue;
    };
    std::thread other([&] {
        for (int i = 0; i < kAll; ++i) {
            waitFor(2 * i + 1);
            word.store(2 * i + 2, std::memory_order_release);
        }
    });
    std::vector<Nanoseconds> times;
    for (int i = 0; i < kAll;) {
        times.push_back(timeOf([&] {
                            for (const int end = i + kWords; i < end; ++i) {
                                word.store(2 * i + 1, std::memory_order_release);
                                waitFor(2 * i + 2);
                            }
                        }) /
                        kWords);
    }
    other.join();
    std::ranges::nth_element(times, times.begin() + kBatches / 2);
    return times[kBatches / 2];
}

Nanoseconds timeOf(const std::function<void()> &work)
{
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::steady_clock::now() - begin;
}

std::string millisecondsText(Nanoseconds time)
{
    return format("{:.3f} ms", static_cast<double>(time.count()) / 1e6);
}

void print(const std::string &text)
{
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
}

} // namespace sw::benchmark
