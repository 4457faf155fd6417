// Devices that queue transfers: nobody waits for a device before it is brought something, and what is fetched is waited for
// together.

#include "tests/unit/execute/executor_fixture.h"

#include <algorithm>

namespace sw {
namespace {

using Calls = std::vector<std::string>;
using std::chrono::nanoseconds;

FakeCounts queue(DeviceKind kind)
{
    FakeCounts counts;
    counts.kind = kind;
    counts.hasQueue = counts.queuesTransfers = true;
    return counts;
}

FakeCounts processor()
{
    return {};
}

// Kernels on a processor (fake0) and on a device beside it (fake1), of tensors f32[4, 6]. x is the input, on the processor.
class TwoDevices {
public:
    static constexpr BufferId kX{0U};
    static constexpr DeviceSlot kProcessor{0U};
    static constexpr DeviceSlot kBeside{1U};

    TwoDevices()
    {
        m_node = m_program.input({4, 6});
        schedule.devices = {{.id = "fake0"}, {.id = "fake1", .isBeside = true}};
        addBuffer(BufferRole::Input, "x", kProcessor);
    }
    BufferId made(DeviceSlot device) { return addMade(BufferRole::Intermediate, device); }
    BufferId output(DeviceSlot device)
    {
        schedule.outputs.push_back(addMade(BufferRole::Output, device));
        m_outputs.push_back(m_node);
        return schedule.outputs.back();
    }
    void kernel(BufferId writes, std::vector<BufferId> reads = {})
    {
        const ScheduledBuffer &written = schedule.buffer(writes);
        const std::string name = format("k{}", schedule.kernels.size());
        m_items.push_back({KernelLaunch{KernelId(schedule.kernels.size())}, Phase::Run});
        schedule.kernels.push_back({.name = name,
                                    .symbol = name,
                                    .root = written.node,
                                    .members = {},
                                    .results = {},
                                    .reads = std::move(reads),
                                    .writes = {writes},
                                    .estimate = {},
                                    .origin = written.origin,
                                    .device = written.device});
    }
    void copy(BufferId from, BufferId to)
    {
        m_items.push_back({MemoryTransfer{.source = from, .destination = to, .bytes = 96}, Phase::Run});
    }
    const Schedule &plan()
    {
        schedule.graph = std::make_shared<const Graph>(std::move(m_program).finish(m_outputs));
        EXPECT_TRUE(planSteps(schedule, m_items, {}));
        return schedule;
    }

    Schedule schedule;

private:
    BufferId addMade(BufferRole role, DeviceSlot device)
    {
        m_node = m_program.relu(m_node);
        return addBuffer(role, format("t{}", schedule.buffers.size()), device);
    }
    BufferId addBuffer(BufferRole role, std::string name, DeviceSlot device)
    {
        schedule.buffers.push_back({.role = role,
                                    .shape = {4, 6},
                                    .node = m_node,
                                    .name = std::move(name),
                                    .origin = originOfLine(1),
                                    .device = device});
        return BufferId(schedule.buffers.size() - 1);
    }

    TensorProgram m_program;
    NodeId m_node;
    std::vector<NodeId> m_outputs;
    std::vector<ScheduleItem> m_items;
};

std::unique_ptr<Executor> loaded(const FakeDevices &devices, const Schedule &schedule)
{
    auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value();
    EXPECT_TRUE(executor->load({}));
    return executor;
}

// The device beside the processor computes something, is brought x meanwhile, and computes with it.
TwoDevices fedWhileBusy()
{
    TwoDevices made;
    made.kernel(made.output(TwoDevices::kBeside));
    const BufferId brought = made.made(TwoDevices::kBeside);
    made.copy(TwoDevices::kX, brought);
    made.kernel(made.output(TwoDevices::kBeside), {brought});
    made.plan();
    return made;
}

std::uint32_t itemOfCopy(const Schedule &schedule)
{
    const auto isCopy = [](const ScheduleItem &item) {
        const auto *transfer = std::get_if<MemoryTransfer>(&item.work);
        return transfer != nullptr && transfer->source.isValid() && transfer->destination.isValid();
    };
    return static_cast<std::uint32_t>(std::ranges::find_if(schedule.items, isCopy) - schedule.items.begin());
}

TEST(ExecutorTransfers, areWaitedForTogetherWhenAProgramIsLoaded)
{
    FakeDevices devices({queue(DeviceKind::Gpu)});
    TensorProgram p;
    const NodeId hidden = p.relu(p.matmul(p.input({8, 8}), p.input({8, 8})));
    const Schedule schedule = scheduleOf(std::move(p), {hidden});
    const auto executor = loaded(devices, schedule);
    EXPECT_EQ(devices.counts[0].calls, (Calls{"queue upload 256", "queue upload 256", "collect 2"}));
    devices.counts[0].calls.clear();
    const ExecutionResult result = executor->run({}, {}).value();
    EXPECT_EQ(devices.counts[0].calls, (Calls{"submit 0", "collect 1", "synchronize", "queue download 256", "collect 1"}));
    EXPECT_GE(result.items.front().median, nanoseconds(7)) << "what it took to have the bytes, and to move them";
    EXPECT_EQ(result.items.back().median, nanoseconds(7)) << "the device's time, not that of handing it over";
}

TEST(ExecutorTransfers, bringDataToADeviceThatIsBusy)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = fedWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    devices.counts[0].calls.clear();
    const ExecutionResult result = executor->run({}, {}).value();
    EXPECT_EQ(devices.counts[0].calls, (Calls{"download 96", "synchronize"}));
    EXPECT_EQ(devices.counts[1].calls, (Calls{"submit 0", "queue upload 96", "submit 1", "collect 3", "synchronize",
                                              "queue download 96", "queue download 96", "collect 2"}));
    EXPECT_EQ(result.kernels[0].median, nanoseconds(100));
    EXPECT_EQ(result.kernels[1].median, nanoseconds(300));
    EXPECT_GE(result.items[itemOfCopy(made.schedule)].median, nanoseconds(7));
    EXPECT_EQ(result.parts.total(), result.total.median);
}

TEST(ExecutorTransfers, haveMovedTheirBytesForWhoeverAsks)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = fedWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    const BufferId brought = std::get<MemoryTransfer>(made.schedule.items[itemOfCopy(made.schedule)].work).destination;
    const auto kept = executor->runAndKeep({&brought, 1}, {});
    ASSERT_TRUE(kept) << toText(kept.error());
    ASSERT_TRUE(kept->front());
    EXPECT_TRUE(kept->front()->isIdenticalTo(countedInputs(made.schedule).front()));
}

// place: of the copy between the two devices in the queue of the second one.
void expectNamedCopy(FakeDevices &devices, Executor &executor, const Schedule &schedule, std::size_t place)
{
    devices.counts[1].failingPlace = place;
    const auto failed = executor.run({}, {});
    ASSERT_FALSE(failed);
    const std::uint32_t copy = itemOfCopy(schedule);
    EXPECT_EQ(failed.error().front().message,
              format("item {}, {} on fake0, fake1: the fake device fails", copy, titleOf(schedule, schedule.items[copy])));
}

TEST(ExecutorTransfers, areNamedWhenTheyFail)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = fedWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    expectNamedCopy(devices, *executor, made.schedule, 1);
    const std::uint32_t copy = itemOfCopy(made.schedule);
    devices.counts[1].failingPlace = 2;
    const auto alsoFailed = executor->run({}, {});
    ASSERT_FALSE(alsoFailed);
    EXPECT_EQ(alsoFailed.error().front().message,
              format("one of 2 queued kernels, item 1, kernel k0 to item {}, kernel k1: the fake device fails", copy + 1));
    devices.counts[1].failingPlace.reset();
    EXPECT_TRUE(executor->run({}, {})) << "nothing is left of the rounds that failed";
}

TEST(ExecutorTransfers, areToldAmongOthersWhenTheirProcessEnds)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = fedWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    devices.counts[1].failingCall = devices.counts[1].calls.size() + 3; // the collecting
    const auto failed = executor->run({}, {});
    ASSERT_FALSE(failed);
    EXPECT_TRUE(failed.error().front().message.starts_with("one of 3 queued kernels and transfers, item 1, kernel k0 to item "))
        << toText(failed.error());
}

// What is under way may read memory of the host that a run gives back.
TEST(ExecutorTransfers, holdWhatTheyReadWhenARunFails)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = fedWhileBusy();
    auto executor = loaded(devices, made.schedule);
    devices.counts[1].failingCall = devices.counts[1].calls.size() + 2; // the second kernel
    ASSERT_FALSE(executor->run({}, {}));
    const auto isGone = [](const std::weak_ptr<const void> &owner) { return owner.expired(); };
    ASSERT_EQ(devices.counts[1].owners.size(), 1U);
    EXPECT_FALSE(isGone(devices.counts[1].owners.front()));
    executor.reset();
    EXPECT_EQ(devices.counts[1].calls.back(), "collect 2");
    EXPECT_EQ(devices.counts[1].queued, 0U);
    EXPECT_TRUE(isGone(devices.counts[1].owners.front()));
}

// Each row would be a transfer of its own.
TEST(ExecutorTransfers, waitWhenTheyWriteRowsApart)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    TwoDevices made = fedWhileBusy();
    auto &transfer = std::get<MemoryTransfer>(made.schedule.items[itemOfCopy(made.schedule)].work);
    transfer.bytes = 16;
    transfer.region = StridedRegion{.rows = 2, .rowBytes = 8, .sourceStride = 8, .destinationStride = 48};
    const auto executor = loaded(devices, made.schedule);
    ASSERT_TRUE(executor->run({}, {}));
    const Calls begin(devices.counts[1].calls.begin(), devices.counts[1].calls.begin() + 5);
    EXPECT_EQ(begin, (Calls{"submit 0", "collect 1", "upload 8", "upload 8", "submit 1"}));
}

// The device beside the processor computes what the processor needs, and then something else.
TwoDevices readWhileBusy()
{
    TwoDevices made;
    const BufferId needed = made.made(TwoDevices::kBeside);
    made.kernel(needed);
    made.kernel(made.output(TwoDevices::kBeside));
    const BufferId read = made.made(TwoDevices::kProcessor);
    made.copy(needed, read);
    made.kernel(made.output(TwoDevices::kProcessor), {read});
    made.plan();
    return made;
}

TEST(ExecutorTransfers, readWhatIsNeededBesideWhatTheDeviceGoesOnWith)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = readWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    devices.counts[0].calls.clear();
    std::vector<std::size_t> left; // in the device's queue, when a kernel is done
    const ExecutionResult result =
        executor->run({}, {}, [&](std::uint64_t, std::uint64_t) { left.push_back(devices.counts[1].queued); }).value();
    EXPECT_EQ(devices.counts[1].calls, (Calls{"submit 0", "queue download 96", "submit 1", "collect 2 of 3", "collect 1",
                                              "synchronize", "queue download 96", "collect 1"}));
    EXPECT_EQ(devices.counts[0].calls, (Calls{"upload 96", "launch 2", "synchronize", "download 96"}));
    EXPECT_EQ(left, (std::vector<std::size_t>{1, 1, 0})) << "the processor's kernel ran while the other one was queued";
    EXPECT_GE(result.items[itemOfCopy(made.schedule)].median, nanoseconds(7));
    EXPECT_EQ(result.parts.total(), result.total.median);
}

TEST(ExecutorTransfers, handOnWhatWasReadBeforeItsTurn)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    TwoDevices made;
    const BufferId brought = made.made(TwoDevices::kBeside);
    made.copy(TwoDevices::kX, brought);
    const BufferId back = made.made(TwoDevices::kProcessor);
    made.copy(brought, back);
    made.kernel(made.output(TwoDevices::kProcessor), {back});
    made.plan();
    const auto executor = loaded(devices, made.schedule);
    const auto kept = executor->runAndKeep({&back, 1}, {});
    ASSERT_TRUE(kept) << toText(kept.error());
    EXPECT_EQ(devices.counts[1].calls, (Calls{"queue upload 96", "queue download 96", "collect 2"}));
    ASSERT_TRUE(kept->front());
    EXPECT_TRUE(kept->front()->isIdenticalTo(countedInputs(made.schedule).front()));
}

TEST(ExecutorTransfers, areNamedWhenTheirReadingFails)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = readWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    expectNamedCopy(devices, *executor, made.schedule, 1);
}

TEST(ExecutorTransfers, areReadAnewAfterARoundThatFailed)
{
    FakeDevices devices({processor(), queue(DeviceKind::Gpu)});
    const TwoDevices made = readWhileBusy();
    const auto executor = loaded(devices, made.schedule);
    devices.counts[1].failingCall = devices.counts[1].calls.size() + 2; // the second kernel
    ASSERT_FALSE(executor->run({}, {}));
    devices.counts[1].failingCall.reset();
    devices.counts[1].calls.clear();
    ASSERT_TRUE(executor->run({}, {}));
    const Calls begin(devices.counts[1].calls.begin(), devices.counts[1].calls.begin() + 5);
    EXPECT_EQ(begin, (Calls{"collect 2", "submit 0", "queue download 96", "submit 1", "collect 2 of 3"}));
}

} // namespace
} // namespace sw
