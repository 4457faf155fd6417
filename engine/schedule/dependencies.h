#pragma once
// What must come before what.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// Which items surely come before which. Dependencies are added by ascending `to`.
class ItemOrder {
public:
    explicit ItemOrder(std::size_t items) : m_before(items, std::vector<std::uint64_t>((items + 63) / 64)) {}

    void add(std::uint32_t from, std::uint32_t to);
    [[nodiscard]] bool isBefore(std::uint32_t from, std::uint32_t to) const
    {
        return (m_before[to][from / 64] >> (from % 64) & 1U) != 0;
    }

private:
    std::vector<std::vector<std::uint64_t>> m_before; // by item: a bit for every other that it waits for
};

// Two buffers of one device whose places in the arena overlap, `first` being dead before `second` is written.
struct SharedPlace {
    BufferId first;
    BufferId second;
};
[[nodiscard]] std::vector<SharedPlace> sharedPlaces(const Schedule &schedule);

// What the items must wait for if they are to compute what they do in the order of the list: readers for writers; writers for
// those that still use the memory; around a synchronisation everything that it is about. Control dependencies that follow from
// the others are left out.
[[nodiscard]] std::vector<Dependency> findDependencies(const Schedule &schedule);

// An order that satisfies the dependencies, the lowest index first where there is a choice; nothing: they form a cycle.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> executionOrder(const Schedule &schedule);

// The chain of dependent items of the run that takes the longest by estimate.
struct CriticalPath {
    std::vector<std::uint32_t> items; // first to last
    std::int64_t nanoseconds = 0;
};
[[nodiscard]] CriticalPath findCriticalPath(const Schedule &schedule);
// nanoseconds: by item, instead of the schedule's own.
[[nodiscard]] CriticalPath findCriticalPath(const Schedule &schedule, std::span<const std::int64_t> nanoseconds);

} // namespace sw
