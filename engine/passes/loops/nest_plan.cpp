#include "engine/passes/loops/nest_plan.h"

#include "engine/base/checked_size.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"
#include "engine/passes/loops/factors.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostLanes = 16;              // OpenCL's widest vector
constexpr std::int64_t kTasksPerThread = 8;          // work items per thread, to even out the load
constexpr double kFewCycles = 1000;                  // that are told to the last one
constexpr std::int64_t kOperationsPerTask = 1 << 16; // with fewer, starting a work item costs more than it gains

// How many indices a work item takes when about `tasks` are wanted. For a number that divides the extent, half as many or half
// more will do, because a rest is a second copy of the body. Among divisors, those that the threads share evenly come first.
std::int64_t chunkOf(std::int64_t extent, std::int64_t tasks, std::int64_t threads)
{
    const std::int64_t wanted = (extent + tasks - 1) / tasks;
    std::int64_t best = 0;
    for (std::int64_t chunk = std::max<std::int64_t>(wanted * 2 / 3, 1); chunk <= wanted * 2; ++chunk) {
        if (extent % chunk != 0)
            continue;
        const bool isEven = extent / chunk % threads == 0;
        const bool isBestEven = best != 0 && extent / best % threads == 0;
        const bool isNearer = best == 0 || std::abs(chunk - wanted) < std::abs(best - wanted);
        if (isEven != isBestEven ? isEven : isNearer)
            best = chunk;
    }
    return best != 0 && extent / best > 1 ? best : wanted;
}

// A number near the wanted one that divides the extent, because a rest is a second copy of the body; else the wanted one.
std::int64_t nearDivisor(std::int64_t extent, std::int64_t wanted)
{
    std::int64_t best = 0;
    for (std::int64_t divisor = std::max<std::int64_t>(wanted * 2 / 3, 1); divisor <= std::min(wanted * 2, extent); ++divisor)
        if (extent % divisor == 0 && (best == 0 || std::abs(divisor - wanted) < std::abs(best - wanted)))
            best = divisor;
    return best != 0 ? best : wanted;
}

} // namespace

NestPlan::NestPlan(const Schedule &schedule, LoopNest nest, const PassContext &context, std::optional<Block> block)
    : m_schedule(schedule), m_nest(std::move(nest)), m_context(context), m_block(block), m_dependencies(valueDependencies(m_nest))
{
}

bool NestPlan::mayBeShort() const
{
    return (m_block && m_block->mayBeFew) ||
           std::ranges::any_of(m_nest.domain, [&](AxisId axis) { return m_nest.axes[axis.value].end.isValid(); });
}

std::vector<NestAccess> NestPlan::loadsUnder(ValueId value) const
{
    std::vector<NestAccess> found;
    for (const ValueId id : valuesUnder(m_nest, value, ThroughReductions::No)) {
        const Value &read = m_nest.values[id.value];
        if (read.kind != ValueKind::Load && read.kind != ValueKind::Indexed)
            continue;
        found.push_back({.index = read.index,
                         .bytes = bytesOf(read.dtype),
                         .isMasked = !read.conditions.empty() || read.kind == ValueKind::Indexed,
                         .load = id});
    }
    return found;
}

std::vector<NestAccess> NestPlan::accesses() const
{
    std::vector<NestAccess> found;
    for (const StoreStatement &store : m_nest.stores)
        found.push_back(
            {.index = store.index, .bytes = bytesOf(m_nest.values[store.value.value].dtype), .isStore = true, .load = ValueId()});
    for (const StoreStatement &store : m_nest.stores)
        for (const NestAccess &load : loadsUnder(store.value))
            if (std::ranges::none_of(found, [&](const NestAccess &known) { return !known.isStore && known.load == load.load; }))
                found.push_back(load);
    return found;
}

namespace {

std::int64_t operationsOf(const Value &made)
{
    if (made.kind == ValueKind::Alu)
        return infoOf(made.op).price;
    return made.kind != ValueKind::Constant ? 1 : 0;
}

} // namespace

std::int64_t NestPlan::operationsUnder(ValueId value) const
{
    std::int64_t operations = 0;
    for (const ValueId id : valuesUnder(m_nest, value, ThroughReductions::No))
        operations += operationsOf(m_nest.values[id.value]);
    return operations;
}

std::int64_t NestPlan::operationsAlong(ValueId value, AxisId axis) const
{
    std::int64_t operations = 0;
    for (const ValueId id : valuesUnder(m_nest, value, ThroughReductions::No))
        if (std::ranges::binary_search(m_dependencies[id.value], axis))
            operations += operationsOf(m_nest.values[id.value]);
    return operations;
}

std::int64_t NestPlan::operationsAlong(AxisId axis) const
{
    std::int64_t operations = 0;
    for (const StoreStatement &store : m_nest.stores)
        operations += operationsAlong(store.value, axis) + 1;
    return operations;
}

std::int64_t NestPlan::operationsPerPoint() const
{
    std::int64_t operations = 0;
    for (const StoreStatement &store : m_nest.stores)
        operations += operationsUnder(store.value) + 1;
    return operations;
}

namespace {

// What is laid out in panels has a stride within the blocks of them, which vectors do not leave.
std::int64_t strideInBlocks(const IndexArena &arena, ExprId index, AxisId axis, std::int64_t lanes)
{
    std::int64_t stride = 0;
    for (const auto &[factor, part] : arena.sumOf(index).terms) {
        if (!arena.dependsOn(part, axis))
            continue;
        const IndexExpr &term = arena.at(part);
        if (term.kind == ExprKind::Axis || arena.at(term.a).kind != ExprKind::Axis || term.number % lanes != 0)
            return NestPlan::kScattered;
        stride += term.kind == ExprKind::Mod ? factor : 0;
    }
    return stride;
}

} // namespace

std::int64_t NestPlan::strideIn(const NestAccess &access, AxisId axis) const
{
    std::int64_t stride = 0;
    if (access.load.isValid()) // where the index that was computed is one for all, they may be neighbours
        for (const ValueId computed : m_nest.values[access.load.value].operands)
            if (std::ranges::binary_search(m_dependencies[computed.value], axis))
                return kScattered;
    return m_nest.arena.linearIn(access.index, axis, stride) ? stride
                                                             : strideInBlocks(m_nest.arena, access.index, axis, vectorLanes());
}

std::int64_t NestPlan::bytesApart(const NestAccess &access, AxisId axis) const
{
    const std::int64_t stride = strideIn(access, axis);
    return stride == kScattered ? 0 : std::abs(stride) * access.bytes;
}

bool NestPlan::dependsOn(const NestAccess &access, AxisId axis) const
{
    if (access.load.isValid())
        return std::ranges::binary_search(m_dependencies[access.load.value], axis);
    return m_nest.arena.dependsOn(access.index, axis);
}

bool NestPlan::movesInTile(const NestAccess &access, AxisId axis, std::int64_t tile) const
{
    if (!dependsOn(access, axis))
        return false;
    if (access.load.isValid() && m_nest.values[access.load.value].kind == ValueKind::Indexed)
        return true;
    const IndexArena &arena = m_nest.arena;
    return access.isMasked || std::ranges::any_of(arena.sumOf(access.index).terms, [&](const auto &term) {
               const IndexExpr &part = arena.at(term.second);
               const bool isByBlock =
                   part.kind == ExprKind::Div && arena.at(part.a).kind == ExprKind::Axis && part.number % tile == 0;
               return arena.dependsOn(term.second, axis) && !isByBlock;
           });
}

bool NestPlan::isUnevenInTile(const NestAccess &access, AxisId axis, std::int64_t tile) const
{
    const IndexArena &arena = m_nest.arena;
    return std::ranges::any_of(arena.sumOf(access.index).terms, [&](const auto &term) {
        const IndexExpr &part = arena.at(term.second);
        return (part.kind == ExprKind::Div || part.kind == ExprKind::Mod) && arena.dependsOn(term.second, axis) &&
               part.number % tile != 0;
    });
}

std::int64_t NestPlan::vectorLanes() const
{
    // No part of a vector: what only the ends of loops need, what is one for the whole kernel, as a dimension that a mask
    // compares with, and a computed index that is one for a whole row.
    const auto isOfRow = [&](ValueId id) {
        const std::vector<AxisId> &axes = m_dependencies[id.value];
        return axes.empty() ||
               (m_nest.reductions.empty() && !m_nest.domain.empty() && !std::ranges::binary_search(axes, m_nest.domain.back()));
    };
    std::int64_t widest = 1;
    for (const StoreStatement &store : m_nest.stores)
        for (const ValueId id : valuesUnder(m_nest, store.value, ThroughReductions::Yes))
            if (const Value &value = m_nest.values[id.value]; value.kind != ValueKind::IndexValue && !isOfRow(id))
                widest = std::max<std::int64_t>(widest, bytesOf(computeType(value.dtype)));
    const std::int64_t lanes = std::min<std::int64_t>(kMostLanes, device().vectorBytes / widest);
    return floorPowerOfTwo(lanes);
}

std::int64_t NestPlan::elementsOf(const std::vector<AxisId> &axes) const
{
    CheckedSize elements = 1;
    for (const AxisId axis : axes)
        elements *= extentOf(axis);
    return elements.saturated(); // with reduced axes too there can be any number of elements
}

std::string NestPlan::largestText() const
{
    std::vector<std::string> ends;
    for (std::size_t axis = 0; axis < m_nest.axes.size(); ++axis)
        if (m_nest.axes[axis].end.isValid())
            if (std::string text = format("{} = {}", endText(m_nest, m_schedule, AxisId(axis)), m_nest.axes[axis].extent);
                std::ranges::find(ends, text) == ends.end())
                ends.push_back(std::move(text));
    return ends.empty() ? std::string() : " at " + join(ends, ", ", [](const std::string &text) { return text; });
}

NestPlan::Turns NestPlan::turnsOf(std::int64_t rounds, std::int64_t operations, std::int64_t tasks)
{
    const std::int64_t perStep = std::max<std::int64_t>(operations / rounds, 1);
    const std::int64_t most = (rounds + tasks - 1) / tasks;
    const std::int64_t turn = nearDivisor(rounds, std::clamp<std::int64_t>(kOperationsPerTurn / perStep, 1, most));
    return {.turn = turn, .items = nearDivisor(rounds / turn, tasks)};
}

std::string NestPlan::operationsText(std::int64_t operations) const
{
    return format("{} operations{}", operations, largestText());
}

std::string NestPlan::turnReason(std::int64_t operations) const
{
    return format("{}; about {} operations side by side", operationsText(operations), kOperationsPerTurn);
}

std::string NestPlan::itemsReason(std::int64_t operations, std::int64_t items) const
{
    return format("{}; {} work items take turns", operationsText(operations), items);
}

void NestPlan::takeTurns(AxisId loop, std::int64_t operations, std::int64_t tasks)
{
    const Turns turns = turnsOf(extentOf(loop), operations, tasks);
    const std::string reason = operationsText(operations);
    if (turns.turn > 1)
        loop = split(loop, turns.turn, turnReason(operations)).outer;
    if (turns.items < extentOf(loop)) {
        const Parts parts = split(loop, turns.items, itemsReason(operations, turns.items));
        std::vector<AxisId> order = m_nest.order;
        const auto at = std::ranges::find(order, parts.outer);
        std::iter_swap(at, std::ranges::find(order, parts.inner));
        reorder(order, "the turns of a work item inside of it");
        loop = parts.inner;
    }
    setType(loop, AxisType::Thread, reason);
}

std::string NestPlan::cyclesText(double cycles) const
{
    const std::string number =
        cycles < kFewCycles ? format("about {:.0f} cycles", cycles) : format("about {:.0f} thousand cycles", cycles / 1000);
    return number + (isStage() ? " for a block" : "") + largestText();
}

std::int64_t NestPlan::itemsFor(std::int64_t operations)
{
    return std::max<std::int64_t>(operations / kOperationsPerTask, 1);
}

AxisId NestPlan::loopForThreads(const std::vector<AxisId> &loops, std::int64_t roundsPerThread) const
{
    AxisId chosen;
    for (const AxisId loop : loops)
        if (!chosen.isValid() || (extentOf(chosen) < roundsPerThread * device().threads && extentOf(loop) > extentOf(chosen)))
            chosen = loop;
    return chosen;
}

std::vector<AxisId> NestPlan::loopsAmong(std::vector<AxisId> leaves) const
{
    std::erase_if(leaves, [&](AxisId leaf) { return m_nest.axes[leaf.value].type != AxisType::Loop; });
    return leaves;
}

void NestPlan::shareLoops(std::vector<AxisId> order, const std::vector<AxisId> &loops, std::int64_t roundsPerThread,
                          std::int64_t operations, const std::string &reason)
{
    const AxisId shared = loopForThreads(loops, roundsPerThread);
    if (const auto at = std::ranges::find(order, shared); at != order.end())
        std::rotate(order.begin(), at, at + 1);
    reorder(order, reason);
    if (shared.isValid())
        distribute(shared, operations);
}

void NestPlan::distribute(AxisId loop, std::int64_t operations)
{
    const std::int64_t threads = device().threads;
    const std::int64_t extent = extentOf(loop);
    const std::int64_t tasks = std::min({extent, threads * kTasksPerThread, itemsFor(operations)});
    if (tasks <= 1 || m_block)
        return;
    if (m_nest.axes[unsplitAxis(m_nest, loop).value].end.isValid()) {
        takeTurns(loop, operations, tasks);
        return;
    }
    const std::int64_t chunk = chunkOf(extent, tasks, threads);
    const std::string reason =
        format("{} operations over {} threads, {} work items", operations, threads, (extent + chunk - 1) / chunk);
    if (chunk == 1) {
        setType(loop, AxisType::Thread, reason);
        return;
    }
    setType(split(loop, chunk, reason).outer, AxisType::Thread, reason);
}

} // namespace sw
