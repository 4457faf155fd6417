#include "engine/base/checked_size.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace sw {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kBillions = std::int64_t{1} << 32;

TEST(CheckedSize, computesWhatFits)
{
    EXPECT_EQ((CheckedSize(3) * 4 + 5 - 1).value(), 16);
    EXPECT_EQ(CheckedSize(65).roundedUpTo(64).value(), 128);
    EXPECT_EQ(CheckedSize(64).roundedUpTo(64).value(), 64);
    EXPECT_EQ(productOf(std::vector<std::int64_t>{2, 3, 4}).value(), 24);
    EXPECT_EQ(productOf(std::vector<std::int64_t>{}).value(), 1);
    EXPECT_EQ(toText(CheckedSize(kLargest)), "9223372036854775807");
}

TEST(CheckedSize, remembersWhatDoesNotFit)
{
    EXPECT_FALSE(productOf(std::array{kBillions, kBillions, std::int64_t{1}}).fits());
    EXPECT_FALSE((CheckedSize(kLargest) + 1).fits());
    EXPECT_FALSE((CheckedSize(-kLargest) - 2).fits());
    EXPECT_FALSE(CheckedSize(kLargest).roundedUpTo(64).fits());
    EXPECT_FALSE(CheckedSize(std::uint64_t{1} << 63U).fits());
    // However small it becomes later: a product that wrapped to 0 stays too large when it is multiplied by 0.
    const CheckedSize tooLarge = CheckedSize(kBillions) * kBillions;
    EXPECT_FALSE((tooLarge * 0 + 1).fits());
    EXPECT_EQ(tooLarge.saturated(), kLargest);
    EXPECT_EQ(toText(tooLarge), "2^63 or more");
    EXPECT_ANY_THROW((void)tooLarge.value());
}

TEST(CheckedSize, isAboveEveryLimitOnceItDoesNotFit)
{
    const CheckedSize tooLarge = CheckedSize(kLargest) * 2;
    EXPECT_TRUE(tooLarge > kLargest);
    EXPECT_FALSE(tooLarge <= kLargest);
    EXPECT_TRUE(CheckedSize(5) > 4);
    EXPECT_TRUE(CheckedSize(4) <= 4);
}

} // namespace
} // namespace sw
