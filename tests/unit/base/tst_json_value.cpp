// JSON text becomes values, and what is not JSON is refused where it goes wrong.

#include "engine/base/json.h"
#include "engine/base/json_value.h"

#include <gtest/gtest.h>

#include <array>

namespace sw {
namespace {

std::string errorOf(std::string_view text)
{
    const Result<JsonValue> value = parseJson(text, "f");
    return value ? "" : toText(value.error().front());
}

TEST(JsonValue, readsEveryKindOfValue)
{
    const auto value = parseJson(
        R"( {"a": [1, -2, 3], "b": [1, "x", null], "c": {"d": 1.5e2}, "e": true, "f": [], "g": "\u00e4\n\ud83d\ude00"} )", "f");
    ASSERT_TRUE(value) << toText(value.error());
    EXPECT_EQ(*value->find("a")->integers(), (JsonValue::Integers{1, -2, 3}));
    const JsonValue::Array &mixed = *value->find("b")->array();
    EXPECT_EQ(*mixed[0].integer(), 1);
    EXPECT_EQ(*mixed[1].text(), "x");
    EXPECT_TRUE(mixed[2].isNull());
    EXPECT_EQ(*value->find("c")->find("d")->fraction(), 150.0);
    EXPECT_TRUE(*value->find("e")->truth());
    EXPECT_TRUE(value->find("f")->integers()->empty());
    EXPECT_EQ(*value->find("g")->text(), "\xC3\xA4\n\xF0\x9F\x98\x80");
    EXPECT_EQ(value->find("h"), nullptr);
}

TEST(JsonValue, readsWhatTheWriterWrites)
{
    for (const JsonLayout layout : {JsonLayout::Indented, JsonLayout::Compact}) {
        JsonWriter json(layout);
        const std::array<std::int64_t, 3> column{INT64_MIN, 0, INT64_MAX};
        json.beginObject().field("t\"\\", "line\nend\x01").field("n", 0.1);
        json.key("c").integers(column).endObject();
        const auto value = parseJson(json.text(), "f");
        ASSERT_TRUE(value) << json.text();
        EXPECT_EQ(*value->find("t\"\\")->text(), "line\nend\x01");
        EXPECT_EQ(*value->find("n")->fraction(), 0.1);
        EXPECT_EQ(*value->find("c")->integers(), (JsonValue::Integers{INT64_MIN, 0, INT64_MAX}));
    }
}

TEST(JsonValue, namesThePlaceOfAnError)
{
    EXPECT_EQ(errorOf("{\n \"a\": 1,\n \"b\" 2}"), "f:3:7: error: unexpected number literal; expected ':' [syntax]\n");
}

TEST(JsonValue, saysWhatIsWrongInsideOfAWord)
{
    EXPECT_EQ(errorOf("[true,\n nul]"), "f:2:5: error: invalid literal [syntax]\n");
    EXPECT_EQ(errorOf("{\"a\": 1,\n \"a\": 2}"), "f:2:4: error: the name \"a\" is there twice [syntax]\n");
}

TEST(JsonValue, readsIntegersThatDoNotFitAsFractions)
{
    const auto value = parseJson("[9223372036854775807, 9223372036854775808, -9223372036854775809, 1e400]", "f");
    EXPECT_FALSE(value); // no double is as large as the last
    const auto others = parseJson("[9223372036854775807, 9223372036854775808, -9223372036854775809]", "f");
    ASSERT_TRUE(others) << toText(others.error());
    const JsonValue::Array &numbers = *others->array();
    EXPECT_EQ(*numbers[0].integer(), INT64_MAX);
    EXPECT_EQ(*numbers[1].fraction(), 9223372036854775808.0);
    EXPECT_EQ(*numbers[2].fraction(), -9223372036854775809.0);
}

TEST(JsonValue, refusesWhatIsNotUtf8)
{
    EXPECT_NE(errorOf("\"\xFF\""), "");
}

TEST(JsonValue, refusesWhatIsNotJson)
{
    for (const char *text : {"",
                             "{",
                             "[1,",
                             "[1 2]",
                             "[1,]",
                             "{\"a\":1,}",
                             "{\"a\":1,\"a\":2}",
                             "01",
                             "-",
                             "1.",
                             ".5",
                             "+1",
                             "1e",
                             "nul",
                             "\"a",
                             "\"\\x\"",
                             "\"\\u12\"",
                             "\"\\ud800\"",
                             "\"\\ud800\\u0041\"",
                             "\"\\udc00\"",
                             "\"\n\"",
                             "1 2",
                             "{1:2}",
                             "[nan]",
                             "0x10",
                             "--1",
                             "1.e5",
                             "[01]"})
        EXPECT_NE(errorOf(text), "") << text;
}

TEST(JsonValue, limitsNestingAndNames)
{
    EXPECT_EQ(errorOf(std::string(kMostJsonLevels, '[') + "1" + std::string(kMostJsonLevels, ']')), "");
    EXPECT_NE(errorOf(std::string(100'000, '[')).find("nested deeper"), std::string::npos);
    std::string many = "{\"x\":0";
    for (std::size_t i = 0; i < kMostJsonNames; ++i)
        many += format(",\"{}\":0", i);
    EXPECT_NE(errorOf(many + "}").find("names"), std::string::npos);
}

} // namespace
} // namespace sw
