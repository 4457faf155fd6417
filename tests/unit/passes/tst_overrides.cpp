// The text of overrides: printing and reading it, and what is wrong with it.

#include "engine/passes/overrides.h"

#include <gtest/gtest.h>

#include <random>

namespace sw {
namespace {

constexpr std::string_view kText = "stepwell overrides 1\n"
                                   "fuse softmax/exp -> softmax/add#2  # stay in registers\n"
                                   "apart h -> y\n"
                                   "off store h\n"
                                   "store \"Conv 3:0\"\n"
                                   "loops y: split i0 8; set_type i0.i vector  # by hand\n"
                                   "loops softmax/sum:\n"
                                   "order h -> softmax/sum\n";

std::string errorOf(std::string_view text)
{
    const Result<Overrides> read = parseOverrides(text, "o.txt");
    return read ? "" : toText(read.error());
}

TEST(OverridesText, isReadAndPrintedAsItWas)
{
    const Result<Overrides> read = parseOverrides(kText, "o.txt");
    ASSERT_TRUE(read) << toText(read.error());
    ASSERT_EQ(read->items.size(), 7U);
    EXPECT_EQ(read->items[0].kind, OverrideKind::Fuse);
    EXPECT_EQ(read->items[0].value, "softmax/exp");
    EXPECT_EQ(read->items[0].reader, "softmax/add#2");
    EXPECT_EQ(read->items[0].note, "stay in registers");
    EXPECT_EQ(read->items[0].line, 2U);
    EXPECT_FALSE(read->items[2].isOn);
    EXPECT_EQ(read->items[3].value, "Conv 3:0");
    ASSERT_EQ(read->items[4].transforms.size(), 2U);
    EXPECT_EQ(toText(read->items[4].transforms[1]), "set_type i0.i vector");
    EXPECT_TRUE(read->items[5].transforms.empty());
    EXPECT_EQ(read->items[6].kind, OverrideKind::Order);
    EXPECT_EQ(read->items[6].reader, "softmax/sum");
    EXPECT_EQ(printOverrides(*read), kText);
}

TEST(OverridesText, takesEmptyLinesAndComments)
{
    const Result<Overrides> read = parseOverrides("stepwell overrides 1\r\n\n  # by hand\n\tapart  a   ->  b\r\n", "o.txt");
    ASSERT_TRUE(read) << toText(read.error());
    ASSERT_EQ(read->items.size(), 1U);
    EXPECT_EQ(toText(read->items[0]), "apart a -> b");
    EXPECT_EQ(read->items[0].line, 4U);
}

TEST(OverridesText, saysWhereItIsWrong)
{
    EXPECT_NE(errorOf("").find("o.txt:1:1"), std::string::npos);
    EXPECT_NE(errorOf("fuse a -> b\n").find("its first line is not \"stepwell overrides 1\""), std::string::npos);
    const std::string several = errorOf("stepwell overrides 1\nmelt a -> b\nfuse a\napart a -> b c\nstore\nstore a->b\n");
    for (const char *part : {"o.txt:2:1", "unknown override \"melt\"", "o.txt:3:7", "o.txt:4:14", "o.txt:5:6",
                             "expected the path of a value, found the end of the line", "o.txt:6:7"})
        EXPECT_NE(several.find(part), std::string::npos) << part << "\n" << several;
}

// Paths of any characters survive the text.
TEST(OverridesText, keepsPathsOfAnyCharacters)
{
    for (std::uint32_t round = 0; round < 300; ++round) {
        std::mt19937 random(round);
        const auto path = [&] {
            std::string text;
            for (std::uint32_t i = 0; i < 1 + random() % 12; ++i)
                text += std::string_view("ab_/#.-> \"\\\t%[](){}:\n")[random() % 21];
            return text;
        };
        Overrides made{"o.txt", {}};
        for (std::uint32_t i = 0; i < 4; ++i)
            made.items.push_back({OverrideKind::Apart, path(), path(), random() % 2 == 0, {}, {}, i + 2});
        const std::string text = printOverrides(made);
        const Result<Overrides> read = parseOverrides(text, "o.txt");
        ASSERT_TRUE(read) << toText(read.error()) << text;
        EXPECT_EQ(*read, made) << text;
    }
}

} // namespace
} // namespace sw
