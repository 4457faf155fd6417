#include "engine/api/timeline.h"

#include "engine/base/assert.h"

#include <algorithm>

namespace sw {

std::string_view nameOf(TimelineKind kind)
{
    switch (kind) {
    case TimelineKind::RunPhase:
        return "phase";
    case TimelineKind::CompilerStage:
        return "stage";
    case TimelineKind::Pass:
        return "pass";
    case TimelineKind::Check:
        return "check";
    case TimelineKind::Render:
        return "render";
    case TimelineKind::Compile:
        return "compile";
    case TimelineKind::Call:
        return "call";
    case TimelineKind::Kernel:
        return "kernel";
    case TimelineKind::Work:
        return "work";
    case TimelineKind::Transfer:
        return "transfer";
    case TimelineKind::Wait:
        return "wait";
    }
    SW_UNREACHABLE();
}

std::span<const TimelineEvent> Timeline::eventsOf(std::uint32_t lane) const
{
    const auto [first, last] = std::ranges::equal_range(events, lane, {}, &TimelineEvent::lane);
    return {first, last};
}

std::vector<TimelineGap> gapsOf(const Timeline &timeline)
{
    std::vector<TimelineGap> gaps;
    for (std::size_t i = 1; i < timeline.events.size(); ++i) {
        const TimelineEvent &after = timeline.events[i - 1];
        const TimelineEvent &before = timeline.events[i];
        const bool isWork = before.kind == TimelineKind::Kernel || before.kind == TimelineKind::Work;
        if (isWork && after.lane == before.lane && after.round == before.round && before.begin > after.end)
            gaps.push_back({before.lane, after.end, before.begin, i - 1, i});
    }
    return gaps;
}

LaneUse useOf(const Timeline &timeline, std::uint32_t lane, std::int64_t from, std::int64_t to)
{
    LaneUse use;
    std::optional<std::int64_t> lastEnd;
    for (const TimelineEvent &event : timeline.eventsOf(lane)) {
        if (event.end < from || event.begin > to)
            continue;
        ++use.events;
        use.busy += std::min(event.end, to) - std::max(event.begin, from);
        if (lastEnd)
            use.longestGap = std::max(use.longestGap, event.begin - *lastEnd);
        lastEnd = event.end;
    }
    return use;
}

TimelineRange rangeOf(const Timeline &run, std::uint32_t round)
{
    for (const TimelineEvent &event : run.events)
        if (event.kind == TimelineKind::RunPhase && event.round == round)
            return {event.begin, event.end};
    return {0, run.nanoseconds};
}

std::optional<double> KernelActivity::countOf(HardwareEvent event) const
{
    const HardwareCount &count = counts.of(event);
    if (!count.isCounted() || countedRuns == 0)
        return std::nullopt;
    return count.scaled() / countedRuns;
}

} // namespace sw
