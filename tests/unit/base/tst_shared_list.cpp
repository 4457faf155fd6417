#include "engine/base/shared_list.h"

#include <gtest/gtest.h>

#include <string>

namespace sw {
namespace {

using Names = SharedList<std::string>;

TEST(SharedList, isSharedUntilOneIsChanged)
{
    const Names first{"a", "b"};
    Names second = first;
    EXPECT_TRUE(second.isSameAs(first));
    second.push_back("c");
    EXPECT_FALSE(second.isSameAs(first));
    EXPECT_EQ(first.values(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(second.values(), (std::vector<std::string>{"a", "b", "c"}));
}

TEST(SharedList, isChangedInPlaceByItsOnlyOwner)
{
    Names names{"a", "b"};
    const std::string *const first = &names.front();
    names.edit().front() = "c";
    EXPECT_EQ(&names.front(), first);
    EXPECT_EQ(names, (Names{"c", "b"}));
}

TEST(SharedList, beginsEmpty)
{
    Names names;
    EXPECT_TRUE(names.empty());
    EXPECT_EQ(names.begin(), names.end());
    EXPECT_EQ(names, Names(std::vector<std::string>()));
    names.emplace_back("a");
    EXPECT_EQ(names.size(), 1U);
    EXPECT_EQ(names[0], "a");
}

} // namespace
} // namespace sw
