// A kernel that goes over a row several times reads it from memory in its first pass, and from the cache in the others. The
// processor foresees what is read along the row, but not that another row follows the last pass, so that memory rests meanwhile.
// The last pass, or the longest one, therefore fetches the next row.
//
// A panel of weights that no cache holds comes from memory while the first rows of tiles use it, and memory rests while the
// others do. The next panel is therefore streamed in while this one is used.

#include "engine/base/checked_size.h"
#include "engine/loops/join.h"
#include "engine/loops/prefetch_queries.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/stream_queries.h"
#include "engine/passes/loops/choose.h"

#include <algorithm>
#include <map>
#include <optional>

namespace sw {

namespace {

constexpr std::int64_t kLeastRowBytes = 1024; // of less, the processor's own guesses reach into the next row
constexpr std::int64_t kLongBody = 10;        // operations per element, which take longer than memory brings the next row

// A pass over a row: the load that makes it, in the kernel's own nest or in that of a stage.
struct Pass {
    const LoopNest *nest;
    ValueId load;
    const Reduction *reduction; // null: what a store reads
};
using PassesByBuffer = std::map<BufferId, std::vector<Pass>>;

// Whether the load reads vectors along the row.
bool runsAlongVectors(const LoopNest &nest, ValueId load)
{
    const auto isMoving = [&](AxisId leaf) {
        return nest.axes[leaf.value].type == AxisType::Vector &&
               nest.arena.dependsOn(nest.values[load.value].index, unsplitAxis(nest, leaf));
    };
    return std::ranges::any_of(nest.order, isMoving) || std::ranges::any_of(nest.reductions, [&](const Reduction &reduction) {
               return std::ranges::any_of(reduction.order, isMoving);
           });
}

// What one loop loads of a buffer, or all stores of a nest, is one pass.
void addPasses(const LoopNest &nest, ValueId root, const Reduction *reduction, PassesByBuffer &passes)
{
    for (const ValueId id : valuesUnder(nest, root, ThroughReductions::No)) {
        const Value &value = nest.values[id.value];
        const bool isRead = value.kind == ValueKind::Load && value.buffer.isValid() && value.conditions.empty();
        if (!isRead || !runsAlongVectors(nest, id))
            continue;
        std::vector<Pass> &known = passes[value.buffer];
        if (known.empty() || known.back().nest != &nest || known.back().reduction != reduction)
            known.push_back({&nest, id, reduction});
    }
}

// In the order in which they run: the values of a nest stand in an order in which they can be computed.
PassesByBuffer passesOf(const LoopNest &whole)
{
    PassesByBuffer passes;
    forEachStage(whole, [&](const LoopNest &nest) {
        for (const Value &value : nest.values)
            if (value.kind == ValueKind::Reduction) {
                const Reduction &reduction = nest.reductions[value.reduction.value];
                const ReductionId pass = reduction.joined ? reduction.joined->leader : value.reduction;
                addPasses(nest, reduction.body, &nest.reductions[pass.value], passes);
            }
        for (const StoreStatement &store : nest.stores)
            addPasses(nest, store.value, nullptr, passes);
    });
    return passes;
}

// The place, in the orders of the nest and its stages, of the innermost loop that all passes are inside of.
std::optional<std::size_t> rowLoopOf(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    const auto isOutsideOfAll = [&](AxisId leaf) {
        const AxisId axis = unsplitAxis(nest, leaf);
        for (std::size_t i = 0; i < nest.values.size(); ++i)
            if (nest.values[i].kind == ValueKind::Reduction && !std::ranges::binary_search(plan.dependencies()[i], axis))
                return false;
        return true;
    };
    const std::size_t most = nest.stages.empty() ? nest.order.size() : sharedLoopsOf(nest);
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < most && !isRepeated(nest.axes[nest.order[i].value].type); ++i)
        if (nest.axes[nest.order[i].value].type == AxisType::Loop && (!nest.stages.empty() || isOutsideOfAll(nest.order[i])))
            found = i;
    return found;
}

// Of what a pass reads in one round of the loop at that place.
std::int64_t bytesOfRound(const Pass &pass, std::size_t rowLoop)
{
    const LoopNest &nest = *pass.nest;
    const Value &value = nest.values[pass.load.value];
    CheckedSize bytes = bytesOf(value.dtype);
    const auto count = [&](AxisId leaf) {
        if (nest.arena.dependsOn(value.index, unsplitAxis(nest, leaf)))
            bytes *= nest.axes[leaf.value].extent;
    };
    std::ranges::for_each(nest.order.begin() + static_cast<std::ptrdiff_t>(rowLoop) + 1, nest.order.end(), count);
    if (pass.reduction != nullptr)
        std::ranges::for_each(pass.reduction->order, count);
    return bytes.saturated();
}

// Whether rows far apart are reduced together (takeTogether): the first pass over them has runs enough of memory under way, and
// lines for the next rows would be as many again.
bool areTakenTogether(const LoopNest &nest)
{
    const auto isOf = [&](AxisType type) { return [&nest, type](AxisId leaf) { return nest.axes[leaf.value].type == type; }; };
    return std::ranges::none_of(nest.order, isOf(AxisType::Vector)) && std::ranges::any_of(nest.order, isOf(AxisType::Upcast)) &&
           std::ranges::all_of(nest.reductions, [&](const Reduction &reduction) {
               return std::ranges::any_of(orderOf(nest, reduction), isOf(AxisType::Vector));
           });
}

// Operations for an element of the row. Of the kernel's own nest; a stage's last pass is its longest as a rule.
std::int64_t operationsOf(const NestPlan &plan, const Pass &pass)
{
    if (pass.nest != &plan.nest())
        return 0;
    const LoopNest &nest = plan.nest();
    return pass.reduction != nullptr && !pass.reduction->axes.empty()
               ? plan.operationsAlong(pass.reduction->body, pass.reduction->axes.back())
               : plan.operationsAlong(unsplitAxis(nest, nest.order.back()));
}

// The pass that fetches the next row: the last one, unless one before it has arithmetic for that. A last pass that only stores
// takes what memory gives: the log of a softmax, say, after the sum of e^x.
const Pass &fetchingPass(const NestPlan &plan, const std::vector<Pass> &passes)
{
    const auto longest = std::ranges::max_element(passes.begin() + 1, passes.end(), {},
                                                  [&](const Pass &pass) { return operationsOf(plan, pass); });
    const std::int64_t operations = operationsOf(plan, *longest);
    return operations >= kLongBody && operations > operationsOf(plan, passes.back()) ? *longest : passes.back();
}

void prefetchRows(NestPlan &plan)
{
    const std::optional<std::size_t> rowLoop = rowLoopOf(plan);
    if (!rowLoop || areTakenTogether(plan.nest()))
        return;
    const std::int64_t cache = plan.device().cacheBytesPerCore;
    std::vector<Transform> chosen;
    for (const auto &[buffer, passes] : passesOf(plan.nest())) {
        if (passes.size() < 2 || plan.schedule().buffer(buffer).bytes() <= cache)
            continue;
        const auto distanceIn = [&](const Pass &pass) {
            return prefetchDistance(*pass.nest, {.load = pass.load, .at = pass.nest->order[*rowLoop]});
        };
        const Pass &fetching = fetchingPass(plan, passes);
        const std::optional<std::int64_t> distance = distanceIn(fetching);
        const std::int64_t bytes = bytesOfRound(fetching, *rowLoop);
        if (!distance || distance != distanceIn(passes.front()) || bytes < kLeastRowBytes || bytes > cache / 4)
            continue;
        chosen.push_back({.kind = TransformKind::Prefetch,
                          .axes = {fetching.nest->axes[fetching.nest->order[*rowLoop].value].name},
                          .factor = 1,
                          .value = fetching.load,
                          .reason = format("the {} of {} passes over {} bytes: the first one of the next round would wait for "
                                           "memory",
                                           &fetching == &passes.back() ? "last" : "longest", passes.size(), bytes)});
    }
    for (const Transform &transform : chosen)
        plan.tryApply(transform);
}

// The loop around the register tile: in its next round the tile is another one.
std::optional<AxisId> tileLoopOf(const LoopNest &nest)
{
    std::optional<AxisId> found;
    for (const AxisId leaf : nest.order) {
        if (isRepeated(nest.axes[leaf.value].type))
            break;
        if (nest.axes[leaf.value].type == AxisType::Loop)
            found = leaf;
    }
    return found;
}

// Whether each point of the loops has a sum of its own, as in a product. A row has one sum for all of its points, and what is
// read along it is a stream, which the processor foresees.
bool hasSumsOfPoints(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    const auto sum = std::ranges::find(nest.values, ValueKind::Reduction, &Value::kind);
    return sum != nest.values.end() && std::ranges::all_of(nest.order, [&](AxisId leaf) {
               const std::vector<AxisId> &axes = plan.dependencies()[static_cast<std::size_t>(sum - nest.values.begin())];
               return std::ranges::binary_search(axes, unsplitAxis(nest, leaf));
           });
}

// What is added to the sums of a tile once they are done is read in one burst, and the core waits for it: it is fetched while the
// tile before is summed.
void prefetchBesideSums(NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    const std::optional<AxisId> loop = tileLoopOf(nest);
    if (!loop || nest.reductions.size() != 1 || !nest.stages.empty() || !hasSumsOfPoints(plan))
        return;
    std::vector<Transform> chosen;
    for (const StoreStatement &store : nest.stores)
        for (const ValueId id : valuesUnder(nest, store.value, ThroughReductions::No)) {
            const Value &value = nest.values[id.value];
            const bool isRead = value.kind == ValueKind::Load && value.buffer.isValid() && value.conditions.empty();
            if (!isRead || !runsAlongVectors(nest, id) ||
                plan.schedule().buffer(value.buffer).bytes() <= plan.device().cacheBytesPerCore ||
                !prefetchDistance(nest, {.load = id, .at = *loop}))
                continue;
            chosen.push_back(
                {.kind = TransformKind::Prefetch,
                 .axes = {nest.axes[loop->value].name},
                 .factor = 1,
                 .value = id,
                 .reason = "read at once when the sums of a tile are done: fetched while those of the tile before are made"});
        }
    for (const Transform &transform : chosen)
        plan.tryApply(transform);
}

// The innermost loop that moves what is loaded, if other loops of the domain stand inside of it: they read the same again.
std::optional<AxisId> panelLoopOf(const NestPlan &plan, ValueId load)
{
    const LoopNest &nest = plan.nest();
    std::optional<AxisId> panel;
    bool isReadAgain = false;
    for (const AxisId leaf : nest.order) {
        if (isRepeated(nest.axes[leaf.value].type))
            break;
        const bool isMoving = std::ranges::binary_search(plan.dependencies()[load.value], unsplitAxis(nest, leaf));
        isReadAgain = panel && !isMoving && (isReadAgain || nest.axes[leaf.value].extent > 1);
        panel = isMoving ? std::optional(leaf) : panel;
    }
    return isReadAgain ? panel : std::nullopt;
}

void streamPanels(NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (nest.reductions.size() != 1 || !nest.stages.empty())
        return;
    const std::int64_t cache = plan.device().cacheBytesPerCore;
    std::vector<Transform> chosen;
    for (const NestAccess &load : plan.loadsUnder(nest.reductions.front().body)) {
        const Value &value = nest.values[load.load.value];
        const bool isPacked = std::ranges::find(nest.packs, load.load, &Pack::load) != nest.packs.end();
        if (!value.buffer.isValid() || !value.conditions.empty() || isPacked ||
            plan.schedule().buffer(value.buffer).bytes() <= cache)
            continue;
        const std::optional<AxisId> panel = panelLoopOf(plan, load.load);
        const std::optional<StreamedRegion> region = panel ? streamedRegionOf(nest, load.load, *panel) : std::nullopt;
        if (!region || region->elements * load.bytes > cache / 2)
            continue;
        chosen.push_back({.kind = TransformKind::Stream,
                          .axes = {plan.nameOf(*panel)},
                          .value = load.load,
                          .reason = format("the next {} bytes come from memory during the {} steps that use these",
                                           region->elements * load.bytes, region->steps)});
    }
    for (const Transform &transform : chosen)
        plan.tryApply(transform);
}

} // namespace

void choosePrefetches(NestPlan &plan)
{
    if (plan.device().kind != DeviceKind::Cpu)
        return;
    prefetchRows(plan);
    prefetchBesideSums(plan);
    streamPanels(plan);
}

} // namespace sw
