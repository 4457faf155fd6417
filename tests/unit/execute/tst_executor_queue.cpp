// Devices that work through a queue: the executor hands kernel after kernel over, and waits only for what it needs.

#include "tests/unit/execute/executor_fixture.h"

namespace sw {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::nanoseconds;

FakeCounts queue(DeviceKind kind)
{
    FakeCounts counts;
    counts.kind = kind;
    counts.hasQueue = true;
    return counts;
}

// Three kernels in a row.
Schedule threeKernels()
{
    TensorProgram p;
    const NodeId hidden = p.relu(p.matmul(p.input({8, 8}), p.input({8, 8})));
    const NodeId second = p.relu(p.matmul(hidden, p.input({8, 8})));
    const NodeId out = p.matmul(second, p.input({8, 8}));
    return scheduleOf(std::move(p), {out});
}

std::unique_ptr<Executor> loaded(const FakeDevices &devices, const Schedule &schedule)
{
    auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value();
    EXPECT_TRUE(executor->load({}));
    return executor;
}

// A kernel on each device, one after the other, that has nothing to do with the others.
struct KernelPerDevice {
    explicit KernelPerDevice(std::size_t devices)
    {
        TensorProgram p;
        const NodeId x = p.input({4, 6});
        std::vector<NodeId> outputs;
        for (std::size_t i = 0; i < devices; ++i)
            outputs.push_back(p.relu(p.builder.shrink(p.here, x, {{0, 0}, {4, static_cast<std::int64_t>(i) + 1}}).value()));
        schedule.graph = std::make_shared<const Graph>(std::move(p).finish(outputs));
        std::vector<ScheduleItem> items;
        for (std::size_t i = 0; i < devices; ++i) {
            const DeviceSlot slot(i);
            const Shape shape = schedule.graph->node(outputs[i]).shape;
            schedule.devices.push_back({.id = format("fake{}", i)});
            schedule.buffers.push_back({.role = BufferRole::Output,
                                        .shape = shape,
                                        .node = outputs[i],
                                        .name = format("out{}", i),
                                        .origin = originOfLine(2),
                                        .device = slot});
            schedule.kernels.push_back({.name = format("k{}", i),
                                        .symbol = format("k{}", i),
                                        .root = outputs[i],
                                        .writes = {BufferId(i)},
                                        .origin = originOfLine(2),
                                        .device = slot});
            schedule.outputs.emplace_back(i);
            items.push_back({KernelLaunch{KernelId(i)}, Phase::Run});
        }
        EXPECT_TRUE(planSteps(schedule, std::move(items), {}));
    }

    Schedule schedule;
};

TEST(ExecutorQueue, handsKernelsOverAndWaitsAtTheEnd)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    const Schedule schedule = threeKernels();
    const auto executor = loaded(devices, schedule);
    devices.counts[0].calls.clear();
    std::vector<std::uint64_t> seen;
    const ExecutionResult result =
        executor->run({.repeats = 1}, {}, [&](std::uint64_t done, std::uint64_t) { seen.push_back(done); }).value();
    EXPECT_EQ(devices.counts[0].calls, (Calls{"submit 0", "submit 1", "submit 2", "collect 3", "synchronize", "download 256"}));
    ASSERT_EQ(result.kernels.size(), 3U);
    EXPECT_EQ(result.kernels[0].median, nanoseconds(100)); // each has its own time
    EXPECT_EQ(result.kernels[2].median, nanoseconds(300));
    EXPECT_EQ(result.parts.total(), result.total.median);
    EXPECT_GT(result.parts.kernels.count(), 0);
    EXPECT_LE(result.parts.kernels, nanoseconds(600));
    EXPECT_EQ(seen, (std::vector<std::uint64_t>{1, 2, 3}));
}

TEST(ExecutorQueue, copiesInTheirTurn)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    for (const bool isAsynchronous : {true, false}) {
        HandMade made({4, 6});
        // Two of the four rows.
        const StridedRegion rows{
            .rows = 1, .rowBytes = 48, .sourceOffset = 24, .sourceStride = 48, .destinationOffset = 48, .destinationStride = 48};
        made.plan({{MemoryTransfer{.source = HandMade::kX,
                                   .destination = HandMade::kOutput,
                                   .bytes = 48,
                                   .region = rows,
                                   .isAsynchronous = isAsynchronous},
                    Phase::Run}});
        const auto executor = loaded(devices, made.schedule);
        devices.counts[0].calls.clear();
        const ExecutionResult result = executor->run({}, {}).value();
        const Calls going{"copy 48", "synchronize", "download 96"};
        const Calls waiting{"copy 48", "synchronize", "synchronize", "download 96"};
        EXPECT_EQ(devices.counts[0].calls, isAsynchronous ? going : waiting);
        const HostTensor &value = result.outputs.front().value;
        for (std::int64_t i = 0; i < 12; ++i)
            EXPECT_EQ(value.at(12 + i).asDouble(), static_cast<double>(7 + i));
    }
}

TEST(ExecutorQueue, runsBesideTheProcessor)
{
    FakeDevices devices({FakeCounts{}, queue(DeviceKind::Gpu)});
    KernelPerDevice made(2);
    made.schedule.devices[1].isBeside = true;
    const auto executor = loaded(devices, made.schedule);
    std::vector<std::string> order;
    ASSERT_TRUE(executor->run(
        {}, {}, [&](std::uint64_t, std::uint64_t) { order.push_back(format("{} queued", devices.counts[1].queued)); }));
    // The processor's kernel was done while the other was queued.
    EXPECT_EQ(order, (Calls{"1 queued", "0 queued"}));
}

TEST(ExecutorQueue, takesTurnsOnTheProcessor)
{
    FakeDevices devices({queue(DeviceKind::Cpu), FakeCounts{}});
    const KernelPerDevice made(2);
    const auto executor = loaded(devices, made.schedule);
    std::vector<std::string> order;
    ASSERT_TRUE(executor->run(
        {}, {}, [&](std::uint64_t, std::uint64_t) { order.push_back(format("{} queued", devices.counts[0].queued)); }));
    EXPECT_EQ(order, (Calls{"0 queued", "0 queued"}));
    const Calls first(devices.counts[0].calls.begin(), devices.counts[0].calls.begin() + 2);
    EXPECT_EQ(first, (Calls{"submit 0", "collect 1"}));
}

TEST(ExecutorQueue, saysWhichKernelsWereQueuedWhenOneFails)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    const Schedule schedule = threeKernels();
    const auto executor = loaded(devices, schedule);
    devices.counts[0].failingCall = devices.counts[0].calls.size() + 3; // the collecting
    const auto failed = executor->run({}, {});
    ASSERT_FALSE(failed);
    const std::string first = schedule.kernels[0].name;
    const std::string last = schedule.kernels[2].name;
    EXPECT_EQ(failed.error().front().message,
              format("one of 3 queued kernels, item 4, kernel {} to item 6, kernel {}: the fake device fails", first, last));
    EXPECT_NE(failed.error().front().hint.find("--guard"), std::string::npos);
    EXPECT_TRUE(executor->run({}, {})) << "nothing is left of the round that failed";
}

TEST(ExecutorQueue, namesTheOnlyOneThatWasQueued)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    const KernelPerDevice made(1);
    const auto executor = loaded(devices, made.schedule);
    devices.counts[0].failingCall = devices.counts[0].calls.size() + 1;
    const auto failed = executor->run({}, {});
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().front().message, "item 0, kernel k0 on fake0: the fake device fails");
}

// What is queued may write into memory that is given back.
TEST(ExecutorQueue, leavesNothingQueuedWhenARoundIsStopped)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    const Schedule schedule = threeKernels();
    auto executor = loaded(devices, schedule);
    devices.counts[0].failingCall = devices.counts[0].calls.size() + 2; // the third kernel
    ASSERT_FALSE(executor->run({}, {}));
    EXPECT_EQ(devices.counts[0].queued, 2U);
    executor.reset();
    EXPECT_EQ(devices.counts[0].queued, 0U);
    EXPECT_EQ(devices.counts[0].calls.back(), "collect 2");
}

TEST(ExecutorQueue, beginsARoundWithNothingQueued)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    const Schedule schedule = threeKernels();
    const auto executor = loaded(devices, schedule);
    devices.counts[0].failingCall = devices.counts[0].calls.size() + 2; // the third kernel
    ASSERT_FALSE(executor->run({}, {}));
    devices.counts[0].calls.clear();
    devices.counts[0].failingCall.reset();
    const auto result = executor->run({}, {});
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_EQ(devices.counts[0].calls.front(), "collect 2");
    EXPECT_EQ(devices.counts[0].calls[4], "collect 3");
    EXPECT_EQ(result->kernels[0].median, nanoseconds(100));
}

} // namespace
} // namespace sw
