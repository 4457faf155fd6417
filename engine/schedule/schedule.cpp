#include "engine/schedule/schedule.h"

#include <algorithm>
#include <limits>
#include <set>

namespace sw {

namespace {

struct Uses {
    const Schedule &schedule;

    ItemUses operator()(const KernelLaunch &launch) const
    {
        const ScheduledKernel &kernel = schedule.kernel(launch.kernel);
        return {kernel.reads, kernel.writes};
    }
    ItemUses operator()(const MemoryTransfer &transfer) const
    {
        ItemUses uses;
        if (transfer.source.isValid())
            uses.reads.push_back(transfer.source);
        if (transfer.destination.isValid())
            uses.writes.push_back(transfer.destination);
        return uses;
    }
    ItemUses operator()(const Synchronization &) const { return {}; }
    ItemUses operator()(const HostCallback &call) const { return {call.inputs, call.outputs}; }
    ItemUses operator()(const Join &join) const { return {join.parts, {join.whole}}; }
};

struct Title {
    const Schedule &schedule;

    std::string operator()(const KernelLaunch &launch) const { return schedule.kernel(launch.kernel).name; }
    std::string operator()(const MemoryTransfer &transfer) const
    {
        if (!transfer.source.isValid())
            return "upload " + schedule.buffer(transfer.destination).name;
        if (!transfer.destination.isValid())
            return "download " + schedule.buffer(transfer.source).name;
        return format("copy {} to {}", schedule.buffer(transfer.source).name, schedule.buffer(transfer.destination).name);
    }
    std::string operator()(const Synchronization &wait) const
    {
        return wait.event ? format("event of item {}", *wait.event) : std::string(nameOf(wait.kind));
    }
    std::string operator()(const HostCallback &call) const { return "call " + call.function; }
    std::string operator()(const Join &join) const { return "join " + schedule.buffer(join.whole).name; }
};

} // namespace

bool DecisionNumber::keepsLimit() const
{
    return excess() == 0;
}

double DecisionNumber::excess() const
{
    const double beyond = limitKind == LimitKind::AtMost ? value - limit : limit - value;
    if (limitKind == LimitKind::None || beyond <= 0)
        return 0;
    return limit > 0 ? beyond / limit : std::numeric_limits<double>::infinity();
}

std::optional<double> missOf(const FusionDecision &decision)
{
    std::optional<double> least;
    for (const DecisionNumber &number : decision.numbers)
        if (!decision.isFused && number.limitKind != LimitKind::None)
            least = std::min(least.value_or(number.excess()), number.excess());
    return least;
}

std::string_view nameOf(OverrideState state)
{
    switch (state) {
    case OverrideState::NoChange:
        return "no change";
    case OverrideState::Applied:
        return "applied";
    case OverrideState::Refused:
        return "refused";
    case OverrideState::Unknown:
        return "unknown value";
    case OverrideState::Off:
        return "off";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(BufferRole role)
{
    switch (role) {
    case BufferRole::Input:
        return "input";
    case BufferRole::Param:
        return "param";
    case BufferRole::Constant:
        return "constant";
    case BufferRole::Intermediate:
        return "intermediate";
    case BufferRole::Output:
        return "output";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(ReductionStage stage)
{
    switch (stage) {
    case ReductionStage::Whole:
        return "whole";
    case ReductionStage::Parts:
        return "in parts";
    case ReductionStage::Gather:
        return "over parts";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(Phase phase)
{
    switch (phase) {
    case Phase::Load:
        return "load";
    case Phase::Run:
        return "run";
    case Phase::Fetch:
        return "fetch";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(SynchronizationKind kind)
{
    switch (kind) {
    case SynchronizationKind::Barrier:
        return "barrier";
    case SynchronizationKind::Fence:
        return "fence";
    case SynchronizationKind::Event:
        return "event";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(SynchronizationScope scope)
{
    switch (scope) {
    case SynchronizationScope::Device:
        return "device";
    case SynchronizationScope::System:
        return "system";
    }
    SW_UNREACHABLE();
}

std::string_view nameOf(DependencyKind kind)
{
    switch (kind) {
    case DependencyKind::Data:
        return "data";
    case DependencyKind::Control:
        return "control";
    }
    SW_UNREACHABLE();
}

BufferId Schedule::bufferOf(NodeId node) const
{
    return nodeBuffers.at(node.value);
}

KernelId Schedule::kernelOf(NodeId node) const
{
    return nodeKernels.at(node.value);
}

BufferId Schedule::rootOf(BufferId id) const
{
    while (buffer(id).partOf)
        id = buffer(id).partOf->whole;
    return id;
}

const RepeatedItems *Schedule::repeatOf(std::uint32_t item) const
{
    const auto found =
        std::ranges::find_if(repeats, [item](const RepeatedItems &repeat) { return repeat.first <= item && item < repeat.end; });
    return found == repeats.end() ? nullptr : &*found;
}

namespace {

ItemUses usesOfWork(const Schedule &schedule, const ScheduleItem &item)
{
    return std::visit(Uses{schedule}, item.work);
}

} // namespace

ItemUses usesOf(const Schedule &schedule, const ScheduleItem &item)
{
    ItemUses uses = usesOfWork(schedule, item);
    for (const ItemCondition &condition : item.conditions)
        if (std::ranges::find(uses.reads, condition.buffer) == uses.reads.end())
            uses.reads.push_back(condition.buffer);
    return uses;
}

std::vector<DeviceSlot> devicesOf(const Schedule &schedule, const ScheduleItem &item)
{
    std::set<DeviceSlot> devices;
    if (const auto *wait = std::get_if<Synchronization>(&item.work)) {
        if (wait->event)
            return devicesOf(schedule, schedule.items.at(*wait->event));
        devices.insert(wait->devices.begin(), wait->devices.end());
        if (wait->scope == SynchronizationScope::System)
            for (std::size_t slot = 0; slot < schedule.devices.size(); ++slot)
                devices.emplace(slot);
    }
    if (item.kernel().isValid())
        devices.insert(schedule.kernel(item.kernel()).device);
    const ItemUses uses = usesOfWork(schedule, item);
    for (const auto *used : {&uses.reads, &uses.writes})
        for (const BufferId id : *used)
            devices.insert(schedule.buffer(id).device);
    return {devices.begin(), devices.end()};
}

NodeId hostValueOf(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    NodeId id = buffer.node;
    if (schedule.graph->node(id).kind == NodeKind::Copy)
        id = schedule.graph->node(id).inputs[0];
    while (id != buffer.node && familyOf(schedule.graph->node(id).kind) == NodeFamily::Movement)
        id = schedule.graph->node(id).inputs[0];
    const NodeKind kind = schedule.graph->node(id).kind;
    return kind == NodeKind::Placeholder || kind == NodeKind::Vconst ? id : NodeId();
}

Origin originOf(const Schedule &schedule, const ScheduleItem &item)
{
    if (item.kernel().isValid())
        return schedule.kernel(item.kernel()).origin;
    const ItemUses uses = usesOfWork(schedule, item);
    std::vector<SourceId> sources;
    for (const auto *used : {&uses.reads, &uses.writes})
        for (const BufferId id : *used) {
            const auto of = schedule.buffer(id).origin.sources();
            sources.insert(sources.end(), of.begin(), of.end());
        }
    // Synchronisation belongs to the program as a whole.
    return sources.empty() ? schedule.graph->nodes().back().origin : Origin(std::move(sources));
}

std::string titleOf(const Schedule &schedule, const ScheduleItem &item)
{
    return std::visit(Title{schedule}, item.work);
}

} // namespace sw
