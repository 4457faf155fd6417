// Recurrences: scan() gives what the same steps give when they are written out, whatever they hand on.

#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "engine/graph/scan.h"
#include "engine/graph/structure.h"
#include "engine/graph/verify.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

namespace sw::test {

namespace {

constexpr const char *kFilter = R"(
input x: f32[70, 5]
param w: f32[5, 5] = random(3)
def step(states, parts, settings):
    total, count = states
    next = tanh(total @ settings + parts[0])
    return [[next, count + 1], [next * count]]
)";

std::string withScan(const std::string &more)
{
    return std::string(kFilter) + format("last, rows = scan(step, [ones([5]), zeros([])], [x], w{})\n", more) +
           "output last[0]\noutput last[1]\noutput rows[0]\n";
}

std::string writtenOut(const std::string &place)
{
    return std::string(kFilter) + R"(states = [ones([5]), zeros([])]
rows = []
for i in range(70):
    made = step(states, [x[)" +
           place + R"(]], w)
    states = made[0]
    rows = rows + made[1]
output states[0]
output states[1]
)";
}

std::string errorOf(const std::string &text)
{
    const ProgramResult result = compileText(text);
    EXPECT_FALSE(result.graph && verifyGraph(*result.graph)) << text;
    if (result.graph) {
        const auto verified = verifyGraph(*result.graph);
        return verified ? std::string() : toText(verified.error());
    }
    return toText(result.diagnostics);
}

void expectNear(const HostTensor &found, const HostTensor &expected)
{
    ASSERT_EQ(found.shape(), expected.shape());
    for (std::int64_t i = 0; i < expected.elements(); ++i)
        EXPECT_NEAR(found.at(i).asDouble(), expected.at(i).asDouble(), 1e-5) << i;
}

} // namespace

TEST(LanguageScan, givesWhatTheWrittenOutStepsGive)
{
    const auto scanned = runText(withScan(""));
    const auto expected = runText(writtenOut("i") + "output stack(rows)\n");
    ASSERT_EQ(scanned.size(), 3U);
    ASSERT_EQ(expected.size(), 3U);
    for (std::size_t i = 0; i < expected.size(); ++i)
        expectNear(scanned[i], expected[i]);
}

TEST(LanguageScan, goesBackwards)
{
    const auto scanned = runText(withScan(", backwards = true"));
    const auto expected = runText(writtenOut("69 - i") + "output stack(reversed(rows))\n");
    ASSERT_EQ(scanned.size(), 3U);
    ASSERT_EQ(expected.size(), 3U);
    for (std::size_t i = 0; i < expected.size(); ++i)
        expectNear(scanned[i], expected[i]);
}

// As many elements as the run says; the others change nothing, and their results are 0.
TEST(LanguageScan, countsOnlySomeElements)
{
    constexpr const char *kStep = "def f(s, p):\n    return [[s[0] * 2 + p[0], s[1] | (p[0] > 3)], [s[0] + p[0], p[0] > 0]]\n";
    const auto outputs = [](const std::string &more) {
        return format("last, rows = scan(f, [zeros([]), vconst(false, bool)], [x], {})\n"
                      "output cat([last[0].reshape([1]), last[1].cast(f32).reshape([1]), rows[0], rows[1].cast(f32)])\n",
                      more);
    };
    const std::string x = "const x: f32[4] = [1, 2, 3, 4]\n";
    for (const char *count : {"2", "vconst(2, i64)", "vconst(2, i32) + 0"})
        EXPECT_EQ(valuesOf(kStep + x + outputs(format("count = {}", count))), (std::vector<double>{4, 0, 1, 3, 0, 0, 1, 1, 0, 0}))
            << count;
    EXPECT_EQ(valuesOf(kStep + x + outputs("count = 2, backwards = true")), (std::vector<double>{5, 0, 3, 2, 0, 0, 1, 1, 0, 0}));
    EXPECT_EQ(valuesOf(kStep + x + outputs("count = 0")), (std::vector<double>(10, 0)));
    EXPECT_EQ(valuesOf(kStep + x + outputs("count = 9")), valuesOf(kStep + x + outputs("count = None")));
}

TEST(LanguageScan, isOneBodyHoweverManySteps)
{
    const ProgramResult few = compileText("input x: f32[2, 3]\ndef f(s, p):\n    return [[s[0] + exp(p[0])], []]\n"
                                          "last, rows = scan(f, [zeros([3])], [x])\noutput last[0]\n");
    const ProgramResult many = compileText("input x: f32[100000, 3]\ndef f(s, p):\n    return [[s[0] + exp(p[0])], []]\n"
                                           "last, rows = scan(f, [zeros([3])], [x])\noutput last[0]\n");
    ASSERT_TRUE(few.graph && many.graph) << toText(many.diagnostics);
    EXPECT_EQ(few.graph->size(), many.graph->size());
}

TEST(LanguageScan, exchangesWhatItHandsOn)
{
    EXPECT_EQ(valuesOf("def f(s, p):\n    return [[s[1], s[0], s[2]], [s[0]]]\n"
                       "last, rows = scan(f, [vconst([1, 2]), vconst([3, 4]), vconst([5, 6])], [], steps = 3)\n"
                       "output cat(last + [rows[0].reshape([-1])])\n"),
              (std::vector<double>{3, 4, 1, 2, 5, 6, 1, 2, 3, 4, 1, 2}));
}

TEST(LanguageScan, readsItsGraphTextBack)
{
    const ProgramResult made = compileText(withScan(", backwards = true"));
    ASSERT_TRUE(made.graph) << toText(made.diagnostics);
    const std::string text = printGraph(*made.graph).text;
    EXPECT_NE(text.find("= scan_rows %"), std::string::npos) << text;
    EXPECT_NE(text.find("{scan = 0, steps = 70, reversed = true}"), std::string::npos) << text;
    const auto read = parseGraph(text, "scan.tcg");
    ASSERT_TRUE(read) << toText(read.error());
    EXPECT_TRUE(isSameStructure(*read, *made.graph));
    EXPECT_TRUE(verifyGraph(*read));
}

TEST(LanguageScan, countsTheScansOfAProgram)
{
    const ProgramResult made = compileText("input x: f32[4, 3]\ndef f(s, p):\n    return [[s[0] + p[0]], [s[0]]]\n"
                                           "a, b = scan(f, [zeros([3])], [x])\nc, d = scan(f, [a[0]], b)\noutput c[0]\n");
    ASSERT_TRUE(made.graph) << toText(made.diagnostics);
    const ScanMap map = scansOf(*made.graph);
    ASSERT_EQ(map.scans.size(), 2U);
    EXPECT_NE(map.scans[0].number, map.scans[1].number);
    for (const NodeId output : made.graph->outputs())
        EXPECT_EQ(map.bodyOf(output), kNoScan);
}

TEST(LanguageScan, saysWhatIsWrongWithAStep)
{
    const std::string begin = "input x: f32[4, 3]\n";
    EXPECT_NE(errorOf(begin + "def f(s, p):\n    return [[sum(s[0])], []]\noutput scan(f, [zeros([3])], [x])[0][0]\n")
                  .find("makes the type f32 and shape [] of a state of the type f32 and shape [3]"),
              std::string::npos);
    EXPECT_NE(errorOf(begin + "def f(s, p):\n    return [[], []]\noutput scan(f, [zeros([3])], [x])[0][0]\n")
                  .find("the step of a scan has 1 states and returns 0"),
              std::string::npos);
    EXPECT_NE(errorOf(begin + "def f(s, p):\n    return [s, []]\noutput scan(f, [zeros([3])], [x], steps = 5)[0][0]\n")
                  .find("a scan of 5 steps reads f32[4, 3], expected a first axis of that extent"),
              std::string::npos);
    EXPECT_NE(errorOf("def f(s, p):\n    return [s, []]\noutput scan(f, [zeros([3])], [], steps = 0)[0][0]\n")
                  .find("a scan needs at least one step, not 0"),
              std::string::npos);
}

TEST(LanguageScan, writesOutOneInAStepOfAnother)
{
    constexpr const char *kSteps = R"(
const x: f32[2, 3] = [[1, 2, 3], [4, 5, 6]]
def inner(s, p, settings):
    return [[s[0] * settings + p[0]], [s[0]]]
def outer(s, p):
    last, rows = scan(inner, [s[0]], [p[0]], s[1]@)
    return [[last[0], s[1] + 1], [rows[0]]]
)";
    const auto program = [&](const std::string &more, const std::string &end) {
        std::string text = kSteps;
        return text.replace(text.find('@'), 1, more) + end;
    };
    const std::string scanned = "last, rows = scan(outer, [zeros([]), ones([])], [x])\n"
                                "output cat([last[0].reshape([1]), rows[0].reshape([-1])])\n";
    // Of the first row the settings are 1: 0, 1, 3 and then 6; of the second 2: 6, 16, 37 and then 80.
    EXPECT_EQ(valuesOf(program("", scanned)), (std::vector<double>{80, 0, 1, 3, 6, 16, 37}));
    EXPECT_EQ(valuesOf(program(", backwards = true", scanned)), (std::vector<double>{86, 5, 3, 0, 41, 18, 6}));
    EXPECT_EQ(valuesOf(program(", count = 2", scanned)), (std::vector<double>{25, 0, 1, 0, 3, 10, 0}));
    // What is the same in all steps is a scan that is computed once.
    const ProgramResult outside = compileText(program("", "def same(s, p):\n"
                                                          "    return [[s[0] + scan(inner, [zeros([])], [x[0]], 2)[0][0]], []]\n"
                                                          "output scan(same, [zeros([])], [x])[0][0]\n"));
    ASSERT_TRUE(outside.graph) << toText(outside.diagnostics);
    EXPECT_EQ(scansOf(*outside.graph).scans.size(), 2U);
}

TEST(LanguageScan, refusesToWriteOutTooMuch)
{
    const std::string error = errorOf("input x: f32[4, 257]\ndef inner(s, p):\n    return [[s[0] + p[0]], []]\n"
                                      "def outer(s, p):\n    return [scan(inner, s, p)[0], []]\n"
                                      "output scan(outer, [zeros([])], [x])[0][0]\n");
    EXPECT_NE(error.find("another one is written out, and 257 steps are more than the 256 that may be"), std::string::npos)
        << error;
}

// A graph that has one all the same.
TEST(LanguageScan, refusesAScanInsideOfAnother)
{
    const std::string error = errorOf("input x: f32[4, 3]\npart = scan_slice(x, 0, 4)\n"
                                      "inner = scan_carry(zeros([]), 1, 3, 0) + scan_slice(part, 1, 3)\n"
                                      "outer = scan_carry(zeros([]), 0, 4, 0) + scan_last([inner], 1, 3, 0)\n"
                                      "output scan_last([outer], 0, 4, 0)\n");
    EXPECT_NE(error.find("a scan in the body of another one is not supported"), std::string::npos) << error;
}

TEST(LanguageScan, refusesAValueOfAStepAsAnOutput)
{
    const std::string error = errorOf("input x: f32[4, 3]\noutput scan_slice(x, 0, 4) + 1\n");
    EXPECT_NE(error.find("is an output, but has a value in each step of scan 0"), std::string::npos) << error;
}

} // namespace sw::test
