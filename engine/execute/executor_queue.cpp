// The launches and transfers that devices have queued: when the executor waits for them, and what it does with their results.

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

bool isCopyBetweenDevices(const Schedule &schedule, const ScheduleItem &item)
{
    const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
    return transfer != nullptr && transfer->source.isValid() && transfer->destination.isValid() &&
           !isCopyOnOneDevice(schedule, *transfer);
}

std::string placeText(const Schedule &schedule, std::uint32_t item)
{
    const ScheduleItem &what = schedule.items[item];
    return format("item {}, {}{}", item, what.kernel().isValid() ? "kernel " : "", titleOf(schedule, what));
}

} // namespace

// A download waits for its device, unless it has its turn there, and so does whoever waits for it; what is queued behind a copy
// sees the copy.
std::vector<DeviceSlot> Executor::waitedForBy(std::uint32_t number) const
{
    const ScheduleItem &item = schedule().items[number];
    if (const auto *transfer = std::get_if<MemoryTransfer>(&item.work))
        return waitedForBy(*transfer, m_runner.isReading(number));
    if (!item.kernel().isValid())
        return devicesOf(schedule(), item);
    // Devices that compute with the same processor take turns: side by side, each would be slower and none measured.
    std::vector<DeviceSlot> waited;
    const DeviceSlot own = schedule().kernel(item.kernel()).device;
    if (m_runner.device(own).kind == DeviceKind::Gpu)
        return waited;
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        if (const DeviceSlot other(slot); other != own && m_runner.device(other).kind != DeviceKind::Gpu)
            waited.push_back(other);
    return waited;
}

std::vector<DeviceSlot> Executor::waitedForBy(const MemoryTransfer &transfer, bool isReading) const
{
    std::vector<DeviceSlot> waited;
    if (transfer.isAsynchronous && isCopyOnOneDevice(schedule(), transfer))
        return waited;
    const bool isQueued = m_runner.queues(transfer, m_values);
    if (transfer.source.isValid() && (transfer.destination.isValid() ? !isReading : !isQueued))
        waited.push_back(schedule().buffer(transfer.source).device);
    if (transfer.destination.isValid() && !isQueued)
        waited.push_back(schedule().buffer(transfer.destination).device);
    return waited;
}

Executor::Queue &Executor::queueOf(const ScheduleItem &item)
{
    if (item.kernel().isValid())
        return m_queues[schedule().kernel(item.kernel()).device.value];
    const auto &transfer = std::get<MemoryTransfer>(item.work);
    const BufferId moved = transfer.destination.isValid() ? transfer.destination : transfer.source;
    return m_queues[schedule().buffer(moved).device.value];
}

bool Executor::isKernel(const QueuedRun &queued) const
{
    return schedule().items[queued.run.item].kernel().isValid();
}

Result<Done> Executor::collect(std::span<const DeviceSlot> devices, const std::stop_token &stop, Samples &samples)
{
    for (const DeviceSlot device : devices)
        SW_CHECK(collect(device, kAllQueued, stop, samples));
    return Done{};
}

Result<Done> Executor::collect(DeviceSlot device, std::size_t count, const std::stop_token &stop, Samples &samples)
{
    if (m_queues[device.value].empty())
        return Done{};
    Queue queue = std::exchange(m_queues[device.value], {});
    Queue later;
    if (count < queue.size()) {
        const auto begin = queue.begin() + static_cast<std::ptrdiff_t>(count);
        later.assign(begin, queue.end());
        queue.erase(begin, queue.end());
    }
    const auto begin = std::chrono::steady_clock::now();
    const auto collected = m_runner.collect(device, later.empty() ? kAllQueued : count, stop);
    if (!collected)
        return ofQueued(queue, collected.error());
    if (!collected->errors.empty() || collected->results.size() != queue.size())
        return ofQueued(queue, *collected);
    m_queues[device.value] = std::move(later);
    addCollected(queue, collected->results, std::chrono::steady_clock::now() - begin, samples);
    return Done{};
}

// What the host spent in handing launches over and in waiting is the kernels' time as far as they took it, and then that of
// transfers: a GPU may have done both while the host did something else.
void Executor::addCollected(const Queue &queue, std::span<const LaunchResult> results, std::chrono::nanoseconds waited,
                            Samples &samples)
{
    std::chrono::nanoseconds kernels{0};
    std::chrono::nanoseconds transfers{0};
    std::chrono::nanoseconds handedOver{0};
    for (std::size_t i = 0; i < queue.size(); ++i) {
        (isKernel(queue[i]) ? kernels : transfers) += results[i].time;
        if (isKernel(queue[i]))
            handedOver += queue[i].handedOver;
    }
    kernels = std::min(kernels, handedOver + waited);
    transfers = std::min(transfers, handedOver + waited - kernels);
    m_parts.kernels += kernels;
    m_parts.transfers += transfers;
    m_parts.launches += waited - kernels - transfers; // what it took to hand over is there already
    for (std::size_t i = 0; i < queue.size(); ++i)
        if (queue[i].isRead)
            m_readTimes[queue[i].run.item] = results[i].time;
        else
            addResult(queue[i].run, queue[i].before + results[i].time, results[i].faults, samples);
}

Result<Done> Executor::collectAll(const std::stop_token &stop, Samples &samples)
{
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        SW_CHECK(collect(DeviceSlot(slot), kAllQueued, stop, samples));
    return Done{};
}

void Executor::abandonQueues()
{
    for (std::size_t slot = 0; slot < m_queues.size(); ++slot)
        if (!std::exchange(m_queues[slot], {}).empty())
            static_cast<void>(m_runner.collect(DeviceSlot(slot), kAllQueued, {})); // an error is told already
    m_runner.forgetReads();
    m_readTimes.clear();
}

DeviceSlot Executor::sourceOf(std::uint32_t copy) const
{
    return schedule().buffer(std::get<MemoryTransfer>(schedule().items[copy].work).source).device;
}

// What comes between cannot change what is read: items that overwrite it wait for the copy. Copies that conditions may leave out,
// and those in the steps of a scan, are read in their turn.
std::multimap<std::uint32_t, std::uint32_t> Executor::readsByTrigger() const
{
    std::vector<std::uint32_t> place(m_order.size());
    for (std::uint32_t i = 0; i < m_order.size(); ++i)
        place[m_order[i]] = i;
    std::map<std::uint32_t, std::uint32_t> last; // by copy: the last in order of those that write what it reads
    for (const Dependency &dependency : schedule().dependencies) {
        const ScheduleItem &item = schedule().items[dependency.to];
        if (dependency.kind != DependencyKind::Data || item.phase != schedule().items[dependency.from].phase ||
            !isCopyBetweenDevices(schedule(), item) || !item.conditions.empty() ||
            schedule().repeatOf(dependency.to) != nullptr || !m_runner.queuesDownloads(sourceOf(dependency.to)))
            continue;
        const auto known = last.try_emplace(dependency.to, dependency.from).first;
        if (place[known->second] < place[dependency.from])
            known->second = dependency.from;
    }
    std::multimap<std::uint32_t, std::uint32_t> reads;
    for (const auto &[copy, trigger] : last)
        if (schedule().repeatOf(trigger) == nullptr)
            reads.emplace(trigger, copy);
    return reads;
}

Result<Done> Executor::beginReadsAfter(std::uint32_t item, const std::stop_token &stop)
{
    const auto [first, last] = m_readsAfter.equal_range(item);
    for (auto read = first; read != last; ++read) {
        const std::uint32_t copy = read->second;
        const auto begin = std::chrono::steady_clock::now();
        SW_CHECK(m_runner.beginReading(copy, stop));
        m_parts.transfers += std::chrono::steady_clock::now() - begin;
        if (m_runner.isReading(copy))
            m_queues[sourceOf(copy).value].push_back({.run = {copy, 0}, .isRead = true});
    }
    return Done{};
}

// Only what the device had queued in front of it is waited for.
Result<Done> Executor::collectRead(std::uint32_t item, const std::stop_token &stop, Samples &samples)
{
    if (!m_runner.isReading(item))
        return Done{};
    const DeviceSlot device = sourceOf(item);
    const Queue &queue = m_queues[device.value];
    const auto read =
        std::ranges::find_if(queue, [&](const QueuedRun &queued) { return queued.isRead && queued.run.item == item; });
    if (read == queue.end()) // it was collected with others
        return Done{};
    return collect(device, static_cast<std::size_t>(read - queue.begin()) + 1, stop, samples);
}

// A device does not tell which of its kernels failed, nor does a process that ended.
Failure Executor::ofQueued(const Queue &queue, const Diagnostics &errors) const
{
    const std::uint32_t first = queue.front().run.item;
    if (queue.size() == 1)
        return m_runner.atItem(first, errors);
    const bool areKernels = std::ranges::all_of(queue, [&](const QueuedRun &queued) { return isKernel(queued); });
    Diagnostics told = errors;
    for (Diagnostic &error : told) {
        if (error.code == Code::Cancelled)
            continue;
        error.message =
            format("one of {} queued {}, {} to {}: {}", queue.size(), areKernels ? "kernels" : "kernels and transfers",
                   placeText(schedule(), first), placeText(schedule(), queue.back().run.item), error.message);
        if (error.hint.empty())
            error.hint = "with --guard kernels run one by one, and the error says which one it is";
    }
    return Failure(std::move(told));
}

// A transfer has its place among what came of the queue.
Failure Executor::ofQueued(const Queue &queue, const Collected &collected) const
{
    const std::size_t place = collected.results.size();
    if (collected.errors.empty() || place >= queue.size())
        return ofQueued(
            queue, {Diagnostic::error(Code::Run, {}, "{} of {} queued kernels and transfers are done", place, queue.size())});
    if (!isKernel(queue[place]))
        return m_runner.atItem(queue[place].run.item, collected.errors);
    Queue kernels = queue;
    std::erase_if(kernels, [&](const QueuedRun &queued) { return !isKernel(queued); });
    return ofQueued(kernels, collected.errors);
}

} // namespace sw
