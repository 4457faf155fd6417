#include "engine/schedule/printer.h"

#include <algorithm>

namespace sw {

namespace {

class SchedulePrinter {
public:
    explicit SchedulePrinter(const Schedule &schedule) : m_schedule(schedule) {}

    ScheduleText print() &&
    {
        line({}, "stepwell schedule 1");
        line({}, format("memory: arena {} bytes, peak {} bytes", m_schedule.arenaBytes, m_schedule.peakBytes));
        for (std::uint32_t i = 0; i < m_schedule.buffers.size(); ++i)
            line({ScheduleLineKind::Buffer, i}, bufferText(i));
        for (std::uint32_t i = 0; i < m_schedule.kernels.size(); ++i)
            printKernel(i);
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i)
            line({ScheduleLineKind::Item, i}, itemText(i));
        line({}, format("critical path:{}", listText(m_schedule.criticalPath, [](std::uint32_t item) { return item; })));
        line({}, format("outputs: {}", outputsText()));
        for (std::uint32_t i = 0; i < m_schedule.decisions.size(); ++i)
            line({ScheduleLineKind::Decision, i}, decisionText(m_schedule.decisions[i]));
        return std::move(m_out);
    }

private:
    void line(ScheduleLine what, const std::string &text)
    {
        m_out.text += text;
        m_out.text += '\n';
        m_out.lines.push_back(what);
    }

    // " a b c", or nothing.
    template <class Range, class Projection>
    static std::string listText(const Range &range, Projection project)
    {
        return range.empty() ? "" : " " + join(range, " ", project);
    }

    static std::string name(BufferId id) { return format("b{}", id.value); }

    std::string bufferText(std::uint32_t index) const
    {
        const ScheduledBuffer &buffer = m_schedule.buffers[index];
        std::string text = format("b{} = {} {} : {} of %{}, items {}..{}", index, nameOf(buffer.role), buffer.name,
                                  typeText(buffer.dtype, buffer.shape), buffer.node.value, buffer.firstItem, buffer.lastItem);
        if (buffer.role == BufferRole::Intermediate)
            text += format(", arena {}..{}", buffer.arenaOffset, buffer.arenaOffset + buffer.bytes());
        return text;
    }

    void printKernel(std::uint32_t index)
    {
        const ScheduledKernel &kernel = m_schedule.kernels[index];
        line({ScheduleLineKind::Kernel, index},
             format("kernel {} {}: root %{}, reads{}, writes{} // {} flops, {} bytes read, {} bytes written", kernel.name,
                    kernel.symbol, kernel.root.value, listText(kernel.reads, name), listText(kernel.writes, name),
                    kernel.estimate.flops, kernel.estimate.bytesRead, kernel.estimate.bytesWritten));
        for (const NodeId member : kernel.members) {
            const Node &node = m_schedule.graph->node(member);
            const auto result = std::find(kernel.results.begin(), kernel.results.end(), member);
            std::string text = format("  %{} = {} : {}", member.value, operationText(node), typeText(node.dtype, node.shape));
            if (result != kernel.results.end())
                text += " -> " + name(kernel.writes[static_cast<std::size_t>(result - kernel.results.begin())]);
            line({ScheduleLineKind::Member, member.value}, text);
        }
    }

    std::string itemText(std::uint32_t index) const
    {
        const ScheduleItem &item = m_schedule.items[index];
        const std::string what =
            item.kind == ItemKind::Kernel ? format("k{}", item.kernel.value) : "copy to " + name(item.buffer);
        const std::string after = listText(item.dependsOn, [](std::uint32_t i) { return i; });
        return format("item {}: {}{}", index, what, after.empty() ? "" : " after" + after);
    }

    std::string outputsText() const
    {
        std::vector<std::string> parts;
        for (std::size_t i = 0; i < m_schedule.outputs.size(); ++i)
            parts.push_back(format("{} = {}", m_schedule.graph->outputNames()[i], name(m_schedule.outputs[i])));
        return join(parts, ", ");
    }

    static std::string decisionText(const FusionDecision &decision)
    {
        return format("{} %{} -> %{} by {}: {}", decision.isFused ? "fused" : "apart", decision.producer.value,
                      decision.consumer.value, decision.rule, decision.reason);
    }

    const Schedule &m_schedule;
    ScheduleText m_out;
};

} // namespace

ScheduleText printSchedule(const Schedule &schedule)
{
    return SchedulePrinter(schedule).print();
}

} // namespace sw
