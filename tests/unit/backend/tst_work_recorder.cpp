// When threads work and what their counters count: on this machine's runtime with counters of our own, and through a host.

#include "engine/backend/cpu/cpu_runtime.h"
#include "engine/backend/cpu/perf_counters.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cerrno>
#include <set>

namespace sw {
namespace {

using Nanoseconds = std::chrono::nanoseconds;

// Counts its own readings: every piece of work lasts one. Two of its events take turns and were counted half of the time; the
// last one does not exist.
class FakeCounters final : public ThreadCounters {
public:
    explicit FakeCounters(std::atomic<int> &readingsOfAll) : m_readingsOfAll(readingsOfAll) {}

    HardwareCounts read() override
    {
        ++m_readings;
        ++m_readingsOfAll;
        HardwareCounts counts;
        for (std::size_t i = 0; i + 1 < kHardwareEvents; ++i)
            counts.events[i] = {100 * (i + 1) * m_readings, 1000 * m_readings, (i < 2 ? 1000U : 500U) * m_readings};
        return counts;
    }

private:
    std::atomic<int> &m_readingsOfAll;
    std::uint64_t m_readings = 0;
};

class FakeSource final : public CounterSource {
public:
    Result<std::unique_ptr<ThreadCounters>> open() override
    {
        if (isForbidden)
            return Diagnostic::error(Code::DeviceUnavailable, {}, "nobody may count here");
        ++opened;
        return std::unique_ptr<ThreadCounters>(std::make_unique<FakeCounters>(readings));
    }
    bool isForbidden = false;
    int opened = 0;
    std::atomic<int> readings = 0;
};

void countItems(void *const *arguments, std::int64_t begin, std::int64_t end, std::int64_t, std::int64_t, std::int64_t *)
{
    auto *items = static_cast<std::int32_t *>(arguments[0]);
    for (std::int64_t i = begin; i < end; ++i)
        ++items[i];
}

class WorkRecording : public testing::Test {
protected:
    static constexpr std::int64_t kItems = 1 << 16;

    WorkRecording()
    {
        m_kernel = m_kernels->add({.run = countItems, .indexChecks = {}, .code = nullptr});
        m_buffer = m_runtime.allocate(kItems * 4).value();
    }
    void launch(std::int64_t items = kItems)
    {
        const LaunchRequest request{.artifact = m_kernel, .buffers = {&m_buffer, 1}, .globalSize = {items, 1, 1}};
        ASSERT_TRUE(m_runtime.launch(request, {}));
    }

    std::shared_ptr<KernelTable> m_kernels = std::make_shared<KernelTable>();
    std::shared_ptr<FakeSource> m_source = std::make_shared<FakeSource>();
    CpuRuntime m_runtime{m_kernels, 3, {}, m_source};
    ArtifactId m_kernel;
    DeviceBufferId m_buffer;
};

TEST_F(WorkRecording, nothingIsRecordedUnasked)
{
    launch();
    EXPECT_TRUE(m_runtime.takeRecorded()->launches.empty());
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::No));
    launch();
    EXPECT_EQ(m_runtime.takeRecorded()->launches.size(), 1U);
    launch();
    EXPECT_TRUE(m_runtime.takeRecorded()->launches.empty()) << "taking what was recorded ends the recording";
    EXPECT_EQ(m_source->opened, 0) << "nobody asked for counters";
}

TEST_F(WorkRecording, threadsWorkWithinTheirLaunch)
{
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::No));
    const Nanoseconds before = steadyNow();
    launch();
    launch();
    const Nanoseconds after = steadyNow();
    const RecordedWork work = m_runtime.takeRecorded().value();
    ASSERT_EQ(work.launches.size(), 2U);
    EXPECT_GE(work.launches[1].begin, work.launches[0].end);
    for (const RecordedLaunch &one : work.launches) {
        EXPECT_GE(one.begin, before);
        EXPECT_LE(one.end, after);
        ASSERT_FALSE(one.threads.empty());
        for (const WorkSpan &span : one.threads) {
            EXPECT_LT(span.thread, 3U);
            EXPECT_LE(one.begin, span.begin);
            EXPECT_LE(span.begin, span.end);
            EXPECT_LE(span.end, one.end);
        }
        EXPECT_TRUE(one.counts.isEmpty());
    }
}

TEST_F(WorkRecording, aLaunchWithoutWorkItemsHasNoThreads)
{
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::No));
    launch(0);
    const RecordedWork work = m_runtime.takeRecorded().value();
    ASSERT_EQ(work.launches.size(), 1U) << "launches and their records stay in step";
    EXPECT_TRUE(work.launches.front().threads.empty());
}

TEST_F(WorkRecording, countsOfAllThreadsAreAddedAndScaled)
{
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::Yes));
    launch();
    const RecordedWork work = m_runtime.takeRecorded().value();
    EXPECT_EQ(work.noCounters, "");
    const RecordedLaunch &one = work.launches.at(0);
    EXPECT_GE(m_source->opened, static_cast<int>(one.threads.size()));
    const double parts = m_source->readings / 2.0; // of a thread's own share, and of those that it helped with
    EXPECT_GE(parts, static_cast<double>(one.threads.size()));
    EXPECT_DOUBLE_EQ(one.counts.of(HardwareEvent::Cycles).scaled(), 100 * parts);
    EXPECT_DOUBLE_EQ(one.counts.of(HardwareEvent::Instructions).scaled(), 200 * parts);
    EXPECT_DOUBLE_EQ(one.counts.of(HardwareEvent::L1Misses).scaled(), 600 * parts) << "counted half of the time";
    EXPECT_DOUBLE_EQ(one.counts.of(HardwareEvent::L1Misses).part(), 0.5);
    EXPECT_FALSE(one.counts.of(HardwareEvent::BranchMisses).isCounted());
}

TEST_F(WorkRecording, aThreadThatHelpsOthersIsToldOnce)
{
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::No));
    for (int i = 0; i < 200; ++i)
        launch();
    const RecordedWork work = m_runtime.takeRecorded().value();
    for (const RecordedLaunch &one : work.launches) {
        std::set<std::uint32_t> threads;
        for (const WorkSpan &span : one.threads)
            EXPECT_TRUE(threads.insert(span.thread).second);
    }
}

TEST_F(WorkRecording, aRefusalIsTold)
{
    m_source->isForbidden = true;
    ASSERT_TRUE(m_runtime.startRecording(WithCounters::Yes));
    launch();
    const RecordedWork work = m_runtime.takeRecorded().value();
    EXPECT_EQ(work.noCounters, "nobody may count here");
    ASSERT_EQ(work.launches.size(), 1U) << "the times are recorded all the same";
    EXPECT_FALSE(work.launches.front().threads.empty());
    EXPECT_TRUE(work.launches.front().counts.isEmpty());
}

TEST(HardwareCounters, nothingCountedIsNoNumber)
{
    const HardwareCount never{5, 1000, 0};
    EXPECT_FALSE(never.isCounted());
    EXPECT_EQ(never.scaled(), 0);
    HardwareCounts counts;
    EXPECT_TRUE(counts.isEmpty());
    counts.events[0] = {5, 10, 10};
    EXPECT_FALSE(counts.isEmpty());
    for (std::size_t i = 0; i < kHardwareEvents; ++i)
        EXPECT_EQ(hardwareEvents()[i].event, static_cast<HardwareEvent>(i)) << "a row for each, in their order";
}

TEST(HardwareCounters, saysWhyThereAreNone)
{
    const auto says = [](const CounterRefusal &refusal, std::string_view part) {
        const std::string text = whyNoCounters(refusal);
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    says({.error = EACCES, .paranoid = 4}, "perf_event_paranoid is 4, and 2 or less");
    says({.error = EPERM, .paranoid = 2}, "although kernel.perf_event_paranoid is 2: a container");
    says({.error = ENOENT, .paranoid = 2, .hasUnit = false, .isVirtual = true}, "virtual machine");
    says({.error = ENOENT, .paranoid = 2, .hasUnit = false}, "no counters of this processor");
    says({.error = ENOSYS}, "this kernel has no hardware counters");
    says({.error = EACCES}, "this kernel has no hardware counters");
    says({.error = EMFILE, .paranoid = 2}, "opens no counters: ");
}

// Whatever machine this is, it counts or says why it does not.
TEST(HardwareCounters, thisMachineCountsOrSaysWhyNot)
{
    const auto opened = machineCounters()->open();
    if (!opened) {
        EXPECT_FALSE(opened.error().front().message.empty());
        return;
    }
    const HardwareCounts before = (*opened)->read();
    volatile double sum = 0;
    for (int i = 0; i < 1'000'000; ++i)
        sum = sum + 1.0;
    const HardwareCounts counts = countsBetween(before, (*opened)->read());
    if (counts.of(HardwareEvent::Instructions).isCounted()) {
        EXPECT_GT(counts.of(HardwareEvent::Instructions).scaled(), 1e6);
    }
}

} // namespace
} // namespace sw
