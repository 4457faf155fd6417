// Whether a fault that is put into a device, or into one rewrite of a pass, is found again: by the kernel, the pass and the
// rewrite.

#include "engine/api/compare/first_divergence.h"

#include "engine/execute/wrong_rewrite.h"
#include "engine/lowered/lowered.h"
#include "engine/passes/pass.h"
#include "engine/pipeline/pipeline.h"
#include "tests/support/wrong_backend.h"
#include "tests/unit/api/compare/compare_fixture.h"

namespace sw {
namespace {

class FirstDivergenceTest : public test::CompareTest {
protected:
    FirstDivergenceTest() { m_registry.add(test::makeWrongBackend()); }

    FirstDivergence found(const Compilation &compilation, const DivergenceOptions &options = {})
    {
        Result<FirstDivergence> made = firstDivergence(m_compiler, compilation, {}, options);
        EXPECT_TRUE(made) << toText(made.error());
        return made ? std::move(*made) : FirstDivergence{};
    }
    Compilation compiledFor(const std::string &text, const std::string &device, bool fuse)
    {
        CompileRequest request = requestOf(text);
        request.until = CompileUntil::Machine;
        request.device = device;
        request.options.fuse = fuse;
        return compiled(request);
    }
};

TEST_F(FirstDivergenceTest, namesTheKernelThatADeviceGetsWrong)
{
    const std::string text = "input x: f32[8, 16]\na = x + 1\nb = a * x\nc = maximum(a, b)\noutput c - x\noutput exp(c)\n";
    for (const std::int64_t bytes : {std::int64_t{1}, std::int64_t{1} << 20}) { // one result at a time, and all at once
        const FirstDivergence wrong = found(compiledFor(text, "wrong", false), {.bytes = bytes});
        ASSERT_TRUE(wrong.result);
        EXPECT_EQ(wrong.result->label, "max");
        EXPECT_EQ(wrong.result->line, 4U);
        EXPECT_EQ(wrong.result->device, "wrong");
        EXPECT_EQ(wrong.result->bound, 0);
        EXPECT_EQ(wrong.kernelsJudged, 3U);
        // The passes are right: the device makes something else of right instructions.
        EXPECT_FALSE(wrong.pass);
        EXPECT_EQ(wrong.passNote, "");
        EXPECT_NE(wrong.text().find("the device makes something else of right instructions"), std::string::npos) << wrong.text();
    }
    const FirstDivergence right = found(compiledFor(text, "interpreter", false));
    EXPECT_FALSE(right.isFound());
    EXPECT_EQ(right.kernelsJudged, 5U);
}

TEST_F(FirstDivergenceTest, findsNoneInTheExamples)
{
    for (const std::string &file : exampleFiles())
        for (const char *device : {"interpreter", "llvm"}) {
            CompileRequest request = requestOfFile(file);
            request.until = CompileUntil::Machine;
            request.device = device;
            const Compilation compilation = compiled(request);
            const auto made = firstDivergence(m_compiler, compilation, {});
            ASSERT_TRUE(made) << file << ": " << toText(made.error());
            const bool isOpen = std::get<GraphPtr>(compilation.pipeline.steps.front().before)->isSymbolic();
            EXPECT_EQ(made->passNote.empty(), !isOpen) << made->passNote;
            EXPECT_EQ(made->kernelsJudged, compilation.schedule->kernels.size()) << file;
            EXPECT_FALSE(made->isFound()) << file << " on " << device << ": " << made->text();
        }
}

TEST_F(FirstDivergenceTest, refusesWhatWouldTakeTooLongAndStops)
{
    const Compilation compilation = compiledFor("input x: f32[8, 16]\noutput exp(x)\n", "interpreter", true);
    const auto refused = firstDivergence(m_compiler, compilation, {}, {.operations = 10});
    ASSERT_FALSE(refused);
    EXPECT_NE(toText(refused.error()).find("more than 10, to judge the kernel k0_"), std::string::npos)
        << toText(refused.error());
    std::stop_source stop;
    stop.request_stop();
    const auto stopped = firstDivergence(m_compiler, compilation, {}, {.stop = stop.get_token()});
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().front().code, Code::Cancelled);
    Compilation none;
    EXPECT_FALSE(firstDivergence(m_compiler, none, {}));
}

// ---- a wrong rewrite in a pass of the graph, and in one of instructions

// Exchanges the operands of every maximum; the one whose operand is a negation becomes a minimum.
Result<std::optional<Graph>> exchange(const Graph &graph, PassContext &context)
{
    std::vector<Node> nodes(graph.nodes().begin(), graph.nodes().end());
    bool changed = false;
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
        Node &node = nodes[i];
        if (node.kind != NodeKind::Binary || node.op != Op::Max || !context.mayRewrite())
            continue;
        const bool isWrong = nodes[node.inputs[1].value].op == Op::Neg;
        std::swap(node.inputs[0], node.inputs[1]);
        if (isWrong)
            node.op = Op::Min;
        context.record("exchange",
                       [&] { return RewriteDetail{isWrong ? "max(a, -b) -> min(-b, a)" : "max(a, b) -> max(b, a)", {i}, {i}}; });
        changed = true;
    }
    return changed ? std::optional(Graph(std::move(nodes), graph.sourcesPtr())) : std::nullopt;
}

// Every addition of floats becomes a subtraction, one after the other.
Result<std::optional<LoweredProgram>> subtract(const LoweredProgram &program, PassContext &context)
{
    LoweredProgram made = program;
    std::vector<KernelList::Body> bodies;
    bool changed = false;
    for (const KernelList::Body &body : program.kernels.bodies()) {
        auto kernel = std::make_shared<LoweredKernel>(*body);
        for (Instruction &instruction : kernel->instructions) {
            if (instruction.kind != InstructionKind::Alu || instruction.op != Op::Add || !isFloat(instruction.dtype) ||
                !context.mayRewrite())
                continue;
            instruction.op = Op::Sub;
            context.record("subtract", kernel->kernel, [] { return RewriteDetail{"add -> sub"}; });
            changed = true;
        }
        bodies.push_back(std::move(kernel));
    }
    made.kernels = program.kernels.withBodies(std::move(bodies));
    return changed ? std::optional(std::move(made)) : std::nullopt;
}

class WrongRewriteTest : public FirstDivergenceTest {
protected:
    // The program compiled by the standard passes, with one more in front of the pass of that name.
    Compilation compiledWith(const std::string &text, const PassInfo &added, std::string_view before)
    {
        const auto standard = standardPipeline();
        m_passes.assign(standard.begin(), standard.end());
        m_passes.insert(std::ranges::find(m_passes, before, &PassInfo::id), added);
        Compilation compilation = compiledFor(text, "interpreter", true);
        const Stage program = compilation.pipeline.steps.front().before;
        compilation.pipeline = runPipeline(program, m_passes, compilation.target, {});
        EXPECT_TRUE(compilation.pipeline.succeeded) << toText(compilation.pipeline.diagnostics);
        compilation.lowered = std::get<LoweredProgramPtr>(compilation.pipeline.last);
        compilation.schedule = compilation.lowered->schedule;
        compilation.graph = compilation.schedule->graph;
        auto devices = m_compiler.openedDevices(compilation);
        EXPECT_TRUE(devices);
        auto sources = renderProgram(*compilation.lowered, devices->front()->renderer(), devices->front()->info());
        EXPECT_TRUE(sources);
        auto artifacts = compileProgram(*compilation.lowered, *sources, *devices, {});
        EXPECT_TRUE(artifacts);
        compilation.program =
            std::make_shared<const CompiledProgram>(CompiledProgram{compilation.lowered, std::move(*artifacts)});
        return compilation;
    }

    std::vector<PassInfo> m_passes; // of the compilation
};

TEST_F(WrongRewriteTest, namesARewriteOfTheGraph)
{
    const Compilation compilation =
        compiledWith("input x: f32[32]\ninput y: f32[32]\na = maximum(x, y)\nb = maximum(a, -y)\noutput maximum(b, x * 2)\n",
                     makePass<exchange>("exchange", "Exchange", "Wrong."), "simplify");
    const FirstDivergence wrong = found(compilation);
    // The kernels do what the wrong graph says.
    EXPECT_FALSE(wrong.result) << wrong.text();
    ASSERT_TRUE(wrong.pass);
    EXPECT_EQ(wrong.pass->passId, "exchange");
    ASSERT_TRUE(wrong.pass->rewrite);
    EXPECT_EQ(*wrong.pass->rewrite, 2U);
    EXPECT_EQ(wrong.pass->rule, "exchange");
    EXPECT_EQ(wrong.pass->detail, "max(a, -b) -> min(-b, a)");
    EXPECT_EQ(compilation.pipeline.steps[wrong.pass->pass].pass->id, "exchange");
    EXPECT_NE(wrong.text().find("made so by pass exchange, rewrite 2, exchange: max(a, -b) -> min(-b, a)"), std::string::npos)
        << wrong.text();
}

TEST_F(WrongRewriteTest, namesARewriteOfInstructionsAndTheKernel)
{
    const FirstDivergence wrong = found(compiledWith("input x: f32[32]\ninput y: f32[32]\noutput (x + y) * 2\n",
                                                     makePass<subtract>("subtract", "Subtract", "Wrong."), "contract"));
    ASSERT_TRUE(wrong.result);
    EXPECT_EQ(wrong.result->label, "mul");
    ASSERT_TRUE(wrong.pass);
    EXPECT_EQ(wrong.pass->passId, "subtract");
    EXPECT_EQ(wrong.pass->rewrite, std::optional(1U));
    EXPECT_EQ(wrong.pass->detail, "add -> sub");
}

} // namespace
} // namespace sw
