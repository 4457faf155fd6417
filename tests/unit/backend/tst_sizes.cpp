// Sizes beyond what a device has, or what 63 bits hold: each is an error that says so, and nothing runs.

#include "tests/unit/backend/backend_fixture.h"

namespace sw::test {

namespace {

constexpr std::int64_t kBillions = std::int64_t{1} << 32;

// y[0] = the first element of a scratch buffer of so many, after it was set.
LoweredKernel scratchKernel(DType dtype, std::int64_t elements)
{
    LoweredBuilder builder(kernelFrame("scratch"));
    const Origin origin = anyOrigin();
    const auto y = builder.defineGlobal(origin, {BufferId(0U), dtype, 1, true, "y"});
    const auto scratch = builder.buffer(origin, dtype, elements, "scratch");
    const auto last = builder.index(origin, elements - 1);
    builder.store(origin, scratch, last, builder.constant(origin, Scalar::of(dtype, 7.0)));
    builder.store(origin, y, builder.index(origin, 0), builder.load(origin, scratch, last));
    return builder.take();
}

} // namespace

class BackendSizes : public testing::TestWithParam<std::string> {
protected:
    void SetUp() override
    {
        if (!backend.isThere())
            GTEST_SKIP() << backend.missing();
    }
    OpenBackend backend{GetParam()};
};

TEST_P(BackendSizes, refuseMoreWorkItemsThanCanBeCounted)
{
    LoweredKernel kernel = vectorBinaryKernel(Op::Add, DType::F32, 64, 1, 1);
    const auto artifact = backend.compile(kernel);
    ASSERT_TRUE(artifact) << toText(artifact.error());
    using Size = std::array<std::int64_t, 3>;
    for (const Size size : {Size{kBillions, kBillions, 1}, Size{kBillions, 1, kBillions}, Size{-1, -1, 1}, Size{-64, 1, 1}}) {
        kernel.globalSize = size;
        std::vector<HostTensor> arguments(3, HostTensor(DType::F32, {64}));
        const auto result = backend.run(*artifact, kernel, arguments);
        ASSERT_FALSE(result) << join(size, ", ");
        EXPECT_EQ(result.error().front().code, Code::Limit) << toText(result.error());
    }
}

TEST_P(BackendSizes, refuseBuffersThatNoMemoryHolds)
{
    for (const std::int64_t bytes : {std::int64_t{-1}, std::numeric_limits<std::int64_t>::min(),
                                     std::numeric_limits<std::int64_t>::max(), std::int64_t{1} << 61}) {
        const auto buffer = backend.runtime->allocate(bytes);
        EXPECT_FALSE(buffer) << bytes;
    }
    const auto buffer = backend.runtime->allocate(64);
    ASSERT_TRUE(buffer);
    EXPECT_FALSE(backend.runtime->view(*buffer, 0, -1));
    EXPECT_FALSE(backend.runtime->view(*buffer, -64, 64));
    EXPECT_FALSE(backend.runtime->view(*buffer, std::numeric_limits<std::int64_t>::max(), 64));
    EXPECT_FALSE(backend.runtime->copy({.from = *buffer, .to = *buffer, .bytes = -1}));
    backend.runtime->free(*buffer);
}

INSTANTIATE_TEST_SUITE_P(, BackendSizes, testing::Values("interpreter", "llvm", "c", "opencl"),
                         [](const auto &one) { return one.param; });

class BackendScratch : public BackendSizes {};

TEST_P(BackendScratch, isLimitedByWhatTheDeviceHas)
{
    const auto most = static_cast<std::int64_t>(backend.device.scratchBytes);
    EXPECT_GE(most, 1 << 16);
    // As a wrapped number of bytes some of these would be small, or negative.
    for (const std::int64_t elements : {most / 8 + 8, std::int64_t{2} << 20, std::int64_t{1} << 58, std::int64_t{1} << 60,
                                        std::int64_t{1} << 61, (std::int64_t{1} << 61) + 1}) {
        const auto refused = backend.render(scratchKernel(DType::F64, elements));
        ASSERT_FALSE(refused) << elements;
        EXPECT_EQ(refused.error().front().code, Code::Limit) << toText(refused.error());
        EXPECT_NE(toText(refused.error()).find(backend.device.id), std::string::npos) << toText(refused.error());
    }
    // All that it has can be used.
    std::vector<HostTensor> arguments = {HostTensor(DType::F32, {1})};
    const auto result = backend.run(scratchKernel(DType::F32, most / 4), arguments);
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_EQ(arguments[0].at(0).asDouble(), 7.0);
}

INSTANTIATE_TEST_SUITE_P(, BackendScratch, testing::Values("llvm", "c", "opencl"), [](const auto &one) { return one.param; });

TEST(OpenClSizes, groupsShareNoMoreThanTheDeviceHas)
{
    OpenBackend opencl("opencl");
    if (!opencl.isThere())
        GTEST_SKIP() << opencl.missing();
    LoweredKernel frame = kernelFrame("shared", {4, 1, 1});
    frame.localSize = {4, 1, 1};
    LoweredBuilder builder(frame);
    const Origin origin = anyOrigin();
    const auto y = builder.defineGlobal(origin, {BufferId(0U), DType::F32, 1, true, "y"});
    const auto shared = builder.local(origin, DType::F32, opencl.device.localMemoryBytes, "shared");
    builder.store(origin, y, builder.index(origin, 0), builder.load(origin, shared, builder.index(origin, 0)));
    const auto refused = opencl.render(builder.take());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().front().code, Code::Limit) << toText(refused.error());
}

} // namespace sw::test
