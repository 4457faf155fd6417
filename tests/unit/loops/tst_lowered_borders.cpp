// What is read through a border or at a joint: by masks, by shuffles, or not at all.

#include "tests/unit/loops/lowering_fixture.h"

namespace sw {
namespace {

TEST_F(LoweringTest, paddedWindows)
{
    // A 3x3 convolution, stride 2, one row and column of padding: overlapping windows of the padded tensor.
    NodeId x = input(DType::F32, {3, 17, 22});
    x = builder->pad(Origin(item), x, {.before = {0, 1, 1}, .after = {0, 1, 1}, .fill = Scalar::of(DType::F32, 0.0)}).value();
    const NodeId windows =
        builder->view(Origin(item), x, {1, 9, 11, 3, 3, 3}, {.strides = {0, 48, 2, 19 * 24, 24, 1}, .offset = 0, .mask = {}})
            .value();
    const NodeId weights = builder->reshape(Origin(item), input(DType::F32, {5, 3, 3, 3}), {5, 1, 1, 3, 3, 3}).value();
    check({sum(op(Op::Mul, windows, weights), {3, 4, 5})}, 1e-4);
}

// The vectors of a row that is written out need no masks: the first and the last one are shuffled, and the condition of the row
// is one for all lanes. All of them read at the row that is nearest.
TEST_F(LoweringTest, rowsOfABorderHaveNoMasks)
{
    const NodeId x = input(DType::F32, {2, 55, 55});
    const NodeId padded =
        builder->pad(Origin(item), x, {.before = {0, 1, 1}, .after = {0, 1, 1}, .fill = Scalar::of(DType::F32, -2.0)}).value();
    check({op(Op::Neg, padded)});
    EXPECT_EQ(maskedVectors, 0U);
    EXPECT_EQ(limits, 2U * 2) << "a least and a largest row for each of two devices";
}

// Beyond a border that is wider than a vector, nothing is loaded.
TEST_F(LoweringTest, vectorsOfPaddingAreNotLoaded)
{
    const NodeId x = input(DType::F32, {3, 64});
    const NodeId padded =
        builder->pad(Origin(item), x, {.before = {0, 64}, .after = {0, 64}, .fill = Scalar::of(DType::F32, 2.0)}).value();
    check({op(Op::Neg, padded)});
    EXPECT_EQ(maskedVectors, 0U) << everyNest;
}

// Whichever lanes are padding, also on both sides, where the border is wider than a vector, and where the only row is padding.
TEST_F(LoweringTest, bordersOfEveryWidth)
{
    const auto checkBorder = [&](const Shape &shape, PadAttributes border) {
        builder.emplace(sources);
        check({op(Op::Neg, builder->pad(Origin(item), input(DType::F32, shape), std::move(border)).value())});
    };
    const Scalar fill = Scalar::of(DType::F32, 3.0);
    for (const std::int64_t columns : {1, 2, 3, 5, 8, 13, 16, 30, 31, 47})
        for (const std::int64_t before : {0, 1, 5, 17})
            for (const std::int64_t after : {0, 2, 18})
                checkBorder({3, columns}, {.before = {1, before}, .after = {2, after}, .fill = fill});
    checkBorder({1, 1, 40}, {.before = {2, 0, 3}, .after = {0, 3, 1}, .fill = fill});
    checkBorder({2, 6, 7, 9}, {.before = {1, 2, 0, 3}, .after = {0, 1, 2, 4}, .fill = fill});
}

TEST_F(LoweringTest, longRowsOfABorderAreLoops)
{
    const auto maskedOf = [&](std::int64_t columns) {
        builder.emplace(sources);
        maskedVectors = 0;
        const NodeId x = input(DType::F32, {2, 3, columns - 2});
        PadAttributes border{.before = {0, 1, 1}, .after = {0, 1, 1}, .fill = Scalar::of(DType::F32, 0.0)};
        check({op(Op::Neg, builder->pad(Origin(item), x, std::move(border)).value())});
        return maskedVectors;
    };
    EXPECT_EQ(maskedOf(384), 0U) << "written out";
    EXPECT_GT(maskedOf(400), 0U) << "a mask for each vector of the loop's round";
}

TEST_F(LoweringTest, joinedFlippedAndShrunk)
{
    const NodeId a = builder->flip(Origin(item), input(DType::F32, {6, 20}), {1}).value();
    const NodeId b = builder->shrink(Origin(item), input(DType::F32, {9, 30}), {.begin = {2, 5}, .end = {8, 18}}).value();
    const std::array parts{a, b, input(DType::F32, {6, 1})};
    check({op(Op::Neg, builder->cat(Origin(item), parts, 1).value())});
}

// All lanes of a vector come from the part, or none does: it is read within the part in any case. (A masked load whose address is
// in no page takes a processor hundreds of cycles, and the parts of a cat would be read far before their begins.)
TEST_F(LoweringTest, partsOfACatAreReadWithinThem)
{
    const std::array parts{input(DType::F32, {3, 40}), input(DType::F32, {2, 40}), input(DType::F32, {1, 40})};
    check({op(Op::Neg, builder->cat(Origin(item), parts, 0).value())});
    EXPECT_EQ(maskedVectors, 0U) << everyNest;
    builder.emplace(sources);
    const NodeId padded =
        builder->pad(Origin(item), input(DType::F32, {5, 40}), {{2, 0}, {1, 0}, Scalar::of(DType::F32, 3.0)}).value();
    check({op(Op::Neg, padded)});
    EXPECT_EQ(maskedVectors, 0U) << everyNest;
}

} // namespace
} // namespace sw
