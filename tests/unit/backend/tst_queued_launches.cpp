// Launches that are handed over one after another, on every backend, in this process and in a host: each sees what those before
// it wrote, and each has a result of its own.

#include "engine/backend/host/hosted_backend.h"
#include "tests/unit/backend/backend_fixture.h"

namespace sw::test {
namespace {

constexpr std::int64_t kElements = 256;
constexpr std::int64_t kBytes = kElements * 4;

class QueuedLaunches : public testing::TestWithParam<std::tuple<const char *, bool>> {
protected:
    void SetUp() override { open({}); }
    void TearDown() override { m_runtime.reset(); }

    void open(const DeviceOptions &options)
    {
        m_runtime.reset();
        const auto [id, isHosted] = GetParam();
        m_registry = {};
        if (isHosted)
            addHostedBackends(m_registry, STEPWELL_HOST_PROGRAM);
        else
            addNativeBackends(m_registry);
        m_backend = m_registry.find(id);
        ASSERT_NE(m_backend, nullptr);
        const auto devices = m_backend->probe();
        if (!devices)
            GTEST_SKIP() << toText(devices.error());
        m_device = devices->front();
        auto opened = m_backend->open(m_device, options);
        ASSERT_TRUE(opened) << toText(opened.error());
        m_compiler = std::move(opened->compiler);
        m_runtime = std::move(opened->runtime);
    }

    [[nodiscard]] bool hasQueue() const { return m_device.backend == "opencl"; }

    ArtifactId compiled(const LoweredKernel &kernel)
    {
        const RenderedSource source = m_backend->renderer().render(kernel, m_device).value();
        return std::move(m_compiler->compile({&source, 1}, {}).front()).value().id;
    }

    DeviceBufferId filled(float value)
    {
        const std::vector<float> values(kElements, value);
        const DeviceBufferId buffer = m_runtime->allocate(kBytes).value();
        EXPECT_TRUE(m_runtime->upload(buffer, 0, std::as_bytes(std::span(values))));
        return buffer;
    }

    std::vector<float> valuesOf(DeviceBufferId buffer)
    {
        std::vector<float> values(kElements);
        EXPECT_TRUE(m_runtime->download(buffer, 0, std::as_writable_bytes(std::span(values))));
        return values;
    }

    std::vector<LaunchResult> collected(std::size_t count = kAllQueued)
    {
        const auto taken = m_runtime->collect(count, {});
        if (!taken) {
            ADD_FAILURE() << toText(taken.error());
            return {};
        }
        EXPECT_TRUE(taken->errors.empty()) << toText(taken->errors);
        return taken->results;
    }

    // A kernel and its buffers.
    struct Sum {
        LoweredKernel kernel;
        ArtifactId artifact;
        std::array<DeviceBufferId, 3> buffers;
        [[nodiscard]] LaunchRequest request() const { return {artifact, buffers, kernel.globalSize, kernel.localSize}; }
        [[nodiscard]] LaunchRequest ofNothing() const { return {artifact, buffers, {0, 1, 1}, kernel.localSize}; }
    };
    Sum madeSum()
    {
        const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
        const ArtifactId artifact = compiled(kernel);
        return {kernel, artifact, {filled(1), filled(2), filled(0)}};
    }
    // How many of them the device has queued.
    std::size_t submitted(std::initializer_list<LaunchRequest> requests)
    {
        std::size_t queued = 0;
        for (const LaunchRequest &each : requests)
            queued += m_runtime->submit(each, {}).value().has_value() ? 0 : 1;
        return queued;
    }

    BackendRegistry m_registry;
    Backend *m_backend = nullptr;
    DeviceInfo m_device;
    std::unique_ptr<Compiler> m_compiler; // outlives the runtime
    std::unique_ptr<Runtime> m_runtime;
};

// More than a device keeps in its queue.
TEST_P(QueuedLaunches, seeWhatThoseBeforeThemWrote)
{
    constexpr std::size_t kLaunches = 150;
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
    const ArtifactId artifact = compiled(kernel);
    const DeviceBufferId one = filled(1);
    std::array<DeviceBufferId, 2> sums{filled(0), filled(0)};
    std::size_t queued = 0;
    for (std::size_t i = 0; i < kLaunches; ++i) {
        const std::array<DeviceBufferId, 3> buffers{sums[i % 2], one, sums[(i + 1) % 2]};
        const auto done = m_runtime->submit({artifact, buffers, kernel.globalSize, kernel.localSize}, {});
        ASSERT_TRUE(done) << toText(done.error());
        queued += done->has_value() ? 0 : 1;
    }
    EXPECT_EQ(queued, hasQueue() ? kLaunches : 0);
    EXPECT_EQ(valuesOf(sums[kLaunches % 2]), std::vector<float>(kElements, static_cast<float>(kLaunches)));
    const std::vector<LaunchResult> results = collected();
    ASSERT_EQ(results.size(), queued);
    for (const LaunchResult &result : results)
        EXPECT_GT(result.time.count(), 0);
    EXPECT_TRUE(collected().empty()) << "each result is given once";
}

TEST_P(QueuedLaunches, keepTheirResultsWhileAnotherOneIsWaitedFor)
{
    const Sum sum = madeSum();
    const std::size_t queued = submitted({sum.request(), sum.ofNothing()});
    EXPECT_TRUE(m_runtime->launch(sum.request(), {}));
    const std::vector<LaunchResult> results = collected();
    ASSERT_EQ(results.size(), queued);
    if (queued > 0) {
        EXPECT_GT(results[0].time.count(), 0);
        EXPECT_EQ(results[1].time.count(), 0);
    }
}

TEST_P(QueuedLaunches, areCollectedOldestFirst)
{
    const Sum sum = madeSum();
    const std::size_t queued = submitted({sum.request(), sum.ofNothing(), sum.request()});
    const std::vector<LaunchResult> first = collected(2);
    ASSERT_EQ(first.size(), queued == 0 ? 0U : 2U);
    if (queued > 0) {
        EXPECT_GT(first[0].time.count(), 0);
        EXPECT_EQ(first[1].time.count(), 0);
    }
    EXPECT_EQ(collected().size(), queued == 0 ? 0U : 1U);
}

TEST_P(QueuedLaunches, areFollowedByCopiesOfParts)
{
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
    const ArtifactId artifact = compiled(kernel);
    const std::array<DeviceBufferId, 3> buffers{filled(1), filled(2), filled(0)};
    const DeviceBufferId target = filled(9);
    ASSERT_TRUE(m_runtime->submit({artifact, buffers, kernel.globalSize, kernel.localSize}, {}));
    ASSERT_TRUE(m_runtime->copy({.from = buffers[2], .to = target, .bytes = 8, .fromOffset = 16, .toOffset = 4}));
    std::vector<float> expected(kElements, 9);
    expected[1] = expected[2] = 3;
    EXPECT_EQ(valuesOf(target), expected);
    EXPECT_FALSE(m_runtime->copy({.from = buffers[2], .to = target, .bytes = 8, .fromOffset = kBytes - 4}));
    EXPECT_FALSE(m_runtime->copy({.from = buffers[2], .to = target, .bytes = 8, .toOffset = kBytes - 4}));
    collected();
}

TEST_P(QueuedLaunches, findTheirOwnFaults)
{
    const ArtifactId artifact = compiled(checkingKernel(4));
    const DeviceBufferId found = m_runtime->allocate(4).value();
    std::vector<IndexFault> faults;
    for (const std::int64_t first : {100, -7, 0, 300}) {
        const DeviceBufferId index = m_runtime->allocate(8).value();
        ASSERT_TRUE(m_runtime->upload(index, 0, std::as_bytes(std::span(&first, 1))));
        const std::array<DeviceBufferId, 2> buffers{index, found};
        const auto done = m_runtime->submit({artifact, buffers}, {});
        ASSERT_TRUE(done) << toText(done.error());
        if (*done)
            faults.insert(faults.end(), (*done)->faults.begin(), (*done)->faults.end());
    }
    for (const LaunchResult &result : collected())
        faults.insert(faults.end(), result.faults.begin(), result.faults.end());
    std::vector<std::int64_t> indices;
    for (const IndexFault &fault : faults)
        indices.push_back(fault.index);
    EXPECT_EQ(indices, (std::vector<std::int64_t>{100, -7, 300}));
}

// The pattern around buffers is looked at after each kernel.
TEST_P(QueuedLaunches, areWaitedForWithGuards)
{
    open({.guardBuffers = true});
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
    const ArtifactId artifact = compiled(kernel);
    const std::array<DeviceBufferId, 3> buffers{filled(1), filled(2), filled(0)};
    const auto done = m_runtime->submit({artifact, buffers, kernel.globalSize, kernel.localSize}, {});
    ASSERT_TRUE(done) << toText(done.error());
    EXPECT_TRUE(done->has_value());
}

INSTANTIATE_TEST_SUITE_P(, QueuedLaunches,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::Bool()),
                         [](const auto &one) {
                             return format("{}{}", std::get<0>(one.param), std::get<1>(one.param) ? "_hosted" : "");
                         });

} // namespace
} // namespace sw::test
