#include "engine/lowered/parser.h"
#include "engine/lowered/printer.h"
#include "engine/lowered/verifier.h"
#include "engine/passes/lowered/contract.h"
#include "engine/passes/lowered/decompose.h"
#include "engine/passes/lowered/decompose_tiles.h"
#include "engine/passes/lowered/hoist_invariants.h"
#include "engine/passes/lowered/merge_equal.h"
#include "engine/passes/lowered/narrow_divisions.h"
#include "engine/passes/lowered/remove_dead.h"
#include "engine/passes/lowered/serialize_groups.h"
#include "engine/passes/lowered/simplify.h"
#include "engine/passes/lowered/widen_storage_types.h"
#include "tests/unit/lowered/interpret.h"
#include "tests/unit/lowered/lowered_samples.h"
#include "tests/unit/lowered/random_kernel.h"
#include "tests/unit/passes/lowered/pass_on_text.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

std::vector<std::vector<std::byte>> buffersFor(const LoweredKernel &kernel)
{
    std::vector<std::vector<std::byte>> buffers;
    for (const Instruction &instruction : kernel.instructions) {
        if (instruction.kind != InstructionKind::DefineGlobal)
            continue;
        std::vector<std::byte> bytes;
        for (std::int64_t i = 0; i < instruction.elements; ++i) {
            const Scalar value = Scalar::of(instruction.dtype, 0.75 * static_cast<double>(i) - 3);
            bytes.resize(bytes.size() + bytesOf(instruction.dtype));
            value.store(bytes.data() + bytes.size() - bytesOf(instruction.dtype));
        }
        buffers.push_back(std::move(bytes));
    }
    return buffers;
}

// The same bits, but for the payload of NaN.
void expectEqualResults(const LoweredKernel &before, const LoweredKernel &after, const std::string &what)
{
    const auto expected = test::interpret(before, buffersFor(before));
    const auto found = test::interpret(after, buffersFor(after));
    ASSERT_TRUE(expected && found) << what;
    for (const Instruction &instruction : before.instructions) {
        if (instruction.kind != InstructionKind::DefineGlobal)
            continue;
        const auto argument = std::size_t{instruction.argument};
        for (std::int64_t i = 0; i < instruction.elements; ++i) {
            const std::size_t at = static_cast<std::size_t>(i) * bytesOf(instruction.dtype);
            const Scalar a = Scalar::load(instruction.dtype, expected->buffers[argument].data() + at);
            const Scalar b = Scalar::load(instruction.dtype, found->buffers[argument].data() + at);
            ASSERT_TRUE(a == b || (a.isNan() && b.isNan()))
                << what << ": " << instruction.name << "[" << i << "] is " << toText(b) << " not " << toText(a) << "\n"
                << printLowered(before, PrintOrigins::Hidden).text << printLowered(after, PrintOrigins::Hidden).text;
        }
    }
}

struct ExactPass {
    std::string_view name;
    Pass run;
    const DeviceInfo *device = &kDevice;
};

constexpr ExactPass kExactPasses[] = {
    {"simplify", &simplifyInstructions}, {"merge", &mergeEqualInstructions}, {"hoist", &hoistInvariants},
    {"dead", &removeDeadInstructions},   {"widen", &widenStorageTypes},      {"tiles", &decomposeTiles},
    {"narrow", &narrowDivisions, &kGpu},
};

TEST(LoweredPasses, keepTheResultsOfRandomKernels)
{
    for (std::uint32_t seed = 0; seed < 150; ++seed) {
        const LoweredKernel kernel = randomKernel(seed, {.instructions = 90});
        for (const ExactPass &pass : kExactPasses) {
            const Outcome outcome = after(pass.run, kernel, kNoRewriteLimit, *pass.device);
            const auto verified = verifyLowered(outcome.kernel);
            ASSERT_TRUE(verified) << pass.name << seed << toText(verified ? Diagnostics{} : verified.error())
                                  << printLowered(outcome.kernel).text;
            expectEqualResults(kernel, outcome.kernel, format("{} {}", pass.name, seed));
            if (testing::Test::HasFatalFailure())
                return;
        }
    }
}

TEST(LoweredPasses, keepTheResultsOfRandomKernelsOneAfterTheOther)
{
    for (std::uint32_t seed = 1000; seed < 1100; ++seed) {
        const LoweredKernel kernel = randomKernel(seed, {.instructions = 90});
        LoweredKernel current = kernel;
        for (int round = 0; round < 2; ++round)
            for (const ExactPass &pass : kExactPasses)
                current = after(pass.run, current, kNoRewriteLimit, *pass.device).kernel;
        ASSERT_TRUE(verifyLowered(current)) << seed;
        expectEqualResults(kernel, current, format("all {}", seed));
        if (testing::Test::HasFatalFailure())
            return;
    }
}

// Any number of rewrites gives a kernel that verifies and computes the same: that is what stepping through a pass shows.
TEST(LoweredPasses, everyRewriteBudgetGivesAValidKernel)
{
    for (const ExactPass &pass : kExactPasses)
        for (std::uint32_t seed = 0; seed < 8; ++seed) {
            const LoweredKernel kernel = randomKernel(seed, {.instructions = 60});
            const auto rewrites =
                static_cast<std::uint32_t>(after(pass.run, kernel, kNoRewriteLimit, *pass.device).events.size());
            for (std::uint32_t budget = 0; budget <= rewrites; ++budget) {
                const Outcome outcome = after(pass.run, kernel, budget, *pass.device);
                ASSERT_EQ(outcome.events.size(), budget) << pass.name;
                ASSERT_TRUE(verifyLowered(outcome.kernel)) << pass.name << seed << " " << budget;
                expectEqualResults(kernel, outcome.kernel, format("{} {} {}", pass.name, seed, budget));
                if (testing::Test::HasFatalFailure())
                    return;
            }
        }
}

TEST(LoweredPasses, decomposedRandomKernelsVerify)
{
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        LoweredKernel kernel = randomKernel(seed, {.instructions = 90});
        for (const Pass pass : {&decomposeTiles, &widenStorageTypes, &simplifyInstructions, &contract, &decompose,
                                &mergeEqualInstructions, &hoistInvariants, &removeDeadInstructions}) {
            kernel = after(pass, kernel).kernel;
            const auto verified = verifyLowered(kernel);
            ASSERT_TRUE(verified) << seed << toText(verified ? Diagnostics{} : verified.error());
        }
        EXPECT_TRUE(test::interpret(kernel, buffersFor(kernel))) << seed;
    }
}

TEST(SerializeGroups, keepsTheResultsOfRandomKernels)
{
    std::size_t shared = 0;
    for (std::uint32_t seed = 0; seed < 200; ++seed) {
        const std::int64_t items = seed % 2 == 0 ? 2 : 4;
        LoweredKernel kernel = randomKernel(seed, {.instructions = 110, .itemsPerGroup = items});
        if (seed % 3 == 0)
            kernel.localSize = {items / 2, 1, 1}; // other groups, and what they share is larger than they need
        const Outcome outcome = after(&serializeGroups, kernel);
        const auto verified = verifyLowered(outcome.kernel);
        ASSERT_TRUE(verified) << seed << toText(verified ? Diagnostics{} : verified.error()) << printLowered(kernel).text
                              << printLowered(outcome.kernel).text;
        ASSERT_TRUE(verifyLowered(kernel)) << seed;
        shared += outcome.events.size();
        expectEqualResults(kernel, outcome.kernel, format("groups {}", seed));
        if (testing::Test::HasFatalFailure())
            return;
        EXPECT_EQ(outcome.kernel.localSize, (std::array<std::int64_t, 3>{1, 1, 1}));
    }
    EXPECT_GT(shared, 100U);
}

TEST(MergeEqualInstructions, mergesLoadsOnlyBetweenStores)
{
    EXPECT_EQ(bodyAfter(&mergeEqualInstructions, R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%0 = const i64 0
%00 = const i64 0
%1 = load f32 %x[%0]
%2 = load f32 %y[%0]
store f32 %y[%0], %1
%3 = load f32 %x[%00]
%4 = load f32 %y[%00]
%5 = add f32 %1, %4
%6 = add f32 %4, %3
%7 = add f32 %5, %6
store f32 %y[%0], %7
)"),
              R"(
  %x = define_global f32[4] argument 0
  %y = define_global f32[4] argument 1 written
  %2 = const i64 0
  %3 = load f32 %x[%2]
  %4 = load f32 %y[%2]
  store f32 %y[%2], %3
  %6 = load f32 %y[%2]
  %7 = add f32 %3, %6
  %8 = add f32 %7, %7
  store f32 %y[%2], %8
)");
}

TEST(MergeEqualInstructions, seesWhatALoopChanges)
{
    const char *body = R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%sum = acc f32
%2 = const f32 1.0
assign f32 %sum, %2
%before = add f32 %sum, %2
%5 = const i64 3
%i = range %5
  %inside = add f32 %sum, %2
  assign f32 %sum, %inside
end_range %i
%after = add f32 %sum, %2
%last = add f32 %before, %after
%at = const i64 0
store f32 %y[%at], %last
)";
    EXPECT_EQ(after(&mergeEqualInstructions, parsed(body)).events.size(), 0U);
}

TEST(MergeEqualInstructions, addsTheOriginsOfWhatItMerges)
{
    LoweredBuilder builder(test::emptyFrame());
    const auto y = builder.defineGlobal(test::originOf(1), {BufferId(0U), DType::I64, 4, true, "y"});
    const auto a = builder.index(test::originOf(2), 3);
    const auto b = builder.index(test::originOf(3), 3);
    builder.store(test::originOf(4), y, a, b);
    const Outcome outcome = after(&mergeEqualInstructions, builder.take());
    ASSERT_EQ(outcome.kernel.instructions.size(), 3U);
    EXPECT_EQ(outcome.kernel.instructions[1].origin, Origin({SourceId(2U), SourceId(3U)}));
    ASSERT_EQ(outcome.events.size(), 1U);
    EXPECT_EQ(outcome.events[0].rule, "equal-value");
    EXPECT_EQ(outcome.events[0].before, std::vector<std::uint32_t>{2});
}

// Once is enough to report an index, but each line of the program reports its own.
TEST(MergeEqualInstructions, checksAnIndexOncePerOrigin)
{
    LoweredBuilder builder(test::emptyFrame());
    const auto y = builder.defineGlobal(test::originOf(1), {BufferId(0U), DType::Bool, 4, true, "y"});
    const auto index = builder.special(test::originOf(1), SpecialIndex::GlobalX);
    const auto first = builder.indexCheck(test::originOf(2), index, 4, 0);
    const auto again = builder.indexCheck(test::originOf(2), index, 4, 0);
    const auto other = builder.indexCheck(test::originOf(3), index, 4, 0);
    const auto further = builder.indexCheck(test::originOf(2), index, 5, 0);
    for (const InstructionId check : {first, again, other, further})
        builder.store(test::originOf(4), y, index, check);
    const Outcome outcome = after(&mergeEqualInstructions, builder.take());
    EXPECT_EQ(std::ranges::count(outcome.kernel.instructions, InstructionKind::IndexCheck, &Instruction::kind), 3);
    ASSERT_EQ(outcome.events.size(), 1U);
    EXPECT_EQ(outcome.events[0].before, std::vector<std::uint32_t>{again.value});
}

TEST(HoistInvariants, movesWhatDoesNotChangeOutOfLoops)
{
    EXPECT_EQ(bodyAfter(&hoistInvariants, R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%n = const i64 4
%i = range %n
  %one = const i64 1
  %next = add i64 %one, %one
  %same = load f32 %x[%next]
  %own = load f32 %y[%next]
  %j = range %n
    %twice = add i64 %i, %i
    %both = add i64 %twice, %j
    %v = add f32 %same, %own
    store f32 %y[%both], %v
  end_range %j
end_range %i
)"),
              R"(
  %x = define_global f32[4] argument 0
  %y = define_global f32[4] argument 1 written
  %n = const i64 4
  %one = const i64 1
  %next = add i64 %one, %one
  %same = load f32 %x[%next]
  %i = range %n
    %own = load f32 %y[%next]
    %twice = add i64 %i, %i
    %v = add f32 %same, %own
    %j = range %n
      %both = add i64 %twice, %j
      store f32 %y[%both], %v
    end_range %j
  end_range %i
)");
}

TEST(HoistInvariants, leavesLoadsInLoopsThatMayNotRun)
{
    const char *body = R"(
%x = define_global f32[4] argument 0
%y = define_global i64[4] argument 1 written
%at = const i64 9
%zero = const i64 0
%n = load i64 %y[%zero]
%i = range %n
  %v = load f32 %x[%at]
end_range %i
)";
    EXPECT_EQ(after(&hoistInvariants, parsed(body)).events.size(), 0U);
}

// An index is checked where a loop runs at all, and stays where nobody reads what the check says.
TEST(HoistInvariants, movesChecksOutOfLoopsThatRun)
{
    const char *body = R"(
%y = define_global i64[4] argument 0 written
%zero = const i64 0
%at = load i64 %y[%zero]
%n = const i64 {}
%i = range %n
  %valid = index_check bool %at bound 4 axis 0
end_range %i
)";
    const auto withRounds = [&](const char *rounds) {
        std::string text = body;
        return text.replace(text.find("{}"), 2, rounds);
    };
    const Outcome moved = after(&hoistInvariants, parsed(withRounds("3").c_str()));
    EXPECT_EQ(moved.events.size(), 1U);
    EXPECT_EQ(after(&hoistInvariants, parsed(withRounds("0").c_str())).events.size(), 0U);
    const Outcome kept = after(&removeDeadInstructions, moved.kernel);
    EXPECT_EQ(std::ranges::count(kept.kernel.instructions, InstructionKind::IndexCheck, &Instruction::kind), 1);
}

TEST(Contract, fusesAProductIntoTheOnlySumThatReadsIt)
{
    LoweredBuilder builder(test::emptyFrame());
    const auto y = builder.defineGlobal(test::originOf(1), {BufferId(0U), DType::F32, 4, true, "y"});
    const auto at = builder.index(test::originOf(1), 0);
    const auto a = builder.load(test::originOf(1), y, at);
    const auto product = builder.alu(test::originOf(2), Op::Mul, {a, a});
    const auto difference = builder.alu(test::originOf(3), Op::Sub, {product, a});
    builder.store(test::originOf(4), y, at, difference);
    const Outcome outcome = after(&contract, builder.take());
    ASSERT_TRUE(verifyLowered(outcome.kernel));
    const Instruction &fused = outcome.kernel.instructions[outcome.kernel.instructions.size() - 2];
    EXPECT_EQ(fused.op, Op::Fma);
    EXPECT_EQ(fused.origin, Origin({SourceId(2U), SourceId(3U)}));
}

// The product may reach 2^33, so its remainder stays as it is.
TEST(NarrowDivisions, divideInI32WhatFits)
{
    constexpr std::string_view kBody = R"(
%x = define_global f32[4] argument 0
%y = define_global f32[4] argument 1 written
%i = special global_x
%three = const i64 3
%many = const i64 2863311531
%q = idiv i64 %i, %three
%p = mul i64 %i, %many
%r = mod i64 %p, %three
%a = load f32 %x[%q]
store f32 %y[%r], %a
)";
    EXPECT_EQ(bodyAfter(&narrowDivisions, kBody, kGpu), R"(
  %x = define_global f32[4] argument 0
  %y = define_global f32[4] argument 1 written
  %i = special global_x
  %three = const i64 3
  %many = const i64 2863311531
  %5 = cast i32 %i
  %6 = const i32 3
  %7 = idiv i32 %5, %6
  %8 = cast i64 %7
  %p = mul i64 %i, %many
  %r = mod i64 %p, %three
  %a = load f32 %x[%8]
  store f32 %y[%r], %a
)");
    EXPECT_EQ(bodyAfter(&narrowDivisions, kBody, kDevice).find("i32"), std::string::npos);
}

TEST(WidenStorageTypes, roundsAfterEachOperation)
{
    EXPECT_EQ(bodyAfter(&widenStorageTypes, R"(
%x = define_global bf16[4] argument 0
%y = define_global bf16[4] argument 1 written
%at = const i64 0
%a = load bf16 %x[%at]
%b = mul bf16 %a, %a
%less = cmplt bool %a, %b
%c = where bf16 %less, %a, %b
store bf16 %y[%at], %c
)"),
              R"(
  %x = define_global bf16[4] argument 0
  %y = define_global bf16[4] argument 1 written
  %at = const i64 0
  %a = load bf16 %x[%at]
  %4 = cast f32 %a
  %5 = cast f32 %a
  %6 = mul f32 %4, %5
  %7 = cast bf16 %6
  %8 = cast f32 %a
  %9 = cast f32 %7
  %10 = cmplt bool %8, %9
  %11 = cast f32 %a
  %12 = cast f32 %7
  %13 = where f32 %10, %11, %12
  %14 = cast bf16 %13
  store bf16 %y[%at], %14
)");
}

} // namespace
} // namespace sw::test
