// What a tile reads for its rows, where these lie side by side in memory and the steps of the reduction a line of the cache or
// more apart: 5 pixels of every channel of an image, say. Each step then takes lines of which it needs a few elements, and where
// they and a panel of columns are more than the first level holds, both come from the second level for every tile. A copy of the
// rows is dense, and serves all panels.

#include "engine/passes/loops/contraction_lines.h"

#include <algorithm>

namespace sw {

namespace {

// Measured with products of 256 to 4096 steps and 32 to 200 rows, in tiles of 5 and 6 rows by 16 columns, whose steps take 5 and
// 6 cycles. Steps of nearly two or three lines confuse what fetches lines ahead: 6 rows take 6.6 cycles with 208 bytes from step
// to step, and 8.4 with 180 to 204 (but not with 192), such as those of the 49 pixels of an image of 7 x 7.
constexpr double kUnevenLineCycles = 1.9;
constexpr double kOuterRowCycles = 9;    // of rows, from beyond the core's own cache
constexpr double kOuterPanelCycles = 5;  // of panels, from there
constexpr double kPanelLineCycles = 0.2; // of panels that go past a copy
constexpr double kCopiedCycles = 0.5;    // per element of a copy, which is made in vectors
constexpr double kCopiedAloneCycles = 1.2;
constexpr std::int64_t kFarBytes = 256;   // steps so far apart lie in other pages soon, and are charged elsewhere
constexpr std::int64_t kUnevenBytes = 12; // of a whole number of lines

constexpr auto kLine = static_cast<double>(kCacheLineBytes);

double blockStepsOf(const ContractionFacts &facts)
{
    return static_cast<double>(facts.steps) / static_cast<double>(facts.blocks);
}

// The lines that one tile reads for so many rows.
struct RowLines {
    double perStep = 0;
    double anew = 0;        // of each: the part that no tile before has read
    double bytes = 0;       // of all steps of a block
    double all = 0;         // bytes of all rows, for one panel
    bool areUneven = false; // some steps are nearly a whole number of lines apart
};

bool isUneven(std::int64_t step)
{
    const std::int64_t more = step % kCacheLineBytes;
    const std::int64_t off = std::min(more, kCacheLineBytes - more);
    return step > kCacheLineBytes + kUnevenBytes && step < kFarBytes - kUnevenBytes && off > 0 && off <= kUnevenBytes;
}

RowLines rowLinesOf(const NestPlan &plan, const ContractionFacts &facts, const NestAccess &load, const TileChoice &choice)
{
    RowLines result;
    double steps = 1; // that have lines of their own
    const std::int64_t apart = plan.bytesApart(load, choice.rowAxis);
    std::int64_t span = (choice.rows - 1) * apart;
    for (const Reduction &reduction : plan.nest().reductions)
        for (const AxisId axis : reduction.axes) {
            const std::int64_t step = plan.bytesApart(load, axis);
            result.areUneven = result.areUneven || isUneven(step);
            if (step >= kCacheLineBytes)
                steps *= static_cast<double>(plan.extentOf(axis));
            else
                span += (plan.extentOf(axis) - 1) * step;
        }
    const double lines = 1 + static_cast<double>(span) / kLine;
    result.perStep = steps * lines / static_cast<double>(facts.steps);
    result.anew = std::min(1.0, static_cast<double>(choice.rows * apart) / kLine / lines);
    result.bytes = result.perStep * kLine * blockStepsOf(facts);
    result.all = blockStepsOf(facts) * static_cast<double>(load.bytes);
    for (const AxisId axis : plan.nest().domain)
        if (plan.dependsOn(load, axis) && !movesPanels(plan, choice, axis))
            result.all *= static_cast<double>(plan.extentOf(axis));
    result.all = std::min(result.all, static_cast<double>(bufferBytes(plan, load).value_or(0)));
    return result;
}

// What moves with the columns and not with the rows, in a block.
struct PanelLines {
    double perStep = 0;
    double bytes = 0;     // of a panel
    double all = 0;       // bytes of all panels
    double uncharged = 0; // lines per step that the price of a step leaves out, since two vectors share them
};

PanelLines panelLinesOf(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    PanelLines result;
    const auto width = static_cast<double>(choice.lanes * choice.vectors);
    for (const NestAccess &load : facts.loads) {
        if (plan.strideIn(load, choice.vectorAxis) == 0 || plan.dependsOn(load, choice.rowAxis))
            continue;
        const double bytes = blockStepsOf(facts) * static_cast<double>(load.bytes);
        result.bytes += bytes * width;
        result.all += bytes * static_cast<double>(plan.extentOf(choice.vectorAxis));
        result.perStep += width * static_cast<double>(load.bytes) / kLine;
        if (readsNewVectors(plan, load) && !readsNewLines(plan, load))
            result.uncharged += width * static_cast<double>(load.bytes) / kLine;
    }
    return result;
}

// Tiles of rows that go past a panel.
double tilesOfRows(const NestPlan &plan, const TileChoice &choice)
{
    double tiles = 1;
    for (const AxisId axis : plan.nest().domain)
        if (axis != choice.vectorAxis && !movesPanels(plan, choice, axis))
            tiles *= static_cast<double>(plan.extentOf(axis)) / static_cast<double>(axis == choice.rowAxis ? choice.rows : 1);
    return tiles;
}

// The longest loop that work items can share without copying rows twice. groups: of panels.
std::int64_t workItemsOf(const NestPlan &plan, const TileChoice &choice, std::int64_t groups)
{
    std::int64_t most = groups;
    for (const AxisId axis : plan.nest().domain)
        if (axis != choice.vectorAxis)
            most = std::max(most, plan.extentOf(axis) / (axis == choice.rowAxis ? choice.rows : 1));
    return most;
}

// Whether the rows lie side by side in memory, a few in a line, and some step of the reduction a line or more apart.
bool areNearRows(const NestPlan &plan, const NestAccess &load, AxisId rowAxis)
{
    const std::int64_t apart = plan.bytesApart(load, rowAxis);
    const auto isFar = [&](AxisId axis) { return plan.bytesApart(load, axis) >= kCacheLineBytes; };
    return apart > 0 && apart < kCacheLineBytes &&
           std::ranges::any_of(
               plan.nest().reductions, [&](const Reduction &reduction) { return std::ranges::any_of(reduction.axes, isFar); });
}

// Cycles per step for the lines of such rows and of a panel, where the first level does not hold both from one tile to the next.
// Notes in `choice` whether they do not stay in the core's own cache either.
double nearRowCycles(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice, const NestAccess &load)
{
    const RowLines lines = rowLinesOf(plan, facts, load, choice);
    const PanelLines panel = panelLinesOf(plan, facts, choice);
    if (lines.bytes + panel.bytes <= static_cast<double>(plan.device().firstLevelBytes))
        return 0;
    const auto cache = static_cast<double>(plan.device().cacheBytesPerCore);
    // Somebody has to read the rows once.
    const double others =
        1 - static_cast<double>(choice.lanes * choice.vectors) / static_cast<double>(plan.extentOf(choice.vectorAxis));
    const double anew = lines.all + panel.bytes <= cache ? 0 : others * lines.anew * kOuterRowCycles;
    const double arithmetic = static_cast<double>(choice.rows * choice.vectors * facts.operations) / 2;
    const double again = lines.bytes + panel.bytes <= cache ? 0 : std::max(panel.uncharged * kOuterPanelCycles - arithmetic, 0.0);
    choice.leavesCache = choice.leavesCache || anew + again > 0;
    return lines.perStep * ((lines.areUneven ? kUnevenLineCycles : 0) + anew) + again;
}

// Likewise, with a copy of the rows of each tile, which serves a group of panels, as many as stay in the core's own cache (in
// blocks: those of a work item).
struct CopiedRows {
    std::int64_t panels = 0; // in a group
    double cycles = 0;
};

// Nothing: the panels are too few, the copy is too large, or the threads have no loop to share.
std::optional<CopiedRows> copiedRowsOf(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice,
                                       const NestAccess &load)
{
    if (load.isMasked || plan.dependsOn(load, choice.vectorAxis) || plan.isStage() || facts.reductions != 1)
        return std::nullopt;
    const PanelLines panel = panelLinesOf(plan, facts, choice);
    const double copy = blockStepsOf(facts) * static_cast<double>(choice.rows * load.bytes);
    const std::int64_t all = plan.extentOf(choice.vectorAxis) / (choice.lanes * choice.vectors);
    if (panel.bytes <= 0)
        return std::nullopt; // what moves with the columns moves with the rows, too
    const double room = static_cast<double>(plan.device().cacheBytesPerCore) / 2;
    const std::int64_t panels = choice.blockSteps > 0 ? panelsPerCopyInBlocks(plan, choice)
                                                      : std::min(all, static_cast<std::int64_t>(room / panel.bytes));
    const auto memory =
        static_cast<double>(std::min<std::int64_t>(plan.device().firstLevelBytes / 4 * 3, plan.device().scratchBytes));
    if (panels < 2 || copy > memory)
        return std::nullopt;
    if (choice.blockSteps == 0 && workItemsOf(plan, choice, all / panels) < 2 * std::int64_t{plan.device().threads})
        return std::nullopt;
    const double perElement = plan.bytesApart(load, choice.rowAxis) == load.bytes ? kCopiedCycles : kCopiedAloneCycles;
    const RowLines lines = rowLinesOf(plan, facts, load, choice);
    const double copied = static_cast<double>(choice.rows) * perElement + lines.perStep * kUnevenLineCycles;
    return CopiedRows{panels, copied / static_cast<double>(panels) + panel.perStep * kPanelLineCycles};
}

// Cycles per step for panels that come from beyond the core's own cache for the first tile of rows, where a panel does not stay
// for all rows, so that nothing fetches the next one ahead.
double freshPanelCycles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    const PanelLines panel = panelLinesOf(plan, facts, choice);
    const bool isKept = panel.all * static_cast<double>(facts.blocks) <= static_cast<double>(plan.device().cacheBytesPerCore) / 2;
    return isKept ? 0 : panel.perStep * kOuterPanelCycles / tilesOfRows(plan, choice);
}

// All steps of all whole tiles.
double stepsOfTiles(const NestPlan &plan, const ContractionFacts &facts, const TileChoice &choice)
{
    double steps = static_cast<double>(facts.steps) * choice.computed;
    for (const AxisId axis : plan.nest().domain) {
        const std::int64_t tile =
            axis == choice.vectorAxis ? choice.lanes * choice.vectors : (axis == choice.rowAxis ? choice.rows : 1);
        steps *= static_cast<double>(plan.extentOf(axis) / tile);
    }
    return steps;
}

} // namespace

bool movesPanels(const NestPlan &plan, const TileChoice &choice, AxisId axis)
{
    return std::ranges::any_of(plan.nest().reductions, [&](const Reduction &reduction) {
        return std::ranges::any_of(plan.loadsUnder(reduction.body), [&](const NestAccess &load) {
            return plan.dependsOn(load, choice.vectorAxis) && !plan.dependsOn(load, choice.rowAxis) && plan.dependsOn(load, axis);
        });
    });
}

void noteWaiting(const NestPlan &plan, const ContractionFacts &facts, TileChoice &choice)
{
    if (!choice.rowAxis.isValid() || choice.rows == 1)
        return;
    const double fresh = freshPanelCycles(plan, facts, choice);
    double cycles = choice.blockSteps > 0 ? fresh : 0;
    for (const NestAccess &load : facts.loads) {
        if (plan.strideIn(load, choice.vectorAxis) != 0 || !areNearRows(plan, load, choice.rowAxis))
            continue;
        const double waited = nearRowCycles(plan, facts, choice, load);
        const bool mayCopy = choice.packed.empty() && !choice.copiedRows.isValid();
        const std::optional<CopiedRows> copy = mayCopy ? copiedRowsOf(plan, facts, choice, load) : std::nullopt;
        const double copied = copy ? copy->cycles + (choice.blockSteps > 0 ? 0 : fresh) : waited;
        if (copied < waited) {
            choice.copiedRows = load.load;
            choice.panelsPerCopy = copy->panels;
        }
        cycles += std::min(copied, waited);
    }
    choice.waiting = stepsOfTiles(plan, facts, choice) * cycles;
}

} // namespace sw
