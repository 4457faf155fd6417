#pragma once
// What must come before what.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// Which items surely come before which. Dependencies are added by ascending `to`; an item waits for earlier ones only.
//
// It keeps the dependencies and no table of all pairs, which would take n^2 bits. A question about `to` searches backwards from
// it, the latest items first, and no further than the item asked about. Further questions about the same item go on from there,
// so they are cheapest in descending order of `from`.
class ItemOrder {
public:
    static constexpr std::size_t kNoLimit = ~std::size_t{0};

    // A search ends with "no" after so many items.
    explicit ItemOrder(std::size_t items, std::size_t searchLimit = kNoLimit)
        : m_before(items), m_reachedIn(items, 0), m_searchLimit(searchLimit)
    {
    }

    void add(std::uint32_t from, std::uint32_t to);
    [[nodiscard]] bool isBefore(std::uint32_t from, std::uint32_t to);

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    void reach(std::uint32_t item);

    std::vector<std::vector<std::uint32_t>> m_before; // by item: those that it waits for
    std::vector<std::uint64_t> m_reachedIn;           // by item: the number of the last search that has reached it
    std::size_t m_searchLimit;
    std::uint32_t m_to = kNone;        // that the search is about
    std::uint64_t m_search = 0;        // its number
    std::vector<std::uint32_t> m_open; // reached and not followed yet, as a heap
    std::size_t m_followed = 0;
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
