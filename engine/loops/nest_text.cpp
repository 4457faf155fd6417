#include "engine/loops/nest_text.h"

#include "engine/base/assert.h"
#include "engine/base/text.h"
#include "engine/loops/printer.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <string_view>

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

} // namespace

// A buffer, or what a stage hands on.
std::string NestText::ofMemory(BufferId buffer, NodeId node) const
{
    if (buffer.isValid())
        return m_schedule.buffer(buffer).name;
    const std::vector<NodeId> &stages = m_schedule.kernel(m_nest.kernel).stages;
    return format("kept{}", std::ranges::find(stages, node) - stages.begin());
}

std::string NestText::ofAxis(AxisId axis) const
{
    return m_nest.axes[axis.value].name;
}

std::string NestText::ofIndex(ExprId index) const
{
    return m_nest.arena.text(index, [&](AxisId axis) { return ofAxis(axis); });
}

// Up to where the loops of the axis go in a run.
std::string NestText::ofEnd(AxisId leaf) const
{
    const std::string end = endText(m_nest, m_schedule, leaf);
    return end.empty() ? end : format(" while {} < {}", ofAxis(unsplitAxis(m_nest, leaf)), end);
}

std::string NestText::ofConditions(const std::vector<RangeCondition> &conditions) const
{
    return join(conditions, " and ", [&](const RangeCondition &condition) {
        return format("{} <= {} < {}", condition.low, ofIndex(condition.expr), condition.high);
    });
}

std::string NestText::ofOperands(const Value &value) const
{
    return join(value.operands, ", ", [](ValueId operand) { return format("v{}", operand.value); });
}

std::string NestText::ofPlace(const Value &value) const
{
    std::string index = ofIndex(value.index);
    if (value.kind == ValueKind::Indexed)
        index += format(" + v{}*{}", value.operands[0].value, value.scale);
    std::string text = format("{}[{}]", ofMemory(value.buffer, value.node), index);
    if (!value.conditions.empty())
        text += format(" if {} else {}", ofConditions(value.conditions), toText(value.constant));
    return text;
}

std::string NestText::ofValue(const Value &value) const
{
    switch (value.kind) {
    case ValueKind::Constant:
        return toText(value.constant);
    case ValueKind::Load:
        return "load " + ofPlace(value);
    case ValueKind::Indexed:
        return format("load {} for 0 <= v{} < {}", ofPlace(value), value.operands[0].value, value.bound);
    case ValueKind::Alu:
        return format("{} {}", nameOf(value.op), ofOperands(value));
    case ValueKind::Cast:
        return format("cast {}", ofOperands(value));
    case ValueKind::Bitcast:
        return format("bitcast {}", ofOperands(value));
    case ValueKind::Custom:
        return format("custom {}", ofOperands(value));
    case ValueKind::Reduction:
        return format("reduction {}", value.reduction.value);
    case ValueKind::Masked:
        return format("v{} if {} else v{}", value.operands[0].value, ofConditions(value.conditions), value.operands[1].value);
    case ValueKind::IndexValue:
        return format("index {}", ofIndex(value.index));
    }
    SW_UNREACHABLE();
}

std::string NestText::ofFetches(ValueId load) const
{
    std::string text;
    for (const Prefetch &prefetch : m_nest.prefetches)
        if (prefetch.load == load)
            text += format(" prefetch {} + {}", ofAxis(prefetch.at), prefetch.ahead);
    for (const Stream &stream : m_nest.streams)
        if (stream.load == load)
            text += format(" stream {}", ofAxis(stream.at));
    return text;
}

std::string NestText::ofLoop(AxisId leaf) const
{
    const Axis &axis = m_nest.axes[leaf.value];
    const bool isPadded = axis.existing != 0 && !axis.source.isValid();
    return format("{} {} in 0..{}{}{}{}", nameOf(axis.type) == "loop" ? "for" : nameOf(axis.type), axis.name, axis.extent,
                  isPadded ? format(" of {}", axis.existing) : std::string(), axis.isMasked ? " masked" : "", ofEnd(leaf));
}

// Where a store along padded axes has an index.
std::string NestText::ofExisting(const StoreStatement &store) const
{
    std::vector<std::string> conditions;
    for (const AxisId axis : m_nest.arena.axesOf(store.index))
        if (const std::int64_t existing = m_nest.axes[axis.value].existing; existing != 0)
            conditions.push_back(format("{} < {}", ofAxis(axis), existing));
    return conditions.empty() ? std::string() : " if " + join(conditions, " and ");
}

std::string NestText::ofJoined(ReductionId id) const
{
    const Joined joined = *m_nest.reductions[id.value].joined;
    switch (joined.rule) {
    case JoinRule::Beside:
        return "in the same loops";
    case JoinRule::Place:
        return format("the first place of reduction {}'s {}", joined.leader.value,
                      nameOf(m_nest.reductions[joined.leader.value].op));
    case JoinRule::Distances:
        return format("the squared distances from the mean of reduction {}", joined.leader.value);
    case JoinRule::Rescaled:
        return format("the powers below the max of reduction {}, rescaled where that grows", joined.leader.value);
    }
    SW_UNREACHABLE();
}

std::string endText(const LoopNest &nest, const Schedule &schedule, AxisId axis)
{
    const ValueId end = nest.axes[unsplitAxis(nest, axis).value].end;
    return end.isValid() ? fixedText(nest, schedule, end, Brackets::No) : std::string();
}

} // namespace sw
