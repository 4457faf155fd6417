// Scatter by indices that are known while compiling: each element is told its update, and no pair is compared. Lines that have
// the same indices are told, or compared, once.

#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include "engine/execute/input_values.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

struct KnownScatter {
    const char *name;
    const char *text;
    bool isTold; // else every element looks for its updates, when the program runs or while it is compiled
};

void PrintTo(const KnownScatter &program, std::ostream *out)
{
    *out << program.name;
}

constexpr KnownScatter kPrograms[] = {
    {"set_with_repeats",
     "input x: f32[9, 3]\ninput u: f32[4, 3]\nconst i: i64[4, 3] = [[2, 0, 8], [5, 0, 1], [2, 1, 1], [3, 7, 8]]\n"
     "output scatter(x, i, u, 0, \"set\")\n",
     true},
    {"added_once",
     "input x: f32[2, 6]\ninput u: f32[2, 3]\nconst i: i32[2, 3] = [[5, 0, 2], [1, 2, 3]]\noutput scatter(x, i, u, 1, \"add\")\n",
     true},
    {"largest_of_a_corner",
     "input x: f16[7, 5]\ninput u: f16[2, 2]\nconst i: i64[2, 2] = [[6, 0], [3, 5]]\n"
     "output scatter(x, i, u, 0, \"max\")\n",
     true},
    {"computed_indices", "input x: f32[40]\ninput u: f32[8]\noutput scatter(x, arange(8, dtype = i64) * 5 + 2, u, 0, \"set\")\n",
     true},
    {"added_twice", "input x: f32[6]\ninput u: f32[3]\nconst i: i64[3] = [4, 1, 4]\noutput scatter(x, i, u, 0, \"add\")\n",
     false},
    {"whole_rows",
     "input x: f32[9, 6]\ninput u: f32[4, 6]\nconst i: i64[4, 1] = [[2], [5], [2], [8]]\n"
     "output scatter(x, expand(i, [4, 6]), u, 0, \"set\")\n",
     true},
    {"rows_of_a_corner_added",
     "input x: f32[5, 4, 6]\ninput u: f32[2, 4, 3]\nconst i: i32[2, 1, 1] = [[[4]], [[1]]]\n"
     "output scatter(x, expand(i, [2, 4, 3]), u, 0, \"add\")\n",
     true},
    {"one_index_for_all",
     "input x: f32[9, 6]\ninput u: f32[4, 6]\nconst i: i64[1, 6] = [[2, 5, 2, 8, 0, 1]]\n"
     "output scatter(x, expand(i, [4, 6]), u, 0, \"set\")\n",
     true},
    {"given_rows",
     "input x: f32[9, 6]\ninput u: f32[4, 6]\ninput i: i64[4, 1]\noutput scatter(x, expand(i, [4, 6]), u, 0, \"set\")\n", false},
    {"given_rows_added",
     "input x: f32[3, 9, 6]\ninput u: f32[2, 4, 6]\ninput i: i64[2, 4, 1]\n"
     "output scatter(x, expand(i, [2, 4, 6]), u, 1, \"add\")\n",
     false},
    {"given_indices", "input x: f32[12]\ninput u: f32[3]\ninput i: i64[3]\noutput scatter(x, i, u, 0, \"set\")\n", false},
};

class KnownScatters : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, KnownScatter>> {};

TEST_P(KnownScatters, giveTheirMeaning)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    CompileRequest request = requestFor("scatter.sw", device);
    request.program.isText = true;
    request.program.text = program.text;
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    const GraphPtr graph = std::get<GraphPtr>(made.pipeline.steps.front().before);
    const auto values = placeholderValues(*graph, {}, 1);
    ASSERT_TRUE(values);
    const auto expected = meaningAndLimitsOf(graph, *values);
    ASSERT_TRUE(expected) << toText(expected.error());
    const auto result = run(compiler, request);
    ASSERT_TRUE(result) << toText(result.error());
    EXPECT_TRUE(expected->compared(0, result->outputs.front().value).equal);
    bool compares = false;
    for (const Node &node : made.schedule->graph->nodes())
        compares = compares || (node.op == Op::Cmpeq && node.kind == NodeKind::Binary);
    if (program.isTold) {
        EXPECT_FALSE(compares);
    }
}

// The columns of a row need no comparisons of their own.
TEST_F(KnownScatters, compareRowsOnce)
{
    for (const std::string_view mode : {"set", "add"}) {
        CompileRequest request = requestFor("scatter.sw", "llvm", CompileUntil::Lowered);
        request.program.isText = true;
        request.program.text = format(
            "input x: f32[9, 6]\ninput u: f32[4, 6]\ninput i: i64[4, 1]\noutput scatter(x, expand(i, [4, 6]), u, 0, \"{}\")\n",
            mode);
        const Compilation made = ProgramCompiler(m_registry).compile(request, {});
        ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
        std::size_t comparisons = 0;
        for (const Node &node : made.schedule->graph->nodes()) {
            if (node.op != Op::Cmpeq || node.kind != NodeKind::Binary)
                continue;
            ++comparisons;
            EXPECT_EQ(node.shape, (Shape{4, 9, 1})) << mode;
        }
        EXPECT_EQ(comparisons, 1U) << mode;
    }
}

TEST_F(KnownScatters, stillReportAnIndexThatIsOutOfRange)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("scatter.sw", "llvm");
    request.program.isText = true;
    request.program.text = "input x: f32[4]\ninput u: f32[2]\nconst i: i64[2] = [1, 9]\noutput scatter(x, i, u, 0, \"set\")\n";
    const auto result = run(compiler, request);
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->faults.size(), 1U);
    EXPECT_NE(result->faults.front().message.find("index 9"), std::string::npos) << toText(result->faults);
}

INSTANTIATE_TEST_SUITE_P(Devices, KnownScatters,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
