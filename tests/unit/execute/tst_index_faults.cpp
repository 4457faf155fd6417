#include "engine/execute/index_faults.h"

#include "tests/unit/graph/graph_fixture.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

Instruction checkOf(std::uint32_t line, std::int64_t bound, std::int32_t axis)
{
    Instruction check{.kind = InstructionKind::IndexCheck, .origin = originOfLine(line)};
    check.bound = bound;
    check.axis = axis;
    return check;
}

LoweredKernel kernelOf(std::uint32_t number, std::vector<Instruction> checks)
{
    return {.kernel = KernelId(number),
            .name = format("k{}", number),
            .symbol = "k",
            .instructions = std::move(checks),
            .arguments = {},
            .globalSize = {1, 1, 1},
            .localSize = {1, 1, 1},
            .origin = originOfLine(1)};
}

LoweredProgram programOf(std::vector<LoweredKernel> kernels)
{
    TestGraph made;
    const NodeId x = made.input(DType::F32, {4}, "x");
    auto schedule = std::make_shared<Schedule>();
    schedule->graph = std::make_shared<const Graph>(made.finish({made.apply(Op::Add, {x, made.input(DType::F32, {4}, "y")})}));
    return {std::move(schedule), std::move(kernels)};
}

TEST(IndexFaults, tellALineOnceWithItsCount)
{
    // Three lanes of one line in one kernel, and a copy of it in another.
    const LoweredProgram program =
        programOf({kernelOf(0, {checkOf(1, 4, 0), checkOf(1, 4, 0), checkOf(1, 4, 0)}), kernelOf(1, {checkOf(1, 4, 0)})});
    const std::vector<LaunchFault> faults = {{KernelId(0U), {InstructionId(0U), 9, 2}},
                                             {KernelId(0U), {InstructionId(2U), -1, 1}},
                                             {KernelId(1U), {InstructionId(0U), 7, 4}}};
    const Diagnostics told = faultDiagnostics(program, faults);
    ASSERT_EQ(told.size(), 1U) << toText(told);
    EXPECT_EQ(told[0].message, "index 9 is out of range for axis 0 of size 4 (7 such indices in k0, k1)");
    EXPECT_EQ(told[0].where.line, 1U);
}

TEST(IndexFaults, keepAxesAndSizesApart)
{
    const LoweredProgram program = programOf({kernelOf(0, {checkOf(1, 4, 0), checkOf(1, 8, 1), checkOf(1, 4, 1)})});
    const std::vector<LaunchFault> faults = {{KernelId(0U), {InstructionId(0U), 9, 1}},
                                             {KernelId(0U), {InstructionId(1U), 9, 1}},
                                             {KernelId(0U), {InstructionId(2U), 9, 1}}};
    const Diagnostics told = faultDiagnostics(program, faults);
    ASSERT_EQ(told.size(), 3U) << toText(told);
    EXPECT_EQ(told[0].message, "index 9 is out of range for axis 0 of size 4 (in k0)");
}

} // namespace
} // namespace sw
