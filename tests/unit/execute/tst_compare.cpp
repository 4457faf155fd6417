#include "engine/execute/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sw {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

HostTensor tensorOf(DType dtype, const std::vector<double> &values)
{
    return HostTensor::ofValues(dtype, Shape({static_cast<std::int64_t>(values.size())}), values);
}

Comparison compared(DType dtype, const std::vector<double> &expected, const std::vector<double> &actual)
{
    return compareTensors(tensorOf(dtype, expected), tensorOf(dtype, actual));
}

Comparison limited(const std::vector<double> &expected, const std::vector<double> &actual, const std::vector<double> &limits)
{
    const HostTensor allowed = tensorOf(DType::F64, limits);
    return compareTensors(tensorOf(DType::F32, expected), tensorOf(DType::F32, actual), &allowed);
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

// Counts may cut the outputs of two devices to other sizes.
TEST(Compare, tellsOtherShapes)
{
    const HostTensor limits = tensorOf(DType::F64, {0, 0, 0});
    const Comparison comparison = compareTensors(tensorOf(DType::F32, {1, 2, 3}), tensorOf(DType::F32, {1, 2}), &limits);
    EXPECT_FALSE(comparison.equal);
    EXPECT_EQ(comparison.otherShape, "[2] instead of [3]");
    EXPECT_TRUE(compareTensors(tensorOf(DType::F32, {1, 2}), tensorOf(DType::F32, {1, 2}), &limits).equal);
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
    const HostTensor unlimited = tensorOf(DType::F64, {kInfinity});
    EXPECT_FALSE(compareTensors(tensorOf(DType::I32, {1}), tensorOf(DType::I32, {2}), &unlimited).equal);
}

TEST(Compare, judgesEveryElementByItsOwnLimit)
{
    const Comparison wrong = limited({1e30, 1, 2}, {1e30, 6, 7}, {1e23, 1e-6, 1e-6});
    EXPECT_FALSE(wrong.equal);
    EXPECT_EQ(wrong.divergences, 2);
    EXPECT_EQ(wrong.maxRelative, 5);
    ASSERT_TRUE(wrong.worst);
    EXPECT_EQ(wrong.worst->flatIndex, 1);
    EXPECT_EQ(wrong.worst->allowed, 1e-6);
    EXPECT_EQ(wrong.worst->by, JudgedBy::Limit);
    EXPECT_EQ(wrong.byTolerance, 0);
    // A sum that cancels is as exact as its terms.
    EXPECT_TRUE(limited({0}, {2}, {100}).equal);
}

TEST(Compare, wantsTheSameWhereNothingIsRounded)
{
    EXPECT_FALSE(limited({1}, {std::nextafter(1.0F, 2.0F)}, {0}).equal);
    EXPECT_TRUE(limited({0.0}, {-0.0}, {0}).equal);
}

TEST(Compare, namesTheElementThatIsFurthestOff)
{
    const Comparison comparison = limited({100, 1, 3}, {101, 1.5, 3}, {2, 0.6, 0});
    EXPECT_TRUE(comparison.equal);
    ASSERT_TRUE(comparison.worst);
    EXPECT_EQ(comparison.worst->flatIndex, 1);
    EXPECT_FALSE(limited({1}, {1}, {0}).worst);
}

TEST(Compare, saysWhereOnlyTheToleranceOfTheTensorHeld)
{
    const Comparison comparison = limited({1000, 1, 2}, {1000, 1.001, 2}, {0, kInfinity, kInfinity});
    EXPECT_TRUE(comparison.equal);
    EXPECT_EQ(comparison.byTolerance, 1);
    ASSERT_TRUE(comparison.worst);
    EXPECT_EQ(comparison.worst->by, JudgedBy::Tolerance);
    EXPECT_FALSE(limited({1000, 1}, {1000, 1.1}, {0, kInfinity}).equal);
}

TEST(Compare, scalesTheToleranceByTheLargestValue)
{
    EXPECT_FALSE(compared(DType::F32, {0.0}, {1e-3}).equal);
    EXPECT_TRUE(compared(DType::F32, {0.0, 1000.0}, {1e-3, 1000.0}).equal);
    // Small values are no excuse.
    EXPECT_FALSE(compared(DType::F32, {1e-8, 2e-8}, {5e-6, 2e-8}).equal);
}

TEST(Compare, tellsNanAndInfinitiesApart)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(compared(DType::F32, {nan, kInfinity, -kInfinity}, {nan, kInfinity, -kInfinity}).equal);
    EXPECT_FALSE(compared(DType::F32, {nan}, {1}).equal);
    EXPECT_FALSE(compared(DType::F32, {kInfinity}, {-kInfinity}).equal);
    EXPECT_FALSE(compared(DType::F32, {kInfinity}, {3e38}).equal);
    EXPECT_FALSE(limited({1}, {nan}, {kInfinity}).equal);
    EXPECT_FALSE(limited({1}, {kInfinity}, {kInfinity}).equal);
    const Comparison comparison = limited({kInfinity, 1}, {3e38, 2}, {1, 1e-9});
    ASSERT_TRUE(comparison.worst);
    EXPECT_EQ(comparison.worst->flatIndex, 0);
}

} // namespace
} // namespace sw
