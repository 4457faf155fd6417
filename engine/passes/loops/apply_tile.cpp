#include "engine/loops/queries.h"
#include "engine/passes/loops/contraction_price.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <bit>
#include <concepts>

namespace sw {

namespace {

constexpr std::int64_t kItemsPerThread = 4;

// columns: the loop over the panels; invalid if there is only one. Packs inside the last loop that moves the packed load, or,
// if no loop does, once for each step of the outermost loop.
void applyPacks(NestPlan &plan, const TileChoice &choice, AxisId columns)
{
    const AxisId panel = columns.isValid() ? tileOf(plan, choice.vectorAxis) : choice.vectorAxis;
    for (const ValueId load : choice.packed) {
        AxisId at = plan.nest().order.front();
        for (const AxisId leaf : plan.nest().order) {
            const AxisType type = plan.nest().axes[leaf.value].type;
            if (type != AxisType::Upcast && type != AxisType::Vector &&
                std::ranges::binary_search(plan.dependencies()[load.value], unsplitAxis(plan.nest(), leaf)))
                at = leaf;
        }
        const auto reads = [&](const Reduction &reduction) {
            return std::ranges::any_of(plan.loadsUnder(reduction.body),
                                       [&](const NestAccess &access) { return access.load == load; });
        };
        std::vector<AxisId> axes = std::ranges::find_if(plan.nest().reductions, reads)->axes;
        axes.push_back(panel);
        plan.pack(load, at, axes, choice.packReason);
    }
}

// Moves a work item's share of the threaded loop inside the loops that move the panels, so that it packs a panel only once for
// all of its rows, or reads it while it is in the core's cache.
template <std::predicate<AxisId> MovesPanel>
void rowsInsidePanels(NestPlan &plan, AxisId threaded, MovesPanel movesPanel, const std::string &reason)
{
    std::vector<AxisId> order = plan.nest().order;
    const auto isLoop = [&plan](AxisId leaf) { return plan.nest().axes[leaf.value].type == AxisType::Loop; };
    const auto rows =
        std::ranges::find_if(order, [&](AxisId leaf) { return isLoop(leaf) && plan.nest().axes[leaf.value].source == threaded; });
    if (rows == order.end())
        return;
    auto panels = order.end();
    for (auto leaf = rows + 1; leaf != order.end(); ++leaf)
        if (isLoop(*leaf) && movesPanel(*leaf))
            panels = leaf;
    if (panels == order.end())
        return;
    std::rotate(rows, rows + 1, panels + 1);
    plan.reorder(order, reason);
}

// What moves with the columns and not with the rows, if it is larger than this.
std::vector<ValueId> panelsAbove(const NestPlan &plan, const TileChoice &choice, std::int64_t bytes)
{
    std::vector<ValueId> panels;
    if (!choice.rowAxis.isValid() || plan.nest().reductions.size() != 1)
        return panels;
    for (const NestAccess &load : plan.loadsUnder(plan.nest().reductions.front().body)) {
        const BufferId buffer = plan.nest().values[load.load.value].buffer;
        const bool isPanel = plan.dependsOn(load, choice.vectorAxis) && !plan.dependsOn(load, choice.rowAxis);
        if (isPanel && buffer.isValid() && plan.schedule().buffer(buffer).bytes() > bytes)
            panels.push_back(load.load);
    }
    return panels;
}

// Few work items share the work unevenly. Where none of them packs anything, the next loop is divided among work items too; its
// neighbours read the same panel.
void shareFurther(NestPlan &plan)
{
    const std::vector<AxisId> order = plan.nest().order;
    const auto isOfType = [&](AxisType type) {
        return [&plan, type](AxisId leaf) { return plan.nest().axes[leaf.value].type == type; };
    };
    const auto items = std::ranges::find_if(order, isOfType(AxisType::Thread));
    if (items == order.end() || plan.isStage())
        return;
    const std::int64_t wanted = kItemsPerThread * plan.device().threads;
    const auto next = std::ranges::find_if(items + 1, order.end(), isOfType(AxisType::Loop));
    if (next == order.end() || plan.extentOf(*items) >= wanted || plan.nest().axes[next->value].source.isValid())
        return;
    const std::int64_t count = plan.extentOf(*items);
    const std::int64_t parts = largestDivisor(plan.extentOf(*next), (wanted + count - 1) / count);
    if (parts < 2)
        return;
    const std::string reason = format("{} work items in place of {}, which share the work evenly", count * parts, count);
    const AxisId outer = parts == plan.extentOf(*next) ? *next : plan.split(*next, plan.extentOf(*next) / parts, reason).outer;
    plan.setType(outer, AxisType::Thread, reason);
}

} // namespace

std::string tileReason(const NestPlan &plan, const TileChoice &choice)
{
    return format("{} x {} register tile of {} lanes; {}", choice.rows, choice.vectors, choice.lanes,
                  plan.cyclesText(choice.cycles));
}

AxisId tileOf(const NestPlan &plan, AxisId axis)
{
    AxisId inner = axis;
    for (std::size_t i = 0; i < plan.nest().axes.size(); ++i)
        if (plan.nest().axes[i].source == axis)
            inner = AxisId(i); // the inner part comes last
    return inner;
}

void applyWrittenOut(NestPlan &plan, const TileChoice &choice)
{
    if (choice.writtenOut.empty())
        return;
    if (choice.rowSteps.isValid() && plan.nest().reductions.front().order.back() != choice.rowSteps) {
        std::vector<AxisId> order = plan.nest().reductions.front().order;
        std::erase(order, choice.rowSteps);
        order.push_back(choice.rowSteps);
        plan.reorder(order, "the steps along the rows of the tile innermost: neighbouring rows read the same elements");
    }
    const Value &body = plan.nest().values[plan.nest().reductions.front().body.value];
    const bool isOfProducts = body.kind == ValueKind::Alu && body.op == Op::Mul;
    const std::string done = format("{:.1f}% of all steps are done", 100 * choice.computed);
    const std::string left =
        format("steps in padding are left out, since {}: {}", isOfProducts ? "the weights are finite" : "they add zeros", done);
    std::string shared = "neighbouring rows of the tile read the same vectors at different steps";
    if (choice.computed < 1)
        shared += format("; without those in padding, {}", done);
    for (const AxisId axis : choice.writtenOut) {
        const bool isForLoads = choice.rowLoad.isValid() && axis == choice.rowSteps;
        plan.unroll(axis, plan.extentOf(axis), isForLoads ? shared : left);
    }
}

void applyMask(NestPlan &plan, const TileChoice &choice)
{
    if (!choice.isMasked)
        return;
    const std::int64_t rest = plan.extentOf(choice.vectorAxis) % choice.lanes;
    const int narrower = std::popcount(static_cast<std::uint64_t>(rest));
    const std::string why = narrower > 1 ? format("where narrower ones would be {}", narrower)
                                         : std::string("in the same register tile as the others");
    for (const AxisId leaf : leavesOf(plan.nest(), choice.vectorAxis))
        if (plan.nest().axes[leaf.value].type == AxisType::Vector)
            plan.mask(leaf, format("the last {} of {} are one vector of {} lanes, {}", rest, plan.extentOf(choice.vectorAxis),
                                   choice.lanes, why));
}

void applyTile(NestPlan &plan, const TileChoice &choice, std::int64_t total)
{
    if (choice.copiedRows.isValid()) {
        applyTileOfCopiedRows(plan, choice, total);
        return;
    }
    const std::string reason = tileReason(plan, choice);
    const AxisId columns = plan.tile(choice.vectorAxis, std::min(plan.extentOf(choice.vectorAxis), choice.lanes * choice.vectors),
                                     choice.lanes, reason);
    applyMask(plan, choice);
    applyWrittenOut(plan, choice);
    AxisId rows;
    if (choice.rowAxis.isValid() && choice.rows > 1)
        rows = plan.tile(choice.rowAxis, choice.rows, 1, reason);
    else
        rows = choice.rowAxis;
    // Loops that move the packed load go outside, the column tiles last among them, so that a packed panel serves all the
    // rows; the register tile is innermost.
    std::vector<AxisId> loops;
    std::vector<AxisId> tiles;
    for (const AxisId leaf : plan.nest().order) {
        const AxisType type = plan.nest().axes[leaf.value].type;
        if (type == AxisType::Upcast || type == AxisType::Vector)
            tiles.push_back(leaf);
        else if (leaf != columns)
            loops.push_back(leaf);
    }
    // An element that a row reads serves all of its vectors at once, in one register.
    std::stable_partition(tiles.begin(), tiles.end(),
                          [&](AxisId leaf) { return unsplitAxis(plan.nest(), leaf) != choice.vectorAxis; });
    // Without a packed one: those that the core's own cache does not hold beside the other data, or all of them, where going
    // through the panels for each row would lose the lines that the rows before have begun to write.
    const bool losesLines = choice.packed.empty() && losesStoredLines(plan, choice);
    const std::vector<ValueId> panels =
        !choice.packed.empty() ? choice.packed : panelsAbove(plan, choice, losesLines ? 0 : plan.device().cacheBytesPerCore / 2);
    const auto movesPanel = [&](AxisId leaf) {
        return std::ranges::any_of(panels, [&](ValueId load) {
            return std::ranges::binary_search(plan.dependencies()[load.value], unsplitAxis(plan.nest(), leaf));
        });
    };
    const auto still = std::stable_partition(loops.begin(), loops.end(), movesPanel);
    if (columns.isValid())
        loops.insert(panels.empty() ? loops.end() : still, columns);
    std::vector<AxisId> order = loops;
    order.insert(order.end(), tiles.begin(), tiles.end());
    const std::string_view why = panels.empty()          ? "the register tile innermost"
                                 : losesLines            ? "one panel serves all the rows, and few lines are written at a time"
                                 : choice.packed.empty() ? "one panel serves all the rows while it is in the core's cache"
                                                         : "one packed panel serves all the rows";
    plan.reorder(order, std::string(why));
    if (loops.empty())
        return;
    if (plan.isStage()) { // the threads share its blocks
        applyPacks(plan, choice, columns);
        return;
    }
    // Threads that share a panel would each pack it.
    const std::int64_t rounds = choice.packed.empty() || !movesPanel(loops.front()) ? 2 : 1;
    const AxisId threaded = plan.loopForThreads(loops, rounds);
    if (threaded != loops.front()) {
        auto at = std::ranges::find(order, threaded);
        std::rotate(order.begin(), at, at + 1);
        plan.reorder(order, "the longest loop outside, for the threads");
    }
    plan.distribute(threaded, total);
    if (threaded != loops.front())
        rowsInsidePanels(plan, threaded, movesPanel,
                         format("one {}panel serves all the rows of a work item", choice.packed.empty() ? "" : "packed "));
    if (choice.packed.empty())
        shareFurther(plan);
    else
        applyPacks(plan, choice, columns);
}

} // namespace sw
