#include "engine/api/roofline.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"

#include <algorithm>

namespace sw {

namespace {

constexpr double kLittle = 0.1; // of a roof: then it is not what bounds a kernel

// The roofs of all threads; of each level of memory the fastest, and of tensor instructions those that a kernel has.
std::vector<Roof> roofsToDraw(const MachineRoofs &machine, std::span<const KernelEntry> kernels)
{
    std::uint32_t threads = 1;
    for (const Roof &roof : machine.roofs)
        threads = std::max(threads, roof.threads);
    std::vector<Roof> drawn;
    for (const Roof &roof : machine.roofs) {
        const bool isUsed = roof.kind != RoofKind::Tensor ||
                            std::ranges::find(kernels, roof.name, &KernelEntry::tensorInstruction) != kernels.end();
        if (roof.threads != threads || !isUsed)
            continue;
        const auto same = std::ranges::find_if(drawn, [&](const Roof &other) {
            return roof.kind == RoofKind::Memory && other.kind == roof.kind && other.levelBytes == roof.levelBytes;
        });
        if (same == drawn.end())
            drawn.push_back(roof);
        else if (same->perNanosecond < roof.perNanosecond)
            *same = roof;
    }
    return drawn;
}

// The nearest level that holds so many bytes; null: there are no roofs of memory.
const Roof *memoryRoofFor(const std::vector<Roof> &roofs, std::int64_t bytes)
{
    const Roof *found = nullptr;
    for (const Roof &roof : roofs) {
        if (roof.kind != RoofKind::Memory || (roof.levelBytes != 0 && roof.levelBytes < bytes))
            continue;
        const bool isNearer =
            found == nullptr || found->levelBytes == 0 || (roof.levelBytes != 0 && roof.levelBytes < found->levelBytes);
        if (isNearer)
            found = &roof;
    }
    return found;
}

// That of the kernel's tensor instruction, or the fastest f32 arithmetic.
const Roof *computeRoof(const std::vector<Roof> &roofs, std::string_view tensorInstruction)
{
    const Roof *found = nullptr;
    for (const Roof &roof : roofs)
        if (roof.kind == RoofKind::Tensor && roof.name == tensorInstruction)
            return &roof;
    for (const Roof &roof : roofs)
        if (roof.kind == RoofKind::Compute && (found == nullptr || found->perNanosecond < roof.perNanosecond))
            found = &roof;
    return found;
}

void judge(RooflinePoint &point, const std::vector<Roof> &roofs, std::string_view tensorInstruction)
{
    const Roof *memory = memoryRoofFor(roofs, point.bytes);
    const Roof *compute = computeRoof(roofs, tensorInstruction);
    const double moving = memory == nullptr ? 0 : static_cast<double>(point.bytes) / memory->perNanosecond;
    const double computing = compute == nullptr ? 0 : static_cast<double>(point.flops) / compute->perNanosecond;
    const double least = std::max(moving, computing);
    if (least == 0) {
        point.text = "it moves no bytes and does no arithmetic";
        return;
    }
    point.roof = moving >= computing ? memory->name : compute->name;
    if (point.nanoseconds <= 0) {
        point.text = format("not measured: its roof is the {} rate", point.roof);
        return;
    }
    point.part = least / static_cast<double>(point.nanoseconds);
    const std::string reached =
        format("{:.{}f} % of the measured {} rate", 100 * point.part, point.part < 0.1 ? 1 : 0, point.roof);
    if (point.part < kLittle) {
        point.bound = BoundBy::Neither;
        point.text = format("bound by neither memory nor arithmetic: {}, its roof", reached);
    } else {
        point.bound = moving >= computing ? BoundBy::Memory : BoundBy::Compute;
        point.text = format("{} bound: {}", nameOf(point.bound), reached);
    }
}

} // namespace

std::string_view nameOf(BoundBy bound)
{
    switch (bound) {
    case BoundBy::Memory:
        return "memory";
    case BoundBy::Compute:
        return "compute";
    case BoundBy::Neither:
        return "neither";
    case BoundBy::Unknown:
        return "unknown";
    }
    SW_UNREACHABLE();
}

Roofline rooflineOf(std::span<const KernelEntry> kernels, const MachineRoofs &roofs)
{
    Roofline made;
    made.roofs = roofsToDraw(roofs, kernels);
    made.measuredOn = roofs.measuredOn;
    std::int64_t total = 0;
    for (const KernelEntry &kernel : kernels)
        total += runNanosecondsOf(kernel);
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        const KernelEntry &kernel = kernels[i];
        RooflinePoint point;
        point.kernel = static_cast<std::uint32_t>(i);
        point.name = kernel.name;
        point.flops = kernel.flops;
        point.bytes = kernel.bytes;
        point.nanoseconds = kernel.medianNanoseconds.value_or(0);
        point.estimatedNanoseconds = kernel.estimatedNanoseconds;
        const auto time = static_cast<double>(point.nanoseconds);
        if (point.bytes > 0)
            point.intensity = static_cast<double>(point.flops) / static_cast<double>(point.bytes);
        if (point.nanoseconds > 0) {
            point.rate = static_cast<double>(point.flops) / time;
            point.share = total == 0 ? 0 : static_cast<double>(runNanosecondsOf(kernel)) / static_cast<double>(total);
            if (point.estimatedNanoseconds > 0)
                point.estimateError = static_cast<double>(point.estimatedNanoseconds) / time - 1;
        }
        judge(point, made.roofs, kernel.tensorInstruction);
        made.points.push_back(std::move(point));
    }
    return made;
}

MachineRoofs roofsOf(const DeviceFigures &figures)
{
    return {.roofs = {{RoofKind::Memory, "memory copy", 1, 0, figures.rates.memoryBytesPerNanosecond},
                      {RoofKind::Compute, "f32 FMA", 1, 0, figures.rates.operationsPerNanosecond}},
            .measuredOn = figures.measuredOn};
}

} // namespace sw
