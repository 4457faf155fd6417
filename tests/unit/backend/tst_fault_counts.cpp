// What OpenCL devices count of indices that are out of range: more than 32 bits hold, without atomics of 64 bits.

#include "tests/unit/backend/backend_fixture.h"

namespace sw::test {

class FaultCounts : public testing::Test {
protected:
    void SetUp() override
    {
        if (!backend.isThere())
            GTEST_SKIP() << backend.missing();
    }

    // The faults of a launch whose check had found `before` of them already.
    Result<std::vector<IndexFault>> faultsAfter(std::uint64_t before, std::int64_t times, std::int64_t first)
    {
        const LoweredKernel kernel = checkingKernel(times);
        SW_TRY(RenderedSource source, backend.render(kernel));
        const std::string begin = "        return;\n";
        source.text.insert(source.text.find(begin) + begin.size(), format("    *faults += {}L;\n", before));
        auto artifacts = backend.compiler->compile({&source, 1}, {});
        SW_TRY(const Artifact artifact, std::move(artifacts.front()));
        HostTensor x(DType::I64, Shape{1});
        x.set(0, Scalar::of(DType::I64, first));
        std::vector<HostTensor> arguments{x, HostTensor(DType::Bool, Shape{times})};
        SW_TRY(const LaunchResult result, backend.run(artifact, kernel, arguments));
        return result.faults;
    }

    OpenBackend backend{"opencl"};
};

TEST_F(FaultCounts, keepTheFirstIndex)
{
    const auto faults = faultsAfter(0, 4, 100);
    ASSERT_TRUE(faults) << toText(faults.error());
    ASSERT_EQ(faults->size(), 1U);
    EXPECT_EQ(faults->front().count, 4);
    EXPECT_EQ(faults->front().index, 100);
}

TEST_F(FaultCounts, goOnBeyond32Bits)
{
    const auto faults = faultsAfter(0xfffffffeU, 4, 100);
    ASSERT_TRUE(faults) << toText(faults.error());
    ASSERT_EQ(faults->size(), 1U);
    EXPECT_EQ(faults->front().count, 0x100000002);
    EXPECT_EQ(faults->front().index, 0); // that of the launch's first fault, which this one has not seen
}

TEST_F(FaultCounts, tellOfExactly32BitsFull)
{
    const auto faults = faultsAfter(0xffffffffU, 1, 100);
    ASSERT_TRUE(faults) << toText(faults.error());
    ASSERT_EQ(faults->size(), 1U);
    EXPECT_EQ(faults->front().count, 0x100000000);
}

} // namespace sw::test
