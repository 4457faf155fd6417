// Outputs whose size the run decides, on every device.

#include "tests/golden/program_fixture.h"
#include "tests/support/meaning.h"

#include "engine/execute/input_values.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

constexpr const char *kDevices[] = {"interpreter", "llvm", "c", "opencl"};

struct CropProgram {
    const char *name;
    const char *text;
};

constexpr CropProgram kPrograms[] = {
    {"what is positive", R"(input x: f32[200]
is_positive = x > 0.5
places, count = true_places(is_positive)
output crop(index(x, places), count)
output count
)"},
    {"two axes", R"(input x: f32[12, 20]
rows = sum((x[:, 0] > 0.5).cast(i64))
columns = sum((x[0] > 0.5).cast(i32))
output crop(crop(x * 2, rows), columns, axis = -1)
output crop(x + 1, rows)
)"},
    {"too few and too many", R"(input x: f32[6, 4]
n = sum(x) * 0
output crop(x, n.cast(i64) - 3)
output crop(x, n.cast(i64) + 100, axis = 1)
)"},
    {"an input as it stands", R"(input x: f32[6, 4]
output crop(x, sum((x > 0.5).cast(i32)) // 4)
)"},
    {"different ones", R"(input x: f32[40]
found, first, which, times, count = unique_slices(floor(x * 8))
output crop(found, count)
output crop(times, count)
output which
)"},
};

class Crops : public ProgramTest {};

TEST_F(Crops, cutOutputsToTheirCountsOnEveryDevice)
{
    for (const CropProgram &program : kPrograms)
        for (const char *const device : kDevices) {
            if (!whyUnavailable(device).empty())
                continue;
            SCOPED_TRACE(format("{} on {}", program.name, device));
            ProgramCompiler compiler(m_registry);
            const Compilation compilation = compiler.compile(requestOf(program.text, device), {});
            ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
            const GraphPtr graph = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
            for (const std::uint64_t seed : {1, 2}) {
                const auto values = placeholderValues(*graph, {}, seed);
                ASSERT_TRUE(values);
                const auto expected = meaningAndLimitsOf(graph, *values);
                ASSERT_TRUE(expected) << toText(expected.error());
                auto devices = compiler.openedDevices(compilation);
                ASSERT_TRUE(devices);
                const auto executor = Executor::prepare(std::move(*devices), compilation.program, *values);
                ASSERT_TRUE(executor) << toText(executor.error());
                const auto result = (*executor)->run({.warmup = 0, .repeats = 2}, {});
                ASSERT_TRUE(result) << toText(result.error());
                ASSERT_EQ(result->outputs.size(), expected->values.size());
                for (std::size_t i = 0; i < expected->values.size(); ++i) {
                    EXPECT_EQ(result->outputs[i].value.shape(), expected->values[i].shape()) << "output " << i;
                    EXPECT_TRUE(expected->compared(i, result->outputs[i].value).equal) << "output " << i;
                }
            }
        }
}

TEST_F(Crops, haveTheSizesOfTheirCounts)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation = compiler.compile(requestOf(kPrograms[2].text, "interpreter"), {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    auto devices = compiler.openedDevices(compilation);
    ASSERT_TRUE(devices);
    const auto values = placeholderValues(*compilation.graph, {}, 1);
    const auto executor = Executor::prepare(std::move(*devices), compilation.program, *values);
    ASSERT_TRUE(executor) << toText(executor.error());
    const auto result = (*executor)->run({.warmup = 0, .repeats = 1}, {});
    ASSERT_TRUE(result) << toText(result.error());
    ASSERT_EQ(result->outputs.size(), 2U);
    EXPECT_EQ(result->outputs[0].value.shape(), (Shape{0, 4}));
    EXPECT_EQ(result->outputs[1].value.shape(), (Shape{6, 4}));
}

TEST_F(Crops, areOfOutputsOnly)
{
    ProgramCompiler compiler(m_registry);
    const Compilation compilation =
        compiler.compile(requestOf("input x: f32[8]\noutput crop(x, sum(x).cast(i64)) + 1\n", "interpreter"), {});
    EXPECT_FALSE(compilation.succeeded);
    const std::string text = toText(compilation.diagnostics);
    EXPECT_NE(text.find("only outputs are cropped"), std::string::npos) << text;
    EXPECT_NE(text.find("2:"), std::string::npos) << text;
}

} // namespace
} // namespace sw::test
