// What the grouping decides beyond counts: why, what is stored, and that it stays quick.

#include "engine/passes/schedule/policy.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <set>

namespace sw {

namespace {

void expectDecision(const Schedule &schedule, NodeId producer, NodeId consumer, bool isFused, std::string_view rule)
{
    const FusionDecision *decision = decisionOn(schedule, producer, consumer);
    ASSERT_NE(decision, nullptr) << printSchedule(schedule).text;
    EXPECT_EQ(decision->isFused, isFused) << printSchedule(schedule).text;
    EXPECT_EQ(decision->rule, rule) << printSchedule(schedule).text;
    EXPECT_FALSE(decision->reason.empty());
}

TEST(GroupKernels, everyRuleHasAnIdATitleAndADescription)
{
    std::set<std::string_view> ids;
    for (const FusionRule &rule : fusionRules()) {
        EXPECT_TRUE(ids.insert(rule.id).second) << rule.id;
        EXPECT_FALSE(rule.title.empty());
        EXPECT_TRUE(rule.doc.ends_with('.')) << rule.id;
    }
}

// A value that is read at so many shifted places.
TEST(GroupKernels, limitsThePlacesOfAValue)
{
    for (const std::int64_t places : {16, 17}) {
        TensorProgram p;
        const NodeId value = p.relu(p.input({4096}));
        const auto from = [&](std::int64_t begin) { return p.builder.shrink(p.here, value, {{begin}, {4000 + begin}}).value(); };
        NodeId out = from(0);
        for (std::int64_t i = 1; i < places; ++i)
            out = p.add(out, from(i));
        const Schedule schedule = scheduleOf(std::move(p), {out});
        EXPECT_EQ(schedule.kernels.size(), places == 16 ? 1U : 2U) << printSchedule(schedule).text;
    }
}

TEST(GroupKernels, saysWhatFusingSaves)
{
    TensorProgram p;
    const NodeId a = p.relu(p.input({64}));
    const NodeId out = p.add(a, p.number(1));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    expectDecision(schedule, a, out, true, "elementwise-chain");
    EXPECT_EQ(decisionOn(schedule, a, out)->bytesSaved, 2 * 64 * 4);
}

TEST(GroupKernels, storesWhatAContractionWouldComputeManyTimes)
{
    TensorProgram p;
    const NodeId a = p.relu(p.input({64, 32}));
    const NodeId out = p.matmul(a, p.input({32, 48}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    ASSERT_EQ(schedule.kernels.size(), 2U);
    EXPECT_EQ(schedule.kernels[0].root, a);
    const FusionDecision &decision = schedule.decisions.front();
    EXPECT_EQ(decision.rule, "recompute");
    EXPECT_NE(decision.reason.find("48.0 times each"), std::string::npos) << decision.reason;
}

TEST(GroupKernels, convertsWhereAContractionReads)
{
    TensorProgram p;
    const NodeId a = p.builder.cast(p.here, p.input({64, 32}, DType::F16), DType::F32).value();
    const NodeId out = p.matmul(a, p.input({32, 48}));
    EXPECT_EQ(scheduleOf(std::move(p), {out}).kernels.size(), 1U);
}

TEST(GroupKernels, aReductionDoesNotRunInsideAnother)
{
    TensorProgram p;
    const NodeId product = p.matmul(p.input({64, 32}), p.input({32, 48}));
    const NodeId reduction = p.builder.node(product).inputs[0];
    const NodeId out = p.reduce(Op::Max, product, {1});
    expectDecision(scheduleOf(std::move(p), {out}), reduction, out, false, "reduction-into-reduction");
}

TEST(GroupKernels, fewLongRowsStayApart)
{
    TensorProgram p;
    const NodeId x = p.input({2, 1 << 16});
    const NodeId sum = p.sum(x, {1});
    const NodeId out = p.sub(x, sum);
    expectDecision(scheduleOf(std::move(p), {out}), sum, out, false, "row");
}

TEST(GroupKernels, anOutputInTheMiddleOfAChainIsOneMoreResult)
{
    TensorProgram p;
    const NodeId a = p.relu(p.input({64}));
    const NodeId b = p.add(a, p.number(1));
    const Schedule schedule = scheduleOf(std::move(p), {b, a});
    ASSERT_EQ(schedule.kernels.size(), 1U);
    EXPECT_EQ(schedule.kernels[0].results, (std::vector<NodeId>{a, b}));
    EXPECT_EQ(schedule.buffer(schedule.outputs[0]).node, b);
    EXPECT_EQ(schedule.buffer(schedule.outputs[1]).node, a);
    EXPECT_EQ(schedule.buffer(schedule.outputs[1]).role, BufferRole::Output);
}

TEST(GroupKernels, aRowResultIsOneMoreResult)
{
    TensorProgram p;
    const NodeId x = p.input({64, 128});
    const NodeId maximum = p.reduce(Op::Max, x, {1});
    const NodeId out = p.sub(x, maximum);
    const Schedule schedule = scheduleOf(std::move(p), {out, maximum});
    ASSERT_EQ(schedule.kernels.size(), 1U);
    EXPECT_EQ(schedule.kernels[0].results, (std::vector<NodeId>{maximum, out}));
}

TEST(GroupKernels, noKernelWaitsForItself)
{
    // a joins neither of its readers: the sum must be complete before the last addition, and needs all of a.
    TensorProgram p;
    const NodeId a = p.apply(Op::Exp, {p.input({4, 1 << 15})});
    const NodeId total = p.sum(a, {0, 1});
    const NodeId out = p.add(a, total);
    const Schedule schedule = scheduleOf(std::move(p), {out});
    expectDecision(schedule, a, out, false, "cycle");
    ASSERT_EQ(schedule.kernels.size(), 3U);
    EXPECT_EQ(schedule.criticalPath, (std::vector<std::uint32_t>{1, 2, 3})); // after the upload
}

// Each of two sums has an operand that the other one needs a rearranged copy of: only one of the operands can join its sum.
TEST(GroupKernels, noKernelWaitsForItselfByWayOfOneWithTwoResults)
{
    TensorProgram p;
    const NodeId indices = p.input({64}, DType::I32);
    const NodeId a = p.apply(Op::Exp, {p.input({64})});
    const NodeId b = p.apply(Op::Exp, {p.input({64})});
    const auto rearranged = [&](NodeId x) {
        return p.builder.contiguous(p.here, p.builder.gather(p.here, x, indices, 0).value()).value();
    };
    const NodeId first = p.add(a, rearranged(b));
    const NodeId second = p.add(rearranged(a), b);
    const Schedule schedule = scheduleOf(std::move(p), {first, second});
    EXPECT_EQ(schedule.kernels.size(), 5U);
    expectDecision(schedule, a, first, false, "cycle");
}

TEST(GroupKernels, lookupsReadTheirSourceFromMemory)
{
    TensorProgram p;
    const NodeId source = p.relu(p.input({8, 4}));
    const NodeId indices = p.builder.cast(p.here, p.input({3, 4}, DType::U8), DType::I32).value();
    const NodeId out = p.relu(p.builder.gather(p.here, source, indices, 0).value());
    const Schedule schedule = scheduleOf(std::move(p), {out});
    ASSERT_EQ(schedule.kernels.size(), 2U);
    EXPECT_EQ(schedule.kernels[1].members.front(), indices);
}

TEST(GroupKernels, aReshapedLookupSourceIsNotCopied)
{
    TensorProgram p;
    const NodeId source = p.reshape(p.input({8, 4}), {32});
    const NodeId out = p.builder.index(p.here, source, p.input({5}, DType::I32), std::nullopt).value();
    const Schedule schedule = scheduleOf(std::move(p), {out});
    ASSERT_EQ(schedule.kernels.size(), 1U);
    EXPECT_EQ(schedule.bufferOf(source), BufferId(0U));
}

TEST(GroupKernels, aConstantOutputIsComputed)
{
    TensorProgram p;
    const NodeId one = p.number(1);
    const NodeId filled = p.expand(p.reshape(one, {1}), {5});
    const Schedule schedule = scheduleOf(std::move(p), {one, filled});
    EXPECT_EQ(schedule.kernels.size(), 2U);
}

TEST(GroupKernels, siblingsShareAKernel)
{
    TensorProgram p;
    const NodeId x = p.input({64, 128});
    const NodeId sum = p.sum(x, {1});
    const NodeId maximum = p.reduce(Op::Max, x, {1});
    const Schedule schedule = scheduleOf(std::move(p), {sum, maximum});
    ASSERT_EQ(schedule.kernels.size(), 1U);
    EXPECT_EQ(schedule.kernels[0].results, (std::vector<NodeId>{sum, maximum}));
    expectDecision(schedule, sum, maximum, true, "sibling");
}

TEST(GroupKernels, contractionsOfOneInputStayApart)
{
    TensorProgram p;
    const NodeId x = p.input({64, 32});
    const NodeId a = p.matmul(x, p.input({32, 48}));
    const NodeId b = p.matmul(x, p.input({32, 48}));
    EXPECT_EQ(scheduleOf(std::move(p), {a, b}).kernels.size(), 2U);
}

TEST(GroupKernels, equalKernelsHaveEqualSymbols)
{
    TensorProgram p;
    NodeId x = p.input({16, 32});
    for (int layer = 0; layer < 3; ++layer)
        x = p.relu(p.matmul(x, p.input({32, 32})));
    const NodeId out = p.matmul(x, p.input({32, 7}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    ASSERT_EQ(schedule.kernels.size(), 4U);
    EXPECT_EQ(schedule.kernels[1].symbol, schedule.kernels[2].symbol);
    EXPECT_NE(schedule.kernels[2].symbol, schedule.kernels[3].symbol);
    EXPECT_NE(schedule.kernels[1].name, schedule.kernels[2].name);
}

TEST(GroupKernels, estimatesCountOperationsAndTraffic)
{
    TensorProgram p;
    const NodeId out = p.matmul(p.input({64, 32}), p.input({32, 48}));
    const KernelEstimate estimate = scheduleOf(std::move(p), {out}).kernels[0].estimate;
    EXPECT_EQ(estimate.flops, 2 * 64 * 32 * 48);
    EXPECT_EQ(estimate.bytesRead, 4 * (64 * 32 + 32 * 48));
    EXPECT_EQ(estimate.bytesWritten, 4 * 64 * 48);
}

TEST(GroupKernels, aLadderOfSumsStaysLinear)
{
    TensorProgram p;
    NodeId x = p.input({8});
    for (int step = 0; step < 200; ++step)
        x = p.add(x, x);
    const Schedule schedule = scheduleOf(std::move(p), {x});
    EXPECT_EQ(schedule.kernels.size(), 1U);
    EXPECT_EQ(schedule.kernels[0].estimate.flops, 200 * 8);
}

TEST(GroupKernels, aLadderThroughViewsStaysLinear)
{
    TensorProgram p;
    NodeId x = p.input({6, 6});
    for (int step = 0; step < 100; ++step)
        x = p.add(x, p.permute(x, {1, 0}));
    const Schedule schedule = scheduleOf(std::move(p), {x});
    EXPECT_LE(schedule.kernels.size(), 10U);
}

TEST(GroupKernels, aLadderThroughManyPlacesIsCutIntoKernels)
{
    TensorProgram p;
    NodeId x = p.input({16});
    for (int step = 0; step < 60; ++step)
        x = p.add(x, p.reshape(p.permute(p.reshape(x, {4, 4}), {1, 0}), {16}));
    for (int step = 0; step < 60; ++step)
        x = p.add(x, p.builder.flip(p.here, p.reshape(p.permute(p.reshape(x, {2, 8}), {1, 0}), {16}), {0}).value());
    const Schedule schedule = scheduleOf(std::move(p), {x});
    EXPECT_GT(schedule.kernels.size(), 1U);
}

TEST(GroupKernels, aVeryLongChainIsCutAtTheLimitOfMembers)
{
    TensorProgram p;
    NodeId x = p.input({4});
    for (int step = 0; step < 4500; ++step)
        x = p.apply(Op::Neg, {x});
    const Schedule schedule = scheduleOf(std::move(p), {x});
    EXPECT_EQ(schedule.kernels.size(), 3U);
}

TEST(GroupKernels, aKernelHasAtMostThirtyOneBuffers)
{
    TensorProgram p;
    NodeId x = p.input({4});
    for (int step = 0; step < 80; ++step)
        x = p.add(x, p.input({4}));
    const Schedule schedule = scheduleOf(std::move(p), {x});
    EXPECT_EQ(schedule.kernels.size(), 3U);
    for (const ScheduledKernel &kernel : schedule.kernels)
        EXPECT_LE(kernel.reads.size() + kernel.writes.size(), kMaximumBuffers);
}

} // namespace

} // namespace sw
