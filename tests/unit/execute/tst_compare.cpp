#include "engine/execute/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sw {
namespace {

HostTensor tensorOf(DType dtype, const std::vector<double> &values)
{
    return HostTensor::ofValues(dtype, Shape({static_cast<std::int64_t>(values.size())}), values);
}

Comparison compared(DType dtype, const std::vector<double> &expected, const std::vector<double> &actual)
{
    return compareTensors(tensorOf(dtype, expected), tensorOf(dtype, actual), toleranceOf(dtype));
}

TEST(Compare, findsTheFirstDivergence)
{
    const Comparison comparison = compared(DType::F32, {1, 2, 3, 4}, {1, 2.5, 3, 5});
    EXPECT_FALSE(comparison.equal);
    EXPECT_EQ(comparison.divergences, 2);
    ASSERT_TRUE(comparison.first.has_value());
    EXPECT_EQ(comparison.first->flatIndex, 1);
    EXPECT_EQ(comparison.first->expected.asDouble(), 2);
    EXPECT_EQ(comparison.first->actual.asDouble(), 2.5);
    EXPECT_EQ(comparison.maxAbsolute, 1);
    EXPECT_EQ(comparison.maxRelative, 0.25);
}

TEST(Compare, countsStepsBetweenFloats)
{
    const float next = std::nextafter(1.0F, 2.0F);
    EXPECT_EQ(compared(DType::F32, {1}, {next}).maxUlp, 1U);
    EXPECT_TRUE(compared(DType::F32, {1}, {next}).equal);
    EXPECT_EQ(compared(DType::F32, {0.0}, {-0.0}).maxUlp, 0U);
    const double tiny = std::numeric_limits<float>::denorm_min();
    EXPECT_EQ(compared(DType::F32, {tiny}, {-tiny}).maxUlp, 2U);
    EXPECT_EQ(compared(DType::F16, {1}, {1 + 0x1p-10}).maxUlp, 1U);
}

TEST(Compare, wantsIntegersToBeEqual)
{
    EXPECT_TRUE(compared(DType::I32, {-3, 7}, {-3, 7}).equal);
    const Comparison comparison = compared(DType::I32, {1000000}, {1000001});
    EXPECT_FALSE(comparison.equal);
    EXPECT_EQ(comparison.maxUlp, 1U);
    EXPECT_FALSE(compared(DType::Bool, {1}, {0}).equal);
}

TEST(Compare, scalesTheAbsoluteToleranceByTheLargestValue)
{
    EXPECT_FALSE(compared(DType::F32, {0.0}, {1e-3}).equal);
    EXPECT_TRUE(compared(DType::F32, {0.0, 1000.0}, {1e-3, 1000.0}).equal);
}

TEST(Compare, tellsNanAndInfinitiesApart)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(compared(DType::F32, {nan, infinity, -infinity}, {nan, infinity, -infinity}).equal);
    EXPECT_FALSE(compared(DType::F32, {nan}, {1}).equal);
    EXPECT_FALSE(compared(DType::F32, {infinity}, {-infinity}).equal);
    EXPECT_FALSE(compared(DType::F32, {infinity}, {3e38}).equal);
}

} // namespace
} // namespace sw
