#include "engine/passes/graph/tile_convolution.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <utility>
#include <vector>

namespace sw {

namespace {

constexpr std::int64_t kTile = 4;
constexpr std::int64_t kLanes = 16; // results side by side that a vector holds

template <std::size_t Rows, std::size_t Columns>
using Matrix = std::array<std::array<double, Columns>, Rows>;

// The one-dimensional algorithm: A ((G g) * (B d)) gives two sums of three products from four.
constexpr Matrix<4, 4> kB{{{1, 0, -1, 0}, {0, 1, 1, 0}, {0, -1, 1, 0}, {0, 1, 0, -1}}};
constexpr Matrix<4, 3> kG{{{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}}};
constexpr Matrix<2, 4> kA{{{1, 1, 1, 0}, {0, 1, -1, -1}}};

// The Kronecker product of the matrix with itself: both directions at once.
template <std::size_t Rows, std::size_t Columns>
NodeId inBothDirections(GraphBuilder &builder, const Origin &origin, DType dtype, const Matrix<Rows, Columns> &one)
{
    std::vector<double> values;
    for (const auto &down : one)
        for (const auto &across : one)
            for (const double vertical : down)
                for (const double horizontal : across)
                    values.push_back(vertical * horizontal + 0.0); // no -0
    return builder.vconst(origin, HostTensor::ofValues(dtype, Shape({Rows * Rows, Columns * Columns}), values));
}

// The index of the axis that is `at`, and of all others.
Result<NodeId> sliceOf(GraphBuilder &builder, const Origin &origin, NodeId value, std::size_t axis, std::int64_t at)
{
    const Shape shape = builder.node(value).shape;
    ShrinkAttributes part{std::vector<std::int64_t>(shape.rank(), 0), {shape.begin(), shape.end()}};
    part.begin[axis] = at;
    part.end[axis] = at + 1;
    return builder.shrink(origin, value, std::move(part));
}

// The rows of a matrix whose elements are 1, -1 and 0, times the indices of one axis of the value: sums and differences.
template <std::size_t Rows, std::size_t Columns>
Result<NodeId> sumsAlong(GraphBuilder &builder, const Origin &origin, const Matrix<Rows, Columns> &matrix, NodeId value,
                         std::size_t axis)
{
    std::array<NodeId, Columns> slices;
    for (std::size_t column = 0; column < Columns; ++column) {
        SW_TRY(slices[column], sliceOf(builder, origin, value, axis, static_cast<std::int64_t>(column)));
    }
    std::vector<NodeId> sums;
    for (const std::array<double, Columns> &row : matrix) {
        // Begins with a term that is added, so that none must be negated.
        const auto first = static_cast<std::size_t>(std::ranges::find(row, 1.0) - row.begin());
        NodeId sum = slices.at(first);
        for (std::size_t column = 0; column < Columns; ++column)
            if (column != first && row[column] != 0) {
                SW_TRY(sum, builder.elementwise(origin, row[column] > 0 ? Op::Add : Op::Sub, std::array{sum, slices[column]}));
            }
        sums.push_back(sum);
    }
    return builder.cat(origin, sums, axis);
}

// The sum of the products of two values along one axis, which the result lacks. Both values have the rank of the whole, and an
// extent of 1 where they are repeated.
Result<NodeId> sumOfProducts(GraphBuilder &builder, const Origin &origin, const std::array<NodeId, 2> &values, std::size_t axis)
{
    const Shape a = builder.node(values[0]).shape;
    const Shape b = builder.node(values[1]).shape;
    std::vector<std::int64_t> whole;
    for (std::size_t i = 0; i < a.rank(); ++i)
        whole.push_back(std::max(a[i], b[i]));
    SW_TRY(const NodeId left, builder.expand(origin, values[0], Shape(whole)));
    SW_TRY(const NodeId right, builder.expand(origin, values[1], Shape(whole)));
    SW_TRY(const NodeId products, builder.elementwise(origin, Op::Mul, std::array{left, right}));
    SW_TRY(const NodeId sums, builder.reduce(origin, Op::Add, products, {axis}));
    whole.erase(whole.begin() + static_cast<std::ptrdiff_t>(axis));
    return builder.reshape(origin, sums, Shape(std::move(whole)));
}

// matrix [m, n] times value [.., n, ..], whose axis `axis` becomes the m sums.
Result<NodeId> transformed(GraphBuilder &builder, const Origin &origin, NodeId matrix, NodeId value, std::size_t axis)
{
    const Shape shape = builder.node(value).shape;
    const auto at = static_cast<std::ptrdiff_t>(axis);
    std::vector<std::int64_t> factor(shape.rank() + 1, 1);
    factor[axis] = builder.node(matrix).shape[0];
    factor[axis + 1] = shape[axis];
    std::vector<std::int64_t> single(shape.begin(), shape.end());
    single.insert(single.begin() + at, 1);
    SW_TRY(const NodeId rows, builder.reshape(origin, matrix, Shape(std::move(factor))));
    SW_TRY(const NodeId values, builder.reshape(origin, value, Shape(std::move(single))));
    return sumOfProducts(builder, origin, {rows, values}, axis + 1);
}

// The kernels [16, groups, outputs, channels], stored in the panels that the sum over the channels reads.
Result<NodeId> transformedKernels(GraphBuilder &builder, const Origin &origin, const Convolution &made, DType dtype)
{
    SW_TRY(const NodeId kernels,
           builder.reshape(origin, made.kernels,
                           Shape({made.groups, made.outputs, made.channels, kConvolutionWindow * kConvolutionWindow})));
    SW_TRY(const NodeId windows, builder.permute(origin, kernels, {3, 0, 1, 2}));
    SW_TRY(const NodeId whole, transformed(builder, origin, inBothDirections(builder, origin, dtype, kG), windows, 0));
    const std::int64_t lanes = made.outputs % kLanes == 0 ? kLanes : 1;
    SW_TRY(
        const NodeId parts,
        builder.reshape(origin, whole, Shape({kTransformedElements, made.groups, made.outputs / lanes, lanes, made.channels})));
    SW_TRY(const NodeId turned, builder.permute(origin, parts, {0, 1, 2, 4, 3}));
    SW_TRY(const NodeId stored, builder.contiguous(origin, turned));
    builder.setName(stored, "winograd_kernels");
    SW_TRY(const NodeId back, builder.permute(origin, stored, {0, 1, 2, 4, 3}));
    return builder.reshape(origin, back, Shape({kTransformedElements, made.groups, made.outputs, made.channels}));
}

// The image with the rows and columns that the last tiles reach into. A border is stored: every second element is read, in whole
// vectors, which a mask would take apart.
Result<NodeId> wholeTiles(GraphBuilder &builder, const Origin &origin, const Convolution &made)
{
    const std::int64_t down = 2 * made.tileRows() - made.rows;
    const std::int64_t across = 2 * made.tileColumns() - made.columns;
    const Node image = builder.node(made.image);
    const auto *padded = std::get_if<PadAttributes>(&image.attributes);
    if (down == 0 && across == 0)
        return padded != nullptr ? builder.contiguous(origin, made.image) : made.image;
    const std::size_t rank = image.shape.rank();
    const bool isOneMore = padded != nullptr && padded->fill == Scalar::of(image.dtype, 0.0);
    PadAttributes more = isOneMore ? *padded
                                   : PadAttributes{std::vector<std::int64_t>(rank, 0), std::vector<std::int64_t>(rank, 0),
                                                   Scalar::of(image.dtype, 0.0)};
    more.after[rank - 2] += down;
    more.after[rank - 1] += across;
    SW_TRY(const NodeId whole, builder.pad(origin, isOneMore ? image.inputs[0] : made.image, std::move(more)));
    return builder.contiguous(origin, whole);
}

// The axes of tiles as the image has them: those that tell parts apart, in front, and those inside of a part.
struct TileAxes {
    std::vector<std::int64_t> outside;
    std::vector<std::int64_t> inside;
    [[nodiscard]] std::int64_t parts() const { return product(outside); }
    [[nodiscard]] std::int64_t columns() const { return product(inside); }

private:
    static std::int64_t product(const std::vector<std::int64_t> &extents)
    {
        return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies());
    }
};

TileAxes tileAxesOf(const Convolution &made, const std::optional<TilePart> &part)
{
    if (!part)
        return {{1, 1, 1}, {made.images, made.tileRows(), made.tileColumns()}};
    return {{made.images, made.tileRows() / part->rows, made.tileColumns() / part->columns}, {1, part->rows, part->columns}};
}

// outside, middle, inside, one after the other.
std::vector<std::int64_t> around(const std::vector<std::int64_t> &outside, std::initializer_list<std::int64_t> middle,
                                 const std::vector<std::int64_t> &inside)
{
    std::vector<std::int64_t> all = outside;
    all.insert(all.end(), middle);
    all.insert(all.end(), inside.begin(), inside.end());
    return all;
}

// What the elements of each tile become: [parts, 16, groups, channels, columns].
Result<NodeId> transformedImage(GraphBuilder &builder, const Origin &origin, const Convolution &made, const TileAxes &axes)
{
    SW_TRY(const NodeId image, wholeTiles(builder, origin, made));
    const Shape shape = builder.node(image).shape;
    const std::int64_t row = shape[shape.rank() - 1];
    const std::int64_t channel = row * shape[shape.rank() - 2];
    const std::int64_t group = made.channels * channel;
    const std::vector<std::int64_t> apart{made.groups * group, 2 * row * axes.inside[1], 2 * axes.inside[2]};
    SW_TRY(const NodeId tiles,
           builder.view(
               origin, image, Shape(around(axes.outside, {kTile, kTile, made.groups, made.channels}, axes.inside)),
               {.strides = around(apart, {row, 1, group, channel}, {made.groups * group, 2 * row, 2}), .offset = 0, .mask = {}}));
    SW_TRY(
        const NodeId elements,
        builder.reshape(origin, tiles, Shape(around({axes.parts()}, {kTile, kTile, made.groups, made.channels}, axes.inside))));
    SW_TRY(const NodeId down, sumsAlong(builder, origin, kB, elements, 1));
    SW_TRY(const NodeId whole, sumsAlong(builder, origin, kB, down, 2));
    SW_TRY(
        const NodeId flat,
        builder.reshape(origin, whole, Shape({axes.parts(), kTransformedElements, made.groups, made.channels, axes.columns()})));
    builder.setName(flat, "winograd_image");
    return flat;
}

// The sums over the channels: [parts, 16, groups, outputs, columns].
Result<NodeId> tileProducts(GraphBuilder &builder, const Origin &origin, const Convolution &made, NodeId kernels, NodeId image)
{
    const Shape shape = builder.node(image).shape;
    SW_TRY(const NodeId left,
           builder.reshape(origin, kernels, Shape({1, kTransformedElements, made.groups, made.outputs, made.channels, 1})));
    SW_TRY(const NodeId right,
           builder.reshape(origin, image, Shape({shape[0], kTransformedElements, made.groups, 1, made.channels, shape[4]})));
    SW_TRY(const NodeId sums, sumOfProducts(builder, origin, {left, right}, 4));
    builder.setName(sums, "winograd_products");
    return sums;
}

// What the products of each tile become: [parts, 2, 2, groups, outputs, columns].
Result<NodeId> tileResults(GraphBuilder &builder, const Origin &origin, const Convolution &made, const TileAxes &axes,
                           NodeId products)
{
    SW_TRY(const NodeId elements,
           builder.reshape(origin, products, Shape({axes.parts(), kTile, kTile, made.groups, made.outputs, axes.columns()})));
    SW_TRY(const NodeId down, sumsAlong(builder, origin, kA, elements, 1));
    SW_TRY(const NodeId whole, sumsAlong(builder, origin, kA, down, 2));
    return builder.contiguous(origin, whole); // what reads it goes through the image row by row, where each point is another sum
}

// From the results of each tile, [parts, 2, 2, groups, outputs, columns], to [images, groups, outputs, rows, columns].
Result<NodeId> inTheirPlaces(GraphBuilder &builder, const Origin &origin, const Convolution &made, const TileAxes &axes,
                             NodeId results)
{
    SW_TRY(const NodeId parts,
           builder.reshape(origin, results, Shape(around(axes.outside, {2, 2, made.groups, made.outputs}, axes.inside))));
    SW_TRY(const NodeId inPlace, builder.permute(origin, parts, {0, 7, 5, 6, 1, 8, 3, 2, 9, 4}));
    return builder.reshape(origin, inPlace,
                           Shape({made.images, made.groups, made.outputs, 2 * made.tileRows(), 2 * made.tileColumns()}));
}

} // namespace

Result<NodeId> tiledConvolution(GraphBuilder &builder, const Origin &origin, const Convolution &made,
                                const std::optional<TilePart> &part, const Node &sum)
{
    const TileAxes axes = tileAxesOf(made, part);
    SW_TRY(const NodeId kernels, transformedKernels(builder, origin, made, sum.dtype));
    SW_TRY(const NodeId image, transformedImage(builder, origin, made, axes));
    SW_TRY(const NodeId products, tileProducts(builder, origin, made, kernels, image));
    SW_TRY(const NodeId results, tileResults(builder, origin, made, axes, products));
    SW_TRY(NodeId whole, inTheirPlaces(builder, origin, made, axes, results));
    if (made.rows % 2 != 0 || made.columns % 2 != 0) {
        SW_TRY(whole, builder.shrink(origin, whole,
                                     {{0, 0, 0, 0, 0}, {made.images, made.groups, made.outputs, made.rows, made.columns}}));
    }
    return builder.reshape(origin, whole, sum.shape);
}

} // namespace sw
