#pragma once
// The items of a schedule one after the other, in an order that their dependencies allow, and those of a repeat step after step.

#include "engine/schedule/schedule.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sw {

// An item, or one step of an item that is repeated.
struct ItemRun {
    std::uint32_t item = 0;
    std::int64_t step = 0;
};

class ItemWalk {
public:
    // order: of all items (see executionOrder), in which those of a repeat follow each other directly. phase: of the wanted
    // items. The schedule and the order must outlive the walk.
    ItemWalk(const Schedule &schedule, std::span<const std::uint32_t> order, Phase phase);

    [[nodiscard]] std::optional<ItemRun> next(); // nothing: that was all

    // The repeat of which next() gave the last item of a step just now; null: it gave something else.
    [[nodiscard]] const RepeatedItems *endedStep() const;
    [[nodiscard]] bool isRepeating() const; // whether a further step of it follows
    void leaveRepeat();                     // makes no further step of it

private:
    [[nodiscard]] const RepeatedItems *current() const;
    void skipOthers();

    const Schedule &m_schedule;
    std::span<const std::uint32_t> m_order;
    Phase m_phase;
    std::size_t m_next = 0; // in the order
    std::int64_t m_step = 0;
    const RepeatedItems *m_ended = nullptr;
};

// All that a run does in the phase. stepsMade: by repeat, how many steps the run made; empty: all of them, which each repeat must
// have (asserts). Nothing: the dependencies form a cycle.
[[nodiscard]] std::optional<std::vector<ItemRun>> runsOf(const Schedule &schedule, Phase phase,
                                                         std::span<const std::int64_t> stepsMade = {});

// By kernel: it runs once, when the program is loaded.
[[nodiscard]] std::vector<bool> loadKernelsOf(const Schedule &schedule);
// The phase in which the kernel's item runs.
[[nodiscard]] Phase phaseOf(const Schedule &schedule, KernelId kernel);

} // namespace sw
