// Every example on every device gives the same values as the reference interpreter of the graph, and compiling it twice gives the
// same bytes in every text stage.

#include "tests/golden/program_fixture.h"

#include "engine/api/stage_text.h"
#include "engine/execute/input_values.h"
#include "tests/support/meaning.h"

#include <array>

namespace sw::test {
namespace {

constexpr std::array kDevices{"interpreter", "llvm", "c", "opencl"};

class Examples : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    // What the program means, before any pass.
    Result<Meaning> reference()
    {
        ProgramCompiler compiler(m_registry);
        const Compilation compilation = compiler.compile(requestFor(GetParam(), "interpreter", CompileUntil::Program), {});
        if (!compilation.succeeded)
            return Failure(compilation.diagnostics);
        SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, 1));
        return meaningAndLimitsOf(compilation.graph, values);
    }
};

TEST_P(Examples, givesTheSameOnEveryDevice)
{
    const auto expected = reference();
    ASSERT_TRUE(expected) << toText(expected.error());
    std::string missing;
    for (const char *device : kDevices) {
        SCOPED_TRACE(device);
        if (const std::string reason = whyUnavailable(device); !reason.empty()) {
            missing += reason;
            continue;
        }
        ProgramCompiler compiler(m_registry);
        const auto result = run(compiler, requestFor(GetParam(), device));
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
    if (!missing.empty())
        GTEST_SKIP() << "not on all devices: " << missing;
}

std::vector<std::string> textsOf(ProgramCompiler &compiler, const Compilation &compilation)
{
    std::vector<std::string> texts;
    for (const PassStep &step : compilation.pipeline.steps)
        texts.push_back(stageText(step.after));
    texts.push_back(codeText(*compilation.lowered, *compilation.code));
    texts.push_back(machineText(*compilation.lowered, compiler.machineListings(compilation)));
    return texts;
}

TEST_P(Examples, compilesToTheSameBytesTwice)
{
    for (const char *device : {"interpreter", "llvm"}) {
        ProgramCompiler first(m_registry);
        ProgramCompiler second(m_registry);
        const Compilation a = first.compile(requestFor(GetParam(), device), {});
        const Compilation b = second.compile(requestFor(GetParam(), device), {});
        ASSERT_TRUE(a.succeeded && b.succeeded) << toText(a.diagnostics);
        EXPECT_EQ(textsOf(first, a), textsOf(second, b)) << device;
    }
}

INSTANTIATE_TEST_SUITE_P(All, Examples, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

} // namespace
} // namespace sw::test
