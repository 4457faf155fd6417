#include "engine/loops/printer.h"

#include "engine/base/text.h"
#include "engine/loops/join.h"
#include "engine/loops/needed_where.h"
#include "engine/loops/nest_text.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

class NestPrinter {
public:
    // stage: its number among the stages of `kernel`; as many as there are: the kernel's own nest.
    NestPrinter(const LoopNest &nest, const Schedule &schedule, const LoopNest &kernel, std::size_t stage)
        : m_nest(nest),
          m_schedule(schedule),
          m_text(nest, schedule),
          m_dependencies(valueDependencies(nest)),
          m_isBeingBuilt(nest.stores.size() < schedule.kernel(nest.kernel).results.size()),
          m_shared(sharedLoopsOf(kernel)),
          m_stage(stage)
    {
        for (std::size_t i = 0; i < nest.stages.size(); ++i)
            m_stages.emplace_back(nest.stages[i], schedule, kernel, i);
    }

    std::vector<LoopLine> print()
    {
        const ScheduledKernel &kernel = m_schedule.kernel(m_nest.kernel);
        add(0, LoopLineKind::Kernel, 0, kernel.origin, format("kernel {}", kernel.name));
        add(1, LoopLineKind::Kernel, 0, kernel.origin, "axes");
        for (NestPrinter &stage : m_stages) {
            stage.printAxes();
            takeLines(stage);
        }
        printAxes();
        if (!m_nest.transforms.empty())
            add(1, LoopLineKind::Kernel, 0, kernel.origin, "transforms");
        for (std::size_t i = 0; i < m_nest.transforms.size(); ++i)
            printTransform(i);
        add(1, LoopLineKind::Kernel, 0, kernel.origin, "body");
        printLoops(0, 2);
        if (m_isBeingBuilt)
            printWaiting(2 + static_cast<int>(m_nest.order.size()));
        return std::move(m_lines);
    }

private:
    void takeLines(NestPrinter &stage)
    {
        m_lines.insert(m_lines.end(), stage.m_lines.begin(), stage.m_lines.end());
        stage.m_lines.clear();
    }

    void printAxes()
    {
        for (std::size_t i = 0; i < m_nest.axes.size(); ++i)
            if (isLeaf(AxisId(i)))
                printAxis(AxisId(i));
    }

    void add(int depth, LoopLineKind kind, std::size_t index, const Origin &origin, const std::string &text)
    {
        m_lines.push_back(LoopLine{.text = std::string(static_cast<std::size_t>(2 * depth), ' ') + text,
                                   .kind = kind,
                                   .index = static_cast<std::uint32_t>(index),
                                   .origin = origin,
                                   .stage = static_cast<std::uint32_t>(m_stage)});
    }

    bool isLeaf(AxisId axis) const
    {
        if (m_isBeingBuilt) // no axis is split yet, and the reduction of some is still to come
            return true;
        if (std::ranges::find(m_nest.order, axis) != m_nest.order.end())
            return true;
        return std::ranges::any_of(m_nest.reductions, [&](const Reduction &reduction) {
            return std::ranges::find(reduction.order, axis) != reduction.order.end();
        });
    }

    void printAxis(AxisId id)
    {
        const Axis &axis = m_nest.axes[id.value];
        const std::int64_t whole = axis.source.isValid() ? m_nest.axes[axis.source.value].extent : axis.extent;
        const std::int64_t rest = axis.source.isValid() && axis.factor > 1 ? whole % axis.factor : 0;
        add(2, LoopLineKind::Axis, id.value, axis.origin,
            format("{} {} {}{}{}{}{}{}", axis.name, axis.extent, nameOf(axis.type), axis.isMasked ? " masked" : "",
                   rest != 0 ? format(" rest {}", rest) : "", m_text.ofEnd(id),
                   axis.group != 1 ? format(" groups of {}", axis.group) : "",
                   axis.copies != 1 ? format(" written out {} times", axis.copies) : ""));
    }

    void printTransform(std::size_t index)
    {
        const Transform &transform = m_nest.transforms[index];
        add(2, LoopLineKind::Transform, index, m_nest.origin,
            transform.reason.empty() ? toText(transform) : format("{}  # {}", toText(transform), transform.reason));
    }

    // Prints the values under the root that are not yet printed in a scope that is still visible.
    void printValues(ValueId root, int depth)
    {
        for (const ValueId id : valuesUnder(m_nest, root, ThroughReductions::No)) {
            const Value &value = m_nest.values[id.value];
            if (!m_printed.insert(id).second || value.kind == ValueKind::Reduction)
                continue;
            printValue(id, depth);
        }
    }

    void printValue(ValueId id, int depth)
    {
        const Value &value = m_nest.values[id.value];
        m_everPrinted.insert(id);
        add(depth, LoopLineKind::Value, id.value, value.origin,
            format("v{} {} = {}{}", id.value, nameOf(value.dtype), m_text.ofValue(value), m_text.ofFetches(id)));
    }

    // The values that nothing reads yet.
    void printWaiting(int depth)
    {
        for (std::size_t i = 0; i < m_nest.values.size(); ++i)
            if (m_nest.values[i].kind != ValueKind::Reduction && !m_everPrinted.contains(ValueId(i)))
                printValue(ValueId(i), depth);
    }

    bool isBound(const std::vector<AxisId> &axes, std::size_t position) const
    {
        return std::ranges::none_of(axes, [&](AxisId axis) {
            if (m_nest.axes[axis.value].isReduce)
                return true;
            for (std::size_t i = position; i < m_nest.order.size(); ++i)
                if (unsplitAxis(m_nest, m_nest.order[i]) == axis)
                    return true;
            return false;
        });
    }

    // With the copies that a group makes in a round of it.
    void printLoop(AxisId leaf, int depth)
    {
        add(depth, LoopLineKind::Loop, leaf.value, m_nest.axes[leaf.value].origin, m_text.ofLoop(leaf));
        printPacks(leaf, depth + 1);
    }

    void printReduction(std::size_t index, int depth)
    {
        const Reduction &reduction = m_nest.reductions[index];
        const std::optional<AxisId> block = blockLoopOf(m_nest);
        const std::string where = join(neededWhere(m_nest, ReductionId(index)), " and ", [](const NeededCondition &one) {
            return format("v{} {}", one.condition.value, one.holds ? "holds" : "does not hold");
        });
        const std::string head = format("reduction {} = {} {}{}{}", index, nameOf(reduction.op), nameOf(reduction.dtype),
                                        where.empty() ? where : ", needed where " + where,
                                        block ? " of the block, added to what the blocks before gave" : "");
        add(depth, LoopLineKind::Reduction, index, reduction.origin, head);
        const std::vector<ReductionId> followers = joinedTo(m_nest, ReductionId(index));
        for (const ReductionId follower : followers)
            printJoined(follower, depth);
        int inner = depth + 1;
        for (const AxisId leaf : reduction.order)
            printLoop(leaf, inner++);
        const std::set<ValueId> outside = m_printed;
        printValues(reduction.body, inner);
        add(inner, LoopLineKind::Reduction, index, reduction.origin,
            format("reduction {} {}= v{}", index, nameOf(reduction.op), reduction.body.value));
        for (const ReductionId id : followers) {
            const Reduction &follower = m_nest.reductions[id.value];
            printValues(follower.body, inner);
            const bool isBeside = follower.joined->rule == JoinRule::Beside;
            add(inner, LoopLineKind::Reduction, id.value, follower.origin,
                format("reduction {} {}= v{}", id.value, isBeside ? nameOf(follower.op) : nameOf(follower.joined->rule),
                       follower.body.value));
        }
        m_printed = outside;
        printResults(index, depth, block);
        for (const ReductionId id : followers)
            printResults(id.value, depth, block);
    }

    // A reduction that shares the loops of the one before it.
    void printJoined(ReductionId id, int depth)
    {
        const Reduction &reduction = m_nest.reductions[id.value];
        add(depth, LoopLineKind::Reduction, id.value, reduction.origin,
            format("reduction {} = {} {}, {}", id.value, nameOf(reduction.op), nameOf(reduction.dtype), m_text.ofJoined(id)));
    }

    void printResults(std::size_t index, int depth, const std::optional<AxisId> &block)
    {
        const std::string after = block ? format(" after the last {}", m_text.ofAxis(*block)) : "";
        for (std::size_t i = 0; i < m_nest.values.size(); ++i) {
            const Value &value = m_nest.values[i];
            if (value.kind == ValueKind::Reduction && value.reduction.value == index)
                add(depth, LoopLineKind::Value, i, value.origin,
                    format("v{} {} = reduction {}{}", i, nameOf(value.dtype), index, after));
        }
    }

    void printReady(std::size_t position, int depth)
    {
        for (std::size_t i = 0; i < m_nest.values.size(); ++i) {
            const Value &value = m_nest.values[i];
            if (value.kind != ValueKind::Reduction || m_doneReductions.contains(value.reduction.value) ||
                m_nest.reductions[value.reduction.value].joined || !isBound(m_dependencies[i], position))
                continue;
            m_doneReductions.insert(value.reduction.value);
            printReduction(value.reduction.value, depth);
        }
        for (std::size_t i = 0; i < m_nest.stores.size(); ++i) {
            const StoreStatement &store = m_nest.stores[i];
            if (m_doneStores.contains(i) || !isBound(m_nest.arena.axesOf(store.index), position) ||
                !isBound(m_dependencies[store.value.value], position))
                continue;
            m_doneStores.insert(i);
            printValues(store.value, depth);
            add(depth, LoopLineKind::Store, i, store.origin,
                format("store {}[{}] = v{}{}{}", m_text.ofMemory(store.buffer, store.node), m_text.ofIndex(store.index),
                       store.value.value, m_text.ofExisting(store),
                       store.policy == MemoryPolicy::NonTemporal ? " non_temporal" : ""));
        }
    }

    void printPacks(AxisId leaf, int depth)
    {
        for (const Pack &pack : m_nest.packs)
            if (pack.at == leaf)
                add(depth, LoopLineKind::Value, pack.load.value, m_nest.values[pack.load.value].origin,
                    format("{} v{} by {}{}", pack.isShared ? "share" : "pack", pack.load.value,
                           join(pack.order, ", ", [&](AxisId axis) { return m_text.ofAxis(axis); }),
                           pack.apart != 0 ? format(", rows {} elements apart", pack.apart) : std::string()));
    }

    // Each stage in the round of the loops that all share, then the nest's own loops.
    void printStages(int depth)
    {
        for (std::size_t i = 0; i < m_stages.size(); ++i) {
            add(depth, LoopLineKind::Kernel, 0, m_nest.stages[i].origin,
                format("stage {}, keeps {} elements in memory {}", i, keptElementsOf(m_nest.stages[i], m_shared),
                       keptMemoryOf(m_nest)[i]));
            m_stages[i].printLoops(m_shared, depth + 1);
            takeLines(m_stages[i]);
        }
        if (!m_stages.empty())
            add(depth, LoopLineKind::Kernel, 0, m_nest.origin, "last stage");
    }

    void printLoops(std::size_t position, int depth)
    {
        if (position == m_shared) {
            printStages(depth);
            depth += m_stages.empty() ? 0 : 1;
        }
        if (position >= m_shared)
            printReady(position, depth);
        if (position == m_nest.order.size())
            return;
        const AxisId leaf = m_nest.order[position];
        add(depth, LoopLineKind::Loop, leaf.value, m_nest.axes[leaf.value].origin, m_text.ofLoop(leaf));
        for (NestPrinter &stage : m_stages) {
            if (position >= m_shared)
                break;
            stage.printPacks(stage.m_nest.order[position], depth + 1);
            takeLines(stage);
        }
        printPacks(leaf, depth + 1);
        printLoops(position + 1, depth + 1);
    }

    const LoopNest &m_nest;
    const Schedule &m_schedule;
    NestText m_text;
    std::vector<std::vector<AxisId>> m_dependencies;
    bool m_isBeingBuilt = false; // a result has no store yet
    std::size_t m_shared = 0;    // loops that the stages share
    std::size_t m_stage = 0;
    std::vector<NestPrinter> m_stages;
    std::vector<LoopLine> m_lines;
    std::set<ValueId> m_printed;
    std::set<ValueId> m_everPrinted; // also in scopes that are closed
    std::set<std::uint32_t> m_doneReductions;
    std::set<std::size_t> m_doneStores;
};

} // namespace

std::vector<LoopLine> linesOf(const LoopNest &nest, const Schedule &schedule)
{
    return NestPrinter(nest, schedule, nest, nest.stages.size()).print();
}

std::string toText(const LoopNest &nest, const Schedule &schedule)
{
    std::string text;
    for (const LoopLine &line : linesOf(nest, schedule))
        text += line.text + "\n";
    return text;
}

std::string toText(const LoopProgram &program)
{
    std::string text;
    for (const auto &nest : program.nests)
        text += toText(*nest, *program.schedule) + "\n";
    return text;
}

} // namespace sw
