#include "engine/base/text.h"

#include "engine/base/text_scanner.h"

#include <gtest/gtest.h>

#include <cmath>

namespace sw {
namespace {

TEST(Text, writesFloatsThatCannotBeReadAsIntegers)
{
    EXPECT_EQ(floatText(1.0), "1.0");
    EXPECT_EQ(floatText(-0.0), "-0.0");
    EXPECT_EQ(floatText(0.1F), "0.1");
    EXPECT_EQ(floatText(1e30), "1e+30");
    EXPECT_EQ(floatText(std::nan("")), "nan");
    EXPECT_EQ(floatText(-HUGE_VAL), "-inf");
}

TEST(Text, quotesAndUnquotesEveryByte)
{
    std::string all;
    for (int c = 0; c < 256; ++c)
        all += static_cast<char>(c);
    EXPECT_EQ(unquoted(sw::quoted(all)), all);
    EXPECT_EQ(sw::quoted("a\"b\\c\n\t\x01"), "\"a\\\"b\\\\c\\n\\t\\x01\"");
}

TEST(Text, refusesMalformedLiterals)
{
    for (const char *text : {"", "\"", "abc", "\"abc", "abc\"", "\"a\"b\"", "\"\\q\"", "\"\\x1\"", "\"\\xzz\"", "\"\\\""})
        EXPECT_FALSE(unquoted(text)) << text;
}

TEST(Text, makesIdentifiers)
{
    EXPECT_EQ(identifierText("a b/c"), "a_b_c");
    EXPECT_EQ(identifierText("1x"), "_1x");
    EXPECT_EQ(identifierText(""), "_");
}

TEST(TextScanner, readsTokensAndNamesTheColumnOfErrors)
{
    TextScanner scanner("  %12 = add \"x y\" [1, [2, 3]], 4", "f.txt", 7);
    EXPECT_TRUE(scanner.accept("%"));
    EXPECT_EQ(scanner.integer().value(), 12);
    EXPECT_TRUE(scanner.expect("="));
    EXPECT_EQ(scanner.word("an operation").value(), "add");
    EXPECT_EQ(scanner.string().value(), "x y");
    EXPECT_EQ(scanner.until(","), "[1, [2, 3]]");
    const auto wrong = scanner.expect("]");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().front().message, "expected ']', not \", 4\"");
    EXPECT_EQ(wrong.error().front().where.line, 7U);
    EXPECT_EQ(wrong.error().front().where.column, 30U);
}

TEST(TextScanner, refusesIntegersThatDoNotFit)
{
    EXPECT_FALSE(TextScanner("9223372036854775808", "f.txt", 1).integer());
    EXPECT_FALSE(TextScanner("-1", "f.txt", 1).unsignedInteger());
    EXPECT_EQ(TextScanner("18446744073709551615", "f.txt", 1).unsignedInteger().value(), ~std::uint64_t{0});
    EXPECT_FALSE(TextScanner("\"open", "f.txt", 1).string());
}

} // namespace
} // namespace sw
