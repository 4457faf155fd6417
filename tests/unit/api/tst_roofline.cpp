// What bounds kernels, from a fixed set of roofs.

#include "engine/api/roofline.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

constexpr std::int64_t kKiB = 1024;

MachineRoofs machine()
{
    return {.roofs = {{RoofKind::Memory, "L1 read", 1, 32 * kKiB, 200},
                      {RoofKind::Compute, "AVX2 FMA", 1, 0, 100},
                      {RoofKind::Memory, "L1 read", 2, 64 * kKiB, 400},
                      {RoofKind::Memory, "L1 write", 2, 64 * kKiB, 250},
                      {RoofKind::Memory, "L2 read", 2, 1024 * kKiB, 200},
                      {RoofKind::Memory, "L2 copy", 2, 1024 * kKiB, 220},
                      {RoofKind::Memory, "memory read", 2, 0, 40},
                      {RoofKind::Compute, "scalar", 2, 0, 10},
                      {RoofKind::Compute, "AVX2 FMA", 2, 0, 200}},
            .measuredOn = "2026-11-22"};
}

RooflinePoint pointOf(std::int64_t flops, std::int64_t bytes, std::optional<std::int64_t> nanoseconds, std::int64_t estimate = 0)
{
    KernelEntry kernel;
    kernel.name = "k";
    kernel.flops = flops;
    kernel.bytes = bytes;
    kernel.medianNanoseconds = nanoseconds;
    kernel.estimatedNanoseconds = estimate;
    return rooflineOf(std::span(&kernel, 1), machine()).points.front();
}

TEST(Roofline, drawsTheFastestOfEachLevelOfAllThreads)
{
    const Roofline roofline = rooflineOf({}, machine());
    std::vector<std::string> names;
    for (const Roof &roof : roofline.roofs) {
        names.push_back(roof.name);
        EXPECT_EQ(roof.threads, 2U);
    }
    EXPECT_EQ(names, (std::vector<std::string>{"L1 read", "L2 copy", "memory read", "scalar", "AVX2 FMA"}));
    EXPECT_EQ(roofline.measuredOn, "2026-11-22");
}

TEST(Roofline, trafficIsHeldAgainstTheNearestLevelThatHoldsIt)
{
    const RooflinePoint first = pointOf(0, 64 * kKiB, 328); // 65,536 B at 400 B/ns take 163.84 ns
    EXPECT_EQ(first.bound, BoundBy::Memory);
    EXPECT_EQ(first.roof, "L1 read");
    EXPECT_NEAR(first.part, 163.84 / 328, 1e-12);
    EXPECT_EQ(first.text, "memory bound: 50 % of the measured L1 read rate");
    EXPECT_EQ(pointOf(0, 64 * kKiB + 1, 1000).roof, "L2 copy");
    EXPECT_EQ(pointOf(0, 1024 * kKiB + 1, 100'000).roof, "memory read");
}

TEST(Roofline, theSlowerOfTrafficAndArithmeticBounds)
{
    // 220,000 B at 220 B/ns take 1000 ns; arithmetic at 200 per ns takes as long for 200,000 operations.
    const RooflinePoint memory = pointOf(199'000, 220'000, 2000);
    EXPECT_EQ(memory.bound, BoundBy::Memory);
    EXPECT_NEAR(memory.intensity, 199.0 / 220, 1e-12);
    EXPECT_NEAR(memory.rate, 99.5, 1e-9);
    const RooflinePoint compute = pointOf(400'000, 220'000, 4000);
    EXPECT_EQ(compute.bound, BoundBy::Compute);
    EXPECT_EQ(compute.roof, "AVX2 FMA");
    EXPECT_NEAR(compute.part, 0.5, 1e-12);
    EXPECT_EQ(compute.text, "compute bound: 50 % of the measured AVX2 FMA rate");
}

TEST(Roofline, whatReachesLittleIsBoundByNeither)
{
    const RooflinePoint point = pointOf(400'000, 220'000, 40'000);
    EXPECT_EQ(point.bound, BoundBy::Neither);
    EXPECT_EQ(point.text, "bound by neither memory nor arithmetic: 5.0 % of the measured AVX2 FMA rate, its roof");
    EXPECT_EQ(pointOf(0, 0, 100).text, "it moves no bytes and does no arithmetic");
    const RooflinePoint notRun = pointOf(100, 100, std::nullopt);
    EXPECT_EQ(notRun.bound, BoundBy::Unknown);
    EXPECT_EQ(notRun.text, "not measured: its roof is the AVX2 FMA rate");
}

TEST(Roofline, saysHowFarEstimatesAreOff)
{
    EXPECT_NEAR(pointOf(1, 1, 200, 300).estimateError.value(), 0.5, 1e-12);
    EXPECT_NEAR(pointOf(1, 1, 200, 100).estimateError.value(), -0.5, 1e-12);
    EXPECT_FALSE(pointOf(1, 1, std::nullopt, 100).estimateError);
    EXPECT_FALSE(pointOf(1, 1, 200).estimateError);
}

TEST(Roofline, sharesAreOfAllKernels)
{
    std::vector<KernelEntry> kernels(2);
    kernels[0].medianNanoseconds = 300;
    kernels[1].medianNanoseconds = 100;
    const Roofline roofline = rooflineOf(kernels, machine());
    EXPECT_DOUBLE_EQ(roofline.points[0].share, 0.75);
    EXPECT_DOUBLE_EQ(roofline.points[1].share, 0.25);
    EXPECT_EQ(roofline.points[1].kernel, 1U);
}

TEST(Roofline, sharesLeaveOutWhatOnlyLoadingTakes)
{
    std::vector<KernelEntry> kernels(3);
    kernels[0].medianNanoseconds = 300;
    kernels[1].medianNanoseconds = 100;
    kernels[2].medianNanoseconds = 5000;
    kernels[2].isOfLoad = true;
    const Roofline roofline = rooflineOf(kernels, machine());
    EXPECT_DOUBLE_EQ(roofline.points[0].share, 0.75);
    EXPECT_EQ(roofline.points[2].share, 0);
    EXPECT_EQ(roofline.points[2].nanoseconds, 5000);
}

// A kernel of a tensor instruction is held against that, others against f32; what no kernel has is not drawn.
TEST(Roofline, tensorInstructionsHaveRoofsOfTheirOwn)
{
    MachineRoofs roofs = machine();
    roofs.roofs.push_back({RoofKind::Tensor, "amx_bf16", 1, 0, 1000});
    roofs.roofs.push_back({RoofKind::Tensor, "amx_bf16", 2, 0, 2000});
    roofs.roofs.push_back({RoofKind::Tensor, "amx_i8", 2, 0, 4000});
    std::vector<KernelEntry> kernels(3);
    for (KernelEntry &kernel : kernels) {
        kernel.flops = 4'000'000;
        kernel.bytes = 1000;
        kernel.medianNanoseconds = 40'000;
    }
    kernels[1].tensorInstruction = "amx_bf16";
    kernels[2].tensorInstruction = "dot_bf16"; // which was not measured
    const Roofline roofline = rooflineOf(kernels, roofs);
    EXPECT_EQ(roofline.points[0].text, "compute bound: 50 % of the measured AVX2 FMA rate");
    EXPECT_EQ(roofline.points[1].text, "bound by neither memory nor arithmetic: 5.0 % of the measured amx_bf16 rate, its roof");
    EXPECT_EQ(roofline.points[2].roof, "AVX2 FMA");
    std::vector<std::string> names;
    for (const Roof &roof : roofline.roofs)
        names.push_back(roof.name);
    EXPECT_EQ(names, (std::vector<std::string>{"L1 read", "L2 copy", "memory read", "scalar", "AVX2 FMA", "amx_bf16"}));
}

TEST(Roofline, anotherDeviceHasTheRoofsOfItsFigures)
{
    const MachineRoofs roofs =
        roofsOf({.rates = {.memoryBytesPerNanosecond = 900, .operationsPerNanosecond = 30'000}, .measuredOn = "2026-11-22"});
    ASSERT_EQ(roofs.roofs.size(), 2U);
    EXPECT_EQ(roofs.roofs[0].perNanosecond, 900);
    EXPECT_EQ(roofs.roofs[1].kind, RoofKind::Compute);
}

} // namespace
} // namespace sw
