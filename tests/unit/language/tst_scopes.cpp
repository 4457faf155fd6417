// Scopes that a program names itself.

#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <map>

namespace sw::test {
namespace {

// By the name of the value.
std::map<std::string, std::string> scopesOf(std::string_view text)
{
    const ProgramResult compiled = compileText(text);
    EXPECT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    std::map<std::string, std::string> scopes;
    if (compiled.graph)
        for (const Node &node : compiled.graph->nodes())
            scopes[node.name] = compiled.graph->sources().scopePath(node.scope);
    return scopes;
}

Diagnostic errorOf(std::string_view text)
{
    const ProgramResult compiled = compileText(text);
    EXPECT_FALSE(compiled.graph.has_value());
    return compiled.diagnostics.empty() ? Diagnostic{} : compiled.diagnostics.front();
}

TEST(LanguageScopes, holdTheirLinesAndLeaveTheirNames)
{
    const auto scopes = scopesOf("input x: f32[4]\n"
                                 "scope \"encoder/layer.0\":\n"
                                 "    a = x * 2\n"
                                 "    scope \"inner\":\n"
                                 "        b = sqrt(a)\n"
                                 "c = a + b\n"
                                 "scope \"encoder\": d = exp(c)\n"
                                 "output d\n");
    EXPECT_EQ(scopes.at("a"), "encoder/layer.0");
    EXPECT_EQ(scopes.at("b"), "encoder/layer.0/inner");
    EXPECT_EQ(scopes.at("c"), "");
    EXPECT_EQ(scopes.at("d"), "encoder");
}

TEST(LanguageScopes, goOnUnderTheSameName)
{
    const ProgramResult compiled = compileText("input x: f32[4]\n"
                                               "scope \"a/b\":\n"
                                               "    y = x * 2\n"
                                               "z = sqrt(y)\n"
                                               "scope \"a\":\n"
                                               "    scope \"b\":\n"
                                               "        w = exp(z)\n"
                                               "output w\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    std::map<std::string, ScopeId> scopes;
    for (const Node &node : compiled.graph->nodes())
        scopes[node.name] = node.scope;
    EXPECT_EQ(scopes.at("y"), scopes.at("w"));
    EXPECT_NE(scopes.at("y"), scopes.at("z"));
}

TEST(LanguageScopes, areThoseOfTheCallInFunctions)
{
    const auto scopes = scopesOf("input x: f32[4]\n"
                                 "def f(x):\n"
                                 "    scope \"part\":\n"
                                 "        return sqrt(x)\n"
                                 "y = f(x)\n"
                                 "z = y + 1\n"
                                 "output f(z)\n");
    EXPECT_EQ(scopes.at("y"), "f/part");
    EXPECT_EQ(scopes.at("z"), "");
}

TEST(LanguageScopes, takeAWordThatIsNoKeyword)
{
    EXPECT_EQ(scopesOf("input scope: f32[4]\nx = scope * 2\noutput x\n").count("scope"), 1U);
}

TEST(LanguageScopes, needANameAndABlock)
{
    const Diagnostic empty = errorOf("input x: f32[4]\nscope \"a//b\":\n    y = x\noutput x\n");
    EXPECT_EQ(empty.code, Code::Argument);
    EXPECT_EQ(empty.where.line, 2U);
    EXPECT_EQ(errorOf("input x: f32[4]\nscope \"\":\n    y = x\noutput x\n").code, Code::Argument);
    EXPECT_EQ(errorOf("input x: f32[4]\nscope \"a\"\noutput x\n").code, Code::Syntax);
    EXPECT_EQ(errorOf("input x: f32[4]\nscope \"a\":\noutput x\n").code, Code::Syntax);
    // What a scope that fails would name is not reported again.
    EXPECT_EQ(compileText("input x: f32[4]\nscope \"/\":\n    y = x\noutput y\n").diagnostics.size(), 1U);
}

} // namespace
} // namespace sw::test
