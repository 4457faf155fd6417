// A contraction of narrow elements may be done by the tensor instructions of the device. The candidates are, for each instruction
// of the right types, register tiles of several of its tiles side by side. Each is priced in cycles, as in
// choose_contraction.cpp, so that the prices can be compared.

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/loops/written_out.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/tensor_factors.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr double kLoadsPerCycle = 2;      // of vectors
constexpr double kStepCycles = 1;         // of the loop around a step
constexpr double kLatencyCycles = 4;      // until a vector of sums can be added to again
constexpr double kGatherCycles = 1.5;     // for an element that is loaded on its own
constexpr double kCopyCycles = 0.15;      // for an element of a copy that is made in vectors
constexpr double kRaiseCycles = 0.5;      // for what a row of the tile is multiplied with
constexpr double kTileToRowsCycles = 2;   // for a vector of sums, by way of memory
constexpr double kWrittenOutCycles = 0.5; // for a product of the columns that are no whole tile
constexpr std::int64_t kFewestRows = 4;   // that read a copy: with fewer, making it does not pay

struct Factors : TensorFactors {
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t others = 1; // further indices of the domain
    std::int64_t steps = 1;
};

std::optional<Factors> factorsOf(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    const std::optional<TensorFactors> factors = tensorFactorsOf(nest, plan.dependencies());
    if (!factors)
        return std::nullopt;
    Factors found{*factors};
    found.rows = plan.extentOf(found.axes.rows);
    found.columns = plan.extentOf(found.axes.columns);
    const auto isOther = [&](AxisId axis) { return axis != found.axes.rows && axis != found.axes.columns; };
    for (const AxisId axis : nest.domain)
        found.others *= isOther(axis) ? plan.extentOf(axis) : 1;
    found.steps = plan.elementsOf(nest.reductions.front().axes);
    return found;
}

double countOf(std::int64_t extent, std::int64_t tile)
{
    return static_cast<double>((extent + tile - 1) / tile);
}

// How a value moves with an axis, where it is a load; kScattered otherwise.
std::int64_t strideOf(const NestPlan &plan, ValueId value, AxisId axis)
{
    std::int64_t stride = 0;
    const Value &load = plan.nest().values[value.value];
    return load.kind == ValueKind::Load && plan.nest().arena.linearIn(load.index, axis, stride) ? stride : NestPlan::kScattered;
}

double copyCycles(const NestPlan &plan, ValueId load, AxisId vectorAxis)
{
    const AxisId steps = plan.nest().reductions.front().axes.back();
    if (strideOf(plan, load, vectorAxis) == 1)
        return kCopyCycles;
    const bool isAlongSteps = strideOf(plan, load, steps) == 1;
    return isAlongSteps ? kGatherCycles / 2 : kGatherCycles;
}

// Cycles of all steps of all tiles, of the copies, and of what becomes of the sums.
double priceOf(const NestPlan &plan, const Factors &factors, const TensorChoice &choice)
{
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    const AxisId reduced = plan.nest().reductions.front().axes.back();
    const bool isTile = hasTileRegisters(info);
    const double tilesOfRows = isTile ? countOf(choice.tileRows, info.rows) : static_cast<double>(choice.tileRows);
    const auto vectors = static_cast<double>(choice.vectors);
    const double arithmetic = info.isRaised ? (tilesOfRows + 1) * vectors * info.cycles + tilesOfRows * kRaiseCycles
                                            : tilesOfRows * vectors * info.cycles;
    const double loadsOfA = strideOf(plan, choice.a, reduced) == 1 || isTile
                                ? tilesOfRows
                                : tilesOfRows * static_cast<double>(choice.depth) * kGatherCycles * kLoadsPerCycle;
    const double vectorsOfTile = isTile ? static_cast<double>(info.rows) : 1;
    const double loads = (loadsOfA + vectors) * vectorsOfTile / kLoadsPerCycle;
    const double step = std::max({arithmetic, loads, kLatencyCycles}) + kStepCycles;

    const std::int64_t width = info.columns * choice.vectors;
    const std::int64_t rest = factors.columns % info.columns;
    const double tiles = countOf(factors.rows, choice.tileRows) * countOf(factors.columns - rest, width);
    const double steps = static_cast<double>(factors.steps) / static_cast<double>(choice.depth);
    const auto allSteps = static_cast<double>(factors.steps);
    const double writtenOut = static_cast<double>(rest * factors.rows) * allSteps * kWrittenOutCycles;
    const double copies =
        static_cast<double>(factors.columns) * allSteps * copyCycles(plan, choice.b, choice.columns) * choice.copiesOfB +
        static_cast<double>(factors.rows) * allSteps * copyCycles(plan, choice.a, reduced) * choice.copiesOfA;
    const double sums = static_cast<double>(factors.rows * factors.columns) / static_cast<double>(info.columns) *
                        (isTile ? kTileToRowsCycles : 1);
    return static_cast<double>(factors.others) * (tiles * steps * step + writtenOut + copies + sums);
}

// The copies must fit into half of the core's own cache, because other data streams through it too, and into a work item's
// memory.
std::int64_t mostCopied(const NestPlan &plan)
{
    return mostCopiedBytes(plan.device().cacheBytesPerCore, plan.device().scratchBytes);
}

// How many panels of columns a work item goes through at once: few enough to fit, and at least two work items for each thread. 0:
// not even one fits.
std::int64_t shareOf(const NestPlan &plan, const Factors &factors, const TensorChoice &choice)
{
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    if (choice.isInOrder && !hasTileRegisters(info))
        return 1; // nothing is copied
    const std::int64_t width = info.columns * choice.vectors;
    const std::int64_t panel = (CheckedSize(factors.steps) * width * bytesOf(info.b)).saturated();
    const std::int64_t fitting = mostCopied(plan) / panel;
    if (!choice.isByRows && (fitting < 1 || !hasTileRegisters(info)))
        return std::min<std::int64_t>(fitting, 1);
    const std::int64_t panels = factors.columns / width;
    if (choice.isByRows)
        return panels;
    const std::int64_t most = std::min(fitting, panels / std::max<std::int64_t>(plan.device().threads, 2));
    return largestDivisor(panels, std::max<std::int64_t>(most, 1));
}

void consider(const NestPlan &plan, const Factors &factors, TensorChoice choice, std::optional<TensorChoice> &best)
{
    choice.share = shareOf(plan, factors, choice);
    if (choice.share < 1)
        return;
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    choice.copiesOfB = choice.isInOrder ? 0 : 1;
    choice.copiesOfA = choice.isByRows          ? (choice.isByPanel ? countOf(factors.columns, info.columns * choice.vectors) : 1)
                       : hasTileRegisters(info) ? countOf(factors.columns, info.columns * choice.vectors * choice.share)
                                                : 0;
    choice.cycles = priceOf(plan, factors, choice);
    if (!best || choice.cycles < best->cycles * 0.99)
        best = choice;
}

// Where the columns lie in tiles, no work item has to copy them, so that the work items share the rows: those of an image, whose
// pixels are the rows of the tiles. Each copies its rows once, for all columns. All tiles have the same rows, two registers or
// one, of which the last may have rows that nobody reads. Where a core's own cache does not hold all
// columns, each panel of them goes through all rows.
void considerByRows(const NestPlan &plan, const Factors &factors, TensorChoice choice, std::optional<TensorChoice> &best)
{
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    const bool areWholeColumns = factors.columns % info.columns == 0;
    choice.vectors = factors.columns % (2 * info.columns) == 0 ? 2 : 1;
    const bool hasLoop = std::ranges::any_of(plan.nest().domain, [&](AxisId axis) {
        return axis != factors.axes.rows && axis != factors.axes.columns && plan.extentOf(axis) > 1;
    });
    choice.tileRows = evenTileRows(factors.rows, 2 * info.rows);
    const std::int64_t rowBytes = (CheckedSize(factors.steps) * 2 * info.rows * bytesOf(info.a)).saturated();
    if (!choice.isInOrder || !areWholeColumns || !hasLoop || choice.tileRows < kFewestTileRows ||
        !canCopyRows(plan.nest(), factors) || rowBytes > mostCopied(plan))
        return;
    choice.isByRows = true;
    const std::int64_t columnBytes = (CheckedSize(factors.steps) * factors.columns * bytesOf(info.b)).saturated();
    choice.isByPanel = columnBytes > plan.device().cacheBytesPerCore;
    consider(plan, factors, choice, best);
}

// Tiles in registers of their own: two by two of them are sums, and two of each factor are read in a step. Panels that leave a
// rest of columns would have no copy for it, and its tiles be put together element by element: then a panel has one.
void considerTiles(const NestPlan &plan, const Factors &factors, TensorChoice choice, std::optional<TensorChoice> &best)
{
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    choice.vectors = choice.isInOrder || factors.columns % (2 * info.columns) == 0 ? 2 : 1;
    considerByRows(plan, factors, choice, best);
    choice.tileRows = 2 * info.rows;
    const bool haveLoops = factors.rows >= 2 * choice.tileRows && factors.columns >= 4 * info.columns;
    if (!haveLoops || !areWholeTiles(plan.nest(), factors, info))
        return;
    const std::int64_t rowBytes = (CheckedSize(factors.steps) * choice.tileRows * bytesOf(info.a)).saturated();
    if (rowBytes <= mostCopied(plan) / 2)
        consider(plan, factors, choice, best);
}

// Sums in vectors, one row each.
void considerVectors(const NestPlan &plan, const Factors &factors, TensorChoice choice, std::optional<TensorChoice> &best)
{
    constexpr std::array<std::int64_t, 10> kRows = {1, 2, 3, 4, 5, 6, 7, 8, 12, 14};
    constexpr std::array<std::int64_t, 4> kVectors = {1, 2, 3, 4};
    const TensorInstructionInfo &info = infoOf(choice.instruction);
    if (factors.rows < kFewestRows || factors.columns < info.columns)
        return;
    for (const std::int64_t rows : kRows) {
        for (const std::int64_t vectors : kVectors) {
            const bool isTooLarge = rows > factors.rows || vectors * info.columns > factors.columns;
            // The copy is made at a loop.
            const bool hasLoop = factors.others > 1 || rows < factors.rows || vectors * info.columns < factors.columns;
            if (isTooLarge || !hasLoop || registersFor(info, rows, vectors) > info.registers)
                continue;
            choice.tileRows = rows;
            choice.vectors = vectors;
            consider(plan, factors, choice, best);
        }
    }
}

// How many elements of what the load reads are copied, in all. Nothing: it is not read from a copy.
std::optional<double> copiedIn(const LoopNest &made, ValueId load)
{
    const auto pack = std::ranges::find(made.packs, load, &Pack::load);
    if (pack == made.packs.end())
        return std::nullopt;
    std::vector<AxisId> axes = loopsOutsideOf(made, *pack);
    axes.insert(axes.end(), pack->order.begin(), pack->order.end());
    double copied = 1;
    for (const AxisId axis : axes)
        copied *= static_cast<double>(made.axes[axis.value].extent);
    return copied;
}

} // namespace

std::optional<double> tensorCycles(const NestPlan &plan, const LoopNest &made)
{
    const std::optional<Factors> factors = factorsOf(plan);
    if (!factors || !made.reductions.front().instruction || tileRolesOf(made, ReductionId(0U)).columns != factors->axes.columns)
        return std::nullopt;
    const TensorInstructionInfo &info = infoOf(*made.reductions.front().instruction);
    const auto indicesIn = [&](AxisId unsplit) {
        const AxisId tile = tileOf(made, unsplit);
        return tile.isValid() ? made.axes[tile.value].extent : 1;
    };
    const std::optional<double> copiedOfA = copiedIn(made, factors->a);
    const std::optional<double> copiedOfB = copiedIn(made, factors->b);
    const bool isInOrder = areColumnsInOrder(plan.nest(), *factors, info);
    const bool isRead = isInOrder || copiedOfB;
    const std::int64_t tileRows = indicesIn(factors->axes.rows);
    const std::int64_t columns = indicesIn(factors->axes.columns);
    const bool hasOtherTiles = writtenOutElements(made) != tileRows * columns;
    if (!isRead || hasOtherTiles || (hasTileRegisters(info) && !copiedOfA))
        return std::nullopt;
    const auto steps = static_cast<double>(factors->others * factors->steps);
    return priceOf(plan, *factors,
                   {.instruction = *made.reductions.front().instruction,
                    .columns = factors->axes.columns,
                    .rows = factors->axes.rows,
                    .a = factors->a,
                    .b = factors->b,
                    .isInOrder = isInOrder,
                    .depth = tileExtentsOf(made, ReductionId(0U)).depth,
                    .vectors = columns / info.columns,
                    .tileRows = tileRows,
                    .copiesOfA = copiedOfA.value_or(0) / (steps * static_cast<double>(factors->rows)),
                    .copiesOfB = copiedOfB.value_or(0) / (steps * static_cast<double>(factors->columns))});
}

std::optional<TensorChoice> bestTensorTile(const NestPlan &plan)
{
    if (plan.tensorInstructions() == 0 || plan.isStage()) // stages keep plain vectors
        return std::nullopt;
    const std::optional<Factors> factors = factorsOf(plan);
    if (!factors)
        return std::nullopt;
    const LoopNest &nest = plan.nest();
    const Reduction &reduction = nest.reductions.front();
    if (plan.isStrict() && roundsEachStep(reduction.op, reduction.dtype))
        return std::nullopt;
    std::optional<TensorChoice> best;
    for (const TensorInstruction one : instructionsFor(nest, *factors, plan.tensorInstructions())) {
        const TensorInstructionInfo &info = infoOf(one);
        TensorChoice choice{.instruction = one,
                            .columns = factors->axes.columns,
                            .rows = factors->axes.rows,
                            .a = factors->a,
                            .b = factors->b,
                            .isInOrder = areColumnsInOrder(nest, *factors, info)};
        for (const std::int64_t depth : depthsFor(nest, info)) {
            choice.depth = depth;
            if (hasTileRegisters(info))
                considerTiles(plan, *factors, choice, best);
            else
                considerVectors(plan, *factors, choice, best);
        }
    }
    return best;
}

} // namespace sw
