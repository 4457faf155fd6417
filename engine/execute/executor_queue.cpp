// The launches that devices have queued: when the executor waits for them, and what it does with their results.

#include "engine/execute/executor.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

bool isCopyOnOneDevice(const Schedule &schedule, const MemoryTransfer &transfer)
{
    return transfer.source.isValid() && transfer.destination.isValid() &&
           schedule.buffer(transfer.source).device == schedule.buffer(transfer.destination).device;
}

std::string placeText(const Schedule &schedule, std::uint32_t item)
{
    return format("item {}, kernel {}", item, titleOf(schedule, schedule.items[item]));
}

} // namespace

// A download waits for its device, and so does whoever waits for it; what is queued behind a copy sees the copy.
std::vector<DeviceSlot> Executor::waitedForBy(const ScheduleItem &item) const
{
    std::vector<DeviceSlot> waited;
    if (const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
        transfer != nullptr && transfer->isAsynchronous && isCopyOnOneDevice(schedule(), *transfer))
        return waited;
    if (!item.kernel().isValid())
        return devicesOf(schedule(), item);
    // Devices that compute with the same processor take turns: side by side, each would be slower and none measured.
    const DeviceSlot own = schedule().kernel(item.kernel()).device;
    if (m_runner.device(own).kind == DeviceKind::Gpu)
        return waited;
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        if (const DeviceSlot other(slot); other != own && m_runner.device(other).kind != DeviceKind::Gpu)
            waited.push_back(other);
    return waited;
}

Result<Done> Executor::collect(std::span<const DeviceSlot> devices, const std::stop_token &stop, Samples &samples)
{
    for (const DeviceSlot device : devices)
        if (!m_queues[device.value].launches.empty())
            SW_CHECK(collect(device, stop, samples));
    return Done{};
}

// What the host spent in handing launches over and in waiting for them is the kernels' time as far as they took it: a GPU may
// have run them while the host did something else.
Result<Done> Executor::collect(DeviceSlot device, const std::stop_token &stop, Samples &samples)
{
    const Queue queue = std::exchange(m_queues[device.value], {});
    const auto begin = std::chrono::steady_clock::now();
    const auto collected = m_runner.collect(device, kAllQueued, stop);
    if (!collected)
        return ofQueued(queue, collected.error());
    if (!collected->errors.empty())
        return ofQueued(queue, collected->errors);
    const std::vector<LaunchResult> &results = collected->results;
    if (results.size() != queue.launches.size())
        return ofQueued(
            queue, {Diagnostic::error(Code::Run, {}, "{} of {} queued kernels are done", results.size(), queue.launches.size())});
    const std::chrono::nanoseconds waited = std::chrono::steady_clock::now() - begin;
    std::chrono::nanoseconds atWork{0};
    for (const LaunchResult &result : results)
        atWork += result.time;
    atWork = std::min(atWork, queue.handedOver + waited);
    m_parts.kernels += atWork;
    m_parts.launches += waited - atWork; // what it took to hand over is there already
    for (std::size_t i = 0; i < queue.launches.size(); ++i)
        addResult(queue.launches[i], results[i].time, results[i].faults, samples);
    return Done{};
}

Result<Done> Executor::collectAll(const std::stop_token &stop, Samples &samples)
{
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        if (!m_queues[slot].launches.empty())
            SW_CHECK(collect(DeviceSlot(slot), stop, samples));
    return Done{};
}

void Executor::abandonQueues()
{
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        if (!std::exchange(m_queues[slot], {}).launches.empty())
            static_cast<void>(m_runner.collect(DeviceSlot(slot), kAllQueued, {})); // an error is told already
}

// A device does not tell which of its kernels failed, nor does a process that ended.
Failure Executor::ofQueued(const Queue &queue, const Diagnostics &errors) const
{
    const std::uint32_t first = queue.launches.front().item;
    if (queue.launches.size() == 1)
        return m_runner.atItem(first, errors);
    Diagnostics told = errors;
    for (Diagnostic &error : told) {
        if (error.code == Code::Cancelled)
            continue;
        error.message = format("one of {} queued kernels, {} to {}: {}", queue.launches.size(), placeText(schedule(), first),
                               placeText(schedule(), queue.launches.back().item), error.message);
        if (error.hint.empty())
            error.hint = "with --guard kernels run one by one, and the error says which one it is";
    }
    return Failure(std::move(told));
}

} // namespace sw
