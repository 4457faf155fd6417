// Which values a sweep has, what it marks, and how it is written.

#include "engine/api/sweep.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

using Values = std::vector<std::int64_t>;

Values valuesOf(std::string_view text)
{
    return sweepValues(sweepRangeIn(text).value());
}

SweepPoint point(std::int64_t value, std::int64_t nanoseconds, std::vector<std::string> changes = {})
{
    SweepPoint made;
    made.value = value;
    made.time.median = made.time.low = made.time.high = std::chrono::nanoseconds(nanoseconds);
    made.time.runs = 9;
    made.flops = 2 * nanoseconds;
    made.kernels = 1;
    made.changes = std::move(changes);
    return made;
}

TEST(Sweep, readsRanges)
{
    const SweepRange range = sweepRangeIn("x=1..4096:9").value();
    EXPECT_EQ(range.name, "x");
    EXPECT_EQ(range.high, 4096);
    EXPECT_EQ(range.steps, 9);
    EXPECT_EQ(valuesOf("n=7"), (Values{7}));
    for (const char *wrong : {"", "n", "n=", "=1..2", "n=1..", "n=..2", "n=2..1", "n=0..4", "n=1..4:1", "n=1..4:x", "n=1...4",
                              "n=-1..4", "n=1..99999999999999"})
        EXPECT_FALSE(sweepRangeIn(wrong)) << wrong;
}

TEST(Sweep, valuesHaveBothEndsAndGrow)
{
    EXPECT_EQ(valuesOf("n=1..4"), (Values{1, 2, 3, 4}));
    EXPECT_EQ(valuesOf("n=1..100"), (Values{1, 2, 4, 8, 16, 32, 64, 100}));
    EXPECT_EQ(valuesOf("n=24..64"), (Values{24, 32, 64}));
    EXPECT_EQ(valuesOf("n=1..4096:5"), (Values{1, 8, 64, 512, 4096}));
    EXPECT_EQ(valuesOf("n=1..3:9"), (Values{1, 2, 3})); // those that coincide are one
}

TEST(Sweep, fixesADimensionWhereItIsDeclared)
{
    const std::string program = "# n: dim[1, 2]\nn: dim[1, 64] = 8  # rows\ninput x: f32[n, 4]\noutput x + 1.0\n";
    EXPECT_EQ(withFixedDimension(program, "n", 24).value(),
              "# n: dim[1, 2]\nn: dim[24, 24] = 24\ninput x: f32[n, 4]\noutput x + 1.0\n");
    EXPECT_EQ(withFixedDimension("m : dim [1, 9]", "m", 3).value(), "m: dim[3, 3] = 3");
    EXPECT_FALSE(withFixedDimension(program, "x", 24));
    EXPECT_FALSE(withFixedDimension(program, "m", 24));
}

TEST(Sweep, marksWhatIsDecidedOtherwise)
{
    const std::vector<KernelDecisions> one{{"k0_softmax", {"split i0 8", "set_type i0.i vector"}}};
    const std::vector<KernelDecisions> larger{{"k0_softmax", {"split i0 16", "set_type i0.i vector"}}};
    const std::vector<KernelDecisions> two{{"k0_softmax", {"split i0 8", "set_type i0.i vector"}}, {"k1_sum", {}}};
    EXPECT_TRUE(changedDecisions(one, one).empty());
    EXPECT_EQ(changedDecisions(one, larger), (std::vector<std::string>{"k0_softmax: - split i0 8, + split i0 16"}));
    EXPECT_EQ(changedDecisions(one, two), (std::vector<std::string>{"kernels 1 -> 2: + k1_sum"}));
    const std::vector<KernelDecisions> turned{{"k0_softmax", {"set_type i0.i vector", "split i0 8"}}};
    EXPECT_EQ(changedDecisions(one, turned), (std::vector<std::string>{"k0_softmax: another order"}));
}

TEST(Sweep, writesCsvAsItIsQuoted)
{
    const Sweep sweep{"n", "t", {point(1, 100), point(2, 200, {"k0: - a, + \"b\"", "k1: + c"})}};
    EXPECT_EQ(csvOf(sweep), "n,median_ns,low_ns,high_ns,runs,flops,gflop_per_s,kernels,changes\r\n"
                            "1,100,100,100,9,200,2,1,\r\n"
                            "2,200,200,200,9,400,2,1,\"k0: - a, + \"\"b\"\"; k1: + c\"\r\n");
}

TEST(Sweep, drawsAPointForEachValueAndALineForEachMark)
{
    const Sweep sweep{"n", "a < b", {point(1, 100), point(2, 200, {"k0: + c"}), point(4, 300, {"k0: - c", "k1: + d"})}};
    const std::string svg = svgOf(sweep);
    const auto count = [&](std::string_view part) {
        std::size_t found = 0;
        for (std::size_t at = svg.find(part); at != std::string::npos; at = svg.find(part, at + 1))
            ++found;
        return found;
    };
    EXPECT_EQ(count("<circle"), 6U); // time and rate
    EXPECT_EQ(count("stroke-dasharray"), 2U);
    EXPECT_EQ(count("1 at n = 2: k0: + c"), 1U);
    EXPECT_EQ(count("2 at n = 4: "), 2U);
    EXPECT_EQ(count("a &lt; b"), 1U);
    EXPECT_EQ(count("<svg"), count("</svg>"));
    EXPECT_EQ(count("nan"), 0U);
    // A single point, and none that computes, are drawn too.
    Sweep single{"n", "t", {point(8, 100)}};
    single.points[0].flops = 0;
    EXPECT_EQ(svgOf(single).find("nan"), std::string::npos);
}

} // namespace
} // namespace sw
