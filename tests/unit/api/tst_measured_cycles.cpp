// Measured cycles beside simulated ones, from made-up code and times.

#include "engine/api/measured_cycles.h"

#include "engine/backend/backend.h"
#include "engine/lowered/parser.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr std::int64_t kItems = 10;
constexpr std::int64_t kRounds = 4; // of one work item

bool contains(const std::string &text, std::string_view part)
{
    return text.find(part) != std::string::npos;
}

// A loop of four rounds; end_range is its eleventh instruction.
LoweredKernel kernelOf(std::int64_t items = kItems, const std::string &extent = "const i64 4")
{
    auto kernel =
        parseLoweredKernel(format("kernel \"k\" symbol \"k\" id 0 global [{}, 1, 1] local [1, 1, 1] arguments [0, 1] from 0\n"
                                  "  %x = define_global f32[64] argument 0 from 0\n"
                                  "  %y = define_global f32[64] argument 1 written from 0\n"
                                  "  %2 = {} from 0\n"
                                  "  %3 = const i64 16 from 0\n"
                                  "  %i = range %2 from 0\n"
                                  "    %5 = mul i64 %i, %3 from 0\n"
                                  "    %6 = load f32x16 %x[%5] from 0\n"
                                  "    %7 = fma f32x16 %6, %6, %6 from 0\n"
                                  "    %8 = exp f32x16 %7 from 0\n"
                                  "    store f32x16 %y[%5], %8 from 0\n"
                                  "  end_range %i from 0\n"
                                  "end\n",
                                  items, extent),
                           {.file = "t.lowered"});
    EXPECT_TRUE(kernel) << (kernel ? "" : toText(kernel.error()));
    return *std::move(kernel);
}

RenderedSource sourceOf()
{
    RenderedSource source;
    source.lines = {{CodeTag::Instruction, InstructionId(10U)}};
    return source;
}

MachineInstruction instruction(std::uint64_t address, MachineFlow flow = MachineFlow::Next, std::uint64_t target = 0)
{
    MachineInstruction made;
    made.address = address;
    made.text = "nop";
    made.sourceLine = 1;
    made.tag = CodeTag::Instruction;
    made.flow = flow;
    made.target = target;
    return made;
}

// 0, { 1, 2 }, 3: the loop takes eight cycles per round.
MachineCode codeOf(double cycles = 8)
{
    MachineCode code;
    code.instructions = {instruction(0), instruction(1), instruction(2, MachineFlow::Branch, 1),
                         instruction(3, MachineFlow::Leave)};
    Throughput throughput;
    throughput.first = 1;
    throughput.last = 2;
    throughput.rounds = 100;
    throughput.cycles = cycles;
    throughput.width = 4;
    code.throughputs = {throughput};
    return code;
}

KernelEntry entryOf(std::int64_t nanoseconds, std::int64_t bytes = 512)
{
    KernelEntry entry;
    entry.name = "k0_sums";
    entry.medianNanoseconds = nanoseconds;
    entry.lowNanoseconds = nanoseconds * 9 / 10;
    entry.highNanoseconds = nanoseconds * 11 / 10;
    entry.bytes = bytes;
    return entry;
}

CyclesContext contextOf(std::uint32_t threads = 1)
{
    CyclesContext context;
    context.clock = {2, 1.9, 2.1, 2.5};
    context.threads = threads;
    context.nearestCacheBytes = 32 << 10;
    return context;
}

TEST(MeasuredCycles, areTheTimeByTheClockPerRound)
{
    const CyclesOfKernel cycles = cyclesOf(entryOf(160), codeOf(), sourceOf(), kernelOf(), contextOf());
    ASSERT_EQ(cycles.problem, "");
    EXPECT_EQ(cycles.loop, "1");
    EXPECT_EQ(cycles.rounds, kRounds * kItems);
    EXPECT_EQ(cycles.threads, 1U);
    EXPECT_DOUBLE_EQ(cycles.simulated, 8);
    EXPECT_DOUBLE_EQ(cycles.measured, 160 * 2.0 / 40);
    EXPECT_DOUBLE_EQ(cycles.low, 144 * 1.9 / 40);
    EXPECT_DOUBLE_EQ(cycles.high, 176 * 2.1 / 40);
    EXPECT_DOUBLE_EQ(cycles.ratio(), 1);
    EXPECT_EQ(cycles.reason, "");
    EXPECT_EQ(cycles.text, "measured about 1.00 x the simulated cycles: 8.00 (6.84 ... 9.24) to 8.00 per round of loop 1");
}

TEST(MeasuredCycles, countForEveryThreadThatHasWork)
{
    EXPECT_DOUBLE_EQ(cyclesOf(entryOf(160), codeOf(), sourceOf(), kernelOf(), contextOf(4)).measured, 32);
    // One work item leaves the other threads without any.
    const CyclesOfKernel single = cyclesOf(entryOf(160), codeOf(), sourceOf(), kernelOf(1), contextOf(4));
    EXPECT_EQ(single.threads, 1U);
    EXPECT_DOUBLE_EQ(single.measured, 160 * 2.0 / kRounds);
}

TEST(MeasuredCycles, sayWhyAKernelIsSlowerThanSimulated)
{
    const auto reason = [](const KernelEntry &entry, const CyclesContext &context) {
        return cyclesOf(entry, codeOf(), sourceOf(), kernelOf(), context).reason;
    };
    CyclesContext context = contextOf();
    EXPECT_TRUE(contains(reason(entryOf(1600, 1 << 20), context), "do not fit in the nearest cache (32 KiB)"));
    EXPECT_TRUE(contains(reason(entryOf(1600), context), "neither memory nor launching"));
    context.launchNanoseconds = 800;
    EXPECT_TRUE(contains(reason(entryOf(1600), context),
                         "a launch that does next to nothing takes 0.80 us here, and the kernel 1.60 us"));
    context.launchNanoseconds = 10;
    context.roofs = MachineRoofs{.roofs = {{RoofKind::Memory, "memory read", 1, 0, 1000}}, .measuredOn = "2026-11-22"};
    EXPECT_TRUE(contains(reason(entryOf(1600, 1 << 20), context), "memory bound: 66 % of the measured memory read rate"));
    // Within the band there is nothing to explain, and what is faster than its model is said so.
    EXPECT_EQ(reason(entryOf(176), context), "");
    EXPECT_TRUE(contains(reason(entryOf(40), context), "faster than simulated"));
}

TEST(MeasuredCycles, saySoWhereTheyCannotBeCompared)
{
    const auto problem = [](const KernelEntry &entry, const MachineCode &code, const CyclesContext &context) {
        return cyclesOf(entry, code, sourceOf(), kernelOf(), context).problem;
    };
    EXPECT_EQ(problem(KernelEntry{.name = "k"}, codeOf(), contextOf()), "it was not timed");
    MachineCode calls = codeOf();
    calls.throughputs.front().problem = "it calls a function";
    EXPECT_TRUE(contains(problem(entryOf(160), calls, contextOf()), "it calls a function"));
    MachineCode noModel = codeOf();
    noModel.throughputs.clear();
    EXPECT_TRUE(contains(problem(entryOf(160), noModel, contextOf()), "loop 1 was not simulated: its processor has no model"));
    CyclesContext noClock = contextOf();
    noClock.clock = {};
    EXPECT_EQ(problem(entryOf(160), codeOf(), noClock), "the clock could not be measured");
    // A loop whose end is loaded from memory.
    const LoweredKernel open = kernelOf(kItems, "special global_x");
    EXPECT_TRUE(contains(cyclesOf(entryOf(160), codeOf(), sourceOf(), open, contextOf()).problem, "not known before it runs"));
}

} // namespace
} // namespace sw
