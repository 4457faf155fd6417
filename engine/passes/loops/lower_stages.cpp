// Stages of a kernel: the kernel's own lowering opens the loops that all share, and each stage writes its other loops into them.

#include "engine/loops/stages.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace sw {

KernelLowering::KernelLowering(const LoopNest &stage, KernelLowering &kernel)
    : KernelLowering(kernel.m_schedule, stage, FrameOrigins{stage.origin, {}}, nullptr, &kernel.m_builder)
{
    m_memory = kernel.m_memory;
    m_sharedLoops = kernel.m_sharedLoops;
    defineOwnMemory();
}

namespace {

// How many lanes without an index a masked vector of the kernel has at most.
std::int64_t mostMissingLanes(const LoopNest &kernel)
{
    std::int64_t most = 0;
    forEachStage(kernel, [&](const LoopNest &stage) {
        for (const Axis &axis : stage.axes)
            if (axis.isMasked)
                most = std::max(most, static_cast<std::int64_t>(std::bit_ceil(static_cast<std::uint64_t>(axis.extent))) - 1);
    });
    return most;
}

} // namespace

// Behind the last row there is room for the lanes that have no index.
void KernelLowering::defineStages()
{
    m_sharedLoops = sharedLoopsOf(m_nest);
    const std::vector<std::size_t> memory = keptMemoryOf(m_nest);
    std::vector<std::int64_t> elements(memory.size(), 0);
    const std::int64_t room = mostMissingLanes(m_nest);
    for (std::size_t i = 0; i < memory.size(); ++i)
        elements[memory[i]] = std::max(elements[memory[i]], keptElementsOf(m_nest.stages[i], m_sharedLoops));
    std::vector<InstructionId> made(memory.size());
    for (std::size_t i = 0; i < memory.size(); ++i) {
        const LoopNest &stage = m_nest.stages[i];
        const StoreStatement &store = stage.stores.front();
        InstructionId &place = made[memory[i]];
        if (!place.isValid())
            place = m_builder.buffer(store.origin, stage.values[store.value.value].dtype, elements[memory[i]] + room,
                                     format("kept{}", memory[i]));
        m_kept[store.node] = place;
    }
    for (const LoopNest &stage : m_nest.stages) {
        m_stages.push_back(std::unique_ptr<KernelLowering>(new KernelLowering(stage, *this)));
        m_stages.back()->m_kept = m_kept;
    }
}

void KernelLowering::emitStages()
{
    m_blockRows = standing();
    for (std::size_t i = 0; i < m_stages.size(); ++i) {
        m_builder.beginBlock(m_nest.stages[i].origin, format("stage {}", i));
        m_stages[i]->emitAsStage(*this);
        m_builder.endBlock(m_nest.stages[i].origin);
    }
}

void KernelLowering::emitAsStage(const KernelLowering &kernel)
{
    takeRowsOf(kernel);
    m_blockRows = standing();
    withScope([&] {
        emitLoops(
            m_tiling.loopsOf(m_nest.order), m_sharedLoops,
            [&](std::size_t position) { emitReady(m_tiling.loopsOf(m_nest.order), position); }, [] {});
    });
}

// Copies that a stage makes in a loop that all share are there for all of the loop's rounds.
void KernelLowering::enterSharedLoop(const KernelLowering &kernel, std::size_t position)
{
    takeRowsOf(kernel);
    m_scopes.emplace_back();
    emitPacksAt(m_nest.order[position]);
}

// The axes of the kernel's rows and their parts, down to those that the shared loops decide, each with the stage's own.
std::vector<std::pair<AxisId, AxisId>> KernelLowering::axesOfRows(const KernelLowering &kernel) const
{
    std::vector<std::pair<AxisId, AxisId>> pairs;
    for (std::size_t row = 0; row < m_nest.rowAxes; ++row)
        pairs.emplace_back(kernel.m_nest.domain[row], m_nest.domain[row]);
    for (std::size_t i = 0; i < m_sharedLoops; ++i) {
        AxisId of = kernel.m_nest.order[i];
        AxisId own = m_nest.order[i];
        while (m_nest.axes[own.value].source.isValid()) {
            of = kernel.m_nest.axes[of.value].source;
            own = m_nest.axes[own.value].source;
            const SplitParts parts = *kernel.m_tiling.partsOf(of);
            const SplitParts ownParts = *m_tiling.partsOf(own);
            pairs.emplace_back(parts.outer, ownParts.outer);
            pairs.emplace_back(parts.inner, ownParts.inner);
        }
    }
    return pairs;
}

// The rows of the stage stand where the kernel's stand.
void KernelLowering::takeRowsOf(const KernelLowering &kernel)
{
    const std::vector<std::pair<AxisId, AxisId>> pairs = axesOfRows(kernel);
    for (const auto &[of, own] : pairs) {
        m_extents[own.value] = kernel.m_extents[of.value];
        m_isFixed[own.value] = kernel.m_isFixed[of.value];
        m_isOpen[own.value] = kernel.m_isOpen[of.value];
    }
    for (std::size_t row = 0; row < m_nest.rowAxes; ++row) {
        std::vector<IndexTerm> &terms = m_axes[m_nest.domain[row].value];
        terms = kernel.m_axes[kernel.m_nest.domain[row].value];
        for (IndexTerm &term : terms)
            term.part = std::ranges::find(pairs, term.part, &std::pair<AxisId, AxisId>::first)->second;
    }
}

// What a stage hands on has room for one round of the shared loops, so its index does not count them.
void KernelLowering::countFromBlock(const std::function<void()> &body)
{
    const std::vector<std::vector<IndexTerm>> all = m_axes;
    for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
        m_axes[axis].erase(m_axes[axis].begin(), m_axes[axis].begin() + static_cast<std::ptrdiff_t>(m_blockRows[axis]));
    body();
    m_axes = all;
}

InstructionId KernelLowering::keptLoad(ValueId id, const Point &point)
{
    const Value &value = m_nest.values[id.value];
    const Origin &origin = value.origin;
    const std::uint32_t lanes = lanesOf(point);
    InstructionId at;
    bool isRun = true;     // the lanes are neighbours
    std::int64_t step = 0; // else, where they are read spread: from lane to lane
    bool isAligned = false;
    countFromBlock([&] {
        const IndexParts parts = indexParts(origin, value.index, point);
        isRun = lanes == 1 || (parts.isLinear && parts.coefficient == 1);
        step = isSpread(value, parts, point) ? parts.coefficient : 0;
        if (!isRun && step == 0)
            return;
        at = scalarIndex(origin, value.index, point);
        isAligned = isAlignedRun(value.index, point, value.dtype);
    });
    if (step != 0)
        return spreadLoad(value, m_kept.at(value.node), at, step, point);
    if (!isRun)
        return laneByLane(id, point);
    // The lanes without an index read what comes next; nobody reads those in turn, but an index that is computed of them.
    if (value.conditions.empty() && (missingOf(point) == 0 || isFloat(value.dtype)))
        return m_builder.load(origin, m_kept.at(value.node), at, lanes, {.isAligned = isAligned && missingOf(point) == 0});
    const std::optional<InstructionId> valid = conditionsAt(origin, value.conditions, point);
    if (!valid)
        return laneByLane(id, point);
    if (!valid->isValid() && missingOf(point) == 0)
        return m_builder.load(origin, m_kept.at(value.node), at, lanes);
    return loadWhere(origin, m_kept.at(value.node), at, *valid, value, point);
}

void KernelLowering::keepValue(const StoreStatement &statement, const Point &point)
{
    const Origin &origin = statement.origin;
    const InstructionId memory = m_kept.at(statement.node);
    const InstructionId whole = widened(origin, valueAt(statement.value, point), lanesOf(point));
    for (const StoredPart &part : storedParts(origin, whole, point))
        countFromBlock([&] { storeInto(memory, statement, part); });
}

} // namespace sw
