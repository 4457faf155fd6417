#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {

namespace {

// Three layers: each kernel reads what the one before it wrote.
Schedule validSchedule()
{
    TensorProgram p;
    const NodeId x = p.input({64, 32});
    const NodeId weights = p.input({32, 48});
    const NodeId hidden = p.relu(p.matmul(x, weights));
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
    std::swap(schedule.items[4], schedule.items[5]);
    expectRefused(schedule, "before it is written");
}

TEST(VerifySchedule, rejectsAMissingDependency)
{
    Schedule schedule = validSchedule();
    std::erase_if(schedule.dependencies, [](const Dependency &one) { return one.to == 5; });
    expectRefused(schedule, "item 5 reads buffer t13 but does not depend on item 4, which writes it");
}

TEST(VerifySchedule, rejectsADependencyOnALaterItem)
{
    Schedule schedule = validSchedule();
    schedule.dependencies[0].from = 5;
    expectRefused(schedule, "item 4 depends on item 5, which runs later");
}

TEST(VerifySchedule, rejectsAKernelThatDoesNotRun)
{
    Schedule schedule = validSchedule();
    schedule.items[6] = {Synchronization{}, Phase::Run};
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
    schedule.buffers[schedule.kernels[0].writes[0].value].lastItem = 4;
    expectRefused(schedule, "but item 5 uses it");
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

// What breaks a rule for items or memory, and how the verifier says so. Items of validSchedule: uploads 0 to 3, kernels 4 to 6, a
// barrier 7, a download 8.
struct Broken {
    void (*edit)(Schedule &schedule);
    std::string_view message;
};

MemoryTransfer &transferOf(Schedule &schedule, std::size_t item)
{
    return std::get<MemoryTransfer>(schedule.items.at(item).work);
}

const std::vector<Broken> kBroken{
    {[](Schedule &s) { transferOf(s, 0).destination = BufferId(); }, "item 0 moves from the host to the host"},
    {[](Schedule &s) { s.items[3].phase = Phase::Run; }, "item 3 (run): what comes from the host is loaded, and only that"},
    {[](Schedule &s) { transferOf(s, 8).destination = BufferId(0U); }, "what goes to the host is fetched, and only that"},
    {[](Schedule &s) { transferOf(s, 0).bytes += 4; }, "item 0 moves 8196 bytes, but buffer x0 has 8192"},
    {[](Schedule &s) { transferOf(s, 0).region = StridedRegion{.rows = 2, .rowBytes = 4096}; },
     "item 0 moves 8192 bytes in 2 rows of 4096 bytes, 0 apart"},
    {[](Schedule &s) {
         transferOf(s, 0).region = StridedRegion{.rows = 2, .rowBytes = 4096, .destinationOffset = 4, .destinationStride = 4096};
     },
     "item 0 moves bytes that are outside of buffer x0"},
    {[](Schedule &s) { transferOf(s, 8).source = s.kernels[0].writes[0]; }, "which is no output"},
    {[](Schedule &s) { transferOf(s, 0).destination = s.kernels[0].writes[0]; }, "which the host has no value for"},
    {[](Schedule &s) { std::swap(s.items[3], s.items[8]); }, "item 4 (run) comes after item 3 (fetch)"},
    {[](Schedule &s) { s.items[7] = {Synchronization{.scope = SynchronizationScope::Device}, Phase::Run}; },
     "item 7 waits for 0 devices"},
    {[](Schedule &s) { s.items[7] = {Synchronization{.kind = SynchronizationKind::Event}, Phase::Run}; },
     "item 7 (event) names no item"},
    {[](Schedule &s) { s.items[7] = {Synchronization{.event = 8}, Phase::Run}; }, "or an earlier item that do not exist"},
    {[](Schedule &s) { s.items[7] = {HostCallback{}, Phase::Run}; }, "item 7 calls a function without a name"},
    {[](Schedule &s) { s.items[7] = {HostCallback{"f", {BufferId(99U)}, {}}, Phase::Run}; }, "item 7 names a kernel, buffers"},
    {[](Schedule &s) { s.kernels[1].device = DeviceSlot(1U); }, "is on a device that does not exist"},
    {[](Schedule &s) {
         s.devices.push_back({.id = "other"});
         s.kernels[1].device = DeviceSlot(1U);
     },
     "runs on d1, but buffer"},
    {[](Schedule &s) { s.dependencies.front().buffers.front() = s.kernels[2].writes[0]; },
     "does not read buffer output from item"},
    {[](Schedule &s) { std::swap(s.dependencies.front(), s.dependencies.back()); }, "are not in order"},
    {[](Schedule &s) { std::erase_if(s.dependencies, [](const Dependency &one) { return one.to == 7; }); },
     "are not kept apart by a synchronisation"},
    {[](Schedule &s) { s.criticalPath = {4, 6}; }, "item 6 follows item 4 on the critical path but does not depend on it"},
    {[](Schedule &s) { s.criticalPath = {0}; }, "item 0 is on the critical path but not in the run"},
    {[](Schedule &s) { s.buffers[0].arenaOffset += 4; }, "which is no multiple of 64"},
    {[](Schedule &s) { s.devices[0].arenaBytes -= 64; }, "lies outside the arena of"},
    {[](Schedule &s) { s.items.push_back(s.items.back()); }, "is fetched 2 times, expected once"},
};

void expectAllRefused(const Schedule &sound, const std::vector<Broken> &all)
{
    for (const Broken &broken : all) {
        Schedule schedule = sound;
        broken.edit(schedule);
        SCOPED_TRACE(broken.message);
        expectRefused(schedule, broken.message);
    }
}

TEST(VerifySchedule, rejectsItemsAndMemoryThatBreakTheRules)
{
    expectAllRefused(validSchedule(), kBroken);
}

TEST(VerifySchedule, rejectsMemoryThatIsTakenOverTooEarly)
{
    // The inner value of the second chain takes the place of the first one's.
    Schedule schedule = twoChains();
    Schedule ungrouped = schedule;
    std::erase_if(schedule.dependencies,
                  [](const Dependency &one) { return one.kind == DependencyKind::Control && !one.buffers.empty(); });
    expectRefused(schedule, "item 8 overwrites the memory of buffer");
    for (ScheduledBuffer &buffer : ungrouped.buffers)
        buffer.aliasGroup.reset();
    expectRefused(ungrouped, "share memory but are in different groups");
}

// Two products that are joined, and one that reads both. Items: uploads 0 to 4, kernels 5 and 6, the join 7, a kernel 8.
Schedule joinedSchedule()
{
    TensorProgram p;
    const NodeId first = p.matmul(p.input({8, 32}), p.input({32, 64}));
    const NodeId second = p.matmul(p.input({8, 32}), p.input({32, 64}));
    const NodeId whole = p.builder.cat(p.here, std::vector{first, second}, 0).value();
    const NodeId out = p.matmul(whole, p.input({64, 16}));
    return scheduleOf(std::move(p), {out});
}

ScheduledBuffer &partOf(Schedule &schedule, std::size_t kernel)
{
    return schedule.buffers[schedule.kernels.at(kernel).writes.at(0).value];
}

Join &joinOf(Schedule &schedule)
{
    return std::get<Join>(schedule.items.at(7).work);
}

const std::vector<Broken> kBrokenJoins{
    {[](Schedule &s) { partOf(s, 1).partOf->offset = 64; }, "does not lie where it should in t"},
    {[](Schedule &s) { partOf(s, 0).partOf.reset(); }, "live at once and overlap in the arena"},
    {[](Schedule &s) {
         partOf(s, 1).partOf->offset = 0;
         partOf(s, 1).arenaOffset = partOf(s, 0).arenaOffset;
     },
     "live at once and overlap in the arena"},
    {[](Schedule &s) { std::swap(joinOf(s).parts[0], joinOf(s).parts[1]); }, "behind the part before"},
    {[](Schedule &s) { joinOf(s).parts.pop_back(); }, "item 7 joins parts that do not fill t"},
    {[](Schedule &s) { joinOf(s).whole = BufferId(99U); }, "item 7 names a kernel, buffers"},
    {[](Schedule &s) { s.buffers[joinOf(s).whole.value].firstItem = 6; }, "which does not live as long"},
    {[](Schedule &s) { partOf(s, 0).partOf->whole = s.kernels[0].writes[0]; },
     "is a part of one that does not exist, or of itself"},
    {[](Schedule &s) { s.items[7].work = HostCallback{"f", {}, {}}; }, "before it is written"},
};

TEST(VerifySchedule, rejectsWhatIsJoinedFromElsewhere)
{
    expectAllRefused(joinedSchedule(), kBrokenJoins);
}

TEST(PrintSchedule, tellsJoinsAndTheirParts)
{
    const std::string text = printSchedule(joinedSchedule()).text;
    EXPECT_NE(text.find("join b"), std::string::npos) << text;
    EXPECT_NE(text.find(" from 2048"), std::string::npos) << text;
}

TEST(PrintSchedule, writesEverythingInOneCanonicalForm)
{
    TensorProgram p;
    const NodeId x = p.input({2, 1 << 16});
    const NodeId out = p.sub(x, p.reduce(Op::Max, x, {1}));
    const ScheduleText text = printSchedule(scheduleOf(std::move(p), {out}));
    EXPECT_EQ(text.text,
              "stepwell schedule 2\n"
              "device d0 test: arena 1048640 bytes, at most 1048584 live\n"
              "b0 = input x0 : f32[2, 65536] of %0, items 0..3, at 0..524288\n"
              "b1 = intermediate t1 : f32[2, 1] of %1, items 1..2, at 1048576..1048584\n"
              "b2 = output output : f32[2, 65536] of %3, items 2..4, at 524288..1048576\n"
              "kernel k0_reduce_max reduce_max_2_d44ee1a8: root %1, reads b0, writes b1 // 131072 flops, 262144 priced, "
              "524288 bytes read, 8 bytes written, 2 registers, 53430 ns\n"
              "  axes i0 2, r1 65536\n"
              "  %1 = reduce_axis max : f32[2, 1] -> b1, over r1, in any order\n"
              "kernel k1_sub sub_2x65536_821e51f5: root %3, reads b0 b1, writes b2 // 131072 flops, 262144 priced, "
              "524296 bytes read, 524288 bytes written, 3 registers, 105858 ns\n"
              "  axes i0 2, i1 65536\n"
              "  %3 = sub : f32[2, 65536] -> b2\n"
              "item 0 load: upload b0, 524288 bytes\n"
              "item 1 run: k0 after 0\n"
              "item 2 run: k1 after 0 1\n"
              "item 3 run: barrier d0, control 2\n"
              "item 4 fetch: download b2, 524288 bytes after 2, control 3\n"
              "critical path: 1 2, 159288 ns\n"
              "outputs: output = b2\n"
              "apart %1 -> %3 by row: costs 8 bytes of traffic: only 2 rows to share among threads, 32 wanted\n");
    EXPECT_EQ(text.lines.size(), static_cast<std::size_t>(std::count(text.text.begin(), text.text.end(), '\n')));
}

TEST(PrintSchedule, hasALineForEveryKindOfItem)
{
    const Schedule schedule = twoChains();
    const auto text = [&](ScheduleItem item) { return itemText(schedule, item); };
    MemoryTransfer transfer{.source = BufferId(1U), .destination = BufferId(2U), .bytes = 64};
    EXPECT_EQ(text({transfer}), "copy b1 on d0 to b2 on d0, 64 bytes");
    transfer.region = StridedRegion{.rows = 4, .rowBytes = 16, .sourceOffset = 8, .sourceStride = 32, .destinationStride = 16};
    transfer.isAsynchronous = true;
    EXPECT_EQ(text({transfer}), "copy b1 on d0 to b2 on d0, 64 bytes as 4 rows of 16, from 8 by 32, to 0 by 16, asynchronous");
    EXPECT_EQ(text({Synchronization{.devices = {}}}), "barrier system");
    EXPECT_EQ(text({Synchronization{SynchronizationKind::Fence, SynchronizationScope::Device, {DeviceSlot(0U)}, {}}}),
              "fence d0");
    EXPECT_EQ(text({Synchronization{.kind = SynchronizationKind::Event, .devices = {}, .event = 3}}), "wait for item 3");
    EXPECT_EQ(text({HostCallback{"log", {BufferId(1U)}, {BufferId(2U), BufferId(3U)}}}), "call \"log\" with b1 into b2 b3");
}

} // namespace

} // namespace sw
