#include "engine/passes/schedule/transfers.h"
#include "tests/unit/passes/schedule/schedule_fixture.h"

#include <array>

namespace sw {
namespace {

Access slice(const Shape &whole, const std::vector<std::int64_t> &begin, const Shape &part)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(whole);
    std::int64_t offset = 0;
    for (std::size_t axis = 0; axis < begin.size(); ++axis)
        offset += begin[axis] * strides[axis];
    return stridedAccess(part, strides, offset);
}

std::string regionText(const Access &access, const Shape &shape)
{
    const auto region = regionRead(access, shape, 4);
    return region ? format("{} rows of {} from {} by {}, to {} by {}", region->rows, region->rowBytes, region->sourceOffset,
                           region->sourceStride, region->destinationOffset, region->destinationStride)
                  : "none";
}

TEST(Transfers, takeRowsOfTheFirstAxisAtOnce)
{
    EXPECT_EQ(regionText(slice({9, 8}, {5, 0}, {4, 8}), {4, 8}), "1 rows of 128 from 160 by 128, to 0 by 128");
}

TEST(Transfers, takeOneRowForEachIndexBeforeTheAxis)
{
    EXPECT_EQ(regionText(slice({2, 3, 8}, {0, 0, 4}, {2, 3, 4}), {2, 3, 4}), "6 rows of 16 from 16 by 32, to 0 by 16");
    EXPECT_EQ(regionText(slice({2, 6, 8}, {0, 3, 0}, {2, 3, 8}), {2, 3, 8}), "2 rows of 96 from 96 by 192, to 0 by 96");
}

// Axes of one index do not matter, wherever they are.
TEST(Transfers, takeASingleColumn)
{
    EXPECT_EQ(regionText(slice({5, 1, 8}, {0, 0, 2}, {5, 1, 1}), {5, 1, 1}), "5 rows of 4 from 8 by 32, to 0 by 4");
    EXPECT_EQ(regionText(slice({5, 8}, {3, 2}, {1, 1}), {1, 1}), "1 rows of 4 from 104 by 4, to 0 by 4");
}

// Two axes are cut, or the elements are in another order, or read again and again, or under a mask, or there are none.
TEST(Transfers, leaveToAKernelWhatIsNoRows)
{
    EXPECT_EQ(regionText(slice({2, 6, 8}, {0, 0, 0}, {2, 3, 4}), {2, 3, 4}), "none");
    EXPECT_EQ(regionText(stridedAccess({8, 9}, std::array<std::int64_t, 2>{1, 8}, 0), {8, 9}), "none");
    EXPECT_EQ(regionText(stridedAccess({8, 9}, std::array<std::int64_t, 2>{0, 1}, 0), {8, 9}), "none");
    EXPECT_EQ(regionText(stridedAccess({9}, std::array<std::int64_t, 1>{-1}, 8), {9}), "none");
    Access masked = identityAccess({9});
    masked.isMasked = true;
    EXPECT_EQ(regionText(masked, {9}), "none");
    EXPECT_EQ(regionText(identityAccess({0}), {0}), "none");
}

} // namespace
} // namespace sw
