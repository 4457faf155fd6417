#include "tests/unit/lowered/stepped_kernels.h"

#include <cmath>
#include <functional>

namespace sw {
namespace {

using test::Buffers;
using test::bytesOfValues;
using test::opened;
using test::steppedKernel;
using test::stepperRequest;

using Holds = std::function<bool(const StepState &before, const StepState &now)>;

// Two items, each with two loops, one of which divides by zero now and then and looks up an index that may be wrong.
LoweredKernel oddKernel()
{
    return steppedKernel(R"(
%x = define_global f32[6] argument 0
%k = define_global i64[3] argument 1
%y = define_global f32[6] argument 2 written
%g = special global_x
%rows = const i64 3
%two = const i64 2
%zero = const f32 0.0
%i = range %rows
  %j = range %two
    %row = mul i64 %i, %two
    %at = add i64 %row, %j
    %v = load f32 %x[%at]
    %r = recip f32 %v
    %p = mul f32 %r, %zero
    store f32 %y[%at], %p
  end_range %j
  %look = load i64 %k[%i]
  %fits = index_check bool %look bound 3 axis 0
end_range %i
)",
                         "global [2, 1, 1] local [1, 1, 1] arguments [0, 1, 2]");
}

Buffers oddBuffers()
{
    return {bytesOfValues<float>({1, 2, 0, 4, 5, 0}), bytesOfValues<std::int64_t>({0, 7, -1}),
            bytesOfValues<float>({0, 0, 0, 0, 0, 0})};
}

InstructionId named(const LoweredKernel &kernel, std::string_view name)
{
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (kernel.instructions[i].name == name)
            return InstructionId(i);
    ADD_FAILURE() << name;
    return {};
}

InstructionId ofKind(const LoweredKernel &kernel, InstructionKind kind)
{
    for (std::size_t i = 0; i < kernel.instructions.size(); ++i)
        if (kernel.instructions[i].kind == kind)
            return InstructionId(i);
    ADD_FAILURE() << nameOf(kind);
    return {};
}

// From every position, both ways, it stops at the next one at which one of the conditions begins to hold.
void expectStops(const std::vector<StopCondition> &conditions, const Holds &holds)
{
    const LoweredKernel kernel = oddKernel();
    const Buffers buffers = oddBuffers();
    StepperRequest request = stepperRequest(kernel, buffers);
    request.stepsBetweenCheckpoints = 9;
    KernelStepper stepper = opened(kernel, request);
    std::vector<std::uint64_t> stops;
    StepState before;
    do {
        const StepState now = stepper.state();
        if (holds(before, now))
            stops.push_back(now.position);
        before = now;
    } while (stepper.stepForward());
    ASSERT_FALSE(stops.empty());
    const std::uint64_t end = stepper.position();
    for (std::uint64_t from = 0; from <= end; ++from) {
        for (const Direction direction : {Direction::Forward, Direction::Backward}) {
            ASSERT_TRUE(stepper.goTo(from));
            const auto found = stepper.run(direction, conditions);
            ASSERT_TRUE(found) << toText(found.error());
            std::uint64_t expected = from;
            for (const std::uint64_t stop : stops) {
                if (direction == Direction::Forward && stop > from && expected == from)
                    expected = stop;
                if (direction == Direction::Backward && stop < from)
                    expected = stop;
            }
            ASSERT_EQ(found->isFound, expected != from) << from;
            ASSERT_EQ(stepper.position(), expected) << "from " << from << (direction == Direction::Forward ? " on" : " back");
            ASSERT_TRUE(found->isFound || found->steps == (direction == Direction::Forward ? end - from : from));
        }
    }
}

void expectStops(const StopCondition &condition, const Holds &holds)
{
    expectStops(std::vector{condition}, holds);
}

double laneOf(const StepState &state, InstructionId value)
{
    for (const StepRegister &one : state.registers)
        if (one.instruction == value)
            return one.lanes.front().asDouble();
    return NAN;
}

bool didAccess(const StepState &state, AccessKind kind)
{
    return std::ranges::any_of(state.accesses, [&](const StepAccess &access) { return access.kind == kind; });
}

TEST(StopConditions, atAnInstruction)
{
    const InstructionId load = ofKind(oddKernel(), InstructionKind::Load);
    expectStops(AtInstruction{load}, [&](const StepState &, const StepState &now) { return now.next == load; });
}

// A constant is not a step: the loop behind it is meant.
TEST(StopConditions, atTheStepBehindAConstant)
{
    const LoweredKernel kernel = oddKernel();
    const InstructionId constant = ofKind(kernel, InstructionKind::Const);
    const InstructionId loop = named(kernel, "i");
    expectStops(AtInstruction{constant}, [&](const StepState &, const StepState &now) { return now.next == loop; });
}

TEST(StopConditions, afterLoadsAndStores)
{
    for (const AccessKind kind : {AccessKind::Load, AccessKind::Store})
        expectStops(AfterAccess{kind}, [&](const StepState &, const StepState &now) { return didAccess(now, kind); });
}

TEST(StopConditions, afterAnElementWasTouched)
{
    const InstructionId memory(2U); // %y
    expectStops(AfterElement{memory, 3}, [&](const StepState &, const StepState &now) {
        return std::ranges::any_of(now.accesses, [&](const StepAccess &access) {
            return access.memory == memory && access.first <= 3 && 3 < access.first + access.count;
        });
    });
}

TEST(StopConditions, afterAValueWasMade)
{
    const LoweredKernel kernel = oddKernel();
    const InstructionId check = ofKind(kernel, InstructionKind::IndexCheck);
    expectStops(AfterValue{check}, [&](const StepState &, const StepState &now) { return now.last == check; });
    const InstructionId loop = named(kernel, "j");
    expectStops(AfterValue{loop}, [&](const StepState &, const StepState &now) {
        return std::ranges::any_of(now.counters,
                                   [&](const StepCounter &counter) { return counter.loop == loop && counter.isChanged; });
    });
}

TEST(StopConditions, afterNanAndInfinity)
{
    for (const bool isNan : {true, false}) {
        expectStops(AfterOddity{isNan ? Oddity::Nan : Oddity::Infinity}, [&](const StepState &, const StepState &now) {
            return std::ranges::any_of(now.registers, [&](const StepRegister &value) {
                return value.instruction == now.last && (isNan ? value.lanes[0].isNan() : std::isinf(value.lanes[0].asDouble()));
            });
        });
    }
}

TEST(StopConditions, afterAnIndexOutOfRange)
{
    const auto countOf = [](const StepState &state) { return state.faults.empty() ? 0 : state.faults.front().count; };
    expectStops(AfterOddity{Oddity::IndexFault},
                [&](const StepState &before, const StepState &now) { return countOf(now) > countOf(before); });
}

TEST(StopConditions, atAPlace)
{
    const auto isThere = [](const StepState &state) {
        return state.counters.size() == 2 && state.counters[0].value == 2 && state.counters[1].value == 0 &&
               state.item.global[0] == 1;
    };
    expectStops(parsePlace("i=2, j=0,global_x=1").value(),
                [&](const StepState &before, const StepState &now) { return isThere(now) && !isThere(before); });
}

TEST(StopConditions, whereItIsCountsWhenAsked)
{
    const LoweredKernel kernel = oddKernel();
    const Buffers buffers = oddBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    const AtPlace place = parsePlace("global_x=0").value();
    const auto found = stepper.run(Direction::Forward, place, {}, StartsAt::Here);
    ASSERT_TRUE(found && found->isFound);
    EXPECT_EQ(stepper.position(), 0U);
    EXPECT_FALSE(stepper.run(Direction::Forward, place)->isFound);
}

// Of values that the step can see; %v is 1, 2, 0, 4, 5 and 0.
TEST(StopConditions, whereAValueComparesSo)
{
    const LoweredKernel kernel = oddKernel();
    const InstructionId v = ofKind(kernel, InstructionKind::Load);
    const InstructionId store = ofKind(kernel, InstructionKind::Store);
    for (const Relation comparison : kRelations) {
        const auto wanted = [&](const StepState &state) { return holds(laneOf(state, v), comparison, 2); };
        expectStops(AtInstruction{store, ValueCheck{v, comparison, 2}},
                    [&](const StepState &, const StepState &now) { return now.next == store && wanted(now); });
        expectStops(AfterValue{v, ValueCheck{v, comparison, 2}},
                    [&](const StepState &, const StepState &now) { return now.last == v && wanted(now); });
    }
    const InstructionId loop = named(kernel, "i");
    expectStops(AtInstruction{store, ValueCheck{loop, Relation::Equal, 2}},
                [&](const StepState &, const StepState &now) { return now.next == store && now.counters[0].value == 2; });
}

TEST(StopConditions, atPositions)
{
    const auto positions = std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{1, 8, 9, 30});
    expectStops(AtPositions{positions},
                [&](const StepState &, const StepState &now) { return std::ranges::binary_search(*positions, now.position); });
}

// The end of the run is a position, too.
TEST(StopConditions, atTheLastPosition)
{
    const LoweredKernel kernel = oddKernel();
    const Buffers buffers = oddBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    const std::uint64_t end = *stepper.findEnd();
    const auto positions = std::make_shared<const std::vector<std::uint64_t>>(std::vector<std::uint64_t>{end});
    EXPECT_TRUE(stepper.run(Direction::Forward, AtPositions{positions})->isFound);
    EXPECT_EQ(stepper.position(), end);
    EXPECT_FALSE(stepper.run(Direction::Backward, AtPositions{positions})->isFound);
}

TEST(StopConditions, anyOfSeveral)
{
    const LoweredKernel kernel = oddKernel();
    const InstructionId v = ofKind(kernel, InstructionKind::Load);
    const InstructionId check = ofKind(kernel, InstructionKind::IndexCheck);
    const std::vector<StopCondition> conditions{AtInstruction{v}, AtInstruction{check}, AfterOddity{Oddity::Infinity},
                                                AfterOddity{Oddity::IndexFault}, AfterElement{InstructionId(2U), 1}};
    std::uint64_t faults = 0;
    expectStops(conditions, [&](const StepState &, const StepState &now) {
        std::uint64_t count = 0;
        for (const IndexFault &fault : now.faults)
            count += static_cast<std::uint64_t>(fault.count);
        const bool hasFailed = std::exchange(faults, count) != count;
        return hasFailed || now.next == v || now.next == check || (now.last.isValid() && std::isinf(laneOf(now, now.last))) ||
               std::ranges::any_of(now.accesses, [](const StepAccess &access) {
                   return access.memory == InstructionId(2U) && access.first == 1;
               });
    });
    const Buffers buffers = oddBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    EXPECT_FALSE(stepper.run(Direction::Forward, std::span<const StopCondition>())->isFound);
    EXPECT_EQ(stepper.position(), 0U);
}

TEST(StopConditions, sayWhatThereIs)
{
    const LoweredKernel kernel = oddKernel();
    const Buffers buffers = oddBuffers();
    KernelStepper stepper = opened(kernel, stepperRequest(kernel, buffers));
    const auto message = [&](const StopCondition &condition) {
        const auto found = stepper.run(Direction::Forward, condition);
        return found ? std::string() : found.error().front().message;
    };
    EXPECT_EQ(message(AtPlace{{{"k", 1}}}), "kernel k has no loop \"k\"; there are i, j, global_x, global_y, global_z, local_x, "
                                            "local_y, local_z, group_x, group_y, group_z");
    EXPECT_EQ(message(AtInstruction{InstructionId(99U)}), "kernel k has no instruction %99; it has 19");
    EXPECT_EQ(message(AfterElement{InstructionId(3U), 0}), "%3 is no memory of kernel k; there are %0, %1, %2");
    EXPECT_EQ(message(AfterElement{InstructionId(2U), 6}), "%2 has 6 elements; there is no element 6");
    EXPECT_EQ(message(AfterValue{InstructionId(4U)}), "%4 (const) is no value that a step of kernel k makes");
    EXPECT_EQ(message(AtInstruction{InstructionId(5U), ValueCheck{InstructionId(0U), Relation::Less, 1}}),
              "%0 (define_global) of kernel k has no value to compare");
    for (const char *text : {"", "i", "i=", "=3", "i=x", "i=3,", "i=3 j=4"})
        EXPECT_FALSE(parsePlace(text)) << text;
}

} // namespace
} // namespace sw
