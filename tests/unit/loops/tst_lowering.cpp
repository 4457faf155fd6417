#include "tests/unit/loops/lowering_fixture.h"

#include "engine/loops/queries.h"
#include "engine/loops/transform.h"
#include "engine/passes/loops/contraction_price.h"

#include <functional>

namespace sw {
namespace {

TEST_F(LoweringTest, elementwiseOfEverySize)
{
    for (const std::int64_t size : {0, 1, 2, 7, 16, 33, 64, 65, 1000, 70000}) {
        builder.emplace(sources);
        check({op(Op::Add, op(Op::Mul, input(DType::F32, {size}), input(DType::F32, {size})), input(DType::F32, {}))});
    }
}

TEST_F(LoweringTest, transposedAndBroadcastOperands)
{
    const NodeId a = builder->permute(Origin(item), input(DType::F32, {37, 19}), {1, 0}).value();
    check({op(Op::Sub, op(Op::Add, a, input(DType::F32, {19, 37})), input(DType::F32, {19, 1}))});
}

TEST_F(LoweringTest, mixedTypes)
{
    const NodeId a = builder->cast(Origin(item), input(DType::I32, {5, 21}), DType::F64).value();
    const NodeId less = op(Op::Cmplt, a, input(DType::F64, {21}));
    check({op(Op::Where, less, a, input(DType::F64, {5, 1}))});
}

TEST_F(LoweringTest, reductionsOverEachAxis)
{
    for (const std::vector<std::size_t> &axes : std::vector<std::vector<std::size_t>>{{0}, {1}, {2}, {0, 2}, {0, 1, 2}, {1, 2}}) {
        builder.emplace(sources);
        const NodeId x = input(DType::F32, {9, 35, 70});
        check({sum(x, axes)}, 1e-4);
        builder.emplace(sources);
        check({sum(input(DType::I32, {9, 35, 70}), axes, Op::Max)});
    }
}

TEST_F(LoweringTest, reductionOverNothingIsTheIdentity)
{
    check({sum(input(DType::F32, {3, 0}), {1}), sum(input(DType::F32, {3, 0}), {1}, Op::Mul)});
}

TEST_F(LoweringTest, halfPrecisionSumsAreGatheredInSingle)
{
    check({sum(input(DType::F16, {4, 300}), {1})}, 1e-3);
}

TEST_F(LoweringTest, matrixProductsWithRests)
{
    struct Case {
        std::int64_t m, n, k;
    };
    for (const Case &size : {Case{1, 1, 1}, Case{5, 7, 9}, Case{64, 48, 33}, Case{70, 101, 70}, Case{1, 200, 64},
                             Case{200, 1, 64}, Case{30, 300, 70}, Case{9, 70, 1030}}) {
        for (const bool isTransposed : {false, true}) {
            builder.emplace(sources);
            check({matmul(size.m, size.n, size.k, isTransposed)}, 1e-4);
        }
    }
    EXPECT_NE(everyNest.find("pack"), std::string::npos); // the sizes suffice for every way to do it
    EXPECT_NE(everyNest.find("register tile of 16 lanes"), std::string::npos);
    EXPECT_NE(everyNest.find("partial results in the lanes"), std::string::npos);
}

// Sizes around the lanes of a vector: what is left over is one masked vector, packed or not, with every rest of rows.
TEST_F(LoweringTest, masksWhatVectorsLeaveOver)
{
    for (const std::int64_t columns : {7, 13, 15, 31, 49, 63, 77, 101}) {
        for (const std::int64_t rows : {3, 21, 43}) {
            for (const bool isTransposed : {false, true}) {
                builder.emplace(sources);
                check({matmul(rows, columns, 37, isTransposed)}, 1e-4);
            }
        }
    }
    EXPECT_NE(everyNest.find("\n    mask i1"), std::string::npos);
    EXPECT_NE(everyNest.find("masked"), std::string::npos);
}

// The price in the reason is that of the nest that was made, also of a masked one.
TEST_F(LoweringTest, pricesOfTilesFollowFromTheNest)
{
    using Size = std::array<std::int64_t, 3>;
    std::size_t masked = 0;
    std::size_t tiled = 0;
    const DeviceInfo device = test::vectorDevice(1, 64);
    for (const auto &[m, n, k] :
         {Size{64, 64, 64}, Size{255, 255, 255}, Size{40, 49, 300}, Size{21, 13, 500}, Size{90, 77, 40}}) {
        builder.emplace(sources);
        const NodeId product = matmul(m, n, k);
        Result<Graph> finished = std::move(*builder).finish(Origin(item), {product}, {"output"});
        ASSERT_TRUE(finished) << toText(finished.error());
        const SchedulePtr schedule = test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
        const LoopNest plain = *(*test::loopsFor(schedule, device, {.optimize = false}))->nests.front();
        const LoopNest made = *(*test::loopsFor(schedule, device, {}))->nests.front();
        const PassContext context(device, TargetLanguage::Lowered, {}, {});
        const auto cycles = contractionCycles(*schedule, plain, made, context);
        ASSERT_TRUE(cycles) << toText(made, *schedule);
        const auto tile = std::ranges::find_if(
            made.transforms, [](const Transform &one) { return one.reason.find("register tile") != std::string::npos; });
        if (tile == made.transforms.end())
            continue;
        ++tiled;
        masked += std::ranges::any_of(made.axes, [](const Axis &axis) { return axis.isMasked; }) ? 1 : 0;
        EXPECT_NE(tile->reason.find(format("about {:.0f} thousand cycles", *cycles / 1000)), std::string::npos)
            << *cycles << toText(made, *schedule);
    }
    EXPECT_GT(tiled, 3U);
    EXPECT_GT(masked, 1U);
}

TEST_F(LoweringTest, productsOfNarrowElementsAsTiles)
{
    for (const std::array<std::int64_t, 3> &size :
         {std::array<std::int64_t, 3>{16, 16, 8}, {5, 7, 9}, {33, 70, 21}, {3, 64, 2}, {64, 3, 5}, {1, 40, 30}}) {
        builder.emplace(sources);
        const auto wide = [&](Shape shape) {
            return builder->cast(Origin(item), input(DType::F16, std::move(shape)), DType::F32).value();
        };
        const NodeId a = wide({size[0], 1, size[2]});
        const NodeId b = wide({1, size[1], size[2]});
        check({sum(op(Op::Mul, a, b), {2})}, 1e-3);
        builder.emplace(sources);
        const NodeId whole = builder->cast(Origin(item), input(DType::I8, {size[0], size[2], 1}), DType::I32).value();
        const NodeId other = builder->cast(Origin(item), input(DType::I8, {1, size[2], size[1]}), DType::I32).value();
        check({sum(op(Op::Mul, whole, other), {1})});
    }
    EXPECT_NE(everyNest.find("tensorize"), std::string::npos);
}

// On a GPU the items of a group have a part of each row; on any device the values are the same.
TEST_F(LoweringTest, reductionsThatAGroupShares)
{
    for (const std::int64_t steps : {32, 64, 65, 1000}) {
        builder.emplace(sources);
        const NodeId x = input(DType::F32, {5, 3, steps});
        const NodeId most = builder->reshape(Origin(item), sum(x, {2}, Op::Max), {5, 3, 1}).value();
        const NodeId shifted = op(Op::Exp, op(Op::Sub, x, most));
        const NodeId total = builder->reshape(Origin(item), sum(shifted, {2}), {5, 3, 1}).value();
        check({op(Op::Div, shifted, total), total, most}, 1e-4);
        builder.emplace(sources);
        check({sum(input(DType::I64, {steps, 4}), {0}), sum(input(DType::I64, {steps, 4}), {0}, Op::Min)});
        builder.emplace(sources);
        check({sum(input(DType::F32, {steps, 3}), {0, 1})}, 1e-4);
    }
    EXPECT_NE(everyNest.find(" local"), std::string::npos);
}

TEST_F(LoweringTest, groupsWithIdleItems)
{
    for (const std::int64_t size : {129, 1021, 4099}) {
        builder.emplace(sources);
        check({op(Op::Neg, input(DType::F32, {3, size}))});
    }
    EXPECT_NE(everyNest.find("groups of"), std::string::npos);
}

TEST_F(LoweringTest, loopsThatTheProgramAsksToWriteOut)
{
    check({writtenOut(op(Op::Neg, input(DType::F32, {3, 4001})), 4)});
    EXPECT_NE(everyNest.find("unroll"), std::string::npos);
    everyNest.clear();
    builder.emplace(sources);
    const NodeId most = sum(input(DType::F32, {30, 500}), {1}, Op::Max);
    check({op(Op::Neg, writtenOut(most, 3))});
    EXPECT_NE(everyNest.find(" written out 3 times"), std::string::npos);
}

TEST_F(LoweringTest, asksForWhatTransformationsNeed)
{
    const NodeId product = matmul(30, 50, 20);
    const auto graph = std::make_shared<const Graph>(std::move(*builder).finish(Origin(item), {product}, {"product"}).value());
    const auto program = test::loopsFor(test::oneKernelSchedule(graph), test::vectorDevice(), {.optimize = false});
    ASSERT_TRUE(program);
    const LoopNest &nest = *(*program)->nests.front();
    const std::string row = nest.axes[nest.domain.front().value].name;
    const std::string step = nest.axes[nest.reductions.front().axes.front().value].name;
    const auto outcome = [&](const std::string &text) {
        const auto transform = parseTransform(text);
        EXPECT_TRUE(transform) << text;
        EXPECT_EQ(toText(*transform), text);
        const auto made = applyTransform(nest, *transform);
        return made ? std::string() : toText(made.error());
    };
    EXPECT_EQ(outcome(format("unroll {} 4", step)), "");
    EXPECT_EQ(outcome(format("unroll {} 4", row)), "");
    EXPECT_NE(outcome(format("unroll {} 0", row)).find("between 1 and"), std::string::npos);
    EXPECT_NE(outcome(format("group {} 64", row)).find("only one of work items has groups"), std::string::npos);
    EXPECT_NE(outcome(format("tensorize {}", step)).find("no axis of the domain is a vector"), std::string::npos);
    EXPECT_NE(outcome(format("tensorize {}", row)).find("no axis of a reduction"), std::string::npos);
    EXPECT_EQ(outcome(format("set_type {} local", step)), "");
}

TEST_F(LoweringTest, epilogueAfterAMatrixProduct)
{
    const NodeId product = matmul(30, 50, 20);
    const NodeId biased = op(Op::Add, product, input(DType::F32, {50}));
    check({op(Op::Max, biased, builder->constScalar(Origin(item), Scalar::of(DType::F32, 0.0)))}, 1e-4);
}

TEST_F(LoweringTest, softmaxAlongEitherAxis)
{
    for (const std::size_t axis : {std::size_t{0}, std::size_t{1}}) {
        builder.emplace(sources);
        const NodeId x = input(DType::F32, {50, 77});
        const NodeId shifted = op(Op::Exp, op(Op::Sub, x, sum(x, {axis}, Op::Max)));
        check({op(Op::Fdiv, shifted, sum(shifted, {axis}))});
    }
}

TEST_F(LoweringTest, severalResultsOfOneKernel)
{
    const NodeId x = input(DType::F32, {40, 60});
    const NodeId mean = op(Op::Mul, sum(x, {1}), builder->constScalar(Origin(item), Scalar::of(DType::F32, 1.0 / 60)));
    check({op(Op::Sub, x, mean), mean}, 1e-4);
}

// A convolution whose rows are shorter than a vector: vectors of output channels, with the weights packed so that these lie side
// by side.
TEST_F(LoweringTest, shortRowsAreVectorsOfChannels)
{
    for (const std::int64_t outputs : {16, 37}) {
        for (const std::int64_t stride : {1, 2}) {
            builder.emplace(sources);
            const NodeId x = input(DType::F32, {2, 6, 9, 9});
            const std::int64_t extent = (9 - 3) / stride + 1;
            const ViewAttributes places{.strides = {486, 0, 9 * stride, stride, 81, 9, 1}, .offset = 0, .mask = {}};
            const NodeId windows = builder->view(Origin(item), x, {2, 1, extent, extent, 6, 3, 3}, places).value();
            NodeId weights = input(DType::F32, {outputs, 6, 3, 3});
            weights = builder->reshape(Origin(item), weights, {1, outputs, 1, 1, 6, 3, 3}).value();
            check({sum(op(Op::Mul, windows, weights), {4, 5, 6})}, 1e-4);
        }
    }
    EXPECT_NE(everyNest.find("7 x 1 register tile of 16 lanes"), std::string::npos);
    EXPECT_NE(everyNest.find("one packed panel serves all the rows"), std::string::npos);
    EXPECT_EQ(everyNest.find("vectors of 2 lanes"), std::string::npos); // along the 3 columns of a window
}

// What the reason of partial results in the lanes tells: per output the vectors of the run and the rounds of four, then the lanes
// to be added up, and a store.
TEST_F(LoweringTest, priceOfPartialResultsFollowsFromTheRun)
{
    const std::int64_t rows = 60;
    const std::int64_t run = 3000;
    const NodeId product = op(Op::Mul, input(DType::F32, {rows, run}), input(DType::F32, {1, run}));
    check({sum(product, {1})}, 1e-3);
    const std::int64_t vectors = run / 64 * 4 + run % 64 / 16 + 1; // the last 8 of 3000 are half a vector
    const std::int64_t rounds = run / 64 + 1;
    const double cycles = static_cast<double>(rows) * (static_cast<double>(std::max(vectors, rounds * 4) + rounds + 30) + 1.5);
    EXPECT_NE(everyNest.find(format("partial results in the lanes; about {:.0f} thousand cycles", cycles / 1000)),
              std::string::npos)
        << cycles << everyNest;
}

TEST_F(LoweringTest, packedPanelsOfEveryRowOfAnImage)
{
    // Many channels: a panel of the image serves all the output channels, and there is another panel for each image row.
    for (const std::int64_t channels : {16, 40}) {
        builder.emplace(sources);
        const NodeId x = input(DType::F32, {channels, 5, 52});
        const ViewAttributes rows{.strides = {0, 52, 1, 5 * 52, 52, 1}, .offset = 0, .mask = {}};
        const NodeId windows = builder->view(Origin(item), x, {1, 3, 50, channels, 3, 3}, rows).value();
        NodeId weights = input(DType::F32, {24, channels, 3, 3});
        weights = builder->reshape(Origin(item), weights, {24, 1, 1, channels, 3, 3}).value();
        check({sum(op(Op::Mul, windows, weights), {3, 4, 5})}, 1e-4);
    }
}

TEST_F(LoweringTest, packsWhatIndexesTheCopyOnly)
{
    const NodeId product = matmul(30, 50, 20);
    const auto graph = std::make_shared<const Graph>(std::move(*builder).finish(Origin(item), {product}, {"product"}).value());
    const auto program = test::loopsFor(test::oneKernelSchedule(graph), test::vectorDevice(), {.optimize = false});
    ASSERT_TRUE(program);
    const LoopNest &nest = *(*program)->nests.front();
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        if (nest.values[i].kind != ValueKind::Load)
            continue;
        const auto named = [&](AxisId axis) { return nest.axes[axis.value].name; };
        const AxisId reduced = nest.reductions.front().axes.front();
        const std::vector<AxisId> moving = valueDependencies(nest)[i];
        const AxisId inner = nest.domain.back();
        const bool isMovedInside = std::ranges::find(moving, inner) != moving.end();
        // Packed at the outer loop: the copy must be indexed by the inner one where that moves the load.
        const Transform onlyReduced{
            .kind = TransformKind::Pack, .axes = {named(nest.domain.front()), named(reduced)}, .value = ValueId(i)};
        EXPECT_EQ(applyTransform(nest, onlyReduced).has_value(), !isMovedInside);
        const Transform notReduced{.kind = TransformKind::Pack, .axes = {named(inner), named(inner)}, .value = ValueId(i)};
        EXPECT_FALSE(applyTransform(nest, notReduced));
        const Transform both{
            .kind = TransformKind::Pack, .axes = {named(nest.domain.front()), named(reduced), named(inner)}, .value = ValueId(i)};
        EXPECT_TRUE(applyTransform(nest, both));
    }
}

TEST_F(LoweringTest, reshapedAcrossAxes)
{
    const NodeId a = builder->reshape(Origin(item), input(DType::F32, {6, 35}), {14, 15}).value();
    const NodeId turned = builder->permute(Origin(item), a, {1, 0}).value();
    check({op(Op::Add, turned, input(DType::F32, {15, 14}))});
}

TEST_F(LoweringTest, gatherReadsNothingOutOfRange)
{
    const NodeId source = input(DType::F32, {10, 8});
    const NodeId indices = input(DType::I32, {7, 8});
    check({builder->gather(Origin(item), source, indices, 0).value()});
}

} // namespace
} // namespace sw
