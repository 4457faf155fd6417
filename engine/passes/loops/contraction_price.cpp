#include "engine/passes/loops/contraction_price.h"

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/spread_loads.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

namespace sw {

namespace {

constexpr double kOperationsPerCycle = 2;
constexpr double kLoadsPerCycle = 2;
constexpr double kLatencyCycles = 4;           // of a dependent addition
constexpr double kGatherCycles = 1.5;          // per lane of a load that is done lane by lane
constexpr double kTransposedStoreCycles = 0.5; // per element of a tile that is transposed in registers and stored in runs
constexpr double kPackCycles = 1.2;            // per element that is copied on its own into a panel
constexpr double kTransposeCycles = 0.3;       // likewise, where blocks of them are transposed in registers
constexpr double kFarStrideFactor = 1.6;       // for vector loads that are a page or more apart from step to step
constexpr double kBeyondCacheFactor = 12;      // likewise, when the core's own cache does not hold them until they are read again
constexpr double kPartialCycles = 4;           // to read a vector of partial results, add to it, and write it
constexpr double kFarLineCycles = 12;          // for a cache line from the second level that nothing fetches ahead of time
constexpr double kFarLaneCycles = 24;          // for a lane whose line the first level has lost since the lane before
constexpr std::int64_t kCacheSets = 64;
constexpr std::int64_t kCacheWays = 8;
constexpr std::int64_t kStreamsFetchedAhead = 8; // that the processor follows at a time
constexpr std::int64_t kLineBytes = 64;
constexpr std::int64_t kFirstLevelBytes = 32 << 10;
constexpr double kHorizontalCycles = 30; // to add up the lanes of a vector
constexpr double kStepCycles = 1;        // of the loop around a step: larger tiles share it
constexpr double kCodeCycles =
    60; // per accumulator of each copy of the tile, to fetch and decode it the first time of all rounds

constexpr const char *kPackedFar = "read again for every row, and far apart in memory";
constexpr const char *kPackedUneven = "read again for every row, in vectors that lie across two lines of the cache";

// nullopt: an earlier stage keeps it in the core's own cache.
std::optional<std::int64_t> bufferBytes(const NestPlan &plan, const NestAccess &load)
{
    const BufferId buffer = plan.nest().values[load.load.value].buffer;
    return buffer.isValid() ? std::optional(plan.schedule().buffer(buffer).bytes()) : std::nullopt;
}

} // namespace

ContractionFacts contractionFactsOf(const NestPlan &plan)
{
    ContractionFacts facts;
    facts.reductions = static_cast<std::int64_t>(plan.nest().reductions.size());
    facts.operations = 0;
    for (const Reduction &reduction : plan.nest().reductions) {
        const std::vector<NestAccess> loads = plan.loadsUnder(reduction.body);
        facts.loads.insert(facts.loads.end(), loads.begin(), loads.end());
        facts.steps = std::max(facts.steps, plan.elementsOf(reduction.axes));
        // A multiplication is fused into the addition that follows it.
        facts.operations +=
            std::max<std::int64_t>(plan.operationsUnder(reduction.body) - static_cast<std::int64_t>(loads.size()), 1);
    }
    facts.otherBytes = plan.device().cacheBytesPerCore;
    for (const NestAccess &load : facts.loads)
        if (const std::optional<std::int64_t> bytes = bufferBytes(plan, load))
            facts.otherBytes = std::min(facts.otherBytes, *bytes);
    if (facts.reductions == 1 && !plan.isStrict())
        facts.padding = paddedPartsOf(plan);
    facts.outputs = plan.accesses();
    facts.lanes = plan.vectorLanes();
    return facts;
}

namespace {

// What a vector costs whose lanes lie `stride` apart, in loads: those of all that lies between, and a shuffle for each but one.
double spreadLoads(std::int64_t stride)
{
    return static_cast<double>(2 * stride - 1);
}

// How many steps of the reduction follow each other in memory.
std::int64_t runOf(const NestPlan &plan, const NestAccess &load)
{
    std::int64_t run = 1;
    const std::vector<AxisId> &axes = plan.nest().reductions.front().axes;
    for (auto axis = axes.rbegin(); axis != axes.rend() && plan.strideIn(load, *axis) == run; ++axis)
        run *= plan.extentOf(*axis);
    return run;
}

// Whether a step of a reduction goes 1 KiB or further. Where its axes are one row of steps, only the step of the innermost
// counts.
bool hasFarSteps(const NestPlan &plan, const NestAccess &load)
{
    return std::ranges::any_of(plan.nest().reductions, [&](const Reduction &reduction) {
        std::int64_t next = 0; // the step of an axis that goes on where the one inside of it ends
        for (auto axis = reduction.axes.rbegin(); axis != reduction.axes.rend(); ++axis) {
            const std::int64_t stride = plan.strideIn(load, *axis);
            if ((next == 0 || stride != next) && std::abs(stride) * load.bytes >= 1024)
                return true;
            next = stride == NestPlan::kScattered ? 0 : stride * plan.extentOf(*axis);
        }
        return false;
    });
}

// The part of its vectors that lie across two cache lines, which come from the second level: those of rows that are no whole
// number of vectors long. Vectors that slide along a row from step to step are left out, since a copy would hold each element
// several times.
double partAcrossLines(const NestPlan &plan, const NestAccess &load, std::int64_t lanes)
{
    if (bufferBytes(plan, load).value_or(0) <= kFirstLevelBytes)
        return 0;
    bool isUneven = false;
    for (const Reduction &reduction : plan.nest().reductions)
        for (const AxisId axis : reduction.axes) {
            const std::int64_t stride = plan.strideIn(load, axis);
            if (stride == NestPlan::kScattered || (stride != 0 && std::abs(stride) < lanes))
                return 0;
            isUneven = isUneven || stride % lanes != 0;
        }
    return isUneven ? std::min(1.0, static_cast<double>(lanes * load.bytes) / static_cast<double>(kLineBytes)) : 0;
}

// Cycles per step for a load of one element per row, if the rows are far apart and each goes on elsewhere after a few steps: by
// the time a line is read again, the first level has lost it.
double farRowCycles(const NestPlan &plan, const ContractionFacts &facts, const NestAccess &load, std::int64_t rows)
{
    const std::int64_t perLine = kLineBytes / load.bytes;
    const std::int64_t run = runOf(plan, load);
    const double lines = static_cast<double>(rows) / static_cast<double>(std::min(run, perLine));
    const bool isFetchedAhead = run >= perLine;
    const bool fits =
        lines * static_cast<double>(facts.steps) * static_cast<double>(kLineBytes) <= static_cast<double>(kFirstLevelBytes);
    return isFetchedAhead || fits ? 0 : lines * kFarLineCycles;
}

// Whether so many lines at such a distance do not stay in the first level of the cache together: they fall on few of its sets.
bool loseEachOther(std::int64_t bytesApart, std::int64_t lines)
{
    const std::int64_t sets = std::min(kCacheSets, kCacheSets * kLineBytes / std::gcd(bytesApart, kCacheSets * kLineBytes));
    return std::abs(bytesApart) >= kLineBytes && lines > sets * kCacheWays;
}

// Cycles per step for a load of one element per row, if the rows lie side by side in memory and the steps far apart: each step
// has lines of its own, and the first level loses them before the next rows read on in them: there are too many of them, or they
// fall on few of its sets.
double farStepCycles(const NestPlan &plan, const NestAccess &load, std::int64_t rows)
{
    CheckedSize steps = 1;
    const std::int64_t lines = (rows * load.bytes + kLineBytes - 1) / kLineBytes;
    bool areLost = false;      // they fall on few sets
    bool isNewEachTime = true; // steps in between, as those of a window, read on in the same lines
    for (const Reduction &reduction : plan.nest().reductions)
        for (const AxisId axis : reduction.axes) {
            const std::int64_t bytesApart = plan.strideIn(load, axis) * load.bytes;
            if (std::abs(bytesApart) < 1024) {
                isNewEachTime = isNewEachTime && plan.extentOf(axis) == 1;
                continue;
            }
            steps = steps * plan.extentOf(axis);
            areLost = areLost || loseEachOther(bytesApart, plan.extentOf(axis) * lines);
        }
    const bool areTooMany = steps * lines * kLineBytes > kFirstLevelBytes;
    return areTooMany || (areLost && isNewEachTime) ? static_cast<double>(lines) * kFarLineCycles : 0;
}

} // namespace

bool losesStoredLines(const NestPlan &plan, const TileChoice &choice)
{
    return std::ranges::any_of(plan.accesses(), [&](const NestAccess &access) {
        const std::int64_t stride = plan.strideIn(access, choice.vectorAxis);
        return access.isStore && stride != NestPlan::kScattered &&
               loseEachOther(stride * access.bytes, plan.extentOf(choice.vectorAxis));
    });
}

// The copy must fit into a work item's memory and into the core's own cache, beside the other data: all of it if it is little,
// else half of the cache is left for what streams through it.
bool fitsPacked(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes)
{
    const std::int64_t cache = plan.device().cacheBytesPerCore;
    const std::int64_t most =
        std::min<std::int64_t>(std::max(cache / 2, cache * 7 / 8 - facts.otherBytes), plan.device().scratchBytes);
    return CheckedSize(facts.steps / facts.blocks) * width * bytes <= most;
}

namespace {

// What a load reads at all steps, for one tile, is gone from the core's own cache when the next tile reads it.
bool leavesCache(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes)
{
    return CheckedSize(facts.steps) * width * bytes > plan.device().cacheBytesPerCore / 2;
}

// Cycles of one step of the reduction for a tile of `rows` by `vectors` (of `lanes`); notes in `choice` what must be packed.
double stepCycles(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice, std::int64_t rows,
                  std::int64_t vectors)
{
    double loads = 0;
    double packing = 0;
    for (const NestAccess &load : facts.loads) {
        const double perRow = choice.rowAxis.isValid() && plan.dependsOn(load, choice.rowAxis) ? static_cast<double>(rows) : 1.0;
        const std::int64_t stride = plan.strideIn(load, choice.vectorAxis);
        if (stride == 0) {
            loads += perRow;
            if (perRow > 1 && std::abs(plan.strideIn(load, choice.rowAxis)) * load.bytes >= kLineBytes)
                packing += farRowCycles(plan, facts, load, rows);
            else if (perRow > 1)
                packing += farStepCycles(plan, load, rows);
            continue;
        }
        const double loaded = load.load == choice.rowLoad ? rowLoads(plan, facts, choice, rows) : perRow;
        double perTile = static_cast<double>(vectors) * loaded;
        const bool isFar = stride != 1 || hasFarSteps(plan, load);
        double reuse = 1;
        for (const AxisId axis : plan.nest().domain)
            if (axis != choice.vectorAxis && !plan.dependsOn(load, axis))
                reuse *= static_cast<double>(plan.readsAgain(axis));
        const bool dependsOnRows = perRow > 1;
        const bool isOnlyPack = choice.packed.empty() || choice.packed.front() == load.load; // the rests of a tile read it, too
        const bool isPackable = !load.isMasked && stride != NestPlan::kScattered && !dependsOnRows && reuse >= 8 &&
                                plan.nest().reductions.size() == 1 && isOnlyPack &&
                                fitsPacked(plan, facts, choice.lanes * choice.vectors, load.bytes);
        const double gathered = perTile * static_cast<double>(choice.lanes) * kGatherCycles * kLoadsPerCycle;
        const double perElement = runOf(plan, load) >= 4 ? kTransposeCycles : kPackCycles;
        const double copied = (stride == 1 ? perTile * 2 : perTile * static_cast<double>(choice.lanes) * perElement) /
                              (reuse / static_cast<double>(rows));
        const double acrossLines = isFar ? 0 : perTile * partAcrossLines(plan, load, choice.lanes);
        if (isPackable && (isFar || copied < acrossLines)) {
            choice.packed = {load.load};
            choice.packReason = isFar ? kPackedFar : kPackedUneven;
            packing += copied;
        } else if (stride != 1) {
            const bool isSpread = !load.isMasked && isReadSpread(stride, choice.lanes);
            perTile = isSpread ? perTile * spreadLoads(stride) : gathered;
        } else if (isFar) {
            perTile *=
                leavesCache(plan, facts, choice.lanes * choice.vectors, load.bytes) ? kBeyondCacheFactor : kFarStrideFactor;
        } else {
            perTile += acrossLines;
        }
        loads += perTile;
    }
    const double arithmetic = static_cast<double>(rows * vectors * facts.operations) / kOperationsPerCycle;
    return std::max({arithmetic, loads / kLoadsPerCycle, kLatencyCycles}) + packing + kStepCycles;
}

// Cycles for reads and writes outside the reductions, once per output: in vectors where memory runs along the axis, else lane by
// lane. With an invalid axis: one output at a time.
double outputCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    const AxisId vectorAxis = choice.vectorAxis;
    const std::int64_t width = choice.lanes * choice.vectors;
    const auto outputs = static_cast<double>(plan.elementsOf(plan.nest().domain));
    double cycles = 0;
    for (const NestAccess &access : facts.outputs) {
        const std::int64_t stride = vectorAxis.isValid() ? plan.strideIn(access, vectorAxis) : NestPlan::kScattered;
        const bool isVector = choice.lanes > 1 && (stride == 0 || stride == 1);
        const bool isTransposed = access.isStore && choice.lanes >= 4 && choice.rows >= 4 && !choice.isMasked &&
                                  choice.rowAxis.isValid() && stride != NestPlan::kScattered &&
                                  plan.strideIn(access, choice.rowAxis) == 1;
        const bool isFar = stride != NestPlan::kScattered && loseEachOther(stride * access.bytes, width);
        const double perLane = isTransposed ? kTransposedStoreCycles : isFar ? kFarLaneCycles : kGatherCycles;
        cycles += isVector ? outputs / static_cast<double>(choice.lanes) / kLoadsPerCycle : outputs * perLane;
    }
    return cycles;
}

// How many whole tiles cover an axis, and how many vectors the rest takes.
struct Cover {
    std::int64_t whole = 0;
    std::int64_t restVectors = 0;
};

Cover coverOf(std::int64_t extent, std::int64_t lanes, std::int64_t vectors)
{
    const std::int64_t rest = extent % (lanes * vectors);
    return {extent / (lanes * vectors), rest / lanes + std::popcount(static_cast<std::uint64_t>(rest % lanes))};
}

// The vectors of the tile along its columns. A masked vector is as wide as the others.
Cover columnsOf(const NestPlan &plan, const TileChoice &choice)
{
    const std::int64_t extent = plan.extentOf(choice.vectorAxis);
    const std::int64_t width = choice.lanes * choice.vectors;
    if (!choice.isMasked)
        return coverOf(extent, choice.lanes, choice.vectors);
    return {extent / width, (extent % width + choice.lanes - 1) / choice.lanes};
}

// Cycles for the partial results of a reduction in blocks: each block adds to them.
double partialCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    if (facts.blocks == 1)
        return 0;
    const double vectors = static_cast<double>(plan.elementsOf(plan.nest().domain)) / static_cast<double>(choice.lanes);
    return static_cast<double>(facts.blocks) * vectors * kPartialCycles;
}

// Cycles for the lines of what moves with the rows alone, where all of it does not stay in the core's cache: each panel of
// columns reads it again. The processor fetches a few streams ahead by itself; a tile of more rows waits for its lines.
double rereadCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t panels)
{
    if (!choice.rowAxis.isValid() || choice.rows <= kStreamsFetchedAhead || choice.blockSteps > 0) // blocks copy far rows, too
        return 0;
    double cycles = 0;
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytes = bufferBytes(plan, load).value_or(0);
        const bool isReread = plan.dependsOn(load, choice.rowAxis) && !plan.dependsOn(load, choice.vectorAxis);
        const bool isFar = std::abs(plan.strideIn(load, choice.rowAxis)) * load.bytes >= kLineBytes;
        if (isReread && isFar && bytes > plan.device().cacheBytesPerCore / 2)
            cycles += static_cast<double>(panels) * static_cast<double>(bytes) / kLineBytes * kFarLineCycles;
    }
    return cycles;
}

// Cycles for the lines of what moves with the rows of tiles, where a loop around them goes through all of it again and the core's
// cache does not hold it: the image, for each channel of a convolution whose vectors go along the columns of the image.
double revisitCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    double cycles = 0;
    for (const NestAccess &load : facts.loads) {
        const std::int64_t bytes = bufferBytes(plan, load).value_or(0);
        if (!choice.rowAxis.isValid() || !plan.dependsOn(load, choice.rowAxis) || bytes <= plan.device().cacheBytesPerCore)
            continue;
        double visits = 1;
        double around = 1; // of the axes so far that it does not move with
        for (const AxisId axis : plan.nest().domain) {
            if (plan.dependsOn(load, axis))
                visits = around;
            else if (axis != choice.vectorAxis)
                around *= static_cast<double>(plan.extentOf(axis));
        }
        cycles += (visits - 1) * static_cast<double>(bytes) / kLineBytes * kFarLineCycles;
    }
    return cycles;
}

// How much longer the last thread works than an even share, where the panels are few: a panel is one thread's, since a second one
// would have to pack it again.
double imbalanceOf(const NestPlan &plan, const TileChoice &choice, std::int64_t panels)
{
    const std::int64_t threads = plan.device().threads;
    if (choice.packed.empty() || plan.isStage())
        return 1;
    std::int64_t items = panels;
    for (const AxisId axis : plan.nest().domain)
        if (axis != choice.vectorAxis && std::ranges::binary_search(plan.dependencies()[choice.packed.front().value], axis))
            items *= plan.extentOf(axis);
    return static_cast<double>((items + threads - 1) / threads * threads) / static_cast<double>(items);
}

} // namespace

double tileCycles(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice)
{
    leavePaddingOut(plan, facts, choice);
    const Cover columns = columnsOf(plan, choice);
    const Cover rows = choice.rowAxis.isValid() ? coverOf(plan.extentOf(choice.rowAxis), 1, choice.rows) : Cover{1, 0};
    double others = 1;
    for (const AxisId axis : plan.nest().domain)
        if (axis != choice.vectorAxis && axis != choice.rowAxis)
            others *= static_cast<double>(plan.extentOf(axis));
    const double full = stepCycles(plan, facts, choice, choice.rows, choice.vectors);
    double cycles = static_cast<double>(columns.whole * rows.whole) * full;
    auto accumulators = static_cast<double>(choice.rows * choice.vectors);
    const auto partial = [&](std::int64_t count, std::int64_t tileRows, std::int64_t tileVectors) {
        if (count == 0 || tileRows == 0 || tileVectors == 0)
            return;
        TileChoice same = choice;
        accumulators += static_cast<double>(tileRows * tileVectors);
        cycles += static_cast<double>(count) * stepCycles(plan, facts, same, tileRows, tileVectors);
    };
    partial(columns.whole, rows.restVectors, choice.vectors);
    partial(rows.whole, choice.rows, columns.restVectors);
    partial(1, rows.restVectors, columns.restVectors);
    const std::int64_t panels = columns.whole + (columns.restVectors > 0 ? 1 : 0);
    return cycles * others * static_cast<double>(facts.steps) * choice.computed * imbalanceOf(plan, choice, panels) +
           rereadCycles(plan, facts, choice, panels) + revisitCycles(plan, facts, choice) + outputCycles(plan, facts, choice) +
           accumulators * kCodeCycles / static_cast<double>(plan.rounds()) + partialCycles(plan, facts, choice);
}

std::int64_t partialLanes(const NestPlan &plan, AxisId axis)
{
    return std::min(plan.vectorLanes(), floorPowerOfTwo(plan.extentOf(axis)));
}

std::optional<double> lanesOfReductionCycles(const NestPlan &plan, const ContractionFacts &facts)
{
    double cycles = 0; // per output
    for (const Reduction &reduction : plan.nest().reductions) {
        if (reduction.axes.empty() || plan.extentOf(reduction.axes.back()) < 2)
            return std::nullopt;
        if (plan.isStrict() && roundsEachStep(reduction.op, reduction.dtype))
            return std::nullopt;
        double loads = 0;
        for (const NestAccess &load : plan.loadsUnder(reduction.body)) {
            const std::int64_t stride = plan.strideIn(load, reduction.axes.back());
            if (stride != 0 && stride != 1)
                return std::nullopt;
            loads += 1;
        }
        const std::int64_t extent = plan.extentOf(reduction.axes.back());
        const Cover cover = coverOf(extent, partialLanes(plan, reduction.axes.back()), kPartialVectors);
        const auto vectors = static_cast<double>(cover.whole * kPartialVectors + cover.restVectors);
        const double operations = std::max(static_cast<double>(plan.operationsUnder(reduction.body)) - loads, 1.0);
        const double perVector = std::max({loads / kLoadsPerCycle, operations / kOperationsPerCycle, 1.0});
        // An accumulator waits for its own last addition: where a run along the axis is short, few of them take turns.
        const double rounds = static_cast<double>(cover.whole) + (cover.restVectors > 0 ? 1 : 0);
        const double runs = static_cast<double>(plan.elementsOf(reduction.axes)) / static_cast<double>(extent);
        cycles += runs * (std::max(vectors * perVector, rounds * kLatencyCycles) + rounds * kStepCycles) + kHorizontalCycles;
    }
    const double outputs = static_cast<double>(plan.elementsOf(plan.nest().domain));
    return outputs * cycles + outputCycles(plan, facts, {});
}

} // namespace sw
