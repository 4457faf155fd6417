// Views of buffers on every backend, in this process and in a host: they share the memory of what they are views of, kernels
// take them like any buffer, and nothing outside of them is touched.

#include "engine/backend/host/hosted_backend.h"
#include "tests/unit/backend/backend_fixture.h"

namespace sw::test {
namespace {

constexpr std::int64_t kElements = 256;
constexpr std::int64_t kBytes = kElements * 4;

class BufferViews : public testing::TestWithParam<std::tuple<const char *, bool>> {
protected:
    void SetUp() override
    {
        const auto [id, isHosted] = GetParam();
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
        auto opened = m_backend->open(m_device, {});
        ASSERT_TRUE(opened) << toText(opened.error());
        m_compiler = std::move(opened->compiler);
        m_runtime = std::move(opened->runtime);
    }
    void TearDown() override { m_runtime.reset(); }

    // Where the part number `index` of a buffer of such parts begins.
    [[nodiscard]] std::int64_t offsetOf(std::int64_t index) const
    {
        const std::int64_t unit = m_device.bufferAlignment;
        return index * ((kBytes + unit - 1) / unit * unit);
    }

    static HostTensor counted(double first)
    {
        HostTensor tensor(DType::F32, {kElements});
        for (std::int64_t i = 0; i < kElements; ++i)
            tensor.set(i, Scalar::of(DType::F32, first + static_cast<double>(i)));
        return tensor;
    }

    [[nodiscard]] HostTensor downloaded(DeviceBufferId buffer, std::int64_t offset)
    {
        HostTensor tensor(DType::F32, {kElements});
        const auto done = m_runtime->download(buffer, offset, tensor.mutableBytes());
        EXPECT_TRUE(done) << (done ? "" : toText(done.error()));
        return tensor;
    }

    BackendRegistry m_registry;
    Backend *m_backend = nullptr;
    DeviceInfo m_device;
    std::unique_ptr<Compiler> m_compiler; // outlives the runtime
    std::unique_ptr<Runtime> m_runtime;
};

TEST_P(BufferViews, beginWhereTheDeviceWantsThem)
{
    EXPECT_GE(m_device.bufferAlignment, 64);
    EXPECT_EQ(m_device.bufferAlignment & (m_device.bufferAlignment - 1), 0);
}

TEST_P(BufferViews, areTheMemoryOfTheirBuffer)
{
    const DeviceBufferId arena = m_runtime->allocate(offsetOf(3)).value();
    const DeviceBufferId second = m_runtime->view(arena, offsetOf(1), kBytes).value();
    ASSERT_TRUE(m_runtime->upload(arena, offsetOf(1), counted(5).bytes()));
    EXPECT_TRUE(downloaded(second, 0).isIdenticalTo(counted(5)));
    ASSERT_TRUE(m_runtime->upload(second, 0, counted(7).bytes()));
    EXPECT_TRUE(downloaded(arena, offsetOf(1)).isIdenticalTo(counted(7)));
    EXPECT_TRUE(downloaded(arena, offsetOf(0)).isIdenticalTo(HostTensor(DType::F32, {kElements})));
    EXPECT_TRUE(downloaded(arena, offsetOf(2)).isIdenticalTo(HostTensor(DType::F32, {kElements})));

    const DeviceBufferId third = m_runtime->view(arena, offsetOf(2), kBytes).value();
    ASSERT_TRUE(m_runtime->copy({.from = second, .to = third, .bytes = kBytes}));
    ASSERT_TRUE(m_runtime->synchronize());
    EXPECT_TRUE(downloaded(arena, offsetOf(2)).isIdenticalTo(counted(7)));
    for (const DeviceBufferId buffer : {third, second, arena})
        m_runtime->free(buffer);
    EXPECT_FALSE(m_runtime->download(second, 0, {}));
}

TEST_P(BufferViews, areArgumentsOfKernels)
{
    const LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, kElements, 4, 64);
    const RenderedSource source = m_backend->renderer().render(kernel, m_device).value();
    const auto artifact = std::move(m_compiler->compile({&source, 1}, {}).front());
    ASSERT_TRUE(artifact) << toText(artifact.error());
    const DeviceBufferId arena = m_runtime->allocate(offsetOf(4)).value();
    std::vector<DeviceBufferId> parts;
    for (const std::int64_t index : {2, 0, 1})
        parts.push_back(m_runtime->view(arena, offsetOf(index), kBytes).value());
    ASSERT_TRUE(m_runtime->upload(parts[0], 0, counted(1).bytes()));
    ASSERT_TRUE(m_runtime->upload(parts[1], 0, counted(2).bytes()));
    const auto launched = m_runtime->launch({artifact->id, parts, kernel.globalSize, kernel.localSize}, {});
    ASSERT_TRUE(launched) << toText(launched.error());
    const HostTensor sum = downloaded(arena, offsetOf(1));
    for (std::int64_t i = 0; i < kElements; ++i)
        ASSERT_EQ(sum.at(i).asDouble(), static_cast<double>(2 * i + 3));
    EXPECT_TRUE(downloaded(arena, offsetOf(2)).isIdenticalTo(counted(1)));
    EXPECT_TRUE(downloaded(arena, offsetOf(3)).isIdenticalTo(HostTensor(DType::F32, {kElements})));
}

TEST_P(BufferViews, lieInsideTheirBuffer)
{
    const DeviceBufferId arena = m_runtime->allocate(offsetOf(2)).value();
    EXPECT_FALSE(m_runtime->view(arena, offsetOf(1), offsetOf(1) + 1));
    EXPECT_FALSE(m_runtime->view(arena, -m_device.bufferAlignment, kBytes));
    const auto missing = m_runtime->view(DeviceBufferId(1000U), 0, kBytes);
    ASSERT_FALSE(missing);
    EXPECT_NE(toText(missing.error()).find("there is no"), std::string::npos);
    const DeviceBufferId part = m_runtime->view(arena, 0, kBytes).value();
    std::vector<std::byte> more(kBytes + 1);
    EXPECT_FALSE(m_runtime->upload(part, 0, more));
}

INSTANTIATE_TEST_SUITE_P(, BufferViews, testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::Bool()),
                         [](const auto &one) {
                             return format("{}{}", std::get<0>(one.param), std::get<1>(one.param) ? "_hosted" : "");
                         });

} // namespace
} // namespace sw::test
