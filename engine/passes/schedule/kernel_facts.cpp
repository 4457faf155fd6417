#include "engine/passes/schedule/kernel_facts.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace sw {

namespace {

// Whether split-reductions made the two: the second reduction combines what the first has done in parts. Both come from one
// reduction of the program, so they have its origin.
bool gathers(const Graph &graph, const Dataflow &flow, NodeId gather, NodeId parts)
{
    const Node &whole = graph.node(gather);
    const Node &part = graph.node(parts);
    return whole.kind == NodeKind::ReduceAxis && part.kind == NodeKind::ReduceAxis && whole.op == part.op &&
           whole.origin == part.origin && flow.bases[whole.inputs[0].value] == parts;
}

ReductionStage stageOf(const Graph &graph, const Dataflow &flow, NodeId id)
{
    const NodeId base = flow.bases[graph.node(id).inputs[0].value];
    if (gathers(graph, flow, id, base))
        return ReductionStage::Gather;
    const bool isPart =
        std::ranges::any_of(flow.readers[id.value], [&](const Read &read) { return gathers(graph, flow, read.consumer, id); });
    return isPart ? ReductionStage::Parts : ReductionStage::Whole;
}

void addAxis(ScheduledKernel &kernel, std::int64_t extent, NodeId reduction)
{
    const bool isReduced = reduction.isValid();
    kernel.axes.push_back({format("{}{}", isReduced ? "r" : "i", kernel.axes.size()), extent,
                           isReduced ? AxisRole::Reduction : AxisRole::Normal, reduction});
}

} // namespace

void findIterationSpace(const Graph &graph, const Dataflow &flow, FloatOrder order, ScheduledKernel &kernel)
{
    for (const std::int64_t extent : graph.node(kernel.root).shape)
        if (extent != 1)
            addAxis(kernel, extent, {});
    for (const NodeId member : kernel.members) {
        const Node &node = graph.node(member);
        if (node.kind != NodeKind::ReduceAxis)
            continue;
        ReductionPlan plan{.node = member, .op = node.op, .axes = {}, .stage = stageOf(graph, flow, member)};
        plan.mayReassociate = order == FloatOrder::Any || !roundsEachStep(node.op, node.dtype);
        const Shape &input = graph.node(node.inputs[0]).shape;
        for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes) {
            if (input[axis] == 1)
                continue;
            plan.axes.push_back(static_cast<std::uint32_t>(kernel.axes.size()));
            addAxis(kernel, input[axis], member);
        }
        kernel.reductions.push_back(std::move(plan));
    }
}

std::int64_t registersOf(const Graph &graph, const Dataflow &flow, const std::vector<NodeId> &members)
{
    std::unordered_map<NodeId, std::size_t> lastUse; // of members: the index of the last member that reads it
    for (std::size_t i = 0; i < members.size(); ++i)
        lastUse[members[i]] = i;
    for (std::size_t i = 0; i < members.size(); ++i)
        for (const Read &read : flow.reads[members[i].value])
            if (const auto found = lastUse.find(read.producer); found != lastUse.end())
                found->second = std::max(found->second, i);
    std::vector<std::int64_t> endsAt(members.size(), 0);
    for (const auto &[member, last] : lastUse)
        ++endsAt[last];

    std::int64_t alive = 0;
    std::int64_t most = 0;
    for (std::size_t i = 0; i < members.size(); ++i) {
        // Operands from memory are loaded for the member, and its result is a new value.
        std::set<NodeId> loaded;
        for (const Read &read : flow.reads[members[i].value])
            if (!lastUse.contains(read.producer) && !isLiteral(graph, read))
                loaded.insert(read.producer);
        ++alive;
        most = std::max(most, alive + static_cast<std::int64_t>(loaded.size()));
        alive -= endsAt[i];
    }
    return most;
}

} // namespace sw
