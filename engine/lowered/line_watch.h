#pragma once
// Counts cache lines. Private to the stepper.

#include "engine/lowered/line_counts.h"
#include "engine/lowered/step_watches.h"

#include <list>
#include <unordered_map>
#include <unordered_set>

namespace sw {

class LineWatch : public MovingWatch {
public:
    LineWatch(const KernelMachine &machine, PagedMemory &memory, std::size_t cachedLines)
        : MovingWatch(machine, memory), m_room(cachedLines)
    {
    }

    void touches(const Step &step, std::int64_t index, std::uint32_t lanes, std::byte *at)
    {
        MovingWatch::touches(step, index, lanes, at);
        const MemoryPlan &plan = machine().program().memories[step.memory];
        if (plan.kind != MemoryKind::Argument)
            return;
        ++(step.kind == StepKind::Store ? m_counts.writes : m_counts.reads);
        const auto bytes = static_cast<std::int64_t>(bytesOf(step.lanes.dtype));
        const std::int64_t last = ((index + lanes) * bytes - 1) / kCacheLineBytes;
        for (std::int64_t line = index * bytes / kCacheLineBytes; line <= last; ++line)
            touch((std::uint64_t{plan.position} << kLineBits) + static_cast<std::uint64_t>(line));
    }

    [[nodiscard]] const LineCounts &counts() const { return m_counts; }

private:
    static constexpr unsigned kLineBits = 48; // the rest of a line's number is that of its buffer

    void touch(std::uint64_t line)
    {
        ++m_counts.touches;
        m_counts.lines += m_known.insert(line).second ? 1 : 0;
        if (const auto found = m_cached.find(line); found != m_cached.end()) {
            m_newest.splice(m_newest.begin(), m_newest, found->second);
            return;
        }
        ++m_counts.fetches;
        m_newest.push_front(line);
        m_cached.emplace(line, m_newest.begin());
        if (m_newest.size() > m_room) {
            m_cached.erase(m_newest.back());
            m_newest.pop_back();
        }
    }

    std::size_t m_room;
    LineCounts m_counts;
    std::unordered_set<std::uint64_t> m_known;
    std::list<std::uint64_t> m_newest; // cached lines
    std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> m_cached;
};

} // namespace sw
