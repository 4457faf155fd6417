// The lines of machine instructions that a compiler gave none.

#include "engine/backend/llvm/constant_lines.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

constexpr std::array kLines = {SourceLine{CodeTag::Instruction, InstructionId(0U)},
                               SourceLine{CodeTag::Instruction, InstructionId(1U)},
                               SourceLine{CodeTag::AddressArithmetic, InstructionId()}};

MachineInstruction given(const char *text, std::uint32_t line)
{
    MachineInstruction instruction;
    instruction.text = text;
    instruction.sourceLine = line;
    instruction.tag = CodeTag::Instruction;
    return instruction;
}

MachineInstruction open(const char *text)
{
    MachineInstruction instruction;
    instruction.text = text;
    return instruction;
}

// The line that the first instruction is given.
std::uint32_t lineOfFirst(std::vector<MachineInstruction> code)
{
    lendConstantLines(code, kLines);
    EXPECT_EQ(code.front().tag == CodeTag::Compiler, code.front().sourceLine == 0);
    return code.front().sourceLine;
}

TEST(ConstantLines, areThoseOfTheFirstReader)
{
    EXPECT_EQ(lineOfFirst({open("xor eax, eax"), given("add rcx, rdx", 1), given("add rcx, rax", 2)}), 2U);
    EXPECT_EQ(lineOfFirst({open("vbroadcastss zmm3, dword ptr [rip]"), given("vmulps xmm1, xmm2, xmm3", 1)}), 1U);
    EXPECT_EQ(lineOfFirst({open("mov rcx, -1"), open("mov rax, 2"), given("cmp rcx, rdx", 2)}), 2U);
    // What is added to is read, and so is what a mask or a fused product leaves in place.
    EXPECT_EQ(lineOfFirst({open("vxorps xmm0, xmm0, xmm0"), given("vfmadd231ps zmm0, zmm1, zmm2", 1)}), 1U);
    EXPECT_EQ(lineOfFirst({open("vpxor xmm0, xmm0, xmm0"), given("vmovaps zmm0 {k1}, zmm1", 2)}), 2U);
}

TEST(ConstantLines, stopAtJumps)
{
    for (const char *const jump : {"jmp 100", "jb -12", "jne 8", "ret"})
        EXPECT_EQ(lineOfFirst({open("mov rcx, -1"), open(jump), given("cmp rcx, rdx", 2)}), 0U) << jump;
}

TEST(ConstantLines, areToldFromThoseOfTheCompiler)
{
    std::vector<MachineInstruction> code = {open("xor eax, eax"), given("add rcx, rax", 2), open("jmp 100")};
    lendConstantLines(code, kLines);
    EXPECT_TRUE(code[0].isInferred);
    EXPECT_FALSE(code[1].isInferred);
    EXPECT_FALSE(code[2].isInferred); // it has none
}

TEST(ConstantLines, goThroughCopiesOfConstants)
{
    std::vector<MachineInstruction> code = {open("vxorps xmm0, xmm0, xmm0"), open("vmovaps zmm1, zmm0"),
                                            given("vaddps zmm2, zmm1, zmm3", 2)};
    lendConstantLines(code, kLines);
    EXPECT_EQ(code[0].sourceLine, 2U);
    EXPECT_EQ(code[1].sourceLine, 2U);
}

TEST(ConstantLines, takeTheTagOfTheLine)
{
    std::vector<MachineInstruction> code = {open("mov rax, 8"), given("add rcx, rax", 3)};
    lendConstantLines(code, kLines);
    EXPECT_EQ(code[0].tag, CodeTag::AddressArithmetic);
}

TEST(ConstantLines, stayOpenWhereNobodyReadsTheRegister)
{
    EXPECT_EQ(lineOfFirst({open("vmovaps zmm21, zmm1"), given("vmovaps zmm21, zmm2", 1), given("vaddps zmm0, zmm21, zmm0", 2)}),
              0U);
    EXPECT_EQ(lineOfFirst({open("xor eax, eax"), open("jmp 100"), given("add rcx, rax", 1)}), 0U);
    EXPECT_EQ(lineOfFirst({open("xor eax, eax"), open("ret"), given("add rcx, rax", 1)}), 0U);
    EXPECT_EQ(lineOfFirst({open("mov rax, 1")}), 0U);
}

TEST(ConstantLines, areForInstructionsThatFillARegister)
{
    EXPECT_EQ(lineOfFirst({open("mov qword ptr [rsp - 8], rax"), given("mov qword ptr [rdi], rcx", 1)}), 0U);
    EXPECT_EQ(lineOfFirst({open("cmp rax, 5"), given("add rcx, rax", 1)}), 0U);
}

TEST(ConstantLines, leavePaddingToTheFrame)
{
    std::vector<MachineInstruction> code = {open("nop word ptr cs:[rax + rax]"), given("add rcx, rax", 1)};
    lendConstantLines(code, kLines);
    EXPECT_EQ(code[0].tag, CodeTag::Frame);
    EXPECT_EQ(code[0].sourceLine, 0U);
}

} // namespace
} // namespace sw
