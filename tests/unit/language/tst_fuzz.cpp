// Whatever the text is, the compiler answers: with a graph, or with diagnostics that have a place.

#include "engine/graph/verify.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <random>

namespace sw::test {
namespace {

void expectAnswer(const std::string &text)
{
    const ProgramResult compiled = compileText(text);
    ASSERT_NE(compiled.sources, nullptr);
    if (compiled.graph) {
        const auto valid = verifyGraph(*compiled.graph);
        ASSERT_TRUE(valid) << text << toText(valid.error());
        return;
    }
    ASSERT_FALSE(compiled.diagnostics.empty()) << text;
    for (const Diagnostic &diagnostic : compiled.diagnostics) {
        EXPECT_TRUE(diagnostic.where.isKnown()) << text << toText(diagnostic);
        EXPECT_NE(diagnostic.code, Code::Internal) << text << toText(diagnostic);
    }
}

std::string exampleNamed(std::string_view name)
{
    return readText(resourceFolder() / "examples" / (std::string(name) + ".sw"));
}

TEST(LanguageFuzz, answersToRandomBytes)
{
    std::mt19937 random(1);
    for (int round = 0; round < 400; ++round) {
        std::string text(random() % 200, ' ');
        for (char &c : text)
            c = static_cast<char>(random() % 256);
        expectAnswer(text);
    }
}

TEST(LanguageFuzz, answersToRandomTokens)
{
    const std::vector<std::string> tokens = {"x",
                                             "y",
                                             "input ",
                                             "param ",
                                             "output ",
                                             "def f(",
                                             "):\n    ",
                                             "\n",
                                             "\n    ",
                                             "(",
                                             ")",
                                             "[",
                                             "]",
                                             ":",
                                             ",",
                                             "=",
                                             "f32",
                                             "f32[2]",
                                             "1",
                                             "0.5",
                                             "-",
                                             "**",
                                             "@",
                                             "//",
                                             " if ",
                                             " else ",
                                             " for ",
                                             " in ",
                                             "return ",
                                             ".",
                                             "None",
                                             "...",
                                             "sum",
                                             "reshape",
                                             "softmax",
                                             " not ",
                                             " and ",
                                             "range",
                                             "x: f32[3]\n",
                                             "max",
                                             "~",
                                             "<<",
                                             "-1",
                                             "\"t\"",
                                             "True",
                                             "view",
                                             "conv2d",
                                             "scope \"a\":\n    ",
                                             "const c: f32[2] = ",
                                             "load(\"w.safetensors\", \"x\")"};
    std::mt19937 random(2);
    for (int round = 0; round < 1500; ++round) {
        std::string text = "input x: f32[2, 3]\n";
        for (auto i = random() % 40; i > 0; --i)
            text += tokens[random() % tokens.size()];
        expectAnswer(text);
    }
}

TEST(LanguageFuzz, answersToMutatedExamples)
{
    std::mt19937 random(3);
    for (const std::string_view name : {"mlp", "attention", "conv", "views", "reductions"}) {
        const std::string original = exampleNamed(name);
        for (int round = 0; round < 120; ++round) {
            std::string text = original;
            for (auto edits = 1 + random() % 4; edits > 0 && !text.empty(); --edits) {
                const std::size_t at = random() % text.size();
                const std::size_t length = std::min<std::size_t>(random() % 12, text.size() - at);
                if (random() % 2 == 0)
                    text.erase(at, length);
                else
                    text.insert(at, text.substr(random() % text.size(), length));
            }
            expectAnswer(text);
        }
    }
}

std::string repeated(std::string_view part, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += part;
    return out;
}

std::string numbered(std::string_view before, std::string_view after, int count)
{
    std::string out;
    for (int i = 0; i < count; ++i)
        out += format("{}{}{}", before, i, after);
    return out;
}

// What is long, and not deep, is read from one end to the other, in time that grows with its length.
TEST(LanguageFuzz, longProgramsAreRead)
{
    for (const std::string &text : std::vector<std::string>{
             "input a: f32[]\noutput a" + repeated(" + a", 50'000) + "\n", "output 1" + repeated(" + 1", 50'000) + "\n",
             "input x: f32[]\n" + repeated("x = -x\n", 50'000) + "output x\n",
             "input x: f32[]\ncheck(true" + repeated(", 1", 100'000) + ")\noutput x\n",
             "input x: f32[1]\noutput cat([x for i in range(40000)])\n", numbered("input a", ": f32[]\n", 20'000) + "output a1\n",
             "input a: f32[]\n" + numbered("output o", " = a\n", 20'000),
             "const k: i32[100000] = [1" + repeated(", 1", 99'999) + "]\noutput k\n"}) {
        const ProgramResult compiled = compileText(text);
        EXPECT_TRUE(compiled.graph.has_value()) << text.substr(0, 60) << toText(compiled.diagnostics);
    }
}

// After so many errors nothing more is looked at, and warnings do not take their places.
TEST(LanguageFuzz, manyErrorsEndTheCompilation)
{
    EXPECT_EQ(compileText(repeated("y = z\n", 100'000)).diagnostics.size(), 1U + 99U);
    const ProgramResult warned = compileText("input x: f32[2]\n" + repeated("x + 1\n", 150) + "output y\n");
    EXPECT_FALSE(warned.graph);
    EXPECT_NE(toText(warned.diagnostics).find("unknown name y"), std::string::npos);
    const ProgramResult wide = compileText("def f(" + numbered("a", " = 1, ", 2'000) + "z = 1):\n    return z\noutput f()\n");
    EXPECT_NE(toText(wide.diagnostics).find("at most 1000 parameters"), std::string::npos);
}

TEST(LanguageFuzz, deepNestingIsADiagnostic)
{
    std::vector<std::string> programs = {
        "output " + repeated("(", 100'000),
        "output " + repeated("[", 100'000),
        "output " + repeated("-", 100'000) + "1",
        "output " + repeated("not ", 100'000) + "1",
        "output " + repeated("2 ** ", 100'000) + "1",
        "output " + repeated("1 if 1 else ", 100'000) + "1",
        "output x" + repeated("[x", 100'000),
        "output f" + repeated("(f", 100'000),
        "x = 1\noutput x" + repeated(".T", 100'000),
        repeated("if 1: ", 100'000) + "pass",
        "if 1: pass\n" + repeated("elif 1: pass\n", 10'000),
    };
    std::string blocks;
    for (int i = 0; i < 2'000; ++i)
        blocks += std::string(static_cast<std::size_t>(i), ' ') + "if 1:\n";
    programs.push_back(blocks);
    for (const std::string &text : programs) {
        const ProgramResult compiled = compileText(text);
        EXPECT_FALSE(compiled.graph.has_value()) << text.substr(0, 40);
        EXPECT_FALSE(compiled.diagnostics.empty()) << text.substr(0, 40);
    }
}

TEST(LanguageFuzz, endlessProgramsEnd)
{
    for (const std::string_view text : {"def f(x):\n    return f(x) + f(x)\noutput f(1)\n",
                                        "for i in range(1000000):\n    for j in range(1000000):\n        k = j\noutput 1\n",
                                        "a = [1]\nfor i in range(100):\n    a = a + a\noutput 1\n",
                                        "a = []\nfor i in range(1000000):\n    a = a + [i]\noutput 1\n",
                                        "a = range(1000000)\nfor i in a:\n    b = -1 in a\noutput 1\n"}) {
        const ProgramResult compiled = compileText(text);
        EXPECT_FALSE(compiled.graph.has_value()) << text;
        ASSERT_FALSE(compiled.diagnostics.empty()) << text;
        EXPECT_EQ(compiled.diagnostics.front().code, Code::Limit) << text << toText(compiled.diagnostics);
    }
}

} // namespace
} // namespace sw::test
