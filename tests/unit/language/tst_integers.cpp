// Integers up to 64 bits: as literals, as constants of tensors, and while tracing.

#include "engine/graph/parser.h"
#include "engine/graph/printer.h"
#include "tests/unit/language/language_fixture.h"

#include <gtest/gtest.h>

#include <limits>

namespace sw::test {
namespace {

constexpr std::uint64_t kLargest = std::numeric_limits<std::uint64_t>::max();
constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();

// The one output's elements as bits.
std::vector<std::uint64_t> bitsOf(std::string_view text)
{
    std::vector<std::uint64_t> bits;
    for (const HostTensor &output : runText(text))
        for (std::int64_t i = 0; i < output.elements(); ++i)
            bits.push_back(output.at(i).bits());
    return bits;
}

std::string errorOf(std::string_view text)
{
    const ProgramResult compiled = compileText(text);
    EXPECT_FALSE(compiled.graph) << text;
    return toText(compiled.diagnostics);
}

using Bits = std::vector<std::uint64_t>;

TEST(LanguageIntegers, literalsHave64Bits)
{
    EXPECT_EQ(bitsOf("const k: u64[3] = [18446744073709551615, 9223372036854775808, 0xffff_ffff_ffff_fffe]\noutput k\n"),
              (Bits{kLargest, std::uint64_t{1} << 63U, kLargest - 1}));
    EXPECT_EQ(bitsOf("const k: i64[2] = [-9223372036854775808, 9223372036854775807]\noutput k\n"),
              (Bits{std::uint64_t{1} << 63U, kLargest >> 1U}));
    EXPECT_EQ(bitsOf("const k: u64[1, 2] = [[18446744073709551615, 1]]\noutput k + 18446744073709551615\n"),
              (Bits{kLargest - 1, 0}));
    EXPECT_EQ(bitsOf("output full([1], 0b1 << 63, u64)\n"), (Bits{std::uint64_t{1} << 63U}));
    EXPECT_EQ(bitsOf("output const_scalar(18446744073709551615, u64)\n"), (Bits{kLargest}));
    EXPECT_EQ(bitsOf("output vconst([18446744073709551615], u64) >> 60\n"), (Bits{15}));
    EXPECT_EQ(bitsOf("output pad(vconst([1], u64), [[0, 1]], 18446744073709551615)\n"), (Bits{1, kLargest}));
    EXPECT_EQ(valuesOf("const x: f64[1] = [18446744073709551615]\noutput x\n"), (std::vector<double>{18446744073709551616.0}));
}

TEST(LanguageIntegers, whatIsTooLargeIsAnErrorAtItsPlace)
{
    EXPECT_NE(errorOf("output 18446744073709551616\n").find("test.sw:1:8: error: 18446744073709551616 is above"),
              std::string::npos);
    EXPECT_NE(errorOf("output 0x\n").find("0x is not an integer"), std::string::npos);
    EXPECT_NE(errorOf("const k: i64[1] = [9223372036854775808]\noutput k\n").find("does not fit into i64"), std::string::npos);
    EXPECT_NE(errorOf("const k: u64[1] = [-1]\noutput k\n").find("does not fit into u64"), std::string::npos);
    EXPECT_NE(errorOf("const k: i64[1] = [-9223372036854775809]\noutput k\n").find("overflows 64 bits"), std::string::npos);
    EXPECT_NE(errorOf("input x: f32[18446744073709551615]\noutput x\n").find("must be an integer"), std::string::npos);
    EXPECT_NE(errorOf("input x: f32[2]\noutput x[9223372036854775808:]\n").find("bound of a slice"), std::string::npos);
}

TEST(LanguageIntegers, arithmeticIsExactWhileTracing)
{
    const auto kept = [](std::string_view expression, std::string_view type) {
        return bitsOf(format("output const_scalar({}, {})\n", expression, type)).at(0);
    };
    EXPECT_EQ(kept("2 ** 64 - 1 if false else 2 ** 63 + (2 ** 63 - 1)", "u64"), kLargest);
    EXPECT_EQ(kept("18446744073709551615 - 18446744073709551615", "i32"), 0U);
    EXPECT_EQ(kept("-9223372036854775808 // -1", "u64"), std::uint64_t{1} << 63U);
    EXPECT_EQ(kept("-9223372036854775807 - 1", "i64"), static_cast<std::uint64_t>(kLowest));
    EXPECT_EQ(kept("18446744073709551615 // -4611686018427387904", "i64"), static_cast<std::uint64_t>(std::int64_t{-4}));
    EXPECT_EQ(kept("18446744073709551615 % 10", "i32"), 5U);
    EXPECT_EQ(kept("1 if -1 < 18446744073709551615 else 0", "i32"), 1U);
    EXPECT_EQ(kept("maximum(-1, 18446744073709551615)", "u64"), kLargest);
    EXPECT_EQ(kept("18446744073709551615 & 255", "i32"), 255U);
    EXPECT_EQ(kept("18446744073709551615 >> 63", "i32"), 1U);
    EXPECT_EQ(kept("int(9223372036854775808.0)", "u64"), std::uint64_t{1} << 63U);
    EXPECT_EQ(kept("(-3) ** 39", "i64"), static_cast<std::uint64_t>(std::int64_t{-4052555153018976267}));
    for (const std::string_view text : {"18446744073709551615 + 1", "2 ** 64", "9223372036854775808 * -2", "1 << 64", "-2 ** 65"})
        EXPECT_NE(errorOf(format("output const_scalar({}, u64)\n", text)).find("overflows 64 bits"), std::string::npos) << text;
}

TEST(LanguageIntegers, countingIsExact)
{
    EXPECT_EQ(bitsOf("output arange(9007199254740993, 9007199254740996, dtype = i64)\n"),
              (Bits{9007199254740993, 9007199254740994, 9007199254740995}));
    EXPECT_EQ(bitsOf("output arange(18446744073709551613, 18446744073709551615, dtype = u64)\n"),
              (Bits{kLargest - 2, kLargest - 1}));
    EXPECT_EQ(bitsOf("output arange(3, 0, -2)\n"), (Bits{3, 1}));
    EXPECT_EQ(bitsOf("output len(range(-9223372036854775808, 9223372036854775807, 4611686018427387904))\n"), (Bits{4}));
    EXPECT_NE(errorOf("output arange(300, dtype = u8)\n").find("299 does not fit into u8"), std::string::npos);
}

TEST(LanguageIntegers, theTextOfTheGraphKeepsThem)
{
    const ProgramResult compiled =
        compileText("const k: u64[2] = [18446744073709551615, 9223372036854775808]\nconst l: i64[1] = [-9223372036854775808]\n"
                    "input x: u64[2]\noutput k\noutput l\noutput x ^ 18446744073709551615\n");
    ASSERT_TRUE(compiled.graph) << toText(compiled.diagnostics);
    const std::string text = printGraph(*compiled.graph).text;
    EXPECT_NE(text.find("18446744073709551615"), std::string::npos) << text;
    const auto parsed = parseGraph(text, "k.graph");
    ASSERT_TRUE(parsed) << toText(parsed.error()) << text;
    EXPECT_EQ(printGraph(*parsed).text, text);
}

} // namespace
} // namespace sw::test
