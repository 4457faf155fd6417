#pragma once
// Kernels to step through, and what their runs are compared with.

#include "engine/lowered/kernel_stepper.h"
#include "engine/lowered/parser.h"
#include "tests/unit/lowered/interpret.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace sw::test {

using Buffers = std::vector<std::vector<std::byte>>;

// header: from "global" on.
inline LoweredKernel steppedKernel(const std::string &body, const std::string &header)
{
    LoweredParseOptions options;
    options.originOf = [](const SourceRange &) { return Origin(SourceId(0U)); };
    const auto kernel = parseLoweredKernel("kernel \"k\" symbol \"k\" id 0 " + header + "\n" + body + "end\n", options);
    EXPECT_TRUE(kernel) << toText(kernel.error());
    return *kernel;
}

inline StepperRequest stepperRequest(const LoweredKernel &kernel, const Buffers &buffers)
{
    StepperRequest request;
    for (const auto &buffer : buffers)
        request.buffers.emplace_back(buffer);
    request.globalSize = kernel.globalSize;
    request.localSize = kernel.localSize;
    return request;
}

inline KernelStepper opened(const LoweredKernel &kernel, const StepperRequest &request)
{
    auto stepper = KernelStepper::open(kernel, request);
    EXPECT_TRUE(stepper) << toText(stepper.error());
    return std::move(stepper).value();
}

// Everything that can be read at a position, but for how far the end is.
inline std::string pictureOf(const KernelStepper &stepper)
{
    const StepState state = stepper.state();
    std::string text =
        format("{} next {} last {} item {}\n", state.position, state.next.value, state.last.value, join(state.item.global, ","));
    for (const StepCounter &counter : state.counters)
        text += format("  {} = {} of {}{}\n", counter.name, counter.value, counter.extent, counter.isChanged ? " *" : "");
    for (const StepRegister &value : state.registers)
        text += format("  %{} = {}{}\n", value.name, join(value.lanes, ", ", [](const Scalar &lane) { return toText(lane); }),
                       value.isChanged ? " *" : "");
    for (const StepAccess &access : state.accesses)
        text += format("  {} %{} {} {}\n", access.kind == AccessKind::Load ? "load" : "store", access.memory.value, access.first,
                       access.count);
    for (const IndexFault &fault : state.faults)
        text += format("  fault {} {} {}\n", fault.instruction.value, fault.index, fault.count);
    const std::vector<Instruction> &instructions = stepper.kernel().instructions;
    for (std::size_t i = 0; i < instructions.size(); ++i) {
        text += format("  {}:", i);
        for (const std::byte byte : stepper.bytesOf(InstructionId(i)))
            text += format("{:02x}", static_cast<unsigned>(byte));
        text += "\n";
    }
    return text;
}

// By position, from the beginning to the end.
inline std::vector<std::string> picturesOf(KernelStepper stepper)
{
    std::vector<std::string> pictures{pictureOf(stepper)};
    while (stepper.stepForward())
        pictures.push_back(pictureOf(stepper));
    return pictures;
}

// Random steps and jumps show at every position what a run from the beginning showed there.
inline void expectEqualAtEveryPosition(const LoweredKernel &kernel, const StepperRequest &request, std::uint32_t seed)
{
    const std::vector<std::string> expected = picturesOf(opened(kernel, request));
    const std::uint64_t end = expected.size() - 1;
    KernelStepper stepper = opened(kernel, request);
    const auto steps = stepper.findEnd();
    ASSERT_TRUE(steps) << toText(steps.error());
    ASSERT_EQ(*steps, end);
    std::mt19937 random(seed);
    for (int round = 0; round < 12; ++round) {
        const std::uint64_t goal = random() % (end + 1);
        const auto gone = stepper.goTo(goal);
        ASSERT_TRUE(gone) << toText(gone.error());
        ASSERT_EQ(pictureOf(stepper), expected[goal]) << "went to " << goal;
        const std::uint64_t count = std::min<std::uint64_t>(random() % 40, end - goal);
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_TRUE(stepper.stepForward());
        ASSERT_EQ(pictureOf(stepper), expected[goal + count]) << "forward by " << count;
        for (std::uint64_t i = 0; i < count; ++i)
            ASSERT_TRUE(stepper.stepBackward());
        ASSERT_EQ(pictureOf(stepper), expected[goal]) << "back by " << count;
        for (std::uint64_t i = std::min<std::uint64_t>(random() % 60, goal); i > 0; --i)
            ASSERT_TRUE(stepper.stepBackward());
        ASSERT_EQ(pictureOf(stepper), expected[stepper.position()]) << "further back";
    }
    ASSERT_TRUE(stepper.goTo(end));
    EXPECT_FALSE(stepper.stepForward());
    EXPECT_EQ(pictureOf(stepper), expected[end]);
    ASSERT_TRUE(stepper.goTo(0));
    EXPECT_FALSE(stepper.stepBackward());
    EXPECT_EQ(pictureOf(stepper), expected[0]);
    EXPECT_FALSE(stepper.goTo(end + 1));
    EXPECT_EQ(stepper.position(), 0U);
}

// Behind the last step the buffers are those that the interpreter leaves.
inline void expectResultsOfTheInterpreter(const LoweredKernel &kernel, const StepperRequest &request, const Buffers &buffers)
{
    const auto expected = interpret(kernel, buffers);
    ASSERT_TRUE(expected) << toText(expected.error());
    KernelStepper stepper = opened(kernel, request);
    const auto end = stepper.findEnd();
    ASSERT_TRUE(end) << toText(end.error());
    ASSERT_TRUE(stepper.goTo(*end));
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i) {
        const Instruction &instruction = kernel.instructions[i];
        if (instruction.kind != InstructionKind::DefineGlobal)
            continue;
        const std::span<const std::byte> bytes = stepper.bytesOf(InstructionId(i));
        const std::vector<std::byte> &wanted = expected->buffers[instruction.argument];
        ASSERT_LE(bytes.size(), wanted.size());
        EXPECT_TRUE(std::ranges::equal(bytes, std::span(wanted).first(bytes.size()))) << instruction.name;
    }
}

} // namespace sw::test
