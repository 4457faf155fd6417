// While one panel of a large operand is computed with, the next one is fetched, a part at each step.

#include "engine/base/cache_line.h"
#include "engine/graph/builder.h"
#include "engine/loops/printer.h"
#include "engine/loops/stream_queries.h"
#include "engine/loops/transform.h"
#include "engine/loops/verifier.h"
#include "engine/lowered/kernel_stepper.h"
#include "engine/passes/loops/lower_loops.h"
#include "tests/support/one_item.h"
#include "tests/support/one_kernel.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace sw {
namespace {

class StreamTest : public ::testing::Test, protected test::OneItem {
protected:
    StreamTest() { test::setCaches(m_device, 64 << 10); }

    // [rows, steps] times [steps, columns], whose elements lie in panels of 32 columns, or column by column.
    SchedulePtr product(std::int64_t rows, std::int64_t steps, std::int64_t columns, std::int64_t panel = 32) const
    {
        const Origin origin(m_item);
        GraphBuilder builder(m_sources);
        const NodeId a = builder.placeholder(origin, DType::F32, {rows, 1, steps}, {.name = "a", .initial = nullptr});
        const NodeId b =
            builder.placeholder(origin, DType::F32, {columns / panel, steps, panel}, {.name = "b", .initial = nullptr});
        const NodeId turned = builder.permute(origin, b, {0, 2, 1}).value();
        const std::array factors{a, builder.reshape(origin, turned, {1, columns, steps}).value()};
        const NodeId sums = builder.reduce(origin, Op::Add, builder.broadcasted(origin, Op::Mul, factors).value(), {2}).value();
        Result<Graph> finished = std::move(builder).finish(origin, {sums}, {"result"});
        return test::oneKernelSchedule(std::make_shared<const Graph>(std::move(*finished)));
    }

    LoopNest nestOf(const SchedulePtr &schedule, const CompileOptions &options = {}) const
    {
        const auto program = test::loopsFor(schedule, m_device, options);
        EXPECT_TRUE(program) << toText(program.error());
        return *(*program)->nests.front();
    }

    static LoopNest with(LoopNest nest, std::initializer_list<std::string_view> lines)
    {
        for (const std::string_view line : lines) {
            Result<LoopNest> made = applyTransform(nest, *parseTransform(line));
            EXPECT_TRUE(made) << toText(made.error());
            nest = std::move(*made);
        }
        return nest;
    }

    static ValueId loadOf(const LoopNest &nest, const SchedulePtr &schedule, std::int64_t bytes)
    {
        for (std::size_t i = 0; i < nest.values.size(); ++i)
            if (nest.values[i].kind == ValueKind::Load && schedule->buffer(nest.values[i].buffer).bytes() == bytes)
                return ValueId(i);
        return {};
    }

    struct Lines {
        std::map<std::int64_t, std::set<std::int64_t>> fetched = {}; // by round of the outermost loop
        std::map<std::int64_t, std::set<std::int64_t>> read = {};
        std::map<std::int64_t, int> timesInFirstRound = {}; // that a line was fetched
    };

    // What a run of the kernel fetches and loads of the load's buffer.
    static Lines linesOf(const LoweredKernel &kernel, const Schedule &schedule, ValueId load, const LoopNest &nest)
    {
        Lines lines;
        std::vector<std::vector<std::byte>> memory;
        InstructionId streamed;
        for (std::size_t i = 0; i < kernel.arguments.size(); ++i) {
            memory.emplace_back(static_cast<std::size_t>(schedule.buffer(kernel.arguments[i]).bytes()));
            if (kernel.arguments[i] == nest.values[load.value].buffer)
                streamed = InstructionId(i); // the arguments come first
        }
        StepperRequest request{.globalSize = kernel.globalSize, .localSize = kernel.localSize};
        for (const auto &buffer : memory)
            request.buffers.emplace_back(buffer);
        auto stepper = KernelStepper::open(kernel, request);
        EXPECT_TRUE(stepper) << toText(stepper.error());
        constexpr std::int64_t kPerLine = kCacheLineBytes / 4;
        std::map<InstructionId, std::int64_t> addresses; // of prefetches; a prefetch itself is no step
        for (const Instruction &one : kernel.instructions)
            if (one.kind == InstructionKind::Prefetch)
                addresses.emplace(one.operands[1], 0);
        while (stepper && stepper->stepForward()) {
            const StepState state = stepper->state();
            if (state.counters.empty())
                continue;
            const std::int64_t round = state.counters.front().value;
            for (const StepAccess &access : state.accesses)
                if (access.kind == AccessKind::Load && access.memory == streamed)
                    lines.read[round].insert(access.first / kPerLine);
            if (!addresses.contains(state.last))
                continue;
            const auto address = std::ranges::find(state.registers, state.last, &StepRegister::instruction);
            EXPECT_NE(address, state.registers.end());
            const std::int64_t line = address->lanes.front().asInt() / kPerLine;
            lines.fetched[round].insert(line);
            if (round == 0)
                ++lines.timesInFirstRound[line];
        }
        return lines;
    }

    DeviceInfo m_device = test::vectorDevice(1, 64);
};

TEST_F(StreamTest, aPanelThatRowsReadAgainIsStreamed)
{
    const SchedulePtr schedule = product(56, 128, 1024);
    const LoopNest nest = nestOf(schedule);
    const std::string text = toText(nest, *schedule);
    ASSERT_EQ(nest.streams.size(), 1U) << text;
    const Stream &stream = nest.streams.front();
    EXPECT_EQ(stream.load, loadOf(nest, schedule, 128 * 1024 * 4)) << text;
    const auto region = streamedRegionOf(nest, stream.load, stream.at);
    ASSERT_TRUE(region);
    EXPECT_EQ(region->distance, region->elements);
    EXPECT_NE(text.find(format(" stream {}", nest.axes[stream.at.value].name)), std::string::npos) << text;
    EXPECT_NE(text.find(format("the next {} bytes come from memory during the {} steps", region->elements * 4, region->steps)),
              std::string::npos)
        << text;
}

TEST_F(StreamTest, whatTheCacheHoldsAndWhatIsReadOnceIsNotStreamed)
{
    EXPECT_TRUE(nestOf(product(56, 128, 64)).streams.empty()) << "the cache holds all panels";
    EXPECT_TRUE(nestOf(product(4, 128, 1024)).streams.empty()) << "one row of tiles: the processor foresees what it reads";
    EXPECT_TRUE(nestOf(product(56, 512, 1024)).streams.empty()) << "the cache does not hold two panels";
}

// The lines that are fetched in one round of the loop are those that the load reads in the next.
TEST_F(StreamTest, aRoundFetchesWhatTheNextOneReads)
{
    constexpr std::int64_t kSteps = 48;
    constexpr std::int64_t kColumns = 96;
    const SchedulePtr schedule = product(16, kSteps, kColumns);
    LoopNest nest = with(nestOf(schedule, {.optimize = false}),
                         {"split i1 32", "split i1.i 16", "set_type i1.i.i vector", "set_type i1.i.o upcast", "split i0 4",
                          "set_type i0.i upcast", "reorder i1.o i0.o i0.i i1.i.o i1.i.i"});
    const ValueId load = loadOf(nest, schedule, kSteps * kColumns * 4);
    ASSERT_TRUE(load.isValid());
    nest = with(nest, {format("stream v{} i1.o", load.value)});
    const auto region = streamedRegionOf(nest, load, nest.streams.front().at);
    ASSERT_TRUE(region);
    EXPECT_EQ(region->elements, kSteps * 32);
    EXPECT_EQ(region->distance, kSteps * 32);
    EXPECT_EQ(region->steps, 4 * kSteps);
    EXPECT_EQ(region->loops.size(), 2U);

    LoopProgram program{.schedule = schedule, .nests = {std::make_shared<const LoopNest>(nest)}};
    ASSERT_TRUE(verifyLoops(program));
    PassContext context(m_device, TargetLanguage::Lowered, {}, {});
    const auto lowered = lowerLoops(std::make_shared<const LoopProgram>(std::move(program)), context);
    ASSERT_TRUE(lowered) << toText(lowered.error());
    const Lines lines = linesOf(lowered->kernels.at(0), *schedule, load, nest);
    ASSERT_EQ(lines.read.size(), 3U);
    for (const auto &[round, read] : lines.read)
        if (round > 0)
            EXPECT_EQ(lines.fetched.at(round - 1), read) << round;
    for (const auto &[line, times] : lines.timesInFirstRound)
        EXPECT_LE(times, 2) << "the steps share the lines evenly";
}

TEST_F(StreamTest, whatCannotBeStreamedIsRefused)
{
    const SchedulePtr schedule = product(12, 48, 96);
    const LoopNest plain = with(nestOf(schedule, {.optimize = false}), {"split i1 32", "reorder i1.o i0 i1.i"});
    const std::string panels = format("v{}", loadOf(plain, schedule, std::int64_t{48} * 96 * 4).value);
    const auto refusal = [](const LoopNest &nest, std::string_view line) {
        const Result<Transform> transform = parseTransform(line);
        EXPECT_TRUE(transform) << toText(transform.error());
        EXPECT_EQ(toText(*transform), line);
        const Result<LoopNest> made = applyTransform(nest, *transform);
        return made ? std::string() : toText(made.error());
    };
    const std::string stream = format("stream {} ", panels);
    EXPECT_EQ(refusal(plain, stream + "i1.o"), "");
    EXPECT_NE(refusal(plain, stream + "i0").find("not the same distance on"), std::string::npos) << "it does not move it";
    EXPECT_NE(refusal(plain, stream + "r2").find("r2 is no loop of the domain"), std::string::npos);
    EXPECT_NE(refusal(plain, "stream v99 i1.o").find(format("the kernel has {} values", plain.values.size())), std::string::npos);
    const LoopNest copied = with(plain, {format("pack {} i1.o r2 i1.i", panels)});
    EXPECT_NE(refusal(copied, stream + "i1.o").find("is read from a copy"), std::string::npos);
    const LoopNest threaded = with(plain, {"set_type i1.o thread"});
    EXPECT_NE(refusal(threaded, stream + "i1.o").find("i1.o is no loop of the domain"), std::string::npos);
    // A column of a row-major matrix lies scattered.
    const SchedulePtr rows = product(12, 48, 96, 96);
    const LoopNest scattered = with(nestOf(rows, {.optimize = false}), {"split i1 32", "reorder i1.o i0 i1.i"});
    EXPECT_NE(refusal(scattered, stream + "i1.o").find("lie side by side"), std::string::npos);
    // All steps in registers: none is left to fetch in.
    const LoopNest few =
        with(nestOf(schedule, {.optimize = false}), {"split i1 32", "set_type i1.i upcast", "set_type r2 unroll", "split i0 12",
                                                     "set_type i0.i upcast", "reorder i1.o i0.o i0.i i1.i"});
    EXPECT_NE(refusal(few, stream + "i1.o").find("at most 4 cache lines are fetched in a step"), std::string::npos);
    EXPECT_FALSE(parseTransform("stream i1.o"));
}

} // namespace
} // namespace sw
