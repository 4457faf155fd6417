#include "engine/api/describe.h"
#include "engine/api/describe_common.h"
#include "engine/schedule/printer.h"

#include <algorithm>

namespace sw {

namespace {

DocumentItem kernelItem(const Schedule &schedule, KernelId id)
{
    const ScheduledKernel &kernel = schedule.kernel(id);
    const KernelEstimate &estimate = kernel.estimate;
    const Node &root = schedule.graph->node(kernel.root);
    DocumentItem item;
    item.label = kernel.name;
    item.detail = typeText(root.dtype, root.shape);
    item.fields = {{"root", format("%{}", kernel.root.value)},
                   {"nodes", format("{}", kernel.members.size())},
                   {"work", countText(estimate.flops) + " flop"},
                   {"reads", bytesText(estimate.bytesRead)},
                   {"writes", bytesText(estimate.bytesWritten)}};
    item.tags = {"kernel"};
    if (std::any_of(kernel.members.begin(), kernel.members.end(),
                    [&](NodeId member) { return schedule.graph->node(member).kind == NodeKind::ReduceAxis; }))
        item.tags.emplace_back("reduce");
    for (const std::uint32_t step : schedule.criticalPath)
        if (schedule.items.at(step).kernel == id)
            item.tags.emplace_back("critical");
    item.sources = sourcesOf(kernel.origin);
    item.kernel = id.value;
    item.node = kernel.root.value;
    return item;
}

DocumentItem bufferItem(const Schedule &schedule, BufferId id)
{
    const ScheduledBuffer &buffer = schedule.buffer(id);
    DocumentItem item;
    item.label = buffer.name;
    item.detail = typeText(buffer.dtype, buffer.shape);
    item.fields = {{"role", std::string(nameOf(buffer.role))},
                   {"size", bytesText(buffer.bytes())},
                   {"written first by item", format("{}", buffer.firstItem)},
                   {"read last by item", format("{}", buffer.lastItem)}};
    if (buffer.role == BufferRole::Intermediate)
        item.fields.push_back({"arena offset", format("{}", buffer.arenaOffset)});
    item.tags = {"buffer", std::string(nameOf(buffer.role))};
    item.sources = sourcesOf(buffer.origin);
    item.node = buffer.node.value;
    return item;
}

DocumentItem decisionItem(const Schedule &schedule, const FusionDecision &decision)
{
    const auto nameOfNode = [&](NodeId id) { return format("%{} {}", id.value, operationText(schedule.graph->node(id))); };
    DocumentItem item;
    item.label = format("{} -> {}", nameOfNode(decision.producer), nameOfNode(decision.consumer));
    item.detail = decision.reason;
    item.fields = {{"decision", decision.isFused ? "in one kernel" : "apart"},
                   {"rule", decision.rule},
                   {"reason", decision.reason},
                   {"traffic", bytesText(decision.bytesSaved)}};
    item.tags = {"decision", decision.isFused ? "fused" : "not-fused"};
    item.sources = sourcesOf(decision.origin);
    item.kernel = indexOf(schedule.kernelOf(decision.consumer));
    return item;
}

// A member's line belongs to its kernel.
ItemIndex itemOfLine(const Schedule &schedule, const ScheduleLine &line)
{
    const ScheduleItems items(schedule);
    switch (line.kind) {
    case ScheduleLineKind::Header:
        return kNoIndex;
    case ScheduleLineKind::Buffer:
        return items.buffer(BufferId(line.index));
    case ScheduleLineKind::Kernel:
        return items.kernel(KernelId(line.index));
    case ScheduleLineKind::Member:
        return items.kernel(schedule.kernelOf(NodeId(line.index)));
    case ScheduleLineKind::Item: {
        const KernelId kernel = schedule.items.at(line.index).kernel;
        return kernel.isValid() ? items.kernel(kernel) : kNoIndex;
    }
    case ScheduleLineKind::Decision:
        return items.decision(line.index);
    }
    SW_UNREACHABLE();
}

// Kernels depend on kernels through the buffers between them.
void addEdges(StageDocument &document, const Schedule &schedule)
{
    const ScheduleItems items(schedule);
    const auto labelOf = [&](BufferId id) { return typeText(schedule.buffer(id).dtype, schedule.buffer(id).shape); };
    for (std::size_t k = 0; k < schedule.kernels.size(); ++k) {
        for (const BufferId read : schedule.kernels[k].reads)
            document.edges.push_back({items.buffer(read), items.kernel(KernelId(k)), labelOf(read), kNoIndex});
        for (const BufferId written : schedule.kernels[k].writes)
            document.edges.push_back({items.kernel(KernelId(k)), items.buffer(written), labelOf(written), kNoIndex});
    }
}

} // namespace

StageDocumentPtr describeSchedule(const Schedule &schedule)
{
    StageDocument document;
    document.kind = StageKind::Schedule;
    document.title = "Kernels";
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        document.items.push_back(kernelItem(schedule, KernelId(i)));
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i)
        document.items.push_back(bufferItem(schedule, BufferId(i)));
    for (const FusionDecision &decision : schedule.decisions)
        document.items.push_back(decisionItem(schedule, decision));
    addEdges(document, schedule);
    const ScheduleText text = printSchedule(schedule);
    addLines(document, text.text,
             [&](std::size_t number, std::string_view) { return itemOfLine(schedule, text.lines.at(number)); });
    return std::make_shared<const StageDocument>(std::move(document));
}

} // namespace sw
