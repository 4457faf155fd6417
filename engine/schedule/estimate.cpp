#include "engine/schedule/estimate.h"

#include "engine/base/text.h"

#include <algorithm>
#include <cmath>

namespace sw {

namespace {

// Sizes may exceed what a double holds exactly, but an estimate need not be exact.
std::int64_t rounded(double nanoseconds)
{
    constexpr double kLongest = 9e18;
    return static_cast<std::int64_t>(std::llround(std::min(nanoseconds, kLongest)));
}

double measuredRate(const RooflineFigures &figures, TensorInstruction instruction)
{
    return figures.tensorOperationsPerNanosecond.at(indexOf(instruction));
}

// Of one launch.
double trafficOf(const KernelEstimate &estimate)
{
    const double all = static_cast<double>(estimate.bytesRead) + static_cast<double>(estimate.bytesWritten);
    return all / static_cast<double>(std::max<std::int64_t>(estimate.launches, 1));
}

const CacheRate *cacheOf(const RooflineFigures &figures, double bytes)
{
    const auto found = std::ranges::find_if(figures.caches, [&](const CacheRate &cache) {
        return cache.bytesPerNanosecond > 0 && bytes <= static_cast<double>(cache.holds);
    });
    return found != figures.caches.end() ? &*found : nullptr;
}

std::string mebibytes(std::int64_t bytes)
{
    return format("{:.3g} MiB", static_cast<double>(bytes) / (1 << 20));
}

double arithmeticNanoseconds(const KernelEstimate &estimate, const RooflineFigures &figures)
{
    double time = static_cast<double>(estimate.pricedWork) / figures.operationsPerNanosecond;
    for (const TensorWork &work : estimate.tensorWork)
        time += static_cast<double>(work.operations) / tensorRate(figures, work.instruction);
    return time;
}

} // namespace

double tensorRate(const RooflineFigures &figures, TensorInstruction instruction)
{
    const double measured = measuredRate(figures, instruction);
    return measured > 0 ? measured : speedupOf(infoOf(instruction)) * figures.operationsPerNanosecond;
}

double bytesRate(const RooflineFigures &figures, double bytes)
{
    const CacheRate *cache = cacheOf(figures, bytes);
    return cache != nullptr ? cache->bytesPerNanosecond : figures.memoryBytesPerNanosecond;
}

std::string sourceOf(const DeviceFigures &figures)
{
    return figures.measuredOn.empty() ? "assumed" : format("measured on this machine, {}", figures.measuredOn);
}

std::string toText(const RooflineFigures &rates)
{
    std::string text = format("{:.3g} GB/s, {:.3g} GFLOP/s, copies {:.3g} GB/s, launch {:.0f} ns", rates.memoryBytesPerNanosecond,
                              rates.operationsPerNanosecond, rates.transferBytesPerNanosecond, rates.launchNanoseconds);
    for (const CacheRate &cache : rates.caches)
        if (cache.bytesPerNanosecond > 0)
            text += format(", {:.3g} GB/s in {} of cache", cache.bytesPerNanosecond, mebibytes(cache.holds));
    for (const TensorInstruction one : allTensorInstructions())
        if (const double rate = measuredRate(rates, one); rate > 0)
            text += format(", {} {:.0f} GFLOP/s", infoOf(one).name, rate);
    return text;
}

double KernelEstimate::intensity() const
{
    const double traffic = static_cast<double>(bytesRead) + static_cast<double>(bytesWritten);
    return traffic > 0 ? static_cast<double>(flops) / traffic : 0;
}

std::int64_t kernelNanoseconds(const KernelEstimate &estimate, const RooflineFigures &figures)
{
    const double traffic = static_cast<double>(estimate.bytesRead) + static_cast<double>(estimate.bytesWritten);
    return rounded(figures.launchNanoseconds * static_cast<double>(estimate.launches) +
                   std::max(traffic / bytesRate(figures, trafficOf(estimate)), arithmeticNanoseconds(estimate, figures)));
}

std::string formulaText(const KernelEstimate &estimate, const RooflineFigures &figures)
{
    std::string text = estimate.launches == 1 ? format("launch {:.0f} ns", figures.launchNanoseconds)
                                              : format("{} launches of {:.0f} ns", estimate.launches, figures.launchNanoseconds);
    const CacheRate *cache = cacheOf(figures, trafficOf(estimate));
    text +=
        format(" + the longer of bytes / {:.3g} GB/s{} and priced work / {:.3g} GFLOP/s", bytesRate(figures, trafficOf(estimate)),
               cache != nullptr ? " (a cache holds them)" : "", figures.operationsPerNanosecond);
    for (const TensorWork &work : estimate.tensorWork) {
        const TensorInstructionInfo &info = infoOf(work.instruction);
        text += format(" + products by {} / {:.0f} GFLOP/s", info.name, tensorRate(figures, work.instruction));
        if (measuredRate(figures, work.instruction) == 0)
            text += format(" ({:.3g} x the rate of multiply-adds)", speedupOf(info));
    }
    return text;
}

std::int64_t transferNanoseconds(std::int64_t bytes, const RooflineFigures &figures)
{
    return rounded(figures.launchNanoseconds + static_cast<double>(bytes) / figures.transferBytesPerNanosecond);
}

} // namespace sw
