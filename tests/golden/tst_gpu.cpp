// Programs compiled as for a GPU, in groups of work items, and run by an OpenCL driver for the processor: the description of
// the device decides what code is made for it, and any driver must be able to run it.

#include "tests/golden/program_fixture.h"
#include "tests/support/gpu_in_name.h"

#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <algorithm>

namespace sw::test {
namespace {

struct GpuProgram {
    std::filesystem::path file;
    std::string device;
};

class OnGpu : public ProgramTest, public testing::WithParamInterface<GpuProgram> {
protected:
    OnGpu() { addGpusInName(m_gpus); }

    BackendRegistry m_gpus;
};

class OnOpenClGpu : public OnGpu {};

void PrintTo(const GpuProgram &program, std::ostream *out)
{
    *out << program.file.filename() << " on " << program.device;
}

std::vector<GpuProgram> programsOn(std::initializer_list<const char *> devices)
{
    std::vector<GpuProgram> all;
    for (const char *const device : devices)
        for (const std::filesystem::path &file : exampleFiles())
            all.push_back({file, device});
    return all;
}

TEST_P(OnGpu, givesWhatTheReferenceGives)
{
    if (const std::string reason = whyUnavailable(GetParam().device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler plain(m_registry);
    const Compilation meaning = plain.compile(requestFor(GetParam().file, "interpreter", CompileUntil::Program), {});
    ASSERT_TRUE(meaning.succeeded) << toText(meaning.diagnostics);
    const auto values = placeholderValues(*meaning.graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const auto expected = meaningAndLimitsOf(meaning.graph, *values);
    ASSERT_TRUE(expected) << toText(expected.error());

    ProgramCompiler compiler(m_gpus);
    const auto result = run(compiler, requestFor(GetParam().file, GetParam().device));
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_TRUE(result->faults.empty());
    ASSERT_EQ(result->outputs.size(), expected->values.size());
    for (std::size_t i = 0; i < expected->values.size(); ++i) {
        const HostTensor &actual = result->outputs[i].value;
        const Comparison comparison = expected->compared(i, actual);
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

// Otherwise the test above would only repeat the one for the processor.
// Where a group runs its items one after the other, there are fewer work items.
TEST_P(OnOpenClGpu, isGivenMoreWorkItemsThanAProcessor)
{
    if (const std::string reason = whyUnavailable(GetParam().device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler gpu(m_gpus);
    ProgramCompiler processor(m_registry);
    const Compilation many = gpu.compile(requestFor(GetParam().file, GetParam().device, CompileUntil::Lowered), {});
    const Compilation few = processor.compile(requestFor(GetParam().file, "llvm", CompileUntil::Lowered), {});
    ASSERT_TRUE(many.succeeded) << toText(many.diagnostics);
    ASSERT_TRUE(few.succeeded) << toText(few.diagnostics);
    EXPECT_GT(workItemsOf(*many.lowered), workItemsOf(*few.lowered));
    const auto isGrouped = [](const LoweredKernel &kernel) { return kernel.localSize != std::array<std::int64_t, 3>{1, 1, 1}; };
    EXPECT_TRUE(std::ranges::any_of(many.lowered->kernels, isGrouped));
    EXPECT_FALSE(std::ranges::any_of(few.lowered->kernels, isGrouped));
}

std::string nameOfProgram(const testing::TestParamInfo<GpuProgram> &test)
{
    return format("{}_{}", parameterName(test.param.file), test.param.device);
}

INSTANTIATE_TEST_SUITE_P(All, OnGpu, testing::ValuesIn(programsOn({"interpreter", "llvm", "c", "opencl"})), nameOfProgram);
INSTANTIATE_TEST_SUITE_P(All, OnOpenClGpu, testing::ValuesIn(programsOn({"opencl"})), nameOfProgram);

} // namespace
} // namespace sw::test
