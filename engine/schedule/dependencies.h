#pragma once
// Which items must run before which.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// Which items certainly run before which. Add dependencies by ascending `to`; an item waits for earlier items only.
//
// It stores the dependencies, not a table of all pairs, which would take n^2 bits. A question about `to` searches backwards from
// it, latest items first, and stops at the item asked about. Later questions about the same item continue that search, so
// they are cheapest in descending order of `from`.
class ItemOrder {
public:
    static constexpr std::size_t kNoLimit = ~std::size_t{0};

    // A search gives up with "no" after this many items.
    explicit ItemOrder(std::size_t items, std::size_t searchLimit = kNoLimit)
        : m_before(items), m_reachedIn(items, 0), m_searchLimit(searchLimit)
    {
    }

    void add(std::uint32_t from, std::uint32_t to);
    [[nodiscard]] bool isBefore(std::uint32_t from, std::uint32_t to);

private:
    static constexpr std::uint32_t kNone = ~std::uint32_t{0};

    void reach(std::uint32_t item);

    std::vector<std::vector<std::uint32_t>> m_before; // by item: the items that it waits for
    std::vector<std::uint64_t> m_reachedIn;           // by item: the number of the last search that reached it
    std::size_t m_searchLimit;
    std::uint32_t m_to = kNone;        // the item that the current search is about
    std::uint64_t m_search = 0;        // its number
    std::vector<std::uint32_t> m_open; // reached but not yet followed, as a heap
    std::size_t m_followed = 0;
};

// Two buffers of one device: `second` is written after `first` is dead, to a place where `first` was the last to hold some of the
// bytes. Neither is a part of another one: what is joined has its place together.
struct SharedPlace {
    BufferId first;
    BufferId second;
};
// By the first item of `second`.
[[nodiscard]] std::vector<SharedPlace> sharedPlaces(const Schedule &schedule);

// The dependencies that make the items compute what they would in list order: readers wait for writers; writers wait for items
// that still use the memory; a synchronisation waits for all that it covers, and they for it. Control dependencies implied by
// others are left out.
[[nodiscard]] std::vector<Dependency> findDependencies(const Schedule &schedule);

// The chain of dependent items of the run with the longest estimated time.
struct CriticalPath {
    std::vector<std::uint32_t> items; // first to last
    std::int64_t nanoseconds = 0;
};
[[nodiscard]] CriticalPath findCriticalPath(const Schedule &schedule);
// nanoseconds: the time of each item, used instead of the schedule's own.
[[nodiscard]] CriticalPath findCriticalPath(const Schedule &schedule, std::span<const std::int64_t> nanoseconds);

} // namespace sw
