// The text of overrides: printing and reading it, and what is wrong with it.

#include "engine/passes/overrides.h"

#include <gtest/gtest.h>

#include <algorithm>
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

constexpr std::string_view kCode =
    "stepwell overrides 1\n"
    "code softmax/sum llvm source \"two lanes\" for \"f32[4]; global [1, 1, 1]\" of 0123456789abcdef  # fast\n"
    "  | define void @f() {\n"
    "  |   ret void\n"
    "  |\n"
    "  | }\n"
    "off code y any lowered\n"
    "  | kernel\n"
    "store h\n";

TEST(OverridesText, keepsTheTextOfAKernelBehindBars)
{
    const Result<Overrides> read = parseOverrides(kCode, "o.txt");
    ASSERT_TRUE(read) << toText(read.error());
    ASSERT_EQ(read->items.size(), 3U);
    const Override &source = read->items[0];
    EXPECT_EQ(source.kind, OverrideKind::Code);
    EXPECT_EQ(source.value, "softmax/sum");
    EXPECT_EQ(source.note, "fast");
    EXPECT_EQ(source.code.device, "llvm");
    EXPECT_EQ(source.code.form, CodeForm::Source);
    EXPECT_EQ(source.code.name, "two lanes");
    EXPECT_EQ(source.code.interface, "f32[4]; global [1, 1, 1]");
    EXPECT_EQ(source.code.original, "0123456789abcdef");
    EXPECT_EQ(source.code.text, "define void @f() {\n  ret void\n\n}\n");
    EXPECT_EQ(titleOf(source), "code softmax/sum llvm source \"two lanes\"");
    EXPECT_FALSE(read->items[1].isOn);
    EXPECT_EQ(read->items[1].code.form, CodeForm::Lowered);
    EXPECT_EQ(read->items[1].code.text, "kernel\n");
    EXPECT_EQ(read->items[2].line, 9U);
    EXPECT_EQ(printOverrides(*read), kCode);
}

TEST(OverridesText, saysWhereAnOverrideOfCodeIsWrong)
{
    const std::string several = errorOf("stepwell overrides 1\ncode y\ncode y llvm assembly\n  | ignored\ncode y llvm source\n"
                                        "store h\n  | lost\n");
    for (const char *part :
         {"o.txt:2:7: error: expected the device", "o.txt:3:13: error: expected source or lowered, found \"assembly\"",
          "o.txt:5:1: error: no text follows", "o.txt:7:1: error: a line of code below no override of code"})
        EXPECT_NE(several.find(part), std::string::npos) << part << "\n" << several;
    EXPECT_EQ(several.find("o.txt:4"), std::string::npos) << several;
}

TEST(OverridesText, placesInCodeArePlacesInItsFile)
{
    Result<Overrides> read = parseOverrides(kCode, "o.txt");
    ASSERT_TRUE(read);
    const SourceRange place = placeInFile(*read, read->items[0], {{}, 2, 3, 2, 6});
    EXPECT_EQ(place, (SourceRange{"o.txt", 4, 7, 4, 10}));
    read->items[0].code.file = "y.ll";
    EXPECT_EQ(placeInFile(*read, read->items[0], {{}, 2, 3, 2, 6}), (SourceRange{"y.ll", 2, 3, 2, 6}));
}

// Any text survives, but for the ends of its lines.
TEST(OverridesText, keepsCodeOfAnyCharacters)
{
    for (std::uint32_t round = 0; round < 300; ++round) {
        std::mt19937 random(round);
        const auto text = [&] {
            std::string made;
            for (std::uint32_t i = 0; i < 1 + random() % 60; ++i)
                made += std::string_view("ab |#\"\\\t%[](){}:\n\n;\x01\xc3\xa9")[random() % 22];
            return withLineEnds(made + "x\r\n");
        };
        Overrides made{"o.txt", {}};
        std::uint32_t line = 2;
        for (std::uint32_t i = 0; i < 3; ++i) {
            Override item{.kind = OverrideKind::Code, .value = "y", .isOn = random() % 2 == 0, .note = "note", .line = line};
            item.code = {
                .device = "opencl:1", .form = i == 0 ? CodeForm::Lowered : CodeForm::Source, .name = text(), .text = text()};
            line += 1 + static_cast<std::uint32_t>(std::ranges::count(item.code.text, '\n'));
            made.items.push_back(std::move(item));
        }
        const std::string printed = printOverrides(made);
        const Result<Overrides> read = parseOverrides(printed, "o.txt");
        ASSERT_TRUE(read) << toText(read.error()) << printed;
        EXPECT_EQ(*read, made) << printed;
    }
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
