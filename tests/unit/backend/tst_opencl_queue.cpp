// What an OpenCL device has in its queue while nothing of it can be done: a command that the test ends holds the queue.

#include "engine/backend/opencl/opencl_runtime.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace sw::test {
namespace {

using Values = std::vector<float>;

constexpr std::size_t kElements = 1024;
constexpr std::int64_t kBytes = 4 * kElements;

class OpenClQueue : public testing::Test {
protected:
    void SetUp() override
    {
        const auto devices = clDevices();
        if (!devices)
            GTEST_SKIP() << toText(devices.error());
        auto opened = openClDevice(devices->front());
        ASSERT_TRUE(opened) << toText(opened.error());
        m_device = std::move(*opened);
        m_runtime = std::make_unique<OpenClRuntime>(m_device, kAlignment, DeviceOptions());
        m_buffer = m_runtime->allocate(kBytes).value();
    }
    void TearDown() override
    {
        if (m_holding != nullptr) // a test that failed
            goOn();
    }

    void hold()
    {
        cl_int error = CL_SUCCESS;
        m_holding.reset(clCreateUserEvent(m_device->context.get(), &error));
        ASSERT_EQ(error, CL_SUCCESS);
        const cl_event holding = m_holding.get();
        cl_event barrier = nullptr;
        ASSERT_EQ(clEnqueueBarrierWithWaitList(m_device->queue.get(), 1, &holding, &barrier), CL_SUCCESS);
        m_barrier.reset(barrier);
    }
    // An error fails all that is queued behind the command.
    void goOn(cl_int status = CL_COMPLETE)
    {
        EXPECT_EQ(clSetUserEventStatus(m_holding.get(), status), CL_SUCCESS);
        m_holding.reset();
    }

    // Nobody but the runtime has the values then.
    std::weak_ptr<const Values> queueUpload(float value)
    {
        const auto values = std::make_shared<const Values>(kElements, value);
        const auto done =
            m_runtime->queueUpload({.buffer = m_buffer, .bytes = std::as_bytes(std::span(*values)), .owner = values}, {});
        EXPECT_TRUE(done) << toText(done.error());
        return values;
    }
    std::shared_ptr<Values> queueDownload()
    {
        const auto values = std::make_shared<Values>(kElements, -1.0F);
        const auto done = m_runtime->queueDownload(
            {.buffer = m_buffer, .bytes = std::as_writable_bytes(std::span(*values)), .owner = values}, {});
        EXPECT_TRUE(done) << toText(done.error());
        return values;
    }

    static constexpr std::int64_t kAlignment = 4096;
    std::shared_ptr<ClOpened> m_device;
    std::unique_ptr<OpenClRuntime> m_runtime;
    DeviceBufferId m_buffer;
    ClEvent m_holding;
    ClEvent m_barrier;
};

// One that waited would never return.
TEST_F(OpenClQueue, takesTransfersWhileItIsBusy)
{
    ASSERT_NO_FATAL_FAILURE(hold());
    const auto first = queueUpload(3);
    const std::shared_ptr<Values> read = queueDownload();
    EXPECT_FALSE(first.expired()) << "it is still to be read";
    EXPECT_EQ(*read, Values(kElements, -1)) << "nothing is written yet";
    goOn();
    const Collected collected = m_runtime->collect(kAllQueued, {}).value();
    EXPECT_TRUE(collected.errors.empty()) << toText(collected.errors);
    EXPECT_EQ(collected.results.size(), 2U);
    EXPECT_TRUE(first.expired());
    EXPECT_EQ(*read, Values(kElements, 3));
    EXPECT_EQ(read.use_count(), 1);
}

TEST_F(OpenClQueue, keepsTransfersOfOneBufferInOrder)
{
    ASSERT_NO_FATAL_FAILURE(hold());
    std::vector<std::shared_ptr<Values>> read;
    for (const float value : {3.0F, 5.0F, 7.0F}) {
        queueUpload(value);
        read.push_back(queueDownload());
    }
    goOn();
    EXPECT_EQ(m_runtime->collect(2, {}).value().results.size(), 2U);
    EXPECT_EQ(*read[0], Values(kElements, 3)) << "the others may be under way";
    EXPECT_EQ(m_runtime->collect(kAllQueued, {}).value().results.size(), 4U);
    EXPECT_EQ(*read[1], Values(kElements, 5));
    EXPECT_EQ(*read[2], Values(kElements, 7));
}

TEST_F(OpenClQueue, saysWhichTransferFailed)
{
    if (m_device->isPocl)
        GTEST_SKIP() << "PoCL 3.1 often ends the process when what waits for an event fails (pocl_update_event_finished)";
    const auto done = queueUpload(3);
    ASSERT_NO_FATAL_FAILURE(hold());
    const auto failing = queueUpload(5);
    const std::shared_ptr<Values> behind = queueDownload();
    goOn(CL_OUT_OF_RESOURCES);
    const Collected collected = m_runtime->collect(kAllQueued, {}).value();
    EXPECT_EQ(collected.results.size(), 1U);
    ASSERT_EQ(collected.errors.size(), 1U);
    EXPECT_EQ(collected.errors.front().code, Code::Run);
    EXPECT_TRUE(collected.errors.front().message.starts_with("clEnqueueWriteBuffer failed: ")) << toText(collected.errors);
    EXPECT_TRUE(done.expired());
    EXPECT_TRUE(failing.expired());
    EXPECT_EQ(behind.use_count(), 1) << "nothing is under way any more";
    const Collected nothing = m_runtime->collect(kAllQueued, {}).value();
    EXPECT_TRUE(nothing.results.empty());
    EXPECT_TRUE(nothing.errors.empty());
}

// A run that was stopped leaves them behind.
TEST_F(OpenClQueue, holdsTheMemoryOfTheHostUntilItEnds)
{
    ASSERT_NO_FATAL_FAILURE(hold());
    queueUpload(9);
    Values atTheEnd;
    Values read(kElements);
    std::shared_ptr<void> owner(&read, [&](void *) { atTheEnd = read; });
    ASSERT_TRUE(m_runtime->queueDownload(
        {.buffer = m_buffer, .bytes = std::as_writable_bytes(std::span(read)), .owner = std::move(owner)}, {}));
    EXPECT_TRUE(atTheEnd.empty());
    goOn();
    m_runtime.reset();
    EXPECT_EQ(atTheEnd, Values(kElements, 9)) << "it was given back when it was written, not before";
}

TEST_F(OpenClQueue, recordsWhenTransfersWereDone)
{
    ASSERT_TRUE(m_runtime->startRecording(WithCounters::No));
    const std::chrono::nanoseconds before = steadyNow();
    ASSERT_NO_FATAL_FAILURE(hold());
    queueUpload(3);
    queueDownload();
    goOn();
    ASSERT_TRUE(m_runtime->collect(kAllQueued, {}));
    const std::chrono::nanoseconds after = steadyNow();
    const RecordedWork work = m_runtime->takeRecorded().value();
    EXPECT_TRUE(work.launches.empty());
    ASSERT_EQ(work.transfers.size(), 2U);
    EXPECT_LE(before, work.transfers[0].begin);
    EXPECT_LE(work.transfers[0].begin, work.transfers[0].end);
    EXPECT_LE(work.transfers[0].end, work.transfers[1].begin);
    EXPECT_LE(work.transfers[1].end, after);
}

} // namespace
} // namespace sw::test
