#include "engine/execute/program_memory.h"

#include "engine/backend/host_memory.h"
#include "engine/base/mapped_file.h"

#include <algorithm>
#include <map>

namespace sw {

namespace {

// Of smaller ones a copy costs nothing, and lies beside what is used with it.
constexpr std::size_t kLeastInPlace = 1 << 20;

// The constant whose value the buffer is given; null: it is none.
const HostTensor *constantOf(const Schedule &schedule, const ScheduledBuffer &buffer)
{
    const NodeId id = buffer.role == BufferRole::Intermediate ? NodeId() : hostValueOf(schedule, buffer);
    const auto *constant = id.isValid() ? std::get_if<TensorAttributes>(&schedule.graph->node(id).attributes) : nullptr;
    const bool isWhole = constant != nullptr && static_cast<std::int64_t>(constant->value->byteSize()) == buffer.bytes();
    return isWhole ? constant->value.get() : nullptr;
}

// By buffer: how many items write it.
std::vector<std::uint32_t> writersOf(const Schedule &schedule)
{
    std::vector<std::uint32_t> writers(schedule.buffers.size());
    for (const ScheduleItem &item : schedule.items)
        for (const BufferId written : usesOf(schedule, item).writes)
            ++writers[written.value];
    return writers;
}

Failure withArena(const Schedule &schedule, DeviceSlot slot, const Diagnostics &errors)
{
    const ScheduledBuffer *largest = nullptr;
    for (const ScheduledBuffer &buffer : schedule.buffers)
        if (buffer.device == slot && (largest == nullptr || buffer.bytes() > largest->bytes()))
            largest = &buffer;
    Diagnostics told = errors;
    Diagnostic &first = told.front();
    first.message = format("the arena of {}, {} bytes, cannot be allocated: {}", schedule.device(slot).id,
                           schedule.device(slot).arenaBytes, first.message);
    if (largest != nullptr && !first.where.isKnown()) {
        first.where = schedule.graph->sources().programRange(largest->origin);
        first.message += format("; the largest in it is {}: {}", largest->name, typeText(largest->dtype, largest->shape));
    }
    if (first.hint.empty())
        first.hint = "an arena is one allocation, and some devices give less at once than they have";
    return Failure(std::move(told));
}

// A program that was written for another device may have parts of buffers where this one has none.
Result<Done> checkParts(const Schedule &schedule, DeviceSlot slot, const DeviceInfo &device)
{
    for (const ScheduledBuffer &buffer : schedule.buffers)
        if (buffer.device == slot && buffer.partOf && buffer.arenaOffset % device.bufferAlignment != 0)
            return Diagnostic::error(Code::Run, schedule.graph->sources().programRange(buffer.origin),
                                     "{} is a part of {} from byte {} on, but buffers of {} begin at multiples of {} bytes",
                                     buffer.name, schedule.buffer(buffer.partOf->whole).name, buffer.partOf->offset, device.id,
                                     device.bufferAlignment)
                .withHint("compile the program for this device");
    return Done{};
}

// Constants whose memory the device reads where it lies, with their buffers. Only those in memory: a file's bytes may change
// while it is open. A buffer that anything but its upload writes is no constant.
std::map<BufferId, DeviceBufferId> adoptedConstants(const Schedule &schedule, DeviceSlot slot, OpenedDevice &device)
{
    std::map<BufferId, DeviceBufferId> adopted;
    auto *const reader = dynamic_cast<HostMemoryReader *>(&device.runtime());
    if (reader == nullptr)
        return adopted;
    const auto alignment = static_cast<std::uintptr_t>(device.info().bufferAlignment);
    const std::vector<std::uint32_t> writers = writersOf(schedule);
    for (const ScheduleItem &item : schedule.items) {
        const auto *upload = std::get_if<MemoryTransfer>(&item.work);
        if (upload == nullptr || upload->source.isValid() || upload->region)
            continue;
        const BufferId id = upload->destination;
        const ScheduledBuffer &buffer = schedule.buffer(id);
        const HostTensor *constant = buffer.device == slot ? constantOf(schedule, buffer) : nullptr;
        if (constant == nullptr || writers[id.value] != 1)
            continue;
        const std::span<const std::byte> bytes = constant->unalignedBytes();
        const bool isAligned = reinterpret_cast<std::uintptr_t>(bytes.data()) % alignment == 0;
        if (bytes.size() >= kLeastInPlace && isAligned && !areMapped(bytes))
            adopted.emplace(id, reader->adopt(bytes));
    }
    return adopted;
}

} // namespace

Result<std::unique_ptr<ProgramMemory>> ProgramMemory::allocate(const Schedule &schedule, std::span<OpenedDevice *const> devices)
{
    std::unique_ptr<ProgramMemory> memory(new ProgramMemory());
    memory->m_views.resize(schedule.buffers.size());
    for (std::size_t slot = 0; slot < devices.size(); ++slot)
        SW_CHECK(memory->allocateArena(schedule, DeviceSlot(slot), *devices[slot]));
    return memory;
}

ProgramMemory::~ProgramMemory()
{
    for (auto owned = m_owned.rbegin(); owned != m_owned.rend(); ++owned)
        owned->runtime->free(owned->buffer);
}

Result<Done> ProgramMemory::allocateApart(const Schedule &schedule, DeviceSlot slot, OpenedDevice &device)
{
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        if (buffer.device != slot || buffer.partOf)
            continue;
        const auto made = device.runtime().allocate(std::max<std::int64_t>(buffer.bytes(), 1));
        if (!made)
            return withArena(schedule, slot, made.error());
        m_owned.push_back({&device.runtime(), *made});
        m_views[i] = *made;
    }
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        if (buffer.device != slot || !buffer.partOf)
            continue;
        const BufferId root = schedule.rootOf(BufferId(i));
        const auto view = device.runtime().view(of(root), buffer.arenaOffset - schedule.buffer(root).arenaOffset, buffer.bytes());
        if (!view)
            return withArena(schedule, slot, view.error());
        m_owned.push_back({&device.runtime(), *view});
        m_views[i] = *view;
    }
    return Done{};
}

Result<Done> ProgramMemory::allocateArena(const Schedule &schedule, DeviceSlot slot, OpenedDevice &device)
{
    const ScheduledDevice &planned = schedule.device(slot);
    if (planned.alignment % device.info().bufferAlignment != 0)
        return Diagnostic::error(Code::Run, {}, "the schedule places buffers at multiples of {} bytes, but {} wants them at {}",
                                 planned.alignment, device.info().id, device.info().bufferAlignment);
    if (planned.arenaBytes == 0)
        return Done{};
    SW_CHECK(checkParts(schedule, slot, device.info()));
    if (device.options().guardBuffers)
        return allocateApart(schedule, slot, device);
    Runtime &runtime = device.runtime();
    const auto arena = runtime.allocate(planned.arenaBytes);
    if (!arena)
        return withArena(schedule, slot, arena.error());
    m_owned.push_back({&runtime, *arena});
    for (const auto &[buffer, adopted] : adoptedConstants(schedule, slot, device)) {
        m_owned.push_back({&runtime, adopted});
        m_views[buffer.value] = adopted;
    }
    for (std::size_t i = 0; i < schedule.buffers.size(); ++i) {
        const ScheduledBuffer &buffer = schedule.buffers[i];
        if (buffer.device != slot || m_views[i].isValid())
            continue;
        // An empty tensor still needs a buffer that can be named; the plan has a place for it.
        const auto view = runtime.view(*arena, buffer.arenaOffset, buffer.bytes() == 0 ? planned.alignment : buffer.bytes());
        if (!view)
            return withArena(schedule, slot, view.error());
        m_owned.push_back({&runtime, *view});
        m_views[i] = *view;
    }
    return Done{};
}

} // namespace sw
