// A program for many sizes, made of programs for some: what its numbers become, and what keeps a dimension from staying open.

#include "engine/api/convert/open_dimensions.h"
#include "engine/api/convert/sized_text.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sw {
namespace {

using Sizes = std::vector<std::int64_t>;
// No program of another text is the same.
bool isOther(const ConvertedProgram & /*one*/, const ConvertedProgram & /*other*/)
{
    return false;
}

using TextOf = std::function<std::string(std::int64_t n, std::int64_t m)>;

ConvertedProgram program(std::string text)
{
    ConvertedProgram made;
    made.text = std::move(text);
    return made;
}

// Of two dimensions, n and m.
Result<ConvertedProgram> openOf(const TextOf &textOf)
{
    return withOpenDimensions({"n", "m"}, [&](const Sizes &sizes) { return program(textOf(sizes[0], sizes[1])); }, isOther);
}

std::string messageOf(const TextOf &textOf)
{
    const auto made = openOf(textOf);
    return made ? made->text : made.error().front().message;
}

TEST(SizedText, takesNumbersOutOfWhatIsAroundThem)
{
    const SizedText text = takenApart("v12 = reshape(x, [3, -4]) * 2.5e-3 # \"a 7\"\ny[8:]");
    EXPECT_EQ(text.numbers, (Sizes{3, 4, 8}));
    EXPECT_EQ(text.between, (std::vector<std::string>{"v12 = reshape(x, [", ", -", "]) * 2.5e-3 # \"a 7\"\ny[", ":]"}));
    EXPECT_TRUE(takenApart("99999999999999999999").numbers.empty());
    EXPECT_EQ(takenApart("").between, (std::vector<std::string>{""}));
}

TEST(SizedText, findsTheTermOfItsValues)
{
    // 3 * n * m - 2 * m + 7 for n from 5, m from 9
    const auto value = [](std::int64_t n, std::int64_t m) { return 3 * n * m - 2 * m + 7; };
    const SizeTerm term({value(5, 9), value(6, 9), value(5, 10), value(6, 10)}, {5, 9});
    EXPECT_EQ(term.text({"n", "m"}), "3 * n * m - 2 * m + 7");
    EXPECT_EQ(term.valueAt({64, 1}), value(64, 1));
    EXPECT_FALSE(term.isConstant());
    const SizeTerm constant({-4, -4}, {5});
    EXPECT_TRUE(constant.isConstant());
    EXPECT_EQ(constant.text({"n"}), "-4");
    EXPECT_TRUE(SizeTerm({5, 6}, {5}).isOneName());
    EXPECT_FALSE(SizeTerm({10, 12}, {5}).isOneName());
}

TEST(OpenDimensions, becomeExpressionsWhereNumbersDiffer)
{
    const auto made = openOf([](std::int64_t n, std::int64_t m) {
        return format("# Made of it.\ninput x: f32[{}, {}, 4]\ny = reshape(x, [{}]) * {}\noutput y\n", n, m, n * m * 4,
                      2 * n + 1);
    });
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->text, "# Made of it.\nn: dim[1, 64]\nm: dim[1, 64]\ninput x: f32[n, m, 4]\n"
                          "y = reshape(x, [4 * n * m]) * (2 * n + 1)\noutput y\n");
}

TEST(OpenDimensions, haveNamesThatNothingElseHas)
{
    const auto made = withOpenDimensions(
        {"batch", "x.0"}, [](const Sizes &sizes) { return program(format("batch = f({}, {})\n", sizes[0], sizes[1])); }, isOther);
    ASSERT_TRUE(made);
    EXPECT_EQ(made->text, "batch_2: dim[1, 64] # \"batch\"\nx_0: dim[1, 64] # \"x.0\"\nbatch = f(batch_2, x_0)\n");
}

TEST(OpenDimensions, doNotStayOpenWhereANumberIsNoSumOfProducts)
{
    const auto line = [](std::int64_t number) { return format("# title\n# y = Slice(x)\ny = x[0:{}]\n", number); };
    for (const TextOf &textOf : {TextOf([&](std::int64_t n, std::int64_t) { return line(std::min<std::int64_t>(n, 40)); }),
                                 TextOf([&](std::int64_t n, std::int64_t) { return line((n - 1) / 2); }),
                                 TextOf([&](std::int64_t n, std::int64_t) { return line(n * n); }),
                                 TextOf([&](std::int64_t n, std::int64_t) { return line(n % 4 == 0 ? 9 : 7); })}) {
        const std::string message = messageOf(textOf);
        EXPECT_NE(message.find("the program is another one at: y = Slice(x)"), std::string::npos) << message;
    }
}

TEST(OpenDimensions, doNotStayOpenWhereTheProgramsAreOthers)
{
    EXPECT_NE(messageOf([](std::int64_t n, std::int64_t) {
                  return format("# title\ninput x: f32[{}]\n# y = If(x)\n{}\n", n, n > 5 ? "y = exp(x)" : "y = log(x)");
              }).find("at: y = If(x)"),
              std::string::npos);
    const auto odd = withOpenDimensions(
        {"n"},
        [](const Sizes &sizes) -> Result<ConvertedProgram> {
            if (sizes[0] % 2 == 1)
                return Diagnostic::error(Code::ShapeMismatch, {}, "{} elements do not fill it", sizes[0]);
            return program(format("{}", sizes[0]));
        },
        isOther);
    ASSERT_FALSE(odd);
    EXPECT_EQ(odd.error().front().message, "there is no program for n = 5: 5 elements do not fill it");
}

TEST(OpenDimensions, haveOtherWeightsInNoOtherProgram)
{
    const auto made = withOpenDimensions(
        {"n"},
        [](const Sizes &sizes) {
            ConvertedProgram one = program("y\n");
            one.weights.emplace_back("w", HostTensor::ofScalar(Scalar::of(DType::F32, static_cast<double>(sizes[0]))));
            return one;
        },
        isOther);
    EXPECT_FALSE(made);
}

TEST(OpenDimensions, beginAtTwoWhereOneIsSpecial)
{
    const auto made = openOf([](std::int64_t n, std::int64_t m) { return format("y = x[{}, {}]\n", n == 1 ? 3 : n, m); });
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->text, "n: dim[2, 64] # for 1 the model is another program\nm: dim[1, 64]\ny = x[n, m]\n");
}

TEST(OpenDimensions, beginAtOneWhereItIsWrittenInAnotherWayOnly)
{
    std::vector<std::string> asked;
    const auto made = withOpenDimensions(
        {"n"}, [](const Sizes &sizes) { return program(format("y = {}[{}]\n", sizes[0] == 1 ? "z" : "x", sizes[0])); },
        [&](const ConvertedProgram &one, const ConvertedProgram &other) {
            asked.push_back(one.text + other.text);
            return true;
        });
    ASSERT_TRUE(made) << toText(made.error());
    EXPECT_EQ(made->text, "n: dim[1, 64]\ny = x[n]\n");
    EXPECT_EQ(asked, (std::vector<std::string>{"y = z[1]\ny = x[1]\n"}));
}

TEST(OpenDimensions, areFew)
{
    const auto made = withOpenDimensions({"a", "b", "c", "d"}, [](const Sizes &) { return program("y\n"); }, isOther);
    ASSERT_FALSE(made);
    EXPECT_EQ(made.error().front().message, "there are 4 of them, and at most 3 are kept open");
}

TEST(OpenDimensions, tellTheLineOfTheModel)
{
    const std::string text = "# title\nn: dim[1, 64]\n# y = Exp(x)\ny = exp(x)\nz = y + 1\n";
    EXPECT_EQ(modelLineOf(text, 5), "y = Exp(x)");
    EXPECT_EQ(modelLineOf(text, 2), "n: dim[1, 64]") << "the title is no line of a model";
    EXPECT_EQ(modelLineOf(text, 9), "");
}

} // namespace
} // namespace sw
