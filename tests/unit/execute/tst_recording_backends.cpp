// Backends that write down what is asked of them: nothing unless somebody asked, everything in order, and no other results.

#include "engine/execute/recording_backends.h"

#include "engine/execute/opened_device.h"
#include "tests/unit/execute/fake_backend.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

namespace sw {
namespace {

class RecordingBackends : public testing::Test {
protected:
    RecordingBackends()
    {
        m_counts.hasFaults = false;
        m_inner.add(std::make_unique<FakeBackend>(m_counts));
        addRecordingBackends(m_registry, m_inner, m_log);
    }
    std::unique_ptr<OpenedDevice> opened() { return OpenedDevice::open(m_registry, "fake", {}).value(); }
    static std::vector<CallKind> kindsOf(const RecordedCalls &recorded)
    {
        std::vector<CallKind> kinds;
        for (const RecordedCall &call : recorded.calls)
            kinds.push_back(call.kind);
        return kinds;
    }

    FakeCounts m_counts;
    BackendRegistry m_inner;
    CallLog m_log;
    BackendRegistry m_registry;
};

TEST_F(RecordingBackends, writeDownWhatIsAskedOfThem)
{
    ASSERT_TRUE(m_log.start(WithCounters::No));
    const auto device = opened();
    const RenderedSource source{KernelId(0U), "k0", TargetLanguage::C, "text", {}};
    ASSERT_TRUE(device->compile({&source, 1}, {}));
    ASSERT_TRUE(device->finishCompiling({}));
    Runtime &runtime = device->runtime();
    const DeviceBufferId whole = runtime.allocate(64).value();
    const DeviceBufferId part = runtime.view(whole, 0, 16).value();
    std::array<std::byte, 16> bytes{};
    ASSERT_TRUE(runtime.upload(part, 0, bytes));
    ASSERT_TRUE(runtime.launch({.artifact = ArtifactId(0U), .buffers = {&part, 1}}, {}));
    ASSERT_TRUE(runtime.copy({.from = whole, .to = part, .bytes = 8}));
    ASSERT_TRUE(runtime.synchronize());
    ASSERT_TRUE(runtime.download(part, 0, bytes));
    const RecordedCalls recorded = m_log.take().value();
    EXPECT_EQ(kindsOf(recorded),
              (std::vector{CallKind::Open, CallKind::Compile, CallKind::Finish, CallKind::Allocate, CallKind::Upload,
                           CallKind::Launch, CallKind::Copy, CallKind::Synchronize, CallKind::Download}));
    std::chrono::nanoseconds last{0};
    for (const RecordedCall &call : recorded.calls) {
        EXPECT_GE(call.begin, last);
        EXPECT_GE(call.end, call.begin);
        EXPECT_EQ(call.device, 0U);
        last = call.end;
    }
    EXPECT_EQ(recorded.calls[4].bytes, 16);
    EXPECT_EQ(recorded.calls[4].buffer, part);
    EXPECT_EQ(recorded.calls[5].onDevice, std::chrono::nanoseconds(100));
    ASSERT_EQ(recorded.devices.size(), 1U);
    EXPECT_EQ(recorded.devices[0].id, "fake");
    EXPECT_EQ(recorded.devices[0].allocated, std::vector{whole});
    EXPECT_EQ(recorded.devices[0].views, std::vector{part});
    EXPECT_EQ(m_counts.calls, (std::vector<std::string>{"upload 16", "launch 0", "copy 8", "synchronize", "download 16"}))
        << "every call is passed on";
}

TEST_F(RecordingBackends, tellWhatWasOnlyQueued)
{
    m_counts.hasQueue = m_counts.queuesTransfers = true;
    ASSERT_TRUE(m_log.start(WithCounters::No));
    const auto device = opened();
    Runtime &runtime = device->runtime();
    EXPECT_TRUE(runtime.queuesUploads());
    EXPECT_TRUE(runtime.queuesDownloads());
    const DeviceBufferId buffer = runtime.allocate(64).value();
    const auto bytes = std::make_shared<std::array<std::byte, 16>>();
    ASSERT_TRUE(runtime.queueUpload({.buffer = buffer, .bytes = *bytes, .owner = bytes}, {}));
    ASSERT_TRUE(runtime.queueDownload({.buffer = buffer, .offset = 8, .bytes = *bytes, .owner = bytes}, {}));
    m_counts.failingCall = m_counts.calls.size();
    EXPECT_FALSE(runtime.queueUpload({.buffer = buffer, .bytes = *bytes, .owner = bytes}, {}));
    EXPECT_EQ(runtime.collect(1, {}).value().results.size(), 1U);
    EXPECT_EQ(runtime.collect(kAllQueued, {}).value().results.size(), 1U);
    EXPECT_TRUE(runtime.collect(kAllQueued, {}).value().results.empty());
    const RecordedCalls recorded = m_log.take().value();
    EXPECT_EQ(kindsOf(recorded), (std::vector{CallKind::Open, CallKind::Allocate, CallKind::Upload, CallKind::Download,
                                              CallKind::Upload, CallKind::Synchronize, CallKind::Synchronize}))
        << "there was nothing to wait for in the end";
    EXPECT_TRUE(recorded.calls[2].isQueued);
    EXPECT_TRUE(recorded.calls[3].isQueued);
    EXPECT_FALSE(recorded.calls[4].isQueued) << "it failed";
    EXPECT_EQ(recorded.calls[3].bytes, 16);
    EXPECT_EQ(recorded.calls[3].buffer, buffer);
    EXPECT_EQ(m_counts.calls, (std::vector<std::string>{"queue upload 16", "queue download 16", "queue upload 16",
                                                        "collect 1 of 2", "collect 1", "collect 0"}));
}

TEST_F(RecordingBackends, recordNothingUnasked)
{
    const auto device = opened();
    ASSERT_TRUE(device->runtime().allocate(64));
    ASSERT_TRUE(m_log.start(WithCounters::No));
    ASSERT_TRUE(device->runtime().synchronize());
    const RecordedCalls recorded = m_log.take().value();
    EXPECT_EQ(kindsOf(recorded), std::vector{CallKind::Synchronize});
    EXPECT_TRUE(recorded.devices.at(0).allocated.empty());
    ASSERT_TRUE(device->runtime().synchronize());
    EXPECT_TRUE(m_log.take()->calls.empty());
}

TEST_F(RecordingBackends, passFailuresOn)
{
    ASSERT_TRUE(m_log.start(WithCounters::No));
    const auto device = opened();
    m_counts.failingCall = 0;
    const auto failed = device->runtime().synchronize();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().front().message, "the fake device fails");
    m_counts.hasMemory = false;
    EXPECT_FALSE(device->runtime().allocate(8));
    const RecordedCalls recorded = m_log.take().value();
    EXPECT_EQ(kindsOf(recorded), (std::vector{CallKind::Open, CallKind::Synchronize, CallKind::Allocate}));
    EXPECT_TRUE(recorded.devices.at(0).allocated.empty());
}

TEST_F(RecordingBackends, outliveTheirDevices)
{
    ASSERT_TRUE(m_log.start(WithCounters::No));
    {
        const auto device = opened();
        ASSERT_TRUE(device->runtime().synchronize());
    }
    const auto second = opened();
    ASSERT_TRUE(second->runtime().synchronize());
    const RecordedCalls recorded = m_log.take().value();
    ASSERT_EQ(recorded.devices.size(), 2U);
    EXPECT_EQ(recorded.calls.back().device, 1U);
}

} // namespace
} // namespace sw
