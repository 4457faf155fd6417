#include "engine/schedule/dependencies.h"
#include "engine/schedule/schedule_reporter.h"
#include "engine/schedule/verify_items.h"

#include <algorithm>
#include <set>

namespace sw {

namespace {

class MemoryVerifier : public ScheduleReporter {
public:
    using ScheduleReporter::ScheduleReporter;

    void verify()
    {
        findJoined();
        checkLifetimes();
        checkRepeats();
        checkParts();
        for (std::size_t slot = 0; slot < m_schedule.devices.size(); ++slot)
            checkArena(DeviceSlot(slot));
        for (const SharedPlace &place : sharedPlaces(m_schedule)) {
            const ScheduledBuffer &first = m_schedule.buffer(place.first);
            const ScheduledBuffer &second = m_schedule.buffer(place.second);
            if (!first.aliasGroup || first.aliasGroup != second.aliasGroup)
                report(second.origin, "buffers {} and {} share memory but are in different groups", first.name, second.name);
        }
    }

private:
    void checkLifetimes()
    {
        for (std::uint32_t i = 0; i < m_schedule.items.size(); ++i) {
            const ItemUses uses = usesOf(m_schedule, m_schedule.items[i]);
            for (const auto *used : {&uses.reads, &uses.writes})
                for (const BufferId id : *used) {
                    const ScheduledBuffer &buffer = m_schedule.buffer(id);
                    if (i < buffer.firstItem || i > buffer.lastItem)
                        report(buffer.origin, "buffer {} lives from item {} to {} but item {} uses it", buffer.name,
                               buffer.firstItem, buffer.lastItem, i);
                }
        }
    }

    // What a step leaves for the next one, or reads in each step, must not lose its memory in between.
    void checkRepeats()
    {
        for (const RepeatedItems &repeat : m_schedule.repeats)
            for (std::uint32_t i = repeat.first; i < std::min<std::size_t>(repeat.end, m_schedule.items.size()); ++i) {
                const ItemUses uses = usesOf(m_schedule, m_schedule.items[i]);
                for (const auto *used : {&uses.reads, &uses.writes})
                    for (const BufferId id : *used) {
                        const ScheduledBuffer &buffer = m_schedule.buffer(id);
                        const bool isInside = buffer.firstItem >= repeat.first && buffer.lastItem < repeat.end;
                        if (!isInside && (buffer.firstItem > repeat.first || buffer.lastItem + 1 < repeat.end))
                            report(buffer.origin, "buffer {} lives from item {} to {} but items {} to {} are repeated with it",
                                   buffer.name, buffer.firstItem, buffer.lastItem, repeat.first, repeat.end - 1);
                    }
            }
    }

    void checkArena(DeviceSlot slot)
    {
        const ScheduledDevice &device = m_schedule.device(slot);
        std::vector<const ScheduledBuffer *> placed;
        for (const ScheduledBuffer &buffer : m_schedule.buffers)
            if (buffer.device == slot && buffer.bytes() > 0 && !(buffer.partOf && isJoined(buffer))) // it lies where its parts do
                placed.push_back(&buffer);
        std::ranges::sort(placed, {}, &ScheduledBuffer::arenaOffset);
        for (std::size_t i = 0; i < placed.size(); ++i) {
            const std::int64_t end = placed[i]->arenaOffset + placed[i]->bytes();
            if (placed[i]->arenaOffset < 0 || end > device.arenaBytes)
                report(placed[i]->origin, "buffer {} lies outside the arena of {}", placed[i]->name, device.id);
            if (placed[i]->arenaOffset % device.alignment != 0 && !placed[i]->partOf)
                report(placed[i]->origin, "buffer {} begins at {}, which is no multiple of {}", placed[i]->name,
                       placed[i]->arenaOffset, device.alignment);
            for (std::size_t j = i + 1; j < placed.size() && placed[j]->arenaOffset < end; ++j)
                if (placed[i]->firstItem <= placed[j]->lastItem && placed[j]->firstItem <= placed[i]->lastItem &&
                    !mayOverlap(*placed[i], *placed[j]))
                    report(placed[j]->origin, "buffers {} and {} live at once and overlap in the arena", placed[i]->name,
                           placed[j]->name);
        }
    }

    // What is joined from parts lies where they lie. Values that kernels write never lie in each other.
    [[nodiscard]] bool mayOverlap(const ScheduledBuffer &a, const ScheduledBuffer &b) const
    {
        return rootOf(a) == rootOf(b) && (isJoined(a) || isJoined(b));
    }

    [[nodiscard]] BufferId idOf(const ScheduledBuffer &buffer) const
    {
        return BufferId(static_cast<std::size_t>(&buffer - m_schedule.buffers.data()));
    }
    [[nodiscard]] BufferId rootOf(const ScheduledBuffer &buffer) const { return m_schedule.rootOf(idOf(buffer)); }
    [[nodiscard]] bool isJoined(const ScheduledBuffer &buffer) const { return m_joined.contains(idOf(buffer)); }

    void findJoined()
    {
        for (const ScheduleItem &item : m_schedule.items)
            if (const auto *join = std::get_if<Join>(&item.work))
                m_joined.insert(join->whole);
    }

    // The whole lives as long as each of its parts, which lie inside of it.
    void checkParts()
    {
        for (const ScheduledBuffer &buffer : m_schedule.buffers) {
            if (!buffer.partOf)
                continue;
            const ScheduledBuffer &whole = m_schedule.buffer(buffer.partOf->whole);
            const ScheduledBuffer &root = m_schedule.buffer(rootOf(buffer));
            if (root.firstItem > buffer.firstItem || root.lastItem < buffer.lastItem)
                report(buffer.origin, "buffer {} is a part of {}, which does not live as long", buffer.name, root.name);
            const std::int64_t offset = buffer.partOf->offset;
            if (buffer.device != whole.device || offset < 0 || offset + buffer.bytes() > whole.bytes() ||
                buffer.arenaOffset != whole.arenaOffset + offset)
                report(buffer.origin, "buffer {} does not lie where it should in {}, which it is a part of", buffer.name,
                       whole.name);
        }
    }

    std::set<BufferId> m_joined;
};

} // namespace

Diagnostics verifyMemory(const Schedule &schedule)
{
    return errorsOf<MemoryVerifier>(schedule);
}

} // namespace sw
