#include "engine/lowered/builder.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

const Origin kFirst(SourceId(1U));
const Origin kSecond(SourceId(2U));

LoweredBuilder builderOf(LoweredBuilder::Values values)
{
    LoweredKernel frame{
        .kernel = KernelId(0U), .name = "k", .symbol = "k", .instructions = {}, .arguments = {}, .origin = kFirst};
    return LoweredBuilder(std::move(frame), values);
}

LoweredBuilder onceBuilder()
{
    return builderOf(LoweredBuilder::Values::Once);
}

TEST(LoweredBuilder, computesTheSameTwiceWhenToldSo)
{
    LoweredBuilder builder = builderOf(LoweredBuilder::Values::AsTold);
    EXPECT_NE(builder.index(kFirst, 7), builder.index(kFirst, 7));
}

TEST(LoweredBuilder, computesTheSameOnceAndForAllThatWantIt)
{
    LoweredBuilder builder = onceBuilder();
    const InstructionId seven = builder.index(kFirst, 7);
    const InstructionId sum = builder.alu(kFirst, Op::Add, {seven, builder.index(kFirst, 8)});
    EXPECT_EQ(builder.index(kSecond, 7), seven);
    EXPECT_EQ(builder.alu(kSecond, Op::Add, {builder.index(kSecond, 7), builder.index(kFirst, 8)}), sum);
    EXPECT_EQ(builder.at(sum).origin, Origin::merged(kFirst, kSecond));
    EXPECT_EQ(builder.at(seven).origin, Origin::merged(kFirst, kSecond));
}

TEST(LoweredBuilder, tellsApartWhatDiffersInTypeLanesOrOperands)
{
    LoweredBuilder builder = onceBuilder();
    const InstructionId seven = builder.index(kFirst, 7);
    EXPECT_NE(builder.constant(kFirst, Scalar::of(DType::I32, std::int64_t{7})), seven);
    EXPECT_NE(builder.constant(kFirst, Scalar::of(DType::I64, std::int64_t{7}), 4), seven);
    const InstructionId eight = builder.index(kFirst, 8);
    EXPECT_NE(builder.alu(kFirst, Op::Sub, {seven, eight}), builder.alu(kFirst, Op::Sub, {eight, seven}));
    const InstructionId lanes = builder.vectorize(kFirst, {seven, eight});
    EXPECT_NE(builder.gep(kFirst, lanes, 0), builder.gep(kFirst, lanes, 1));
}

TEST(LoweredBuilder, forgetsWhatWasComputedInAScopeThatIsClosed)
{
    LoweredBuilder builder = onceBuilder();
    const InstructionId outside = builder.index(kFirst, 7);
    const InstructionId loop = builder.beginRange(kFirst, 4);
    const InstructionId inside = builder.alu(kFirst, Op::Add, {loop, outside});
    const InstructionId onlyInside = builder.index(kFirst, 9);
    EXPECT_EQ(builder.index(kFirst, 7), outside) << "the scope around it is open";
    EXPECT_EQ(builder.alu(kFirst, Op::Add, {loop, outside}), inside);
    builder.endRange(kFirst);
    EXPECT_EQ(builder.index(kFirst, 7), outside);
    EXPECT_NE(builder.index(kFirst, 9), onlyInside) << "it is not visible here";
}

TEST(LoweredBuilder, computesAgainWhatMayHaveChanged)
{
    LoweredBuilder builder = onceBuilder();
    const InstructionId memory = builder.buffer(kFirst, DType::F32, 4);
    const InstructionId at = builder.index(kFirst, 0);
    const InstructionId sum = builder.acc(kFirst, DType::F32);
    const InstructionId one = builder.constant(kFirst, Scalar::of(DType::F32, 1.0));
    EXPECT_NE(builder.acc(kFirst, DType::F32), sum);
    EXPECT_NE(builder.alu(kFirst, Op::Add, {sum, one}), builder.alu(kFirst, Op::Add, {sum, one}));
    EXPECT_NE(builder.load(kFirst, memory, at), builder.load(kFirst, memory, at));
}

} // namespace
} // namespace sw
