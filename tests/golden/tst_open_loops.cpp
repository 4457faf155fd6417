// Loops over dimensions end where a run's values end: the results of a program compiled once for a large dimension are those of
// the program of each size, for sizes around the tiles and vectors of the loops, and a run does no more work than its size asks
// for.

#include "tests/golden/program_fixture.h"

#include "engine/execute/input_values.h"
#include "engine/loops/printer.h"
#include "engine/lowered/interpreter.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <ostream>

namespace sw::test {
namespace {

struct OpenProgram {
    const char *name;
    const char *text; // the text after the line that declares n
};

void PrintTo(const OpenProgram &program, std::ostream *out)
{
    *out << program.name;
}

constexpr std::int64_t kLargest = 300;

constexpr OpenProgram kPrograms[] = {
    {"elementwise", "input x: f32[n, 20]\ninput y: f32[20, n]\noutput gelu(x) + 1\noutput y * 2\noutput x.T + y"},
    {"rows", "input x: f32[n, 40]\nparam w: f32[40, 36] = random(1)\noutput relu(x @ w)"},
    {"columns", "input x: f32[40, 36]\ninput w: f32[36, n]\noutput x @ w"},
    {"depth", "input x: f32[40, n]\ninput w: f32[n, 36]\noutput x @ w"},
    {"all_open", "input x: f32[n, n]\noutput x @ x.T\noutput x @ x"},
    {"reductions", "input x: f32[n, 24]\ninput y: f32[24, n]\noutput sum(x, axis = 0)\noutput max(y, axis = 1)\n"
                   "output argmax(x, axis = 0)\noutput mean(x)\noutput var(y, axis = 1)"},
    {"softmax", "input x: f32[24, n]\ninput y: f32[n, 24]\noutput softmax(x, axis = -1)\noutput softmax(y, axis = 0)\n"
                "output softmax(y, axis = -1)"},
    {"attention", "input q: f32[n, 16]\ninput k: f32[n, 16]\ninput v: f32[n, 16]\n"
                  "output softmax(q @ k.T / 4, axis = -1) @ v"},
    {"places", "input x: f32[n, 6]\ninput i: i32[n]\noutput cat([x, x[1:], ones([3, 6])])\noutput x[::-1] * 2\n"
               "output pad(x * 3, [[2, 1], [0, 1]], value = 7)\noutput gather(arange(9) * 2, abs(i) % 9, axis = 0)\n"
               "output (x + 1).reshape(-1)[:-5]\noutput relu(x).reshape(n, 2, 3).permute([1, 0, 2])"},
    {"windows", "input x: f32[n, 2, 6, 6]\nparam w: f32[4, 2, 3, 3] = random(1)\nparam v: f32[4, 4, 3, 3] = random(2)\n"
                "output relu(conv2d(relu(conv2d(x, w, padding = 1)), v))"},
    {"stages", "input x: f32[n, 400]\ninput y: f32[256, n]\ninput z: f32[n, 400]\noutput softmax(x, axis = -1)\n"
               "output softmax(y, axis = -1)\noutput softmax(z * 2, axis = -1)[1:]"},
    {"beside", "input q: f32[n, 16]\ninput k: f32[16, 2048]\ninput v: f32[2048, 8]\ns = q @ k\n"
               "m = max(s, axis = -1, keepdims = true)\noutput m\noutput (exp(s - m) @ v)[:-1]"}, // a row more than the root's
    {"halves", "input x: f16[n, 40]\nparam w: f16[40, 24] = random(1)\noutput x @ w\noutput sum(x, axis = 0)"},
};

class OpenLoops : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, OpenProgram>> {
protected:
    CompileRequest requestFor(const std::string &declaration) const
    {
        const auto &[device, program] = GetParam();
        CompileRequest request = ProgramTest::requestFor("open.sw", device, CompileUntil::Machine);
        request.program.isText = true;
        request.program.text = declaration + "\n" + program.text + "\n";
        return request;
    }

    Result<ExecutionResult> runWith(ProgramCompiler &compiler, const Compilation &compilation, const SymbolicBindings &wanted)
    {
        SW_TRY(const auto values, placeholderValues(*compilation.graph, {}, 7, wanted));
        SW_TRY(OpenedDevice *const device, compiler.openedDevice(std::get<0>(GetParam()), 0));
        SW_TRY(const auto executor, Executor::prepare(*device, compilation.program, values, wanted));
        return executor->run({.warmup = 1, .repeats = 1}, {});
    }
};

TEST_P(OpenLoops, giveWhatTheProgramOfEachSizeGives)
{
    const std::string device = std::get<0>(GetParam());
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    ProgramCompiler compiler(m_registry);
    const Compilation open = compiler.compile(requestFor(format("n: dim[1, {}]", kLargest)), {});
    ASSERT_TRUE(open.succeeded) << toText(open.diagnostics);
    const double limit = std::string_view(std::get<1>(GetParam()).name) == "halves" ? 2e-2 : 2e-4;
    std::vector<std::int64_t> sizes{1, 7, 64, 129, kLargest};
    if (device == "c" || device == "opencl") // each size compiles a program
        sizes = {7, 129};
    for (const std::int64_t size : sizes) {
        const auto outputs = runWith(compiler, open, {{"n", size}});
        ASSERT_TRUE(outputs) << toText(outputs.error());
        const Compilation fixed = compiler.compile(requestFor(format("n = {}", size)), {});
        ASSERT_TRUE(fixed.succeeded) << toText(fixed.diagnostics);
        const auto expected = runWith(compiler, fixed, {});
        ASSERT_TRUE(expected) << toText(expected.error());
        ASSERT_TRUE(outputs->faults.empty());
        for (std::size_t i = 0; i < expected->outputs.size(); ++i) {
            const HostTensor &wanted = expected->outputs[i].value;
            const HostTensor &found = outputs->outputs[i].value;
            ASSERT_EQ(found.shape(), wanted.shape());
            for (std::int64_t at = 0; at < wanted.elements(); ++at)
                ASSERT_LE(std::abs(found.at(at).asDouble() - wanted.at(at).asDouble()),
                          limit * std::max(1.0, std::abs(wanted.at(at).asDouble())))
                    << "n = " << size << ", output " << i << ", element " << at;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(All, OpenLoops,
                         testing::Combine(testing::Values("interpreter", "llvm", "c", "opencl"), testing::ValuesIn(kPrograms)),
                         [](const auto &test) { return format("{}_{}", std::get<1>(test.param).name, std::get<0>(test.param)); });

// Every kernel of a program whose values all have the dimension ends its loops at it.
TEST_F(ProgramTest, loopsOverADimensionSayWhereTheyEnd)
{
    ProgramCompiler compiler(m_registry);
    CompileRequest request = requestFor("open.sw", "llvm", CompileUntil::Code);
    request.program.isText = true;
    request.program.text = "n: dim[1, 4096]\ninput x: f32[n, 784]\ninput w: f32[784, 128]\n"
                           "output relu(x @ w)\noutput softmax(x.T, axis = -1)\n";
    const Compilation compilation = compiler.compile(request, {});
    ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
    ASSERT_FALSE(compilation.loops->nests.empty());
    for (const auto &nest : compilation.loops->nests) {
        std::size_t open = 0;
        for (std::size_t axis = 0; axis < nest->axes.size(); ++axis) {
            if (nest->axes[axis].source.isValid() || nest->axes[axis].extent != 4096)
                continue;
            ++open;
            EXPECT_EQ(endText(*nest, *compilation.schedule, AxisId(axis)), "n") << toText(*nest, *compilation.schedule);
        }
        EXPECT_GT(open, 0U) << toText(*nest, *compilation.schedule);
    }
}

// The number of values that a run of the kernel makes when its dimension has the size.
std::size_t valuesMade(const Compilation &compilation, std::size_t kernel, std::int64_t size)
{
    const Schedule &schedule = *compilation.schedule;
    const LoweredKernel &lowered = compilation.lowered->kernels.at(kernel);
    std::vector<std::vector<std::byte>> memory;
    InterpretRequest request{.buffers = {}, .globalSize = lowered.globalSize, .localSize = lowered.localSize};
    for (const BufferId argument : lowered.arguments) {
        const ScheduledBuffer &buffer = schedule.buffer(argument);
        memory.emplace_back(static_cast<std::size_t>(buffer.bytes()));
        const auto *given = std::get_if<PlaceholderAttributes>(&schedule.graph->node(buffer.node).attributes);
        if (given != nullptr && given->dimension)
            std::memcpy(memory.back().data(), &size, sizeof(size));
    }
    for (std::vector<std::byte> &bytes : memory)
        request.buffers.emplace_back(bytes);
    std::size_t made = 0;
    request.trace = [&made](const TracedValue &) { ++made; };
    const auto prepared = PreparedKernel::prepare(lowered);
    EXPECT_TRUE(prepared && prepared->run(request));
    return made;
}

TEST_F(ProgramTest, shortRunsDoLittleWork)
{
    ProgramCompiler compiler(m_registry);
    for (const char *device : {"interpreter", "llvm"}) {
        CompileRequest request = requestFor("open.sw", device, CompileUntil::Lowered);
        request.program.isText = true;
        request.program.text = "n: dim[1, 4096]\ninput x: f32[n, 20]\ninput y: f32[20, n]\noutput x * 2\n"
                               "output softmax(y, axis = -1)\noutput y @ x\noutput sum(x[::-1], axis = 1)\n";
        const Compilation compilation = compiler.compile(request, {});
        ASSERT_TRUE(compilation.succeeded) << toText(compilation.diagnostics);
        for (std::size_t kernel = 0; kernel < compilation.lowered->kernels.size(); ++kernel) {
            const std::size_t few = valuesMade(compilation, kernel, 1);
            const std::size_t many = valuesMade(compilation, kernel, 4096);
            // A reduction in lanes adds up its lanes at the end of each row, however short the row is.
            EXPECT_LT(10 * few, many) << device << "\n" << toText(*compilation.loops->nests.at(kernel), *compilation.schedule);
        }
    }
}

} // namespace
} // namespace sw::test
