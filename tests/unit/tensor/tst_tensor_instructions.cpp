// Products by tensor instructions: the same values as the graph, from the interpreter and from machine code, for each row of the
// table, for sizes that fit it and for those that do not, and none of it where the device lacks the row.

#include "engine/backend/llvm/cross_compiler.h"
#include "engine/backend/llvm/llvm_renderer.h"
#include "engine/backend/native_backends.h"
#include "engine/execute/opened_device.h"
#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/lowered/type_rules.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/lowered/decompose_tiles.h"
#include "engine/pipeline/pipeline.h"
#include "engine/pipeline/runner.h"
#include "tests/support/one_kernel.h"
#include "tests/unit/tensor/run_tile.h"
#include "tests/unit/tensor/tile_emulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sw {
namespace {

struct Product {
    DType a = DType::BF16;
    DType b = DType::BF16;
    DType sum = DType::F32;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t depth = 1;
    std::int64_t batch = 1;
    bool isATurned = false; // stored depth x rows
    bool isBTurned = false; // stored columns x depth
    bool isBGiven = false;  // a constant
};

std::string nameOf(const Product &product)
{
    return format("{} x {} in {}: {} of {} x {} x {}{}{}{}", nameOf(product.a), nameOf(product.b), nameOf(product.sum),
                  product.batch, product.rows, product.columns, product.depth, product.isATurned ? ", a turned" : "",
                  product.isBTurned ? ", b turned" : "", product.isBGiven ? ", b given" : "");
}

// Whole numbers, small enough that every sum is exact in any order.
HostTensor wholeNumbers(DType dtype, const Shape &shape, std::mt19937 &random)
{
    HostTensor made(dtype, shape);
    const int low = isFloat(dtype) ? -8 : (dtype == DType::U8 ? 0 : -128);
    const int high = isFloat(dtype) ? 8 : (dtype == DType::U8 ? 255 : 127);
    std::uniform_int_distribution<std::int64_t> draw(low, high);
    for (std::int64_t i = 0; i < shape.elements(); ++i)
        made.set(i, Scalar::of(DType::F64, static_cast<double>(draw(random))).castTo(dtype));
    return made;
}

bool isEqual(const HostTensor &one, const HostTensor &other)
{
    return one.shape() == other.shape() && std::ranges::equal(one.bytes(), other.bytes());
}

GraphPtr graphOf(const Product &product)
{
    auto map = std::make_shared<SourceMap>();
    const FileId file = map->addFile({.name = "test", .text = "test"});
    const Origin origin(
        map->addItem({.file = file, .range = {"test", 1, 1, 1, 5}, .scope = SourceMap::rootScope(), .caller = {}, .label = "t"}));
    GraphBuilder builder(map);
    const auto factor = [&](std::string name, DType dtype, std::int64_t outer, std::int64_t inner, bool isTurned) {
        const Shape stored = isTurned ? Shape{product.batch, inner, outer} : Shape{product.batch, outer, inner};
        std::mt19937 random{11};
        NodeId value = product.isBGiven && name == "b"
                           ? builder.vconst(origin, wholeNumbers(dtype, stored, random))
                           : builder.placeholder(origin, dtype, stored, {.name = std::move(name), .initial = nullptr});
        if (isTurned)
            value = builder.permute(origin, value, {0, 2, 1}).value();
        return builder.cast(origin, value, product.sum).value();
    };
    NodeId a = factor("a", product.a, product.rows, product.depth, product.isATurned);
    NodeId b = factor("b", product.b, product.depth, product.columns, product.isBTurned);
    b = builder.permute(origin, b, {0, 2, 1}).value();
    a = builder.reshape(origin, a, {product.batch, product.rows, 1, product.depth}).value();
    b = builder.reshape(origin, b, {product.batch, 1, product.columns, product.depth}).value();
    const std::array factors{a, b};
    const NodeId products = builder.broadcasted(origin, Op::Mul, factors).value();
    const NodeId sums = builder.reduce(origin, Op::Add, products, {3}).value();
    const NodeId result = builder.reshape(origin, sums, {product.batch, product.rows, product.columns}).value();
    return std::make_shared<const Graph>(std::move(builder).finish(origin, {result}, {"result"}).value());
}

DeviceInfo deviceWith(std::uint32_t instructions)
{
    DeviceInfo device = test::vectorDevice(2);
    device.tensorInstructions = instructions;
    return device;
}

class TensorInstructionsTest : public ::testing::Test {
protected:
    struct Compiled {
        LoopProgramPtr loops;
        LoweredProgramPtr lowered;
    };

    static Compiled compiled(const GraphPtr &graph, std::uint32_t instructions, const CompileOptions &options = {})
    {
        const CompileTarget target{deviceWith(instructions), TargetLanguage::Llvm, options};
        const PipelineRun run = runPipeline(graph, standardPipeline(), target, {});
        EXPECT_TRUE(run.succeeded) << (run.succeeded ? std::string() : toText(run.diagnostics.front()));
        Compiled made;
        if (!run.succeeded)
            return made;
        for (const PassStep &step : run.steps)
            if (const auto *loops = std::get_if<LoopProgramPtr>(&step.after))
                made.loops = *loops;
        made.lowered = std::get<LoweredProgramPtr>(run.last);
        return made;
    }

    static bool isTensorized(const Compiled &program, TensorInstruction one)
    {
        const std::vector<Reduction> &reductions = program.loops->nests.front()->reductions; // none where the depth is 1
        return !reductions.empty() && reductions.front().instruction == one;
    }

    static std::int64_t tilesOf(const Compiled &program)
    {
        return std::ranges::count_if(program.lowered->kernels.at(0).instructions,
                                     [](const Instruction &one) { return one.kind == InstructionKind::Wmma; });
    }

    // The row is chosen where it must be, and all ways to run the kernel give the graph's values. The device has the others too.
    void check(const Product &product, TensorInstruction one, bool mustBeChosen, std::uint32_t others = 0)
    {
        SCOPED_TRACE(nameOf(product) + " by " + std::string(infoOf(one).name));
        const GraphPtr graph = graphOf(product);
        std::vector<HostTensor> inputs;
        for (const NodeId id : graph->placeholders())
            inputs.push_back(wholeNumbers(graph->node(id).dtype, graph->node(id).shape, m_random));
        const auto expected = interpretGraph(*graph, inputs);
        ASSERT_TRUE(expected) << toText(expected.error());

        const Compiled with = compiled(graph, bitOf(one) | others);
        ASSERT_TRUE(with.lowered);
        if (mustBeChosen) {
            EXPECT_TRUE(isTensorized(with, one));
            EXPECT_GT(tilesOf(with), 0);
            const LoopNest &nest = *with.loops->nests.front();
            if (product.isBGiven) {
                EXPECT_EQ(nest.packs.size(), hasTileRegisters(infoOf(one)) ? 1U : 0U) << "b lies in tiles";
            }
        }
        const auto interpreted = test::runLowered(*with.lowered, inputs);
        ASSERT_TRUE(interpreted) << toText(interpreted.error());
        EXPECT_TRUE(isEqual(interpreted->front(), expected->front())) << "the interpreter";

        if (!isTensorized(with, one))
            return;

        const bool isTile = hasTileRegisters(infoOf(one));
        if (canRun(one)) {
            const auto native = test::runTile(*with.lowered, inputs, expected->front(), deviceWith(bitOf(one) | others), isTile);
            ASSERT_TRUE(native) << toText(native.error());
            EXPECT_TRUE(isEqual(*native, expected->front())) << "machine code";
            ++m_nativeRuns;
        }

        // The same program on a device that lacks the row.
        const Compiled without = compiled(graph, 0);
        ASSERT_TRUE(without.lowered);
        EXPECT_EQ(tilesOf(without), 0);
        const auto plain = test::runLowered(*without.lowered, inputs);
        ASSERT_TRUE(plain) << toText(plain.error());
        EXPECT_TRUE(isEqual(plain->front(), expected->front())) << "without the instruction";
    }

    // The instructions of this processor that llvm's code may use.
    static std::uint32_t ownInstructions()
    {
        BackendRegistry registry;
        addNativeBackends(registry);
        const auto device = OpenedDevice::open(registry, "llvm", {});
        return device ? (*device)->info().tensorInstructions : 0;
    }

    // Tiles are emulated where the processor has none: where it has, some tile instructions would run and others stop. The code
    // around them, and the vector instructions, need the processor.
    static bool canRun(TensorInstruction one)
    {
#if defined(__x86_64__)
        const bool hasVectors = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
                                __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
                                __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vnni") &&
                                __builtin_cpu_supports("avx512bf16");
        static const std::uint32_t own = ownInstructions();
        return hasVectors && (!hasTileRegisters(infoOf(one)) || (own & bitOf(one)) != 0 || test::emulateTileInstructions());
#else
        static_cast<void>(one);
        return false;
#endif
    }

    std::mt19937 m_random{7};
    int m_nativeRuns = 0;
};

Product productFor(TensorInstruction one, std::int64_t rows, std::int64_t columns, std::int64_t depth)
{
    const TensorInstructionInfo &info = infoOf(one);
    return {.a = info.a, .b = info.b, .sum = info.sum, .rows = rows, .columns = columns, .depth = depth};
}

TEST_F(TensorInstructionsTest, rowsAreWellFormed)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        const TensorInstructionInfo &info = infoOf(one);
        EXPECT_EQ(tensorInstructionNamed(info.name), one);
        EXPECT_FALSE(info.doc.empty());
        EXPECT_EQ(info.depth % depthGroupOf(info.b, info.sum), 0);
        const std::int64_t largest = std::max({info.rows * info.columns, info.rows * info.depth, info.depth * info.columns});
        EXPECT_LE(largest, kMaxLanes);
    }
    EXPECT_FALSE(tensorInstructionNamed("amx"));
    EXPECT_EQ(speedupOf(infoOf(TensorInstruction::AmxBf16)), 16) << "512 products in a cycle, not two vectors of 16";
    EXPECT_EQ(speedupOf(infoOf(TensorInstruction::DotBf16)), 2) << "two products to the sum";
}

TEST_F(TensorInstructionsTest, wholeTiles)
{
    for (const TensorInstruction one : allTensorInstructions())
        check(productFor(one, 64, 128, 64), one, true);
}

TEST_F(TensorInstructionsTest, restsOfRowsAndColumns)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        check(productFor(one, 80, 80, 64), one, true);
        check(productFor(one, 77, 80, 64), one, !hasTileRegisters(infoOf(one)));
        check(productFor(one, 70, 101, 64), one, !hasTileRegisters(infoOf(one)));
        check(productFor(one, 33, 47, 60), one, false);
    }
}

TEST_F(TensorInstructionsTest, signedBytesByTheProductOfUnsignedOnes)
{
    const TensorInstruction one = TensorInstruction::DotI8;
    const std::uint32_t unsignedOnes = bitOf(TensorInstruction::DotU8I8);
    check(productFor(one, 64, 128, 64), one, true, unsignedOnes);
    check(productFor(one, 77, 80, 64), one, true, unsignedOnes);
    check(productFor(one, 70, 101, 260), one, true, unsignedOnes);
    Product batches = productFor(one, 64, 64, 64);
    batches.batch = 2;
    check(batches, one, true, unsignedOnes);
}

TEST_F(TensorInstructionsTest, depthsThatDoNotFit)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        check(productFor(one, 64, 64, 63), one, false);
        check(productFor(one, 64, 64, 2), one, false);
        check(productFor(one, 1, 64, 64), one, false);
        check(productFor(one, 64, 1, 64), one, false);
    }
}

TEST_F(TensorInstructionsTest, turnedFactorsAndBatches)
{
    for (const TensorInstruction one : allTensorInstructions()) {
        Product product = productFor(one, 64, 64, 64);
        product.isBTurned = true;
        check(product, one, false);
        product.isATurned = true;
        check(product, one, false);
        product.isATurned = product.isBTurned = false;
        product.batch = 2;
        check(product, one, true);
    }
}

// Constants are laid out in tiles before the run, whichever way round they are given.
TEST_F(TensorInstructionsTest, constantsAreReadAsTheyLie)
{
    for (const TensorInstruction one : allTensorInstructions())
        for (const bool isTurned : {false, true}) {
            Product product = productFor(one, 64, 128, 64);
            product.isBGiven = true;
            product.isBTurned = isTurned;
            check(product, one, true);
            product.rows = 80;
            product.columns = 80;
            product.depth = 192;
            check(product, one, true);
            product.columns = 101; // no panels
            check(product, one, false);
            product.columns = 64;
            product.depth = 60;
            check(product, one, false);
            product.rows = 3;
            check(product, one, false);
        }
    check({.sum = DType::F32, .rows = 64, .columns = 64, .depth = 64, .isBGiven = true}, TensorInstruction::AmxBf16, true);
}

TEST_F(TensorInstructionsTest, randomSizes)
{
    std::uniform_int_distribution<std::int64_t> size(1, 100);
    std::uniform_int_distribution<int> choice(0, 3);
    for (const TensorInstruction one : allTensorInstructions()) {
        for (int i = 0; i < 3; ++i) {
            const std::int64_t rows = size(m_random);
            const std::int64_t columns = size(m_random);
            Product product = productFor(one, rows, columns, size(m_random));
            if (choice(m_random) != 0)
                product.depth = (product.depth + 63) / 64 * 64;
            if (choice(m_random) != 0)
                product.columns = (product.columns + 15) / 16 * 16;
            product.isATurned = choice(m_random) == 0;
            product.isBTurned = choice(m_random) == 0;
            product.isBGiven = choice(m_random) == 0;
            check(product, one, false);
        }
    }
}

TEST_F(TensorInstructionsTest, optionsTakeThemAway)
{
    const GraphPtr floats = graphOf(productFor(TensorInstruction::DotBf16, 64, 64, 64));
    const GraphPtr integers = graphOf(productFor(TensorInstruction::DotI8, 64, 64, 64));
    const std::uint32_t all = ~std::uint32_t{0};
    EXPECT_EQ(tilesOf(compiled(floats, all, {.tensorInstructions = false})), 0);
    EXPECT_EQ(tilesOf(compiled(floats, all, {.strict = true})), 0); // the order of its sums is the processor's
    EXPECT_GT(tilesOf(compiled(integers, all, {.strict = true})), 0);
}

// A list that was written for another device.
TEST_F(TensorInstructionsTest, otherDevicesWriteTheTilesOut)
{
    const GraphPtr graph = graphOf(productFor(TensorInstruction::AmxBf16, 64, 64, 64));
    const Compiled with = compiled(graph, bitOf(TensorInstruction::AmxBf16));
    ASSERT_GT(tilesOf(with), 0);
    const DeviceInfo plain = deviceWith(0);
    const CompileOptions options;
    PassContext context(plain, TargetLanguage::Llvm, options, {});
    const auto made = decomposeTiles(*with.lowered, context);
    ASSERT_TRUE(made);
    ASSERT_TRUE(*made);
    const auto written = std::make_shared<const LoweredProgram>(**made);
    EXPECT_EQ(tilesOf({with.loops, written}), 0);
    std::vector<HostTensor> inputs;
    for (const NodeId id : graph->placeholders())
        inputs.push_back(wholeNumbers(graph->node(id).dtype, graph->node(id).shape, m_random));
    const auto expected = interpretGraph(*graph, inputs);
    const auto run = test::runLowered(*written, inputs);
    ASSERT_TRUE(run) << toText(run.error());
    EXPECT_TRUE(isEqual(run->front(), expected->front()));
}

// Processors without the instruction say so, and LLVM is not asked.
TEST_F(TensorInstructionsTest, codeForProcessorsThatLackIt)
{
    const GraphPtr graph = graphOf(productFor(TensorInstruction::AmxBf16, 64, 64, 64));
    const std::uint32_t set = bitOf(TensorInstruction::AmxBf16);
    const Compiled with = compiled(graph, set);
    const auto source = LlvmRenderer().render(with.lowered->kernels.at(0), deviceWith(set));
    ASSERT_TRUE(source);
    const auto other = crossCompiled(*source, "znver4");
    ASSERT_FALSE(other);
    EXPECT_NE(toText(other.error()).find("tdpbf16ps"), std::string::npos) << toText(other.error());
    const auto own = crossCompiled(*source, "sapphirerapids");
    ASSERT_TRUE(own);
    const auto count = [&](std::string_view mnemonic) {
        return std::ranges::count_if(own->instructions,
                                     [&](const MachineInstruction &one) { return one.text.starts_with(mnemonic); });
    };
    EXPECT_GE(count("tdpbf16ps"), 4);
    // The sums stay in their registers over all the steps: they are stored once, at the end.
    EXPECT_EQ(count("tilestored"), 4);
    // A device without it has none of it in its code.
    const Compiled without = compiled(graph, 0);
    const auto plain = LlvmRenderer().render(without.lowered->kernels.at(0), deviceWith(0));
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->text.find("llvm.x86"), std::string::npos);
}

} // namespace
} // namespace sw
