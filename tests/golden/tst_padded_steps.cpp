// Convolutions by constant weights: these are laid out in panels, steps in padding are left out, and stores across rows are
// transposed. The results are those of the plain loops, and what is not finite stays so.

#include "tests/golden/program_fixture.h"

#include "engine/loops/printer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>

namespace sw::test {
namespace {

struct Convolution {
    const char *name;
    std::int64_t channels = 1;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t outputs = 1;
    std::int64_t window = 3;
    const char *options = "";
    const char *image = "x";
    bool leavesOut = true;
    std::int64_t groups = 1;
    const char *special = ""; // in place of one of the weights
};

void PrintTo(const Convolution &convolution, std::ostream *out)
{
    *out << convolution.name;
}

constexpr Convolution kConvolutions[] = {
    {"small_image", 6, 7, 7, 32, 3, "padding = 1"},
    {"odd_image", 5, 6, 9, 48, 3, "padding = 1"},
    {"rows_of_two_tiles", 4, 6, 28, 32, 3, "padding = 1"},
    {"stride", 4, 13, 13, 32, 5, "stride = 2, padding = 2"},
    {"strides_that_differ", 4, 11, 14, 32, 3, "stride = [1, 2], padding = 1"},
    {"dilation", 4, 7, 7, 32, 3, "dilation = 2, padding = 2"},
    {"wide_padding", 4, 9, 9, 32, 3, "padding = 3"},
    {"groups", 8, 7, 7, 64, 3, "padding = 1, groups = 2", "x", true, 2},
    {"few_outputs", 6, 7, 7, 17, 3, "padding = 1", "x", true},
    {"not_a_number_in_the_image", 6, 7, 7, 32, 3, "padding = 1", "log(x)"},
    {"infinity_in_the_weights", 6, 7, 7, 32, 3, "padding = 1", "x", false, 1, "inf"},
    {"not_a_number_in_the_weights", 6, 7, 7, 32, 3, "padding = 1", "x", false, 1, "nan"},
    {"no_padding", 16, 7, 7, 32, 1, "padding = 0", "x", false},
};

// The weights as a nested list, with the special value in the first of the window's places, which reads padding.
std::string listOf(std::mt19937 &random, std::vector<std::int64_t> shape, std::string_view special)
{
    if (shape.empty())
        return format("{}", static_cast<double>(random() % 2001) / 1000.0 - 1.0);
    const std::int64_t extent = shape.front();
    shape.erase(shape.begin());
    std::vector<std::string> parts;
    for (std::int64_t i = 0; i < extent; ++i)
        parts.push_back(i == 0 && shape.empty() && !special.empty() ? std::string(special)
                                                                    : listOf(random, shape, i == 0 ? special : ""));
    return "[" + join(parts, ", ", [](const std::string &part) { return part; }) + "]";
}

std::string programOf(const Convolution &convolution)
{
    std::mt19937 random(7);
    const std::vector<std::int64_t> weights{convolution.outputs, convolution.channels / convolution.groups, convolution.window,
                                            convolution.window};
    return format("input x: f32[1, {}, {}, {}]\nconst w: f32[{}, {}, {}, {}] = {}\noutput conv2d({}, w, {})\n",
                  convolution.channels, convolution.rows, convolution.columns, weights[0], weights[1], weights[2], weights[3],
                  listOf(random, weights, convolution.special), convolution.image, convolution.options);
}

class PaddedSteps : public ProgramTest, public testing::WithParamInterface<std::tuple<std::string, Convolution>> {};

class PaddedImages : public ProgramTest {};

bool areWrittenOut(const LoopProgram &program)
{
    return std::ranges::any_of(program.nests, [](const auto &nest) {
        return std::ranges::any_of(nest->transforms, [](const Transform &one) {
            return one.kind == TransformKind::Unroll && one.reason.find("steps in padding are left out") != std::string::npos;
        });
    });
}

// Of the machine: 16 lanes are 64 bytes.
bool hasVectorsOf(const LoopProgram &program, std::int64_t lanes)
{
    return std::ranges::any_of(program.nests, [lanes](const auto &nest) {
        return std::ranges::any_of(nest->axes,
                                   [lanes](const Axis &axis) { return axis.type == AxisType::Vector && axis.extent == lanes; });
    });
}

TEST_P(PaddedSteps, giveWhatPlainLoopsGive)
{
    const auto &[device, convolution] = GetParam();
    if (const std::string reason = whyUnavailable(device); !reason.empty())
        GTEST_SKIP() << reason;
    const auto both = runBothWays(programOf(convolution), device);
    ASSERT_TRUE(both) << toText(both.error());
    const bool isWrittenOut = areWrittenOut(*both->compilation.loops);
    EXPECT_TRUE(!isWrittenOut || convolution.leavesOut);
    // Narrower vectors have other tiles.
    if (hasVectorsOf(*both->compilation.loops, 16) || std::string_view(convolution.name) == "small_image")
        EXPECT_EQ(isWrittenOut, convolution.leavesOut);
    const HostTensor &got = both->chosen;
    const HostTensor &expected = both->plain;
    ASSERT_EQ(got.elements(), expected.elements());
    std::int64_t notFinite = 0;
    for (std::int64_t i = 0; i < got.elements(); ++i) {
        const double wanted = expected.at(i).asDouble();
        if (!std::isfinite(wanted)) {
            ++notFinite;
            ASSERT_EQ(std::isnan(got.at(i).asDouble()), std::isnan(wanted)) << "element " << i;
            ASSERT_TRUE(std::isnan(wanted) || got.at(i).asDouble() == wanted) << "element " << i;
            continue;
        }
        ASSERT_NEAR(got.at(i).asDouble(), wanted, 1e-4) << "element " << i;
    }
    const bool hasSpecial = *convolution.special != '\0' || std::string_view(convolution.image) != "x";
    EXPECT_EQ(notFinite > 0, hasSpecial);
}

// Two convolutions whose loops are equal, and whose images are padded above and below: different steps of them are left out.
TEST_F(PaddedImages, arePaddedOnTheirOwnSides)
{
    std::mt19937 random(3);
    const std::vector<std::int64_t> shape{16, 6, 3, 3};
    const std::string text = format("input x: f32[1, 6, 7, 7]\nconst v: f32[16, 6, 3, 3] = {}\nconst w: f32[16, 6, 3, 3] = {}\n"
                                    "above = conv2d(pad(x, [[0, 0], [0, 0], [2, 0], [1, 1]]), v)\n"
                                    "below = conv2d(pad(x, [[0, 0], [0, 0], [0, 2], [1, 1]]), w)\noutput cat([above, below])\n",
                                    listOf(random, shape, ""), listOf(random, shape, ""));
    const auto both = runBothWays(text, "llvm");
    ASSERT_TRUE(both) << toText(both.error());
    ASSERT_TRUE(areWrittenOut(*both->compilation.loops));
    expectNear(both->chosen, both->plain, 1e-4);
}

// All vectors of a row of padding, up to 16, so that each has a mask that is known. A longer row, or one that is padded above and
// below only, has a loop over vectors. (Windows of 3 x 5, for which there are no Winograd tiles.)
TEST_F(PaddedImages, areWrittenOutByRows)
{
    struct Row {
        int columns = 0;
        int sides = 1;            // padded columns on each side
        std::int64_t vectors = 0; // side by side
    };
    const auto device = m_registry.device("llvm");
    ASSERT_TRUE(device) << toText(device.error());
    const bool hasWideVectors = device->device.vectorBytes == 64;
    for (const auto &[columns, sides, vectors] : {Row{200, 1, 12}, Row{250, 3, 16}, Row{600, 1, 4}, Row{200, 0, 3}}) {
        SCOPED_TRACE(columns);
        const std::string text = format("input x: f32[1, 4, 40, {}]\nparam w: f32[8, 4, 3, 5] = random(1)\n"
                                        "output conv2d(x, w, padding = [1, {}])\n",
                                        columns, sides);
        const auto both = runBothWays(text, "llvm");
        ASSERT_TRUE(both) << toText(both.error());
        expectNear(both->chosen, both->plain, 1e-4);
        if (!hasWideVectors)
            continue; // narrower ones have other tiles
        const LoopNest &nest = *both->compilation.loops->nests.front();
        const auto beside = std::ranges::find(nest.axes, AxisType::Upcast, &Axis::type);
        ASSERT_NE(beside, nest.axes.end()) << toText(*both->compilation.loops);
        EXPECT_EQ(beside->extent, vectors) << toText(*both->compilation.loops);
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, PaddedSteps, testing::Combine(testing::Values("llvm", "c"), testing::ValuesIn(kConvolutions)),
                         [](const auto &info) { return format("{}_{}", std::get<0>(info.param), std::get<1>(info.param).name); });

} // namespace
} // namespace sw::test
