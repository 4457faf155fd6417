// The largest of a window's elements, as in a pool. By the rules of IEEE 754-2019 NaN wins and -0 is below +0, which takes a
// processor several instructions for each element. Where no element has a minus, their bits, as unsigned numbers, are in the same
// order, with the NaNs on top: one instruction.

#include "engine/passes/graph/simplify.h"
#include "engine/passes/graph/value_signs.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace sw {

namespace {

std::optional<DType> bitsOf(DType dtype)
{
    if (dtype == DType::F32)
        return DType::U32;
    return dtype == DType::F16 || dtype == DType::BF16 ? std::optional(DType::U16) : std::nullopt;
}

// A reduction of windows to the largest of their elements. What is no window is left to those who look for a softmax.
bool isLargestOfWindows(const RewriteContext &context)
{
    const Node &node = context.node();
    return node.kind == NodeKind::ReduceAxis && node.op == Op::Max && isFloat(node.dtype) &&
           context.input(0).kind == NodeKind::View;
}

// The bits of all windows of the image, which may have a border of zeros. They are taken of the image, so that it is stored as it
// would be, but of the windows where the image is joined of parts: those lie in memory as they are.
Result<NodeId> bitsOfWindows(RewriteContext &context, DType bits)
{
    GraphBuilder &builder = context.builder();
    const Node windows = builder.node(context.inputId(0));
    const NodeId paddedId = windows.inputs[0];
    const auto *padded = std::get_if<PadAttributes>(&builder.node(paddedId).attributes);
    const bool hasBorder = padded != nullptr && padded->fill == Scalar::of(windows.dtype, 0.0);
    const NodeId image = hasBorder ? builder.node(paddedId).inputs[0] : paddedId;
    if (builder.node(image).kind == NodeKind::Cat)
        return builder.bitcast(context.origin(), context.inputId(0), bits);
    std::optional<PadAttributes> border = hasBorder ? std::optional(*padded) : std::nullopt;
    context.absorb(context.inputId(0));
    if (hasBorder)
        context.absorb(paddedId);
    SW_TRY(NodeId words, builder.bitcast(context.origin(), image, bits));
    if (border) {
        border->fill = Scalar::of(bits, std::int64_t{0});
        SW_TRY(words, builder.pad(context.origin(), words, std::move(*border)));
    }
    return builder.view(context.origin(), words, windows.shape, attributesOf<ViewAttributes>(windows));
}

Replacement largestOfBits(RewriteContext &context)
{
    const std::optional<DType> bits = bitsOf(context.node().dtype);
    if (!bits || !isLargestOfWindows(context) || !isNonNegative(context.builder(), context.inputId(0)))
        return noMatch();
    const DType dtype = context.node().dtype;
    const std::vector<std::size_t> axes = attributesOf<AxesAttributes>(context.node()).axes;
    SW_TRY(const NodeId words, bitsOfWindows(context, *bits));
    SW_TRY(const NodeId largest, context.builder().reduce(context.origin(), Op::Max, words, axes));
    SW_TRY(const NodeId value, context.builder().bitcast(context.origin(), largest, dtype));
    return std::optional(value);
}

// The axes of a view that go along one axis of its input, which lies there row by row.
struct Windows {
    std::int64_t last = 0;   // where the last window begins
    std::int64_t extent = 1; // of a window; its elements lie side by side
};

// Nothing: the view's axes do not go along the input's, each by itself.
std::optional<std::vector<Windows>> windowsAlong(const Node &view, const Shape &input, const std::vector<std::size_t> &reduced)
{
    const auto &attributes = attributesOf<ViewAttributes>(view);
    const std::vector<std::int64_t> strides = rowMajorStrides(input);
    std::vector<Windows> all(input.rank());
    if (attributes.offset != 0 || !attributes.mask.empty() || input.isEmpty())
        return std::nullopt;
    for (std::size_t axis = 0; axis < view.shape.rank(); ++axis) {
        const std::int64_t stride = attributes.strides[axis];
        const std::int64_t last = view.shape[axis] - 1;
        if (last == 0)
            continue;
        std::size_t along = 0; // the axis whose steps the stride counts
        while (along < input.rank() && (input[along] == 1 || strides[along] > stride))
            ++along;
        if (along == input.rank() || stride % strides[along] != 0)
            return std::nullopt;
        const std::int64_t steps = stride / strides[along];
        const bool isOfWindow = std::ranges::find(reduced, axis) != reduced.end();
        if (isOfWindow && (steps != 1 || all[along].extent != 1))
            return std::nullopt;
        if (isOfWindow)
            all[along].extent = view.shape[axis];
        else
            all[along].last += steps * last;
    }
    return all;
}

// Every window has an element that is not of the border: along each axis, the first one ends inside and the last one begins
// there.
bool reachInside(const std::vector<Windows> &windows, const PadAttributes &border, const Shape &padded)
{
    for (std::size_t axis = 0; axis < windows.size(); ++axis) {
        const std::int64_t end = padded[axis] - border.after[axis];
        if (windows[axis].extent <= border.before[axis] || windows[axis].last >= end)
            return false;
    }
    return true;
}

Replacement borderOfZeros(RewriteContext &context)
{
    if (!isLargestOfWindows(context))
        return noMatch();
    const NodeId paddedId = context.input(0).inputs[0];
    const Node &padded = context.builder().node(paddedId);
    if (padded.kind != NodeKind::Pad || padded.shape.isSymbolic() || context.node().shape.isSymbolic())
        return noMatch();
    PadAttributes border = attributesOf<PadAttributes>(padded);
    const double fill = border.fill.asDouble();
    const std::vector<std::size_t> axes = attributesOf<AxesAttributes>(context.node()).axes;
    const auto windows = windowsAlong(context.input(0), padded.shape, axes);
    if (!(fill < 0) || !windows || !reachInside(*windows, border, padded.shape) ||
        !isNonNegative(context.builder(), padded.inputs[0]))
        return noMatch();
    const NodeId image = padded.inputs[0];
    border.fill = Scalar::of(padded.dtype, 0.0);
    const ViewAttributes view = attributesOf<ViewAttributes>(context.input(0));
    const Shape shape = context.input(0).shape;
    context.absorb(context.inputId(0));
    context.absorb(paddedId);
    SW_TRY(const NodeId whole, context.builder().pad(context.origin(), image, std::move(border)));
    SW_TRY(const NodeId read, context.builder().view(context.origin(), whole, shape, view));
    SW_TRY(const NodeId largest, context.builder().reduce(context.origin(), Op::Max, read, axes));
    return std::optional(largest);
}

constexpr std::array kRules = {
    GraphRule{"border-of-zeros", "Border of zeros",
              "Where no element has a minus and every window holds one, a border of zeros does for one of -inf.", borderOfZeros},
    GraphRule{"largest-of-bits", "Largest of the bits",
              "Of a window's elements without a minus, the largest has the largest bits, and NaN larger ones.", largestOfBits},
};

} // namespace

std::span<const GraphRule> extremeRules()
{
    return kRules;
}

} // namespace sw
