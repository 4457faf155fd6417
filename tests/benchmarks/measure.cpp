#include "tests/benchmarks/measure.h"

#include "engine/base/text.h"

#include <cstdio>
#include <thread>

namespace sw::benchmark {

std::vector<Timing> measureInTurns(const std::vector<Contender> &contenders, int rounds, std::chrono::milliseconds pause)
{
    std::vector<std::vector<Nanoseconds>> samples(contenders.size());
    for (int round = -1; round < rounds; ++round)
        for (std::size_t i = 0; i < contenders.size(); ++i) {
            if (pause.count() > 0) {
                std::this_thread::sleep_for(pause);
                contenders[i].run();
            }
            if (const Nanoseconds time = contenders[i].run(); round >= 0)
                samples[i].push_back(time);
        }
    std::vector<Timing> timings;
    for (const std::vector<Nanoseconds> &times : samples)
        timings.push_back(timingOf(times));
    return timings;
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
