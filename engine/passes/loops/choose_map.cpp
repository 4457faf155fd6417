#include "engine/passes/loops/choose.h"

#include "engine/base/cache_line.h"
#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/contraction_lines.h"
#include "engine/passes/loops/contraction_tile.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace sw {

namespace {

// Data that leaves the caches anyway should not push other data out.
constexpr std::int64_t kStreamedBytes = std::int64_t{32} << 20;

// Operations for each value that is stored that take as long as memory takes to bring and to store it. What is stored past the
// caches is not read before, which is a third of the traffic, but a processor waits for such a store with arithmetic undone:
// measured on Zen 5, one operation is 15 % faster past the caches, exp, tanh and erf take the same either way, silu and gelu 10
// and 50 % longer.
constexpr std::int64_t kHidesMemory = 24;

constexpr std::int64_t kRoundsPerThread = 4; // of the loop that they share

constexpr std::int64_t kMostMaskedColumns = 384; // of a row that is written out
constexpr std::int64_t kCheapMasked = 6;         // operations per point: what is computed more often than that is much code

constexpr std::int64_t kMostWrittenOut = 64; // points of all parts, for so many rows

constexpr std::int64_t kMostTurned = 16;        // a tile is the square of this, written out
constexpr std::int64_t kWorthTurning = 1 << 15; // elements: fewer take less time than the tile takes to compile

constexpr std::int64_t kScatteredCost = 4; // of an access that must be done lane by lane, against 1 for a vector

struct Candidate {
    AxisId axis;
    std::int64_t cost = 0;
};

// The axis along which most accesses run, but for those `without`: the one with the fewest accesses whose stride along it is
// neither 0 nor 1.
Candidate bestVectorAxis(const NestPlan &plan, const std::vector<AxisId> &without)
{
    Candidate best;
    for (const AxisId axis : plan.nest().domain) {
        if (std::ranges::find(without, axis) != without.end())
            continue;
        std::int64_t cost = 0;
        for (const NestAccess &access : plan.accesses()) {
            const std::int64_t stride = plan.strideIn(access, axis);
            cost += stride == 0 || stride == 1 ? 1 : kScatteredCost;
        }
        if (!best.axis.isValid() || cost <= best.cost) // on a tie the inner one
            best = {axis, cost};
    }
    return best;
}

// Whether what is read depends on where along the axis the point is, as in a padded view.
bool hasMaskAlong(const NestPlan &plan, AxisId axis)
{
    const LoopNest &nest = plan.nest();
    return std::ranges::any_of(nest.values, [&](const Value &value) {
        return std::ranges::any_of(value.conditions,
                                   [&](const RangeCondition &condition) { return nest.arena.dependsOn(condition.expr, axis); });
    });
}

// Of a row that is read under a mask, all vectors side by side, if they are few: each then has a mask that is known, and most
// have none, where a loop would compute one for every vector.
VectorShape shapeAlong(const NestPlan &plan, AxisId axis, const BodyWork &work)
{
    const bool isMasked = hasMaskAlong(plan, axis);
    VectorShape shape = vectorShape(plan, axis, work, plan.accesses());
    if (isMasked)
        shape.registers = 1;
    const std::int64_t lanes = std::min(plan.vectorLanes(), floorPowerOfTwo(plan.extentOf(axis)));
    const std::int64_t row = plan.extentOf(axis) / lanes;
    if (row > shape.repeats && plan.extentOf(axis) <= kMostMaskedColumns && work.perPoint <= kCheapMasked && isMasked)
        shape = {.registers = 1, .repeats = row};
    return shape;
}

// One vector at a time along the axis. What is left over is one vector, too, where narrower ones would be several.
void vectorizeWithRest(NestPlan &plan, AxisId axis)
{
    const std::int64_t extent = plan.extentOf(axis);
    const std::string along = format("memory runs along {}", plan.nameOf(axis));
    const auto covering = static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(extent)));
    const std::int64_t lanes = std::min(plan.vectorLanes(), covering);
    if (std::popcount(static_cast<std::uint64_t>(extent % lanes)) < 2) {
        tileInVectors(plan, axis, {}, along);
        return;
    }
    plan.tile(axis, std::min(extent, lanes), lanes, along);
    applyMask(plan, {.vectorAxis = axis, .rowAxis = {}, .lanes = lanes, .isMasked = true});
}

// What the points of all parts store may fall on few sets of the first level of the cache, which then loses a line before the
// next row has filled it. Rows that make up a line are stored one right after the other.
void fillLines(NestPlan &plan, const std::vector<AxisId> &parts, AxisId vector)
{
    std::int64_t points = 1;
    for (const AxisId axis : parts)
        points *= plan.extentOf(axis);
    for (const NestAccess &store : plan.accesses()) {
        const bool areLost = std::ranges::any_of(
            parts, [&](AxisId axis) { return loseEachOther(plan.device(), plan.bytesApart(store, axis), points); });
        const std::int64_t rowBytes = plan.extentOf(vector) * store.bytes;
        if (!store.isStore || !areLost || plan.strideIn(store, vector) != 1 || rowBytes >= kCacheLineBytes)
            continue;
        for (const AxisId row : plan.nest().domain)
            if (plan.bytesApart(store, row) == rowBytes && std::ranges::find(parts, row) == parts.end()) {
                const std::int64_t rows =
                    std::min({plan.extentOf(row), (kCacheLineBytes + rowBytes - 1) / rowBytes, kMostWrittenOut / points});
                if (rows < 2)
                    return;
                plan.tile(row, rows, 1,
                          format("{} rows one right after the other: other parts drive their lines out of the cache", rows));
                return;
            }
    }
}

// What is read runs along one axis, and what is stored along another one.
struct Turned {
    AxisId read;
    AxisId stored;
    std::int64_t tile = 0; // elements along both: whole lines are read and stored at a time
};

// Nothing: one axis serves both, or a tile would be too much code. OpenCL's drivers take seconds for one.
std::optional<Turned> turnedAxes(const NestPlan &plan, std::int64_t operations)
{
    const DeviceSlot slot = plan.schedule().kernel(plan.nest().kernel).device;
    if (plan.context().language(slot) == TargetLanguage::OpenCl || plan.elementsOf(plan.nest().domain) < kWorthTurning)
        return std::nullopt;
    const std::vector<NestAccess> accesses = plan.accesses();
    const auto store = std::ranges::find(accesses, true, &NestAccess::isStore);
    if (store == accesses.end() || std::ranges::count(accesses, true, &NestAccess::isStore) != 1 || operations > kCheapMasked)
        return std::nullopt;
    const auto axisOf = [&](const NestAccess &access) {
        const std::vector<AxisId> &domain = plan.nest().domain;
        const auto found = std::ranges::find_if(domain, [&](AxisId axis) { return plan.strideIn(access, axis) == 1; });
        return found == domain.end() ? AxisId() : *found;
    };
    const std::int64_t tile = std::max(plan.vectorLanes(), kCacheLineBytes / store->bytes);
    Turned turned{.read = {}, .stored = axisOf(*store), .tile = tile};
    if (!turned.stored.isValid() || plan.extentOf(turned.stored) < tile || tile > kMostTurned)
        return std::nullopt;
    for (const NestAccess &access : accesses) {
        if (access.isStore || plan.strideIn(access, turned.stored) == 0)
            continue; // the same for the whole run
        const AxisId along = axisOf(access);
        const bool isFar = plan.bytesApart(access, turned.stored) >= kCacheLineBytes;
        if (access.isMasked || !along.isValid() || !isFar || access.bytes != store->bytes ||
            (turned.read.isValid() && turned.read != along))
            return std::nullopt;
        turned.read = along;
    }
    return turned.read.isValid() && plan.extentOf(turned.read) >= tile ? std::optional(turned) : std::nullopt;
}

// Tiles that are read row by row and stored column by column.
void turnInTiles(NestPlan &plan, const Turned &turned)
{
    const std::string reason = format("tiles of {} x {}: memory is read along {} and stored along {}, whole lines at a time",
                                      turned.tile, turned.tile, plan.nameOf(turned.read), plan.nameOf(turned.stored));
    plan.tile(turned.read, turned.tile, std::min(turned.tile, plan.vectorLanes()), reason);
    plan.tile(turned.stored, turned.tile, 1, reason);
    std::vector<AxisId> order = plan.nest().order;
    const auto isOfVectors = [&](AxisId leaf) {
        return isRepeated(plan.nest().axes[leaf.value].type) && unsplitAxis(plan.nest(), leaf) == turned.read;
    };
    std::ranges::stable_partition(order, [&](AxisId leaf) { return !isOfVectors(leaf); });
    plan.reorder(order, "the vectors of a row innermost");
}

// Of the values that are stored, while they are: what reductions are made of was computed for them, and what is the same along
// the last axis, once before it.
std::int64_t operationsOfStores(const NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    std::vector<bool> isDone(nest.values.size(), false);
    for (const Reduction &reduction : nest.reductions)
        for (const ValueId id : valuesUnder(nest, reduction.body, ThroughReductions::No))
            isDone[id.value] = true;
    std::int64_t operations = 0;
    for (const StoreStatement &store : nest.stores)
        for (const ValueId id : valuesUnder(nest, store.value, ThroughReductions::No))
            if (const Value &value = nest.values[id.value];
                value.kind == ValueKind::Alu && !isDone[id.value] &&
                std::ranges::binary_search(plan.dependencies()[id.value], nest.domain.back()))
                operations += infoOf(value.op).price;
    return operations;
}

} // namespace

void streamLargeStores(NestPlan &plan)
{
    const LoopNest &nest = plan.nest();
    if (nest.domain.empty() || operationsOfStores(plan) >= kHidesMemory * std::ssize(nest.stores) || plan.mayBeShort())
        return; // how much is stored is known when it runs, and what fits into a cache is read from there
    for (std::size_t i = 0; i < plan.nest().stores.size(); ++i) {
        if (!plan.nest().stores[i].buffer.isValid())
            continue; // it stays with the work item
        const ScheduledBuffer &buffer = plan.schedule().buffer(plan.nest().stores[i].buffer);
        if (buffer.bytes() >= kStreamedBytes)
            plan.nonTemporal(
                i, format("{} MiB are written once: they would only push other data out of the caches", buffer.bytes() >> 20));
    }
}

void chooseForMap(NestPlan &plan)
{
    if (plan.nest().domain.empty())
        return;
    const std::int64_t operations = plan.operationsPerPoint();
    const std::int64_t total = (CheckedSize(operations) * plan.elementsOf(plan.nest().domain)).saturated();
    if (const std::optional<ShortRows> rows = shortRows(plan)) {
        plan.setType(rows->along, AxisType::Upcast, shortRowsReason(plan, *rows));
        tileInVectors(plan, rows->rows, {}, format("memory runs along {}", plan.nameOf(rows->rows)));
    } else if (const std::vector<AxisId> parts = axesOfParts(plan); !parts.empty() && parts.size() < plan.nest().domain.size()) {
        for (const AxisId axis : parts)
            plan.setType(axis, AxisType::Upcast, partsReason(plan, axis));
        const AxisId vector = bestVectorAxis(plan, parts).axis;
        fillLines(plan, parts, vector);
        vectorizeWithRest(plan, vector);
    } else if (const std::optional<Turned> turned = turnedAxes(plan, operations)) {
        turnInTiles(plan, *turned);
    } else {
        const AxisId vector = bestVectorAxis(plan, {}).axis;
        tileInVectors(plan, vector, shapeAlong(plan, vector, {.perPoint = plan.operationsAlong(vector), .total = total}),
                      format("memory runs along {}", plan.nameOf(vector)));
    }
    streamLargeStores(plan);

    std::vector<AxisId> order = plan.nest().order;
    const auto isLoop = [&](AxisId leaf) { return plan.nest().axes[leaf.value].type == AxisType::Loop; };
    std::stable_partition(order.begin(), order.end(), isLoop);
    plan.shareLoops(order, plan.loopsAmong(order), kRoundsPerThread, total, "the threads' loop outside, vectors inside");
}

} // namespace sw
