#include "engine/api/tune/list_difference.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

TransformList listOf(const std::vector<std::string> &lines)
{
    TransformList list;
    for (const std::string &line : lines)
        list.push_back(parseTransform(line).value());
    return list;
}

TEST(ListDifference, keepsWhatIsTheSameInOrder)
{
    using enum ListLineKind;
    const TransformList model = listOf({"split i0 8", "set_type i0.i vector", "split i1 4", "set_type i1.i upcast"});
    const TransformList other = listOf({"split i0 16", "set_type i0.i vector", "set_type i1 upcast"});
    EXPECT_EQ(listDifference(model, other), (std::vector<ListLine>{{Removed, "split i0 8"},
                                                                   {Added, "split i0 16"},
                                                                   {Same, "set_type i0.i vector"},
                                                                   {Removed, "split i1 4"},
                                                                   {Removed, "set_type i1.i upcast"},
                                                                   {Added, "set_type i1 upcast"}}));
    EXPECT_EQ(listDifference(model, {}).size(), model.size());
    EXPECT_TRUE(listDifference({}, {}).empty());
}

// Without what was added it is the first list, without what was removed the second.
TEST(ListDifference, holdsBothLists)
{
    const std::vector<std::string> words{"split i0 2", "split i0 4", "split i1 8", "unroll i0 2"};
    std::mt19937 random(5);
    for (int trial = 0; trial < 200; ++trial) {
        std::vector<std::vector<std::string>> lists(2);
        for (std::vector<std::string> &lines : lists)
            for (std::uint32_t count = random() % 6; count > 0; --count)
                lines.push_back(words[random() % words.size()]);
        std::vector<std::vector<std::string>> found(2);
        for (const ListLine &line : listDifference(listOf(lists[0]), listOf(lists[1]))) {
            if (line.kind != ListLineKind::Added)
                found[0].push_back(line.text);
            if (line.kind != ListLineKind::Removed)
                found[1].push_back(line.text);
        }
        EXPECT_EQ(found, lists);
    }
}

} // namespace
} // namespace sw
