#include "engine/api/measured_cycles.h"

#include "engine/api/cycles_text.h"
#include "engine/api/device_figures.h"
#include "engine/api/machine_analysis.h"
#include "engine/backend/backend.h"
#include "engine/backend/cpu/cache_levels.h"
#include "engine/base/text.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kSame = 1.15; // a ratio up to here is no difference: the first rounds and the ends of a kernel cost something
constexpr double kMuchLaunch = 0.2; // of a kernel's time

// The simulated cycles of one work item, and the loop that takes most of them.
struct Simulated {
    double cycles = 0;
    const LoopAnalysis *hottest = nullptr; // null: the kernel has no loop
    std::string problem = {};
};

Simulated simulatedOf(const MachineAnalysis &analysis, const LoweredKernel &kernel)
{
    const auto isOpen = [](const Instruction &instruction) { return instruction.kind == InstructionKind::DefineVar; };
    if (std::ranges::any_of(kernel.instructions, isOpen))
        return {.problem = "how often it runs depends on a dimension that is open when it is compiled"};
    if (analysis.loops.empty()) {
        if (!analysis.whole)
            return {.problem = "its processor has no model to simulate it by"};
        return {.cycles = analysis.whole->cycles, .problem = analysis.whole->problem};
    }
    Simulated made;
    for (const LoopAnalysis &loop : analysis.loops) {
        if (loop.rounds == 0)
            return {.problem = format("how often loop {} runs is not known before it runs", loop.name)};
        if (loop.loop.isInnermost && !loop.throughput)
            return {.problem = format("loop {} was not simulated: its processor has no model", loop.name)};
        if (loop.loop.isInnermost && !loop.throughput->problem.empty())
            return {.problem = format("loop {} was not simulated: {}", loop.name, loop.throughput->problem)};
        made.cycles += loop.cycles;
    }
    made.hottest = &analysis.loops[analysis.byHeat.front()];
    return made;
}

std::string sizeText(std::int64_t bytes)
{
    return bytes < 10 << 10 ? format("{} bytes", bytes) : format("{} KiB", bytes >> 10);
}

// Why it takes longer than simulated, as far as that is known.
std::string reasonOfSlow(const KernelEntry &entry, const CyclesContext &context)
{
    const auto time = static_cast<double>(*entry.medianNanoseconds);
    if (context.launchNanoseconds && *context.launchNanoseconds >= kMuchLaunch * time)
        return format("it is short: a launch that does next to nothing takes {:.2f} us here, and the kernel {:.2f} us",
                      *context.launchNanoseconds / 1000, time / 1000);
    if (context.roofs) {
        const Roofline roofline = rooflineOf(std::span(&entry, 1), *context.roofs);
        const RooflinePoint &point = roofline.points.front();
        if (point.bound == BoundBy::Memory)
            return format("the simulation takes every access to be in the nearest cache, and the kernel is {}", point.text);
    } else if (context.nearestCacheBytes > 0 && entry.bytes > context.nearestCacheBytes) {
        return format("its {} do not fit in the nearest cache ({}), which the simulation takes for granted; measure the roofline "
                      "to see how fast memory is",
                      sizeText(entry.bytes), sizeText(context.nearestCacheBytes));
    }
    return "neither memory nor launching explains it: threads that wait for each other, jumps that were foreseen wrongly, or a "
           "processor that differs from its model";
}

// simulated: of the loop; null: of the kernel as a whole.
std::string reasonOfFast(const Throughput *simulated, const MachineCode &code)
{
    const std::string model = simulated == nullptr ? "" : format(" (its {})", limitText(*simulated, code));
    return format("faster than simulated: the processor does more per cycle than its model{}, or the compiler runs fewer rounds "
                  "than the lowered loop has",
                  model);
}

} // namespace

std::string cyclesText(double cycles)
{
    constexpr double kMany = 100;
    return format("{:.{}f}", cycles, cycles < kMany ? 2 : 0);
}

CyclesContext cyclesContext(const DeviceInfo &device, std::uint32_t threads, const FiguresStore *store,
                            const std::stop_token &stop)
{
    CyclesContext context;
    context.clock = readClock();
    context.threads = std::max(threads == 0 ? device.threads : threads, 1U);
    if (const DeviceFigures figures = figuresOf(device, store); !figures.measuredOn.empty())
        context.launchNanoseconds = figures.rates.launchNanoseconds;
    if (const Result<MachineRoofs> roofs = machineRoofs(store, context.threads, RoofsWanted::Known, stop))
        context.roofs = *roofs;
    if (const std::vector<CacheLevel> caches = cacheLevels(kCacheFolder); !caches.empty())
        context.nearestCacheBytes = caches.front().bytes;
    return context;
}

CyclesOfKernel cyclesOf(const KernelEntry &entry, const MachineCode &code, const RenderedSource &source,
                        const LoweredKernel &kernel, const CyclesContext &context)
{
    CyclesOfKernel made;
    made.name = entry.name;
    const MachineAnalysis analysis = analysed(code, source, kernel);
    const Simulated simulated = simulatedOf(analysis, kernel);
    const std::int64_t items = kernel.globalSize[0] * kernel.globalSize[1] * kernel.globalSize[2];
    made.problem = simulated.problem;
    if (made.problem.empty() && (simulated.cycles <= 0 || items <= 0))
        made.problem = "it has nothing to simulate";
    if (made.problem.empty() && entry.medianNanoseconds.value_or(0) <= 0)
        made.problem = "it was not timed";
    if (made.problem.empty() && context.clock.gigahertz <= 0)
        made.problem = "the clock could not be measured";
    if (!made.problem.empty())
        return made;

    const LoopAnalysis *loop = simulated.hottest;
    const double share = loop == nullptr ? 1 : loop->cycles / simulated.cycles;
    const bool isOfLoop = loop != nullptr && loop->throughput && share >= kDominant;
    if (isOfLoop)
        made.loop = loop->name;
    made.share = isOfLoop ? share : 1;
    made.rounds = isOfLoop ? loop->rounds * items : items;
    made.threads = static_cast<std::uint32_t>(std::min<std::int64_t>(context.threads, items));
    made.simulated = isOfLoop ? loop->throughput->cycles : simulated.cycles;
    const auto perRound = [&](std::int64_t nanoseconds, double gigahertz) {
        return static_cast<double>(nanoseconds) * gigahertz * made.threads * made.share / static_cast<double>(made.rounds);
    };
    made.measured = perRound(*entry.medianNanoseconds, context.clock.gigahertz);
    made.low = perRound(entry.lowNanoseconds > 0 ? entry.lowNanoseconds : *entry.medianNanoseconds, context.clock.low);
    made.high = perRound(std::max(entry.highNanoseconds, *entry.medianNanoseconds), context.clock.high);

    const std::string unit = isOfLoop ? format("round of loop {}", made.loop) : "work item of the whole kernel";
    made.text =
        format("measured {}{:.2f} x the simulated cycles: {} ({} ... {}) to {} per {}", isOfLoop ? "about " : "", made.ratio(),
               cyclesText(made.measured), cyclesText(made.low), cyclesText(made.high), cyclesText(made.simulated), unit);
    if (made.low > kSame * made.simulated)
        made.reason = reasonOfSlow(entry, context);
    else if (made.high * kSame < made.simulated)
        made.reason = reasonOfFast(isOfLoop ? &*loop->throughput : nullptr, code);
    return made;
}

} // namespace sw
