// Products compiled as for a GPU: groups of work items share copies of what they read. The results are those of the reference, on
// every device that can run such a kernel.

#include "tests/golden/program_fixture.h"
#include "tests/support/gpu_in_name.h"
#include "tests/support/meaning.h"

#include "engine/execute/input_values.h"

#include <algorithm>
#include <ostream>

namespace sw::test {
namespace {

struct GroupProduct {
    const char *name;
    const char *text;
    std::size_t copies = 2; // of all kernels together
};

void PrintTo(const GroupProduct &program, std::ostream *out)
{
    *out << program.name;
}

constexpr GroupProduct kPrograms[] = {
    {"whole_tiles", "input a: f32[128, 64]\ninput b: f32[64, 128]\noutput a @ b"},
    {"odd_sizes", "input a: f32[131, 75]\ninput b: f32[75, 133]\noutput a @ b"},
    {"turned", "input a: f32[75, 131]\ninput b: f32[139, 75]\noutput a.T @ b.T"},
    {"epilogue",
     "input a: f32[50, 64]\ninput b: f32[64, 47]\ninput c: f32[47]\ninput d: f32[50, 47]\noutput relu(a @ b + c) * d"},
    {"batches", "input a: f32[3, 70, 66]\ninput b: f32[3, 66, 61]\noutput a @ b"},
    {"integers", "input a: i32[63, 61]\ninput b: i32[61, 63]\noutput a @ b"},
    {"half", "input a: f16[64, 63]\ninput b: f16[63, 65]\noutput a @ b"},
    {"brain", "input a: bf16[65, 64]\ninput b: bf16[64, 62]\noutput a @ b"},
    {"image", "input x: f32[2, 8, 14, 14]\ninput w: f32[40, 8, 3, 3]\noutput conv2d(x, w, padding = 1)"},
    {"small", "input a: f32[8, 9]\ninput b: f32[9, 7]\noutput a @ b", 0},
};

class GroupProducts : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, GroupProduct>> {
protected:
    GroupProducts() { addGpusInName(m_gpus); }

    BackendRegistry m_gpus;
};

std::size_t sharedCopies(const LoopProgram &program)
{
    std::size_t copies = 0;
    for (const auto &nest : program.nests)
        copies += static_cast<std::size_t>(std::ranges::count_if(nest->packs, [](const Pack &pack) { return pack.isShared; }));
    return copies;
}

TEST_P(GroupProducts, giveWhatTheReferenceGives)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    CompileRequest request = requestFor("groups.sw", device);
    request.program.isText = true;
    request.program.text = format("{}\n", program.text);
    ProgramCompiler gpu(m_gpus);
    const Compilation compilation = gpu.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(sharedCopies(*compilation.loops), program.copies);

    ProgramCompiler plain(m_registry);
    CompileRequest meant = request;
    meant.device = "interpreter";
    meant.until = CompileUntil::Program;
    const Compilation meaning = plain.compile(meant, {});
    ASSERT_TRUE(meaning.succeeded) << toText(meaning.diagnostics);
    const auto values = placeholderValues(*meaning.graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const auto expected = meaningAndLimitsOf(meaning.graph, *values);
    ASSERT_TRUE(expected) << toText(expected.error());
    const auto result = run(gpu, request);
    ASSERT_TRUE(result) << toText(result.error());
    const Comparison comparison = expected->compared(0, result->outputs.front().value);
    EXPECT_TRUE(comparison.equal) << "max abs " << comparison.maxAbsolute << ", " << comparison.divergences << " elements, first "
                                  << (comparison.first ? comparison.first->flatIndex : -1);
}

INSTANTIATE_TEST_SUITE_P(Devices, GroupProducts,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

// What a processor is given is as before.
TEST_F(ProgramTest, processorsHaveNoGroups)
{
    ProgramCompiler compiler(m_registry);
    for (const char *const device : {"llvm", "opencl"}) {
        if (!whyUnavailable(device).empty())
            continue;
        CompileRequest request = requestFor("groups.sw", device, CompileUntil::Lowered);
        request.program.isText = true;
        request.program.text = format("{}\n", kPrograms[1].text);
        const Compilation compilation = compiler.compile(request, {});
        ASSERT_TRUE(compilation.succeeded);
        EXPECT_EQ(sharedCopies(*compilation.loops), 0U);
    }
}

} // namespace
} // namespace sw::test
