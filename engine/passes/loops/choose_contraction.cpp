#include "engine/base/checked_size.h"
#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/choose.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/factors.h"
#include "engine/passes/loops/join_choice.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <limits>
#include <optional>
#include <span>
#include <utility>

// A contraction is bounded by arithmetic when operands are reused from registers. The candidates are register tiles: `lanes` x
// `vectors` indices of one axis by `rows` of another, with an accumulator for each. Each is priced in cycles per step of the
// reduction, for a core that does two vector operations and two loads per cycle, and the cheapest tile overall is taken.

namespace sw {

namespace {

void consider(const NestPlan &plan, const ContractionFacts &facts, TileChoice choice, std::optional<TileChoice> &best)
{
    choice.cycles = tileCycles(plan, facts, choice);
    if (best && choice.cycles * computedPastEnds(plan, choice) >= best->cycles * computedPastEnds(plan, *best) * 0.99)
        return;
    if (choice.blockSteps == 0 || canTileInBlocks(plan, choice))
        best = choice;
}

struct Lanes {
    std::int64_t count = 1;
    bool areMasked = false;
};

// The lanes that so many vectors side by side may have. Masked ones may reach past the axis, and are for what is no vector as it
// is.
std::vector<Lanes> lanesFor(const NestPlan &plan, const ContractionFacts &facts, AxisId vectorAxis, std::int64_t vectors)
{
    const std::int64_t extent = plan.extentOf(vectorAxis);
    std::vector<Lanes> all;
    const std::int64_t whole = std::min(facts.lanes, floorPowerOfTwo(extent));
    if (vectors == 1 || whole * vectors <= extent)
        all.push_back({whole, false});
    const std::int64_t masked = std::min(
        facts.lanes, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(std::max<std::int64_t>(extent, 1)))));
    const std::int64_t rest = extent % masked;
    const bool isInOneTile = masked * vectors > extent && masked * (vectors - 1) < extent;
    const bool savesVectors = masked * vectors <= extent && std::popcount(static_cast<std::uint64_t>(rest)) > 1;
    if (rest != 0 && (isInOneTile || savesVectors))
        all.push_back({masked, true});
    return all;
}

void considerTiles(const NestPlan &plan, const ContractionFacts &facts, std::int64_t blockSteps, std::optional<TileChoice> &best)
{
    constexpr std::array<std::int64_t, 10> kRows = {1, 2, 3, 4, 5, 6, 7, 8, 12, 14}; // 7 and 14: whole rows of small images
    constexpr std::array<std::int64_t, 6> kVectors = {1, 2, 3, 4, 6, 8};
    const std::int64_t registers = plan.device().vectorRegisters;
    for (const AxisId vectorAxis : plan.nest().domain) {
        std::vector<AxisId> rowAxes = plan.nest().domain;
        std::erase(rowAxes, vectorAxis);
        rowAxes.push_back(AxisId());
        for (const AxisId rowAxis : rowAxes) {
            for (const std::int64_t rows : kRows) {
                if (rows > (rowAxis.isValid() ? plan.extentOf(rowAxis) : 1))
                    continue;
                for (const std::int64_t vectors : kVectors) {
                    if (rows * vectors + vectors + 1 > registers)
                        continue; // the reductions are done one after the other
                    for (const Lanes &lanes : lanesFor(plan, facts, vectorAxis, vectors))
                        consider(plan, facts,
                                 {.vectorAxis = vectorAxis,
                                  .rowAxis = rowAxis,
                                  .lanes = lanes.count,
                                  .vectors = vectors,
                                  .rows = rows,
                                  .isMasked = lanes.areMasked,
                                  .blockSteps = blockSteps},
                                 best);
                }
            }
        }
    }
}

// Of a block, the rows of a tile and a panel stay in the first level together, so that the next panel finds the rows there.
bool staysNear(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice, std::int64_t steps)
{
    const std::int64_t bytes = plan.device().vectorBytes / facts.lanes;
    return (choice.rows + choice.lanes * choice.vectors) * steps * bytes <= plan.device().firstLevelBytes / 4 * 3;
}

// What waits for lines is known less well than the rest of the price, so blocks that are to save it must promise a twentieth.
constexpr double kBlocksGain = 0.95;

// The cheapest tile, with the reduction as a whole or in blocks.
std::optional<TileChoice> bestDomainTile(const NestPlan &plan, const ContractionFacts &facts)
{
    std::optional<TileChoice> best;
    considerTiles(plan, facts, 0, best);
    const std::int64_t widest = 4 * facts.lanes;
    const bool fitsWhole = fitsPacked(plan, facts, widest, plan.device().vectorBytes / facts.lanes);
    if (best)
        noteWaiting(plan, facts, *best);
    if (!best || (fitsWhole && !best->leavesCache) || !canBeInBlocks(plan))
        return best;
    const std::int64_t outermost = plan.extentOf(plan.nest().reductions.front().axes.front());
    const std::int64_t inner = facts.steps / outermost; // steps for each of the axis that is divided
    std::int64_t blockSteps = std::max<std::int64_t>(kBlockSteps / inner, 1);
    if (outermost < 2 * blockSteps)
        return best;
    ContractionFacts inBlocks = facts;
    inBlocks.blocks = (outermost + blockSteps - 1) / blockSteps;
    std::optional<TileChoice> blocked;
    considerTiles(plan, inBlocks, blockSteps, blocked);
    while (blocked && blockSteps / 2 * inner >= kFewestBlockSteps && blockSteps % 2 == 0 &&
           !staysNear(plan, facts, *blocked, blockSteps * inner)) {
        blockSteps /= 2;
        inBlocks.blocks = (outermost + blockSteps - 1) / blockSteps;
        blocked->blockSteps = blockSteps;
        blocked->cycles = tileCycles(plan, inBlocks, *blocked);
    }
    if (!blocked || !canTileInBlocks(plan, *blocked))
        return best;
    noteWaiting(plan, inBlocks, *blocked);
    blocked->fitsAlone = fitsWhole;
    const bool promises = blocked->cycles + blocked->waiting < kBlocksGain * (best->cycles + best->waiting);
    const bool isBetter = promises || (!fitsWhole && blocked->cycles < best->cycles);
    return isBetter ? blocked : best;
}

// A tile reads memory across the runs of its rows, or again for each of a few, which its cycles leave out. With so many steps it
// takes twice of them: 6 rows of 96 steps with 96 MiB 13.4 ms where rows together take 6.7.
constexpr std::int64_t kLongSteps = 48;
constexpr double kMemoryFactor = 2;

constexpr std::int64_t kRoundsPerThread = 2; // of the loop that they share

// As it is with what can be joined.
NestPlan withJoins(const NestPlan &plan)
{
    NestPlan joined = plan;
    joinReductions(joined, kFewestStepsInLanes);
    return joined;
}

// isCheapest: no tile of the outputs takes fewer cycles.
void applyReductionLanes(NestPlan &plan, const std::optional<RowTile> &together, double cycles, bool isCheapest,
                         std::int64_t total)
{
    const std::string reason = format("partial results in the lanes; {}, {}", plan.cyclesText(cycles),
                                      isCheapest ? "less than any tile of the outputs" : "and memory is read in long runs");
    joinReductions(plan, kFewestStepsInLanes);
    for (std::size_t i = 0; i < plan.nest().reductions.size(); ++i) {
        const Reduction &reduction = plan.nest().reductions[i];
        if (reduction.joined)
            continue;
        const AxisId axis = reduction.axes.back();
        const std::int64_t lanes = partialLanes(plan, axis);
        const VectorShape shape =
            vectorShape(plan, axis, {.perPoint = plan.operationsAlong(reduction.body, axis), .total = total},
                        plan.loadsUnder(reduction.body));
        const auto members = static_cast<std::int64_t>(1 + joinedTo(plan.nest(), ReductionId(i)).size());
        const std::int64_t vectors = partialVectors(plan, together ? together->rows : std::vector<RowsTogether>(), members);
        plan.tile(axis, std::min(plan.extentOf(axis), vectors * lanes), shape.registers * lanes, shape.reason(reason));
    }
    if (together)
        takeTogether(plan, *together);
    const std::vector<AxisId> order = plan.nest().order;
    plan.shareLoops(order, plan.loopsAmong(order), kRoundsPerThread, total, "the threads' loop outside");
}

} // namespace

void chooseForContraction(NestPlan &plan)
{
    const ContractionFacts facts = contractionFactsOf(plan);
    const std::int64_t total =
        (CheckedSize(facts.steps) * (facts.operations + 1) * plan.elementsOf(plan.nest().domain)).saturated();
    const std::optional<TileChoice> tile = bestDomainTile(plan, facts);
    const std::optional<RowTile> together = rowsTogether(withJoins(plan));
    const std::optional<double> lanes =
        lanesOfReductionCycles(plan, facts, together ? together->rows : std::vector<RowsTogether>());
    const bool isCheapest = lanes && (!tile || *lanes < tile->cycles);
    const bool readsMemoryTogether = lanes && together && together->isFromMemory && together->isAlike && tile &&
                                     facts.steps >= kLongSteps && *lanes < kMemoryFactor * tile->cycles;
    constexpr double kNone = std::numeric_limits<double>::infinity();
    const double cheapest = std::min(tile ? tile->cycles : kNone, lanes.value_or(kNone));
    if (const std::optional<TensorChoice> tensor = bestTensorTile(plan); tensor && tensor->cycles < cheapest)
        applyTensorTile(plan, *tensor, cheapest, total);
    else if (isCheapest || readsMemoryTogether)
        applyReductionLanes(plan, together, *lanes, isCheapest, total);
    else if (tile && tile->blockSteps > 0)
        applyTileInBlocks(plan, *tile);
    else if (tile)
        applyTile(plan, *tile, total);
}

namespace {

// The tile of a nest as the model sees it: one axis in vectors, another one in rows.
std::optional<TileChoice> tileIn(const LoopNest &made)
{
    TileChoice choice;
    for (const AxisId leaf : made.order)
        if (made.axes[leaf.value].type == AxisType::Vector)
            choice.vectorAxis = unsplitAxis(made, leaf);
    if (!choice.vectorAxis.isValid())
        return std::nullopt;
    for (const AxisId leaf : made.order) {
        const Axis &axis = made.axes[leaf.value];
        if (!isRepeated(axis.type) || axis.extent == 1)
            continue;
        const AxisId whole = unsplitAxis(made, leaf);
        if (axis.type == AxisType::Vector) {
            choice.isMasked = axis.isMasked;
            choice.lanes = static_cast<std::int64_t>(axis.isMasked ? std::bit_ceil(static_cast<std::uint64_t>(axis.extent))
                                                                   : static_cast<std::uint64_t>(axis.extent));
            const std::int64_t columns = made.axes[tileOf(made, whole).value].extent;
            choice.vectors =
                axis.isMasked ? (columns + choice.lanes - 1) / choice.lanes : std::max(columns / choice.lanes, std::int64_t{1});
        } else if (whole == choice.vectorAxis) {
            continue; // the vectors side by side
        } else if (!choice.rowAxis.isValid() || choice.rowAxis == whole) {
            choice.rowAxis = whole;
            choice.rows *= axis.extent;
        } else {
            return std::nullopt;
        }
    }
    return choice;
}

// The plain nest with the axes that the list makes of others as wholes: the model knows no parts of an axis, but these are none.
// Nothing: they do not come first, so that axes have other numbers.
std::optional<LoopNest> withWholeAxesOf(const LoopNest &plain, const LoopNest &made)
{
    LoopNest whole = plain;
    for (std::size_t i = plain.transforms.size(); i < made.transforms.size(); ++i) {
        const TransformKind kind = made.transforms[i].kind;
        if (kind != TransformKind::Divide && kind != TransformKind::Merge && kind != TransformKind::Pad)
            continue;
        Result<LoopNest> changed = applyTransform(std::move(whole), made.transforms[i]);
        if (!changed)
            return std::nullopt;
        whole = std::move(*changed);
    }
    const bool isAlike =
        whole.axes.size() <= made.axes.size() &&
        std::ranges::equal(whole.axes, std::span(made.axes).first(whole.axes.size()), {}, &Axis::name, &Axis::name);
    return isAlike ? std::optional(std::move(whole)) : std::nullopt;
}

std::vector<RowsTogether> rowsTogetherIn(const LoopNest &made)
{
    std::vector<RowsTogether> rows;
    for (const AxisId leaf : made.order)
        if (made.axes[leaf.value].type == AxisType::Upcast)
            rows.push_back({unsplitAxis(made, leaf), made.axes[leaf.value].extent});
    return rows;
}

bool isAlongReduction(const LoopNest &made)
{
    return std::ranges::all_of(made.reductions, [&](const Reduction &reduction) {
        return reduction.joined ||
               std::ranges::any_of(reduction.order, [&](AxisId leaf) { return made.axes[leaf.value].type == AxisType::Vector; });
    });
}

} // namespace

std::optional<double> contractionCycles(const Schedule &schedule, const LoopNest &plain, const LoopNest &made,
                                        const PassContext &context)
{
    const std::optional<LoopNest> whole = withWholeAxesOf(plain, made);
    if (!whole)
        return std::nullopt;
    const NestPlan plan(schedule, *whole, context);
    if (!isContraction(plan))
        return std::nullopt;
    if (std::ranges::any_of(made.reductions, [](const Reduction &reduction) { return reduction.instruction.has_value(); }))
        return tensorCycles(plan, made);
    ContractionFacts facts = contractionFactsOf(plan);
    std::erase_if(facts.padding, [&](const PaddedPart &padding) {
        const Axis &axis = made.axes[padding.coordinate.reduced.value];
        return axis.type != AxisType::Reduce || axis.copies < axis.extent;
    });
    std::optional<TileChoice> tile = tileIn(made);
    if (!tile)
        return isAlongReduction(made) ? lanesOfReductionCycles(plan, facts, rowsTogetherIn(made)) : std::nullopt;
    // A vector that is wider than a register takes several, as if they stood side by side.
    if (tile->lanes > facts.lanes && tile->lanes % facts.lanes == 0) {
        tile->vectors *= tile->lanes / facts.lanes;
        tile->lanes = facts.lanes;
    }
    if (const std::optional<AxisId> block = blockLoopOf(made)) {
        facts.blocks = made.axes[block->value].extent;
        tile->blockSteps = made.axes[block->value].factor;
    }
    return tileCycles(plan, facts, *tile);
}

} // namespace sw
