#include "engine/schedule/schedule_reporter.h"
#include "engine/schedule/verify_items.h"

#include <algorithm>

namespace sw {

namespace {

class TableVerifier : public ScheduleReporter {
public:
    using ScheduleReporter::ScheduleReporter;

    void verify()
    {
        for (std::size_t i = 0; i < m_schedule.buffers.size(); ++i) {
            const ScheduledBuffer &buffer = m_schedule.buffers[i];
            if (!isDevice(buffer.device))
                report(buffer.origin, "buffer {} is on a device that does not exist", buffer.name);
            if (!endsInARoot(BufferId(i)))
                report(buffer.origin, "buffer {} is a part of one that does not exist, or of itself", buffer.name);
        }
        for (const ScheduledKernel &kernel : m_schedule.kernels)
            if (!isDevice(kernel.device))
                report(kernel.origin, "kernel {} is on a device that does not exist", kernel.name);
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i)
            if (!std::visit([&](const auto &work) { return isWhole(work, i); }, m_schedule.items[i].work) ||
                !areConditions(m_schedule.items[i].conditions))
                report(whole(), "item {} names a kernel, buffers, devices or an earlier item that do not exist", i);
        for (const Dependency &dependency : m_schedule.dependencies)
            if (!isItem(dependency.from) || !isItem(dependency.to) || !areBuffers(dependency.buffers))
                report(whole(), "a dependency names items or buffers that do not exist");
        if (!std::ranges::all_of(m_schedule.criticalPath, [this](std::uint32_t item) { return isItem(item); }))
            report(whole(), "the critical path names items that do not exist");
    }

private:
    bool isWhole(const KernelLaunch &launch, std::uint32_t) const { return launch.kernel.value < m_schedule.kernels.size(); }
    bool isWhole(const MemoryTransfer &transfer, std::uint32_t) const
    {
        const auto isEnd = [&](BufferId id) { return !id.isValid() || isBuffer(id); };
        return isEnd(transfer.source) && isEnd(transfer.destination);
    }
    bool isWhole(const Synchronization &wait, std::uint32_t index) const
    {
        return std::ranges::all_of(wait.devices, [this](DeviceSlot slot) { return isDevice(slot); }) &&
               (!wait.event || *wait.event < index);
    }
    bool isWhole(const HostCallback &call, std::uint32_t) const { return areBuffers(call.inputs) && areBuffers(call.outputs); }
    bool isWhole(const Join &join, std::uint32_t) const { return isBuffer(join.whole) && areBuffers(join.parts); }

    [[nodiscard]] bool endsInARoot(BufferId id) const
    {
        for (std::size_t steps = 0; steps <= m_schedule.buffers.size() && isBuffer(id); ++steps) {
            if (!m_schedule.buffer(id).partOf)
                return true;
            id = m_schedule.buffer(id).partOf->whole;
        }
        return false;
    }

    [[nodiscard]] bool isDevice(DeviceSlot slot) const { return slot.value < m_schedule.devices.size(); }
    [[nodiscard]] bool isBuffer(BufferId id) const { return id.value < m_schedule.buffers.size(); }
    [[nodiscard]] bool isItem(std::uint32_t item) const { return item < m_schedule.items.size(); }
    [[nodiscard]] bool areConditions(const std::vector<ItemCondition> &conditions) const
    {
        return std::ranges::all_of(conditions, [this](const ItemCondition &one) { return isBuffer(one.buffer); });
    }
    [[nodiscard]] bool areBuffers(const std::vector<BufferId> &ids) const
    {
        return std::ranges::all_of(ids, [this](BufferId id) { return isBuffer(id); });
    }
};

} // namespace

Diagnostics verifyItemTables(const Schedule &schedule)
{
    return errorsOf<TableVerifier>(schedule);
}

} // namespace sw
