#include "engine/lowered/verifier.h"
#include "tests/unit/lowered/lowered_samples.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

using test::emptyFrame;
using test::originOf;

const Origin kOrigin = originOf(1);

std::string firstProblem(const LoweredKernel &kernel)
{
    const auto result = verifyLowered(kernel);
    return result ? std::string() : result.error().front().message;
}

TEST(LoweredVerifier, acceptsWhatTheBuilderMakes)
{
    EXPECT_EQ(firstProblem(test::unaryKernel(Op::Exp, DType::F32, 64, 16)), "");
    EXPECT_EQ(firstProblem(test::binaryKernel(Op::Cmplt, DType::F64, 10)), "");
}

TEST(LoweredVerifier, rejectsAValueOfALoopBodyAfterTheLoop)
{
    LoweredBuilder builder(emptyFrame());
    const auto y = builder.defineGlobal(kOrigin, {BufferId(0U), DType::I64, 4, true, "y"});
    const auto i = builder.beginRange(kOrigin, 4);
    const auto doubled = builder.alu(kOrigin, Op::Add, {i, i});
    builder.endRange(kOrigin);
    builder.store(kOrigin, y, builder.index(kOrigin, 0), doubled);
    EXPECT_EQ(firstProblem(builder.take()), "kernel k0: %6 (store) uses %3, which is not visible here");
}

// The product wraps to 0 in 64 bits, and a launch of no work items would leave its results as they are.
TEST(LoweredVerifier, rejectsMoreWorkItemsThanCanBeCounted)
{
    LoweredKernel kernel = test::unaryKernel(Op::Exp, DType::F32, 64, 16);
    kernel.globalSize = {std::int64_t{1} << 32, std::int64_t{1} << 32, 1};
    EXPECT_EQ(firstProblem(kernel), "kernel k0: has [4294967296, 4294967296, 1] work items, which are 2^63 or more; at most "
                                    "4611686018427387904 are possible");
    kernel.globalSize = {std::int64_t{1} << 31, std::int64_t{1} << 31, 1};
    EXPECT_EQ(firstProblem(kernel), "");
    kernel.globalSize = {0, 0, 0};
    kernel.localSize = {std::int64_t{1} << 32, std::int64_t{1} << 32, 1};
    EXPECT_NE(firstProblem(kernel).find("2^63 or more"), std::string::npos) << firstProblem(kernel);
}

TEST(LoweredVerifier, rejectsTheCounterOfAClosedLoop)
{
    LoweredBuilder builder(emptyFrame());
    const auto y = builder.defineGlobal(kOrigin, {BufferId(0U), DType::I64, 4, true, "y"});
    const auto i = builder.beginRange(kOrigin, 4);
    builder.endRange(kOrigin);
    builder.store(kOrigin, y, builder.index(kOrigin, 0), i);
    EXPECT_EQ(firstProblem(builder.take()), "kernel k0: %5 (store) uses %2, which is not visible here");
}

TEST(LoweredVerifier, rejectsAnAccumulatorReadBeforeItIsAssignedOnEveryPath)
{
    LoweredBuilder builder(emptyFrame());
    const auto y = builder.defineGlobal(kOrigin, {BufferId(0U), DType::F32, 4, true, "y"});
    const auto sum = builder.acc(kOrigin, DType::F32);
    const auto condition = builder.constant(kOrigin, Scalar::ofBool(true));
    builder.beginIf(kOrigin, condition);
    builder.assign(kOrigin, sum, builder.constant(kOrigin, Scalar::of(DType::F32, 1.0)));
    builder.endIf(kOrigin);
    builder.store(kOrigin, y, builder.index(kOrigin, 0), sum);
    EXPECT_EQ(firstProblem(builder.take()), "kernel k0: %8 (store) reads %1 before it is assigned on every path");
}

TEST(LoweredVerifier, acceptsAnAccumulatorAssignedInALoopThatSurelyRuns)
{
    for (const std::int64_t extent : {0, 3}) {
        LoweredBuilder builder(emptyFrame());
        const auto y = builder.defineGlobal(kOrigin, {BufferId(0U), DType::F32, 4, true, "y"});
        const auto sum = builder.acc(kOrigin, DType::F32);
        builder.beginRange(kOrigin, extent);
        builder.assign(kOrigin, sum, builder.constant(kOrigin, Scalar::of(DType::F32, 1.0)));
        builder.endRange(kOrigin);
        builder.store(kOrigin, y, builder.index(kOrigin, 0), sum);
        EXPECT_EQ(firstProblem(builder.take()).empty(), extent == 3);
    }
}

// All items of a group must come to a barrier, and equally often.
TEST(LoweredVerifier, rejectsBarriersThatNotAllItemsReach)
{
    enum class Extent : std::uint8_t { Constant, Group, Item, Loaded, Written };
    const auto problemOf = [](Extent extent, std::int64_t items) {
        LoweredKernel frame = emptyFrame();
        frame.globalSize = {8, 1, 1};
        frame.localSize = {items, 1, 1};
        LoweredBuilder builder(frame);
        const auto read = builder.defineGlobal(kOrigin, {BufferId(0U), DType::I64, 4, false, "n"});
        const auto written = builder.defineGlobal(kOrigin, {BufferId(1U), DType::I64, 4, true, "m"});
        InstructionId count = builder.index(kOrigin, 2);
        if (extent == Extent::Group)
            count = builder.alu(kOrigin, Op::Add, {count, builder.special(kOrigin, SpecialIndex::GroupX)});
        if (extent == Extent::Item)
            count = builder.alu(kOrigin, Op::Add, {count, builder.special(kOrigin, SpecialIndex::GlobalX)});
        if (extent == Extent::Loaded || extent == Extent::Written)
            count = builder.load(kOrigin, extent == Extent::Loaded ? read : written, count);
        builder.beginRange(kOrigin, count, "round");
        builder.barrier(kOrigin);
        builder.endRange(kOrigin);
        return firstProblem(builder.take());
    };
    for (const Extent extent : {Extent::Constant, Extent::Group, Extent::Loaded})
        EXPECT_EQ(problemOf(extent, 4), "");
    const char *const kWhy = "(barrier) is a barrier inside the loop %round, which has as many rounds as a work item says";
    EXPECT_NE(problemOf(Extent::Item, 4).find(kWhy), std::string::npos) << problemOf(Extent::Item, 4);
    EXPECT_NE(problemOf(Extent::Written, 4).find(kWhy), std::string::npos) << problemOf(Extent::Written, 4);
    EXPECT_EQ(problemOf(Extent::Item, 1), ""); // nobody waits for another one
}

TEST(LoweredVerifier, rejectsTypesThatDoNotAgree)
{
    LoweredKernel kernel = test::unaryKernel(Op::Neg, DType::F32, 8);
    for (Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::Load)
            instruction.dtype = DType::I32;
    EXPECT_EQ(firstProblem(kernel), "kernel k0: %6 (load) accesses memory of f32 as i32");
}

TEST(LoweredVerifier, rejectsAStoreToABufferThatIsOnlyRead)
{
    LoweredKernel kernel = test::unaryKernel(Op::Neg, DType::F32, 8);
    kernel.instructions[1].isWritten = false;
    EXPECT_EQ(firstProblem(kernel), "kernel k0: %8 (store) stores to a buffer that is not marked as written");
}

TEST(LoweredVerifier, rejectsBlocksThatDoNotNest)
{
    LoweredKernel kernel = test::unaryKernel(Op::Neg, DType::F32, 8);
    kernel.instructions.pop_back();
    EXPECT_EQ(firstProblem(kernel), "kernel k0: %i (range) is not closed");
    kernel.instructions.push_back({.kind = InstructionKind::EndIf, .origin = kOrigin});
    EXPECT_EQ(firstProblem(kernel), "kernel k0: %9 (end_if) closes an if where none is the innermost open block");
}

TEST(LoweredVerifier, rejectsALocalSizeThatDoesNotDivideTheGlobalOne)
{
    LoweredKernel kernel = test::unaryKernel(Op::Neg, DType::F32, 8);
    kernel.globalSize = {6, 1, 1};
    kernel.localSize = {4, 1, 1};
    EXPECT_EQ(firstProblem(kernel), "kernel k0: has global size 6 and local size 4 in dimension 0; the local one must divide the "
                                    "global one");
}

TEST(LoweredVerifier, rejectsAnArgumentThatIsNotItsBuffer)
{
    auto schedule = std::make_shared<Schedule>();
    const auto buffer = [](std::int64_t elements) {
        return ScheduledBuffer{
            .role = BufferRole::Input, .dtype = DType::F32, .shape = Shape{elements}, .node = {}, .name = "b", .origin = kOrigin};
    };
    schedule->buffers = {buffer(8), buffer(9)};
    const LoweredProgram program{schedule, {test::unaryKernel(Op::Neg, DType::F32, 8)}};
    const auto result = verifyLowered(program);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().front().message, "kernel k0: argument 1 is f32[8], but its buffer b is f32[9]");
}

} // namespace
} // namespace sw
