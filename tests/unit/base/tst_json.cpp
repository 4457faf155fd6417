#include "engine/base/json.h"

#include "engine/base/assert.h"

#include <gtest/gtest.h>

#include <limits>

namespace sw {
namespace {

TEST(Json, writesObjectsAndArraysInOrder)
{
    JsonWriter json;
    json.beginObject().field("version", 1).key("kernels").beginArray().beginObject().field("name", "k0").endObject().endArray();
    json.key("none").beginArray().endArray().field("equal", true).endObject();
    EXPECT_EQ(json.text(), "{\n  \"version\": 1,\n  \"kernels\": [\n    {\n      \"name\": \"k0\"\n    }\n  ],\n  \"none\": [],\n"
                           "  \"equal\": true\n}\n");
}

TEST(Json, escapesWhatJsonCannotHold)
{
    EXPECT_EQ(jsonQuoted("a\"b\\c\nd\te\x01"), "\"a\\\"b\\\\c\\nd\\te\\u0001\"");
    EXPECT_EQ(jsonQuoted("\xC3\xA4"), "\"\xC3\xA4\"");
    EXPECT_EQ(jsonQuoted("\xC3("), "\"\xEF\xBF\xBD(\"");
    EXPECT_EQ(jsonQuoted("\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
}

TEST(Json, writesNonFiniteNumbersAsStrings)
{
    JsonWriter json;
    json.beginArray().value(0.1).value(-std::numeric_limits<double>::infinity()).value(std::numeric_limits<double>::quiet_NaN());
    EXPECT_EQ(json.endArray().text(), "[\n  0.1,\n  \"-inf\",\n  \"nan\"\n]\n");
}

TEST(Json, rejectsADocumentThatIsStillOpen)
{
    JsonWriter json;
    json.beginObject();
    EXPECT_THROW(static_cast<void>(json.text()), InternalError);
    EXPECT_THROW(json.field("a", 1).key("b").key("c"), InternalError);
}

} // namespace
} // namespace sw
