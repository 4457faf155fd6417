#include "engine/api/timeline.h"
#include "app/commands/commands.h"
#include "app/commands/counters.h"
#include "app/commands/execution.h"
#include "engine/api/timeline_recording.h"
#include "engine/base/whole_file.h"

#include <algorithm>

namespace sw::command {

namespace {

constexpr std::uint64_t kMostRounds = 1000;
constexpr double kLeastPart = 0.01; // of the compilation: shorter passes are told together

std::string timeOf(std::int64_t nanoseconds)
{
    return timeText(std::chrono::nanoseconds(nanoseconds));
}

std::string percentText(std::int64_t part, std::int64_t whole)
{
    return whole <= 0 ? "-" : format("{:.0f} %", 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

std::string laneName(const Timeline &timeline, std::uint32_t lane)
{
    return format("{}, {}", timeline.lanes[lane].group, timeline.lanes[lane].name);
}

// By their begin, those that last longer first.
std::vector<const TimelineEvent *> inOrder(const Timeline &timeline)
{
    std::vector<const TimelineEvent *> events;
    for (const TimelineEvent &event : timeline.events)
        events.push_back(&event);
    std::ranges::stable_sort(events, {}, [](const TimelineEvent *event) { return std::pair(event->begin, -event->end); });
    return events;
}

std::string compilationText(const Timeline &timeline)
{
    const auto isTold = [&](const TimelineEvent &event) {
        switch (event.kind) {
        case TimelineKind::CompilerStage:
        case TimelineKind::Compile:
            return true;
        case TimelineKind::Pass:
        case TimelineKind::Check:
        case TimelineKind::Render:
        case TimelineKind::Call:
        case TimelineKind::Wait:
            return static_cast<double>(event.nanoseconds()) >= kLeastPart * static_cast<double>(timeline.nanoseconds);
        case TimelineKind::RunPhase:
        case TimelineKind::Kernel:
        case TimelineKind::Work:
        case TimelineKind::Transfer:
            return false;
        }
        SW_UNREACHABLE();
    };
    std::vector<std::vector<std::string>> rows{{"at", "time", "what", "", "lane"}};
    std::size_t shortOnes = 0;
    std::int64_t shortTime = 0;
    for (const TimelineEvent *event : inOrder(timeline)) {
        if (isTold(*event)) {
            rows.push_back({timeOf(event->begin), timeOf(event->nanoseconds()), std::string(nameOf(event->kind)), event->name,
                            laneName(timeline, event->lane)});
        } else if (event->kind == TimelineKind::Pass || event->kind == TimelineKind::Check) {
            ++shortOnes;
            shortTime += event->nanoseconds();
        }
    }
    std::string text = format("compiled in {}\n\n{}", timeOf(timeline.nanoseconds), tableText(rows));
    if (shortOnes > 0)
        text += format("{} passes and checks of less than 1 % each, {} together, are not listed\n", shortOnes, timeOf(shortTime));
    return text;
}

// What happens in the round, with the gap on its own device before each kernel.
std::string roundText(const RecordedTimelines &made)
{
    const Timeline &run = made.run;
    const TimelineRange range = rangeOf(run, made.medianRound);
    std::vector<std::vector<std::string>> rows{{"at", "time", "gap before", "what", "", "lane"}};
    std::vector<std::int64_t> gapBefore(run.events.size());
    for (const TimelineGap &gap : gapsOf(run))
        gapBefore[gap.before] = gap.nanoseconds();
    for (const TimelineEvent *event : inOrder(run)) {
        const bool isTold = event->kind == TimelineKind::Kernel || event->kind == TimelineKind::Transfer;
        // A transfer stands in the lane of the device that has the memory, and among the calls.
        if (!isTold || event->round != made.medianRound || run.lanes[event->lane].group == "host")
            continue;
        const std::int64_t gap = gapBefore[static_cast<std::size_t>(event - run.events.data())];
        rows.push_back({timeOf(event->begin - range.begin), timeOf(event->nanoseconds()), gap > 0 ? timeOf(gap) : "",
                        std::string(nameOf(event->kind)), event->name, laneName(run, event->lane)});
    }
    std::vector<std::vector<std::string>> lanes{{"lane", "events", "busy", "of the run", "longest gap"}};
    for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
        const LaneUse use = useOf(run, lane, range.begin, range.end);
        if (use.events > 0 && run.lanes[lane].group != "run")
            lanes.push_back({laneName(run, lane), format("{}", use.events), timeOf(use.busy),
                             percentText(use.busy, range.end - range.begin), timeOf(use.longestGap)});
    }
    return format("run {} of {}, whose time is the median: {}\n\n{}\n{}", made.medianRound + 1, made.rounds,
                  timeOf(range.end - range.begin), tableText(rows), tableText(lanes));
}

std::string plainText(const RecordedTimelines &made, bool isCounted)
{
    std::string text = format("{}\n\n{}\n{}", made.title, compilationText(made.compilation), roundText(made));
    if (isCounted)
        text += '\n' + countersText(made);
    for (const Timeline *timeline : {&made.compilation, &made.run})
        for (const std::string &note : timeline->notes)
            text += format("note: {}\n", note);
    return text;
}

void writeTimeline(JsonWriter &json, std::string_view name, const Timeline &timeline)
{
    json.key(name).beginObject().field("ns", timeline.nanoseconds).key("lanes").beginArray();
    for (const TimelineLane &lane : timeline.lanes)
        json.beginObject().field("group", lane.group).field("name", lane.name).endObject();
    json.endArray().key("events").beginArray();
    for (const TimelineEvent &event : timeline.events) {
        json.beginObject().field("lane", event.lane).field("kind", nameOf(event.kind)).field("name", event.name);
        json.field("begin_ns", event.begin).field("ns", event.nanoseconds());
        if (event.bytes > 0)
            json.field("bytes", event.bytes);
        if (event.round != kNoIndex)
            json.field("run", event.round + 1);
        json.endObject();
    }
    json.endArray().key("notes").beginArray();
    for (const std::string &note : timeline.notes)
        json.value(note);
    json.endArray().endObject();
}

std::string jsonText(const RecordedTimelines &made, bool isCounted)
{
    JsonWriter json;
    json.beginObject().field("version", kJsonVersion).field("runs", made.rounds).field("median_run", made.medianRound + 1);
    json.key("kernels").beginArray();
    for (const KernelActivity &kernel : made.kernels)
        json.beginObject()
            .field("name", kernel.name)
            .field("device", kernel.device)
            .field("ns", kernel.medianNanoseconds)
            .field("gap_before_ns", kernel.medianGap)
            .endObject();
    json.endArray();
    if (isCounted)
        writeCounters(json, made);
    writeTimeline(json, "compilation", made.compilation);
    writeTimeline(json, "run", made.run);
    json.endObject();
    return json.text();
}

} // namespace

Outcome timeline(const Arguments &arguments, const Environment &environment)
{
    const Result<std::uint64_t> seed = seedOf(arguments);
    const Result<std::uint64_t> rounds = arguments.number("--repeat", TimelineOptions().rounds, 1, kMostRounds);
    if (!seed || !rounds)
        return usageFailed(seed ? rounds.error() : seed.error());
    const Result<CompileRequest> request = requestOf(arguments, environment, CompileUntil::Machine);
    if (!request)
        return requestFailed(request.error());
    const bool isCounted = arguments.has("--counters");
    const auto inputs = [&](const Compilation &compilation) { return runInputsOf(*request, compilation, *seed); };
    const Result<RecordedTimelines> made = recordTimelines(
        registryFor(arguments, *request, environment), *request, inputs,
        {.rounds = static_cast<std::uint32_t>(*rounds), .counters = isCounted ? WithCounters::Yes : WithCounters::No},
        environment.stop);
    if (!made)
        return failed(made.error());
    if (arguments.has("-o"))
        if (const Result<Done> written = writeWholeFile(arguments.value("-o", {}), {chromeTrace(*made)}); !written)
            return failed(written.error());
    Outcome outcome;
    outcome.output = arguments.has("--json") ? jsonText(*made, isCounted) : plainText(*made, isCounted);
    return outcome;
}

} // namespace sw::command
