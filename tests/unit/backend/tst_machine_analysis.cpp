// Loops, registers in use and copies of made-up machine code, and its way over the wire.

#include "engine/api/machine_lines.h"
#include "engine/backend/host/host_messages.h"
#include "engine/backend/machine/copies.h"
#include "engine/backend/machine/liveness.h"
#include "engine/backend/machine/machine_loops.h"
#include "engine/backend/machine/partner_lines.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

// One instruction per address.
MachineInstruction plain(std::uint64_t address, std::uint64_t form = 1)
{
    return {.address = address, .bytes = {0x90}, .text = "nop", .form = form};
}

MachineInstruction jump(std::uint64_t address, std::uint64_t target, MachineFlow flow = MachineFlow::Branch)
{
    return {.address = address, .bytes = {0xeb}, .text = "jne", .target = target, .flow = flow};
}

MachineInstruction leave(std::uint64_t address)
{
    return {.address = address, .bytes = {0xc3}, .text = "ret", .flow = MachineFlow::Leave};
}

// 0, { 1, { 2, 3 }, 4 }, 5
std::vector<MachineInstruction> nested()
{
    return {plain(0), plain(1), plain(2), jump(3, 2), jump(4, 1), leave(5)};
}

TEST(MachineLoops, nest)
{
    const std::vector<MachineLoop> loops = machineLoops(nested());
    ASSERT_EQ(loops.size(), 2U);
    EXPECT_EQ(loops[0].body, (std::vector<std::uint32_t>{1, 2, 3, 4}));
    EXPECT_EQ(loops[0].depth, 0U);
    EXPECT_FALSE(loops[0].isInnermost);
    EXPECT_EQ(loops[1].body, (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(loops[1].parent, 0);
    EXPECT_EQ(loops[1].depth, 1U);
    EXPECT_TRUE(loops[1].isInnermost);
    EXPECT_EQ(loops[1].jumps, std::vector<std::uint32_t>{3});
}

TEST(MachineLoops, mayBeginAtTheEntryPoint)
{
    const std::vector<MachineInstruction> code = {plain(0), jump(1, 0), leave(2)};
    ASSERT_EQ(machineLoops(code).size(), 1U);
    EXPECT_EQ(machineLoops(code).front().header, 0U);
}

// The jump back leads into the middle: there is no instruction that every round begins with.
TEST(MachineLoops, haveOneHeader)
{
    const std::vector<MachineInstruction> code = {jump(0, 2), plain(1), plain(2), jump(3, 1), leave(4)};
    EXPECT_TRUE(machineLoops(code).empty());
    EXPECT_TRUE(machineLoops({}).empty());
}

// A part that stands between the instructions of a loop and leaves it is not in it.
TEST(MachineLoops, leaveOutWhatOnlyStandsAmongThem)
{
    const std::vector<MachineInstruction> code = {plain(0), jump(1, 3), leave(2), jump(3, 0), leave(4)};
    const std::vector<MachineLoop> loops = machineLoops(code);
    ASSERT_EQ(loops.size(), 1U);
    EXPECT_EQ(loops.front().body, (std::vector<std::uint32_t>{0, 1, 3}));
    EXPECT_EQ(loops.front().last, 3U);
}

TEST(MachineLiveness, goesRoundALoop)
{
    MachineCode code{.instructions = {plain(0), plain(1), jump(2, 1), leave(3)}};
    code.units = {{.name = "rax", .whole = 0, .kind = RegisterKind::General},
                  {.name = "zmm0", .whole = 1, .kind = RegisterKind::Vector}};
    code.instructions[0].writes = {0};
    code.instructions[1].reads = {0}; // in every round
    code.instructions[1].writes = {1};
    const Liveness liveness = livenessOf(code);
    EXPECT_EQ(liveness.live[0], (RegisterCounts{1, 0, 0, 0, 0}));
    EXPECT_EQ(liveness.live[1], (RegisterCounts{1, 1, 0, 0, 0})); // zmm0 is written, though nobody reads it
    EXPECT_EQ(liveness.live[2], (RegisterCounts{1, 0, 0, 0, 0}));
    EXPECT_EQ(liveness.live[3], (RegisterCounts{0, 0, 0, 0, 0}));
    EXPECT_EQ(liveness.peakOf(RegisterKind::Vector), 1);
}

TEST(MachineLiveness, countsARegisterOnceForAllItsParts)
{
    MachineCode code{.instructions = {plain(0), plain(1), leave(2)}};
    code.units = {{.name = "rax", .whole = 0, .kind = RegisterKind::General},
                  {.name = "rax", .whole = 0, .kind = RegisterKind::General}};
    code.instructions[0].writes = {0, 1};
    code.instructions[2].reads = {0, 1};
    EXPECT_EQ(livenessOf(code).live[1][0], 1);
}

MachineCode formed(const std::vector<std::uint64_t> &forms)
{
    MachineCode code;
    for (std::size_t i = 0; i < forms.size(); ++i)
        code.instructions.push_back(plain(i, forms[i]));
    return code;
}

TEST(MachineCopies, areTheLongestRuns)
{
    const std::vector<MachineCopies> found = machineCopies(formed({9, 1, 2, 1, 2, 1, 2, 1, 2, 7, 5, 5}));
    ASSERT_EQ(found.size(), 1U); // two equal instructions are too few
    EXPECT_EQ(found.front().first, 1U);
    EXPECT_EQ(found.front().length, 2U);
    EXPECT_EQ(found.front().count, 4U);
}

TEST(MachineCopies, mayBeTwoWhenTheyAreLong)
{
    const std::vector<MachineCopies> found = machineCopies(formed({1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().length, 8U);
    EXPECT_EQ(found.front().count, 2U);
}

TEST(MachineCopies, endWhereAJumpLeads)
{
    MachineCode code = formed({1, 1, 1, 1, 1, 1});
    code.instructions.push_back(jump(6, 2));
    const std::vector<MachineCopies> found = machineCopies(code);
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found.front().first, 2U);
    EXPECT_EQ(found.front().count, 4U);
}

TEST(MachineCopies, areNotWhatIsNotKnown)
{
    EXPECT_TRUE(machineCopies(formed({0, 0, 0, 0, 0})).empty());
}

TEST(PartnerLines, areThoseOfTheReaderElseOfTheWriter)
{
    MachineCode code{.instructions = {plain(0), plain(1), plain(2), plain(3), jump(4, 0)}};
    code.units = {{.name = "f0"}, {.name = "f1", .whole = 1}};
    code.instructions[0].writes = {0};
    code.instructions[1].reads = {0}; // has a line
    code.instructions[1].writes = {1};
    code.instructions[1].sourceLine = 2;
    code.instructions[2].reads = {1};
    code.instructions[3].tag = CodeTag::Frame; // is known to be something else
    lendPartnerLines(code, std::vector<SourceLine>(2, {CodeTag::Instruction, InstructionId(7U)}));
    EXPECT_EQ(code.instructions[0].sourceLine, 2U);
    EXPECT_EQ(code.instructions[0].tag, CodeTag::Instruction);
    EXPECT_TRUE(code.instructions[0].isInferred);
    EXPECT_FALSE(code.instructions[1].isInferred);
    EXPECT_EQ(code.instructions[2].sourceLine, 2U);
    EXPECT_EQ(code.instructions[3].sourceLine, 0U);
    EXPECT_EQ(code.instructions[4].sourceLine, 0U); // what stands before it has none
}

TEST(MachineLanes, keepArrowsApart)
{
    std::vector<MachineJump> jumps = {{.from = 9, .to = 1}, {.from = 5, .to = 3}, {.from = 8, .to = 6}, {.from = 2, .to = 7}};
    EXPECT_EQ(assignLanes(jumps), 3U);
    EXPECT_EQ(jumps[1].lane, 0U);
    EXPECT_EQ(jumps[2].lane, 0U); // beside the one before, not over it
    EXPECT_EQ(jumps[3].lane, 1U);
    EXPECT_EQ(jumps[0].lane, 2U);
}

TEST(MachineCodeOnTheWire, comesBackAsItWas)
{
    MachineCode code{.target = "x86_64, haswell", .instructions = nested()};
    code.instructions[1].reads = {0};
    code.instructions[1].cost = {.microOps = 2, .latency = 4, .cycles = 0.5};
    code.units = {{.name = "rax", .kind = RegisterKind::General}};
    code.registers = {{RegisterKind::General, 16, "general"}};
    code.throughputs = {
        {.first = 2, .last = 3, .rounds = 100, .cycles = 4.02, .ports = {{"HWPort0", 4}}, .bottleneck = Bottleneck::Port}};
    const std::string bytes = packed(code);
    MachineCode read;
    ASSERT_TRUE(unpack(bytes, read));
    EXPECT_EQ(packed(read), bytes);
    EXPECT_EQ(read.instructions[3].flow, MachineFlow::Branch);
    EXPECT_EQ(read.throughputs.front().ports.front().name, "HWPort0");
    EXPECT_FALSE(unpack(bytes.substr(0, bytes.size() - 1), read));
}

} // namespace
} // namespace sw
