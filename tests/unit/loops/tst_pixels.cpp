// Windows of images whose channels are side by side in memory: pixels beside padding are read where they are, and neighbouring
// windows share vectors of channels.

#include "tests/unit/loops/loops_of_text.h"
#include "tests/unit/loops/lowering_fixture.h"

namespace sw {
namespace {

struct Windows {
    std::int64_t rows = 7;
    std::int64_t columns = 6;
    std::int64_t channels = 16;
    std::int64_t window = 3;
    std::int64_t stride = 1;
    std::int64_t before = 1; // rows and columns of padding
    std::int64_t after = 1;
    double fill = 0;
};

class Pixels : public LoweringTest {
protected:
    // [rows, columns, channels, window rows, window columns] of an image [rows, columns, channels] with a border.
    NodeId windowsOf(const Windows &made)
    {
        const NodeId x = input(DType::F32, {made.rows, made.columns, made.channels});
        const PadAttributes border{{made.before, made.before, 0}, {made.after, made.after, 0}, Scalar::of(DType::F32, made.fill)};
        const NodeId padded = builder->pad(Origin(item), x, border).value();
        const Shape &shape = builder->node(padded).shape;
        const std::int64_t row = shape[1] * made.channels;
        const std::int64_t down = (shape[0] - made.window) / made.stride + 1;
        const std::int64_t across = (shape[1] - made.window) / made.stride + 1;
        return builder
            ->view(Origin(item), padded, {down, across, made.channels, made.window, made.window},
                   {.strides = {made.stride * row, made.stride * made.channels, 1, row, made.channels}, .offset = 0, .mask = {}})
            .value();
    }

    // Each channel of the windows with a kernel of its own, whose weights are side by side for neighbouring channels.
    NodeId byChannel(const Windows &made)
    {
        const NodeId weights =
            builder
                ->reshape(Origin(item),
                          builder->permute(Origin(item), input(DType::F32, {made.window, made.window, made.channels}), {2, 0, 1})
                              .value(),
                          {1, 1, made.channels, made.window, made.window})
                .value();
        return sum(op(Op::Mul, windowsOf(made), weights), {3, 4});
    }
};

TEST_F(Pixels, beOfAnySizeAndBorder)
{
    for (const Windows &each :
         {Windows{}, Windows{.rows = 1, .columns = 1}, Windows{.rows = 2, .columns = 9, .channels = 40},
          Windows{.rows = 12, .columns = 11, .channels = 8}, Windows{.rows = 9, .columns = 8, .stride = 2},
          Windows{.window = 5, .before = 2, .after = 2}, Windows{.before = 0, .after = 2}, Windows{.before = 3, .after = 0},
          Windows{.rows = 16, .columns = 16, .channels = 48, .stride = 2, .before = 0}, Windows{.fill = -2.0},
          Windows{.channels = 5}, Windows{.rows = 20, .columns = 3, .channels = 32, .window = 7, .before = 3, .after = 3}}) {
        builder.emplace(sources);
        SCOPED_TRACE(format("{} x {} x {}, {} by {}, border {} and {}", each.rows, each.columns, each.channels, each.window,
                            each.stride, each.before, each.after));
        check({byChannel(each)}, 1e-4);
    }
}

// Also where they are only looked at, or converted.
TEST_F(Pixels, beUsedInAnyWay)
{
    check({sum(windowsOf({}), {3, 4}, Op::Max)});
    builder.emplace(sources);
    check({sum(windowsOf({.fill = -1e30}), {3, 4}, Op::Max)});
    builder.emplace(sources);
    check({sum(windowsOf({.rows = 14, .columns = 14}), {3, 4})}, 1e-4);
}

// Of a tile along the rows of the image, one condition says for each step whether its column is padding. Only the two vectors at
// the ends of the tile are chosen.
TEST_F(Pixels, areToldFromPaddingOncePerStep)
{
    check({byChannel({.rows = 12, .columns = 12, .channels = 16})}, 1e-4);
    EXPECT_GT(conditions, 0U) << everyNest;
    EXPECT_EQ(maskedVectors, 0U) << everyNest;
    // Without the condition, each of the vectors of a place in each of the written out steps would be.
    EXPECT_LE(chosenVectors, 2U * 2 * 3) << everyNest;
    EXPECT_LE(limits, 8U) << everyNest;
}

std::string convolutionOf(std::int64_t pixels, std::int64_t channels)
{
    return format(
        "input x: f32[1, {1}, {0}, {0}]\nparam a: f32[{1}, {1}, 1, 1]\nparam c: f32[{1}, 1, 3, 3]\nparam d: f32[{1}, {1}, 1, 1]\n"
        "h = relu(conv2d(x, a))\ng = relu(conv2d(h, c, padding = 1, groups = {1}))\noutput conv2d(g, d)\n",
        pixels, channels);
}

std::string kernelWith(const std::string &loops, std::string_view part)
{
    const std::size_t at = loops.find(part);
    EXPECT_NE(at, std::string::npos) << part << loops;
    const std::size_t begin = at == std::string::npos ? 0 : loops.rfind("kernel k", at);
    return loops.substr(begin, loops.find("\nkernel k", at) - begin);
}

// How many rows a tile has that shares vectors, in the kernel whose loads are under the condition of a border.
std::int64_t rowsOfTile(const std::string &loops)
{
    const std::string kernel = kernelWith(loops, " and 0 <= ");
    const std::size_t at = kernel.find(" register tile of");
    EXPECT_NE(at, std::string::npos) << kernel;
    const std::size_t end = kernel.rfind(" x ", at);
    return std::stoll(kernel.substr(kernel.rfind(' ', end - 1) + 1));
}

TEST(PixelTiles, readTheBorderInPlaceAndWeightsInPanels)
{
    const std::string loops = test::allLoopsOfText(convolutionOf(40, 64), 1, {});
    EXPECT_EQ(loops.find("_pad"), std::string::npos) << loops;
    const std::string kernel = kernelWith(loops, " and 0 <= ");
    EXPECT_NE(kernel.find("i2//16*144"), std::string::npos) << "panels of 9 steps of 16 channels" << kernel;
    EXPECT_NE(kernel.find("neighbouring rows of the tile read the same vectors"), std::string::npos) << kernel;
    EXPECT_NE(kernel.find("the register tile innermost"), std::string::npos) << kernel;
    const std::string plain = test::allLoopsOfText(convolutionOf(40, 64), 1, {.layouts = false});
    EXPECT_EQ(plain.find("i2//16*144"), std::string::npos) << plain;
}

// Rows of 96 pixels of 32 channels are 12,288 bytes, three times 4096, so that all of them fall on one set of the first level,
// which keeps 8 lines; those of 112 pixels fall on two.
TEST(PixelTiles, haveAsManyRowsAsTheFirstLevelKeeps)
{
    EXPECT_EQ(rowsOfTile(test::allLoopsOfText(convolutionOf(96, 32), 1, {})), 6) << "8 rows of the image";
    EXPECT_EQ(rowsOfTile(test::allLoopsOfText(convolutionOf(112, 32), 1, {})), 12);
}

} // namespace
} // namespace sw
