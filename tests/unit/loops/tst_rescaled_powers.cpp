// Sums of powers that are joined with the maximum that they are below.

#include "engine/loops/verifier.h"
#include "engine/passes/loops/nest_structure.h"
#include "engine/types/random_fill.h"
#include "tests/unit/loops/loops_of_text.h"
#include "tests/unit/loops/transform_lists.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace sw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kLargest = std::numeric_limits<float>::max();

using Special = std::vector<std::pair<std::int64_t, double>>; // places of elements, and their values

std::string program(int axis, bool isFromFinite, std::string_view dtype = "f32", std::string_view power = "exp(x - base)")
{
    return format(
        "input x: {}[19, 40]\nm = max(x, axis = {}, keepdims = true)\nbase = {}\noutput y = sum({}, axis = {})\noutput z = m\n",
        dtype, axis, isFromFinite ? "where(abs(m) == inf, 0, m)" : "m", power, axis);
}

class JoinedPowers : public test::TransformLists {
protected:
    // The two reductions of the program's one kernel, in plain loops.
    void open(const std::string &text)
    {
        const GraphPtr graph = test::graphOfText(text);
        ASSERT_NE(graph, nullptr);
        m_schedule = test::oneKernelSchedule(graph);
        m_plain = *(*test::loopsFor(m_schedule, test::vectorDevice(), {.optimize = false}))->nests.front();
        ASSERT_EQ(m_plain->reductions.size(), 2U);
    }
    [[nodiscard]] std::string nameOf(AxisId axis) const { return m_plain->axes[axis.value].name; }
    // STEPS: the axis of the first reduction, NEXT: that of the second one, ROWS: that of the domain.
    [[nodiscard]] Result<LoopNest> transformed(std::vector<std::string> lines) const
    {
        LoopNest nest = *m_plain;
        for (std::string &line : lines) {
            for (const auto &[word, name] : {std::pair{"STEPS", nameOf(m_plain->reductions[0].axes.front())},
                                             std::pair{"NEXT", nameOf(m_plain->reductions[1].axes.front())},
                                             std::pair{"ROWS", nameOf(m_plain->domain.front())}})
                for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word))
                    line.replace(at, std::string_view(word).size(), name);
            SW_TRY(nest, applyTransform(nest, parseTransform(line).value()));
        }
        SW_CHECK(verifyLoops(nest, *m_schedule));
        return nest;
    }
    void compareWithPlain(const LoopNest &nest, const Special &special)
    {
        const Node &x = m_schedule->graph->node(m_schedule->graph->placeholders().front());
        std::vector<HostTensor> inputs{randomTensor(x.dtype, x.shape, 3)};
        for (const auto &[place, value] : special)
            inputs.front().set(place, Scalar::of(x.dtype, value));
        const auto expected = valuesOf(m_schedule, *m_plain, inputs);
        const auto actual = valuesOf(m_schedule, nest, inputs);
        ASSERT_TRUE(expected && actual);
        for (std::size_t output = 0; output < expected->size(); ++output) {
            for (std::int64_t i = 0; i < (*expected)[output].elements(); ++i) {
                const double want = (*expected)[output].at(i).asDouble();
                const double got = (*actual)[output].at(i).asDouble();
                if (std::isnan(want) || std::isinf(want))
                    ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want)
                        << "output " << output << ", " << i << ": " << got << " for " << want << "\n"
                        << toText(nest, *m_schedule);
                else
                    ASSERT_NEAR(want, got, 4e-6 * std::abs(want)) << "output " << output << ", " << i;
            }
        }
    }

    SchedulePtr m_schedule;
    std::optional<LoopNest> m_plain;
};

// All that is infinite, or not a number, in the lanes of vectors, in steps that are written out, and in the rest of a split; and
// elements as far from each other as there are.
TEST_F(JoinedPowers, areWhatTwoPassesGive)
{
    const double nan = std::nan("");
    Special none; // rows and columns without a finite element
    for (std::int64_t i = 0; i < 19 * 40; ++i)
        if (i / 40 % 3 == 0 || i % 40 % 7 == 0)
            none.emplace_back(i, -kInfinity);
    Special far;
    for (std::int64_t i = 0; i < 19 * 40; ++i)
        far.emplace_back(i, i % 3 == 0 ? -kLargest : i % 5 == 0 ? kLargest : static_cast<double>(i % 200) - 100);
    const std::vector<Special> all{{},
                                   none,
                                   far,
                                   {{3, kInfinity}},
                                   {{41, kInfinity}, {42, kInfinity}, {50, nan}},
                                   {{0, -kInfinity}, {1, -kInfinity}, {40, -kInfinity}, {759, nan}}};
    for (const int axis : {0, 1}) {
        for (const bool isFromFinite : {false, true}) {
            open(program(axis, isFromFinite));
            for (const std::vector<std::string> &more :
                 {std::vector<std::string>{},
                  {"split STEPS 8", "set_type STEPS.i vector"},
                  {"split STEPS 6", "split STEPS.i 2", "set_type STEPS.i.o unroll", "set_type STEPS.i.i vector"},
                  {"split STEPS 3", "set_type STEPS.i unroll"},
                  {"split ROWS 8", "set_type ROWS.i vector", "split STEPS 4", "set_type STEPS.i unroll",
                   "reorder STEPS.o ROWS.o ROWS.i"}}) {
                std::vector<std::string> lines{"join STEPS NEXT"};
                lines.insert(lines.end(), more.begin(), more.end());
                const Result<LoopNest> nest = transformed(lines);
                ASSERT_TRUE(nest) << toText(nest.error());
                for (const Special &special : all) {
                    compareWithPlain(*nest, special);
                    if (HasFatalFailure())
                        return;
                }
            }
        }
    }
}

TEST_F(JoinedPowers, saySo)
{
    open(program(1, false));
    const Result<LoopNest> nest = transformed({"join STEPS NEXT"});
    ASSERT_TRUE(nest) << toText(nest.error());
    const std::string text = toText(*nest, *m_schedule);
    EXPECT_NE(text.find("reduction 1 = add f32, the powers below the max of reduction 0, rescaled where that grows"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("reduction 1 rescaled= v"), std::string::npos) << text;
    EXPECT_EQ(text.find("load x"), text.rfind("load x")) << text;
    EXPECT_EQ(text.find("exp "), std::string::npos) << text;
}

// Kernels that do otherwise about what is infinite are not lowered once for both.
TEST_F(JoinedPowers, areToldApart)
{
    open(program(1, false));
    const Result<LoopNest> nest = transformed({"join STEPS NEXT"});
    ASSERT_TRUE(nest);
    LoopNest other = *nest;
    EXPECT_EQ(structureOf(*m_schedule, *nest), structureOf(*m_schedule, other));
    other.reductions[1].joined->isFromFinite = true;
    EXPECT_NE(structureOf(*m_schedule, *nest), structureOf(*m_schedule, other));
}

// An element has one exponential.
TEST_F(JoinedPowers, haveOneExponentialForAnElement)
{
    open(program(1, true));
    const Result<LoopNest> nest = transformed({"join STEPS NEXT"});
    ASSERT_TRUE(nest);
    LoopProgram loops{.schedule = m_schedule};
    loops.nests.push_back(std::make_shared<const LoopNest>(*nest));
    PassContext context(test::vectorDevice(), TargetLanguage::Lowered, {}, {});
    const Result<LoweredProgram> lowered = lowerLoops(std::make_shared<const LoopProgram>(std::move(loops)), context);
    ASSERT_TRUE(lowered);
    std::size_t exponentials = 0;
    for (const Instruction &instruction : lowered->kernels.front().instructions) {
        if (instruction.kind == InstructionKind::Range)
            exponentials = 0;
        if (instruction.kind == InstructionKind::EndRange)
            break; // of the innermost loop, which is the reduction's
        exponentials += instruction.kind == InstructionKind::Alu && instruction.op == Op::Exp ? 1 : 0;
    }
    EXPECT_EQ(exponentials, 1U);
}

// Powers of other distances, of other types than the maximum, or below a minimum have no rule.
TEST_F(JoinedPowers, areNoOthersThanTheRuleSays)
{
    const auto problemOfText = [&](const std::string &text) {
        open(text);
        const Result<LoopNest> nest = transformed({"join STEPS NEXT"});
        return nest ? std::string() : toText(nest.error());
    };
    EXPECT_EQ(problemOfText(program(1, false, "f64")), "");
    const std::string none = "no rule carries both along";
    EXPECT_NE(problemOfText(program(1, false, "f32", "exp(base - x)")).find(none), std::string::npos);
    EXPECT_NE(problemOfText(program(1, false, "f32", "exp(x - base) * x")).find(none), std::string::npos);
    EXPECT_NE(problemOfText(program(1, false, "f32", "tanh(x - base)")).find(none), std::string::npos);
    std::string least = program(1, false);
    least.replace(least.find("max("), 3, "min");
    EXPECT_NE(problemOfText(least).find(none), std::string::npos);
    std::string other = program(1, true);
    other.replace(other.find("inf, 0"), 6, "inf, 1");
    EXPECT_NE(problemOfText(other).find(none), std::string::npos);
}

} // namespace
} // namespace sw
