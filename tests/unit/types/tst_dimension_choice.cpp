// What is said of a dimension: a number or a range, after its name; and the expression that sizes are.

#include "engine/types/dimension_choice.h"
#include "engine/types/fitted_size.h"

#include <gtest/gtest.h>

namespace sw {
namespace {

DimensionRange rangeIn(std::string_view text)
{
    const auto choice = readDimensionChoice(text);
    EXPECT_TRUE(choice) << toText(choice.error());
    return choice ? std::get<DimensionRange>(choice->size) : DimensionRange{0, 0};
}

TEST(DimensionChoice, isANumberOrARange)
{
    const auto number = readDimensionChoice("a=b=-8");
    ASSERT_TRUE(number);
    EXPECT_EQ(number->name, "a=b") << "the last '=' counts";
    EXPECT_EQ(std::get<std::int64_t>(number->size), -8);
    EXPECT_EQ(rangeIn("n=2..9"), (DimensionRange{2, 9}));
    EXPECT_EQ(rangeIn("n=..9"), (DimensionRange{1, 9}));
    EXPECT_EQ(rangeIn("n=2.."), (DimensionRange{2, 64}));
    EXPECT_EQ(rangeIn("n=.."), (DimensionRange{1, 64}));
    EXPECT_EQ(toText(DimensionRange{2, 9}), "2..9");
}

TEST(DimensionChoice, saysWhatIsWrong)
{
    for (const char *text : {"n", "=3", "n=", "n=x", "n=1...4", "n=1..x", "n=x..4", "n=3.5"}) {
        const auto choice = readDimensionChoice(text);
        ASSERT_FALSE(choice) << text;
        EXPECT_EQ(choice.error().front().message, format("a dimension is NAME=N or NAME=LOW..HIGH, not \"{}\"", text));
    }
    for (const char *text : {"n=0..4", "n=-3..4", "n=5..5", "n=5..4", "n=64.."}) {
        const auto choice = readDimensionChoice(text);
        ASSERT_FALSE(choice) << text;
        EXPECT_NE(choice.error().front().message.find("the range of the dimension n is"), std::string::npos) << text;
    }
}

TEST(FittedSize, isTheExpressionOfItsValues)
{
    const std::vector<SymbolicVariable> variables{{"n", 1, 64}, {"m", 1, 64}};
    const auto value = [](std::int64_t n, std::int64_t m) { return 3 * n * m - 2 * m + 7; };
    const std::vector<std::int64_t> least{5, 9};
    const auto made = fittedSize(variables, least, std::vector{value(5, 9), value(6, 9), value(5, 10), value(6, 10)});
    ASSERT_TRUE(made);
    EXPECT_EQ(toText(*made), "-2*m + 3*m*n + 7");
    EXPECT_EQ(made->evaluate({{"n", 64}, {"m", 1}}), value(64, 1));
    const auto constant = fittedSize(variables, least, std::vector<std::int64_t>{-4, -4, -4, -4});
    ASSERT_TRUE(constant);
    EXPECT_EQ(constant->constant(), -4);
}

} // namespace
} // namespace sw
