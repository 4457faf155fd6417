// Every example is run from the text of every stage that can be read back, as each pass left it: the values are the program's.

#include "tests/golden/program_fixture.h"

#include "engine/api/stage_text.h"
#include "engine/types/npy.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace sw::test {
namespace {

class StageTexts : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    // Whether the text is for one device.
    static bool canBeRead(const Stage &stage)
    {
        const auto *program = std::get_if<LoweredProgramPtr>(&stage);
        return std::holds_alternative<GraphPtr>(stage) || (program != nullptr && (*program)->schedule->devices.size() == 1);
    }
};

// Passes that run again may order sums differently.
void expectClose(const HostTensor &expected, const HostTensor &found)
{
    ASSERT_EQ(found.dtype(), expected.dtype());
    ASSERT_EQ(found.shape(), expected.shape());
    double largest = 0;
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        largest = std::max(largest, std::abs(expected.at(i).asDouble()));
    const double tolerance = isFloat(expected.dtype()) ? 1e-4 * std::max(largest, 1e-3) : 0;
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        ASSERT_NEAR(found.at(i).asDouble(), expected.at(i).asDouble(), tolerance) << "element " << i;
}

TEST_P(StageTexts, giveTheValuesOfTheProgram)
{
    ProgramCompiler compiler(m_registry);
    const CompileRequest request = requestFor(GetParam(), "llvm");
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const auto expected = run(compiler, request);
    ASSERT_TRUE(expected) << toText(expected.error());
    std::set<std::string> seen;
    for (const PassStep &step : compilation.pipeline.steps) {
        if (!canBeRead(step.after))
            continue;
        CompileRequest again = request;
        again.program.fileName = std::holds_alternative<GraphPtr>(step.after) ? "stage.graph" : "stage.lowered";
        again.program.text = stageText(step.after);
        again.program.isText = true;
        if (!seen.insert(again.program.text).second)
            continue;
        SCOPED_TRACE(step.pass->id);
        const auto found = run(compiler, again);
        ASSERT_TRUE(found) << toText(found.error());
        ASSERT_EQ(found->outputs.size(), expected->outputs.size());
        for (std::size_t i = 0; i < expected->outputs.size(); ++i) {
            ASSERT_EQ(found->outputs[i].name, expected->outputs[i].name);
            expectClose(toRawBits(expected->outputs[i].value), toRawBits(found->outputs[i].value));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, StageTexts, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

} // namespace
} // namespace sw::test
