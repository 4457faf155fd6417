#include "engine/api/tensor_change.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace sw {
namespace {

TensorView viewOf(const std::vector<double> &numbers, DType dtype = DType::F32)
{
    return {"x", HostTensor::ofValues(dtype, Shape({static_cast<std::int64_t>(numbers.size())}), numbers)};
}

TEST(TensorChangeTest, countsWhatHasOtherBits)
{
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const TensorView before = viewOf({1, 2, nan, 0.0, nan, 5});
    const TensorView after = viewOf({1, 2.5, nan, -0.0, 4, 3});
    const std::optional<TensorChange> change = changeOf(before, after, {});
    ASSERT_TRUE(change);
    EXPECT_EQ(change->changed, 4); // -0 is not +0, but no further away; a NaN stays a NaN
    EXPECT_EQ(change->largest, 2);
    EXPECT_EQ(change->at, 5);
    EXPECT_EQ(change->notComparable, 1);
    EXPECT_EQ(changeOf(before, before, {})->changed, 0);
}

TEST(TensorChangeTest, otherTypesCannotBeCompared)
{
    EXPECT_FALSE(changeOf(viewOf({1, 2}), viewOf({1, 2, 3}), {}));
    EXPECT_FALSE(changeOf(viewOf({1, 2}), viewOf({1, 2}, DType::F64), {}));
}

TEST(TensorChangeTest, findsAChangeFarInside)
{
    std::vector<double> numbers(1'000'000, 1);
    const TensorView before = viewOf(numbers, DType::I16);
    numbers[777'777] = -4;
    const std::optional<TensorChange> change = changeOf(before, viewOf(numbers, DType::I16), {});
    EXPECT_EQ(change->changed, 1);
    EXPECT_EQ(change->at, 777'777);
    EXPECT_EQ(change->largest, 5);
}

} // namespace
} // namespace sw
