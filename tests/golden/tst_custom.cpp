// Mistakes in a custom operation are reported where the author made them.

#include "tests/golden/program_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

class Custom : public ProgramTest {
protected:
    Custom() : m_compiler(m_registry) {}

    Compilation compiled(const std::string &device, const std::string &text)
    {
        CompileRequest request = requestFor("custom.sw", device, CompileUntil::Machine);
        request.program.isText = true;
        request.program.text = text;
        return m_compiler.compile(request, {});
    }

    // The error message for custom("x", [x, y], c = expression).
    std::string faultOf(const std::string &expression)
    {
        const Compilation compilation =
            compiled("c", "input x: f32[8]\ninput y: f32[8]\noutput custom(\"x\", [x, y], c = \"" + expression + "\")\n");
        return compilation.succeeded ? "" : compilation.diagnostics.front().message;
    }

    ProgramCompiler m_compiler;
};

TEST_F(Custom, placesOfAnExpressionAreChecked)
{
    const std::string begin = "the expression ";
    EXPECT_EQ(faultOf("{0} + {1}"), "");
    EXPECT_EQ(faultOf("({{ float a = {0}; a * {1}; }})"), "");
    EXPECT_EQ(faultOf("{0"), begin + "\"{0\" for c of custom \"x\": at character 1, { is never closed");
    EXPECT_EQ(faultOf("1 + {0{1}}"),
              begin + "\"1 + {0{1}}\" for c of custom \"x\": at character 5, { is not closed before the { at character 7");
    EXPECT_EQ(faultOf("{0} + {7}"),
              begin + "\"{0} + {7}\" for c of custom \"x\": at character 7, there are 2 operands, {0} to {1}, and no {7}");
    EXPECT_EQ(faultOf("{x}"), begin +
                                  "\"{x}\" for c of custom \"x\": at character 1, {x} is not the number of an operand; braces "
                                  "of the language are written {{ and }}");
    EXPECT_EQ(faultOf("{}"),
              begin + "\"{}\" for c of custom \"x\": at character 1, {} names no operand: write {0} for the first, and {{}} for "
                      "braces");
    EXPECT_EQ(faultOf("{0} }"),
              begin + "\"{0} }\" for c of custom \"x\": at character 5, } stands alone; a brace of the language is written }}");
    EXPECT_EQ(faultOf(" "), begin + "\" \" for c of custom \"x\": it is empty");
}

struct WrongExpression {
    const char *device;
    const char *language;
    const char *expression;
    const char *message; // part of the message
};

constexpr WrongExpression kWrong[] = {
    {"c", "c", "nowhere({0})", "nowhere"},
    {"c", "c", "({0} + 1", "expected ')'"},
    {"opencl", "opencl", "nowhere({0})", "nowhere"},
    {"llvm", "llvm", "fmul flaot {0}, {0}", "expected type"},
};

TEST_F(Custom, whatACompilerSaysIsToldAtTheCallOnce)
{
    for (const WrongExpression &wrong : kWrong) {
        if (!whyUnavailable(wrong.device).empty())
            continue;
        // With vectors, every lane has its own expression.
        const Compilation compilation =
            compiled(wrong.device, format("input x: f32[64]\ny = exp(x)\noutput custom(\"mine\", y, {} = \"{}\")\n",
                                          wrong.language, wrong.expression));
        ASSERT_FALSE(compilation.succeeded) << wrong.device;
        ASSERT_EQ(compilation.diagnostics.size(), 1U) << toText(compilation.diagnostics);
        const Diagnostic &found = compilation.diagnostics.front();
        EXPECT_EQ(found.where.file, "custom.sw");
        EXPECT_EQ(found.where.line, 3U);
        EXPECT_TRUE(found.message.starts_with("custom \"mine\": ")) << found.message;
        EXPECT_NE(found.message.find(wrong.message), std::string::npos) << found.message;
        ASSERT_EQ(found.notes.size(), 1U);
        EXPECT_TRUE(found.notes.front().where.isKnown());
    }
}

} // namespace
} // namespace sw::test
