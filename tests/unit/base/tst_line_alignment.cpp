#include "engine/base/line_alignment.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

namespace sw {
namespace {

// "0 1= 2 -": line 0 is the first one, line 1 was changed, line 3 is new.
std::string aligned(std::string_view before, std::string_view after)
{
    std::string text;
    for (const auto &line : alignLines(linesOf(before), linesOf(after)))
        text += (text.empty() ? "" : " ") + (line ? std::to_string(line->before) + (line->isSame ? "" : "=") : "-");
    return text;
}

TEST(LineAlignment, tellsKeptChangedAndNewLines)
{
    EXPECT_EQ(aligned("a\nb\nc\n", "a\nb\nc\n"), "0 1 2");
    EXPECT_EQ(aligned("a\nb\nc\n", "a\nB\nc\n"), "0 1= 2");
    EXPECT_EQ(aligned("a\nb\nc\n", "a\nx\ny\nb\nc\n"), "0 - - 1 2");
    EXPECT_EQ(aligned("a\nb\nc\n", "a\nc\n"), "0 2");
    EXPECT_EQ(aligned("a\nb\nc\nd\n", "c\nx\nb\nd\n"), "2 - - 3");
    EXPECT_EQ(aligned("", "a\n"), "-");
    EXPECT_EQ(aligned("a\n", ""), "");
    EXPECT_EQ(aligned("a\nb", "c\nb"), "0= 1");
}

// Whatever the edit, pairs ascend, equal pairs are equal, and all lines that stayed around one edit are found.
TEST(LineAlignment, pairsAscend)
{
    std::mt19937 random(7);
    for (int round = 0; round < 200; ++round) {
        std::vector<std::string> texts(40);
        for (std::string &text : texts)
            text = "line " + std::to_string(random() % 12);
        std::vector<std::string_view> before(texts.begin(), texts.end());
        std::vector<std::string_view> after = before;
        const std::size_t first = random() % 30;
        const std::size_t removed = random() % 8;
        after.erase(after.begin() + static_cast<std::ptrdiff_t>(first),
                    after.begin() + static_cast<std::ptrdiff_t>(first + removed));
        after.insert(after.begin() + static_cast<std::ptrdiff_t>(first), random() % 8, "new");
        const auto pairs = alignLines(before, after);
        ASSERT_EQ(pairs.size(), after.size());
        std::size_t next = 0;
        std::size_t same = 0;
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            if (!pairs[i])
                continue;
            ASSERT_GE(pairs[i]->before, next);
            next = pairs[i]->before + 1;
            ASSERT_EQ(pairs[i]->isSame, before[pairs[i]->before] == after[i]);
            same += pairs[i]->isSame ? 1 : 0;
        }
        EXPECT_GE(same, before.size() - removed);
    }
}

} // namespace
} // namespace sw
