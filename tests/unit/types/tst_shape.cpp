#include "engine/types/shape.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

TEST(Shape, broadcastsFromTheLastAxis)
{
    EXPECT_EQ(broadcast(Shape{2, 1, 4}, Shape{3, 1}).value(), (Shape{2, 3, 4}));
    EXPECT_EQ(broadcast(Shape{}, Shape{5}).value(), (Shape{5}));
    EXPECT_EQ(broadcast(Shape{0}, Shape{1}).value(), (Shape{0}));
}

TEST(Shape, rejectsExtentsThatDoNotBroadcast)
{
    const auto result = broadcast(Shape{2, 3}, Shape{2, 4});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().front().message, "shapes [2, 3] and [2, 4] do not broadcast: axis -1 has extents 3 and 4");
}

TEST(Shape, hasFewAxesOrMany)
{
    std::vector<std::int64_t> extents;
    for (std::size_t rank = 0; rank <= Shape::kMaxRank; ++rank) {
        const Shape shape(extents);
        EXPECT_EQ(shape.rank(), rank);
        EXPECT_TRUE(std::ranges::equal(shape.extents(), extents));
        EXPECT_EQ(shape, Shape::checked(extents).value());
        extents.push_back(static_cast<std::int64_t>(rank % 3) + 1);
        if (rank < Shape::kMaxRank)
            EXPECT_NE(shape, Shape(extents));
    }
    EXPECT_FALSE(Shape::checked(extents));
}

TEST(Shape, rejectsSizesThatOverflow)
{
    EXPECT_FALSE(Shape::checked({std::int64_t{1} << 32, std::int64_t{1} << 32}));
    EXPECT_FALSE(Shape::checked({0, std::int64_t{1} << 62}));
    EXPECT_FALSE(Shape::checked({-1}));
    EXPECT_TRUE(Shape::checked({0, 5}));
}

} // namespace
} // namespace sw
