// Timelines of compilations and runs: what they hold, how it fits together, in this process and with kernels in another one, and
// what a trace viewer is given.

#include "engine/api/timeline_recording.h"

#include "engine/api/compilation.h"
#include "engine/api/instruments.h"
#include "engine/api/resources.h"
#include "engine/api/timeline_building.h"
#include "engine/backend/host/hosted_backend.h"
#include "engine/backend/native_backends.h"
#include "engine/base/json_value.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace sw {
namespace {

constexpr const char *kProgram = "input x: f32[64, 64]\ninput w: f32[64, 64]\noutput y = softmax(x @ w, axis = -1)\n";

TimelineEvent event(std::uint32_t lane, TimelineKind kind, std::int64_t begin, std::int64_t end, std::uint32_t round = 0)
{
    return {.lane = lane, .kind = kind, .name = format("{}", begin), .begin = begin, .end = end, .round = round};
}

// Two lanes of kernels in two rounds, and one of calls.
Timeline madeUp()
{
    Timeline timeline;
    timeline.lanes = {{"run", "phases"}, {"llvm", "kernels"}, {"host", "calls"}};
    timeline.nanoseconds = 300;
    timeline.events = {
        event(0, TimelineKind::RunPhase, 0, 100), event(0, TimelineKind::RunPhase, 100, 300, 1),
        event(1, TimelineKind::Kernel, 10, 20),   event(1, TimelineKind::Kernel, 20, 40),
        event(1, TimelineKind::Kernel, 70, 90),   event(1, TimelineKind::Kernel, 150, 160, 1),
        event(2, TimelineKind::Call, 0, 10),      event(2, TimelineKind::Call, 50, 60),
    };
    return timeline;
}

TEST(Timelines, gapsLieBetweenKernelsOfOneRun)
{
    const Timeline timeline = madeUp();
    const std::vector<TimelineGap> gaps = gapsOf(timeline);
    ASSERT_EQ(gaps.size(), 1U) << "kernels that follow at once, other runs and calls have none";
    EXPECT_EQ(gaps[0].lane, 1U);
    EXPECT_EQ(gaps[0].begin, 40);
    EXPECT_EQ(gaps[0].end, 70);
    EXPECT_EQ(gaps[0].after, 3U);
    EXPECT_EQ(gaps[0].before, 4U);
}

TEST(Timelines, useIsThatOfTheStretch)
{
    const LaneUse all = useOf(madeUp(), 1, 0, 300);
    EXPECT_EQ(all.events, 4U);
    EXPECT_EQ(all.busy, 60);
    EXPECT_EQ(all.longestGap, 60);
    const LaneUse part = useOf(madeUp(), 1, 15, 80);
    EXPECT_EQ(part.events, 3U);
    EXPECT_EQ(part.busy, 5 + 20 + 10);
    EXPECT_EQ(rangeOf(madeUp(), 1).begin, 100);
    EXPECT_EQ(rangeOf(madeUp(), 7).end, 300) << "no such run: everything";
}

class RecordedTimeline : public testing::Test {
protected:
    static CompileRequest request(const std::string &device, const char *program = kProgram)
    {
        CompileRequest made;
        made.program.fileName = "test.sw";
        made.program.text = program;
        made.program.isText = true;
        made.program.resourceFolder = findResourceFolder();
        made.device = device;
        made.threads = 2;
        return made;
    }
    static Result<RecordedTimelines> recorded(const BackendRegistry &registry, const CompileRequest &request,
                                              TimelineOptions options = {})
    {
        return recordTimelines(registry, request, [](const Compilation &) { return RunInputs(); }, options, {});
    }
    static std::uint32_t laneOf(const Timeline &timeline, std::string_view group, std::string_view name)
    {
        for (std::uint32_t lane = 0; lane < timeline.lanes.size(); ++lane)
            if (timeline.lanes[lane].group == group && timeline.lanes[lane].name == name)
                return lane;
        ADD_FAILURE() << "no lane " << group << ", " << name;
        return 0;
    }
    static void checkWhole(const Timeline &timeline)
    {
        for (std::size_t i = 0; i < timeline.events.size(); ++i) {
            const TimelineEvent &one = timeline.events[i];
            EXPECT_LE(0, one.begin) << one.name;
            EXPECT_LE(one.begin, one.end) << one.name;
            EXPECT_LE(one.end, timeline.nanoseconds) << one.name;
            ASSERT_LT(one.lane, timeline.lanes.size());
            if (i > 0 && timeline.events[i - 1].lane == one.lane) {
                EXPECT_LE(timeline.events[i - 1].end, one.begin) << one.name << " begins before the one before it has ended";
            }
        }
    }
    // Kernels within their launches, or until they were waited for where the device queues them; threads within their kernels.
    static void checkKernels(const RecordedTimelines &made, const std::string &device)
    {
        const Timeline &run = made.run;
        const auto launches = run.eventsOf(laneOf(run, "host", "calls"));
        std::size_t kernels = 0;
        for (const TimelineEvent &kernel : run.eventsOf(laneOf(run, device, "kernels"))) {
            ++kernels;
            EXPECT_EQ(kernel.name, made.kernels.at(kernel.kernel).name);
            const auto launch = std::ranges::find_if(launches, [&](const TimelineEvent &call) {
                return call.name == "launch " + kernel.name && call.round == kernel.round;
            });
            ASSERT_NE(launch, launches.end()) << kernel.name;
            EXPECT_LE(launch->begin, kernel.begin) << kernel.name;
            const bool isQueued = device == "opencl";
            const auto end = isQueued ? std::find_if(launch, launches.end(),
                                                     [](const TimelineEvent &call) { return call.name == "wait for the device"; })
                                      : launch;
            ASSERT_NE(end, launches.end()) << kernel.name;
            EXPECT_EQ(end->round, kernel.round) << kernel.name;
            EXPECT_LE(kernel.end, end->end) << kernel.name;
        }
        EXPECT_EQ(kernels, made.rounds * made.kernels.size());
        for (std::uint32_t lane = 0; lane < run.lanes.size(); ++lane) {
            if (!run.lanes[lane].name.starts_with("thread "))
                continue;
            for (const TimelineEvent &work : run.eventsOf(lane)) {
                const auto all = run.eventsOf(laneOf(run, device, "kernels"));
                EXPECT_TRUE(std::ranges::any_of(all, [&](const TimelineEvent &kernel) {
                    return kernel.kernel == work.kernel && kernel.begin <= work.begin && work.end <= kernel.end;
                })) << work.name;
            }
        }
    }
    static std::set<std::string> namesOf(const Timeline &timeline, std::uint32_t lane)
    {
        std::set<std::string> names;
        for (const TimelineEvent &one : timeline.eventsOf(lane))
            names.insert(one.name);
        return names;
    }
};

TEST_F(RecordedTimeline, ofACompilationHasItsStagesPassesAndKernels)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const Result<RecordedTimelines> made = recorded(registry, request("llvm"));
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->title, "test.sw on llvm");
    const Timeline &timeline = made->compilation;
    checkWhole(timeline);
    const auto stages = namesOf(timeline, laneOf(timeline, "compiler", "stages"));
    EXPECT_EQ(stages, (std::set<std::string>{"parse", "graph", "schedule", "loops", "lower", "lowered", "render", "compile"}));
    const auto passes = namesOf(timeline, laneOf(timeline, "compiler", "passes"));
    EXPECT_TRUE(passes.contains("lower-loops"));
    // Graphs are checked while the next passes run: never before they are made, and one at a time.
    const auto checks = timeline.eventsOf(laneOf(timeline, "compiler", "checks"));
    EXPECT_TRUE(namesOf(timeline, laneOf(timeline, "compiler", "checks")).contains("check lower-loops"));
    for (const TimelineEvent &check : checks)
        for (const TimelineEvent &pass : timeline.eventsOf(laneOf(timeline, "compiler", "passes")))
            if (pass.pass == check.pass)
                EXPECT_LE(pass.end, check.begin) << check.name;
    std::set<std::string> compiled;
    for (const TimelineEvent &one : timeline.events)
        if (one.kind == TimelineKind::Compile && one.kernel != kNoIndex) {
            EXPECT_TRUE(timeline.lanes[one.lane].name.starts_with("thread "));
            compiled.insert(made->kernels.at(one.kernel).name);
        }
    EXPECT_EQ(compiled.size(), made->kernels.size());
    std::set<std::string> rendered; // side by side, in as many lanes as that takes
    for (std::uint32_t lane = 0; lane < timeline.lanes.size(); ++lane)
        if (timeline.lanes[lane].name.starts_with("sources"))
            rendered.merge(namesOf(timeline, lane));
    EXPECT_EQ(rendered, compiled);
}

// Its kernels are matched with their launches though not all of the schedule's are launched.
TEST_F(RecordedTimeline, ofARunSaysWhichBranchDidNotRun)
{
    constexpr const char *kChoice = "input x: f32[64, 64]\ninput w: f32[64, 64]\n"
                                    "output choose(sum(x * 0) > 1, x @ w @ w, softmax(x) @ w)\n";
    BackendRegistry registry;
    addNativeBackends(registry);
    const Result<RecordedTimelines> made = recorded(registry, request("llvm", kChoice), {.rounds = 2});
    ASSERT_TRUE(made) << toText(made.error());
    checkWhole(made->run);
    std::size_t skipped = 0;
    for (const KernelActivity &kernel : made->kernels) {
        const auto isOfKernel = [&](const TimelineEvent &event) {
            return event.kind == TimelineKind::Kernel && event.name == kernel.name;
        };
        const auto events = std::ranges::count_if(made->run.events, isOfKernel);
        const bool isTold =
            std::ranges::find(made->run.notes, kernel.name + " did not run: another branch was chosen") != made->run.notes.end();
        EXPECT_EQ(events, isTold ? 0 : 2) << kernel.name;
        EXPECT_EQ(kernel.medianNanoseconds == 0, isTold) << kernel.name;
        skipped += isTold ? 1 : 0;
    }
    EXPECT_EQ(skipped, 2U);
}

TEST_F(RecordedTimeline, ofARunHasKernelsTransfersAndThreads)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    for (const std::string device : {"llvm", "c", "interpreter", "opencl"}) {
        if (!registry.device(device))
            continue;
        SCOPED_TRACE(device);
        const Result<RecordedTimelines> made = recorded(registry, request(device), {.rounds = 3});
        ASSERT_TRUE(made) << toText(made.error());
        checkWhole(made->run);
        checkKernels(*made, device);
        EXPECT_EQ(namesOf(made->run, laneOf(made->run, "run", "phases")),
                  (std::set<std::string>{"load", "run 1", "run 2", "run 3", "fetch"}));
        const auto transfers = namesOf(made->run, laneOf(made->run, device, "transfers"));
        EXPECT_TRUE(transfers.contains("upload x") && transfers.contains("upload w")) << "buffers have their names";
        EXPECT_TRUE(transfers.contains("download y"));
        // Handed over by a call, done later.
        for (const char *const name : {"upload x", "download y"}) {
            const auto isNamed = [&](const TimelineEvent &one) { return one.name == name; };
            const auto calls = made->run.eventsOf(laneOf(made->run, "host", "calls"));
            const auto moved = made->run.eventsOf(laneOf(made->run, device, "transfers"));
            const auto call = std::ranges::find_if(calls, isNamed);
            const auto move = std::ranges::find_if(moved, isNamed);
            ASSERT_NE(call, calls.end());
            ASSERT_NE(move, moved.end());
            EXPECT_EQ(call->kind, device == "opencl" ? TimelineKind::Call : TimelineKind::Transfer) << name;
            EXPECT_EQ(move->kind, TimelineKind::Transfer) << name;
            EXPECT_LE(call->begin, move->begin) << name;
            EXPECT_EQ(move->bytes, 64 * 64 * 4) << name;
        }
        const bool tells = device == "llvm" || device == "c" || device == "opencl";
        EXPECT_EQ(made->run.notes.empty(), tells);
        for (const KernelActivity &kernel : made->kernels)
            EXPECT_GT(kernel.medianNanoseconds, 0);
    }
}

// Once, before the first run.
TEST_F(RecordedTimeline, ofARunHasWhatLoadingComputes)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const char *const program = "input x: f32[64, 64]\nparam v: f32[64, 64] = random(1)\noutput x + sum(exp(v), axis = 0)\n";
    const auto made = recorded(registry, request("llvm", program), {.rounds = 3});
    ASSERT_TRUE(made) << toText(made.error());
    const std::uint32_t phases = laneOf(made->run, "run", "phases");
    const TimelineEvent *load = nullptr;
    std::vector<const TimelineEvent *> loaded;
    std::size_t launched = 0;
    for (const TimelineEvent &one : made->run.events) {
        if (one.lane == phases && one.name == "load")
            load = &one;
        if (one.kind != TimelineKind::Kernel)
            continue;
        ++launched;
        if (one.name.find("_load_") != std::string::npos)
            loaded.push_back(&one);
    }
    ASSERT_NE(load, nullptr);
    ASSERT_EQ(loaded.size(), 1U);
    EXPECT_EQ(launched, 1U + 3U);
    EXPECT_LE(load->begin, loaded.front()->begin);
    EXPECT_LE(loaded.front()->end, load->end);
}

TEST_F(RecordedTimeline, sharesItsClockWithHosts)
{
    BackendRegistry registry;
    addHostedBackends(registry, STEPWELL_HOST_PROGRAM);
    const Result<RecordedTimelines> made = recorded(registry, request("llvm"), {.counters = WithCounters::Yes});
    ASSERT_TRUE(made) << toText(made.error());
    checkWhole(made->run);
    checkWhole(made->compilation);
    checkKernels(*made, "llvm");
    EXPECT_FALSE(made->run.eventsOf(laneOf(made->run, "llvm", "thread 0")).empty()) << "threads of another process";
    EXPECT_TRUE(std::ranges::any_of(made->compilation.events, [](const TimelineEvent &one) {
        return one.kind == TimelineKind::Compile && one.kernel != kNoIndex;
    }));
    const bool isCounted = std::ranges::all_of(made->kernels, [](const KernelActivity &one) { return one.countedRuns > 0; });
    EXPECT_NE(isCounted, !made->noCounters.empty()) << "either it counts or it says why not";
}

TEST_F(RecordedTimeline, ofSeveralDevicesHasLanesForEach)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const char *program = "input x: f32[64]\ny = device(exp(x), \"interpreter\")\noutput y\noutput z = x * 2.0\n";
    const Result<RecordedTimelines> made = recorded(registry, request("llvm", program));
    ASSERT_TRUE(made) << toText(made.error());
    checkWhole(made->run);
    EXPECT_FALSE(made->run.eventsOf(laneOf(made->run, "interpreter", "kernels")).empty());
    EXPECT_FALSE(made->run.eventsOf(laneOf(made->run, "llvm", "kernels")).empty());
}

TEST_F(RecordedTimeline, failuresAreTold)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const auto broken = recorded(registry, request("llvm", "output y = nothing\n"));
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().front().where.line, 1U);
    std::stop_source stopped;
    stopped.request_stop();
    const auto made =
        recordTimelines(registry, request("llvm"), [](const Compilation &) { return RunInputs(); }, {}, stopped.get_token());
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().front().code, Code::Cancelled);
    const Instruments instruments(registry, findResourceFolder());
    ExploreRequest explore;
    explore.fileName = "test.sw";
    explore.text = "output y = nothing\n";
    const TimelineAnswer answer = instruments.timelines(explore, {}, {}, {});
    EXPECT_EQ(answer.timelines, nullptr);
    EXPECT_NE(answer.error.find("nothing"), std::string::npos) << answer.error;
}

// What the format asks for: an array; complete events with a category, a time and a length in microseconds, a process and a
// thread that have names.
TEST_F(RecordedTimeline, isATraceThatViewersRead)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    const Result<RecordedTimelines> made = recorded(registry, request("llvm"));
    ASSERT_TRUE(made) << toText(made.error());
    const Result<JsonValue> json = parseJson(chromeTrace(*made), "trace.json");
    ASSERT_TRUE(json) << toText(json.error());
    ASSERT_NE(json->array(), nullptr);
    std::set<std::pair<std::int64_t, std::int64_t>> named;
    std::set<std::int64_t> processes;
    std::size_t events = 0;
    const auto number = [](const JsonValue &value) {
        return value.integer() != nullptr ? static_cast<double>(*value.integer()) : *value.fraction();
    };
    double last = 0;
    for (const JsonValue &one : *json->array()) {
        const std::string &phase = *one.find("ph")->text();
        const std::int64_t process = *one.find("pid")->integer();
        const std::int64_t thread = *one.find("tid")->integer();
        if (phase == "M") {
            const std::string &what = *one.find("name")->text();
            const bool isNew = what == "process_name"  ? processes.insert(process).second
                               : what == "thread_name" ? named.emplace(process, thread).second
                                                       : true;
            EXPECT_TRUE(isNew) << "one name for each";
            continue;
        }
        ASSERT_EQ(phase, "X");
        ++events;
        EXPECT_TRUE(named.contains({process, thread})) << *one.find("name")->text();
        EXPECT_TRUE(processes.contains(process));
        EXPECT_GE(number(*one.find("ts")), 0);
        EXPECT_GE(number(*one.find("dur")), 0);
        EXPECT_FALSE(one.find("cat")->text()->empty());
        last = std::max(last, number(*one.find("ts")) + number(*one.find("dur")));
    }
    EXPECT_EQ(events, made->compilation.events.size() + made->run.events.size());
    const auto whole = static_cast<double>(made->run.begin - made->compilation.begin + made->run.nanoseconds);
    EXPECT_NEAR(last, whole / 1000, 1) << "in microseconds, the run behind the compilation";
}

} // namespace
} // namespace sw
