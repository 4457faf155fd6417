// Operators that read images between their elements, and what takes images apart and puts them together.

#include "tests/unit/onnx/definitions/definition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace sw::test {

namespace {

// An image of a tensor [n, c, h, w], 0 outside.
struct Image {
    const Numbers &x;
    std::int64_t item, channel;

    [[nodiscard]] double at(std::int64_t row, std::int64_t column) const
    {
        const bool isInside = row >= 0 && row < x.extents[2] && column >= 0 && column < x.extents[3];
        return isInside ? x.at({item, channel, row, column}) : 0;
    }
    // Between elements, by their distances.
    [[nodiscard]] double between(double row, double column) const
    {
        const double top = std::floor(row);
        const double left = std::floor(column);
        double sum = 0;
        for (int i = 0; i < 2; ++i)
            for (int j = 0; j < 2; ++j)
                sum += (i == 0 ? 1 - (row - top) : row - top) * (j == 0 ? 1 - (column - left) : column - left) *
                       at(static_cast<std::int64_t>(top) + i, static_cast<std::int64_t>(left) + j);
        return sum;
    }
};

Numbers image(Draw &draw, std::int64_t least = 1)
{
    return draw.numbers({draw.number(1, 2), draw.number(1, 2), draw.number(least, 5), draw.number(least, 5)});
}

// Eighths from -reach to reach, which few floors are close to.
Numbers eighths(Draw &draw, Places extents, int reach)
{
    return computed(std::move(extents), DType::F32,
                    [&](const Places &) { return static_cast<double>(draw.number(-8 * reach, 8 * reach)) / 8 + 1.0 / 64; });
}

// One region's cell: the samples of it, by how they are combined.
struct Region {
    double begin, size; // of one side, in elements
    std::int64_t cells, samples, extent;

    struct Sample {
        std::int64_t low, high;
        double toHigh; // how far it is from low to high
        bool isInside;
    };
    [[nodiscard]] Sample sample(std::int64_t cell, std::int64_t i) const
    {
        const double bin = size / static_cast<double>(cells);
        double at = begin + static_cast<double>(cell) * bin + (static_cast<double>(i) + 0.5) * bin / static_cast<double>(samples);
        const bool isInside = at >= -1 && at <= static_cast<double>(extent);
        at = std::max(at, 0.0);
        const auto low = static_cast<std::int64_t>(at);
        if (low >= extent - 1)
            return {extent - 1, extent - 1, 0, isInside};
        return {low, low + 1, at - static_cast<double>(low), isInside};
    }
};

} // namespace

TEST(ImageDefinitions, ofRoiAlign)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t opset = draw.number(10, 27);
            const bool isHalf = opset >= 16 && draw.chance(60);
            const bool isMax = draw.chance(40);
            const Numbers x = image(draw);
            const std::int64_t count = draw.number(1, 3);
            const Numbers regions = computed({count, 4}, DType::F32, [&](const Places &at) {
                return static_cast<double>(draw.number(0, 5)) +
                       (at[1] >= 2 ? static_cast<double>(draw.number(1, 12)) / 4 : 0.125);
            });
            const Numbers images = computed(
                {count}, DType::I64, [&](const Places &) { return static_cast<double>(draw.number(0, x.extents[0] - 1)); });
            const std::int64_t rows = draw.number(1, 3), columns = draw.number(1, 3), samples = draw.number(0, 3);
            const auto sideOf = [&](std::int64_t r, std::int64_t corner, std::int64_t cells, std::int64_t extent) {
                const double offset = isHalf ? 0.5 : 0;
                const double begin = regions.at({r, corner}) * 0.5 - offset;
                const double size = regions.at({r, corner + 2}) * 0.5 - offset - begin;
                const double reach = isHalf ? size : std::max(size, 1.0);
                // Without a ratio, one sample for each element that a cell spans.
                const auto points = static_cast<std::int64_t>(std::ceil(reach / static_cast<double>(cells)));
                return Region{begin, reach, cells, samples == 0 ? points : samples, extent};
            };
            Drawn drawn{.text = {.node = {.op = "RoiAlign",
                                          .attributes = {integerAttribute("output_height", rows),
                                                         integerAttribute("output_width", columns),
                                                         integerAttribute("sampling_ratio", samples),
                                                         numberAttribute("spatial_scale", 0.5F),
                                                         textAttribute("mode", isMax ? "max" : "avg")}},
                                 .opset = opset},
                        .inputs = {x, regions, images},
                        .note = format("half {} max {} samples {}", isHalf, isMax, samples)};
            if (opset >= 16)
                drawn.text.node.attributes.push_back(
                    textAttribute("coordinate_transformation_mode", isHalf ? "half_pixel" : "output_half_pixel"));
            drawn.outputs = {computed({count, x.extents[1], rows, columns}, x.dtype, [&](const Places &at) {
                const Region down = sideOf(at[0], 1, rows, x.extents[2]);
                const Region across = sideOf(at[0], 0, columns, x.extents[3]);
                const Image of{x, static_cast<std::int64_t>(images.at({at[0]})), at[1]};
                double sum = 0;
                double most = -INFINITY;
                for (std::int64_t i = 0; i < down.samples; ++i)
                    for (std::int64_t j = 0; j < across.samples; ++j) {
                        const Region::Sample r = down.sample(at[2], i);
                        const Region::Sample c = across.sample(at[3], j);
                        const double here = r.isInside && c.isInside ? 1 : 0;
                        for (const auto &[row, rowWeight] : {std::pair(r.low, 1 - r.toHigh), std::pair(r.high, r.toHigh)})
                            for (const auto &[column, weight] : {std::pair(c.low, 1 - c.toHigh), std::pair(c.high, c.toHigh)}) {
                                const double tap = here * rowWeight * weight * of.at(row, column);
                                sum += tap;
                                most = std::max(most, tap);
                            }
                    }
                if (down.samples <= 0 || across.samples <= 0)
                    return 0.0; // a region that ends before it begins
                return isMax ? most : sum / static_cast<double>(down.samples * across.samples);
            })};
            return drawn;
        },
        40);
}

TEST(ImageDefinitions, ofAffineGrid)
{
    checkDefinition([](Draw &draw) {
        const bool isAligned = draw.chance(50);
        const Places size{draw.number(1, 2), draw.number(1, 2), draw.number(2, 4), draw.number(2, 4)};
        const Numbers theta = draw.numbers({size[0], 2, 3});
        const auto place = [&](std::int64_t i, std::int64_t n) {
            const auto at = static_cast<double>(i);
            const auto count = static_cast<double>(n);
            return isAligned ? -1 + 2 * at / (count - 1) : (2 * at + 1) / count - 1;
        };
        return Drawn{.text = {.node = {.op = "AffineGrid", .attributes = {integerAttribute("align_corners", isAligned ? 1 : 0)}},
                              .opset = draw.number(20, 27)},
                     .inputs = {theta, listOf(size)},
                     .outputs = {computed({size[0], size[2], size[3], 2}, theta.dtype, [&](const Places &at) {
                         return theta.at({at[0], at[3], 0}) * place(at[2], size[3]) +
                                theta.at({at[0], at[3], 1}) * place(at[1], size[2]) + theta.at({at[0], at[3], 2});
                     })}};
    });
}

TEST(ImageDefinitions, ofGridSample)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t opset = draw.number(16, 27);
        const bool isAligned = draw.chance(50);
        const bool isNearest = draw.chance(30);
        const std::string padding = draw.oneOf<std::string>({"zeros", "border"});
        const Numbers x = image(draw, 2);
        Numbers grid = eighths(draw, {x.extents[0], draw.number(1, 3), draw.number(1, 3), 2}, 1);
        for (double &element : grid.elements)
            element *= 1.25;
        const auto place = [&](double g, std::int64_t n) {
            const double at = isAligned ? (g + 1) / 2 * static_cast<double>(n - 1) : ((g + 1) * static_cast<double>(n) - 1) / 2;
            return padding == "border" && !isNearest ? std::clamp(at, 0.0, static_cast<double>(n - 1)) : at;
        };
        return Drawn{.text = {.node = {.op = "GridSample",
                                       .attributes = {integerAttribute("align_corners", isAligned ? 1 : 0),
                                                      textAttribute("padding_mode", padding),
                                                      textAttribute("mode", isNearest    ? "nearest"
                                                                            : opset < 20 ? "bilinear"
                                                                                         : "linear")}},
                              .opset = opset},
                     .inputs = {x, grid},
                     .outputs = {computed({x.extents[0], x.extents[1], grid.extents[1], grid.extents[2]}, x.dtype,
                                          [&](const Places &at) {
                                              const double row = place(grid.at({at[0], at[2], at[3], 1}), x.extents[2]);
                                              const double column = place(grid.at({at[0], at[2], at[3], 0}), x.extents[3]);
                                              const Image of{x, at[0], at[1]};
                                              if (!isNearest)
                                                  return of.between(row, column);
                                              auto r = static_cast<std::int64_t>(std::nearbyint(row));
                                              auto c = static_cast<std::int64_t>(std::nearbyint(column));
                                              if (padding == "border") {
                                                  r = std::clamp<std::int64_t>(r, 0, x.extents[2] - 1);
                                                  c = std::clamp<std::int64_t>(c, 0, x.extents[3] - 1);
                                              }
                                              return of.at(r, c);
                                          })},
                     .relative = 1e-4,
                     .note = format("aligned {} nearest {} {}", isAligned, isNearest, padding)};
    });
}

TEST(ImageDefinitions, ofDeformConv)
{
    checkDefinition(
        [](Draw &draw) {
            const std::int64_t groups = draw.number(1, 2), offsetGroups = draw.number(1, 2), inner = draw.number(1, 2);
            const std::int64_t channels = groups * inner * offsetGroups;
            const Numbers x = draw.numbers({draw.number(1, 2), channels, draw.number(3, 5), draw.number(3, 5)});
            const std::int64_t kernel = draw.number(1, 2), stride = draw.number(1, 2), dilation = draw.number(1, 2),
                               pad = draw.number(0, 1);
            const auto extent = [&](std::int64_t n) { return (n + 2 * pad - dilation * (kernel - 1) - 1) / stride + 1; };
            const Numbers w = draw.numbers({groups * draw.number(1, 2), channels / groups, kernel, kernel});
            const Places spatial{extent(x.extents[2]), extent(x.extents[3])};
            const Numbers offsets = eighths(draw, {x.extents[0], offsetGroups * kernel * kernel * 2, spatial[0], spatial[1]}, 1);
            const bool hasMask = draw.chance(50);
            const Numbers bias = draw.numbers({w.extents[0]});
            const Numbers mask = draw.numbers({x.extents[0], offsetGroups * kernel * kernel, spatial[0], spatial[1]});
            Drawn drawn{.text = {.node = {.op = "DeformConv",
                                          .attributes = {integerAttribute("group", groups),
                                                         integerAttribute("offset_group", offsetGroups),
                                                         integersAttribute("strides", {stride, stride}),
                                                         integersAttribute("dilations", {dilation, dilation}),
                                                         integersAttribute("pads", {pad, pad, pad, pad})}},
                                 .opset = draw.number(19, 27)},
                        .inputs = {x, w, offsets, bias},
                        .relative = 1e-4};
            if (hasMask)
                drawn.inputs.push_back(mask);
            drawn.outputs = {computed({x.extents[0], w.extents[0], spatial[0], spatial[1]}, x.dtype, [&](const Places &at) {
                const std::int64_t group = at[1] / (w.extents[0] / groups);
                double sum = bias.at({at[1]});
                forEach({w.extents[1], kernel, kernel}, [&](const Places &k) {
                    const std::int64_t channel = group * w.extents[1] + k[0];
                    const std::int64_t place = (channel / (channels / offsetGroups) * kernel + k[1]) * kernel + k[2];
                    const double row = static_cast<double>(at[2] * stride - pad + k[1] * dilation) +
                                       offsets.at({at[0], 2 * place, at[2], at[3]});
                    const double column = static_cast<double>(at[3] * stride - pad + k[2] * dilation) +
                                          offsets.at({at[0], 2 * place + 1, at[2], at[3]});
                    const double share = hasMask ? mask.at({at[0], place, at[2], at[3]}) : 1;
                    sum += w.at({at[1], k[0], k[1], k[2]}) * share * Image{x, at[0], channel}.between(row, column);
                });
                return sum;
            })};
            return drawn;
        },
        15);
}

TEST(ImageDefinitions, ofCol2Im)
{
    checkDefinition([](Draw &draw) {
        const Places block{draw.number(1, 2), draw.number(1, 3)};
        const std::int64_t stride = draw.number(1, 2), dilation = draw.number(1, 2), pad = draw.number(0, 1);
        Places size, windows;
        for (std::size_t i = 0; i < 2; ++i) {
            size.push_back(dilation * (block[i] - 1) + draw.number(1, 3));
            windows.push_back((size[i] + 2 * pad - dilation * (block[i] - 1) - 1) / stride + 1);
        }
        const std::int64_t inner = productOf(block);
        const Numbers x = draw.numbers({draw.number(1, 2), draw.number(1, 2) * inner, productOf(windows)});
        Numbers y = filled({x.extents[0], x.extents[1] / inner, size[0], size[1]}, 0);
        forEach(x.extents, [&](const Places &at) {
            const std::int64_t k = at[1] % inner;
            const std::int64_t row = at[2] / windows[1] * stride + k / block[1] * dilation - pad;
            const std::int64_t column = at[2] % windows[1] * stride + k % block[1] * dilation - pad;
            if (row >= 0 && row < size[0] && column >= 0 && column < size[1])
                y.at({at[0], at[1] / inner, row, column}) += x.at(at);
        });
        return Drawn{.text = {.node = {.op = "Col2Im",
                                       .attributes = {integersAttribute("strides", {stride, stride}),
                                                      integersAttribute("dilations", {dilation, dilation}),
                                                      integersAttribute("pads", {pad, pad, pad, pad})}},
                              .opset = draw.number(18, 27)},
                     .inputs = {x, listOf(size), listOf(block)},
                     .outputs = {y}};
    });
}

TEST(ImageDefinitions, ofMaxUnpool)
{
    checkDefinition([](Draw &draw) {
        const std::int64_t kernel = draw.number(1, 3);
        const Numbers x = draw.numbers({draw.number(1, 2), draw.number(1, 2), draw.number(1, 3), draw.number(1, 3)});
        Numbers y = filled({x.extents[0], x.extents[1], x.extents[2] * kernel, x.extents[3] * kernel}, 0);
        // Each element comes from somewhere in its own window.
        const Numbers places = computed(x.extents, DType::I64, [&](const Places &at) {
            const Places from{at[0], at[1], at[2] * kernel + draw.number(0, kernel - 1),
                              at[3] * kernel + draw.number(0, kernel - 1)};
            y.at(from) = x.at(at);
            return static_cast<double>(y.flat(from));
        });
        return Drawn{.text = {.node = {.op = "MaxUnpool",
                                       .attributes = {integersAttribute("kernel_shape", {kernel, kernel}),
                                                      integersAttribute("strides", {kernel, kernel})}},
                              .opset = draw.number(9, 27)},
                     .inputs = {x, places},
                     .outputs = {y}};
    });
}

} // namespace sw::test
