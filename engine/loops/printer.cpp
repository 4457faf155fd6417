#include "engine/loops/printer.h"

#include "engine/base/text.h"
#include "engine/loops/join.h"
#include "engine/loops/needed_where.h"
#include "engine/loops/queries.h"
#include "engine/loops/stages.h"
#include "engine/loops/transform.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

// What an end is computed with.
std::string_view signOf(Op op)
{
    if (op == Op::Add)
        return "+";
    if (op == Op::Sub)
        return "-";
    if (op == Op::Mul)
        return "*";
    return infoOf(op).symbol;
}

enum class Brackets : std::uint8_t { No, Yes };

// Brackets: around a sum or product.
std::string fixedText(const LoopNest &nest, const Schedule &schedule, ValueId id, Brackets brackets)
{
    const Value &value = nest.values[id.value];
    if (value.kind == ValueKind::Load)
        return schedule.buffer(value.buffer).name;
    if (value.kind == ValueKind::Constant)
        return toText(value.constant);
    if (value.kind == ValueKind::IndexValue)
        return nest.arena.text(value.index, [&](AxisId axis) { return nest.axes[axis.value].name; });
    std::vector<std::string> operands;
    const std::string_view sign = value.kind == ValueKind::Alu ? signOf(value.op) : std::string_view();
    for (const ValueId operand : value.operands)
        operands.push_back(fixedText(nest, schedule, operand, sign.empty() ? Brackets::No : Brackets::Yes));
    if (value.kind != ValueKind::Alu)
        return operands.empty() ? format("v{}", id.value) : operands.front();
    if (sign.empty() || operands.size() != 2)
        return format("{}({})", nameOf(value.op), join(operands, ", ", [](const std::string &text) { return text; }));
    const std::string text = format("{} {} {}", operands[0], sign, operands[1]);
    return brackets == Brackets::No ? text : "(" + text + ")";
}

class NestPrinter {
public:
    // stage: its number among the stages of `kernel`; as many as there are: the kernel's own nest.
    NestPrinter(const LoopNest &nest, const Schedule &schedule, const LoopNest &kernel, std::size_t stage)
        : m_nest(nest),
          m_schedule(schedule),
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

    // A buffer, or what a stage hands on.
    [[nodiscard]] std::string memoryName(BufferId buffer, NodeId node) const
    {
        if (buffer.isValid())
            return m_schedule.buffer(buffer).name;
        const std::vector<NodeId> &stages = m_schedule.kernel(m_nest.kernel).stages;
        return format("kept{}", std::ranges::find(stages, node) - stages.begin());
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

    std::string nameOfAxis(AxisId axis) const { return m_nest.axes[axis.value].name; }

    std::string indexText(ExprId index) const
    {
        return m_nest.arena.text(index, [&](AxisId axis) { return nameOfAxis(axis); });
    }

    void printAxis(AxisId id)
    {
        const Axis &axis = m_nest.axes[id.value];
        const std::int64_t whole = axis.source.isValid() ? m_nest.axes[axis.source.value].extent : axis.extent;
        const std::int64_t rest = axis.source.isValid() && axis.factor > 1 ? whole % axis.factor : 0;
        add(2, LoopLineKind::Axis, id.value, axis.origin,
            format("{} {} {}{}{}{}{}{}", axis.name, axis.extent, nameOf(axis.type), axis.isMasked ? " masked" : "",
                   rest != 0 ? format(" rest {}", rest) : "", whileText(id),
                   axis.group != 1 ? format(" groups of {}", axis.group) : "",
                   axis.copies != 1 ? format(" written out {} times", axis.copies) : ""));
    }

    // Up to where the loops of the axis go in a run.
    std::string whileText(AxisId leaf) const
    {
        const std::string end = endText(m_nest, m_schedule, leaf);
        return end.empty() ? end : format(" while {} < {}", nameOfAxis(unsplitAxis(m_nest, leaf)), end);
    }

    void printTransform(std::size_t index)
    {
        const Transform &transform = m_nest.transforms[index];
        add(2, LoopLineKind::Transform, index, m_nest.origin,
            transform.reason.empty() ? toText(transform) : format("{}  # {}", toText(transform), transform.reason));
    }

    std::string conditionsText(const std::vector<RangeCondition> &conditions) const
    {
        return join(conditions, " and ", [&](const RangeCondition &condition) {
            return format("{} <= {} < {}", condition.low, indexText(condition.expr), condition.high);
        });
    }

    std::string operandsText(const Value &value) const
    {
        return join(value.operands, ", ", [](ValueId operand) { return format("v{}", operand.value); });
    }

    std::string memoryText(const Value &value) const
    {
        std::string index = indexText(value.index);
        if (value.kind == ValueKind::Indexed)
            index += format(" + v{}*{}", value.operands[0].value, value.scale);
        std::string text = format("{}[{}]", memoryName(value.buffer, value.node), index);
        if (!value.conditions.empty())
            text += format(" if {} else {}", conditionsText(value.conditions), toText(value.constant));
        return text;
    }

    std::string valueText(const Value &value) const
    {
        switch (value.kind) {
        case ValueKind::Constant:
            return toText(value.constant);
        case ValueKind::Load:
            return "load " + memoryText(value);
        case ValueKind::Indexed:
            return format("load {} for 0 <= v{} < {}", memoryText(value), value.operands[0].value, value.bound);
        case ValueKind::Alu:
            return format("{} {}", nameOf(value.op), operandsText(value));
        case ValueKind::Cast:
            return format("cast {}", operandsText(value));
        case ValueKind::Bitcast:
            return format("bitcast {}", operandsText(value));
        case ValueKind::Custom:
            return format("custom {}", operandsText(value));
        case ValueKind::Reduction:
            return format("reduction {}", value.reduction.value);
        case ValueKind::Masked:
            return format("v{} if {} else v{}", value.operands[0].value, conditionsText(value.conditions),
                          value.operands[1].value);
        case ValueKind::IndexValue:
            return format("index {}", indexText(value.index));
        }
        SW_UNREACHABLE();
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
            format("v{} {} = {}{}", id.value, nameOf(value.dtype), valueText(value), prefetchText(id)));
    }

    std::string prefetchText(ValueId load) const
    {
        std::string text;
        for (const Prefetch &prefetch : m_nest.prefetches)
            if (prefetch.load == load)
                text += format(" prefetch {} + {}", nameOfAxis(prefetch.at), prefetch.ahead);
        for (const Stream &stream : m_nest.streams)
            if (stream.load == load)
                text += format(" stream {}", nameOfAxis(stream.at));
        return text;
    }

    // The values that nothing reads yet.
    void printWaiting(int depth)
    {
        for (std::size_t i = 0; i < m_nest.values.size(); ++i)
            if (m_nest.values[i].kind != ValueKind::Reduction && !m_everPrinted.contains(ValueId(i)))
                printValue(ValueId(i), depth);
    }

    std::string loopText(AxisId leaf) const
    {
        const Axis &axis = m_nest.axes[leaf.value];
        const bool isPadded = axis.existing != 0 && !axis.source.isValid();
        return format("{} {} in 0..{}{}{}{}", nameOf(axis.type) == "loop" ? "for" : nameOf(axis.type), axis.name, axis.extent,
                      isPadded ? format(" of {}", axis.existing) : std::string(), axis.isMasked ? " masked" : "",
                      whileText(leaf));
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
        add(depth, LoopLineKind::Loop, leaf.value, m_nest.axes[leaf.value].origin, loopText(leaf));
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
        const std::uint32_t leader = reduction.joined->leader.value;
        const auto what = [&]() -> std::string {
            switch (reduction.joined->rule) {
            case JoinRule::Beside:
                return "in the same loops";
            case JoinRule::Place:
                return format("the first place of reduction {}'s {}", leader, nameOf(m_nest.reductions[leader].op));
            case JoinRule::Distances:
                return format("the squared distances from the mean of reduction {}", leader);
            }
            SW_UNREACHABLE();
        };
        add(depth, LoopLineKind::Reduction, id.value, reduction.origin,
            format("reduction {} = {} {}, {}", id.value, nameOf(reduction.op), nameOf(reduction.dtype), what()));
    }

    void printResults(std::size_t index, int depth, const std::optional<AxisId> &block)
    {
        const std::string after = block ? format(" after the last {}", nameOfAxis(*block)) : "";
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
                format("store {}[{}] = v{}{}{}", memoryName(store.buffer, store.node), indexText(store.index), store.value.value,
                       existingText(store), store.policy == MemoryPolicy::NonTemporal ? " non_temporal" : ""));
        }
    }

    // Where a store along padded axes has an index.
    std::string existingText(const StoreStatement &store) const
    {
        std::vector<std::string> conditions;
        for (const AxisId axis : m_nest.arena.axesOf(store.index))
            if (const std::int64_t existing = m_nest.axes[axis.value].existing; existing != 0)
                conditions.push_back(format("{} < {}", nameOfAxis(axis), existing));
        return conditions.empty() ? std::string() : " if " + join(conditions, " and ");
    }

    void printPacks(AxisId leaf, int depth)
    {
        for (const Pack &pack : m_nest.packs)
            if (pack.at == leaf)
                add(depth, LoopLineKind::Value, pack.load.value, m_nest.values[pack.load.value].origin,
                    format("{} v{} by {}{}", pack.isShared ? "share" : "pack", pack.load.value,
                           join(pack.order, ", ", [&](AxisId axis) { return nameOfAxis(axis); }),
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
        add(depth, LoopLineKind::Loop, leaf.value, m_nest.axes[leaf.value].origin, loopText(leaf));
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

std::string endText(const LoopNest &nest, const Schedule &schedule, AxisId axis)
{
    const ValueId end = nest.axes[unsplitAxis(nest, axis).value].end;
    return end.isValid() ? fixedText(nest, schedule, end, Brackets::No) : std::string();
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
