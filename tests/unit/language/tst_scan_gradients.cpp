// The gradient of a scan is that of the steps written out, for steps of all kinds; and it can be differentiated again.

#include "engine/execute/input_values.h"
#include "engine/graph/scan.h"
#include "engine/passes/graph/differentiate.h"
#include "tests/support/meaning.h"
#include "tests/unit/language/language_fixture.h"
#include "tests/unit/passes/gradient_fixture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

namespace sw::test {
namespace {

constexpr std::uint32_t kBodies = 24;
constexpr int kSteps = 5;

// An expression of f64[3] of two states, the parts and what comes from outside.
class RandomExpression {
public:
    explicit RandomExpression(std::uint32_t seed) : m_random(seed) {}

    std::string of(int depth)
    {
        constexpr std::array kLeaves = {"states[0]",   "states[1]",         "parts[0]",
                                        "settings[1]", "detach(states[1])", "parts[1] * 0.5"};
        if (depth == 0)
            return kLeaves[below(kLeaves.size())];
        const std::string a = of(depth - 1);
        const std::string b = of(below(2) == 0 ? depth - 1 : 0);
        switch (below(8)) {
        case 0:
            return format("tanh({})", a);
        case 1:
            return format("sin({} + {})", a, b);
        case 2:
            return format("({}) * ({}) * 0.5", a, b);
        case 3:
            return format("(({}) @ settings[0] * 0.3 + {})", a, b);
        case 4:
            return format("maximum({}, {})", a, b);
        case 5:
            return format("where({} > 0, {}, {})", a, b, a);
        case 6:
            return format("({})[::-1]", a);
        default:
            return format("(sum({}) * 0.1 + {})", a, b);
        }
    }

private:
    std::size_t below(std::size_t count) { return m_random() % count; }

    std::mt19937 m_random;
};

// The step, and then how its steps are taken.
std::string programOf(std::uint32_t seed, const std::string &steps, bool isSecond)
{
    RandomExpression random(seed);
    return format("input x: f64[{0}, 3]\ninput y: f64[{0}, 3]\ninput start: f64[3]\ninput w: f64[3, 3]\ninput b: f64[3]\n"
                  "def step(states, parts, settings):\n    h = {1}\n    return [[h, {2}], [{3}]]\n{4}"
                  "loss = sum(last[0] * cos(b)) + sum(last[1]) + sum(row * row * 0.3)\n"
                  "slopes = grad(loss, [x, start, w, b])\n",
                  kSteps, random.of(3), random.of(1), random.of(2), steps) +
           (isSecond ? "slopes = grad(sum(slopes[0] * slopes[0]) + sum(slopes[2] * y[0]), [x, start, w, b])\n" : "") +
           "output loss\noutput slopes[0]\noutput slopes[1]\noutput slopes[2]\noutput slopes[3]\n";
}

std::string scanned(bool isBackwards)
{
    return format("last, rows = scan(step, [start, start * 2], [x, y], [w, b], backwards = {})\nrow = rows[0]\n",
                  isBackwards ? "true" : "false");
}

std::string writtenOut(bool isBackwards)
{
    return format("last = [start, start * 2]\nall = []\nfor i in range({0}):\n    at = {1}\n"
                  "    made = step(last, [x[at], y[at]], [w, b])\n    last = made[0]\n    all = all + made[1]\n"
                  "row = stack({2}, axis = 0)\n",
                  kSteps, isBackwards ? format("{} - i", kSteps - 1) : "i", isBackwards ? "reversed(all)" : "all");
}

std::vector<HostTensor> valuesOf(const std::string &program)
{
    const ProgramResult compiled = compileText(program);
    EXPECT_TRUE(compiled.graph) << toText(compiled.diagnostics) << program;
    if (!compiled.graph)
        return {};
    const auto inputs = placeholderValues(*compiled.graph, {}, 5);
    const auto values = meaningOf(*compiled.graph, *inputs);
    EXPECT_TRUE(values) << toText(values.error()) << program;
    return values ? *values : std::vector<HostTensor>{};
}

void expectEqualGradients(bool isSecond)
{
    for (std::uint32_t seed = 0; seed < kBodies; ++seed)
        for (const bool isBackwards : {false, true}) {
            const std::string program = programOf(seed, scanned(isBackwards), isSecond);
            const std::vector<HostTensor> found = valuesOf(program);
            const std::vector<HostTensor> expected = valuesOf(programOf(seed, writtenOut(isBackwards), isSecond));
            ASSERT_EQ(found.size(), 5U);
            ASSERT_EQ(expected.size(), 5U);
            for (std::size_t k = 0; k < found.size(); ++k)
                for (std::int64_t i = 0; i < expected[k].elements(); ++i) {
                    const double wanted = expected[k].at(i).asDouble();
                    ASSERT_NEAR(found[k].at(i).asDouble(), wanted, 1e-9 * std::max(1.0, std::abs(wanted)))
                        << "output " << k << " element " << i << " of\n"
                        << program;
                }
        }
}

TEST(ScanGradients, areThoseOfTheStepsWrittenOut)
{
    expectEqualGradients(false);
}

TEST(ScanGradients, canBeDifferentiatedAgain)
{
    expectEqualGradients(true);
}

// Through the states, though no gradient is taken of the first one.
TEST(ScanGradients, goThroughStatesThatBeginAsConstants)
{
    const std::string step = "input x: f64[5, 3]\ndef step(states, parts):\n    return [[tanh(states[0] + parts[0])], []]\n";
    const std::string loss = "output grad(sum(last[0] * last[0]), x)\n";
    const auto found = valuesOf(step + "last, rows = scan(step, [zeros([3], dtype = f64)], [x])\n" + loss);
    const auto expected = valuesOf(step +
                                   "last = [zeros([3], dtype = f64)]\nfor i in range(5):\n"
                                   "    last = step(last, [x[i]])[0]\n" +
                                   loss);
    ASSERT_EQ(found.size(), 1U);
    for (std::int64_t i = 0; i < 15; ++i)
        EXPECT_NEAR(found[0].at(i).asDouble(), expected.at(0).at(i).asDouble(), 1e-12) << i;
}

// Of a value that the body reads, and of one that is moved on the way there.
TEST(ScanGradients, areWholeForValuesOnTheWay)
{
    const std::string begin = "input x: f64[5, 3]\ninput w: f64[3, 3]\nmoved = permute(w, [1, 0])\n"
                              "def step(states, parts, moved):\n    return [[tanh(states[0] @ moved + parts[0])], []]\n";
    const std::string end = "a, b = grad(sum(last[0] * last[0]), [w, moved])\noutput a\noutput b\n";
    const auto found = valuesOf(begin + "last, rows = scan(step, [x[0]], [x], moved)\n" + end);
    const auto expected = valuesOf(begin + "last = [x[0]]\nfor i in range(5):\n    last = step(last, [x[i]], moved)[0]\n" + end);
    ASSERT_EQ(found.size(), 2U);
    for (std::size_t k = 0; k < 2; ++k)
        for (std::int64_t i = 0; i < 9; ++i)
            EXPECT_NEAR(found[k].at(i).asDouble(), expected.at(k).at(i).asDouble(), 1e-12) << k << " " << i;
}

constexpr const char *kProgram =
    "input x: f64[200, 3]\ninput w: f64[3]\ndef step(s, p, w):\n    return [[tanh(s[0] * w + p[0])], []]\n"
    "loss = sum(scan(step, [zeros([3], dtype = f64)], [x], w)[0][0])\n"
    "a, b = grad(loss, [x, w])\noutput a\noutput b\n";

TEST(ScanGradients, areOneScanHoweverManySteps)
{
    const ProgramResult compiled = compileText(kProgram);
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    const Differentiated made = runDifferentiate(*compiled.graph);
    ASSERT_TRUE(made.graph && *made.graph);
    const ScanMap map = scansOf(**made.graph);
    ASSERT_EQ(map.scans.size(), 2U);
    EXPECT_EQ(map.scans[1].steps, 200);
    EXPECT_LT((*made.graph)->size(), 100U);
    EXPECT_EQ(std::ranges::count(made.events, "gradient-of-scan_last", &RewriteEvent::rule), 1);
}

// The results of a scan wait for each other: if the walk ends between them, nothing is lost.
TEST(ScanGradients, meanTheSameAfterEachRewrite)
{
    const ProgramResult compiled = compileText("input x: f64[4, 3]\ndef step(s, p):\n    h = sin(s[0]) + p[0] * s[1]\n"
                                               "    return [[h, s[1] * 0.5 + h], [h * h]]\n"
                                               "last, rows = scan(step, [x[0], x[1]], [x])\na = exp(last[0])\nb = a * last[1]\n"
                                               "c = b + sum(rows[0])\noutput grad(sum(c * c), x)\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    const auto inputs = placeholderValues(*compiled.graph, {}, 2);
    const HostTensor expected = meaningOf(*compiled.graph, *inputs)->front();
    const std::size_t rewrites = runDifferentiate(*compiled.graph).events.size();
    ASSERT_GT(rewrites, 8U);
    for (std::uint32_t budget = 1; budget < rewrites; ++budget) {
        const Differentiated part = runDifferentiate(*compiled.graph, budget);
        ASSERT_TRUE(part.graph && *part.graph);
        const auto values = meaningOf(**part.graph, *inputs);
        ASSERT_TRUE(values) << toText(values.error());
        for (std::int64_t i = 0; i < expected.elements(); ++i)
            EXPECT_NEAR(values->front().at(i).asDouble(), expected.at(i).asDouble(), 1e-9) << "after " << budget;
    }
}

} // namespace
} // namespace sw::test
