// The largest of a window's elements by their bits, and borders of zeros in place of -inf.

#include "engine/graph/interpreter.h"
#include "engine/passes/graph/simplify.h"
#include "tests/unit/passes/graph_pass_fixture.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace sw {
namespace {

// Windows of 2 x 2 that move by 2, and the largest of each, of the value %N [4, 4].
std::string largestOf(const std::string &value, const std::string &dtype = "f32")
{
    return "%90 = view " + value + " {strides = [8, 2, 4, 1], offset = 0} : " + dtype +
           "[2, 2, 2, 2]\n%91 = reduce_axis max %90 " + "{axes = [2, 3]} : " + dtype +
           "[2, 2, 1, 1]\nsink %91 {names = [\"y\"]}\n";
}

// x and u, two inputs of any sign, and a constant of all their shape as %5.
std::string inputs(const std::string &constant, const std::string &dtype = "f32")
{
    return "%0 = placeholder {name = \"x\", role = input} : " + dtype +
           "[4, 4] #x\n%1 = placeholder {name = \"u\", role = input} : " + dtype +
           "[4, 4] #u\n%2 = const_scalar {value = " + constant + "} : " + dtype + "[]\n%3 = reshape %2 : " + dtype +
           "[1, 1]\n%5 = expand %3 : " + dtype + "[4, 4]\n";
}

bool isByBits(const std::string &lines)
{
    const std::string after = afterPass(simplify, lines);
    const bool isSo = after.find("reduce_axis max") != std::string::npos && after.find("bitcast") != std::string::npos;
    EXPECT_EQ(isSo,
              after.find(" : u32[2, 2, 1, 1]") != std::string::npos || after.find(" : u16[2, 2, 1, 1]") != std::string::npos)
        << after;
    return isSo;
}

TEST(SimplifyExtremes, theLargestOfWhatIsNotNegativeHasTheLargestBits)
{
    const std::string above = "%6 = max %0, %5 : f32[4, 4]\n";
    EXPECT_TRUE(isByBits(inputs("0.0") + above + largestOf("%6")));
    EXPECT_TRUE(isByBits(inputs("0.5") + above + largestOf("%6")));
    EXPECT_FALSE(isByBits(inputs("-0.0") + above + largestOf("%6"))) << "the bits of -0 are above all numbers'";
    EXPECT_FALSE(isByBits(inputs("-1.0") + above + largestOf("%6")));
    EXPECT_FALSE(isByBits(inputs("0.0") + largestOf("%0"))) << "any sign";
    EXPECT_FALSE(isByBits(inputs("0.0") + "%6 = max %0, %1 : f32[4, 4]\n" + largestOf("%6")));
    EXPECT_TRUE(isByBits(inputs("0.0", "f16") + "%6 = max %5, %0 : f16[4, 4]\n" + largestOf("%6", "f16")));
    EXPECT_TRUE(isByBits(inputs("0.0", "bf16") + "%6 = max %0, %5 : bf16[4, 4]\n" + largestOf("%6", "bf16")));
    EXPECT_FALSE(isByBits(inputs("0.0", "f64") + "%6 = max %0, %5 : f64[4, 4]\n" + largestOf("%6", "f64")))
        << "few processors have an instruction for 64 bits";
    EXPECT_FALSE(isByBits(inputs("0", "i32") + "%6 = max %0, %5 : i32[4, 4]\n" + largestOf("%6", "i32"))) << "integers";
    const std::string rows = "%90 = reduce_axis max %6 {axes = [1]} : f32[4, 1]\nsink %90 {names = [\"y\"]}\n";
    EXPECT_FALSE(isByBits(inputs("0.0") + above + rows)) << "no windows: as in a softmax";
    const std::string sums = "%90 = view %6 {strides = [8, 2, 4, 1], offset = 0} : f32[2, 2, 2, 2]\n"
                             "%91 = reduce_axis min %90 {axes = [2, 3]} : f32[2, 2, 1, 1]\nsink %91 {names = [\"y\"]}\n";
    EXPECT_FALSE(isByBits(inputs("0.0") + above + sums)) << "NaN has the largest bits, and must win here, too";
}

TEST(SimplifyExtremes, whatIsNotNegative)
{
    const auto isKnown = [](const std::string &lines) { return isByBits(inputs("0.0") + lines + largestOf("%8")); };
    const std::string both = "%6 = exp %0 : f32[4, 4]\n%7 = abs %1 : f32[4, 4]\n";
    EXPECT_TRUE(isKnown(both + "%8 = add %6, %7 : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown(both + "%8 = mul %6, %7 : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown(both + "%8 = fdiv %6, %7 : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown(both + "%8 = min %6, %7 : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown(both + "%8 = max %6, %0 : f32[4, 4]\n")) << "one is enough";
    EXPECT_TRUE(isKnown(both + "%8 = max %1, %7 : f32[4, 4]\n")) << "the other one is enough";
    EXPECT_FALSE(isKnown(both + "%8 = sub %6, %7 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown(both + "%8 = add %6, %0 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown(both + "%8 = min %6, %0 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown("%8 = sqrt %0 : f32[4, 4]\n")) << "of -0 it is -0";
    EXPECT_TRUE(isKnown("%6 = exp2 %0 : f32[4, 4]\n%8 = sqrt %6 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown("%8 = relu %0 : f32[4, 4]\n")) << "of -0 it is -0";
    const std::string choice = "%4 = cmplt %0, %1 : bool[4, 4]\n";
    EXPECT_TRUE(isKnown(both + choice + "%8 = where %4, %6, %7 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown(both + choice + "%8 = where %4, %6, %1 : f32[4, 4]\n"));
    const std::string halves = both + "%9 = shrink %6 {begin = [0, 0], end = [2, 4]} : f32[2, 4]\n";
    EXPECT_TRUE(isKnown(halves + "%10 = shrink %7 {begin = [0, 0], end = [2, 4]} : f32[2, 4]\n"
                                 "%8 = cat %9, %10 {axis = 0} : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown(halves + "%10 = shrink %0 {begin = [0, 0], end = [2, 4]} : f32[2, 4]\n"
                                  "%8 = cat %9, %10 {axis = 0} : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown(both + "%9 = reduce_axis add %6 {axes = [1]} : f32[4, 1]\n%8 = expand %9 : f32[4, 4]\n"));
    EXPECT_TRUE(isKnown("%6 = exp %0 : f32[4, 4]\n%7 = cast %6 : f16[4, 4]\n%8 = cast %7 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown("%7 = cast %0 : f16[4, 4]\n%8 = cast %7 : f32[4, 4]\n"));
    EXPECT_FALSE(isKnown("%7 = cast %0 : u32[4, 4]\n%8 = bitcast %7 : f32[4, 4]\n")) << "any bits";
    // A node that is reached by two ways, by one of which it does not matter.
    EXPECT_FALSE(isKnown("%6 = exp %1 : f32[4, 4]\n%7 = max %0, %6 : f32[4, 4]\n%8 = mul %7, %0 : f32[4, 4]\n"));
}

struct Border {
    std::int64_t before = 1; // in both directions
    std::int64_t after = 1;
    const char *fill = "-inf";
};

// x [4, 4], not negative, with a border, and windows of a size that move by a step.
std::string padded(const Border &border, std::int64_t window, std::int64_t step)
{
    const std::int64_t row = 4 + border.before + border.after;
    const std::int64_t count = (row - window) / step + 1;
    return inputs("0.0") + "%6 = max %0, %5 : f32[4, 4]\n" +
           format("%7 = pad %6 {{before = [{0}, {0}], after = [{1}, {1}], fill = {2}}} : f32[{3}, {3}]\n", border.before,
                  border.after, border.fill, row) +
           format("%8 = view %7 {{strides = [{0}, {1}, {2}, 1], offset = 0}} : f32[{3}, {3}, {4}, {4}]\n", step * row, step, row,
                  count, window) +
           format("%9 = reduce_axis max %8 {{axes = [2, 3]}} : f32[{0}, {0}, 1, 1]\nsink %9 {{names = [\"y\"]}}\n", count);
}

TEST(SimplifyExtremes, aBorderIsZerosWhereEachWindowHasAnotherElement)
{
    const auto hasZeros = [](const std::string &lines) {
        const std::string after = afterPass(simplify, lines);
        EXPECT_EQ(after.find("fill = 0} : u32") != std::string::npos, after.find("bitcast") != std::string::npos) << after;
        return after.find("bitcast") != std::string::npos;
    };
    EXPECT_TRUE(hasZeros(padded({}, 3, 1)));
    EXPECT_TRUE(hasZeros(padded({}, 3, 2)));
    EXPECT_TRUE(hasZeros(padded({}, 2, 2))) << "the last window begins with the last element";
    EXPECT_TRUE(hasZeros(padded({2, 2}, 3, 1)));
    EXPECT_FALSE(hasZeros(padded({2, 0}, 2, 1))) << "the first window is all border";
    EXPECT_TRUE(hasZeros(padded({0, 1}, 2, 1)));
    EXPECT_FALSE(hasZeros(padded({0, 2}, 2, 1))) << "the last window is all border";
    EXPECT_TRUE(hasZeros(padded({.fill = "-1.0"}, 3, 1)));
    EXPECT_FALSE(hasZeros(padded({.fill = "-0.0"}, 3, 1)));
    const auto seenThrough = [&](const std::string &strides, const std::string &shape) {
        return inputs("0.0") +
               "%6 = max %0, %5 : f32[4, 4]\n%7 = pad %6 {before = [1, 1], after = [1, 1], fill = -inf} : f32[6, 6]\n" +
               "%8 = view %7 {strides = [" + strides + "], offset = 0} : f32" + shape + "\n" +
               "%9 = reduce_axis max %8 {axes = [2, 3]} : f32[3, " + shape.substr(4, 1) + ", 1, 1]\nsink %9 {names = [\"y\"]}\n";
    };
    EXPECT_TRUE(hasZeros(seenThrough("6, 1, 6, 1", "[3, 4, 3, 3]")));
    EXPECT_FALSE(hasZeros(seenThrough("6, 1, 6, 1", "[3, 6, 3, 3]"))) << "windows that begin in the border at the end of a row";
    EXPECT_FALSE(hasZeros(seenThrough("6, 1, 12, 2", "[3, 2, 2, 3]"))) << "elements of a window that lie apart";
}

// The bits are taken of what is stored anyway: of the image before its border and windows, but of a cat only where it is read.
TEST(SimplifyExtremes, takeTheBitsOfTheImage)
{
    const std::string image = afterPass(simplify, padded({}, 3, 1));
    const std::size_t bits = image.find("bitcast");
    EXPECT_LT(image.find("max %"), bits) << image;
    EXPECT_LT(bits, image.find("= pad ")) << image;
    EXPECT_LT(image.find("= pad "), image.find("= view ")) << image;
    const std::string joined = afterPass(simplify, inputs("0.0") +
                                                       "%6 = exp %0 : f32[4, 4]\n%7 = exp2 %1 : f32[4, 4]\n"
                                                       "%8 = shrink %6 {begin = [0, 0], end = [2, 4]} : f32[2, 4]\n"
                                                       "%9 = shrink %7 {begin = [0, 0], end = [2, 4]} : f32[2, 4]\n"
                                                       "%10 = cat %8, %9 {axis = 0} : f32[4, 4]\n" +
                                                       largestOf("%10"));
    EXPECT_LT(joined.find("= view "), joined.find("bitcast")) << joined;
}

// -0, infinities, NaNs of both signs and subnormals among the elements.
TEST(SimplifyExtremes, giveTheSameValues)
{
    const double infinite = std::numeric_limits<double>::infinity();
    const double nan = std::numeric_limits<double>::quiet_NaN();
    const std::vector<double> special{0.0, -0.0, 1.0, -1.0, infinite, -infinite, nan, -nan, 1e-42, -1e-42, 3e38, 2.5};
    for (const std::string &lines :
         {inputs("0.0") + "%6 = max %0, %5 : f32[4, 4]\n" + largestOf("%6"), padded({}, 3, 1), padded({}, 3, 2)}) {
        const Graph direct = graphOfLines(lines);
        PassRun run;
        const auto simpler = simplify(direct, run.context);
        ASSERT_TRUE(simpler && *simpler);
        for (std::size_t round = 0; round < special.size() * special.size(); ++round) {
            std::vector<HostTensor> given;
            for (const NodeId id : direct.placeholders()) {
                given.emplace_back(DType::F32, direct.node(id).shape);
                for (std::size_t i = 0; i < 16; ++i)
                    given.back().set(
                        static_cast<std::int64_t>(i),
                        Scalar::of(DType::F32, special[(round + i * (1 + round / special.size())) % special.size()]));
            }
            const HostTensor want = interpretGraph(direct, given).value().front();
            const HostTensor got = interpretGraph(**simpler, given).value().front();
            for (std::int64_t i = 0; i < want.elements(); ++i) {
                const auto a = static_cast<float>(want.at(i).asDouble());
                const auto b = static_cast<float>(got.at(i).asDouble());
                ASSERT_TRUE((std::isnan(a) && std::isnan(b)) ||
                            std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b))
                    << a << " became " << b << " in round " << round;
            }
        }
    }
}

} // namespace
} // namespace sw
