#include "engine/passes/loops/contraction_price.h"

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/ops/op.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/spread_loads.h"
#include "engine/passes/loops/vector_halves.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <optional>

namespace sw {

namespace {

constexpr double kLoadsPerCycle = 2;
constexpr double kLatencyCycles = 4;           // of a dependent addition of floats; of integers, 1
constexpr double kGatherCycles = 1.5;          // per lane of a load that is done lane by lane
constexpr double kTransposedStoreCycles = 0.8; // per element of a tile that is transposed in registers and stored in runs
constexpr double kPackCycles = 1.2;            // per element that is copied on its own into a panel
constexpr double kTransposeCycles = 0.3;       // likewise, where blocks of them are transposed in registers
constexpr double kFarStrideFactor = 1.6;       // for vector loads that are a page or more apart from step to step
constexpr double kBeyondCacheFactor = 12;      // likewise, when the core's own cache does not hold them until they are read again
constexpr double kFarRowCycles = 0.3;  // per load from beyond that cache, where each row of the tile reads along lines of its own
constexpr double kOwnLineCycles = 2.1; // for a line of a panel from the core's own cache
constexpr double kPartialCycles = 4;   // to read a vector of partial results, add to it, and write it
constexpr double kWaitCycles = 1;      // to put a vector of sums aside until the next ones are done, and to take it back
constexpr double kFarLaneCycles = 24;  // for a lane whose line the first level has lost since the lane before
constexpr double kFarRunCycles = 12;   // likewise for a run of the rows of a lane
constexpr double kConvertedLoads = 4;  // what an element costs that is converted on its own, before all lanes get it
constexpr double kHorizontalCycles = 30;    // to add up the lanes of a vector
constexpr double kNextHorizontalCycles = 9; // likewise of each other one at the same time
constexpr double kStepCycles = 1;           // of the loop around a step: larger tiles share it
constexpr double kCodeCycles =
    60; // per accumulator of each copy of the tile, to fetch and decode it the first time of all rounds

// Of each thread: its work items may all pack the only panel, which takes a tenth of their time.
constexpr std::int64_t kRowsForAPack = 1024;

constexpr const char *kPackedFar = "read again for every row, and far apart in memory";
constexpr const char *kPackedUneven = "read again for every row, in vectors that lie across two lines of the cache";

// The elements are narrower than those of the sums.
bool isConverted(const ContractionFacts &facts, const NestAccess &load)
{
    return load.bytes < facts.sumBytes;
}

double latencyOf(const Reduction &reduction)
{
    return isFloat(reduction.dtype) ? kLatencyCycles : 1;
}

} // namespace

ContractionFacts contractionFactsOf(const NestPlan &plan)
{
    ContractionFacts facts;
    facts.reductions = static_cast<std::int64_t>(plan.nest().reductions.size());
    facts.operations = 0;
    for (std::size_t i = 0; i < plan.nest().reductions.size(); ++i) {
        const Reduction &reduction = plan.nest().reductions[i];
        const std::vector<NestAccess> loads = plan.loadsUnder(reduction.body);
        facts.loads.insert(facts.loads.end(), loads.begin(), loads.end());
        facts.readIn.insert(facts.readIn.end(), loads.size(), i);
        facts.steps = std::max(facts.steps, plan.elementsOf(reduction.axes));
        facts.latency = std::max(facts.latency, latencyOf(reduction));
        facts.sumBytes = std::max(facts.sumBytes, static_cast<std::int64_t>(bytesOf(reduction.dtype)));
        // A multiplication is fused into the addition that follows it, and conversions are counted with the loads.
        const std::int64_t converted =
            std::ranges::count_if(loads, [&](const NestAccess &load) { return isConverted(facts, load); });
        facts.operations +=
            std::max<std::int64_t>(plan.operationsUnder(reduction.body) - static_cast<std::int64_t>(loads.size()) - converted, 1);
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

// A vector whose lanes lie `stride` apart takes the loads of all that lies between, and a shuffle for each but one: with AVX2
// two, since one instruction takes lanes of two vectors only within their halves, of which the second, across them, takes
// three times as long.
double spreadLoads(std::int64_t stride)
{
    return static_cast<double>(stride);
}

double spreadShuffles(const NestPlan &plan, std::int64_t stride)
{
    return static_cast<double>((stride - 1) * (areHalves(plan.device().vectorBytes) ? 4 : 1));
}

// A panel of all the steps of a block, for so many columns, stays in the core's own cache beside the other data: all of that if
// it is little, else half of the cache is left for what streams through it.
bool staysInCache(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes)
{
    const std::int64_t cache = plan.device().cacheBytesPerCore;
    return CheckedSize(facts.steps / facts.blocks) * width * bytes <= std::max(cache / 2, cache * 7 / 8 - facts.otherBytes);
}

} // namespace

bool fitsPacked(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes)
{
    const std::int64_t all = width * facts.reductions; // each may have a copy
    return staysInCache(plan, facts, all, bytes) &&
           CheckedSize(facts.steps / facts.blocks) * all * bytes <= plan.device().scratchBytes;
}

namespace {

// The lines of a load that one step takes from beyond the core's own cache, which does not keep the panel of all steps until the
// next rows read it.
double outerLines(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, const NestAccess &load,
                  double vectors)
{
    const bool isKept = staysInCache(plan, facts, choice.lanes * choice.vectors, load.bytes);
    return isKept || !readsNewLines(plan, load) ? 0 : vectors * static_cast<double>(choice.lanes * load.bytes) / kCacheLineBytes;
}

// Likewise from the core's own cache, since the first level does not hold a panel of all steps.
double ownCacheLines(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, const NestAccess &load,
                     double vectors)
{
    const CheckedSize panel = CheckedSize(facts.steps / facts.blocks) * choice.lanes * choice.vectors * load.bytes;
    const bool isNear = panel <= plan.device().firstLevelBytes || !readsNewVectors(plan, load);
    return isNear ? 0 : vectors * static_cast<double>(choice.lanes * load.bytes) / kCacheLineBytes;
}

// What a load reads at all steps, for one tile, is gone from the core's own cache when the next tile reads it.
bool leavesCache(const NestPlan &plan, const ContractionFacts &facts, std::int64_t width, std::int64_t bytes)
{
    return CheckedSize(facts.steps) * width * bytes > plan.device().cacheBytesPerCore / 2;
}

// Each row of the tile reads along lines of its own, of what the core's own cache does not hold; side by side, vectors are read
// as they lie in memory. Rows that share vectors read few anew.
bool isAlongManyLines(const NestPlan &plan, const TileChoice &choice, const NestAccess &load, std::int64_t rows)
{
    if (rows == 1 || load.load == choice.rowLoad || plan.bytesApart(load, choice.rowAxis) < kCacheLineBytes)
        return false;
    const std::optional<std::int64_t> bytes = bufferBytes(plan, load);
    return bytes && *bytes > plan.device().cacheBytesPerCore;
}

// Each reduction has at most one copy: of the load that is found first.
bool mayPack(const ContractionFacts &facts, const TileChoice &choice, std::size_t load)
{
    for (std::size_t i = 0; i < facts.loads.size(); ++i)
        if (i != load && facts.readIn[i] == facts.readIn[load] &&
            std::ranges::find(choice.packed, facts.loads[i].load) != choice.packed.end())
            return false;
    return true;
}

// Cycles of one step of the reduction for a tile of `rows` by `vectors` (of `lanes`); notes in `choice` what must be packed.
double stepCycles(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice, std::int64_t rows,
                  std::int64_t vectors)
{
    double loads = 0;
    double shuffles = 0; // and conversions are done where additions are
    double packing = 0;  // and what else is waited for
    double lines = 0;
    double ownLines = 0;
    for (std::size_t number = 0; number < facts.loads.size(); ++number) {
        const NestAccess &load = facts.loads[number];
        const bool isPerRow = choice.rowAxis.isValid() && plan.movesInTile(load, choice.rowAxis, choice.rows);
        const double perRow = isPerRow ? static_cast<double>(rows) : 1.0;
        const std::int64_t stride = plan.strideIn(load, choice.vectorAxis);
        if (stride == 0) {
            loads += perRow * (isConverted(facts, load) ? kConvertedLoads : 1);
            if (perRow > 1 && plan.isUnevenInTile(load, choice.rowAxis, choice.rows))
                loads += perRow; // each row's own address, for which there are too few registers
            if (perRow > 1 && plan.bytesApart(load, choice.rowAxis) >= kCacheLineBytes)
                packing += farRowCycles(plan, facts, load, rows);
            else if (perRow > 1)
                packing += farStepCycles(plan, load, rows);
            continue;
        }
        const double loaded = load.load == choice.rowLoad ? rowLoads(plan, facts, choice, rows) : perRow;
        double perTile = static_cast<double>(vectors) * loaded;
        shuffles += isConverted(facts, load) ? perTile : 0;
        const bool isFar = stride != 1 || hasFarSteps(plan, load);
        double reuse = 1;
        for (const AxisId axis : plan.nest().domain)
            if (axis != choice.vectorAxis && !plan.dependsOn(load, axis))
                reuse *= static_cast<double>(plan.extentOf(axis));
        const bool dependsOnRows = perRow > 1;
        const bool isPackable = !load.isMasked && stride != NestPlan::kScattered && !dependsOnRows && reuse >= 8 &&
                                mayPack(facts, choice, number) &&
                                fitsPacked(plan, facts, choice.lanes * choice.vectors, load.bytes);
        const double gathered = perTile * static_cast<double>(choice.lanes) * kGatherCycles * kLoadsPerCycle;
        const double perElement = runOf(plan, load) >= 4 ? kTransposeCycles : kPackCycles;
        const double copied = (stride == 1 ? perTile * 2 : perTile * static_cast<double>(choice.lanes) * perElement) /
                              (reuse / static_cast<double>(rows));
        const double acrossLines = isFar ? 0 : perTile * partAcrossLines(plan, load, choice.lanes);
        const bool isSpread = !load.isMasked && isReadSpread(stride, choice.lanes);
        const double spread = perTile * 2 * spreadShuffles(plan, stride); // cycles that a copy would save
        if (isPackable && ((isFar && !(isSpread && spread < copied)) || copied < acrossLines)) {
            if (std::ranges::find(choice.packed, load.load) == choice.packed.end())
                choice.packed.push_back(load.load); // the rests of a tile read it, too
            choice.packReason = isFar ? kPackedFar : kPackedUneven;
            packing += copied;
        } else if (stride != 1) {
            shuffles += isSpread ? perTile * spreadShuffles(plan, stride) : 0;
            perTile = isSpread ? perTile * spreadLoads(stride) : gathered;
        } else if (isFar) {
            perTile *=
                leavesCache(plan, facts, choice.lanes * choice.vectors, load.bytes) ? kBeyondCacheFactor : kFarStrideFactor;
        } else {
            lines += dependsOnRows ? 0 : outerLines(plan, facts, choice, load, perTile);
            ownLines += dependsOnRows ? 0 : ownCacheLines(plan, facts, choice, load, perTile);
            perTile += acrossLines;
        }
        loads += perTile;
        packing += isAlongManyLines(plan, choice, load, rows) ? perTile * kFarRowCycles : 0;
        packing += load.load == choice.rowLoad ? perTile * lostRowCycles(plan, facts, choice, rows) : 0;
    }
    const double arithmetic = (static_cast<double>(rows * vectors * facts.operations) + shuffles) / kInstructionsPerCycle;
    return std::max({arithmetic, loads / kLoadsPerCycle, lines * kNextLineCycles, ownLines * kOwnLineCycles, facts.latency}) +
           packing + kStepCycles;
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
        const bool isFar = vectorAxis.isValid() && loseEachOther(plan.device(), plan.bytesApart(access, vectorAxis), width);
        const bool isWholeRun = isFar && !areHalves(plan.device().vectorBytes); // else shorter, and measured so
        const double farRun = isWholeRun ? kFarRunCycles / static_cast<double>(choice.rows) : 0;
        const double perLane = isTransposed ? kTransposedStoreCycles + farRun : isFar ? kFarLaneCycles : kGatherCycles;
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

// Cycles for the sums of the reductions before the last one, which wait in memory where the registers do not hold all.
double waitingCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    if (choice.rows * choice.vectors * facts.reductions + choice.vectors < plan.device().vectorRegisters)
        return 0;
    const double vectors = static_cast<double>(plan.elementsOf(plan.nest().domain)) / static_cast<double>(choice.lanes);
    return static_cast<double>(facts.reductions - 1) * vectors * kWaitCycles;
}

// How much longer the last thread works than an even share, where the panels are few: a panel is one thread's, since a second one
// would have to pack it again. Work items of many rows may each pack the only one.
double imbalanceOf(const NestPlan &plan, const TileChoice &choice, std::int64_t panels)
{
    const std::int64_t threads = plan.device().threads;
    if (choice.packed.empty() || plan.isStage())
        return 1;
    std::int64_t items = panels;
    for (const AxisId axis : plan.nest().domain)
        if (axis != choice.vectorAxis && std::ranges::binary_search(plan.dependencies()[choice.packed.front().value], axis))
            items *= plan.extentOf(axis);
    if (items == 1 && plan.elementsOf(plan.nest().domain) / plan.extentOf(choice.vectorAxis) >= threads * kRowsForAPack)
        return 1;
    return static_cast<double>((items + threads - 1) / threads * threads) / static_cast<double>(items);
}

// In a run of a sixteenth of the largest extent, or of 64: half a tile more than there is.
double pastEndOf(const NestPlan &plan, AxisId axis, std::int64_t tile)
{
    if (!axis.isValid() || !plan.nest().axes[axis.value].end.isValid())
        return 1;
    const std::int64_t usual = std::max<std::int64_t>(plan.extentOf(axis) / 16, 64);
    return 1 + static_cast<double>(tile - 1) / 2 / static_cast<double>(usual);
}

} // namespace

double computedPastEnds(const NestPlan &plan, const TileChoice &choice)
{
    return pastEndOf(plan, choice.vectorAxis, choice.lanes * choice.vectors) * pastEndOf(plan, choice.rowAxis, choice.rows);
}

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
           rereadCycles(plan, facts, choice, panels) + windowRereadCycles(plan, facts, choice) +
           revisitCycles(plan, facts, choice) + cutPanelCycles(plan, facts, choice) + outputCycles(plan, facts, choice) +
           accumulators * kCodeCycles / static_cast<double>(plan.rounds()) + partialCycles(plan, facts, choice) +
           waitingCycles(plan, facts, choice);
}

std::optional<double> lanesOfReductionCycles(const NestPlan &plan, const ContractionFacts &facts,
                                             std::span<const RowsTogether> together)
{
    const auto rows = static_cast<double>(productOf(together));
    const std::int64_t side = partialVectors(plan, together);
    double cycles = 0; // for the outputs that are done together
    for (const Reduction &reduction : plan.nest().reductions) {
        if (reduction.axes.empty() || plan.extentOf(reduction.axes.back()) < 2)
            return std::nullopt;
        if (plan.isStrict() && roundsEachStep(reduction.op, reduction.dtype))
            return std::nullopt;
        double loads = 0;
        const std::vector<NestAccess> read = plan.loadsUnder(reduction.body);
        for (const NestAccess &load : read) {
            const std::int64_t stride = plan.strideIn(load, reduction.axes.back());
            const bool isSpread = !load.isMasked && isReadSpread(stride, partialLanes(plan, reduction.axes.back()));
            if (stride != 0 && stride != 1 && !isSpread)
                return std::nullopt;
            std::int64_t others = 1; // of the rows that read something else
            for (const RowsTogether &one : together)
                others *= plan.dependsOn(load, one.axis) ? one.count : 1;
            loads += static_cast<double>(others) * (isSpread ? spreadLoads(stride) + spreadShuffles(plan, stride) : 1);
        }
        const std::int64_t extent = plan.extentOf(reduction.axes.back());
        const Cover cover = coverOf(extent, partialLanes(plan, reduction.axes.back()), side);
        const auto vectors = static_cast<double>(cover.whole * side + cover.restVectors);
        const double operations =
            rows * std::max(static_cast<double>(plan.operationsUnder(reduction.body)) - static_cast<double>(read.size()), 1.0);
        const double perVector = std::max({loads / kLoadsPerCycle, operations / kInstructionsPerCycle, 1.0});
        // An accumulator waits for its own last addition: where a run along the axis is short, few of them take turns.
        const double rounds = static_cast<double>(cover.whole) + (cover.restVectors > 0 ? 1 : 0);
        const double runs = static_cast<double>(plan.elementsOf(reduction.axes)) / static_cast<double>(extent);
        cycles += runs * (std::max(vectors * perVector, rounds * latencyOf(reduction)) + rounds * kStepCycles) +
                  kHorizontalCycles + (rows - 1) * kNextHorizontalCycles;
    }
    const double outputs = static_cast<double>(plan.elementsOf(plan.nest().domain));
    return outputs / rows * cycles + outputCycles(plan, facts, {});
}

} // namespace sw
