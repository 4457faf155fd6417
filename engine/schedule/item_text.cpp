#include "engine/schedule/printer.h"

namespace sw {

namespace {

struct ItemText {
    const Schedule &schedule;

    static std::string name(BufferId id) { return format("b{}", id.value); }
    static std::string deviceName(DeviceSlot slot) { return format("d{}", slot.value); }

    std::string operator()(const KernelLaunch &launch) const { return format("k{}", launch.kernel.value); }

    std::string operator()(const MemoryTransfer &transfer) const
    {
        std::string text;
        if (!transfer.source.isValid())
            text = "upload " + name(transfer.destination);
        else if (!transfer.destination.isValid())
            text = "download " + name(transfer.source);
        else
            text = format("copy {} on {} to {} on {}", name(transfer.source), deviceName(schedule.buffer(transfer.source).device),
                          name(transfer.destination), deviceName(schedule.buffer(transfer.destination).device));
        text += format(", {} bytes", transfer.bytes);
        if (const auto &part = transfer.region)
            text += format(" as {} rows of {}, from {} by {}, to {} by {}", part->rows, part->rowBytes, part->sourceOffset,
                           part->sourceStride, part->destinationOffset, part->destinationStride);
        if (const auto &part = transfer.region; part && (part->sourceStep != 0 || part->destinationStep != 0))
            text += format(", then {} and {} further", part->sourceStep, part->destinationStep);
        return transfer.isAsynchronous ? text + ", asynchronous" : text;
    }

    std::string operator()(const Synchronization &wait) const
    {
        if (wait.event)
            return format("wait for item {}", *wait.event);
        const std::string devices =
            wait.scope == SynchronizationScope::System ? std::string(nameOf(wait.scope)) : join(wait.devices, " ", deviceName);
        return format("{} {}", nameOf(wait.kind), devices);
    }

    std::string operator()(const HostCallback &call) const
    {
        std::string text = "call " + quoted(call.function);
        if (!call.inputs.empty())
            text += " with " + join(call.inputs, " ", name);
        if (!call.outputs.empty())
            text += " into " + join(call.outputs, " ", name);
        return text;
    }

    std::string operator()(const Join &of) const { return format("join {} of {}", name(of.whole), join(of.parts, " ", name)); }
};

} // namespace

std::string itemText(const Schedule &schedule, const ScheduleItem &item)
{
    return std::visit(ItemText{schedule}, item.work);
}

} // namespace sw
