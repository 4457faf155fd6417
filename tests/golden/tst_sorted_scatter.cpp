// Many updates of many elements: the updates are sorted, so that no element is compared with all of them. Also of the gradient of
// a lookup.

#include "tests/golden/kernel_stages.h"

#include "engine/execute/input_values.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

struct SortedScatter {
    const char *name;
    const char *text;
};

void PrintTo(const SortedScatter &program, std::ostream *out)
{
    *out << program.name;
}

constexpr SortedScatter kPrograms[] = {
    {"rows_set", "input x: f32[3000, 5]\ninput u: f32[300, 5]\ninput i: i64[300, 1]\n"
                 "output scatter(x, expand(floor_mod(i, 3000), [300, 5]), u, 0, \"set\")\n"},
    {"rows_with_repeats_set", "input x: f32[3000, 5]\ninput u: f32[300, 5]\ninput i: i64[300, 1]\n"
                              "output scatter(x, expand(floor_mod(i, 7) * 400, [300, 5]), u, 0, \"set\")\n"},
    {"rows_added", "input x: f32[3000, 5]\ninput u: f32[300, 5]\ninput i: i32[300, 1]\n"
                   "output scatter(x, expand(floor_mod(i, 3000), [300, 5]), u, 0, \"add\")\n"},
    {"all_added_to_one",
     "input x: f32[3000, 2]\ninput u: f32[512, 2]\noutput scatter(x, full([512, 2], 1234, dtype = i64), u + 1, 0, \"add\")\n"},
    {"halves_added_to_few", "input x: f16[3000, 4]\ninput u: f16[129, 4]\ninput i: i64[129, 1]\n"
                            "output scatter(x, expand(floor_mod(i, 3) * 1000 + 999, [129, 4]), u, 0, \"add\")\n"},
    {"largest_integers",
     "input x: i32[40000]\ninput u: i32[64]\ninput i: i64[64]\noutput scatter(x, floor_mod(i, 9) * 4444, u, 0, \"max\")\n"},
    {"smallest", "input x: f32[3, 9000]\ninput u: f32[3, 65]\ninput i: i64[3, 65]\n"
                 "output scatter(x, floor_mod(i, 9000), u, 1, \"min\")\n"},
    {"lines_set", "input x: f32[9000, 3]\ninput u: f32[100, 3]\ninput i: i64[100, 3]\n"
                  "output scatter(x, floor_mod(i, 50) * 180, u, 0, \"set\")\n"},
    {"lines_and_columns_of_a_corner_added", "input x: f32[3, 6000, 4]\ninput u: f32[2, 130, 3]\ninput i: i64[2, 130, 1]\n"
                                            "output scatter(x, expand(floor_mod(i, 40) * 150, [2, 130, 3]), u, 1, \"add\")\n"},
    {"gradient_of_rows", "input ids: i32[200]\nparam table: f32[3000, 8]\ny = embedding(table, floor_mod(ids, 3000))\n"
                         "output grad(sum(y * y), table)\n"},
    {"gradient_of_repeated_rows",
     "input ids: i32[10, 40]\nparam table: f32[3000, 8]\ny = embedding(table, floor_mod(ids, 11) * 272)\n"
     "output grad(sum(y * y), table)\n"},
    {"gradient_of_elements",
     "input i: i64[90, 3]\nparam x: f32[9000, 3]\ny = gather(x, floor_mod(i, 100) * 90, axis = 0)\noutput grad(sum(y * y), x)\n"},
    {"gradient_of_a_flat_lookup",
     "input i: i64[500]\nparam x: f32[70, 80]\ny = index(x, floor_mod(i, 40) * 140)\noutput grad(sum(y * y), x)\n"},
    {"gradient_of_half_rows", "input ids: i32[200]\nparam table: f16[3000, 8]\ny = embedding(table, floor_mod(ids, 5) * "
                              "600)\noutput grad(sum(y), table)\n"},
};

// Whether no value has an element for each pair of an update and an element: many times what is stored.
bool isSorted(const Compilation &made)
{
    const Graph &graph = *made.schedule->graph;
    const std::vector<NodeId> leaves = graph.placeholders();
    std::int64_t stored = 0;
    for (const std::span<const NodeId> ends : {std::span<const NodeId>(leaves), graph.outputs()})
        for (const NodeId id : ends)
            stored = std::max(stored, graph.node(id).shape.elements());
    return std::ranges::all_of(graph.nodes(), [&](const Node &node) { return node.shape.elements() < 20 * stored; });
}

class SortedScatters : public KernelStages, public testing::WithParamInterface<std::tuple<std::string, SortedScatter>> {};

TEST_P(SortedScatters, giveTheirMeaning)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    const Compilation made = checkValues(compiler, requestFor(program.text, device));
    ASSERT_TRUE(made.succeeded);
    EXPECT_TRUE(isSorted(made));
}

std::string added(std::string_view mode)
{
    return format("input x: f32[3000, 5]\ninput u: f32[300, 5]\ninput i: i64[300, 1]\n"
                  "output scatter(x, expand(floor_mod(i, 30) * 100, [300, 5]), u, 0, \"{}\")\n",
                  mode);
}

// Where sums keep their order, only what rounds nothing is sorted.
TEST_F(SortedScatters, keepTheOrderOfStrictSums)
{
    for (const auto &[mode, mayBeSorted] : {std::pair("add", false), {"set", true}, {"max", true}}) {
        CompileRequest request = requestFor(added(mode), "llvm");
        request.options.strict = true;
        ProgramCompiler compiler(m_registry);
        const Compilation made = checkValues(compiler, request);
        ASSERT_TRUE(made.succeeded);
        EXPECT_EQ(isSorted(made), mayBeSorted) << mode;
    }
}

TEST_F(SortedScatters, areChosenByTheirPrice)
{
    CompileRequest few = requestFor("input x: f32[3000, 5]\ninput u: f32[3, 5]\ninput i: i64[3, 1]\n"
                                    "output scatter(x, expand(floor_mod(i, 3000), [3, 5]), u, 0, \"set\")\n",
                                    "llvm", CompileUntil::Lowered);
    ProgramCompiler compiler(m_registry);
    const Compilation made = compiler.compile(few, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_FALSE(std::ranges::any_of(made.schedule->graph->nodes(), [](const Node &node) { return node.op == Op::Shr; }));
}

TEST_F(SortedScatters, reportIndicesThatAreOutOfRangeAndWriteTheOthers)
{
    ProgramCompiler compiler(m_registry);
    const CompileRequest request = requestFor("input u: f32[200]\ni = where(arange(200) == 3, 5000, arange(200) * 10)\n"
                                              "j = i + (u * 0).cast(i64)\noutput scatter(zeros([4000]), j, u, 0, \"add\")\n",
                                              "llvm");
    const Compilation made = compiler.compile(request, {});
    ASSERT_TRUE(made.succeeded) << toText(made.diagnostics);
    EXPECT_TRUE(isSorted(made));
    const auto result = run(compiler, request);
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->faults.size(), 1U);
    EXPECT_NE(result->faults.front().message.find("index 5000"), std::string::npos) << toText(result->faults);
    const HostTensor &value = result->outputs.front().value;
    std::int64_t written = 0;
    for (std::int64_t i = 0; i < value.elements(); ++i)
        written += value.at(i).asDouble() != 0 ? 1 : 0;
    EXPECT_EQ(written, 199);
    EXPECT_EQ(value.at(30).asDouble(), 0);
}

INSTANTIATE_TEST_SUITE_P(Devices, SortedScatters,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
