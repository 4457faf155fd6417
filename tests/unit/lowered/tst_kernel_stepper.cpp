#include "engine/lowered/kernel_stepper.h"

#include "tests/unit/lowered/random_kernel.h"
#include "tests/unit/lowered/stepped_kernels.h"

#include <map>

namespace sw {
namespace {

using test::Buffers;
using test::bytesOfValues;
using test::opened;
using test::steppedKernel;
using test::stepperRequest;
using test::valuesOfBytes;

// Row sums, of the positive elements only, in scratch memory first.
LoweredKernel sumsKernel()
{
    return steppedKernel(R"(
%x = define_global f32[12] argument 0
%y = define_global f32[3] argument 1 written
%scratch = buffer f32[3]
%rows = const i64 3
%columns = const i64 4
%zero = const f32 0.0
%i = range %rows
  %sum = acc f32
  assign f32 %sum, %zero
  %row = mul i64 %i, %columns
  %j = range %columns
    %at = add i64 %row, %j
    %v = load f32 %x[%at]
    %positive = cmplt bool %zero, %v
    if %positive
      %next = add f32 %sum, %v
      assign f32 %sum, %next
    end_if
  end_range %j
  store f32 %scratch[%i], %sum
  %kept = load f32 %scratch[%i]
  store f32 %y[%i], %kept
end_range %i
)",
                         "global [2, 1, 1] local [1, 1, 1] arguments [0, 1]");
}

Buffers sumsBuffers()
{
    return {bytesOfValues<float>({1, -2, 3, 4, -5, 6, NAN, 8, 9, -10, 11, 12}), bytesOfValues<float>({0, 0, 0})};
}

// Each item of a group gives its square to its neighbour, round after round.
LoweredKernel exchangeKernel()
{
    return steppedKernel(R"(
%x = define_global i64[8] argument 0 written
%shared = local i64[4]
%l = special local_x
%g = special global_x
%three = const i64 3
%rounds = const i64 2
%r = range %rounds
  %mine = load i64 %x[%g]
  %square = mul i64 %mine, %mine
  store i64 %shared[%l], %square
  barrier
  %other = sub i64 %three, %l
  %v = load i64 %shared[%other]
  barrier
  store i64 %x[%g], %v
end_range %r
)",
                         "global [8, 1, 1] local [4, 1, 1] arguments [0]");
}

Buffers exchangeBuffers()
{
    return {bytesOfValues<std::int64_t>({1, 2, 3, 4, 5, 6, 7, 8})};
}

Buffers buffersOf(const LoweredKernel &kernel)
{
    Buffers buffers;
    for (const Instruction &instruction : kernel.instructions)
        if (instruction.kind == InstructionKind::DefineGlobal)
            buffers.emplace_back(static_cast<std::size_t>(instruction.elements) * bytesOf(instruction.dtype), std::byte{1});
    return buffers;
}

TEST(KernelStepper, isEqualAtEveryPositionHoweverItCameThere)
{
    for (const std::uint64_t interval : {1U, 7U, 64U, 65536U}) {
        for (const bool hasBarriers : {false, true}) {
            const LoweredKernel kernel = hasBarriers ? exchangeKernel() : sumsKernel();
            const Buffers buffers = hasBarriers ? exchangeBuffers() : sumsBuffers();
            StepperRequest request = stepperRequest(kernel, buffers);
            request.stepsBetweenCheckpoints = interval;
            test::expectEqualAtEveryPosition(kernel, request, static_cast<std::uint32_t>(interval));
            test::expectResultsOfTheInterpreter(kernel, request, buffers);
        }
    }
}

TEST(KernelStepper, stepsThroughRandomKernels)
{
    for (std::uint32_t seed = 0; seed < 48; ++seed) {
        const LoweredKernel kernel = test::randomKernel(seed, {.itemsPerGroup = std::int64_t{1} << seed % 3});
        const Buffers buffers = buffersOf(kernel);
        StepperRequest request = stepperRequest(kernel, buffers);
        request.stepsBetweenCheckpoints = 1 + seed * 5;
        SCOPED_TRACE(seed);
        test::expectEqualAtEveryPosition(kernel, request, seed);
        test::expectResultsOfTheInterpreter(kernel, request, buffers);
    }
}

TEST(KernelStepper, tellsTheHistoryOfAValueAsATraceDoes)
{
    for (const bool hasBarriers : {false, true}) {
        const LoweredKernel kernel = hasBarriers ? exchangeKernel() : sumsKernel();
        const Buffers buffers = hasBarriers ? exchangeBuffers() : sumsBuffers();
        std::map<std::uint32_t, std::vector<std::vector<Scalar>>> traced;
        const auto sink = [&](const TracedValue &value) {
            traced[value.instruction.value].emplace_back(value.lanes.begin(), value.lanes.end());
        };
        ASSERT_TRUE(test::interpret(kernel, buffers, sink));
        StepperRequest request = stepperRequest(kernel, buffers);
        request.stepsBetweenCheckpoints = 16;
        KernelStepper stepper = opened(kernel, request);
        ASSERT_TRUE(stepper.goTo(stepper.findEnd().value()));
        for (const auto &[instruction, values] : traced) {
            if (kernel.instructions[instruction].kind == InstructionKind::Assign)
                continue; // it is its accumulator that has a history
            for (const std::size_t count : {std::size_t{3}, values.size() + 5}) {
                const auto history = stepper.history(InstructionId(instruction), count);
                ASSERT_TRUE(history) << toText(history.error());
                ASSERT_EQ(history->size(), std::min(count, values.size()));
                for (std::size_t i = 0; i < history->size(); ++i)
                    EXPECT_EQ((*history)[i].lanes, values[values.size() - 1 - i]) << instruction << " " << i;
            }
        }
        EXPECT_EQ(stepper.position(), stepper.findEnd().value());
    }
}

TEST(KernelStepper, tellsWhatTheLastStepDid)
{
    const LoweredKernel kernel = sumsKernel();
    const Buffers buffers = sumsBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    const auto loaded = stepper.run(Direction::Forward, AfterAccess{AccessKind::Load});
    ASSERT_TRUE(loaded && loaded->isFound);
    const StepState state = stepper.state();
    ASSERT_EQ(state.accesses.size(), 1U);
    EXPECT_EQ(state.accesses[0].kind, AccessKind::Load);
    EXPECT_EQ(state.accesses[0].memory, InstructionId(0U));
    EXPECT_EQ(state.accesses[0].first, 0);
    EXPECT_EQ(state.accesses[0].count, 1U);
    ASSERT_EQ(state.counters.size(), 2U);
    EXPECT_EQ(state.counters[0].name, "i");
    EXPECT_EQ(state.counters[1].extent, 4);
    const auto changed = std::ranges::count_if(state.registers, &StepRegister::isChanged);
    EXPECT_EQ(changed, 1);
    EXPECT_EQ(state.registers.back().name, "v");
    EXPECT_EQ(state.registers.back().lanes, std::vector{Scalar::of(DType::F32, 1.0)});
    EXPECT_FALSE(state.steps);
}

TEST(KernelStepper, stepsOverAndOutOfLoopsBothWays)
{
    const LoweredKernel kernel = sumsKernel();
    const Buffers buffers = sumsBuffers();
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 10;
    KernelStepper stepper = opened(kernel, request);
    const auto inner = stepper.run(Direction::Forward, AtInstruction{InstructionId(10U)}); // %j
    ASSERT_TRUE(inner && inner->isFound);
    const std::uint64_t before = stepper.position();
    ASSERT_TRUE(stepper.stepOver(Direction::Forward)->isFound);
    EXPECT_EQ(stepper.state().next, InstructionId(19U)); // the store behind it
    EXPECT_EQ(stepper.state().counters.size(), 1U);
    const std::uint64_t behind = stepper.position();
    ASSERT_TRUE(stepper.stepOver(Direction::Backward)->isFound);
    EXPECT_EQ(stepper.position(), before);
    ASSERT_TRUE(stepper.goTo(before + 3));
    ASSERT_TRUE(stepper.stepOut(Direction::Forward)->isFound);
    EXPECT_EQ(stepper.position(), behind);
    ASSERT_TRUE(stepper.goTo(before + 3));
    ASSERT_TRUE(stepper.stepOut(Direction::Backward)->isFound);
    EXPECT_EQ(stepper.position(), before);
    // Out of the outer loop, which is the end of the first work item.
    ASSERT_TRUE(stepper.stepOut(Direction::Forward)->isFound);
    EXPECT_EQ(stepper.state().item.global[0], 1);
    EXPECT_TRUE(stepper.state().counters.empty());
}

TEST(KernelStepper, endsAtAnAccessThatLeavesItsMemory)
{
    const LoweredKernel kernel = steppedKernel(R"(
%x = define_global f32[4] argument 0 written
%n = const i64 6
%i = range %n
  %v = load f32 %x[%i]
  store f32 %x[%i], %v
end_range %i
)",
                                               "global [1, 1, 1] local [1, 1, 1] arguments [0]");
    const Buffers buffers{bytesOfValues<float>({1, 2, 3, 4})};
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 5;
    test::expectEqualAtEveryPosition(kernel, request, 1);
    KernelStepper stepper = opened(kernel, request);
    const auto found = stepper.run(Direction::Forward, AfterOddity{Oddity::IndexFault});
    ASSERT_TRUE(found) << toText(found.error());
    EXPECT_TRUE(found->isFound);
    const StepState state = stepper.state();
    EXPECT_EQ(state.next, InstructionId(3U));
    EXPECT_EQ(state.counters.front().value, 4);
    ASSERT_TRUE(state.problem);
    EXPECT_EQ(state.problem->message, "kernel k: %3 (load) accesses 1 elements of x at index 4, but it has 4");
    EXPECT_FALSE(stepper.stepForward());
    EXPECT_TRUE(stepper.stepBackward());
    EXPECT_FALSE(stepper.state().problem);
}

// The verifier refuses such a kernel.
TEST(KernelStepper, endsWhereItemsWaitAtDifferentBarriers)
{
    LoweredKernel kernel = steppedKernel(R"(
%x = define_global i64[4] argument 0 written
%l = special local_x
%one = const i64 1
%n = add i64 %l, %one
%r = range %one
  barrier
end_range %r
store i64 %x[%l], %l
)",
                                         "global [4, 1, 1] local [4, 1, 1] arguments [0]");
    const auto loop = std::ranges::find(kernel.instructions, InstructionKind::Range, &Instruction::kind);
    const auto count = std::ranges::find(kernel.instructions, InstructionKind::Alu, &Instruction::kind);
    loop->operands.front() = InstructionId(static_cast<std::size_t>(count - kernel.instructions.begin()));
    const Buffers buffers{bytesOfValues<std::int64_t>({5, 5, 5, 5})};
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 4;
    test::expectEqualAtEveryPosition(kernel, request, 2);
    KernelStepper stepper = opened(kernel, request);
    ASSERT_TRUE(stepper.goTo(stepper.findEnd().value()));
    ASSERT_TRUE(stepper.state().problem);
    EXPECT_EQ(stepper.state().problem->message, "kernel k: work items of one group wait at different barriers");
}

TEST(KernelStepper, keepsItsMemoryLimit)
{
    // A million steps that write all over a buffer.
    const LoweredKernel kernel = steppedKernel(R"(
%x = define_global i64[32768] argument 0 written
%n = const i64 300000
%size = const i64 32767
%i = range %n
  %at = and i64 %i, %size
  store i64 %x[%at], %i
end_range %i
)",
                                               "global [1, 1, 1] local [1, 1, 1] arguments [0]");
    const Buffers buffers{std::vector<std::byte>(32768 * 8)};
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 1024;
    request.memoryLimitBytes = 4 << 20;
    KernelStepper stepper = opened(kernel, request);
    const auto end = stepper.findEnd();
    ASSERT_TRUE(end);
    EXPECT_EQ(*end, 900001U);
    const StepperMemory memory = stepper.memory();
    EXPECT_LE(memory.bytes, memory.limitBytes);
    EXPECT_GT(memory.stepsBetweenCheckpoints, 1024U);
    EXPECT_GT(memory.checkpoints, 1U);
    for (const std::uint64_t goal : {900000U, 5U, 450001U, 777777U}) {
        ASSERT_TRUE(stepper.goTo(goal));
        const std::span<const std::byte> bytes = stepper.bytesOf(InstructionId(0U));
        const auto values = valuesOfBytes<std::int64_t>({bytes.begin(), bytes.end()});
        const auto last = static_cast<std::int64_t>(goal / 3) - 1; // that was stored
        EXPECT_EQ(values[static_cast<std::size_t>(last % 32768)], last);
        EXPECT_LE(stepper.memory().bytes, request.memoryLimitBytes);
    }
    request.memoryLimitBytes = 300 << 10;
    const auto tooSmall = KernelStepper::open(kernel, request);
    ASSERT_FALSE(tooSmall);
    EXPECT_EQ(tooSmall.error().front().code, Code::Limit);
}

// What begins anew with a work item has no room in the log.
TEST(KernelStepper, comesBackOverWhatIsTooLargeToLog)
{
    const LoweredKernel kernel = steppedKernel(R"(
%x = define_global f32[8] argument 0 written
%scratch = buffer f32[65536]
%g = special global_x
%v = load f32 %x[%g]
%twice = add f32 %v, %v
store f32 %scratch[%g], %twice
store f32 %x[%g], %twice
)",
                                               "global [8, 1, 1] local [1, 1, 1] arguments [0]");
    const Buffers buffers{bytesOfValues<float>({1, 2, 3, 4, 5, 6, 7, 8})};
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 3;
    request.memoryLimitBytes = 1536 << 10;
    KernelStepper stepper = opened(kernel, request);
    ASSERT_TRUE(stepper.goTo(39));
    EXPECT_EQ(stepper.memory().loggedSteps, 4U); // of the last item
    for (std::uint64_t position = 39; position > 0; --position) {
        ASSERT_EQ(stepper.position(), position);
        const StepState state = stepper.state();
        ASSERT_EQ(state.item.global[0], static_cast<std::int64_t>(position / 5));
        ASSERT_LE(stepper.memory().bytes, request.memoryLimitBytes);
        ASSERT_TRUE(stepper.stepBackward());
    }
    const std::span<const std::byte> bytes = stepper.bytesOf(InstructionId(0U));
    EXPECT_EQ(valuesOfBytes<float>({bytes.begin(), bytes.end()}), valuesOfBytes<float>(buffers[0]));
}

TEST(KernelStepper, takesABufferThatIsGivenTwiceAsOne)
{
    const LoweredKernel kernel = steppedKernel(R"(
%x = define_global i64[5] argument 0
%y = define_global i64[5] argument 1 written
%one = const i64 1
%n = const i64 4
%i = range %n
  %v = load i64 %x[%i]
  %more = add i64 %v, %one
  %next = add i64 %i, %one
  store i64 %y[%next], %more
end_range %i
)",
                                               "global [1, 1, 1] local [1, 1, 1] arguments [0, 1]");
    const std::vector<std::byte> buffer = bytesOfValues<std::int64_t>({7, 0, 0, 0, 0});
    StepperRequest request;
    request.buffers = {buffer, buffer};
    KernelStepper stepper = opened(kernel, request);
    ASSERT_TRUE(stepper.goTo(stepper.findEnd().value()));
    for (const std::uint32_t memory : {0U, 1U}) {
        const std::span<const std::byte> bytes = stepper.bytesOf(InstructionId(memory));
        EXPECT_EQ(valuesOfBytes<std::int64_t>({bytes.begin(), bytes.end()}), (std::vector<std::int64_t>{7, 8, 9, 10, 11}));
    }
}

TEST(KernelStepper, hasNothingToStepInAKernelWithoutSteps)
{
    const LoweredKernel kernel =
        steppedKernel("%x = define_global i64[1] argument 0\n", "global [1099511627776, 1, 1] local [1, 1, 1] arguments [0]");
    const Buffers buffers{bytesOfValues<std::int64_t>({1})};
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    EXPECT_EQ(stepper.findEnd().value(), 0U);
    EXPECT_FALSE(stepper.stepForward());
    EXPECT_FALSE(stepper.stepBackward());
    EXPECT_FALSE(stepper.state().next.isValid());
}

TEST(KernelStepper, staysWhereItIsWhenItIsStopped)
{
    const LoweredKernel kernel = sumsKernel();
    const Buffers buffers = sumsBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    ASSERT_TRUE(stepper.goTo(17));
    const std::string before = test::pictureOf(stepper);
    std::stop_source source;
    source.request_stop();
    // Only long ways look whether they are to stop; the checks come at position 0.
    ASSERT_TRUE(stepper.goTo(0));
    const auto stopped = stepper.run(Direction::Forward, AfterOddity{Oddity::Infinity}, source.get_token());
    ASSERT_FALSE(stopped);
    EXPECT_EQ(stopped.error().front().code, Code::Cancelled);
    EXPECT_EQ(stepper.position(), 0U);
    EXPECT_FALSE(stepper.findEnd(source.get_token()));
    ASSERT_TRUE(stepper.goTo(17));
    EXPECT_EQ(test::pictureOf(stepper), before);
}

TEST(KernelStepper, refusesWhatDoesNotFit)
{
    const LoweredKernel kernel = sumsKernel();
    const Buffers buffers = sumsBuffers();
    StepperRequest request = stepperRequest(kernel, buffers);
    request.buffers.pop_back();
    EXPECT_FALSE(KernelStepper::open(kernel, request));
}

} // namespace
} // namespace sw
