// What kernels fetch ahead, also behind the end of a buffer, changes no result: those of the plain loops, in machine code too.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace sw::test {
namespace {

struct RowProgram {
    const char *name;
    const char *result;
    const char *weights = ""; // and what holds them
};

void PrintTo(const RowProgram &program, std::ostream *out)
{
    *out << program.name;
}

// More rows, or more weights, than the caches of a core hold. 2197 rows cannot be divided to be reduced together.
constexpr RowProgram kPrograms[] = {
    {"softmax", "softmax(x)"},
    {"layer_norm", "layer_norm(x, x[0], x[1])"},
    {"squares_below_the_largest",
     "mean((x[:2197] - max(x[:2197], 1, keepdims = true)) * (x[:2197] - max(x[:2197], 1, keepdims = true)), 1)"},
    {"what_is_added_to_a_product", "x[:, :32] @ x[:32, :] + x"},
    {"panels_of_weights", "x[:56, :256] @ w", "param w: f32[256, 16384] = random(9)\n"},
};

class PrefetchedRows : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, RowProgram>> {};

bool fetches(const LoopProgram &program)
{
    return std::ranges::any_of(program.nests, [](const auto &nest) {
        return !nest->prefetches.empty() || !nest->streams.empty() ||
               std::ranges::any_of(nest->stages, [](const LoopNest &stage) { return !stage.prefetches.empty(); });
    });
}

TEST_P(PrefetchedRows, giveWhatPlainLoopsGive)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both = runBothWays(format("input x: f32[2200, 1024]\n{}output {}\n", program.weights, program.result), device);
    ASSERT_TRUE(both) << toText(both.error());
    const bool hasPanels = device != "opencl"; // of constants
    EXPECT_EQ(fetches(*both->compilation.loops), hasPanels || *program.weights == '\0');
    expectNear(both->chosen, both->plain, 1e-4);
}

INSTANTIATE_TEST_SUITE_P(Devices, PrefetchedRows,
                         testing::Combine(testing::Values("llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
