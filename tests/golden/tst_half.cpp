// Arithmetic on f16 is written as f32, rounded after each operation. A compiler may narrow it where the result has the same
// bits, as for sums, products, quotients and roots of such short values. A processor with f16 should be used that way.

#include "tests/golden/program_fixture.h"

#include "engine/api/describe.h"

#include <fstream>

namespace sw::test {
namespace {

bool hasHalfArithmetic()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);)
        if (line.starts_with("flags"))
            return line.find(" avx512_fp16") != std::string::npos;
    return false;
}

class HalfArithmetic : public ProgramTest, public testing::WithParamInterface<std::string> {};

TEST_P(HalfArithmetic, isTheProcessorsWhereItHasOne)
{
    if (!hasHalfArithmetic())
        GTEST_SKIP() << "the processor has no arithmetic on f16";
    if (const std::string reason = whyUnavailable(GetParam()); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("half.sw", GetParam(), CompileUntil::Machine);
    request.program.isText = true;
    request.program.text = "input x: f16[4096]\ninput y: f16[4096]\noutput (x * y + x) / y - x\n";
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const auto document = describeMachine(*compilation.lowered, *compilation.code, compiler.machineListings(compilation));
    std::string text;
    for (const DocumentLine &line : document->lines)
        text += line.text + "\n";
    for (const char *const mnemonic : {"vmulph", "vaddph", "vdivph", "vsubph"})
        EXPECT_NE(text.find(mnemonic), std::string::npos) << mnemonic;
    EXPECT_EQ(text.find("vaddps"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(All, HalfArithmetic, testing::Values("llvm", "c"), [](const auto &test) { return test.param; });

} // namespace
} // namespace sw::test
