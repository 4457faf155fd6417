// Sums that a mask hides: the values are those of the graph, and tiles that are hidden as a whole take no steps.

#include "engine/lowered/kernel_stepper.h"
#include "tests/unit/loops/lowering_fixture.h"

#include <cstdint>
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

    // Of the second factor, in one run on one thread.
    std::uint64_t readsOfFactor(const std::function<NodeId()> &made)
    {
        builder.emplace(sources);
        const NodeId output = made();
        const auto graph = std::make_shared<const Graph>(std::move(*builder).finish(Origin(item), {output}, {"output"}).value());
        const SchedulePtr schedule = test::oneKernelSchedule(graph);
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

} // namespace
} // namespace sw
