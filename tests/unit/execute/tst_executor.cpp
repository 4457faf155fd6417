// What the executor does with a schedule: its steps in an order that the dependencies allow, in the memory that was planned, and
// what it says when one of them fails.

#include "tests/unit/execute/executor_fixture.h"

#include "engine/backend/native_backends.h"
#include "engine/types/stored_bytes.h"
#include "tests/support/temporary_folder.h"

#include <algorithm>
#include <fstream>

namespace sw {
namespace {

using Calls = std::vector<std::string>;

// Three kernels in a row; the value between the first two is dead when the third writes.
Schedule threeLayers()
{
    TensorProgram p;
    const NodeId x = p.input({64, 32});
    const NodeId weights = p.input({32, 48});
    const NodeId hidden = p.relu(p.matmul(x, weights));
    const NodeId second = p.relu(p.matmul(hidden, p.input({48, 48})));
    const NodeId out = p.matmul(second, p.input({48, 10}));
    return scheduleOf(std::move(p), {out});
}

Result<std::unique_ptr<Executor>> loaded(FakeDevices &devices, const Schedule &schedule, const std::vector<HostTensor> &values)
{
    SW_TRY(auto executor, Executor::prepare(devices.all(), programOf(schedule), values));
    SW_CHECK(executor->load({}));
    return executor;
}

// Item `to` of the new schedule is item order[to] of the old one.
Schedule reordered(Schedule schedule, const std::vector<std::uint32_t> &order)
{
    std::vector<ScheduleItem> items;
    for (const std::uint32_t item : order)
        items.push_back(schedule.items[item]);
    schedule.items = std::move(items);
    const auto placeOf = [&](std::uint32_t item) {
        return static_cast<std::uint32_t>(std::ranges::find(order, item) - order.begin());
    };
    for (Dependency &dependency : schedule.dependencies) {
        dependency.from = placeOf(dependency.from);
        dependency.to = placeOf(dependency.to);
    }
    return schedule;
}

// The bytes of a file that somebody wrote to are perhaps not those of the program.
TEST(ExecutorTest, refusesValuesOfAFileThatHasChanged)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path());
    const std::filesystem::path file = folder.path() / "weights.bin";
    std::ofstream(file) << std::string(8192, 'w');
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    std::vector<HostTensor> values = countedInputs(schedule);
    const auto stored = std::make_shared<const StoredBytes>(MappedFile::open(file).value(), 0, 8192);
    values[0] = HostTensor::stored(DType::F32, {64, 32}, stored);
    EXPECT_TRUE(loaded(devices, schedule, values));
    std::ofstream(file, std::ios::app) << "more";
    const auto refused = loaded(devices, schedule, values);
    ASSERT_FALSE(refused);
    EXPECT_NE(toText(refused.error()).find("weights.bin was written to since it was opened"), std::string::npos);
}

// A constant that is a file's in another order is read when the program is loaded.
TEST(ExecutorTest, refusesPanelsOfAFileThatHasChanged)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path());
    const std::filesystem::path file = folder.path() / "weights.bin";
    std::ofstream(file) << std::string(8192, 'w');
    const HostTensor matrix =
        HostTensor::stored(DType::F32, {64, 32}, std::make_shared<const StoredBytes>(MappedFile::open(file).value(), 0, 8192));
    const auto withPanels = [&] {
        const auto bytes = std::make_shared<const StoredBytes>(matrix, Panels{64, 32, 8, 32});
        TensorProgram p;
        const NodeId weights = p.builder.vconst(p.here, HostTensor::stored(DType::F32, {8, 32, 8}, bytes));
        const NodeId sum = p.sum(p.mul(p.input({8, 32, 8}), weights), {1});
        return scheduleOf(std::move(p), {sum});
    };
    FakeDevices devices(1);
    const Schedule early = withPanels();
    const Schedule late = withPanels();
    EXPECT_TRUE(Executor::prepare(devices.all(), programOf(early), countedInputs(early)));
    std::ofstream(file, std::ios::app) << "more";
    EXPECT_TRUE(Executor::prepare(devices.all(), programOf(early), countedInputs(early))) << "the panels are made";
    const auto refused = Executor::prepare(devices.all(), programOf(late), countedInputs(late));
    ASSERT_FALSE(refused);
    EXPECT_NE(toText(refused.error()).find("weights.bin was written to since it was opened"), std::string::npos);
}

TEST(ExecutorTest, loadsOnceRunsOftenAndFetchesOnce)
{
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    const auto executor = loaded(devices, schedule, countedInputs(schedule)).value();
    EXPECT_EQ(devices.counts[0].calls, (Calls{"upload 8192", "upload 6144", "upload 9216", "upload 1920"}));
    devices.counts[0].calls.clear();
    const ExecutionResult result = executor->run({.warmup = 1, .repeats = 1}, {}).value();
    const Calls once{"launch 0", "launch 1", "launch 2", "synchronize"};
    Calls expected = once;
    expected.insert(expected.end(), once.begin(), once.end());
    expected.emplace_back("download 2560");
    EXPECT_EQ(devices.counts[0].calls, expected);
    EXPECT_EQ(result.kernels.size(), 3U);
    EXPECT_EQ(result.kernels[2].median, std::chrono::nanoseconds(100));
    EXPECT_EQ(result.items.size(), schedule.items.size());
    EXPECT_EQ(result.outputs.front().value.shape(), (Shape{64, 10}));
}

TEST(ExecutorTest, takesOneArenaAsLargeAsPlannedAndGivesItBack)
{
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    {
        const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value();
        EXPECT_EQ(devices.counts[0].allocatedBytes, schedule.devices[0].arenaBytes);
        EXPECT_EQ(devices.counts[0].liveBuffers, schedule.buffers.size() + 1);
    }
    EXPECT_EQ(devices.counts[0].liveBuffers, 0U);
}

TEST(ExecutorTest, followsTheDependenciesAndNotTheList)
{
    FakeDevices devices(1);
    const Schedule schedule = reordered(threeLayers(), {0, 1, 2, 3, 6, 5, 4, 7, 8});
    const auto executor = loaded(devices, schedule, countedInputs(schedule)).value();
    devices.counts[0].calls.clear();
    ASSERT_TRUE(executor->run({}, {}));
    EXPECT_EQ(devices.counts[0].calls, (Calls{"launch 0", "launch 1", "launch 2", "synchronize", "download 2560"}));
}

TEST(ExecutorTest, tellsWhereTheTimeOfARunWent)
{
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value();
    const ExecutionResult result = executor->run({.warmup = 1, .repeats = 5}, {}).value();
    EXPECT_EQ(result.parts.total(), result.total.median);
    EXPECT_GT((result.parts.kernels + result.parts.launches).count(), 0);
    EXPECT_EQ(result.parts.transfers.count(), 0); // all before and after the run
    EXPECT_EQ(result.parts.host.count(), 0);
}

TEST(ExecutorTest, refusesItemsThatWaitForEachOther)
{
    FakeDevices devices(1);
    Schedule schedule = threeLayers();
    schedule.dependencies.push_back({6, 4, {}, DependencyKind::Control});
    const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule));
    ASSERT_FALSE(executor);
    EXPECT_NE(toText(executor.error()).find("wait for each other"), std::string::npos);
    EXPECT_EQ(devices.liveBuffers(), 0U);
}

TEST(ExecutorTest, namesTheStepThatFailsAndDoesNothingAfterIt)
{
    const std::string kernel = threeLayers().kernels[1].name;
    const std::vector<std::pair<std::size_t, std::string>> steps{
        {1, "item 1, upload x1 on "},
        {5, format("item 5, kernel {} on ", kernel)},
        {7, "item 7, barrier on "},
        {8, "item 8, download output on "},
    };
    for (const auto &[call, name] : steps) {
        FakeDevices devices(1);
        devices.counts[0].failingCall = call;
        const Schedule schedule = threeLayers();
        Diagnostics errors;
        {
            const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule));
            const auto result = executor ? (*executor)->run({}, {}) : executor.failure();
            ASSERT_FALSE(result) << name;
            errors = result.error();
        }
        ASSERT_EQ(errors.size(), 1U);
        EXPECT_EQ(errors[0].code, Code::Run);
        EXPECT_TRUE(errors[0].where.isKnown());
        EXPECT_EQ(errors[0].message, name + schedule.devices[0].id + ": the fake device fails");
        EXPECT_EQ(devices.counts[0].calls.size(), call + 1);
        EXPECT_EQ(devices.liveBuffers(), 0U) << name;
    }
}

TEST(ExecutorTest, saysWhichMemoryThereIsNot)
{
    FakeDevices devices(2);
    HandMade made({4, 6}, 2);
    made.plan({{MemoryTransfer{.source = HandMade::kX, .destination = HandMade::kOutput, .bytes = 96}, Phase::Run}});
    devices.counts[1].hasMemory = false;
    const auto noArena = Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule));
    ASSERT_FALSE(noArena);
    EXPECT_EQ(noArena.error().front().code, Code::Limit);
    EXPECT_EQ(noArena.error().front().message,
              "the arena of fake1, 128 bytes, cannot be allocated: the fake device has no memory; "
              "the largest in it is output: f32[4, 6]");
    EXPECT_EQ(devices.liveBuffers(), 0U); // what the first device gave was given back

    devices.counts[1].hasMemory = true;
    devices.counts[1].hasViews = false;
    EXPECT_FALSE(Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule)));
    EXPECT_EQ(devices.liveBuffers(), 0U);
}

TEST(ExecutorTest, refusesAPlanForAnotherAlignment)
{
    FakeDevices devices(1);
    Schedule schedule = threeLayers();
    schedule.devices[0].alignment = 32;
    const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule));
    ASSERT_FALSE(executor);
    EXPECT_NE(toText(executor.error()).find("multiples of 32 bytes, but fake wants them at 64"), std::string::npos);
}

TEST(ExecutorTest, copiesOnOneDeviceWithoutTheHost)
{
    for (const bool isAsynchronous : {false, true}) {
        FakeDevices devices(1);
        HandMade made({4, 6});
        const MemoryTransfer copy{.source = HandMade::kX,
                                  .destination = HandMade::kOutput,
                                  .bytes = 96,
                                  .region = {},
                                  .isAsynchronous = isAsynchronous};
        made.plan({{copy, Phase::Run}});
        const auto inputs = countedInputs(made.schedule);
        const auto executor = Executor::prepare(devices.all(), programOf(made.schedule), inputs).value();
        const ExecutionResult result = executor->run({}, {}).value();
        const Calls waiting{"upload 96", "copy 96", "synchronize", "synchronize", "download 96"};
        const Calls going{"upload 96", "copy 96", "synchronize", "download 96"}; // the barrier of the run waits for it
        EXPECT_EQ(devices.counts[0].calls, isAsynchronous ? going : waiting);
        EXPECT_TRUE(result.outputs.front().value.isIdenticalTo(inputs.front()));
    }
}

TEST(ExecutorTest, copiesBetweenDevicesAndWaitsForBoth)
{
    FakeDevices devices(2);
    HandMade made({4, 6}, 2);
    made.plan({{MemoryTransfer{.source = HandMade::kX, .destination = HandMade::kOutput, .bytes = 96}, Phase::Run}});
    const auto inputs = countedInputs(made.schedule);
    const auto executor = Executor::prepare(devices.all(), programOf(made.schedule), inputs).value();
    const ExecutionResult result = executor->run({}, {}).value();
    EXPECT_EQ(devices.counts[0].calls, (Calls{"upload 96", "download 96", "synchronize"}));
    EXPECT_EQ(devices.counts[1].calls, (Calls{"upload 96", "synchronize", "download 96"}));
    EXPECT_TRUE(result.outputs.front().value.isIdenticalTo(inputs.front()));
}

TEST(ExecutorTest, movesTensorsBetweenTheDevicesOfThisMachine)
{
    BackendRegistry registry;
    addNativeBackends(registry);
    std::vector<std::unique_ptr<OpenedDevice>> opened;
    for (const char *id : {"interpreter", "llvm", "c", "opencl"})
        if (auto device = OpenedDevice::open(registry, id, {}))
            opened.push_back(std::move(*device));
    ASSERT_GE(opened.size(), 2U);
    for (const auto &from : opened)
        for (const auto &to : opened) {
            if (from == to)
                continue;
            SCOPED_TRACE(from->info().id + " to " + to->info().id);
            HandMade made({4, 6}, 2);
            made.schedule.devices = {{.id = from->info().id, .alignment = from->info().bufferAlignment},
                                     {.id = to->info().id, .alignment = to->info().bufferAlignment}};
            made.plan({{MemoryTransfer{.source = HandMade::kX, .destination = HandMade::kOutput, .bytes = 96}, Phase::Run}});
            const auto inputs = countedInputs(made.schedule);
            const auto executor = Executor::prepare({from.get(), to.get()}, programOf(made.schedule), inputs).value();
            const ExecutionResult result = executor->run({.warmup = 1, .repeats = 2}, {}).value();
            EXPECT_TRUE(result.outputs.front().value.isIdenticalTo(inputs.front()));
        }
}

TEST(ExecutorTest, copiesRowsAtADistance)
{
    FakeDevices devices(2);
    HandMade made({4, 2}, 2);
    // Columns 1 and 2 of six.
    const StridedRegion columns{.rows = 4, .rowBytes = 8, .sourceOffset = 4, .sourceStride = 24, .destinationStride = 8};
    made.plan(
        {{MemoryTransfer{.source = HandMade::kX, .destination = HandMade::kOutput, .bytes = 32, .region = columns}, Phase::Run}});
    const auto executor = Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule)).value();
    const ExecutionResult result = executor->run({}, {}).value();
    const HostTensor &value = result.outputs.front().value;
    for (std::int64_t row = 0; row < 4; ++row) {
        EXPECT_EQ(value.at(2 * row).asDouble(), static_cast<double>(6 * row + 2));
        EXPECT_EQ(value.at(2 * row + 1).asDouble(), static_cast<double>(6 * row + 3));
    }
}

HostFunctions doubling(DType dtype = DType::F32)
{
    return {{"double", [dtype](std::span<const HostTensor> inputs) -> Result<std::vector<HostTensor>> {
                 HostTensor out(dtype, inputs[0].shape());
                 for (std::int64_t i = 0; i < out.elements(); ++i)
                     out.set(i, Scalar::of(dtype, 2 * inputs[0].at(i).asDouble()));
                 return std::vector{out};
             }}};
}

HandMade callingTheHost()
{
    HandMade made({4, 6});
    made.plan({{HostCallback{"double", {HandMade::kX}, {HandMade::kT}}, Phase::Run},
               {HostCallback{"double", {HandMade::kT}, {HandMade::kOutput}}, Phase::Run}});
    return made;
}

TEST(ExecutorTest, callsFunctionsOfTheHost)
{
    FakeDevices devices(1);
    const HandMade made = callingTheHost();
    const auto executor =
        Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule), doubling()).value();
    const ExecutionResult result = executor->run({}, {}).value();
    for (std::int64_t i = 0; i < 24; ++i)
        EXPECT_EQ(result.outputs.front().value.at(i).asDouble(), static_cast<double>(4 * (i + 1)));
}

TEST(ExecutorTest, refusesFunctionsThatNobodyGave)
{
    FakeDevices devices(1);
    const HandMade made = callingTheHost();
    const auto none = Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().size(), 2U);
    EXPECT_EQ(none.error().front().message, "item 1 calls the host's function \"double\", which there is not");
    EXPECT_EQ(devices.counts[0].allocatedBytes, 0);
}

TEST(ExecutorTest, refusesWhatAFunctionShouldNotReturn)
{
    FakeDevices devices(1);
    const HandMade made = callingTheHost();
    const auto executor =
        Executor::prepare(devices.all(), programOf(made.schedule), countedInputs(made.schedule), doubling(DType::F64)).value();
    const auto result = executor->run({}, {});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().front().message,
              "item 1, call double on fake0: the function returned f64[4, 6] for t, expected f32[4, 6]");
}

TEST(ExecutorTest, stopsBetweenSteps)
{
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    const auto executor = loaded(devices, schedule, countedInputs(schedule)).value();
    std::stop_source stop;
    stop.request_stop();
    const auto result = executor->run({}, stop.get_token());
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().front().code, Code::Cancelled);
    EXPECT_EQ(devices.counts[0].calls.size(), 4U); // the uploads
}

// A kernel of the load phase may run as long as any other.
TEST(ExecutorTest, stopsWhileItLoads)
{
    FakeDevices devices(1);
    const Schedule schedule = threeLayers();
    const auto executor = Executor::prepare(devices.all(), programOf(schedule), countedInputs(schedule)).value();
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(executor->run({}, stop.get_token()));
    EXPECT_TRUE(devices.counts[0].calls.empty());
    EXPECT_TRUE(executor->run({}, {})) << "it loads again";
}

} // namespace
} // namespace sw
