// Kernels that a program requests with kernel() and fuse(): the schedule contains them, whatever they cost, or compiling
// fails; the values are the same as without the request.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/schedule/printer.h"
#include "tests/support/meaning.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>

namespace sw::test {
namespace {

struct AskedProgram {
    const char *name;
    const char *kernel; // a kernel that must exist; empty: none requested
    std::size_t members;
    std::size_t kernels; // total number of kernels
    const char *text;
};

void PrintTo(const AskedProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr AskedProgram kPrograms[] = {
    {"one_of_a_chain", "middle", 3, 3, R"(input x: f32[40]
a = exp(x)
b = kernel(tanh(a) * 2, inputs = [a], name = "middle")
output b + 1)"},
    {"whole", "all_of_it", 6, 1, R"(input x: f32[20, 33]
e = exp(x - max(x, axis = 1, keepdims = true))
output kernel(e / sum(e, axis = 1, keepdims = true), name = "all of it"))"},
    {"few_long_rows", "rows", 3, 1, R"(input x: f32[2, 70000]
output kernel(x - sum(x, axis = 1, keepdims = true), inputs = x, name = "rows"))"},
    {"shared_inside", "first", 3, 3, R"(input x: f32[40]
a = exp(x)
output kernel(a * 2, [x], "first")
output a + 1
output kernel(a * 3, [x], "second"))"},
    {"view_of_input", "of_rows", 3, 2, R"(input x: f32[6, 8]
a = tanh(x).T
output kernel(sum(a * a, axis = 0), [a], "of_rows"))"},
    {"product", "both", 4, 1, R"(input x: f32[12, 16]
param v: f32[16, 8] = random(1)
param w: f32[12, 8] = random(2)
output kernel(x @ v + w, name = "both"))"},
    {"unnamed", "", 0, 2, R"(input x: f32[40]
output kernel(exp(x)) + 1)"},
    {"gradient", "square", 2, 3, R"(input x: f32[40]
loss = sum(kernel(x * x, [x], "square"))
output loss
output grad(loss, x))"},
    {"cells", "words", 1, 2, R"(input x: u32x4[20]
output uint4x32_to_prec_uniform(kernel(x[::-1], [x], "words"), f32))"},
    {"cancelled_by_a_rule", "twice", 2, 2, R"(input x: f32[40]
a = -x
output kernel(-a, [a], "twice"))"},
};

class AskedKernels : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, AskedProgram>> {
protected:
    CompileRequest request(bool isFusing) const
    {
        const auto &[device, program] = GetParam();
        CompileRequest made = ProgramTest::requestFor("asked.sw", device, CompileUntil::Machine);
        made.program.isText = true;
        made.program.text = format("{}\n", program.text);
        made.options.fuse = isFusing;
        return made;
    }

    void expectMeaning(ProgramCompiler &compiler, const CompileRequest &wanted, const Compilation &compilation)
    {
        const GraphPtr program = std::get<GraphPtr>(compilation.pipeline.steps.front().before);
        const auto values = placeholderValues(*program, {}, 1);
        ASSERT_TRUE(values) << toText(values.error());
        const auto expected = meaningAndLimitsOf(program, *values);
        ASSERT_TRUE(expected) << toText(expected.error());
        const auto found = run(compiler, wanted);
        ASSERT_TRUE(found) << toText(found.error());
        for (std::size_t i = 0; i < expected->values.size(); ++i) {
            const HostTensor &actual = found->outputs[i].value;
            EXPECT_TRUE(expected->compared(i, actual).equal) << "output " << i;
        }
    }
};

TEST_P(AskedKernels, areAsAskedAndGiveTheSame)
{
    const auto &[device, program] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    for (const bool isFusing : {true, false}) {
        ProgramCompiler compiler(m_registry);
        const CompileRequest wanted = request(isFusing);
        const Compilation compilation = compiler.compile(wanted, {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        const Schedule &schedule = *compilation.schedule;
        if (isFusing) {
            EXPECT_EQ(schedule.kernels.size(), program.kernels) << printSchedule(schedule).text;
        }
        if (!std::string_view(program.kernel).empty()) {
            const auto found = std::ranges::find(schedule.kernels, program.kernel, &ScheduledKernel::name);
            ASSERT_NE(found, schedule.kernels.end()) << printSchedule(schedule).text;
            EXPECT_EQ(found->members.size(), program.members) << printSchedule(schedule).text;
            EXPECT_EQ(found->results.size(), 1U);
        }
        expectMeaning(compiler, wanted, compilation);
    }
}

INSTANTIATE_TEST_SUITE_P(All, AskedKernels,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &test) { return format("{}_{}", std::get<1>(test.param).name, std::get<0>(test.param)); });

class AskedText : public ProgramTest {
protected:
    AskedText() : m_compiler(m_registry) {}

    Compilation compiled(const std::string &text, bool isFusing = true)
    {
        CompileRequest request = requestFor("asked.sw", "llvm", CompileUntil::Lowered);
        request.program.isText = true;
        request.program.text = text;
        request.options.fuse = isFusing;
        return m_compiler.compile(request, {});
    }

    std::string errorOf(const std::string &text)
    {
        const Compilation compilation = compiled(text);
        return compilation.succeeded ? "" : toText(compilation.diagnostics.front());
    }

    // The reasons that the rule gives, one per line.
    std::string reasonsOf(const std::string &text, std::string_view rule, bool isFusing = true)
    {
        const Compilation compilation = compiled(text, isFusing);
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        std::string reasons;
        for (const FusionDecision &decision : compilation.schedule->decisions)
            if (decision.rule == rule)
                reasons += decision.reason + "\n";
        return reasons;
    }

    std::size_t kernelsOf(const std::string &text, bool isFusing = true)
    {
        const Compilation compilation = compiled(text, isFusing);
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        return compilation.succeeded ? compilation.schedule->kernels.size() : 0;
    }

    ProgramCompiler m_compiler;
};

TEST_F(AskedText, decisionsSayWhoAsked)
{
    const std::string text = "input x: f32[40]\na = exp(x)\noutput kernel(tanh(a) * 2, [a], \"middle\") + 1\n";
    EXPECT_EQ(reasonsOf(text, "asked-for"),
              "saves 320 bytes of traffic: asked for by kernel \"middle\": read one-to-one, computed in place\n"
              "saves 320 bytes of traffic: asked for by kernel \"middle\": read one-to-one, computed in place\n");
    EXPECT_EQ(reasonsOf(text, "kernel-border"),
              "costs 160 bytes of traffic: kernel \"middle\" has it as an input, which is stored before\n"
              "costs 160 bytes of traffic: kernel \"middle\" stores its value\n");
    EXPECT_NE(reasonsOf(text, "asked-for", false).find("although fusion is switched off"), std::string::npos);
}

TEST_F(AskedText, whatCannotBeOneKernelIsAnError)
{
    EXPECT_EQ(
        errorOf("input x: f32[20, 20]\nparam w: f32[20, 20] = random(1)\noutput kernel(max(x @ w, axis = 1), name = \"m\")\n"),
        "asked.sw:3:8: error: kernel \"m\" cannot be one kernel: of reduce_axis add, a reduction would run inside the loop "
        "of another one, 400 times [argument]\n"
        "asked.sw:3:19: note: reduce_axis add is computed here\n"
        "asked.sw:3:8: hint: make that value an input of kernel(): then it is stored before\n");
    const std::string lookup = errorOf("input x: f32[20]\nconst at: i32[3] = 1\noutput kernel(gather(exp(x), at, axis = 0))\n");
    EXPECT_NE(lookup.find("kernel() cannot be one kernel: of exp, elements are looked up"), std::string::npos) << lookup;
    const std::string stored = errorOf("input x: f32[20]\noutput kernel(contiguous(exp(x)) + 1)\n");
    EXPECT_NE(stored.find("contiguous asks for the value to be stored"), std::string::npos) << stored;
    EXPECT_EQ(errorOf("input x: f32[20]\ny = exp(x)\noutput kernel(x + 1, [x, y], \"k\")\n"),
              "asked.sw:3:8: error: kernel \"k\" does not read its input \"y\" [argument]\n"
              "asked.sw:3:8: hint: leave it out of the inputs, or compute the value from it; what only other inputs are made of "
              "is none\n");
    const std::string inner =
        errorOf("input x: f32[20]\ny = kernel(exp(x), name = \"a\") + 1\noutput kernel(y * 2, name = \"b\")\n");
    EXPECT_NE(inner.find("kernel \"b\" has kernel \"a\" inside"), std::string::npos) << inner;
}

TEST_F(AskedText, oneKernelIsOnOneDevice)
{
    if (!whyUnavailable("c").empty())
        GTEST_SKIP() << whyUnavailable("c");
    const std::string there = "input x: f32[40]\na = device(exp(x), \"c\")\n";
    const Compilation listed = compiled(there + "output device(kernel(tanh(a) * 2, [a], \"k\"), \"llvm\")\n");
    ASSERT_TRUE(listed.succeeded) << toText(listed.diagnostics);
    const auto found = std::ranges::find(listed.schedule->kernels, "k", &ScheduledKernel::name);
    ASSERT_NE(found, listed.schedule->kernels.end());
    EXPECT_EQ(listed.schedule->device(found->device).id, "llvm");
    EXPECT_EQ(found->members.size(), 3U);
    const std::string unlisted = errorOf(there + "output device(kernel(tanh(a) * 2, name = \"k\"), \"llvm\")\n");
    EXPECT_NE(unlisted.find("kernel \"k\" cannot be one kernel: of copy, the value comes from another place"), std::string::npos)
        << unlisted;
    const std::string parts = errorOf("input x: f32[40]\ny = shard(x, [\"llvm\", \"c\"])\noutput kernel(exp(y), name = \"k\")\n");
    EXPECT_NE(parts.find("kernel \"k\" of a value that lies in parts on several devices"), std::string::npos) << parts;
}

TEST_F(AskedText, dimensionsAreMaskedInside)
{
    const Compilation compilation =
        compiled("n: dim[1, 40]\ninput x: f32[3, n]\ne = exp(x)\n"
                 "output kernel(e / sum(e, axis = 1, keepdims = true), [e], \"k\")\noutput sum(e, axis = 1)\n");
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const auto found = std::ranges::find(compilation.schedule->kernels, "k", &ScheduledKernel::name);
    ASSERT_NE(found, compilation.schedule->kernels.end()) << printSchedule(*compilation.schedule).text;
    EXPECT_EQ(found->results.size(), 1U);
}

TEST_F(AskedText, namesAreMadeUniqueAndValid)
{
    const Compilation compilation =
        compiled("input x: f32[20]\noutput kernel(exp(x), name = \"my kernel\")\noutput kernel(tanh(x), name = \"my kernel\")\n");
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    EXPECT_EQ(compilation.schedule->kernels[0].name, "my_kernel");
    EXPECT_EQ(compilation.schedule->kernels[1].name, "my_kernel_2");
}

constexpr const char *kSeveral = R"(input x: f32[64, 64]
a = {}
output sum(a @ x, axis = 1)
output a[:, ::2] + 1
output sum(a, axis = 0))";

TEST_F(AskedText, fuseComputesAgainInEveryReader)
{
    const std::string apart = fmt::format(fmt::runtime(kSeveral), "exp(x)");
    const std::string fused = fmt::format(fmt::runtime(kSeveral), "fuse(exp(x))");
    const Compilation before = compiled(apart + "\n");
    const Compilation after = compiled(fused + "\n");
    ASSERT_TRUE(before.succeeded && after.succeeded) << toText(after.diagnostics);
    const auto storesExp = [](const Schedule &schedule) {
        return std::ranges::any_of(schedule.buffers, [&](const ScheduledBuffer &buffer) {
            return operationText(schedule.graph->node(buffer.node)) == "exp";
        });
    };
    EXPECT_TRUE(storesExp(*before.schedule)) << printSchedule(*before.schedule).text;
    EXPECT_FALSE(storesExp(*after.schedule)) << printSchedule(*after.schedule).text;
    EXPECT_NE(reasonsOf(fused + "\n", "asked-for").find("asked for by fuse(), although it would be computed"), std::string::npos);
}

TEST_F(AskedText, fuseSaysWhyItCannotBe)
{
    const std::string inner = "input x: f32[20, 20]\nparam w: f32[20, 20] = random(1)\noutput max(fuse(x @ w), axis = 1)\n";
    EXPECT_NE(reasonsOf(inner, "reduction-into-reduction").find("fuse() asks for one kernel, but a reduction would run inside"),
              std::string::npos);
    EXPECT_NE(reasonsOf("input x: f32[20]\noutput fuse(exp(x)) + 1\n", "fusion-off", false)
                  .find("fuse() asks for one kernel, but fusion is switched off"),
              std::string::npos);
}

TEST_F(AskedText, fuseReachesWhatOnlyItNeeds)
{
    const std::string text = "input x: f32[64, 64]\ninput w: f32[64, 64]\noutput {} @ w\n";
    EXPECT_EQ(kernelsOf(fmt::format(fmt::runtime(text), "tanh(exp(x) * 2)")), 2U);
    EXPECT_EQ(kernelsOf(fmt::format(fmt::runtime(text), "fuse(tanh(exp(x) * 2))")), 1U);
}

TEST_F(AskedText, unrollStaysUpToTheSchedule)
{
    const Compilation compilation = compiled("input x: f32[40]\noutput unroll(exp(x), 4) * 2\n");
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    const auto isUnroll = [](const Node &node) { return node.kind == NodeKind::Unroll; };
    EXPECT_TRUE(std::ranges::any_of(compilation.schedule->graph->nodes(), isUnroll));
    EXPECT_EQ(compilation.schedule->kernels.size(), 1U);
}

} // namespace
} // namespace sw::test
