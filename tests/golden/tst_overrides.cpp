// Overrides: every decision of every example is reversed. Either the kernels change and the values stay the same, or the
// compilation says why it cannot be done.

#include "tests/golden/program_fixture.h"

#include "engine/api/explanation.h"
#include "engine/execute/input_values.h"
#include "engine/graph/value_path.h"
#include "engine/lowered/printer.h"
#include "engine/schedule/printer.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw::test {
namespace {

bool isTogether(const Schedule &schedule, const std::string &value, const std::string &reader)
{
    const ValuePaths paths(*schedule.graph);
    return schedule.kernelOf(paths.find(value)) == schedule.kernelOf(paths.find(reader));
}

class OverriddenExamples : public ProgramTest, public testing::WithParamInterface<std::filesystem::path> {
protected:
    Compilation compiled(ProgramCompiler &compiler, Overrides overrides, CompileUntil until = CompileUntil::Lowered)
    {
        CompileRequest request = requestFor(GetParam(), "llvm", until);
        request.options.overrides = std::move(overrides);
        return compiler.compile(request, {});
    }
};

TEST_P(OverriddenExamples, decidesOtherwiseOrSaysWhyNot)
{
    ProgramCompiler compiler(m_registry);
    const Compilation plain = compiled(compiler, {});
    ASSERT_TRUE(plain.succeeded) << toText(plain.diagnostics);
    const ValuePaths paths(*plain.schedule->graph);
    std::size_t applied = 0;
    for (const FusionDecision &decision : plain.schedule->decisions) {
        const Override item = oppositeOf(decision, paths);
        SCOPED_TRACE(toText(item));
        const Compilation other = compiled(compiler, {{}, {item}});
        ASSERT_TRUE(other.succeeded) << toText(other.diagnostics);
        ASSERT_EQ(other.schedule->overrides.size(), 1U);
        const OverrideOutcome &outcome = other.schedule->overrides.front();
        const bool isDone = isTogether(*other.schedule, item.value, item.reader) == (item.kind == OverrideKind::Fuse);
        if (outcome.state == OverrideState::Applied) {
            ++applied;
            EXPECT_TRUE(isDone) << printSchedule(*other.schedule).text;
            EXPECT_TRUE(other.diagnostics.size() == plain.diagnostics.size()) << toText(other.diagnostics);
        } else if (outcome.state == OverrideState::Refused) {
            EXPECT_FALSE(outcome.reason.empty());
            EXPECT_NE(toText(other.diagnostics).find("is not applied: " + outcome.reason), std::string::npos);
        } else {
            ADD_FAILURE() << nameOf(outcome.state) << " " << outcome.reason;
        }
    }
    RecordProperty("applied", static_cast<int>(applied));
    const bool hasFused = std::ranges::any_of(plain.schedule->decisions, &FusionDecision::isFused);
    EXPECT_TRUE(applied > 0 || !hasFused);
}

// The values are the same as without overrides, with as many at once as fit; the text form of the overrides gives the same.
TEST_P(OverriddenExamples, keepTheValues)
{
    ProgramCompiler compiler(m_registry);
    const Compilation program = compiler.compile(requestFor(GetParam(), "interpreter", CompileUntil::Program), {});
    ASSERT_TRUE(program.succeeded);
    const auto values = placeholderValues(*program.graph, {}, 1);
    ASSERT_TRUE(values) << toText(values.error());
    const auto expected = meaningAndLimitsOf(program.graph, *values);
    ASSERT_TRUE(expected) << toText(expected.error());
    const Compilation plain = compiled(compiler, {});
    const ValuePaths paths(*plain.schedule->graph);
    for (const std::size_t step : {1U, 2U, 3U}) {
        Overrides overrides;
        for (std::size_t i = step / 2; i < plain.schedule->decisions.size(); i += step)
            overrides.items.push_back(oppositeOf(plain.schedule->decisions[i], paths));
        const Result<Overrides> replayed = parseOverrides(printOverrides(overrides), "replayed");
        ASSERT_TRUE(replayed) << toText(replayed.error());
        const Compilation before = compiled(compiler, overrides);
        const Compilation after = compiled(compiler, *replayed);
        ASSERT_TRUE(before.succeeded && after.succeeded) << toText(before.diagnostics);
        EXPECT_EQ(printSchedule(*before.schedule).text, printSchedule(*after.schedule).text);
        for (const char *device : {"interpreter", "llvm"}) {
            CompileRequest request = requestFor(GetParam(), device);
            request.options.overrides = *replayed;
            const auto result = run(compiler, request);
            ASSERT_TRUE(result) << toText(result.error());
            for (std::size_t i = 0; i < expected->values.size(); ++i)
                EXPECT_TRUE(expected->compared(i, result->outputs[i].value).equal) << device << ", output " << i;
        }
    }
}

// The compiler's own transformations, given by hand, make the same loops; without any transformation, the values stay.
TEST_P(OverriddenExamples, takesTransformations)
{
    ProgramCompiler compiler(m_registry);
    const Compilation plain = compiled(compiler, {});
    ASSERT_TRUE(plain.succeeded);
    const ValuePaths paths(*plain.schedule->graph);
    Overrides same;
    Overrides none;
    for (const auto &nest : plain.loops->nests) {
        const std::string value = paths.of(plain.schedule->kernel(nest->kernel).root);
        same.items.push_back({.kind = OverrideKind::Loops, .value = value, .transforms = nest->transforms});
        none.items.push_back({.kind = OverrideKind::Loops, .value = value});
    }
    const Result<Overrides> replayed = parseOverrides(printOverrides(same), "replayed");
    ASSERT_TRUE(replayed) << toText(replayed.error());
    const Compilation again = compiled(compiler, *replayed);
    ASSERT_TRUE(again.succeeded) << toText(again.diagnostics);
    EXPECT_EQ(again.diagnostics.size(), plain.diagnostics.size()) << toText(again.diagnostics);
    for (const OverrideOutcome &outcome : again.loops->overrides)
        EXPECT_EQ(outcome.state, OverrideState::Applied) << outcome.reason;
    for (std::size_t i = 0; i < plain.lowered->kernels.size(); ++i)
        EXPECT_EQ(printLowered(again.lowered->kernels[i], PrintOrigins::Hidden).text,
                  printLowered(plain.lowered->kernels[i], PrintOrigins::Hidden).text);

    CompileRequest request = requestFor(GetParam(), "llvm");
    request.options.overrides = none;
    const auto bare = run(compiler, request);
    ASSERT_TRUE(bare) << toText(bare.error());
    const Compilation program = compiler.compile(requestFor(GetParam(), "interpreter", CompileUntil::Program), {});
    const auto values = placeholderValues(*program.graph, {}, 1);
    ASSERT_TRUE(values);
    const auto expected = meaningAndLimitsOf(program.graph, *values);
    ASSERT_TRUE(expected);
    for (std::size_t i = 0; i < expected->values.size(); ++i)
        EXPECT_TRUE(expected->compared(i, bare->outputs[i].value).equal) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(All, OverriddenExamples, testing::ValuesIn(exampleFiles()),
                         [](const auto &test) { return parameterName(test.param); });

class OverriddenText : public ProgramTest {
protected:
    OverriddenText() : m_compiler(m_registry) {}

    Compilation compiled(const std::string &text, std::vector<Override> items)
    {
        CompileRequest request = requestFor("o.sw", "llvm", CompileUntil::Lowered);
        request.program.isText = true;
        request.program.text = text;
        request.options.overrides = {"o.txt", std::move(items)};
        Compilation compilation = m_compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        return compilation;
    }

    ProgramCompiler m_compiler;
};

constexpr const char *kChain = "input x: f32[40]\na = exp(x)\nb = tanh(a)\nc = sin(b)\noutput c + a\n";

TEST_F(OverriddenText, keepsAnEdgeApart)
{
    EXPECT_EQ(compiled(kChain, {}).schedule->kernels.size(), 1U);
    const Compilation apart = compiled(kChain, {{OverrideKind::Apart, "a", "b"}});
    EXPECT_EQ(apart.schedule->overrides.front().state, OverrideState::Applied);
    EXPECT_EQ(apart.schedule->kernels.size(), 2U);
    const auto decision = std::ranges::find(apart.schedule->decisions, "override", &FusionDecision::rule);
    ASSERT_NE(decision, apart.schedule->decisions.end());
    EXPECT_NE(decision->reason.find("an override keeps them apart"), std::string::npos);
}

TEST_F(OverriddenText, storesAValueApartFromAllItsReaders)
{
    const Compilation stored = compiled(kChain, {{OverrideKind::Store, "a"}});
    EXPECT_EQ(stored.schedule->overrides.front().state, OverrideState::Applied);
    const ValuePaths paths(*stored.schedule->graph);
    EXPECT_TRUE(stored.schedule->bufferOf(paths.find("a")).isValid());
    EXPECT_FALSE(isTogether(*stored.schedule, "a", "b"));
}

TEST_F(OverriddenText, fusesAgainstCostsOnly)
{
    const std::string rows = "input x: f32[31, 2000]\ns = sum(x, axis = 1, keepdims = true)\noutput y = x - s\n";
    EXPECT_EQ(compiled(rows, {}).schedule->kernels.size(), 2U);
    const Compilation fused = compiled(rows, {{OverrideKind::Fuse, "s", "y"}});
    EXPECT_EQ(fused.schedule->overrides.front().state, OverrideState::Applied) << fused.schedule->overrides.front().reason;
    EXPECT_EQ(fused.schedule->kernels.size(), 1U);
    EXPECT_NE(fused.schedule->decisions.front().reason.find("asked for by an override, although only 31 rows"), std::string::npos)
        << fused.schedule->decisions.front().reason;

    const std::string lookup = "input x: f32[40]\ninput i: i64[3]\na = exp(x)\noutput y = gather(a, i, axis = 0)\n";
    const Compilation refused = compiled(lookup, {{OverrideKind::Fuse, "a", "y"}});
    EXPECT_EQ(refused.schedule->overrides.front().state, OverrideState::Refused);
    EXPECT_NE(toText(refused.diagnostics).find("must be in memory"), std::string::npos) << toText(refused.diagnostics);
}

TEST_F(OverriddenText, refusesTransformationsThatAreNotLegal)
{
    const auto outcomeOf = [&](std::string_view lines) {
        const Result<Overrides> read = parseOverrides("stepwell overrides 1\n" + std::string(lines) + "\n", "o.txt");
        EXPECT_TRUE(read) << toText(read.error());
        const Compilation compilation = compiled("input x: f32[64, 48]\na = exp(x)\noutput y = sum(a, axis = 1)\n", read->items);
        EXPECT_TRUE(toText(compilation.diagnostics).find("o.txt:2:1") != std::string::npos) << toText(compilation.diagnostics);
        return compilation.loops->overrides.front();
    };
    for (const auto &[line, reason] :
         {std::pair("loops y: split i9 8", "the kernel has no axis"), std::pair("loops y: split i0 0", "factor must be between"),
          std::pair("loops y: set_type i0 reduce", ""), std::pair("loops a: split i0 8", "a is not stored"),
          std::pair("loops x: split i0 8", "no kernel computes x"), std::pair("loops z: split i0 8", "there is no value")}) {
        const OverrideOutcome outcome = outcomeOf(line);
        EXPECT_TRUE(outcome.state == OverrideState::Refused || outcome.state == OverrideState::Unknown) << line;
        EXPECT_NE(outcome.reason.find(reason), std::string::npos) << line << ": " << outcome.reason;
    }
    const Result<Overrides> bad = parseOverrides("stepwell overrides 1\nloops y: split i0 8; melt i0\n", "o.txt");
    ASSERT_FALSE(bad);
    EXPECT_NE(toText(bad.error()).find("o.txt:2:22"), std::string::npos) << toText(bad.error());
}

TEST_F(OverriddenText, saysWhatItDoesNotFind)
{
    const Compilation unknown = compiled(kChain, {{OverrideKind::Apart, "layer/a", "b", true, {}, {}, 7},
                                                  {OverrideKind::Apart, "x", "a"},
                                                  {OverrideKind::Fuse, "a", "c"},
                                                  {OverrideKind::Fuse, "a", "b"},
                                                  {OverrideKind::Apart, "a", "b", false}});
    using enum OverrideState;
    const std::array states{Unknown, Refused, Refused, NoChange, Off};
    for (std::size_t i = 0; i < states.size(); ++i)
        EXPECT_EQ(unknown.schedule->overrides[i].state, states[i]) << i << unknown.schedule->overrides[i].reason;
    const std::string text = toText(unknown.diagnostics);
    EXPECT_NE(text.find("o.txt:7:1"), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean a"), std::string::npos) << text;
    EXPECT_NE(text.find("x is in memory already"), std::string::npos) << text;
    EXPECT_NE(text.find("c does not read a"), std::string::npos) << text;
}

TEST_F(OverriddenText, takesTheFirstOfSeveral)
{
    using enum OverrideState;
    const auto statesOf = [&](std::vector<Override> items) {
        const Compilation compilation = compiled(kChain, std::move(items));
        std::vector<OverrideState> states;
        for (const OverrideOutcome &outcome :
             compilation.loops->overrides.empty() ? compilation.schedule->overrides : compilation.loops->overrides)
            states.push_back(outcome.state);
        return states;
    };
    const Override apart{OverrideKind::Apart, "a", "b"};
    const Override fused{OverrideKind::Fuse, "a", "b"};
    EXPECT_EQ(statesOf({apart, fused, apart}), (std::vector{Applied, Refused, NoChange}));
    EXPECT_EQ(statesOf({fused, apart}), (std::vector{NoChange, Refused}));
    const Override loops{.kind = OverrideKind::Loops, .value = "add"};
    EXPECT_EQ(statesOf({loops, loops}), (std::vector{Applied, Refused}));
}

TEST_F(OverriddenText, fusesWhereFusionIsOff)
{
    CompileRequest request = requestFor("o.sw", "llvm", CompileUntil::Lowered);
    request.program.isText = true;
    request.program.text = kChain;
    request.options.fuse = false;
    request.options.overrides = {"o.txt", {{OverrideKind::Fuse, "b", "c"}}};
    const Compilation compilation = m_compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(compilation.schedule->overrides.front().state, OverrideState::Applied);
    EXPECT_TRUE(isTogether(*compilation.schedule, "b", "c"));
    EXPECT_FALSE(isTogether(*compilation.schedule, "a", "b"));
}

TEST_F(OverriddenText, ordersKernels)
{
    const std::string program = "input x: f32[64, 48]\ninput y: f32[7]\ninput i: i64[3]\na = sum(x, axis = 1)\nb = tanh(y)\n"
                                "c = gather(a, i, axis = 0)\noutput a\noutput b\noutput c\n";
    const auto placesOf = [](const Compilation &compilation) {
        const ValuePaths paths(*compilation.schedule->graph);
        std::array<std::uint32_t, 3> places{};
        for (std::size_t i = 0; i < places.size(); ++i)
            places[i] = compilation.schedule->kernelOf(paths.find(std::string(1, "abc"[i]))).value;
        return places;
    };
    using enum OverrideState;
    const Compilation plain = compiled(program, {});
    ASSERT_EQ(placesOf(plain), (std::array<std::uint32_t, 3>{0, 1, 2}));
    const Compilation turned = compiled(program, {{OverrideKind::Order, "b", "a"}, {OverrideKind::Order, "c", "b"}});
    EXPECT_EQ(placesOf(turned)[1], 0U);
    EXPECT_EQ(turned.schedule->overrides[0].state, Applied);
    EXPECT_EQ(turned.schedule->overrides[1].state, Refused); // b, a, c: the first one counts
    const Compilation last = compiled(program, {{OverrideKind::Order, "c", "b"}});
    EXPECT_EQ(placesOf(last), (std::array<std::uint32_t, 3>{0, 2, 1}));
    EXPECT_EQ(last.schedule->overrides[0].state, Applied);

    const Compilation others = compiled(program, {{OverrideKind::Order, "a", "b"},
                                                  {OverrideKind::Order, "c", "a"},
                                                  {OverrideKind::Order, "x", "a"},
                                                  {OverrideKind::Order, "a", "a"},
                                                  {OverrideKind::Order, "b", "z"},
                                                  {OverrideKind::Order, "b", "a", false}});
    const std::array states{NoChange, Refused, Refused, Refused, Unknown, Off};
    const std::array<std::string_view, 6> reasons{"in this order anyway",    "the kernel of a has to run first",
                                                  "no kernel computes x",    "one kernel computes both",
                                                  "there is no value \"z\"", "switched off"};
    for (std::size_t i = 0; i < states.size(); ++i) {
        EXPECT_EQ(others.schedule->overrides[i].state, states[i]) << i;
        EXPECT_NE(others.schedule->overrides[i].reason.find(reasons[i]), std::string::npos)
            << others.schedule->overrides[i].reason;
    }
    EXPECT_EQ(placesOf(others), placesOf(plain));
}

TEST_F(OverriddenText, survivesEditsElsewhere)
{
    const std::string more = "input z: f32[7]\noutput tanh(exp(z))\n" + std::string(kChain);
    EXPECT_EQ(compiled(more, {{OverrideKind::Apart, "a", "b"}}).schedule->overrides.front().state, OverrideState::Applied);
}

TEST_F(OverriddenText, leavesAloneWhatKernelAsksFor)
{
    const Compilation kept =
        compiled("input x: f32[40]\na = exp(x)\nb = tanh(a)\noutput kernel(b, [x])\n", {{OverrideKind::Apart, "a", "b"}});
    EXPECT_EQ(kept.schedule->overrides.front().state, OverrideState::Refused);
    EXPECT_EQ(kept.schedule->kernels.size(), 1U);
}

} // namespace
} // namespace sw::test
