// Programs as they are compiled for a GPU, in groups of work items, run by an OpenCL driver of the processor: what is told about
// the device decides what is made for it, and any driver must be able to run it.

#include "tests/golden/gpu_in_name.h"
#include "tests/golden/program_fixture.h"

#include "engine/execute/compare.h"
#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <algorithm>

namespace sw::test {
namespace {

class OnGpu : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    OnGpu()
    {
        m_gpus.add(std::make_unique<GpuInName>());
        addNativeBackends(m_gpus); // the others that programs name
    }

    BackendRegistry m_gpus;
};

TEST_P(OnGpu, givesWhatTheReferenceGives)
{
    if (const std::string reason = whyUnavailable("opencl"); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler plain(m_registry);
    const Compilation meaning = plain.compile(requestFor(GetParam(), "interpreter", CompileUntil::Program), {});
    ASSERT_TRUE(meaning.succeeded) << toText(meaning.diagnostics);
    const auto values = placeholderValues(*meaning.graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const auto expected = meaningOf(*meaning.graph, *values);
    ASSERT_TRUE(expected) << toText(expected.error());

    ProgramCompiler compiler(m_gpus);
    const auto result = run(compiler, requestFor(GetParam(), "opencl"));
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_TRUE(result->faults.empty());
    ASSERT_EQ(result->outputs.size(), expected->size());
    for (std::size_t i = 0; i < expected->size(); ++i) {
        const HostTensor &actual = result->outputs[i].value;
        const Comparison comparison = compareTensors((*expected)[i], actual, toleranceOf(actual.dtype()));
        EXPECT_TRUE(comparison.equal) << result->outputs[i].name << ": max abs " << comparison.maxAbsolute << ", "
                                      << comparison.divergences << " elements, first " << comparison.first->flatIndex;
    }
}

std::int64_t workItemsOf(const LoweredProgram &program)
{
    std::int64_t count = 0;
    for (const LoweredKernel &kernel : program.kernels)
        count += kernel.globalSize[0] * kernel.globalSize[1] * kernel.globalSize[2];
    return count;
}

// Otherwise the test above would be one more of the processor's.
TEST_P(OnGpu, isGivenMoreWorkItemsThanAProcessor)
{
    if (const std::string reason = whyUnavailable("opencl"); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler gpu(m_gpus);
    ProgramCompiler processor(m_registry);
    const Compilation many = gpu.compile(requestFor(GetParam(), "opencl", CompileUntil::Lowered), {});
    const Compilation few = processor.compile(requestFor(GetParam(), "opencl", CompileUntil::Lowered), {});
    ASSERT_TRUE(many.succeeded) << toText(many.diagnostics);
    ASSERT_TRUE(few.succeeded) << toText(few.diagnostics);
    EXPECT_GT(workItemsOf(*many.lowered), workItemsOf(*few.lowered));
    const auto isGrouped = [](const LoweredKernel &kernel) { return kernel.localSize != std::array<std::int64_t, 3>{1, 1, 1}; };
    EXPECT_TRUE(std::ranges::any_of(many.lowered->kernels, isGrouped));
    EXPECT_FALSE(std::ranges::any_of(few.lowered->kernels, isGrouped));
}

INSTANTIATE_TEST_SUITE_P(All, OnGpu, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

} // namespace
} // namespace sw::test
