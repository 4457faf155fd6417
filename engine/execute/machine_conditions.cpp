#include "engine/execute/machine_conditions.h"

#include "engine/base/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <string>

namespace sw {

namespace {

using Clock = std::chrono::steady_clock;

constexpr double kMuchStolen = 0.01; // of all processor time
constexpr double kMuchClock = 0.05;  // as a part of the clock before

// Each addition needs the result of the one before. It adds a register: processors add small constants to a register before
// anything is executed, several in one cycle (Intel from Golden Cove on).
std::uint64_t chainOfAdditions(std::uint64_t rounds)
{
    std::uint64_t sum = rounds;
    for (std::uint64_t i = 0; i < rounds; ++i) {
#if defined(__x86_64__) || defined(__i386__)
        asm volatile("add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\t"
                     "add %1, %0\n\tadd %1, %0\n\tadd %1, %0\n\tadd %1, %0"
                     : "+r"(sum)
                     : "r"(i)
                     : "cc");
#else
        for (int j = 0; j < 8; ++j) {
            sum += i;
            asm volatile("" : "+r"(sum));
        }
#endif
    }
    return sum;
}

} // namespace

std::optional<ProcessorTicks> processorTicksIn(std::string_view stat)
{
    // cpu user nice system idle iowait irq softirq steal guest guest_nice: guests are in user and nice already.
    constexpr std::string_view kName = "cpu ";
    constexpr std::size_t kCounted = 8;
    if (!stat.starts_with(kName))
        return std::nullopt;
    const std::string_view line = stat.substr(kName.size(), stat.find('\n') - kName.size());
    ProcessorTicks ticks;
    const char *at = line.data();
    const char *const end = line.data() + line.size();
    for (std::size_t i = 0; i < kCounted; ++i) {
        while (at != end && *at == ' ')
            ++at;
        const auto [next, error] = std::from_chars(at, end, ticks.stolen);
        if (error != std::errc())
            return std::nullopt;
        ticks.all += ticks.stolen;
        at = next;
    }
    return ticks;
}

double measuredGigahertz()
{
    constexpr std::uint64_t kRounds = 6000; // 48,000 cycles: longer than the clock's resolution, shorter than a time slice
    constexpr int kTrials = 24;
    double best = 0;
    for (int trial = 0; trial < kTrials; ++trial) {
        const Clock::time_point begin = Clock::now();
        static_cast<void>(chainOfAdditions(kRounds));
        const std::chrono::duration<double, std::nano> took = Clock::now() - begin;
        if (took.count() > 0)
            best = std::max(best, 8 * static_cast<double>(kRounds) / took.count());
    }
    return best;
}

MachineConditions machineConditions()
{
    std::ifstream file("/proc/stat");
    std::string line;
    MachineConditions conditions;
    if (std::getline(file, line))
        conditions.ticks = processorTicksIn(line);
    conditions.gigahertz = measuredGigahertz();
    return conditions;
}

std::vector<std::string> conditionNotes(const MachineConditions &before, const MachineConditions &after)
{
    std::vector<std::string> notes;
    if (before.ticks && after.ticks && after.ticks->all > before.ticks->all) {
        const auto all = static_cast<double>(after.ticks->all - before.ticks->all);
        const double stolen = static_cast<double>(after.ticks->stolen - before.ticks->stolen) / all;
        if (stolen >= kMuchStolen)
            notes.push_back(format("{:.0f} % of the processors' time went to other guests of this machine's host", 100 * stolen));
    }
    if (before.gigahertz > 0 && std::abs(after.gigahertz / before.gigahertz - 1) >= kMuchClock)
        notes.push_back(format("the processor's clock changed from {:.2f} to {:.2f} GHz", before.gigahertz, after.gigahertz));
    return notes;
}

} // namespace sw
