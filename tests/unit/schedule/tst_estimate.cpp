// Figures and layouts that follow from shapes.

#include "engine/schedule/estimate.h"

#include "engine/passes/graph/split_reductions.h"
#include "engine/schedule/layout.h"
#include "engine/schedule/step_estimates.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

namespace sw {
namespace {

TEST(Estimate, isTheLongerOfTrafficAndArithmetic)
{
    const RooflineFigures figures{.memoryBytesPerNanosecond = 10, .operationsPerNanosecond = 50, .launchNanoseconds = 1000};
    KernelEstimate estimate{.flops = 100'000, .pricedWork = 100, .bytesRead = 600, .bytesWritten = 400};
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 1100);
    estimate.pricedWork = 100'000;
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 3000);
    EXPECT_DOUBLE_EQ(estimate.intensity(), 100) << "of the formulas";
    EXPECT_EQ(formulaText(estimate, figures), "launch 1000 ns + the longer of bytes / 10 GB/s and priced work / 50 GFLOP/s");
    EXPECT_EQ(kernelNanoseconds({}, figures), 1000);
    EXPECT_DOUBLE_EQ(KernelEstimate{}.intensity(), 0);
}

TEST(Estimate, knowsTheRateOfATensorInstruction)
{
    RooflineFigures figures;
    EXPECT_EQ(tensorRate(figures, TensorInstruction::AmxBf16), 16 * 50) << "as many times as the table says";
    figures.tensorOperationsPerNanosecond[indexOf(TensorInstruction::AmxBf16)] = 1600;
    EXPECT_EQ(tensorRate(figures, TensorInstruction::AmxBf16), 1600) << "as measured";
    EXPECT_EQ(toText(figures), "10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns, amx_bf16 1600 GFLOP/s");
}

TEST(Estimate, dividesWhatTensorInstructionsDoByTheirRate)
{
    RooflineFigures figures;
    const KernelEstimate estimate{.pricedWork = 50'000,
                                  .tensorWork = {{TensorInstruction::AmxBf16, 800'000}, {TensorInstruction::DotI8, 200'000}}};
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 1000 + 1000 + 1000 + 1000) << "at 50, 16 x 50 and 4 x 50 per ns";
    EXPECT_EQ(
        formulaText(estimate, figures),
        "launch 1000 ns + the longer of bytes / 10 GB/s and priced work / 50 GFLOP/s + products by amx_bf16 / 800 GFLOP/s (16 "
        "x the rate of multiply-adds) + products by dot_i8 / 200 GFLOP/s (4 x the rate of multiply-adds)");
    figures.tensorOperationsPerNanosecond[indexOf(TensorInstruction::AmxBf16)] = 1600;
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 1000 + 1000 + 500 + 1000) << "as measured";
    EXPECT_NE(formulaText(estimate, figures).find("amx_bf16 / 1600 GFLOP/s + "), std::string::npos);
}

// What the cores hold on their own, what they share, and what lies in memory; each launch moves its own bytes.
TEST(Estimate, readsBytesFromTheNearestCacheThatHoldsThem)
{
    RooflineFigures figures;
    figures.caches = {CacheRate{.holds = 4 << 20, .bytesPerNanosecond = 64},
                      CacheRate{.holds = 16 << 20, .bytesPerNanosecond = 32}};
    EXPECT_EQ(bytesRate(figures, 4 << 20), 64);
    EXPECT_EQ(bytesRate(figures, (4 << 20) + 1), 32);
    EXPECT_EQ(bytesRate(figures, (16 << 20) + 1), 10);
    KernelEstimate estimate{.bytesRead = 3 << 20, .bytesWritten = 1 << 20};
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 1000 + (4 << 20) / 64);
    EXPECT_EQ(formulaText(estimate, figures),
              "launch 1000 ns + the longer of bytes / 64 GB/s (a cache holds them) and priced work / 50 GFLOP/s");
    estimate.launches = 4;
    estimate.bytesRead *= 4;
    estimate.bytesWritten *= 4;
    EXPECT_EQ(kernelNanoseconds(estimate, figures), 4 * (1000 + (4 << 20) / 64));
    EXPECT_EQ(toText(figures),
              "10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns, 64 GB/s in 4 MiB of cache, 32 GB/s in 16 MiB of cache");
    figures.caches[0].bytesPerNanosecond = 0;
    EXPECT_EQ(bytesRate(figures, 1), 32) << "not measured";
}

TEST(Estimate, countsOperationsByTheirPrices)
{
    constexpr std::int64_t kElements = 64 * 1024;
    const auto pricedWorkOf = [](const auto &make, const CompileOptions &options = {}) {
        TensorProgram p;
        const NodeId out = make(p, p.input({64, 1024}));
        return scheduleOf(std::move(p), {out}, options).kernels.at(0).estimate.pricedWork;
    };
    const auto sum = [](TensorProgram &p, NodeId x) { return p.add(x, x); };
    const auto exponential = [](TensorProgram &p, NodeId x) { return p.apply(Op::Exp, {x}); };
    const auto fused = [](TensorProgram &p, NodeId x) { return p.add(p.mul(x, x), x); };
    const auto apart = [](TensorProgram &p, NodeId x) { return p.mul(p.add(x, x), x); };
    EXPECT_EQ(pricedWorkOf(sum), 2 * kElements) << "as long as a multiply-add";
    EXPECT_EQ(pricedWorkOf(exponential), 2 * infoOf(Op::Exp).price * kElements);
    EXPECT_GT(infoOf(Op::Exp).price, infoOf(Op::Add).price);
    EXPECT_EQ(pricedWorkOf(fused), 2 * kElements);
    EXPECT_EQ(pricedWorkOf(fused, {.contract = false}), 4 * kElements);
    EXPECT_EQ(pricedWorkOf(apart), 4 * kElements);
}

TEST(Estimate, countsARotationAsOneInstruction)
{
    const auto pricedWorkOf = [](std::int64_t down) {
        TensorProgram p;
        const NodeId x = p.input({4096}, DType::U32);
        const auto by = [&p](std::int64_t bits) { return p.builder.constScalar(p.here, Scalar::of(DType::U32, bits)); };
        const NodeId out = p.apply(Op::Or, {p.apply(Op::Shl, {x, by(13)}), p.apply(Op::Shr, {x, by(down)})});
        return scheduleOf(std::move(p), {out}).kernels.at(0).estimate.pricedWork;
    };
    EXPECT_EQ(pricedWorkOf(19), 2 * 4096);
    EXPECT_EQ(pricedWorkOf(18), 3 * 2 * 4096);
}

// The product of two matrices of 512 x 512, of a device with these instructions.
KernelEstimate productEstimate(DType dtype, std::uint32_t instructions, const CompileOptions &options = {})
{
    TensorProgram p;
    const auto factor = [&] {
        const NodeId given = p.input({512, 512}, dtype);
        return dtype == DType::F32 ? given : p.builder.cast(p.here, given, DType::F32).value();
    };
    const NodeId a = factor();
    const NodeId out = p.matmul(a, factor());
    const auto graph = std::make_shared<const Graph>(std::move(p).finish({out}));
    DeviceInfo device;
    device.id = "test";
    device.threads = 2;
    device.tensorInstructions = instructions;
    PassContext context(device, TargetLanguage::Lowered, options, {});
    const Schedule schedule = groupKernels(graph, context).value();
    EXPECT_EQ(schedule.kernels.size(), 1U);
    return schedule.kernels.at(0).estimate;
}

TEST(Estimate, countsProductsByTheInstructionThatDoesThem)
{
    constexpr std::int64_t kOperations = 2 * 512 * 512 * 512;
    const std::uint32_t amx = bitOf(TensorInstruction::AmxBf16);
    const std::vector<TensorWork> tiles{{TensorInstruction::AmxBf16, kOperations}};

    const KernelEstimate narrow = productEstimate(DType::BF16, amx);
    EXPECT_EQ(narrow.flops, kOperations);
    EXPECT_EQ(narrow.pricedWork, 0);
    EXPECT_EQ(narrow.tensorWork, tiles);
    EXPECT_EQ(narrow.nanoseconds, 1000 + 335'544) << "16 x 50 per ns";
    EXPECT_EQ(productEstimate(DType::BF16, amx | bitOf(TensorInstruction::DotBf16)).tensorWork, tiles) << "the faster one";

    for (const KernelEstimate &plain :
         {productEstimate(DType::F32, amx), productEstimate(DType::BF16, 0), productEstimate(DType::BF16, amx, {.strict = true}),
          productEstimate(DType::BF16, amx, {.tensorInstructions = false})}) {
        EXPECT_EQ(plain.flops, kOperations);
        EXPECT_EQ(plain.pricedWork, kOperations);
        EXPECT_TRUE(plain.tensorWork.empty());
        EXPECT_EQ(plain.nanoseconds, 1000 + 5'368'709) << "50 per ns";
    }
}

TEST(Estimate, doesNotOverflow)
{
    const KernelEstimate estimate{.flops = 0, .bytesRead = std::int64_t{1} << 62, .bytesWritten = std::int64_t{1} << 62};
    EXPECT_GT(kernelNanoseconds(estimate, {.memoryBytesPerNanosecond = 1e-6}), 0);
}

TEST(Estimate, followsTheOptions)
{
    const auto pathOf = [](const RooflineFigures &figures) {
        TensorProgram p;
        const NodeId out = p.matmul(p.input({64, 64}), p.input({64, 64}));
        CompileOptions options;
        options.figures = figures;
        return scheduleOf(std::move(p), {out}, options).criticalNanoseconds;
    };
    EXPECT_GT(pathOf({.operationsPerNanosecond = 1}), pathOf({}));
}

TEST(StepEstimates, areThoseOfTheScheduleByAssumedFigures)
{
    const Schedule schedule = twoChains();
    const StepEstimates estimates = estimateSteps(schedule, {});
    for (std::size_t i = 0; i < schedule.items.size(); ++i)
        EXPECT_EQ(estimates.items[i], schedule.items[i].nanoseconds) << i;
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        EXPECT_EQ(estimates.kernels[i], schedule.kernels[i].estimate.nanoseconds) << i;
    EXPECT_EQ(estimates.path.items, schedule.criticalPath);
    EXPECT_EQ(estimates.path.nanoseconds, schedule.criticalNanoseconds);
    EXPECT_EQ(sourceOf(estimates.figures.at(0)), "assumed");
}

TEST(StepEstimates, areByTheFiguresOfEachKernelsDevice)
{
    Schedule schedule = twoChains();
    schedule.devices.push_back({.id = "other"});
    const KernelId slow = schedule.items[schedule.criticalPath.front()].kernel();
    schedule.kernels[slow.value].device = DeviceSlot(1U);
    const std::vector<DeviceFigures> figures{
        {}, {.rates = {.memoryBytesPerNanosecond = 1e-3, .launchNanoseconds = 7}, .measuredOn = "2026-11-22"}};
    const StepEstimates estimates = estimateSteps(schedule, figures);
    for (std::size_t i = 0; i < schedule.kernels.size(); ++i)
        EXPECT_EQ(estimates.kernels[i],
                  kernelNanoseconds(schedule.kernels[i].estimate, figures[schedule.kernels[i].device.value].rates));
    EXPECT_GT(estimates.kernels[slow.value], 100 * schedule.kernels[slow.value].estimate.nanoseconds);
    std::int64_t sum = 0;
    for (const std::uint32_t item : estimates.path.items)
        sum += estimates.items[item];
    EXPECT_EQ(estimates.path.nanoseconds, sum);
    EXPECT_GT(estimates.path.nanoseconds, 10 * schedule.criticalNanoseconds);
    EXPECT_EQ(sourceOf(estimates.figures[1]), "measured on this machine, 2026-11-22");
    EXPECT_EQ(toText(RooflineFigures{}), "10 GB/s, 50 GFLOP/s, copies 8 GB/s, launch 1000 ns");
}

TEST(StepEstimates, ofATransferAreThoseOfTheSlowerEnd)
{
    Schedule schedule = twoChains();
    schedule.devices.push_back({.id = "other"});
    schedule.buffers[1].device = DeviceSlot(1U);
    const MemoryTransfer transfer{.source = BufferId(0U), .destination = BufferId(1U), .bytes = 4000};
    const std::vector<DeviceFigures> figures{{.rates = {.transferBytesPerNanosecond = 4, .launchNanoseconds = 100}},
                                             {.rates = {.transferBytesPerNanosecond = 2, .launchNanoseconds = 100}}};
    EXPECT_EQ(estimatedNanoseconds(schedule, {transfer, Phase::Run}, figures), 2100);
}

TEST(KernelFacts, haveTheAxesOfTheRootAndOfItsReductions)
{
    TensorProgram p;
    const NodeId out = p.softmax(p.input({128, 1, 256}));
    const Schedule schedule = scheduleOf(std::move(p), {out});
    ASSERT_EQ(schedule.kernels.size(), 1U);
    const ScheduledKernel &kernel = schedule.kernels[0];
    std::string axes;
    for (const IterationAxis &axis : kernel.axes)
        axes += format("{} {} {}; ", axis.name, axis.extent, axis.role == AxisRole::Reduction ? "reduced" : "normal");
    EXPECT_EQ(axes, "i0 128 normal; i1 256 normal; r2 256 reduced; r3 256 reduced; ");
    ASSERT_EQ(kernel.reductions.size(), 2U);
    EXPECT_EQ(kernel.reductions[0].op, Op::Max);
    EXPECT_EQ(kernel.reductions[0].axes, (std::vector<std::uint32_t>{2}));
    EXPECT_EQ(kernel.reductions[1].op, Op::Add);
    EXPECT_TRUE(kernel.reductions[1].mayReassociate);
    // An element of x, the maximum and their difference; later the exponential, the sum and the quotient.
    EXPECT_EQ(kernel.estimate.registers, 3);
}

TEST(KernelFacts, keepTheOrderOfFloatSumsWhereThatIsAsked)
{
    TensorProgram p;
    const NodeId x = p.input({4, 64});
    const NodeId out = p.sub(p.sum(x, {1}), p.reduce(Op::Max, x, {1}));
    const Schedule schedule = scheduleOf(std::move(p), {out}, {.strict = true});
    std::size_t ordered = 0;
    for (const ScheduledKernel &kernel : schedule.kernels)
        for (const ReductionPlan &plan : kernel.reductions) {
            EXPECT_EQ(plan.mayReassociate, plan.op == Op::Max);
            ordered += plan.mayReassociate ? 0 : 1;
        }
    EXPECT_EQ(ordered, 1U);
}

TEST(KernelFacts, knowTheTwoStagesOfASplitReduction)
{
    TensorProgram p;
    const Graph graph = std::move(p).finish({p.sum(p.input({1 << 20}), {0})});
    DeviceInfo device;
    device.threads = 8;
    const CompileOptions options;
    PassContext context(device, TargetLanguage::Lowered, options, {});
    auto split = splitReductions(graph, context).value();
    ASSERT_TRUE(split);
    const Schedule schedule = trySchedule(std::make_shared<const Graph>(std::move(*split))).value();
    std::vector<ReductionStage> stages;
    for (const ScheduledKernel &kernel : schedule.kernels)
        for (const ReductionPlan &plan : kernel.reductions)
            stages.push_back(plan.stage);
    EXPECT_EQ(stages, (std::vector{ReductionStage::Parts, ReductionStage::Gather}));
    EXPECT_NE(printSchedule(schedule).text.find(", in parts, in any order"), std::string::npos);
}

TEST(Layout, isRowMajorAtThePlannedPlace)
{
    Schedule schedule;
    schedule.devices = {{.id = "fake", .vectorBytes = 64}};
    ScheduledBuffer buffer{.shape = {2, 3, 24}, .node = {}, .name = "t", .origin = originOfLine(1)};
    buffer.arenaOffset = 3 * 128;
    const BufferLayout layout = layoutOf(schedule, buffer);
    EXPECT_EQ(layout.strides, (std::vector<std::int64_t>{72, 24, 1}));
    EXPECT_EQ(layout.contiguousAxes, (std::vector<std::size_t>{2}));
    EXPECT_EQ(layout.alignment, 128);
    EXPECT_EQ(layout.vectorWidth, 8); // sixteen would cross the end of a row of 24

    buffer.shape = Shape{};
    buffer.arenaOffset = 0;
    const BufferLayout scalar = layoutOf(schedule, buffer);
    EXPECT_TRUE(scalar.contiguousAxes.empty());
    EXPECT_EQ(scalar.alignment, 4096);
    EXPECT_EQ(scalar.vectorWidth, 1);
}

} // namespace
} // namespace sw
