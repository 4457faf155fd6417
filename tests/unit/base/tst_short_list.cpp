// Lists of few values and of many are used alike.

#include "engine/base/short_list.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

using Numbers = ShortList<int, 3>;

Numbers upTo(int count)
{
    Numbers list;
    for (int i = 0; i < count; ++i)
        list.push_back(i);
    return list;
}

TEST(ShortListTest, growsAndShrinksBeyondTheFew)
{
    Numbers list;
    for (int i = 0; i < 7; ++i) {
        list.push_back(i);
        ASSERT_EQ(list, upTo(i + 1));
        ASSERT_EQ(list.size(), static_cast<std::size_t>(i + 1));
        EXPECT_EQ(list.back(), i);
    }
    for (int left = 6; left >= 0; --left) {
        list.pop_back();
        ASSERT_EQ(list, upTo(left));
        for (int i = 0; i < left; ++i)
            EXPECT_EQ(list[static_cast<std::size_t>(i)], i);
    }
    EXPECT_TRUE(list.empty());
    list.push_back(5);
    EXPECT_EQ(list.back(), 5);
}

TEST(ShortListTest, isMadeOfAnyNumberOfValues)
{
    const std::vector<int> values{0, 1, 2, 3, 4};
    for (std::size_t count = 0; count <= values.size(); ++count) {
        Numbers list(std::span(values).first(count));
        EXPECT_EQ(list, upTo(static_cast<int>(count)));
        list.push_back(static_cast<int>(count));
        EXPECT_EQ(list, upTo(static_cast<int>(count) + 1));
    }
}

TEST(ShortListTest, copiesAreIndependent)
{
    for (const int count : {2, 3, 4, 6}) {
        Numbers list = upTo(count);
        const Numbers copy = list;
        list.push_back(9);
        list[0] = 8;
        EXPECT_EQ(copy, upTo(count)) << count;
        EXPECT_NE(list, copy);
    }
}

TEST(ShortListTest, isEmptyAfterItWasMoved)
{
    for (const int count : {2, 3, 4, 6}) {
        Numbers list = upTo(count);
        Numbers taken = std::move(list);
        EXPECT_EQ(taken, upTo(count)) << count;
        EXPECT_TRUE(list.empty()); // NOLINT(bugprone-use-after-move): that is what is tested
        list.push_back(1);
        EXPECT_EQ(list.size(), 1U);
        list = std::move(taken);
        EXPECT_EQ(list, upTo(count));
    }
}

TEST(ShortListTest, takesOneOfItsOwn)
{
    Numbers list = upTo(3);
    list.push_back(list[1]);
    list.push_back(list[3]);
    EXPECT_EQ(list.back(), 1);
    EXPECT_EQ(std::vector<int>(list.rbegin(), list.rend()), (std::vector<int>{1, 1, 2, 1, 0}));
}

TEST(ShortListTest, takesValuesInFrontAndLosesThoseBehind)
{
    for (const std::size_t left : {0U, 2U, 3U, 4U, 5U}) {
        Numbers list{1, 2};
        list.push_front(0);
        EXPECT_EQ(list, upTo(3));
        list.push_front(-1);
        EXPECT_EQ(list, (Numbers{-1, 0, 1, 2})) << "one more than the few";
        EXPECT_EQ(list.front(), -1);
        list = std::vector{0, 1, 2, 3, 4};
        list.shorten(left);
        EXPECT_EQ(list, upTo(static_cast<int>(left)));
    }
}

TEST(ShortListTest, tellsOfAnIndexBeyondTheEnd)
{
    for (const int count : {0, 2, 3, 5}) {
        Numbers list = upTo(count);
        if (count > 0)
            EXPECT_EQ(list.at(static_cast<std::size_t>(count - 1)), count - 1);
        EXPECT_THROW(static_cast<void>(list.at(static_cast<std::size_t>(count))), std::out_of_range);
    }
}

} // namespace
} // namespace sw
