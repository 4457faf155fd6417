#include "engine/passes/schedule/lay_out_constants.h"

#include "engine/graph/builder.h"
#include "engine/graph/interpreter.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/types/random_fill.h"
#include "engine/types/stored_bytes.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>
#include <array>
#include <fstream>

namespace sw {
namespace {

// x [1, 5, 3, steps] times the rows of a constant [1, 1, rows, steps], along the steps; vectors have four lanes.
struct LayOut : PassRun {
    LayOut()
    {
        device.vectorBytes = 16;
        auto map = std::make_shared<SourceMap>();
        const FileId file = map->addFile({.name = "test", .text = "test"});
        item = map->addItem(
            {.file = file, .range = {"test", 1, 1, 1, 5}, .scope = SourceMap::rootScope(), .caller = {}, .label = "t"});
        builder.emplace(map);
    }

    NodeId constant(Shape shape, DType dtype = DType::F32)
    {
        return builder->vconst(Origin(item), randomTensor(dtype, std::move(shape), 3));
    }
    NodeId constant(const HostTensor &value) { return builder->vconst(Origin(item), value); }
    NodeId parameter(Shape shape, DType dtype = DType::F32)
    {
        return builder->placeholder(Origin(item), dtype, std::move(shape),
                                    {.name = format("w{}", builder->size()), .role = PlaceholderRole::Param, .initial = nullptr});
    }
    // The weights are [steps, columns].
    NodeId productOfColumns(NodeId weights, std::int64_t positions = 15)
    {
        return product(builder->permute(Origin(item), weights, {1, 0}).value(), positions);
    }
    NodeId product(NodeId weights, std::int64_t positions = 15)
    {
        const Shape shape = builder->node(weights).shape;
        const DType dtype = builder->node(weights).dtype;
        const NodeId x = builder->placeholder(Origin(item), dtype, {positions, 1, shape[1]},
                                              {.name = format("x{}", builder->size()), .initial = nullptr});
        const NodeId rows = builder->reshape(Origin(item), weights, {1, shape[0], shape[1]}).value();
        const std::array factors{x, rows};
        const NodeId both = builder->broadcasted(Origin(item), Op::Mul, factors).value();
        return builder->reduce(Origin(item), Op::Add, both, {2}).value();
    }
    // The graph before and after; the same where nothing was laid out.
    std::pair<Graph, std::optional<Graph>> after(std::vector<NodeId> outputs)
    {
        std::vector<std::string> names;
        for (const NodeId output : outputs)
            names.push_back(format("y{}", output.value));
        auto before = std::move(*builder).finish(Origin(item), outputs, names);
        EXPECT_TRUE(before) << toText(before.error());
        auto changed = layOutConstants(*before, context);
        EXPECT_TRUE(changed) << toText(changed.error());
        return {*before, *changed};
    }
    bool isLaidOut(NodeId output) { return after({output}).second.has_value(); }

    SourceId item;
    std::optional<GraphBuilder> builder;
};

// Bit for bit.
void expectSame(const Graph &before, const Graph &changed, const std::vector<HostTensor> &inputs)
{
    const auto expected = interpretGraph(before, inputs);
    const auto got = interpretGraph(changed, inputs);
    ASSERT_TRUE(expected && got);
    EXPECT_TRUE(std::ranges::equal(expected->front().bytes(), got->front().bytes()));
}

TEST(LayOutConstants, putsRowsIntoPanels)
{
    LayOut run;
    const NodeId weights = run.constant({8, 10});
    const auto [before, changed] = run.after({run.product(weights)});
    ASSERT_TRUE(changed);
    const std::string text = linesOf(*changed);
    EXPECT_NE(text.find(": f32[2, 10, 4]"), std::string::npos) << text;
    EXPECT_NE(text.find("{axes = [0, 2, 1]} : f32[2, 4, 10]"), std::string::npos) << text;
    ASSERT_EQ(run.context.rewrites().events().size(), 1U);
    EXPECT_EQ(run.context.rewrites().events().front().rule, "lay-out-constant");
    expectSame(before, *changed, {randomTensor(DType::F32, {15, 1, 10}, 5)});
}

// Three of four lanes are one vector, two are not worth it; and columns that lie side by side are a panel already.
TEST(LayOutConstants, putsRowsOfOneVectorThatIsNotFullIntoOnePanel)
{
    LayOut run;
    const NodeId weights = run.constant({3, 10});
    const auto [before, changed] = run.after({run.product(weights)});
    ASSERT_TRUE(changed);
    EXPECT_NE(linesOf(*changed).find(": f32[1, 10, 3]"), std::string::npos) << linesOf(*changed);
    expectSame(before, *changed, {randomTensor(DType::F32, {15, 1, 10}, 5)});
    LayOut few;
    EXPECT_FALSE(few.isLaidOut(few.product(few.constant({2, 10}))));
    LayOut columns;
    EXPECT_FALSE(columns.isLaidOut(columns.productOfColumns(columns.constant({10, 3}))));
}

// Compiling does not wait for it: neither the pass nor the text of the graph reads more than a few elements. A file that changes
// afterwards tells when the others are read.
TEST(LayOutConstants, leavesTheCopyingToWhoeverReads)
{
    const test::TemporaryFolder folder;
    std::filesystem::create_directories(folder.path());
    const std::filesystem::path file = folder.path() / "weights.bin";
    std::ofstream(file) << "1234" << std::string(64 * 1024 - 4, 'w');
    const auto bytes = std::make_shared<const StoredBytes>(MappedFile::open(file).value(), 0, 64 * 1024);
    LayOut run;
    const NodeId weights = run.constant(HostTensor::stored(DType::F32, {128, 128}, bytes));
    const auto [before, changed] = run.after({run.product(weights)});
    ASSERT_TRUE(changed);
    const GraphPrintOptions options{.maxTensorBytes = 4096};
    EXPECT_NE(printGraph(*changed, options).text.find("omitted(16384 elements"), std::string::npos);
    std::ofstream(file, std::ios::app) << "more";
    const auto panels = std::ranges::find(changed->nodes(), Shape({32, 128, 4}), &Node::shape);
    ASSERT_NE(panels, changed->nodes().end());
    EXPECT_FALSE(attributesOf<TensorAttributes>(*panels).value->checkUnchanged());
}

TEST(LayOutConstants, putsColumnsIntoPanels)
{
    LayOut run;
    const auto [before, changed] = run.after({run.productOfColumns(run.constant({10, 8}))});
    ASSERT_TRUE(changed);
    const std::string text = linesOf(*changed);
    EXPECT_NE(text.find(": f32[2, 10, 4]"), std::string::npos) << text;
    EXPECT_NE(text.find("{axes = [1, 0, 2]} : f32[10, 2, 4]"), std::string::npos) << text;
    expectSame(before, *changed, {randomTensor(DType::F32, {15, 1, 10}, 5)});
}

// A parameter is given as it is; what the load phase stores is its panels.
TEST(LayOutConstants, storesPanelsOfParameters)
{
    for (const bool isOfColumns : {false, true}) {
        LayOut run;
        const NodeId weights = run.parameter(isOfColumns ? Shape({10, 8}) : Shape({8, 10}));
        const auto [before, changed] = run.after({isOfColumns ? run.productOfColumns(weights) : run.product(weights)});
        ASSERT_TRUE(changed);
        const auto stored = std::ranges::find(changed->nodes(), NodeKind::Contiguous, &Node::kind);
        ASSERT_NE(stored, changed->nodes().end());
        EXPECT_EQ(stored->shape, Shape({2, 10, 4}));
        ASSERT_EQ(run.context.rewrites().events().size(), 1U);
        EXPECT_EQ(run.context.rewrites().events().front().rule, "lay-out-parameter");
        expectSame(
            before, *changed,
            {randomTensor(DType::F32, before.node(before.placeholders()[0]).shape, 4), randomTensor(DType::F32, {15, 1, 10}, 5)});
    }
}

// Weights of channels, whose other factor has another element for each of them: a vector of it is read as it lies in memory where
// the channels are side by side there, also beside padding.
TEST(LayOutConstants, putsWeightsOfChannelsIntoPanels)
{
    // x [positions, channels, steps] in that order of axes, after whatever is done to what is in memory.
    const auto isLaidOut = [](Shape stored, auto &&seen) {
        LayOut run;
        const Origin origin(run.item);
        const NodeId weights = run.builder->reshape(origin, run.constant({8, 9}), {1, 8, 9}).value();
        const NodeId x = run.builder->placeholder(origin, DType::F32, std::move(stored), {.name = "x", .initial = nullptr});
        const std::array factors{seen(run, origin, x), weights};
        const NodeId both = run.builder->broadcasted(origin, Op::Mul, factors).value();
        const auto [before, changed] = run.after({run.builder->reduce(origin, Op::Add, both, {2}).value()});
        if (!changed)
            return false;
        EXPECT_NE(linesOf(*changed).find(": f32[2, 9, 4]"), std::string::npos) << linesOf(*changed);
        expectSame(before, *changed, {randomTensor(DType::F32, before.node(before.placeholders()[0]).shape, 5)});
        return true;
    };
    const Scalar zero = Scalar::of(DType::F32, 0.0);
    EXPECT_TRUE(isLaidOut({15, 9, 8}, [](LayOut &run, const Origin &origin, NodeId x) {
        return run.builder->permute(origin, x, {0, 2, 1}).value();
    }));
    EXPECT_TRUE(isLaidOut({15, 7, 8}, [&](LayOut &run, const Origin &origin, NodeId x) {
        const NodeId padded = run.builder->pad(origin, x, {{0, 1, 0}, {0, 1, 0}, zero}).value();
        return run.builder->permute(origin, padded, {0, 2, 1}).value();
    })) << "a border around rows of channels";
    EXPECT_FALSE(isLaidOut({15, 9, 6}, [&](LayOut &run, const Origin &origin, NodeId x) {
        const NodeId padded = run.builder->pad(origin, x, {{0, 0, 1}, {0, 0, 1}, zero}).value();
        return run.builder->permute(origin, padded, {0, 2, 1}).value();
    })) << "a border within rows of channels";
    EXPECT_FALSE(isLaidOut({15, 8, 9}, [](LayOut &, const Origin &, NodeId x) { return x; })) << "the steps are side by side";
}

// Weights of a narrow type are stored as what they are multiplied in, unless the device multiplies the narrow type itself.
TEST(LayOutConstants, storesPanelsOfWhatWeightsAreCastTo)
{
    const auto isLaidOut = [](DType dtype, std::uint32_t instructions) {
        LayOut run;
        run.device.tensorInstructions = instructions;
        const NodeId wide = run.builder->cast(Origin(run.item), run.parameter({8, 10}, dtype), DType::F32).value();
        const auto [before, changed] = run.after({run.product(wide)});
        if (!changed)
            return false;
        const auto stored = std::ranges::find(changed->nodes(), NodeKind::Contiguous, &Node::kind);
        EXPECT_TRUE(stored != changed->nodes().end() && stored->dtype == DType::F32);
        expectSame(before, *changed, {randomTensor(dtype, {8, 10}, 4), randomTensor(DType::F32, {15, 1, 10}, 5)});
        return true;
    };
    EXPECT_TRUE(isLaidOut(DType::F16, 0));
    EXPECT_TRUE(isLaidOut(DType::BF16, 0));
    EXPECT_FALSE(isLaidOut(DType::BF16, bitOf(TensorInstruction::DotBf16)));
    EXPECT_TRUE(isLaidOut(DType::F16, bitOf(TensorInstruction::DotBf16)));
}

// A tensor instruction reads groups of steps of 16 rows. x [positions, 1, steps] and the weights are cast to what is added up.
struct NarrowProduct {
    TensorInstruction instruction = TensorInstruction::AmxBf16;
    std::int64_t positions = 64;
    std::int64_t rows = 64;
    std::int64_t steps = 64;
    bool isOfColumns = false;
    bool isParameter = false;
    DType x = DType::BF16;
    CompileOptions options = {};
};

// The shape of the panels; empty: there are none.
std::string tilePanelsOf(const NarrowProduct &product)
{
    const TensorInstructionInfo &info = infoOf(product.instruction);
    LayOut run;
    run.device.tensorInstructions = bitOf(product.instruction);
    run.options = product.options;
    const Origin origin(run.item);
    const Shape stored = product.isOfColumns ? Shape({product.steps, product.rows}) : Shape({product.rows, product.steps});
    NodeId weights = product.isParameter ? run.parameter(stored, info.b) : run.constant(stored, info.b);
    if (product.isOfColumns)
        weights = run.builder->permute(origin, weights, {1, 0}).value();
    weights = run.builder->cast(origin, weights, info.sum).value();
    const NodeId x =
        run.builder->placeholder(origin, product.x, {product.positions, 1, product.steps}, {.name = "x", .initial = nullptr});
    const std::array factors{run.builder->cast(origin, x, info.sum).value(),
                             run.builder->reshape(origin, weights, {1, product.rows, product.steps}).value()};
    const NodeId both = run.builder->broadcasted(origin, Op::Mul, factors).value();
    const auto [before, changed] = run.after({run.builder->reduce(origin, Op::Add, both, {2}).value()});
    if (!changed)
        return {};
    std::vector<HostTensor> inputs;
    for (const NodeId id : before.placeholders())
        inputs.push_back(randomTensor(before.node(id).dtype, before.node(id).shape, 4 + id.value));
    expectSame(before, *changed, inputs);
    const auto panels = std::ranges::find_if(changed->nodes(), [&](const Node &node) {
        return node.kind == (product.isParameter ? NodeKind::Contiguous : NodeKind::Vconst);
    });
    return panels == changed->nodes().end() ? "none" : std::string(nameOf(panels->dtype)) + toText(panels->shape);
}

TEST(LayOutConstants, putsNarrowRowsIntoTilesOfATensorInstruction)
{
    for (const bool isOfColumns : {false, true})
        for (const bool isParameter : {false, true}) {
            EXPECT_EQ(tilePanelsOf({.isOfColumns = isOfColumns, .isParameter = isParameter}), "bf16[4, 32, 16, 2]");
            EXPECT_EQ(tilePanelsOf({.instruction = TensorInstruction::DotU8I8,
                                    .positions = 8,
                                    .rows = 16,
                                    .steps = 20,
                                    .isOfColumns = isOfColumns,
                                    .isParameter = isParameter,
                                    .x = DType::U8}),
                      "i8[1, 5, 16, 4]");
        }
}

TEST(LayOutConstants, leavesNarrowRowsThatNoTensorInstructionMayMultiply)
{
    EXPECT_EQ(tilePanelsOf({.positions = 63}), "") << "fewer rows than the loops make tiles of";
    EXPECT_EQ(tilePanelsOf({.rows = 48}), "") << "fewer columns";
    EXPECT_EQ(tilePanelsOf({.steps = 48}), "") << "no whole tiles";
    EXPECT_EQ(tilePanelsOf({.x = DType::F32}), "") << "the other factor is wide";
    EXPECT_EQ(tilePanelsOf({.options = {.strict = true}}), "") << "another order of the sums";
    EXPECT_EQ(tilePanelsOf({.options = {.tensorInstructions = false}}), "");
    const NarrowProduct bytes{.instruction = TensorInstruction::DotU8I8, .x = DType::U8, .options = {.strict = true}};
    EXPECT_EQ(tilePanelsOf(bytes), "i8[4, 16, 16, 4]") << "sums of whole numbers do not round";
}

// Each row has factors of its own: vectors go along the positions.
TEST(LayOutConstants, leavesRowsThatShareNoFactors)
{
    LayOut run;
    const NodeId rows = run.builder->reshape(Origin(run.item), run.parameter({8, 10}), {1, 8, 10}).value();
    const NodeId x = run.builder->placeholder(Origin(run.item), DType::F32, {15, 8, 10}, {.name = "x", .initial = nullptr});
    const std::array factors{x, rows};
    const NodeId both = run.builder->broadcasted(Origin(run.item), Op::Mul, factors).value();
    EXPECT_FALSE(run.isLaidOut(run.builder->reduce(Origin(run.item), Op::Add, both, {2}).value()));
}

// The run would have to make the panels.
TEST(LayOutConstants, leavesParametersOfWhatTheRunAloneComputes)
{
    LayOut run;
    const NodeId rows = run.builder->reshape(Origin(run.item), run.parameter({8, 10}), {1, 8, 10}).value();
    const std::array factors{run.parameter({15, 1, 10}), rows};
    const NodeId both = run.builder->broadcasted(Origin(run.item), Op::Mul, factors).value();
    EXPECT_FALSE(run.isLaidOut(run.builder->reduce(Origin(run.item), Op::Add, both, {2}).value()));
}

TEST(LayOutConstants, leavesWhatItWouldNotHelp)
{
    EXPECT_TRUE(LayOut().context.options().optimize);
    const auto isLaidOut = [](Shape shape, std::int64_t positions, DType dtype = DType::F32) {
        LayOut run;
        return run.isLaidOut(run.product(run.constant(std::move(shape), dtype), positions));
    };
    EXPECT_TRUE(isLaidOut({8, 10}, 15));
    EXPECT_FALSE(isLaidOut({9, 10}, 15));              // no whole panels
    EXPECT_FALSE(isLaidOut({8, 10}, 7));               // each element is read seven times only
    EXPECT_FALSE(isLaidOut({8, 4}, 15));               // rows of four steps
    EXPECT_FALSE(isLaidOut({8, 10}, 15, DType::BF16)); // in the order of a tensor instruction, which a kernel makes
    EXPECT_TRUE(isLaidOut({8, 10}, 15, DType::F64));
}

TEST(LayOutConstants, leavesWhatIsReadOtherwiseToo)
{
    LayOut twice;
    const NodeId shared = twice.constant({8, 10});
    const NodeId one = twice.product(shared);
    const NodeId other = twice.product(shared);
    EXPECT_FALSE(twice.after({one, other}).second.has_value());

    LayOut shown;
    const NodeId weights = shown.constant({8, 10});
    const NodeId product = shown.product(weights);
    EXPECT_FALSE(shown.after({product, weights}).second.has_value());
}

TEST(LayOutConstants, isForProcessorsThatOptimize)
{
    LayOut gpu;
    gpu.device.kind = DeviceKind::Gpu;
    EXPECT_FALSE(gpu.isLaidOut(gpu.product(gpu.constant({8, 10}))));
    LayOut plain;
    plain.options.optimize = false;
    EXPECT_FALSE(plain.isLaidOut(plain.product(plain.constant({8, 10}))));
}

} // namespace
} // namespace sw
