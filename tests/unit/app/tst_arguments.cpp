#include "app/commands/arguments.h"

#include <gtest/gtest.h>

#include <array>

namespace sw::command {
namespace {

constexpr std::array kOptions{
    OptionInfo{"--json", "", "a flag"},
    OptionInfo{"--seed", "N", "a number"},
    OptionInfo{"--input", "NAME=FILE", "many", OptionCount::Many},
};

Result<Arguments> parse(const std::vector<std::string> &words)
{
    return Arguments::parse(words, kOptions);
}

TEST(Arguments, readsOptionsInAnyOrder)
{
    const auto arguments = parse({"--input", "a=1", "file.sw", "--json", "--input=b=2"});
    ASSERT_TRUE(arguments);
    EXPECT_EQ(arguments->positional(), std::vector<std::string>{"file.sw"});
    EXPECT_TRUE(arguments->has("--json"));
    EXPECT_EQ(arguments->values("--input"), (std::vector<std::string>{"a=1", "b=2"}));
    EXPECT_EQ(arguments->value("--device", "llvm"), "llvm");
}

TEST(Arguments, endsOptionsAtTwoDashes)
{
    const auto arguments = parse({"--", "--json"});
    ASSERT_TRUE(arguments);
    EXPECT_FALSE(arguments->has("--json"));
    EXPECT_EQ(arguments->positional(), std::vector<std::string>{"--json"});
}

TEST(Arguments, namesWhatIsWrong)
{
    EXPECT_EQ(parse({"--sed", "1"}).error().front().message, "unknown option --sed; there are --json, --seed, --input");
    EXPECT_EQ(parse({"--seed"}).error().front().message, "option --seed needs a value: --seed N");
    EXPECT_EQ(parse({"--json=yes"}).error().front().message, "option --json takes no value");
    EXPECT_EQ(parse({"--json", "--json"}).error().front().message, "option --json is given twice");
}

TEST(Arguments, readsNumbersWithinTheirBounds)
{
    EXPECT_EQ(*parse({})->number("--seed", 7, 0, 10), 7U);
    EXPECT_EQ(*parse({"--seed", "10"})->number("--seed", 7, 0, 10), 10U);
    for (const char *wrong : {"11", "-1", "1.5", "x", "", "99999999999999999999"})
        EXPECT_FALSE(parse({"--seed", wrong})->number("--seed", 7, 0, 10)) << wrong;
}

} // namespace
} // namespace sw::command
