// What becomes of the sums of a tile register: its rows come from memory one at a time, in a loop, wherever a store can take them
// so, and the values are those of the graph.

#include "engine/backend/llvm/cross_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/graph/interpreter.h"
#include "engine/loops/queries.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/overrides.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/graph_of_text.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <utility>
#include <variant>

namespace sw {
namespace {

struct Compiled {
    GraphPtr graph;
    LoweredProgramPtr lowered;
    LoopProgramPtr loops;
};

// overrides: as in a file of them. ownCache: bytes; 0: as the device has it.
Compiled compiled(const std::string &text, std::string_view overrides = {}, std::int64_t ownCache = 0)
{
    const GraphPtr graph = test::graphOfText(text);
    if (graph == nullptr)
        return {};
    CompileTarget target{test::vectorDevice(2), TargetLanguage::Llvm, {}};
    target.device.tensorInstructions = bitOf(TensorInstruction::AmxBf16);
    if (ownCache != 0)
        test::setCaches(target.device, ownCache);
    if (!overrides.empty()) {
        const auto parsed = parseOverrides(format("stepwell overrides 1\n{}\n", overrides), "list");
        EXPECT_TRUE(parsed) << toText(parsed.error());
        if (parsed)
            target.options.overrides = *parsed;
    }
    const PipelineRun run = runPipeline(graph, standardPipeline(), target, {});
    EXPECT_TRUE(run.succeeded) << toText(run.diagnostics);
    EXPECT_TRUE(run.diagnostics.empty()) << toText(run.diagnostics);
    LoopProgramPtr loops;
    for (const PassStep &step : run.steps)
        if (const auto *made = std::get_if<LoopProgramPtr>(&step.after))
            loops = *made;
    return {graph, run.succeeded ? std::get<LoweredProgramPtr>(run.last) : nullptr, loops};
}

// Whole numbers, so that the sums of products are exact in any order.
std::vector<HostTensor> inputsOf(const Graph &graph)
{
    std::mt19937 random(3);
    std::vector<HostTensor> inputs;
    for (const NodeId id : graph.placeholders()) {
        HostTensor made(graph.node(id).dtype, graph.node(id).shape);
        for (std::int64_t i = 0; i < made.elements(); ++i)
            made.set(i, Scalar::of(DType::F64, static_cast<double>(random() % 5) - 2.0).castTo(made.dtype()));
        inputs.push_back(std::move(made));
    }
    return inputs;
}

void expectTheGraphsValues(const Compiled &program)
{
    const std::vector<HostTensor> inputs = inputsOf(*program.graph);
    const auto expected = interpretGraph(*program.graph, inputs);
    const auto got = test::runLowered(*program.lowered, inputs);
    ASSERT_TRUE(expected && got) << toText(expected ? got.error() : expected.error());
    ASSERT_EQ(got->size(), expected->size());
    for (std::size_t i = 0; i < got->size(); ++i)
        EXPECT_TRUE(std::ranges::equal((*got)[i].bytes(), (*expected)[i].bytes())) << "output " << i;
}

struct Stores {
    int vectors = 0; // to memory that the kernel was given
    int loops = 0;   // in which such stores stand, each counted once
};

Stores storesOf(const Compiled &program)
{
    EXPECT_EQ(program.lowered->kernels.size(), 1U);
    const LoweredKernel &kernel = program.lowered->kernels.at(0);
    EXPECT_GT(std::ranges::count(kernel.instructions, InstructionKind::Wmma, &Instruction::kind), 0);
    Stores found;
    bool isCounted = false;
    for (const Instruction &one : kernel.instructions) {
        if (one.kind == InstructionKind::Range)
            isCounted = false;
        if (one.kind != InstructionKind::Store ||
            kernel.instructions[one.operands[0].value].kind != InstructionKind::DefineGlobal)
            continue;
        ++found.vectors;
        found.loops += isCounted ? 0 : 1;
        isCounted = true;
    }
    return found;
}

// 32 rows of two vectors: 64 formulas if they were written out.
TEST(TileRows, haveTheirFormulaOnceForEachVector)
{
    const Compiled gelu = compiled("input x: bf16[64, 64]\ninput w: bf16[64, 64]\ninput b: bf16[64]\noutput gelu(x @ w + b)\n");
    EXPECT_EQ(storesOf(gelu).vectors, 2);
    EXPECT_LT(gelu.lowered->kernels.at(0).instructions.size(), 400U);
    const Compiled relu = compiled("input x: bf16[64, 64]\ninput w: bf16[64, 64]\ninput b: bf16[64]\noutput relu(x @ w + b)\n");
    EXPECT_EQ(storesOf(relu).vectors, 2);
    expectTheGraphsValues(relu);
}

TEST(TileRows, areReadOnceForAllStores)
{
    const Compiled both = compiled("input x: bf16[64, 64]\ninput w: bf16[64, 64]\nh = x @ w\noutput h\noutput r = relu(h)\n");
    EXPECT_EQ(storesOf(both).vectors, 4);
    EXPECT_EQ(storesOf(both).loops, 1);
    expectTheGraphsValues(both);
}

// 80 rows and columns: tiles of fewer rows, and vectors beside a tile.
TEST(TileRows, haveRests)
{
    for (const auto &[rows, columns] : {std::pair{80, 80}, std::pair{96, 112}, std::pair{64, 144}}) {
        SCOPED_TRACE(format("{} x {}", rows, columns));
        const Compiled program =
            compiled(format("input x: bf16[{}, 64]\ninput w: bf16[64, {}]\noutput relu(x @ w)\n", rows, columns));
        expectTheGraphsValues(program);
        EXPECT_LT(storesOf(program).vectors, 16);
    }
}

// Vectors that lie across the rows of the result are turned in registers, several rows at a time.
TEST(TileRows, areWrittenOutForAResultThatLiesAcrossThem)
{
    const Compiled turned =
        compiled("input x: bf16[64, 64]\ninput w: bf16[64, 64]\nh = x @ w\noutput h\noutput t = relu(h).T\n",
                 "loops t: split i0 32; split i0.i 16; set_type i0.i.o upcast; set_type i0.i.i vector; split i1 32; "
                 "set_type i1.i upcast; split r2 32; split r2.i 2; set_type r2.i.o unroll; set_type r2.i.i unroll; "
                 "reorder i1.o i0.o i1.i i0.i.o i0.i.i; pack v2 i0.o r2.o i0.i.o r2.i.o i0.i.i r2.i.i; "
                 "pack v0 i1.o r2.o i1.i r2.i; tensorize r2 amx_bf16");
    expectTheGraphsValues(turned);
    EXPECT_GT(storesOf(turned).vectors, 16);
}

// What goes along one more axis is stored in a loop inside of which the rows are read.
TEST(TileRows, goAlongOtherAxes)
{
    const Compiled spread =
        compiled("input x: bf16[64, 64]\ninput w: bf16[64, 64]\ninput s: bf16[5, 1, 1]\noutput (x @ w) * s\n");
    expectTheGraphsValues(spread);
}

// The pixels of a row of an image are the rows of a tile: 7, 14 and 28 leave registers with rows that nobody reads. The sums stay
// in registers through the loops over the window and the channels.
TEST(TileRows, ofPixelsMayBeFewerThanARegisterHas)
{
    constexpr std::array<std::int64_t, 6> kColumns{7, 13, 14, 28, 32, 56};
    for (const std::int64_t columns : kColumns) {
        SCOPED_TRACE(columns);
        const Compiled convolution = compiled(
            format("input x: bf16[1, 64, 5, {}]\ninput w: bf16[32, 64, 3, 3]\noutput conv2d(x, w, padding = 1)\n", columns));
        ASSERT_NE(convolution.lowered, nullptr);
        expectTheGraphsValues(convolution);
        const auto hasTiles = [](const LoweredKernel &kernel) {
            return std::ranges::count(kernel.instructions, InstructionKind::Wmma, &Instruction::kind) > 0;
        };
        const auto kernel = std::ranges::find_if(convolution.lowered->kernels, hasTiles);
        ASSERT_NE(kernel, convolution.lowered->kernels.end());
        DeviceInfo device = test::vectorDevice(2);
        device.tensorInstructions = bitOf(TensorInstruction::AmxBf16);
        const auto source = LlvmRenderer().render(*kernel, device);
        ASSERT_TRUE(source) << toText(source.error());
        const auto code = crossCompiled(*source, "sapphirerapids");
        ASSERT_TRUE(code) << toText(code.error());
        const std::int64_t tiles = columns <= 16 ? 2 : 4; // of sums: two vectors, and one or two registers of rows
        EXPECT_EQ(std::ranges::count_if(code->instructions,
                                        [](const MachineInstruction &one) { return one.text.starts_with("tilestored"); }),
                  tiles);
    }
}

// Kernels that a core's cache does not hold: each panel of them stays there, and goes through all rows.
TEST(TileRows, ofPixelsGoThroughPanelsThatStayInTheCache)
{
    const std::string text = "input x: bf16[1, 64, 5, 14]\ninput w: bf16[128, 64, 3, 3]\noutput conv2d(x, w, padding = 1)\n";
    for (const bool areHeld : {false, true}) {
        SCOPED_TRACE(areHeld);
        const Compiled convolution = compiled(text, {}, (areHeld ? 1024 : 80) * 1024);
        ASSERT_NE(convolution.lowered, nullptr);
        expectTheGraphsValues(convolution);
        const auto nest = std::ranges::find_if(convolution.loops->nests, [](const auto &each) {
            return !each->reductions.empty() && each->reductions.front().instruction.has_value();
        });
        ASSERT_NE(nest, convolution.loops->nests.end());
        const AxisId columns = tileRolesOf(**nest, ReductionId(0U)).columns;
        EXPECT_EQ(unsplitAxis(**nest, (*nest)->order.front()) == columns, !areHeld);
    }
}

// The kernels are put into tiles when the program is loaded; what the product costs is priced by the instruction.
// Sixteen outputs are enough.
TEST(TileRows, ofPixelsHaveParametersInTilesAndTheirPrice)
{
    for (const std::int64_t outputs : {16, 48}) {
        const Compiled convolution = compiled(format(
            "input x: bf16[1, 32, 5, 14]\nparam w: bf16[{}, 32, 3, 3] = random(1)\noutput conv2d(x, w, padding = 1)\n", outputs));
        ASSERT_NE(convolution.lowered, nullptr);
        const Schedule &schedule = *convolution.lowered->schedule;
        int loaded = 0;
        int priced = 0;
        for (const ScheduleItem &item : schedule.items) {
            if (!item.kernel().isValid())
                continue;
            const ScheduledKernel &kernel = schedule.kernel(item.kernel());
            loaded += item.phase == Phase::Load ? 1 : 0;
            priced += kernel.estimate.tensorWork.empty() ? 0 : 1;
        }
        EXPECT_EQ(loaded, 1);
        EXPECT_EQ(priced, 1);
    }
}

// Strides, groups and several images: the loops around the tiles.
TEST(TileRows, ofPixelsOfOtherConvolutions)
{
    for (const std::string_view options : {"padding = 1, stride = 2", "padding = 2, dilation = 2", "groups = 2", "padding = 1"}) {
        SCOPED_TRACE(options);
        const std::int64_t channels = options == "groups = 2" ? 32 : 64;
        const Compiled convolution = compiled(format(
            "input x: bf16[2, 64, 9, 14]\ninput w: bf16[64, {}, 3, 3]\noutput relu(conv2d(x, w, {}))\n", channels, options));
        ASSERT_NE(convolution.lowered, nullptr);
        expectTheGraphsValues(convolution);
        EXPECT_TRUE(std::ranges::any_of(convolution.lowered->kernels, [](const LoweredKernel &kernel) {
            return std::ranges::count(kernel.instructions, InstructionKind::Wmma, &Instruction::kind) > 0;
        }));
    }
}

} // namespace
} // namespace sw
