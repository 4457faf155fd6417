// Sums that a mask hides: the values are those of the graph, and tiles that are hidden as a whole take no steps.

#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/kernel_stepper.h"
#include "engine/ops/tensor_instructions.h"
#include "engine/passes/loops/lower_loops.h"
#include "tests/unit/loops/lowering_fixture.h"

#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

namespace sw {
namespace {

struct Hidden {
    std::int64_t rows = 64;
    std::int64_t columns = 96;
    std::int64_t depth = 32;
    std::int64_t shift = 0;       // the last visible column of row i is i + shift
    Op op = Op::Cmple;            // or the one before it
    DType places = DType::I64;    // in which they are compared
    bool isOtherwise = false;     // where the sums stand
    std::int64_t everySecond = 0; // 2: places are compared modulo it, so that no tile is hidden
};

class NeededWhere : public LoweringTest {
protected:
    NodeId placesAlong(std::int64_t count, const Hidden &hidden, Shape shape)
    {
        NodeId places = builder->iota(Origin(item), Shape{count}).value();
        if (hidden.everySecond != 0)
            places = op(Op::Mod, places, number(hidden.everySecond));
        return builder->reshape(Origin(item), builder->cast(Origin(item), places, hidden.places).value(), std::move(shape))
            .value();
    }
    NodeId number(std::int64_t value, DType dtype = DType::I64)
    {
        return builder->constScalar(Origin(item), Scalar::of(dtype, value));
    }

    // where(column <= row + shift, a @ b.T, -7)
    NodeId masked(const Hidden &hidden, NodeId sums)
    {
        const NodeId columns = placesAlong(hidden.columns, hidden, {1, hidden.columns});
        NodeId rows = placesAlong(hidden.rows, hidden, {hidden.rows, 1});
        if (hidden.shift != 0)
            rows = op(Op::Add, rows, number(hidden.shift, hidden.places));
        const NodeId isVisible = op(hidden.op, columns, rows);
        const NodeId other = builder->constScalar(Origin(item), Scalar::of(DType::F32, -7.0));
        const NodeId scaled = op(Op::Mul, sums, builder->constScalar(Origin(item), Scalar::of(DType::F32, 0.5)));
        return hidden.isOtherwise ? op(Op::Where, isVisible, other, scaled) : op(Op::Where, isVisible, scaled, other);
    }
    NodeId masked(const Hidden &hidden) { return masked(hidden, matmul(hidden.rows, hidden.columns, hidden.depth, true)); }

    void checkMasked(const Hidden &hidden)
    {
        SCOPED_TRACE(format("{} x {} x {}, shift {}", hidden.rows, hidden.columns, hidden.depth, hidden.shift));
        builder.emplace(sources);
        check({masked(hidden)});
    }

    GraphPtr finished(NodeId output)
    {
        return std::make_shared<const Graph>(std::move(*builder).finish(Origin(item), {output}, {"output"}).value());
    }

    // Where a reduction is asked for, its loops stand under the condition.
    static std::size_t loopsUnderConditions(const LoweredKernel &kernel)
    {
        std::size_t open = 0;
        std::size_t loops = 0;
        for (const Instruction &one : kernel.instructions) {
            open += one.kind == InstructionKind::If ? 1U : 0U;
            open -= one.kind == InstructionKind::EndIf ? 1U : 0U;
            loops += one.kind == InstructionKind::Range && open > 0 ? 1U : 0U;
        }
        return loops;
    }

    void checkValues(const LoweredProgram &lowered, double tolerance)
    {
        const Graph &graph = *lowered.schedule->graph;
        std::vector<HostTensor> inputs;
        for (const NodeId id : graph.placeholders())
            inputs.push_back(randomTensor(graph.node(id).dtype, graph.node(id).shape, 11 + id.value));
        const auto expected = interpretGraph(graph, inputs);
        ASSERT_TRUE(expected) << toText(expected.error());
        const auto actual = test::runLowered(lowered, inputs);
        ASSERT_TRUE(actual) << toText(actual.error());
        compare(expected->front(), actual->front(), tolerance, {});
    }

    // Of masked sums of 128 steps, whose plain loops are changed so. The values are those of the graph.
    std::size_t conditionsAfter(const std::vector<std::string> &lines)
    {
        builder.emplace(sources);
        const SchedulePtr schedule = test::oneKernelSchedule(finished(masked({.rows = 20, .columns = 24, .depth = 128})));
        const DeviceInfo device = test::vectorDevice();
        const CompileOptions options{.optimize = false};
        LoopNest nest = *test::loopsFor(schedule, device, options).value()->nests.front();
        for (const std::string &line : lines)
            nest = applyTransform(nest, parseTransform(line).value()).value();
        const std::string text = toText(nest, *schedule);
        const auto valid = verifyLoops(nest, *schedule);
        EXPECT_TRUE(valid) << toText(valid.error()) << text;
        EXPECT_NE(text.find("needed where"), std::string::npos) << text;
        LoopProgram loops{.schedule = schedule};
        loops.nests.push_back(std::make_shared<const LoopNest>(std::move(nest)));
        PassContext context(device, TargetLanguage::Lowered, options, {});
        const LoweredProgram lowered = lowerLoops(std::make_shared<const LoopProgram>(std::move(loops)), context).value();
        checkValues(lowered, 1e-4); // which a group and blocks add up in another order
        return loopsUnderConditions(lowered.kernels.at(0));
    }

    // Of the second factor, in one run on one thread.
    std::uint64_t readsOfFactor(const std::function<NodeId()> &made)
    {
        builder.emplace(sources);
        const SchedulePtr schedule = test::oneKernelSchedule(finished(made()));
        const LoweredProgramPtr lowered = test::lowerFor(schedule, test::vectorDevice(1), {}).value();
        const LoweredKernel &kernel = lowered->kernels.at(0);
        StepperRequest request{.buffers = {}, .globalSize = kernel.globalSize, .localSize = kernel.localSize};
        std::vector<std::vector<std::byte>> memory;
        for (const BufferId argument : kernel.arguments)
            memory.emplace_back(static_cast<std::size_t>(schedule->buffer(argument).bytes()));
        request.buffers.assign(memory.begin(), memory.end());
        auto stepper = KernelStepper::open(kernel, request);
        EXPECT_TRUE(stepper) << toText(stepper.error());
        const auto counts = stepper->countAccesses({});
        EXPECT_TRUE(counts && counts->isWhole);
        std::uint64_t reads = 0;
        for (const MemoryTouches &touched : counts->memories)
            if (const Instruction &one = kernel.instruction(touched.memory); one.kind != InstructionKind::DefineGlobal)
                for (const ElementTouches &element : touched.elements)
                    reads += element.reads; // of the packed copy
        return reads;
    }
};

TEST_F(NeededWhere, valuesAreThoseOfTheGraph)
{
    for (const auto [rows, columns, depth] : {std::array{64, 96, 32}, std::array{33, 70, 9}, std::array{70, 33, 20},
                                              std::array{5, 130, 64}, std::array{130, 7, 8}, std::array{1, 40, 16}})
        for (const std::int64_t shift : {0, -9, 12})
            for (const Op op : {Op::Cmple, Op::Cmplt})
                checkMasked({.rows = rows, .columns = columns, .depth = depth, .shift = shift, .op = op});
    EXPECT_GT(conditions, 0U);
    EXPECT_NE(everyNest.find("= add f32, needed where v"), std::string::npos) << everyNest;
}

TEST_F(NeededWhere, placesOfFewerBitsAndTheOtherSide)
{
    checkMasked({.places = DType::I32});
    EXPECT_NE(everyNest.find(" holds\n"), std::string::npos) << everyNest;
    everyNest.clear();
    checkMasked({.rows = 50, .columns = 70, .shift = 3, .isOtherwise = true});
    EXPECT_NE(everyNest.find(" does not hold\n"), std::string::npos) << everyNest;
    for (const Op op : {Op::Cmple, Op::Cmplt})
        for (const std::int64_t shift : {-1, 0, 1})
            checkMasked({.rows = 40, .columns = 40, .depth = 9, .shift = shift, .op = op, .isOtherwise = true});
}

TEST_F(NeededWhere, hiddenTilesTakeNoSteps)
{
    const Hidden hidden{.rows = 192, .columns = 192, .depth = 16};
    const std::uint64_t all = readsOfFactor([&] { return matmul(hidden.rows, hidden.columns, hidden.depth, true); });
    const std::uint64_t visible = readsOfFactor([&] { return masked(hidden); });
    ASSERT_GT(all, 0U);
    EXPECT_LT(visible, all * 4 / 5);
    EXPECT_GT(visible, all / 2);
    const std::uint64_t below = readsOfFactor(
        [&] { return masked({.rows = hidden.rows, .columns = hidden.columns, .depth = hidden.depth, .shift = -300}); });
    EXPECT_EQ(below, 0U) << "nothing is visible";
}

TEST_F(NeededWhere, whatIsReadElsewhereIsNeededEverywhere)
{
    builder.emplace(sources);
    const Hidden hidden;
    const NodeId sums = matmul(hidden.rows, hidden.columns, hidden.depth, true);
    const NodeId chosen = masked(hidden, sums);
    check({chosen, sums});
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << everyNest;
    EXPECT_EQ(conditions, 0U);
}

// A window: the columns of a row's neighbours.
TEST_F(NeededWhere, allConditionsOfAWindowCount)
{
    const auto window = [&](NodeId sums, bool isOutside = false) {
        const NodeId columns = placesAlong(150, {}, {1, 150});
        const NodeId rows = placesAlong(120, {}, {120, 1});
        const NodeId isNear = op(Op::Cmplt, op(Op::Sub, rows, columns), number(20));
        const NodeId other = builder->constScalar(Origin(item), Scalar::of(DType::F32, -7.0));
        const NodeId isInside = op(Op::And, isNear, op(Op::Cmple, columns, rows));
        return isOutside ? op(Op::Where, isInside, other, sums) : op(Op::Where, isInside, sums, other);
    };
    builder.emplace(sources);
    check({window(matmul(120, 150, 16, true), true)});
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << "either may fail outside";
    builder.emplace(sources);
    check({window(matmul(120, 150, 16, true))});
    EXPECT_NE(everyNest.find(" holds and v"), std::string::npos) << everyNest;
    const std::uint64_t all = readsOfFactor([&] { return matmul(120, 150, 16, true); });
    const std::uint64_t visible = readsOfFactor([&] { return window(matmul(120, 150, 16, true)); });
    EXPECT_LT(visible, all / 2);
    EXPECT_GT(visible, 0U);
}

TEST_F(NeededWhere, whatIsReadUnderTwoConditionsIsNeededEverywhere)
{
    builder.emplace(sources);
    const Hidden hidden;
    const NodeId sums = matmul(hidden.rows, hidden.columns, hidden.depth, true);
    const NodeId less = masked({.shift = -9}, sums);
    check({less, masked({.shift = 9}, sums)});
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << everyNest;
}

// The sum of each row, where it is asked for, and how far the elements of the row are from it.
TEST_F(NeededWhere, whatAnotherReductionReadsIsNeededEverywhere)
{
    builder.emplace(sources);
    const NodeId x = input(DType::F32, {40, 30});
    const NodeId sums = sum(x, {1});
    const NodeId far = op(Op::Sub, x, sums);
    const NodeId squares = sum(op(Op::Mul, far, far), {1});
    const NodeId rows = builder->reshape(Origin(item), builder->iota(Origin(item), Shape{40}).value(), {40, 1}).value();
    const NodeId other = builder->constScalar(Origin(item), Scalar::of(DType::F32, -7.0));
    check({squares, op(Op::Where, op(Op::Cmplt, rows, number(20)), sums, other)}, 1e-3);
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << everyNest;
}

TEST_F(NeededWhere, onlyPlacesThatMoveEvenlyTellWhatIsHidden)
{
    checkMasked({.everySecond = 2});
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << everyNest;
}

TEST_F(NeededWhere, fewStepsAreDoneAnyway)
{
    checkMasked({.depth = 7});
    EXPECT_EQ(conditions, 0U);
    checkMasked({.depth = 8});
    EXPECT_GT(conditions, 0U);
}

// An index out of range is reported wherever it is.
TEST_F(NeededWhere, whatIsLookedUpIsNeededEverywhere)
{
    builder.emplace(sources);
    const Hidden hidden{.rows = 20, .columns = 20, .depth = 16};
    const NodeId table = input(DType::F32, {hidden.rows, hidden.columns, 40});
    const NodeId at = builder->broadcastTo(Origin(item), number(3), {hidden.rows, hidden.columns, hidden.depth}).value();
    const NodeId looked = builder->gather(Origin(item), table, at, 2).value();
    check({masked(hidden, sum(looked, {2}))});
    EXPECT_EQ(everyNest.find("needed where"), std::string::npos) << everyNest;
}

// The loops below say where their sum is needed as well, but nobody asks.
TEST_F(NeededWhere, plainLoopsStandUnderTheCondition)
{
    EXPECT_GT(conditionsAfter({}), 0U);
}

// All items of a group must come to its barriers.
TEST_F(NeededWhere, whatTheItemsOfAGroupShareIsDoneEverywhere)
{
    EXPECT_EQ(conditionsAfter({"split r2 8", "set_type r2.i local"}), 0U);
}

TEST_F(NeededWhere, itemsOfAGroupGoOnTogether)
{
    EXPECT_EQ(conditionsAfter({"set_type i1 local"}), 0U);
    EXPECT_EQ(conditionsAfter({"set_type i0 global", "set_type i1 local"}), 0U);
}

TEST_F(NeededWhere, blocksAreDoneEverywhere)
{
    EXPECT_EQ(conditionsAfter({"split r2 16", "reorder r2.o i0 i1"}), 0U);
    EXPECT_GT(conditionsAfter({"split r2 16"}), 0U) << "a split alone makes no blocks";
}

TEST_F(NeededWhere, productsOfTensorInstructionsAreDoneEverywhere)
{
    constexpr Hidden kHidden{.rows = 64, .columns = 64, .depth = 256};
    for (const std::uint32_t instructions : {bitOf(TensorInstruction::AmxU8I8), 0U}) {
        builder.emplace(sources);
        const auto cast = [&](NodeId value) { return builder->cast(Origin(item), value, DType::I32).value(); };
        const auto reshaped = [&](NodeId value, Shape shape) {
            return builder->reshape(Origin(item), value, std::move(shape)).value();
        };
        const NodeId a = cast(input(DType::U8, {kHidden.rows, kHidden.depth}));
        const NodeId b = cast(input(DType::I8, {kHidden.depth, kHidden.columns}));
        const NodeId columns = builder->permute(Origin(item), b, {1, 0}).value();
        const NodeId products =
            op(Op::Mul, reshaped(a, {kHidden.rows, 1, kHidden.depth}), reshaped(columns, {1, kHidden.columns, kHidden.depth}));
        const NodeId sums = reshaped(sum(products, {2}), {kHidden.rows, kHidden.columns});
        const NodeId isVisible = op(Op::Cmple, placesAlong(kHidden.columns, kHidden, {1, kHidden.columns}),
                                    placesAlong(kHidden.rows, kHidden, {kHidden.rows, 1}));
        const SchedulePtr schedule = test::oneKernelSchedule(finished(op(Op::Where, isVisible, sums, number(-7, DType::I32))));
        DeviceInfo device = test::vectorDevice(1);
        device.tensorInstructions = instructions;
        const std::string text = toText(*test::loopsFor(schedule, device, {}).value());
        EXPECT_NE(text.find("needed where"), std::string::npos) << text;
        EXPECT_EQ(text.find("tensorize r2 amx_u8_i8") != std::string::npos, instructions != 0) << text;
        const LoweredProgramPtr lowered = test::lowerFor(schedule, device, {}).value();
        checkValues(*lowered, 0);
        EXPECT_EQ(loopsUnderConditions(lowered->kernels.at(0)) == 0, instructions != 0) << text;
    }
}

// 0 times infinity is not 0: weights that a mask makes 0 have their products all the same.
TEST_F(NeededWhere, productsByZeroAreDone)
{
    constexpr std::int64_t kPlaces = 16;
    const NodeId weights = input(DType::F32, {kPlaces, kPlaces});
    const NodeId values = input(DType::F32, {kPlaces, 4});
    const NodeId isVisible = op(Op::Cmple, placesAlong(kPlaces, {}, {1, kPlaces}), placesAlong(kPlaces, {}, {kPlaces, 1}));
    const NodeId chosen = op(Op::Where, isVisible, weights, builder->constScalar(Origin(item), Scalar::of(DType::F32, 0.0)));
    const NodeId columns = builder->permute(Origin(item), values, {1, 0}).value();
    const NodeId products = op(Op::Mul, builder->reshape(Origin(item), chosen, {kPlaces, 1, kPlaces}).value(),
                               builder->reshape(Origin(item), columns, {1, 4, kPlaces}).value());
    const SchedulePtr schedule = test::oneKernelSchedule(finished(sum(products, {2})));
    const std::vector<HostTensor> inputs{
        HostTensor::filled(Scalar::of(DType::F32, 1.0), {kPlaces, kPlaces}),
        HostTensor::filled(Scalar::of(DType::F32, std::numeric_limits<double>::infinity()), {kPlaces, 4})};
    for (const bool optimize : {true, false}) {
        const CompileOptions options{.optimize = optimize};
        const std::string text = toText(*test::loopsFor(schedule, test::vectorDevice(1), options).value());
        EXPECT_EQ(text.find("needed where"), std::string::npos) << text;
        const LoweredProgramPtr lowered = test::lowerFor(schedule, test::vectorDevice(1), options).value();
        const auto made = test::runLowered(*lowered, inputs);
        ASSERT_TRUE(made) << toText(made.error());
        for (std::int64_t i = 0; i < kPlaces * 4; ++i) {
            const double value = made->front().at(i).asDouble();
            EXPECT_TRUE(i < (kPlaces - 1) * 4 ? std::isnan(value) : std::isinf(value)) << "element " << i << "\n" << text;
        }
    }
}

} // namespace
} // namespace sw
