// Runs of kernels compared with the reference: right kernels store no difference, a wrong one is found where it goes wrong.

#include "engine/api/kernel_trace_parts.h"
#include "engine/api/resources.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/input_values.h"
#include "engine/lowered/parser.h"
#include "tests/support/wrong_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

namespace sw {
namespace {

class TraceDifferences : public testing::Test {
protected:
    TraceDifferences() { addNativeBackends(m_registry); }

    Compilation compiled(const ProgramInput &program, const std::string &device)
    {
        CompileRequest request;
        request.program = program;
        request.program.resourceFolder = findResourceFolder();
        request.device = device;
        request.threads = 4;
        request.until = CompileUntil::Lowered;
        Compilation compilation = m_compiler.compile(request, {});
        EXPECT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        return compilation;
    }
    Compilation compiledText(const std::string &text, const std::string &device = "interpreter")
    {
        ProgramInput program;
        program.fileName = "program.sw";
        program.text = text;
        program.isText = true;
        return compiled(program, device);
    }
    std::unique_ptr<KernelTrace> opened(const Compilation &compilation, const std::vector<HostTensor> &values, std::size_t kernel)
    {
        auto trace = openTrace(m_compiler, compilation, KernelId(kernel), {values, compilation.runDimensions}, {});
        EXPECT_TRUE(trace) << toText(trace.error());
        return std::move(*trace);
    }

    BackendRegistry m_registry;
    ProgramCompiler m_compiler{m_registry};
};

TEST_F(TraceDifferences, rightKernelsStoreNone)
{
    std::size_t compared = 0;
    for (const auto &entry : std::filesystem::directory_iterator(findResourceFolder() + "/examples")) {
        for (const char *device : {"interpreter", "llvm"}) {
            ProgramInput program;
            program.fileName = entry.path().string();
            const Compilation compilation = compiled(program, device);
            const auto values = placeholderValues(*compilation.graph, {}, 1, compilation.runDimensions);
            ASSERT_TRUE(values) << toText(values.error());
            for (std::size_t kernel = 0; kernel < compilation.lowered->kernels.size(); ++kernel) {
                SCOPED_TRACE(format("{} on {}, kernel {}", entry.path().string(), device, kernel));
                const auto trace = opened(compilation, *values, kernel);
                const auto found = trace->run(TraceDirection::Forward, "difference", {});
                ASSERT_TRUE(found) << toText(found.error());
                EXPECT_FALSE(found->isFound) << toText(*trace->comparison({})) << trace->where().differences.size();
                const TraceComparison comparison = *trace->comparison({});
                const auto isCompared = [](const TraceCompared &one) { return one.reason.empty() && one.stored > 0; };
                EXPECT_TRUE(std::ranges::any_of(comparison.memories, isCompared)) << toText(comparison);
                ++compared;
            }
        }
    }
    EXPECT_GT(compared, 40U);
}

// 2 + 2 is 2 * 2, so that a wrong operation shows where another number comes.
TEST_F(TraceDifferences, aWrongInstructionIsFoundWhereItGoesWrong)
{
    for (const char *device : {"interpreter", "llvm"}) {
        SCOPED_TRACE(device);
        const test::WrongProgram wrong =
            test::withWrongOp(compiledText("input x: f32[64]\ninput z: f32[64]\noutput y = x * z\n", device), Op::Mul, Op::Add);
        ASSERT_GE(wrong.changed, 1); // it is written out several times
        HostTensor x = HostTensor::filled(Scalar::of(DType::F32, 2.0), Shape{64});
        x.set(37, Scalar::of(DType::F32, 3.0));
        x.set(50, Scalar::of(DType::F32, 5.0));
        const std::vector<HostTensor> values{x, HostTensor::filled(Scalar::of(DType::F32, 2.0), Shape{64})};
        const auto trace = opened(wrong.compilation, values, 0);
        auto found = trace->run(TraceDirection::Forward, "difference", {});
        ASSERT_TRUE(found && found->isFound);
        const TracePosition first = trace->where();
        ASSERT_EQ(first.differences.size(), 1U);
        EXPECT_EQ(first.differences[0].element, 37);
        EXPECT_EQ(first.differences[0].actual, "5.0");
        EXPECT_EQ(first.differences[0].expected, "6.0");
        ASSERT_FALSE(first.accesses.empty());
        EXPECT_TRUE(first.accesses[0].isStore);
        EXPECT_LE(first.accesses[0].first, 37);
        EXPECT_GT(first.accesses[0].first + first.accesses[0].count, 37);
        // The step before it has stored none.
        ASSERT_TRUE(trace->step(TraceDirection::Backward));
        EXPECT_TRUE(trace->where().differences.empty());
        ASSERT_TRUE(trace->step(TraceDirection::Forward));
        ASSERT_TRUE(trace->run(TraceDirection::Forward, "difference", {})->isFound);
        EXPECT_EQ(trace->where().differences.at(0).element, 50);
        EXPECT_FALSE(trace->run(TraceDirection::Forward, "difference", {})->isFound);
        // Backward from the end: the last one first. Any of several conditions works, too.
        ASSERT_TRUE(trace->goTo(*trace->findEnd({}), {}));
        if (trace->where().differences.empty()) { // else the last step of all has stored it
            ASSERT_TRUE(trace->run(TraceDirection::Backward, "difference", {})->isFound);
        }
        EXPECT_EQ(trace->where().differences.at(0).element, 50);
        const std::vector<std::string> conditions{"difference", "fault"};
        ASSERT_TRUE(trace->runToAny(TraceDirection::Backward, conditions, {})->isFound);
        EXPECT_EQ(trace->where().position, first.position);
        EXPECT_FALSE(trace->run(TraceDirection::Backward, "difference", {})->isFound);
        const TraceComparison comparison = *trace->comparison({});
        const auto y = std::ranges::find(comparison.memories, std::string("y"), &TraceCompared::name);
        ASSERT_NE(y, comparison.memories.end());
        EXPECT_EQ(y->stored, 64);
        EXPECT_EQ(y->different, 2);
        EXPECT_TRUE(comparison.missingBounds.empty()) << comparison.missingBounds;
    }
}

// The sum before the last term is not the value; only the complete one counts. What a kernel keeps for itself is no value of the
// graph, and says so.
TEST_F(TraceDifferences, onlyTheCompleteValueOfTheGraphCounts)
{
    Compilation compilation = compiledText("input x: f32[4]\noutput s = sum(x)\n");
    auto program = std::make_shared<LoweredProgram>(*compilation.lowered);
    LoweredKernel kernel = program->kernels.front();
    LoweredParseOptions options;
    options.originOf = [&](const SourceRange &) { return kernel.origin; };
    const auto written = parseLoweredKernel("kernel \"k\" symbol \"k\" id 0 global [1, 1, 1] local [1, 1, 1] arguments [0, 1]\n"
                                            "%x = define_global f32[4] argument 0\n"
                                            "%s = define_global f32[1] argument 1 written\n"
                                            "%scratch = buffer f32[1]\n"
                                            "%zero = const i64 0\n"
                                            "%n = const i64 4\n"
                                            "%start = const f32 0.0\n"
                                            "store f32 %s[%zero], %start\n"
                                            "%i = range %n\n"
                                            "  %v = load f32 %x[%i]\n"
                                            "  %old = load f32 %s[%zero]\n"
                                            "  %new = add f32 %old, %v\n"
                                            "  store f32 %s[%zero], %new\n"
                                            "  store f32 %scratch[%zero], %v\n"
                                            "end_range %i\n"
                                            "end\n",
                                            options);
    ASSERT_TRUE(written) << toText(written.error());
    ASSERT_EQ(kernel.arguments.size(), 2U);
    const BufferId output = program->schedule->kernels.front().writes.front();
    const bool isSecond = kernel.arguments[1] == output;
    kernel.instructions = written->instructions;
    if (!isSecond)
        std::swap(kernel.arguments[0], kernel.arguments[1]);
    kernel.globalSize = kernel.localSize = {1, 1, 1};
    program->kernels = KernelList(std::vector{kernel});
    compilation.lowered = program;
    const std::vector<HostTensor> values{HostTensor::ofValues(DType::F32, Shape{4}, std::vector<double>{1, 2, 3, 4})};
    const auto trace = opened(compilation, values, 0);
    EXPECT_FALSE(trace->run(TraceDirection::Forward, "difference", {})->isFound) << toText(*trace->comparison({}));
    const TraceComparison comparison = *trace->comparison({});
    ASSERT_EQ(comparison.memories.size(), 2U);
    EXPECT_EQ(comparison.memories[0].stored, 1);
    EXPECT_EQ(comparison.memories[0].reason, "");
    EXPECT_EQ(comparison.memories[1].name, "scratch");
    EXPECT_EQ(comparison.memories[1].reason, "it is memory inside the kernel and holds no value of the graph");
}

TEST_F(TraceDifferences, aSearchThatIsStoppedLeavesTheRunWhereItWas)
{
    const Compilation compilation = compiledText("input x: f32[128, 128]\noutput y = sum(x @ x, axis = 1)\n");
    const auto values = placeholderValues(*compilation.graph, {}, 1, {});
    const auto trace = opened(compilation, *values, 0);
    ASSERT_TRUE(trace->goTo(17, {}));
    std::stop_source stop;
    stop.request_stop();
    EXPECT_FALSE(trace->run(TraceDirection::Forward, "difference", stop.get_token()));
    EXPECT_EQ(trace->where().position, 17U);
    EXPECT_TRUE(trace->run(TraceDirection::Forward, "difference", {}));
}

} // namespace
} // namespace sw
