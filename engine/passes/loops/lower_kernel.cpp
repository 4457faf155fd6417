#include "engine/loops/queries.h"
#include "engine/loops/share_queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

LoweredKernel frameOf(const Schedule &schedule, const LoopNest &nest, const Origin &origin)
{
    const ScheduledKernel &kernel = schedule.kernel(nest.kernel);
    return LoweredKernel{.kernel = nest.kernel,
                         .name = kernel.name,
                         .symbol = kernel.symbol,
                         .instructions = {},
                         .arguments = {},
                         .globalSize = {1, 1, 1},
                         .localSize = {1, 1, 1},
                         .origin = origin,
                         .device = kernel.device};
}

bool isWorkItem(AxisType type)
{
    return type == AxisType::Thread || type == AxisType::Global;
}

} // namespace

std::vector<BufferId> argumentsOf(const ScheduledKernel &kernel)
{
    std::vector<BufferId> arguments = kernel.writes;
    for (const BufferId read : kernel.reads)
        if (std::ranges::find(kernel.writes, read) == kernel.writes.end())
            arguments.push_back(read);
    return arguments;
}

KernelLowering::KernelLowering(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins)
    : KernelLowering(schedule, nest, origins,
                     std::make_unique<LoweredBuilder>(frameOf(schedule, nest, origins.kernel), LoweredBuilder::Values::Once),
                     nullptr)
{
}

KernelLowering::KernelLowering(const Schedule &schedule, const LoopNest &nest, FrameOrigins origins,
                               std::unique_ptr<LoweredBuilder> own, LoweredBuilder *builder)
    : m_schedule(schedule),
      m_nest(nest),
      m_origins(std::move(origins)),
      m_tiling(nest),
      m_ownBuilder(std::move(own)),
      m_builder(m_ownBuilder ? *m_ownBuilder : *builder),
      m_dependencies(valueDependencies(nest)),
      m_isFixed(nest.axes.size(), 0),
      m_ends(nest.axes.size()),
      m_isOpen(nest.axes.size(), 0),
      m_isBelowEnd(nest.axes.size(), 0),
      m_axes(nest.axes.size()),
      m_groupLeaves(groupLeavesOf(nest)),
      m_isGuarded(nest.axes.size(), 0)
{
    for (const Axis &axis : nest.axes)
        m_extents.push_back(axis.extent);
    for (std::size_t i = 0; i < nest.values.size(); ++i)
        if (nest.values[i].kind == ValueKind::Reduction)
            m_reductionValues.emplace(nest.values[i].reduction, ValueId(i));
    // The innermost work item axis is x.
    constexpr std::array kDimensions = {SpecialIndex::GlobalX, SpecialIndex::GlobalY, SpecialIndex::GlobalZ};
    std::size_t dimension = 0;
    m_groupItems = groupItemsOf(nest);
    for (auto leaf = nest.order.rbegin(); leaf != nest.order.rend(); ++leaf) {
        if (!isWorkItem(nest.axes[leaf->value].type))
            continue;
        SW_ASSERT(dimension < kDimensions.size(), "at most three axes of work items");
        m_workItemDimensions.emplace(*leaf, kDimensions.at(dimension++));
    }
    findFirstLeaves();
    definePadding();
    defineGuards();
}

KernelLowering::Standing KernelLowering::standing() const
{
    Standing now;
    for (const std::vector<IndexTerm> &terms : m_axes)
        now.push_back(terms.size());
    return now;
}

void KernelLowering::withScope(const std::function<void()> &body)
{
    m_scopes.emplace_back();
    body();
    m_scopes.pop_back();
}

std::uint32_t KernelLowering::lanesOf(const Point &point) const
{
    std::uint32_t lanes = 1;
    for (const auto &[axis, chunk] : point)
        lanes = std::max(lanes, chunk.lanes);
    return lanes;
}

// All combinations of the chunks of the axes that have a tile, in the order of the loop list; one empty point if none has one. A
// tile over which a loop is open has no chunks.
std::vector<Point> KernelLowering::pointsOver(std::vector<AxisId> axes) const
{
    const auto positionOf = [&](AxisId axis) {
        const AxisId tile = m_tiling.tileOf(axis);
        return tile.isValid() ? std::ranges::find(m_nest.order, m_tiling.leavesOf(tile).front()) - m_nest.order.begin() : 0;
    };
    std::ranges::stable_sort(axes, {}, positionOf);
    std::vector<Point> points{Point{}};
    for (const AxisId axis : axes) {
        const AxisId tile = m_tiling.tileOf(axis);
        if (!tile.isValid() || m_nest.axes[axis.value].isReduce || m_isOpen[tile.value] != 0)
            continue;
        std::vector<Point> more;
        for (const Point &point : points) {
            for (const Chunk &chunk : m_tiling.chunksOf(tile, m_extents[tile.value])) {
                more.push_back(point);
                more.back()[axis] = chunk;
            }
        }
        points = std::move(more);
    }
    return points;
}

void KernelLowering::defineArguments()
{
    const ScheduledKernel &kernel = m_schedule.kernel(m_nest.kernel);
    const std::vector<BufferId> arguments = argumentsOf(kernel);
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const ScheduledBuffer &buffer = m_schedule.buffer(arguments[i]);
        m_memory[arguments[i]] = m_builder.defineGlobal(m_origins.arguments.at(i), {.buffer = arguments[i],
                                                                                    .dtype = buffer.dtype,
                                                                                    .elements = buffer.shape.elements(),
                                                                                    .isWritten = i < kernel.writes.size(),
                                                                                    .name = buffer.name});
    }
    defineOwnMemory();
    defineStages();
    if (m_groupItems > 1)
        m_groupItem = m_builder.special(m_nest.origin, SpecialIndex::LocalX);
}

void KernelLowering::defineOwnMemory()
{
    for (const Pack &pack : m_nest.packs) {
        const Value &value = m_nest.values[pack.load.value];
        const std::int64_t elements = packLayout(pack).back().second;
        m_scratch[&pack] = pack.isShared ? m_builder.local(value.origin, value.dtype, elements, "shared")
                                         : m_builder.buffer(value.origin, value.dtype, elements, "packed");
    }
    defineBlocks();
    defineTileSums();
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        const Reduction &reduction = m_nest.reductions[i];
        const bool isShared =
            std::ranges::any_of(reduction.order, [&](AxisId leaf) { return m_nest.axes[leaf.value].type == AxisType::Local; });
        if (!isShared || m_groupItems == 1)
            continue;
        std::uint32_t lanes = 1;
        for (const Point &point : pointsOver(m_dependencies[m_reductionValues.at(ReductionId(i)).value]))
            lanes = std::max(lanes, lanesOf(point));
        m_shared[ReductionId(i)] = m_builder.local(reduction.origin, reduction.dtype, m_groupItems * lanes, "shared");
    }
}

// Runs body in `count` work items from `first` on; each gets its own index, counted from 0.
void KernelLowering::openWorkItems(AxisId leaf, std::int64_t first, std::int64_t count,
                                   const std::function<void(InstructionId)> &body)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const SpecialIndex dimension = m_workItemDimensions.at(leaf);
    // If a group works together, an index of the axis stands for the group.
    const bool isGroup = m_groupItems > 1 && dimension == SpecialIndex::GlobalX;
    const InstructionId id = m_builder.special(origin, isGroup ? SpecialIndex::GroupX : dimension);
    // The items of a group wait for each other, so those past an end go on as well: what they compute, nobody reads.
    const bool ends = hasEnd(leaf) && m_groupItems <= 1 && m_isFixed[leaf.value] == 0;
    const bool isOnly = first == 0 && count == launched(leaf) && !ends;
    InstructionId index = id;
    InstructionId condition;
    const auto require = [&](InstructionId also) {
        condition = condition.isValid() ? m_builder.alu(origin, Op::And, {condition, also}) : also;
    };
    if (first > 0)
        require(m_builder.alu(origin, Op::Cmple, {m_builder.index(origin, first), id}));
    if (first + count < launched(leaf))
        require(m_builder.alu(origin, Op::Cmplt, {id, m_builder.index(origin, first + count)}));
    if (ends) {
        InstructionId end = countAt(leaf);
        if (first > 0)
            end = m_builder.alu(origin, Op::Add, {end, m_builder.index(origin, first)});
        require(m_builder.alu(origin, Op::Cmplt, {id, end}));
    }
    if (!isOnly)
        m_builder.beginIf(origin, condition);
    if (first > 0)
        index = m_builder.alu(origin, Op::Sub, {id, m_builder.index(origin, first)});
    withScope([&] { body(index); });
    if (!isOnly)
        m_builder.endIf(origin);
}

// Each item of a group takes the leaf's index that equals its place in the group; there may be more places than indices.
void KernelLowering::openGroupItems(AxisId leaf, const std::function<void(InstructionId)> &body)
{
    const Origin &origin = m_nest.axes[leaf.value].origin;
    const bool isShort = m_extents[leaf.value] < placesOf(leaf);
    // Where the items make copies together, those past an end go on as well: what they compute, nobody reads.
    const bool ends = hasEnd(leaf) && !hasSharedCopies(m_nest);
    const AxisId whole = m_tiling.unsplit(leaf);
    const char wasBelowEnd = m_isBelowEnd[whole.value];
    const InstructionId place = groupPlaceOf(leaf);
    if (isShort || ends) {
        const InstructionId count = ends ? countAt(leaf) : m_builder.index(origin, m_extents[leaf.value]);
        m_builder.beginIf(origin, m_builder.alu(origin, Op::Cmplt, {place, count}));
    }
    m_isBelowEnd[whole.value] = ends && isLastLoop(leaf) && spanOf(leaf) == 1 ? 1 : 0;
    withScope([&] { body(place); });
    m_isBelowEnd[whole.value] = wasBelowEnd;
    if (isShort || ends)
        m_builder.endIf(origin);
}

// Opens the loop of one leaf around what follows, then emits the rests of the splits that are decided there.
void KernelLowering::emitLoops(const std::vector<AxisId> &leaves, std::size_t position,
                               const std::function<void(std::size_t)> &before, const std::function<void()> &innermost)
{
    before(position);
    if (position == leaves.size()) {
        innermost();
        return;
    }
    const AxisId leaf = leaves[position];
    if (leaf == m_blockLoop && m_blockPhase == BlockPhase::None) {
        emitBlocks(leaves, position, before, innermost);
        return;
    }
    const auto rest = [&] { emitLoops(leaves, position + 1, before, innermost); };
    if (m_isFixed[leaf.value] != 0) {
        emitFixed(leaf, 0, rest);
        return;
    }
    const std::vector<AxisId> splits = splitsAt(leaf);
    emitSplits({leaf, splits, rest}, splits.size(), 0);
}

void KernelLowering::emitMain(AxisId leaf, std::int64_t task, const std::function<void()> &body)
{
    const Axis &axis = m_nest.axes[leaf.value];
    std::vector<IndexTerm> &terms = m_axes[m_tiling.unsplit(leaf).value];
    const std::int64_t count = m_extents[leaf.value];
    const auto insideOf = [&](const std::vector<InstructionId> &counters) {
        m_isOpen[leaf.value] = 1;
        for (const InstructionId counter : counters)
            terms.push_back({counter, m_tiling.strideOf(leaf), leaf});
        emitPacksAt(leaf);
        const auto position = static_cast<std::size_t>(std::ranges::find(m_nest.order, leaf) - m_nest.order.begin());
        const bool isShared = position < m_sharedLoops && m_ownBuilder;
        for (const auto &stage : m_stages)
            if (isShared)
                stage->enterSharedLoop(*this, position);
        if (const auto guard = m_guards.find(leaf); guard != m_guards.end())
            emitGuarded(guard->second, body);
        else
            body();
        for (const auto &stage : m_stages)
            if (isShared)
                stage->m_scopes.pop_back();
        terms.resize(terms.size() - counters.size());
        m_isOpen[leaf.value] = 0;
    };
    const auto inside = [&](InstructionId counter) {
        insideOf(counter.isValid() ? std::vector{counter} : std::vector<InstructionId>());
    };
    if (m_workItemDimensions.contains(leaf)) {
        openWorkItems(leaf, task, count, inside);
        return;
    }
    if (axis.type == AxisType::Local && m_groupItems > 1) {
        openGroupItems(leaf, inside);
        return;
    }
    if (count == 1) {
        withScope([&] { inside(InstructionId()); });
        return;
    }
    if (const auto coordinate = m_padding.find(leaf); coordinate != m_padding.end()) {
        emitWrittenOut(leaf, coordinate->second, body);
        return;
    }
    if (hasEnd(leaf)) {
        emitEndingLoop(leaf, insideOf);
        return;
    }
    const InstructionId counter = openLoop(leaf, m_builder.index(axis.origin, count));
    withScope([&] { inside(counter); });
    m_builder.endRange(axis.origin);
}

// Whether every loop of these axes is open, or fixed, once the first `position` leaves are open.
bool KernelLowering::isBound(const std::vector<AxisId> &axes, const std::vector<AxisId> &leaves, std::size_t position) const
{
    for (const AxisId axis : axes) {
        if (m_nest.axes[axis.value].isReduce)
            return false;
        for (std::size_t i = position; i < leaves.size(); ++i)
            if (m_tiling.unsplit(leaves[i]) == axis && m_isFixed[leaves[i].value] == 0)
                return false;
    }
    return true;
}

// Emits what can be computed here, outside the loops still to be opened: reductions, and stores that do not depend on the loops.
void KernelLowering::emitReady(const std::vector<AxisId> &leaves, std::size_t position)
{
    if (position < m_sharedLoops)
        return; // what a stage reads is there after the stages before it
    if (position == m_sharedLoops)
        emitStages();
    if (m_blockLoop.isValid() && m_blockPhase != BlockPhase::Read)
        return; // nothing can be told before the last block
    for (std::size_t i = 0; i < m_nest.reductions.size(); ++i) {
        const ReductionId id(i);
        const bool isDone = std::ranges::any_of(m_scopes, [&](const Scope &scope) { return scope.reductions.contains(id); });
        if (isDone || m_nest.reductions[i].joined || !isBound(m_dependencies[m_reductionValues.at(id).value], leaves, position))
            continue;
        m_scopes.back().reductions.insert(id);
        emitReduction(id, {});
    }
    std::vector<std::size_t> byRows;
    for (std::size_t i = 0; i < m_nest.stores.size(); ++i) {
        const StoreStatement &store = m_nest.stores[i];
        const bool isDone = std::ranges::any_of(m_scopes, [&](const Scope &scope) { return scope.stores.contains(i); });
        if (isDone || !isBound(m_nest.arena.axesOf(store.index), leaves, position) ||
            !isBound(m_dependencies[store.value.value], leaves, position))
            continue;
        m_scopes.back().stores.insert(i);
        if (isStoredByRows(store))
            byRows.push_back(i);
        else
            emitStore(i);
    }
    if (!byRows.empty())
        emitByRows(byRows);
}

LoweredKernel KernelLowering::run()
{
    defineArguments();
    const std::vector<AxisId> leaves = m_tiling.loopsOf(m_nest.order);
    const bool isEmpty = std::ranges::any_of(m_nest.domain, [&](AxisId axis) { return m_nest.axes[axis.value].extent == 0; });
    withScope([&] {
        defineEnds();
        for (const auto &stage : m_stages) {
            stage->m_scopes.emplace_back();
            stage->defineEnds();
        }
        if (!isEmpty)
            emitLoops(leaves, 0, [&](std::size_t position) { emitReady(leaves, position); }, [] {});
    });
    LoweredKernel kernel = m_builder.take();
    for (const auto &[leaf, dimension] : m_workItemDimensions) {
        kernel.globalSize.at(static_cast<std::size_t>(dimension)) = launched(leaf);
        kernel.localSize.at(static_cast<std::size_t>(dimension)) = m_nest.axes[leaf.value].group;
    }
    if (m_groupItems > 1) {
        kernel.globalSize[0] *= m_groupItems;
        kernel.localSize = {m_groupItems, 1, 1};
    }
    return kernel;
}

} // namespace sw
