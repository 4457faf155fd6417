#include "engine/base/readable_text.h"

#include "engine/base/diagnostic.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

TEST(ReadableText, leavesOrdinaryTextAlone)
{
    for (const char *text : {"", "shape [2, 3]", "one\ntwo\tthree",
                             "gr\xc3\xb6\xc3\x9f"
                             "e, \xe2\x88\x91, \xf0\x9f\x98\x80"})
        EXPECT_EQ(readableText(text), text);
}

TEST(ReadableText, escapesWhatIsNotText)
{
    EXPECT_EQ(readableText(std::string_view("a\0b\x1b\x7f", 5)), "a\\x00b\\x1b\\x7f");
    EXPECT_EQ(readableText("\xff\xc3"), "\\xff\\xc3");
    EXPECT_EQ(readableText("\xc0\x80"), "\\xc0\\x80");                   // overlong
    EXPECT_EQ(readableText("\xed\xa0\x80"), "\\xed\\xa0\\x80");          // half of a pair
    EXPECT_EQ(readableText("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80"); // past the last character
}

TEST(ReadableText, shortensLongWordsAndTexts)
{
    const std::string word = readableText("is " + std::string(10'000'000, 'a') + " here");
    EXPECT_LT(word.size(), 500U);
    EXPECT_NE(word.find("...(9999601 more bytes)..."), std::string::npos) << word;
    EXPECT_TRUE(word.starts_with("is a") && word.ends_with("a here")) << word;
    std::string text;
    for (int i = 0; i < 100'000; ++i)
        text += "word ";
    EXPECT_LT(readableText(text).size(), 9000U);
}

TEST(ReadableText, isWhatDiagnosticsShow)
{
    EXPECT_EQ(toText(Diagnostic::error(Code::Syntax, {}, "{} is odd", "\xff")), "error: \\xff is odd [syntax]\n");
}

} // namespace
} // namespace sw
