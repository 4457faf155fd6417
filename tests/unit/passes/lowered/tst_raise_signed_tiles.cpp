// Products of signed bytes for a device that multiplies unsigned with signed ones.

#include "engine/ops/tensor_instructions.h"
#include "engine/passes/lowered/raise_signed_tiles.h"
#include "tests/unit/lowered/interpret.h"
#include "tests/unit/passes/lowered/pass_on_text.h"

#include <gtest/gtest.h>

namespace sw::test {
namespace {

DeviceInfo deviceWith(std::uint32_t instructions)
{
    DeviceInfo device;
    device.tensorInstructions = instructions;
    return device;
}

const DeviceInfo kVnni = deviceWith(bitOf(TensorInstruction::DotU8I8) | bitOf(TensorInstruction::DotI8));

// Two rows of a, of twelve elements each, times two vectors of b, in three steps of four: 64 sums. `more` stands in the loop.
std::string products(std::string_view more = "")
{
    return format(R"(
%y = define_global i32[64] argument 0 written
%x = define_global i8[408] argument 1
%zero = const i32x16 5
%s00 = acc i32x16
assign i32x16 %s00, %zero
%s01 = acc i32x16
assign i32x16 %s01, %zero
%s10 = acc i32x16
assign i32x16 %s10, %zero
%s11 = acc i32x16
assign i32x16 %s11, %zero
%n = const i64 3
%four = const i64 4
%twelve = const i64 12
%wide = const i64 128
%begin = const i64 24
%half = const i64 64
%k = range %n name "r0"
%k4 = mul i64 %k, %four
%a0 = load i8x4 %x[%k4]
%at1 = add i64 %k4, %twelve
%a1 = load i8x4 %x[%at1]
%row = mul i64 %k, %wide
%b0at = add i64 %row, %begin
%b0 = load i8x64 %x[%b0at]
%b1at = add i64 %b0at, %half
%b1 = load i8x64 %x[%b1at]
%p00 = wmma i32x16 %a0, %b0, %s00 rows 1
assign i32x16 %s00, %p00
%p10 = wmma i32x16 %a1, %b0, %s10 rows 1
assign i32x16 %s10, %p10
%p01 = wmma i32x16 %a0, %b1, %s01 rows 1
assign i32x16 %s01, %p01
%p11 = wmma i32x16 %a1, %b1, %s11 rows 1
assign i32x16 %s11, %p11
{}end_range %k
%o0 = const i64 0
store i32x16 %y[%o0], %s00
%o1 = const i64 16
store i32x16 %y[%o1], %s01
%o2 = const i64 32
store i32x16 %y[%o2], %s10
%o3 = const i64 48
store i32x16 %y[%o3], %s11
)",
                  more);
}

std::vector<std::vector<std::byte>> buffers()
{
    std::vector<std::vector<std::byte>> made(2);
    made[0].resize(64 * sizeof(std::int32_t));
    for (int i = 0; i < 408; ++i)
        made[1].push_back(static_cast<std::byte>(i * 37 % 256)); // the lowest and the highest among them
    return made;
}

std::size_t count(const LoweredKernel &kernel, DType dtype)
{
    return static_cast<std::size_t>(std::ranges::count_if(kernel.instructions, [&](const Instruction &one) {
        return one.kind == InstructionKind::Wmma && kernel.instruction(one.operands[0]).dtype == dtype;
    }));
}

void expectSameResults(const LoweredKernel &before, const LoweredKernel &after)
{
    const auto verified = verifyLowered(after);
    ASSERT_TRUE(verified) << toText(verified ? Diagnostics{} : verified.error()) << printLowered(after).text;
    const auto expected = interpret(before, buffers());
    const auto found = interpret(after, buffers());
    ASSERT_TRUE(expected && found);
    EXPECT_EQ(expected->buffers[0], found->buffers[0]) << printLowered(after).text;
}

TEST(RaiseSignedTiles, takesOffAfterTheLoopWhatTheRowsOfATileShare)
{
    const LoweredKernel kernel = parsed(products());
    const Outcome outcome = after(&raiseSignedTiles, kernel, kNoRewriteLimit, kVnni);
    ASSERT_EQ(outcome.events.size(), 1U);
    EXPECT_EQ(outcome.events[0].detail, "4 sums of r0");
    EXPECT_EQ(count(outcome.kernel, DType::I8), 0U);
    EXPECT_EQ(count(outcome.kernel, DType::U8), 6U); // four, and one for each vector of b
    const auto subtracts = [](const Instruction &one) { return one.kind == InstructionKind::Alu && one.op == Op::Sub; };
    const std::vector<Instruction> &made = outcome.kernel.instructions;
    EXPECT_EQ(std::ranges::count_if(made, subtracts), 4);
    const auto raises = [](const Instruction &one) { return one.kind == InstructionKind::Alu && one.op == Op::Xor; };
    EXPECT_EQ(std::ranges::count_if(made, raises), 2); // each row of a once
    EXPECT_GT(std::ranges::find_if(made, subtracts), std::ranges::find(made, InstructionKind::EndRange, &Instruction::kind));
    expectSameResults(kernel, outcome.kernel);
}

struct Left {
    std::size_t signedOnes = 0;
    std::size_t unsignedOnes = 0;
    bool operator==(const Left &) const = default;
};

// The products that the pass leaves of a loop with `more` in it, whose results stay the same.
Left leftOf(std::string_view more)
{
    const LoweredKernel kernel = parsed(products(more));
    const LoweredKernel made = after(&raiseSignedTiles, kernel, kNoRewriteLimit, kVnni).kernel;
    expectSameResults(kernel, made);
    return {count(made, DType::I8), count(made, DType::U8)};
}

TEST(RaiseSignedTiles, raisesSumsThatSeveralProductsAreAddedTo)
{
    // Six; two for both rows that add b0 and b1, and one for those of b1 alone.
    EXPECT_EQ(leftOf("%q00 = wmma i32x16 %a1, %b1, %s00 rows 1\nassign i32x16 %s00, %q00\n"
                     "%q10 = wmma i32x16 %a0, %b1, %s10 rows 1\nassign i32x16 %s10, %q10\n"),
              (Left{0, 9}));
}

TEST(RaiseSignedTiles, leavesSumsThatTheLoopReads)
{
    EXPECT_EQ(leftOf("%o9 = const i64 0\nstore i32x16 %y[%o9], %s01\n"), (Left{1, 5}));
    EXPECT_EQ(leftOf("%o9 = const i64 0\nstore i32x16 %y[%o9], %p01\n"), (Left{1, 5}));
    EXPECT_EQ(leftOf("%twice = add i32x16 %p00, %p00\nassign i32x16 %s00, %twice\n"), (Left{1, 5}));
}

TEST(RaiseSignedTiles, leavesSumsThatForgetAProduct)
{
    EXPECT_EQ(leftOf("%q = wmma i32x16 %a1, %b0, %s00 rows 1\n%r = wmma i32x16 %a1, %b1, %s00 rows 1\n"
                     "assign i32x16 %s00, %q\nassign i32x16 %s00, %r\n"),
              (Left{3, 5}));
}

// Both products of each of the two sums are left.
TEST(RaiseSignedTiles, leavesProductsOfWhatChanges)
{
    EXPECT_EQ(leftOf("%c = acc i8x64\nassign i8x64 %c, %b1\n"
                     "%q = wmma i32x16 %a1, %c, %s00 rows 1\nassign i32x16 %s00, %q\n"
                     "assign i8x64 %c, %b0\n"
                     "%r = wmma i32x16 %a1, %c, %s01 rows 1\nassign i32x16 %s01, %r\n"),
              (Left{4, 4}));
}

TEST(RaiseSignedTiles, isForDevicesThatMultiplyNoOthers)
{
    const LoweredKernel kernel = parsed(products());
    EXPECT_TRUE(after(&raiseSignedTiles, kernel, kNoRewriteLimit, kDevice).events.empty());
    EXPECT_TRUE(after(&raiseSignedTiles, kernel, 0, kVnni).events.empty());
    const DeviceInfo signedOnly = deviceWith(bitOf(TensorInstruction::DotI8)); // it could not multiply what is raised
    EXPECT_TRUE(after(&raiseSignedTiles, kernel, kNoRewriteLimit, signedOnly).events.empty());
    const DeviceInfo amx = deviceWith(kVnni.tensorInstructions | bitOf(TensorInstruction::AmxI8));
    EXPECT_EQ(after(&raiseSignedTiles, kernel, kNoRewriteLimit, amx).events.size(), 1U); // the smallest of those that do it
}

} // namespace
} // namespace sw::test
