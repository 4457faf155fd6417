// Transfers that are handed over one after another, in this process and in a host: each has its turn among the kernels, and
// memory of the host is held as long as somebody needs it.

#include "engine/backend/host/host_messages.h"
#include "engine/backend/host/hosted_backend.h"
#include "tests/unit/backend/backend_fixture.h"

#include <array>
#include <numeric>

namespace sw::test {
namespace {

constexpr std::int64_t kElements = 256;
constexpr std::int64_t kBytes = kElements * 4;

using Values = std::vector<float>;

class TransferringDevice {
public:
    // Without a device: the reason is in missing.
    TransferringDevice(const std::string &id, bool isHosted, const DeviceOptions &options = {})
    {
        if (isHosted)
            addHostedBackends(m_registry, STEPWELL_HOST_PROGRAM);
        else
            addNativeBackends(m_registry);
        m_backend = m_registry.find(id);
        SW_ASSERT(m_backend != nullptr, "a backend named " + id);
        const auto devices = m_backend->probe();
        if (!devices) {
            missing = toText(devices.error());
            return;
        }
        m_device = devices->front();
        Backend::Opened opened = m_backend->open(m_device, options).value();
        m_compiler = std::move(opened.compiler);
        runtime = std::move(opened.runtime);
    }
    ~TransferringDevice() { runtime.reset(); }
    TransferringDevice(const TransferringDevice &) = delete;
    TransferringDevice &operator=(const TransferringDevice &) = delete;

    ArtifactId compiled(const LoweredKernel &kernel)
    {
        const RenderedSource source = m_backend->renderer().render(kernel, m_device).value();
        return std::move(m_compiler->compile({&source, 1}, {}).front()).value().id;
    }

    std::string missing;
    std::unique_ptr<Runtime> runtime;

private:
    BackendRegistry m_registry;
    Backend *m_backend = nullptr;
    DeviceInfo m_device;
    std::unique_ptr<Compiler> m_compiler; // outlives the runtime
};

class QueuedTransfers : public testing::TestWithParam<bool> {
protected:
    void SetUp() override
    {
        m_opened = std::make_unique<TransferringDevice>("opencl", GetParam());
        if (!m_opened->missing.empty())
            GTEST_SKIP() << m_opened->missing;
    }

    Runtime &runtime() { return *m_opened->runtime; }
    DeviceBufferId buffer() { return runtime().allocate(kBytes).value(); }

    // Nobody but the runtime has the values then.
    std::weak_ptr<const Values> queueUpload(DeviceBufferId buffer, float value)
    {
        const auto values = std::make_shared<const Values>(kElements, value);
        const auto done =
            runtime().queueUpload({.buffer = buffer, .bytes = std::as_bytes(std::span(*values)), .owner = values}, {});
        EXPECT_TRUE(done) << toText(done.error());
        return values;
    }

    std::shared_ptr<Values> queueDownload(DeviceBufferId buffer)
    {
        const auto values = std::make_shared<Values>(kElements);
        const std::span<std::byte> bytes = std::as_writable_bytes(std::span(*values));
        if (!runtime().queuesDownloads()) {
            EXPECT_TRUE(runtime().download(buffer, 0, bytes));
            return values;
        }
        const auto done = runtime().queueDownload({.buffer = buffer, .bytes = bytes, .owner = values}, {});
        EXPECT_TRUE(done) << toText(done.error());
        ++m_downloads;
        return values;
    }

    std::vector<LaunchResult> collected()
    {
        const auto taken = runtime().collect(kAllQueued, {});
        if (!taken) {
            ADD_FAILURE() << toText(taken.error());
            return {};
        }
        EXPECT_TRUE(taken->errors.empty()) << toText(taken->errors);
        return taken->results;
    }

    std::unique_ptr<TransferringDevice> m_opened;
    std::size_t m_downloads = 0; // that are queued
};

TEST_P(QueuedTransfers, haveTheirTurnAmongTheKernels)
{
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
    const ArtifactId artifact = m_opened->compiled(kernel);
    const std::array<DeviceBufferId, 3> buffers{buffer(), buffer(), buffer()};
    const auto one = queueUpload(buffers[1], 1);
    std::vector<std::weak_ptr<const Values>> given;
    std::vector<std::shared_ptr<Values>> sums;
    for (const float value : {1.0F, 5.0F, 7.0F}) {
        given.push_back(queueUpload(buffers[0], value));
        const auto launched = runtime().submit({artifact, buffers, kernel.globalSize, kernel.localSize}, {});
        ASSERT_TRUE(launched) << toText(launched.error());
        EXPECT_FALSE(*launched);
        sums.push_back(queueDownload(buffers[2]));
    }
    EXPECT_EQ(collected().size(), 1 + 3 + 3 + m_downloads);
    EXPECT_EQ(*sums[0], Values(kElements, 2));
    EXPECT_EQ(*sums[1], Values(kElements, 6));
    EXPECT_EQ(*sums[2], Values(kElements, 8));
    for (const std::weak_ptr<const Values> &values : given)
        EXPECT_TRUE(values.expired()) << "they are in the device's memory";
    EXPECT_TRUE(collected().empty());
}

TEST_P(QueuedTransfers, writeParts)
{
    const DeviceBufferId target = buffer();
    const auto values = std::make_shared<const Values>(Values{3, 4});
    ASSERT_TRUE(
        runtime().queueUpload({.buffer = target, .offset = 8, .bytes = std::as_bytes(std::span(*values)), .owner = values}, {}));
    Values expected(kElements);
    expected[2] = 3;
    expected[3] = 4;
    const std::shared_ptr<Values> read = queueDownload(target);
    collected();
    EXPECT_EQ(*read, expected);
}

// More than the memory that two processes share.
TEST_P(QueuedTransfers, mayBeLarge)
{
    const std::size_t bytes = kStagingBytes + 4096;
    const auto values = std::make_shared<std::vector<std::uint32_t>>(bytes / 4);
    std::iota(values->begin(), values->end(), 7U);
    const std::vector<std::uint32_t> expected = *values;
    const DeviceBufferId target = runtime().allocate(static_cast<std::int64_t>(bytes)).value();
    ASSERT_TRUE(runtime().queueUpload({.buffer = target, .bytes = std::as_bytes(std::span(*values)), .owner = values}, {}));
    EXPECT_EQ(collected().size(), 1U) << "it is one transfer";
    std::vector<std::uint32_t> read(bytes / 4);
    ASSERT_TRUE(runtime().download(target, 0, std::as_writable_bytes(std::span(read))));
    EXPECT_EQ(read, expected);
}

TEST_P(QueuedTransfers, mayBeEmpty)
{
    const auto nothing = std::make_shared<const Values>();
    ASSERT_TRUE(runtime().queueUpload({.buffer = buffer(), .bytes = {}, .owner = nothing}, {}));
    const std::vector<LaunchResult> results = collected();
    ASSERT_EQ(results.size(), 1U);
    EXPECT_EQ(results[0].time.count(), 0);
    EXPECT_EQ(nothing.use_count(), 1);
}

TEST_P(QueuedTransfers, stayInsideOfTheirBuffers)
{
    const auto values = std::make_shared<const Values>(kElements, 1.0F);
    const auto failed =
        runtime().queueUpload({.buffer = buffer(), .offset = 4, .bytes = std::as_bytes(std::span(*values)), .owner = values}, {});
    ASSERT_FALSE(failed);
    EXPECT_NE(toText(failed.error()).find("1024 bytes at 4 do not fit into a device buffer of 1024 bytes"), std::string::npos);
    EXPECT_EQ(values.use_count(), 1);
    EXPECT_TRUE(collected().empty());
}

// Those that the runtime still has are done, not dropped.
TEST_P(QueuedTransfers, endWithTheirDevice)
{
    const DeviceBufferId target = buffer();
    const auto given = queueUpload(target, 3);
    const std::shared_ptr<Values> read = queueDownload(target);
    m_opened->runtime.reset();
    EXPECT_TRUE(given.expired());
    EXPECT_EQ(*read, Values(kElements, 3));
    EXPECT_EQ(read.use_count(), 1);
}

INSTANTIATE_TEST_SUITE_P(, QueuedTransfers, testing::Bool(),
                         [](const auto &one) { return std::string(one.param ? "hosted" : "here"); });

// With guards everything is looked at after each kernel. Nor is there a queue in front of a processor.
TEST(UnqueuedTransfers, areThoseOfGuardedDevicesAndProcessors)
{
    for (const bool isHosted : {false, true})
        for (const std::string id : {"interpreter", "llvm", "c", "opencl"}) {
            SCOPED_TRACE(id + (isHosted ? " in a host" : ""));
            const TransferringDevice guarded(id, isHosted, {.guardBuffers = true});
            const TransferringDevice opened(id, isHosted);
            if (!opened.missing.empty())
                continue;
            EXPECT_FALSE(guarded.runtime->queuesUploads());
            EXPECT_FALSE(guarded.runtime->queuesDownloads());
            EXPECT_EQ(opened.runtime->queuesUploads(), id == "opencl");
            EXPECT_EQ(opened.runtime->queuesDownloads(), id == "opencl" && !isHosted);
            EXPECT_TRUE(opened.runtime->collect(kAllQueued, {}).value().results.empty());
        }
}

} // namespace
} // namespace sw::test
