#include "engine/schedule/conditions.h"

#include "engine/base/text.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

using Conditions = std::vector<ItemCondition>;

bool isIn(const Conditions &all, const ItemCondition &one)
{
    return std::ranges::find(all, one) != all.end();
}

ItemCondition opposite(const ItemCondition &one)
{
    return {one.buffer, !one.wanted};
}

class ConditionVerifier {
public:
    explicit ConditionVerifier(const Schedule &schedule) : m_schedule(schedule), m_writers(schedule.buffers.size()) {}

    Diagnostics verify() &&
    {
        for (const ScheduleItem &item : m_schedule.items)
            for (const BufferId write : usesOf(m_schedule, item).writes)
                m_writers[write.value].push_back(item.conditions);
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            checkConditions(i);
            checkReads(i);
        }
        return std::move(m_errors);
    }

private:
    template <class... Args>
    void report(const Origin &origin, fmt::format_string<Args...> pattern, Args &&...args)
    {
        m_errors.push_back(Diagnostic::error(Code::InvalidIr, m_schedule.graph->sources().programRange(origin), pattern,
                                             std::forward<Args>(args)...));
    }

    void checkConditions(std::uint32_t index)
    {
        const ScheduleItem &item = m_schedule.items[index];
        if (!item.conditions.empty() && item.phase != Phase::Run)
            report(originOf(m_schedule, item), "item {} ({}) depends on a condition", index, nameOf(item.phase));
        Conditions before;
        for (const ItemCondition &condition : item.conditions) {
            const ScheduledBuffer &buffer = m_schedule.buffer(condition.buffer);
            if (buffer.dtype != DType::Bool || buffer.shape.elements() != 1)
                report(buffer.origin, "item {} depends on buffer {}, which is {}, expected one bool", index, buffer.name,
                       typeText(buffer.dtype, buffer.shape));
            checkIsWritten(index, condition.buffer, before);
            before.push_back(condition);
        }
    }

    void checkReads(std::uint32_t index)
    {
        const ScheduleItem &item = m_schedule.items[index];
        for (const BufferId read : usesOf(m_schedule, item).reads)
            if (std::ranges::find(item.conditions, read, &ItemCondition::buffer) == item.conditions.end())
                checkIsWritten(index, read, item.conditions);
    }

    void checkIsWritten(std::uint32_t index, BufferId read, const Conditions &conditions)
    {
        const std::vector<Conditions> &writers = m_writers[read.value];
        if (writers.empty() || isAlwaysWritten(writers, conditions)) // without any, it holds zeros, or another check reports it
            return;
        const ScheduledBuffer &buffer = m_schedule.buffer(read);
        report(buffer.origin, "item {} reads buffer {}, which is written only where {}", index, buffer.name,
               join(writers, ", or ", [](const Conditions &one) { return conditionsText(one); }));
    }

    const Schedule &m_schedule;
    std::vector<std::vector<Conditions>> m_writers; // by buffer
    Diagnostics m_errors;
};

} // namespace

bool isChoice(const Schedule &schedule, const ScheduleItem &item)
{
    const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
    return transfer != nullptr && transfer->destination.isValid() && !item.conditions.empty() &&
           schedule.graph->node(schedule.buffer(transfer->destination).node).kind == NodeKind::Choose;
}

bool isAlwaysWritten(std::span<const std::vector<ItemCondition>> writers, std::vector<ItemCondition> conditions)
{
    std::optional<ItemCondition> open; // some writer needs it, and it may or may not hold
    for (const Conditions &writer : writers) {
        const auto isOpen = [&](const ItemCondition &one) { return !isIn(conditions, one); };
        const auto first = std::ranges::find_if(writer, isOpen);
        if (first == writer.end())
            return true;
        const bool isPossible =
            std::ranges::none_of(writer, [&](const ItemCondition &one) { return isIn(conditions, opposite(one)); });
        if (!open && isPossible)
            open = *first;
    }
    if (!open) // or it never runs
        return std::ranges::any_of(conditions, [&](const ItemCondition &one) { return isIn(conditions, opposite(one)); });
    conditions.push_back(*open);
    if (!isAlwaysWritten(writers, conditions))
        return false;
    conditions.back() = opposite(*open);
    return isAlwaysWritten(writers, std::move(conditions));
}

std::string conditionsText(std::span<const ItemCondition> conditions)
{
    return join(conditions, " and ", [](const ItemCondition &one) { return format("b{} is {}", one.buffer.value, one.wanted); });
}

Diagnostics verifyConditions(const Schedule &schedule)
{
    if (std::ranges::all_of(schedule.items, [](const ScheduleItem &item) { return item.conditions.empty(); }))
        return {};
    return ConditionVerifier(schedule).verify();
}

} // namespace sw
