// Tables and listings with what hostile programs may call their kernels, in every format; read back where a reader is at hand.

#include "engine/api/table_text.h"
#include "engine/base/json_value.h"

#include <gtest/gtest.h>

#include <utility>

using namespace sw;

namespace {

TextTable table()
{
    return {{{"kernel"}, {"time", true}}, {{"k0_sum", "1.5 µs"}, {"k1", "12 µs"}}};
}

// The fields of a CSV text by RFC 4180, written apart from the writer.
std::vector<std::vector<std::string>> readCsv(std::string_view text)
{
    std::vector<std::vector<std::string>> lines;
    std::vector<std::string> line(1);
    bool isQuoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (isQuoted && c == '"' && i + 1 < text.size() && text[i + 1] == '"') {
            line.back() += '"';
            ++i;
        } else if (c == '"') {
            isQuoted = !isQuoted;
        } else if (!isQuoted && c == ',') {
            line.emplace_back();
        } else if (!isQuoted && c == '\r' && i + 1 < text.size() && text[i + 1] == '\n') {
            lines.push_back(std::exchange(line, std::vector<std::string>(1)));
            ++i;
        } else {
            line.back() += c;
        }
    }
    return lines;
}

TEST(TableText, alignsColumnsUnderEachOther)
{
    EXPECT_EQ(tableText(table(), TextFormat::Text), "kernel    time\n"
                                                    "--------------\n"
                                                    "k0_sum  1.5 µs\n"
                                                    "k1       12 µs\n");
}

TEST(TableText, keepsEveryRowOnOneLineOfText)
{
    EXPECT_EQ(tableText({{{"a"}, {"b"}}, {{"x\ny", "p\tq\r\nr"}}}, TextFormat::Text), "a    b\n"
                                                                                      "----------\n"
                                                                                      "x y  p q r\n");
}

TEST(TableText, writesMarkdownWithAlignment)
{
    EXPECT_EQ(tableText(table(), TextFormat::Markdown), "| kernel | time |\n"
                                                        "|---|---:|\n"
                                                        "| k0_sum | 1.5 µs |\n"
                                                        "| k1 | 12 µs |\n");
}

TEST(TableText, escapesWhatMeansSomethingInMarkdown)
{
    EXPECT_EQ(tableText({{{"a|b"}}, {{"x | *y* `z` <f32> [1] \\ & _q a_b $\nnext"}}}, TextFormat::Markdown),
              "| a\\|b |\n"
              "|---|\n"
              "| x \\| \\*y\\* \\`z\\` \\<f32\\> \\[1\\] \\\\ \\& \\_q a_b \\$<br>next |\n");
}

TEST(TableText, writesCsvThatReadsBack)
{
    const TextTable hostile{{{"na,me"}, {"\"quoted\""}, {""}},
                            {{"a\nb", "c\r\nd", "e\rf"}, {"\"", "\"\"", ","}, {"", "µ ≠", " x "}, {"=1+1"}}};
    const auto read = readCsv(tableText(hostile, TextFormat::Csv));
    ASSERT_EQ(read.size(), 5U);
    EXPECT_EQ(read[0], (std::vector<std::string>{"na,me", "\"quoted\"", ""}));
    for (std::size_t row = 0; row < hostile.rows.size(); ++row) {
        std::vector<std::string> wanted = hostile.rows[row];
        wanted.resize(3);
        EXPECT_EQ(read[row + 1], wanted);
    }
}

TEST(TableText, quotesOnlyWhatNeedsIt)
{
    EXPECT_EQ(tableText({{{"a"}, {"b"}}, {{"plain text", "a,b"}}}, TextFormat::Csv), "a,b\r\nplain text,\"a,b\"\r\n");
    EXPECT_EQ(tableText({{{"a"}}, {{""}}}, TextFormat::Csv), "a\r\n\"\"\r\n"); // not an empty line
    EXPECT_EQ(csvField("1;2"), "1;2");
    EXPECT_EQ(csvField("a\"b"), "\"a\"\"b\"");
}

TEST(TableText, writesJsonThatReadsBack)
{
    const std::string hostile = "\"\\\b\f\n\r\t\x01 </script> µ ≠ \xF0\x9F\x98\x80";
    const Result<JsonValue> read =
        parseJson(tableText({{{"a"}, {"a"}, {""}, {"a 2"}}, {{hostile, "1", "2", "3"}, {"short"}}}, TextFormat::Json), "copied");
    ASSERT_TRUE(read);
    const JsonValue::Array *rows = read->array();
    ASSERT_TRUE(rows && rows->size() == 2);
    // Four columns, four keys.
    const auto textOf = [&](std::size_t row, const char *key) {
        const JsonValue *value = rows->at(row).find(key);
        return value != nullptr ? *value->text() : std::string("missing");
    };
    EXPECT_EQ(textOf(0, "a"), hostile);
    EXPECT_EQ(textOf(0, "a 2"), "1");
    EXPECT_EQ(textOf(0, "column 3"), "2");
    EXPECT_EQ(textOf(0, "a 2 2"), "3");
    EXPECT_EQ(textOf(1, "a"), "short");
    EXPECT_EQ(textOf(1, "column 3"), "");
}

TEST(TableText, mendsBytesThatAreNotUtf8InJson)
{
    EXPECT_NE(tableText({{{"a"}}, {{"x\xFF"}}}, TextFormat::Json).find("x\xEF\xBF\xBD"), std::string::npos);
}

TEST(TableText, writesATabularOfLatex)
{
    EXPECT_EQ(tableText(table(), TextFormat::Latex), "\\begin{tabular}{lr}\n"
                                                     "\\hline\n"
                                                     "kernel & time \\\\\n"
                                                     "\\hline\n"
                                                     "k0\\_sum & 1.5 \\textmu{}s \\\\\n"
                                                     "k1 & 12 \\textmu{}s \\\\\n"
                                                     "\\hline\n"
                                                     "\\end{tabular}\n");
}

TEST(TableText, escapesWhatMeansSomethingInLatex)
{
    const std::string text =
        tableText({{{"c"}}, {{"[1] 50% & #1 $x_1^2$ {a} ~ \\ <y> | a--b ≠ 2 ×\nz"}, {"*"}}}, TextFormat::Latex);
    EXPECT_NE(text.find("{[}1] 50\\% \\& \\#1 \\$x\\_1\\textasciicircum{}2\\$ \\{a\\} \\textasciitilde{} \\textbackslash{} "
                        "\\textless{}y\\textgreater{} \\textbar{} a-{}-{}b $\\neq$ 2 $\\times$ z \\\\\n"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("\n{*} \\\\\n"), std::string::npos); // "\\*" would be another line end
}

TEST(TableText, leavesOutCellsBehindTheLastColumn)
{
    const TextTable wide{{{"a"}}, {{"1", "2"}}};
    for (const TextFormat format : kTextFormats)
        EXPECT_EQ(tableText(wide, format).find('2'), std::string::npos);
}

TEST(TableText, isEmptyWithoutColumns)
{
    for (const TextFormat format : kTextFormats)
        EXPECT_EQ(tableText({}, format), "");
}

TEST(TableText, hasItsNamesWithoutRows)
{
    const TextTable empty{{{"name"}}, {}};
    for (const TextFormat format : {TextFormat::Text, TextFormat::Markdown, TextFormat::Csv, TextFormat::Latex})
        EXPECT_NE(tableText(empty, format).find("name"), std::string::npos);
    EXPECT_EQ(tableText(empty, TextFormat::Json), "[]\n");
}

TEST(ListingText, isAsItIs)
{
    EXPECT_EQ(listingText("a\n  b", TextFormat::Text, "c"), "a\n  b\n");
    EXPECT_EQ(listingText("a\n", TextFormat::Text, "c"), "a\n");
}

TEST(ListingText, isABlockOfCodeThatItsTextCannotEnd)
{
    EXPECT_EQ(listingText("x = 1", TextFormat::Markdown, "c"), "```c\nx = 1\n```\n");
    EXPECT_EQ(listingText("```\nx\n````", TextFormat::Markdown, ""), "`````\n```\nx\n````\n`````\n");
}

TEST(ListingText, isVerbatimUnlessTheTextEndsTheBlock)
{
    EXPECT_EQ(listingText("a_b\n", TextFormat::Latex, ""), "\\begin{verbatim}\na_b\n\\end{verbatim}\n");
    const std::string escaped = listingText("a  b\n\\end{verbatim}\n", TextFormat::Latex, "");
    EXPECT_EQ(escaped, "\\begin{flushleft}\n\\ttfamily\n\\mbox{}a~~b\\\\\n\\mbox{}\\textbackslash{}end\\{verbatim\\}\\\\\n"
                       "\\end{flushleft}\n");
}

TEST(ListingText, isATableOfItsLinesInCsvAndJson)
{
    EXPECT_EQ(listingText("a,b\r\n\nc", TextFormat::Csv, ""), "line,text\r\n1,\"a,b\"\r\n2,\r\n3,c\r\n");
    EXPECT_EQ(listingText("say \"a\"\n\tb", TextFormat::Json, ""),
              "{\"line\":1,\"text\":\"say \\\"a\\\"\"}\n{\"line\":2,\"text\":\"\\tb\"}\n");
}

} // namespace
