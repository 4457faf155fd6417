#include "engine/loops/verifier.h"

#include "engine/base/parallel.h"
#include "engine/loops/join.h"
#include "engine/loops/prefetch_queries.h"
#include "engine/loops/queries.h"
#include "engine/loops/share_queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/stream_queries.h"
#include "engine/loops/written_out.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMostRepeats = 1 << 14;
constexpr std::int64_t kMostVectorLanes = 64;     // of bytes, in the widest register of a CPU
constexpr std::int64_t kMostGroupItems = 1 << 16; // devices have fewer
constexpr std::int64_t kMostLocalAxes = 3;        // of the domain: the sides of a tile

class NestVerifier {
public:
    NestVerifier(const LoopNest &nest, const Schedule &schedule)
        : m_nest(nest), m_schedule(schedule), m_kernel(schedule.kernel(nest.kernel))
    {
    }

    Result<Done> verify()
    {
        for (std::size_t i = 0; i < m_nest.values.size(); ++i)
            SW_CHECK(verifyValue(i));
        for (const Reduction &reduction : m_nest.reductions)
            if (reduction.body.value >= m_nest.values.size())
                return invalid(reduction.origin, "a reduction without a body");
        m_dependencies = valueDependencies(m_nest);
        SW_CHECK(verifyEnds());
        for (const Reduction &reduction : m_nest.reductions)
            if (!reduction.joined)
                SW_CHECK(verifyOrder(reduction.axes, loopsOver(reduction), reduction.origin));
        if (const auto problem = joinedProblemOf(m_nest))
            return invalid(m_nest.origin, "joined reductions: {}", *problem);
        std::vector<AxisId> ofDomain = m_nest.order;
        std::erase_if(ofDomain, [&](AxisId leaf) { return m_nest.axes[leaf.value].isReduce; });
        SW_CHECK(verifyOrder(m_nest.domain, ofDomain, m_nest.origin));
        if (const auto problem = blockProblemOf(m_nest))
            return invalid(m_nest.origin, "blocks of a reduction: {}", *problem);
        SW_CHECK(verifyGroups());
        SW_CHECK(verifyWaits());
        SW_CHECK(verifyVectors());
        SW_CHECK(verifyRepeats());
        for (std::size_t i = 0; i < m_nest.reductions.size(); ++i)
            if (const auto problem = tileProblemOf(m_nest, ReductionId(i)); m_nest.reductions[i].isTiled && problem)
                return invalid(m_nest.reductions[i].origin, "a product of tiles: {}", *problem);
        for (const StoreStatement &store : m_nest.stores) {
            const bool isKept = isOfStage(store.buffer, store.node);
            if (!isKept && std::ranges::find(m_kernel.writes, store.buffer) == m_kernel.writes.end())
                return invalid(store.origin, "a store into a buffer that the kernel does not write");
            if (store.value.value >= m_nest.values.size())
                return invalid(store.origin, "a store without a value");
            const DType dtype = isKept ? m_schedule.graph->node(store.node).dtype : m_schedule.buffer(store.buffer).dtype;
            if (m_nest.values[store.value.value].dtype != dtype)
                return invalid(store.origin, "a store of another type than the buffer's");
        }
        for (const Prefetch &prefetch : m_nest.prefetches)
            if (const auto problem = prefetchProblemOf(m_nest, prefetch))
                return invalid(m_nest.values[prefetch.load.value].origin, "a prefetch of v{}: {}", prefetch.load.value, *problem);
        for (const Stream &stream : m_nest.streams)
            if (const auto problem = streamProblemOf(m_nest, stream))
                return invalid(m_nest.values[stream.load.value].origin, "a stream of v{}: {}", stream.load.value, *problem);
        for (const Pack &pack : m_nest.packs) {
            const Origin &origin = m_nest.values[pack.load.value].origin;
            if (pack.isShared) {
                if (const auto problem = shareProblemOf(m_nest, pack))
                    return invalid(origin, "the copy of v{} that a group shares: {}", pack.load.value, *problem);
            } else if (std::ranges::find(m_nest.order, pack.at) == m_nest.order.end()) {
                return invalid(m_nest.origin, "a pack of v{} at what is no loop", pack.load.value);
            }
            if (const auto missing = axisMissingInPack(m_nest, pack))
                return invalid(origin, "the pack of v{} is not indexed by {}, which moves the load", pack.load.value,
                               m_nest.axes[missing->value].name);
            if (const auto problem = pack.isShared ? std::nullopt : packProblemOf(m_nest, pack))
                return invalid(origin, "the pack of v{}: {}", pack.load.value, *problem);
        }
        return Done{};
    }

private:
    template <class... Args>
    Diagnostic invalid(const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args) const
    {
        Diagnostic made = Diagnostic::error(Code::InvalidIr, m_schedule.graph->sources().programRange(origin), pattern,
                                            std::forward<Args>(args)...);
        made.message = format("loop nest of {}: {}", m_kernel.name, made.message);
        return made;
    }

    // Memory without a buffer is that of the work item, for the value of a stage.
    [[nodiscard]] bool isOfStage(BufferId buffer, NodeId node) const
    {
        return !buffer.isValid() && std::ranges::find(m_kernel.stages, node) != m_kernel.stages.end();
    }

    Result<Done> verifyValue(std::size_t index) const
    {
        const Value &value = m_nest.values[index];
        for (const ValueId operand : value.operands)
            if (operand.value >= index)
                return invalid(value.origin, "v{} uses v{}, which does not precede it", index, operand.value);
        const bool readsMemory = value.kind == ValueKind::Load || value.kind == ValueKind::Indexed;
        const bool isKept = value.kind == ValueKind::Load && isOfStage(value.buffer, value.node);
        if (readsMemory && !isKept && std::ranges::find(m_kernel.reads, value.buffer) == m_kernel.reads.end())
            return invalid(value.origin, "v{} reads a buffer that the kernel does not list", index);
        if (value.kind == ValueKind::Alu && value.operands.size() != arityOf(value.op))
            return invalid(value.origin, "v{} gives {} operands to {}", index, value.operands.size(), nameOf(value.op));
        if (value.kind == ValueKind::Reduction && value.reduction.value >= m_nest.reductions.size())
            return invalid(value.origin, "v{} names no reduction", index);
        return Done{};
    }

    Result<Done> verifyEnds() const
    {
        for (const Axis &axis : m_nest.axes) {
            if (!axis.end.isValid())
                continue;
            if (axis.source.isValid())
                return invalid(axis.origin, "{} is a part of a split and has an end of its own", axis.name);
            if (axis.end.value >= m_nest.values.size() || m_nest.values[axis.end.value].dtype != DType::I64)
                return invalid(axis.origin, "the end of {} is no i64 value", axis.name);
            for (const AxisId other : m_dependencies[axis.end.value])
                if (!axis.isReduce || m_nest.axes[other.value].isReduce)
                    return invalid(axis.origin, "the end of {} moves with {}", axis.name, axisName(other));
        }
        for (const LoopNest &stage : m_nest.stages)
            for (std::size_t row = 0; row < std::min(m_nest.rowAxes, stage.domain.size()); ++row)
                if (const Axis &own = stage.axes[stage.domain[row].value];
                    own.end.isValid() != m_nest.axes[m_nest.domain[row].value].end.isValid())
                    return invalid(own.origin, "{} does not end where the kernel's rows do", own.name);
        return Done{};
    }

    [[nodiscard]] bool hasLocalLeaf(const std::vector<AxisId> &order, const std::vector<AxisId> &among) const
    {
        return std::ranges::any_of(order, [&](AxisId leaf) {
            return m_nest.axes[leaf.value].type == AxisType::Local &&
                   std::ranges::find(among, unsplitAxis(m_nest, leaf)) != among.end();
        });
    }

    // A reduction that the items of a group compute together must be the same for all of them.
    Result<Done> verifyGroups() const
    {
        for (std::size_t i = 0; i < m_nest.values.size(); ++i) {
            const Value &value = m_nest.values[i];
            if (value.kind != ValueKind::Reduction)
                continue;
            const Reduction &reduction = m_nest.reductions[value.reduction.value];
            if (!hasLocalLeaf(reduction.order, reduction.axes))
                continue;
            if (hasLocalLeaf(m_nest.order, m_dependencies[i]))
                return invalid(reduction.origin, "a group's items share a reduction that is another one for each of them");
            for (const Reduction &outer : m_nest.reductions)
                if (hasLocalLeaf(outer.order, m_dependencies[i]))
                    return invalid(reduction.origin, "a group's items share a reduction inside another one that they share");
        }
        return Done{};
    }

    // With the one that stands among the loops of the domain, if any.
    [[nodiscard]] std::vector<AxisId> loopsOver(const Reduction &reduction) const
    {
        std::vector<AxisId> loops;
        for (const AxisId leaf : m_nest.order)
            if (std::ranges::find(reduction.axes, unsplitAxis(m_nest, leaf)) != reduction.axes.end())
                loops.push_back(leaf);
        loops.insert(loops.end(), reduction.order.begin(), reduction.order.end());
        return loops;
    }

    bool isRepeatedLeaf(AxisId leaf) const { return isRepeated(m_nest.axes[leaf.value].type); }

    [[nodiscard]] const std::string &axisName(AxisId axis) const { return m_nest.axes[axis.value].name; }

    [[nodiscard]] std::int64_t countOf(const std::vector<AxisId> &order, AxisType type) const
    {
        return std::ranges::count_if(order, [&](AxisId leaf) { return m_nest.axes[leaf.value].type == type; });
    }

    // What is repeated in registers is written out, so its size is the kernel's.
    Result<Done> verifyRepeats() const
    {
        if (writtenOutElements(m_nest) > kMostRepeats)
            return invalid(m_nest.origin, "more than {} elements are repeated in registers", kMostRepeats);
        for (const Reduction &reduction : m_nest.reductions)
            if (writtenOutSteps(m_nest, reduction) > kMostRepeats)
                return invalid(reduction.origin, "more than {} steps of a reduction are repeated in registers", kMostRepeats);
        const auto isTooWide = [&](AxisId leaf) {
            const Axis &axis = m_nest.axes[leaf.value];
            return axis.type == AxisType::Vector && axis.extent > kMostVectorLanes;
        };
        for (std::size_t i = 0; i < m_nest.axes.size(); ++i)
            if (leavesOf(m_nest, AxisId(i)).front() == AxisId(i) && isTooWide(AxisId(i)))
                return invalid(m_nest.origin, "{} is a vector of {} lanes; there may be {}", axisName(AxisId(i)),
                               m_nest.axes[i].extent, kMostVectorLanes);
        return Done{};
    }

    // A value has the lanes of one axis, so a reduction along a vector cannot be another one for each lane of the domain's, or
    // of another reduction's.
    Result<Done> verifyVectors() const
    {
        const auto vectorAmong = [&](const std::vector<AxisId> &order, const std::vector<AxisId> &moving) {
            const auto found = std::ranges::find_if(order, [&](AxisId leaf) {
                return m_nest.axes[leaf.value].type == AxisType::Vector &&
                       std::ranges::binary_search(moving, unsplitAxis(m_nest, leaf));
            });
            return found != order.end() ? *found : AxisId();
        };
        for (std::size_t i = 0; i < m_nest.values.size(); ++i) {
            if (m_nest.values[i].kind != ValueKind::Reduction)
                continue;
            const Reduction &own = m_nest.reductions[m_nest.values[i].reduction.value];
            const auto along =
                std::ranges::find_if(own.order, [&](AxisId leaf) { return m_nest.axes[leaf.value].type == AxisType::Vector; });
            if (along == own.order.end())
                continue;
            AxisId other = vectorAmong(m_nest.order, m_dependencies[i]);
            for (const Reduction &reduction : m_nest.reductions)
                other = other.isValid() ? other : vectorAmong(reduction.order, m_dependencies[i]);
            if (other.isValid())
                return invalid(own.origin,
                               "the reduction runs along the vector {} and moves with the vector {}; one of them may be",
                               axisName(*along), axisName(other));
        }
        return Done{};
    }

    // Whether some work items of the leaf have no index: there is a condition around what the others do.
    [[nodiscard]] bool hasIdleItems(AxisId leaf) const
    {
        const Axis &axis = m_nest.axes[leaf.value];
        if (axis.type != AxisType::Thread && axis.type != AxisType::Global)
            return false;
        if (axis.extent % axis.group != 0)
            return true;
        for (AxisId part = leaf; m_nest.axes[part.value].source.isValid(); part = m_nest.axes[part.value].source) {
            const Axis &split = m_nest.axes[m_nest.axes[part.value].source.value];
            for (const Axis &one : m_nest.axes)
                if (one.source == m_nest.axes[part.value].source && split.extent % one.factor != 0)
                    return true;
        }
        return false;
    }

    // The items of a group wait for each other in a reduction that they share, so all of them must reach it.
    Result<Done> verifyWaits() const
    {
        const bool isShared = groupItemsOf(m_nest) > 1 && std::ranges::any_of(m_nest.reductions, [&](const Reduction &reduction) {
                                  return countOf(reduction.order, AxisType::Local) > 0;
                              });
        const auto idle = std::ranges::find_if(m_nest.order, [&](AxisId leaf) { return hasIdleItems(leaf); });
        if (isShared && idle != m_nest.order.end())
            return invalid(m_nest.origin,
                           "a group's items share a reduction, and some work items of {} have no index; its splits and groups "
                           "must divide it",
                           axisName(*idle));
        const auto local =
            std::ranges::find_if(m_nest.order, [&](AxisId leaf) { return m_nest.axes[leaf.value].type == AxisType::Local; });
        if (local == m_nest.order.end())
            return Done{};
        for (std::size_t i = 0; i < m_nest.values.size(); ++i) {
            const Value &value = m_nest.values[i];
            if (value.kind != ValueKind::Reduction || !countOf(m_nest.reductions[value.reduction.value].order, AxisType::Local))
                continue;
            for (auto inside = local + 1; inside != m_nest.order.end(); ++inside)
                if (!isRepeatedLeaf(*inside) && std::ranges::binary_search(m_dependencies[i], unsplitAxis(m_nest, *inside)))
                    return invalid(value.origin,
                                   "a group's items share a reduction inside of {}, which divides them; {} must be outside",
                                   axisName(*local), axisName(*inside));
        }
        return Done{};
    }

    Result<Done> verifyOrder(const std::vector<AxisId> &axes, const std::vector<AxisId> &order, const Origin &origin) const
    {
        std::vector<AxisId> expected;
        for (std::size_t i = 0; i < m_nest.axes.size(); ++i) {
            const bool isSplit = std::ranges::any_of(m_nest.axes, [&](const Axis &part) { return part.source == AxisId(i); });
            const AxisId whole = unsplitAxis(m_nest, AxisId(i));
            if (!isSplit && std::ranges::find(axes, whole) != axes.end())
                expected.emplace_back(i);
        }
        if (!std::ranges::is_permutation(expected, order))
            return invalid(origin, "the loop list does not hold each leaf of its axes once");
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (!isRepeatedLeaf(order[i]))
                continue;
            const AxisId whole = unsplitAxis(m_nest, order[i]);
            for (std::size_t j = i + 1; j < order.size(); ++j)
                if (!isRepeatedLeaf(order[j]) && whole == unsplitAxis(m_nest, order[j]))
                    return invalid(origin,
                                   "{} is repeated in registers outside of the loop {} of the same axis; reorder them, {} first",
                                   axisName(order[i]), axisName(order[j]), axisName(order[j]));
            const AxisId tile = tileOf(m_nest, whole);
            const std::vector<AxisId> leaves = leavesOf(m_nest, tile);
            if (std::ranges::find(leaves, order[i]) == leaves.end())
                return invalid(origin, "{} and {} are repeated in registers, and a loop over {} stands between them",
                               axisName(leaves.front()), axisName(order[i]), axisName(whole));
        }
        if (const auto vectors = countOf(order, AxisType::Vector); vectors > 1)
            return invalid(origin, "{} vector axes in one loop list; there may be one", vectors);
        const bool isOfReduction = !order.empty() && m_nest.axes[order.front().value].isReduce;
        const std::int64_t mostLocal = isOfReduction ? 1 : kMostLocalAxes;
        if (const auto shared = countOf(order, AxisType::Local); shared > mostLocal)
            return invalid(origin, "{} local axes in one loop list; there may be {}", shared, mostLocal);
        if (const std::int64_t places = groupItemsOf(m_nest); places > kMostGroupItems)
            return invalid(origin, "a group would have {} work items; there may be {}", places, kMostGroupItems);
        if (const auto items = countOf(order, AxisType::Thread) + countOf(order, AxisType::Global); items > kMostItemAxes)
            return invalid(origin, "{} axes of work items; there may be {}", items, kMostItemAxes);
        return Done{};
    }

    const LoopNest &m_nest;
    const Schedule &m_schedule;
    const ScheduledKernel &m_kernel;
    std::vector<std::vector<AxisId>> m_dependencies; // by value
};

} // namespace

Result<Done> verifyLoops(const LoopNest &nest, const Schedule &schedule)
{
    for (const LoopNest &stage : nest.stages)
        SW_CHECK(NestVerifier(stage, schedule).verify());
    SW_CHECK(NestVerifier(nest, schedule).verify());
    if (const auto problem = stageProblemOf(nest))
        return Diagnostic::error(Code::InvalidIr, schedule.graph->sources().programRange(nest.origin),
                                 "loop nest of {}: the stages: {}", schedule.kernel(nest.kernel).name, *problem);
    return Done{};
}

Result<Done> verifyLoops(const LoopProgram &program)
{
    std::vector<Result<Done>> outcomes(program.nests.size(), Done{});
    inParallel(outcomes.size(), [&](std::size_t i) { outcomes[i] = verifyLoops(*program.nests[i], *program.schedule); });
    for (const Result<Done> &outcome : outcomes)
        SW_CHECK(outcome);
    return Done{};
}

} // namespace sw
