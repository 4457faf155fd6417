// How wide vectors are, and how many of them a body has side by side.

#include "engine/passes/loops/choose.h"

#include "engine/base/checked_size.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <bit>

namespace sw {

namespace {

// Of a body, by its operations per point.
constexpr std::int64_t kSmall = 6;     // the loop's own instructions count
constexpr std::int64_t kLarge = 10;    // at least a transcendental function, or as long a chain of steps
constexpr std::int64_t kOneChain = 34; // one transcendental function, and what stands around it: few values live at a time

// Of all points: of fewer, the longer code takes longer to compile than a hundred runs save. 32 x 1024 elements of gelu take 22
// us in place of 35 on a Zen 3, and 2.5 ms more to compile.
constexpr std::int64_t kWorthOverlap = 1 << 20;

// Parts of what a split leaves over, which halve from one to the next: each is one more copy of the body.
constexpr int kMostRests = 2;

int restsOf(std::int64_t extent, std::int64_t lanes)
{
    return std::popcount(static_cast<std::uint64_t>(extent % lanes));
}

constexpr std::int64_t kOpenClLanes = 16; // of its longest vectors

// Registers that a vector may fill, a power of two: LLVM, clang and the compilers of OpenCL split each operation into one per
// register.
std::int64_t mostRegisters(const NestPlan &plan, const BodyWork &work)
{
    const DeviceSlot slot = plan.schedule().kernel(plan.nest().kernel).device;
    const std::int64_t most = work.perPoint <= kOneChain ? 4 : 2;
    return plan.context().language(slot) == TargetLanguage::OpenCl ? std::min(most, kOpenClLanes / plan.vectorLanes()) : most;
}

bool canFillRegisters(const NestPlan &plan, AxisId axis, std::span<const NestAccess> accesses)
{
    return plan.device().kind == DeviceKind::Cpu && std::ranges::all_of(accesses, [&](const NestAccess &access) {
               std::int64_t stride = 0; // within panels, vectors must not leave those
               return !access.isMasked && plan.nest().arena.linearIn(access.index, axis, stride) && (stride == 0 || stride == 1);
           });
}

// A processor begins the next point's work while the results of this one's chain are awaited, but only as far as its scheduler
// reaches: some 36 steps on Zen 1, where e^x is 22. Registers whose steps alternate have as many chains within reach. Each keeps
// its values alive, so that bodies with many of them get fewer.
std::int64_t registersFor(const NestPlan &plan, AxisId axis, const BodyWork &work, std::span<const NestAccess> accesses)
{
    if (work.perPoint < kLarge || (CheckedSize(work.total) * plan.rounds()).saturated() < kWorthOverlap ||
        !canFillRegisters(plan, axis, accesses))
        return 1;
    const std::int64_t extent = plan.extentOf(axis);
    const std::int64_t lanes = plan.vectorLanes();
    for (std::int64_t registers = mostRegisters(plan, work); registers > 1; registers /= 2)
        if (extent >= registers * lanes && restsOf(extent, registers * lanes) <= std::max(kMostRests, restsOf(extent, lanes)))
            return registers;
    return 1;
}

} // namespace

VectorShape vectorShape(const NestPlan &plan, AxisId axis, const BodyWork &work, std::span<const NestAccess> accesses)
{
    if (work.perPoint < kLarge)
        return {.registers = 1, .repeats = work.perPoint < kSmall ? 4 : 2};
    return {.registers = registersFor(plan, axis, work, accesses), .repeats = 1};
}

std::string VectorShape::reason(const std::string &before) const
{
    return registers == 1 ? before : format("{}; {} registers each, so that their chains of steps overlap", before, registers);
}

void tileInVectors(NestPlan &plan, AxisId axis, const VectorShape &shape, const std::string &reason)
{
    const std::int64_t extent = plan.extentOf(axis);
    const std::int64_t lanes = std::min(plan.vectorLanes() * shape.registers, floorPowerOfTwo(extent));
    if (lanes <= 1)
        return;
    const std::int64_t tile = extent >= lanes * shape.repeats ? lanes * shape.repeats : extent / lanes * lanes;
    plan.tile(axis, extent < 2 * lanes ? extent : tile, lanes, shape.reason(reason));
}

} // namespace sw
