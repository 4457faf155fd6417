#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {

namespace {

// Three layers: each kernel reads what the one before it wrote.
Schedule validSchedule()
{
    TensorProgram p;
    const NodeId hidden = p.relu(p.matmul(p.input({64, 32}), p.input({32, 48})));
    const NodeId second = p.relu(p.matmul(hidden, p.input({48, 48})));
    const NodeId out = p.matmul(second, p.input({48, 10}));
    return scheduleOf(std::move(p), {out});
}

void expectRefused(const Schedule &schedule, std::string_view part)
{
    const Result<Done> verified = verifySchedule(schedule);
    ASSERT_FALSE(verified);
    EXPECT_NE(toText(verified.error()).find(part), std::string::npos) << toText(verified.error());
    EXPECT_EQ(verified.error().front().code, Code::InvalidIr);
}

TEST(VerifySchedule, acceptsWhatTheGroupingMakes)
{
    EXPECT_TRUE(verifySchedule(validSchedule()));
}

TEST(VerifySchedule, rejectsANodeInNoKernel)
{
    Schedule schedule = validSchedule();
    schedule.kernels[0].members.erase(schedule.kernels[0].members.begin());
    expectRefused(schedule, "is computed by 0 kernels, expected one");
}

TEST(VerifySchedule, rejectsANodeInTwoKernels)
{
    Schedule schedule = validSchedule();
    schedule.kernels[1].members.insert(schedule.kernels[1].members.begin(), schedule.kernels[0].members.front());
    expectRefused(schedule, "is computed by 2 kernels, expected one");
}

TEST(VerifySchedule, rejectsARootThatIsNotStored)
{
    Schedule schedule = validSchedule();
    schedule.kernels[0].results.clear();
    schedule.kernels[0].writes.clear();
    expectRefused(schedule, "is not stored");
}

TEST(VerifySchedule, rejectsAReadThatIsNotListed)
{
    Schedule schedule = validSchedule();
    schedule.kernels[1].reads.clear();
    expectRefused(schedule, "which it neither computes nor reads");
}

TEST(VerifySchedule, rejectsAnOrderThatReadsBeforeWriting)
{
    Schedule schedule = validSchedule();
    std::swap(schedule.items[0], schedule.items[1]);
    expectRefused(schedule, "before it is written");
}

TEST(VerifySchedule, rejectsAMissingDependency)
{
    Schedule schedule = validSchedule();
    schedule.items[1].dependsOn.clear();
    expectRefused(schedule, "but does not depend on item 0");
}

TEST(VerifySchedule, rejectsADependencyOnALaterItem)
{
    Schedule schedule = validSchedule();
    schedule.items[0].dependsOn = {1};
    expectRefused(schedule, "item 0 depends on item 1, which runs later");
}

TEST(VerifySchedule, rejectsAKernelThatDoesNotRun)
{
    Schedule schedule = validSchedule();
    schedule.items.pop_back();
    expectRefused(schedule, "runs 0 times, expected once");
}

TEST(VerifySchedule, rejectsOverlapInTheArena)
{
    Schedule schedule = validSchedule();
    for (ScheduledBuffer &buffer : schedule.buffers)
        buffer.arenaOffset = 0;
    expectRefused(schedule, "live at once and overlap in the arena");
}

TEST(VerifySchedule, rejectsALifetimeThatEndsTooEarly)
{
    Schedule schedule = validSchedule();
    schedule.buffers[schedule.kernels[0].writes[0].value].lastItem = 0;
    expectRefused(schedule, "but item 1 uses it");
}

TEST(VerifySchedule, rejectsAnOutputWithoutItsBuffer)
{
    Schedule schedule = validSchedule();
    schedule.outputs[0] = schedule.kernels[0].writes[0];
    expectRefused(schedule, "output output is f32[64, 10] but its buffer holds f32[64, 48]");
}

TEST(VerifySchedule, rejectsAnOriginOutsideTheProgram)
{
    Schedule schedule = validSchedule();
    schedule.kernels[0].origin = Origin(SourceId(1000U));
    expectRefused(schedule, "is not in the program");
}

TEST(PrintSchedule, writesEverythingInOneCanonicalForm)
{
    TensorProgram p;
    const NodeId x = p.input({2, 1 << 16});
    const NodeId out = p.sub(x, p.reduce(Op::Max, x, {1}));
    const ScheduleText text = printSchedule(scheduleOf(std::move(p), {out}));
    EXPECT_EQ(
        text.text,
        "stepwell schedule 1\n"
        "memory: arena 64 bytes, peak 1048584 bytes\n"
        "b0 = input x0 : f32[2, 65536] of %0, items 0..1\n"
        "b1 = intermediate t1 : f32[2, 1] of %1, items 0..1, arena 0..8\n"
        "b2 = output output : f32[2, 65536] of %3, items 1..1\n"
        "kernel k0_reduce_max reduce_max_2: root %1, reads b0, writes b1 // 131072 flops, 524288 bytes read, 8 bytes written\n"
        "  %1 = reduce_axis max : f32[2, 1] -> b1\n"
        "kernel k1_sub sub_2x65536: root %3, reads b0 b1, writes b2 // 131072 flops, 524296 bytes read, 524288 bytes written\n"
        "  %3 = sub : f32[2, 65536] -> b2\n"
        "item 0: k0\n"
        "item 1: k1 after 0\n"
        "critical path: 0 1\n"
        "outputs: output = b2\n"
        "apart %1 -> %3 by row: costs 8 bytes of traffic: only 2 rows to share among threads, 32 wanted\n");
    EXPECT_EQ(text.lines.size(), static_cast<std::size_t>(std::count(text.text.begin(), text.text.end(), '\n')));
}

} // namespace

} // namespace sw
