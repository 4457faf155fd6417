#include "engine/passes/graph/simplify.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

namespace sw {

namespace {

bool followsItsOwnKind(const RewriteContext &context, NodeKind kind)
{
    return context.node().kind == kind && context.input(0).kind == kind;
}

template <class Integers>
bool areZero(const Integers &integers)
{
    return std::ranges::all_of(integers, [](auto integer) { return integer == 0; });
}

template <class T>
std::vector<T> sumOf(const std::vector<T> &a, const std::vector<T> &b)
{
    std::vector<T> out;
    for (std::size_t i = 0; i < a.size(); ++i)
        out.push_back(a[i] + b[i]);
    return out;
}

Replacement asReshape(RewriteContext &context)
{
    const NodeId input = context.inputId(0);
    SW_TRY(const NodeId reshape, context.builder().reshape(context.origin(), input, context.node().shape));
    return std::optional(reshape);
}

bool movesNothing(const Node &node, const Node &input)
{
    if (node.kind == NodeKind::Reshape || node.kind == NodeKind::Expand || node.kind == NodeKind::Shrink)
        return node.shape == input.shape;
    if (node.kind == NodeKind::Permute)
        return std::ranges::is_sorted(attributesOf<AxesAttributes>(node).axes);
    if (node.kind == NodeKind::Pad)
        return areZero(attributesOf<PadAttributes>(node).before) && areZero(attributesOf<PadAttributes>(node).after);
    if (node.kind == NodeKind::Flip)
        return std::ranges::all_of(attributesOf<AxesAttributes>(node).axes,
                                   [&node](std::size_t axis) { return node.shape[axis] <= 1; });
    if (node.kind == NodeKind::Cat)
        return node.inputs.size() == 1;
    return node.kind == NodeKind::Contiguous && input.kind == NodeKind::Contiguous;
}

Replacement dropIdentity(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.inputs.empty() || !movesNothing(node, context.input(0)))
        return noMatch();
    return std::optional(context.inputId(0));
}

Replacement reshapeOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Reshape))
        return noMatch();
    const NodeId inner = context.absorb(context.inputId(0)).inputs[0];
    SW_TRY(const NodeId reshape, context.builder().reshape(context.origin(), inner, context.node().shape));
    return std::optional(reshape);
}

Replacement expandOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Expand))
        return noMatch();
    const NodeId inner = context.absorb(context.inputId(0)).inputs[0];
    SW_TRY(const NodeId expand, context.builder().expand(context.origin(), inner, context.node().shape));
    return std::optional(expand);
}

Replacement permuteOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Permute))
        return noMatch();
    const Node &first = context.absorb(context.inputId(0));
    const NodeId inner = first.inputs[0];
    std::vector<std::size_t> axes;
    for (const std::size_t axis : attributesOf<AxesAttributes>(context.node()).axes)
        axes.push_back(attributesOf<AxesAttributes>(first).axes[axis]);
    SW_TRY(const NodeId permute, context.builder().permute(context.origin(), inner, std::move(axes)));
    return std::optional(permute);
}

// Applies if only axes of extent 1 change their place.
Replacement reshapeInsteadOfPermuting(RewriteContext &context)
{
    if (context.node().kind != NodeKind::Permute)
        return noMatch();
    std::vector<std::size_t> longAxes;
    for (const std::size_t axis : attributesOf<AxesAttributes>(context.node()).axes)
        if (context.input(0).shape[axis] != 1)
            longAxes.push_back(axis);
    if (!std::ranges::is_sorted(longAxes))
        return noMatch();
    return asReshape(context);
}

Replacement shrinkOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Shrink))
        return noMatch();
    const Node &first = context.absorb(context.inputId(0));
    const NodeId inner = first.inputs[0];
    const auto &outer = attributesOf<ShrinkAttributes>(context.node());
    const std::vector<std::int64_t> &start = attributesOf<ShrinkAttributes>(first).begin;
    SW_TRY(const NodeId shrink,
           context.builder().shrink(context.origin(), inner, {sumOf(start, outer.begin), sumOf(start, outer.end)}));
    return std::optional(shrink);
}

Replacement flipOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Flip))
        return noMatch();
    const Node &first = context.absorb(context.inputId(0));
    const NodeId inner = first.inputs[0];
    std::vector<std::size_t> axes;
    std::ranges::set_symmetric_difference(attributesOf<AxesAttributes>(context.node()).axes,
                                          attributesOf<AxesAttributes>(first).axes, std::back_inserter(axes));
    if (axes.empty())
        return std::optional(inner);
    SW_TRY(const NodeId flip, context.builder().flip(context.origin(), inner, std::move(axes)));
    return std::optional(flip);
}

Replacement padOnce(RewriteContext &context)
{
    if (!followsItsOwnKind(context, NodeKind::Pad))
        return noMatch();
    const auto &outer = attributesOf<PadAttributes>(context.node());
    const PadAttributes first = attributesOf<PadAttributes>(context.input(0));
    if (outer.fill != first.fill)
        return noMatch();
    const NodeId inner = context.absorb(context.inputId(0)).inputs[0];
    SW_TRY(const NodeId pad,
           context.builder().pad(context.origin(), inner,
                                 {sumOf(first.before, outer.before), sumOf(first.after, outer.after), outer.fill}));
    return std::optional(pad);
}

bool readsInOrder(const ViewAttributes &view, const Shape &shape)
{
    const std::vector<std::int64_t> strides = rowMajorStrides(shape);
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] != 1 && view.strides[axis] != strides[axis])
            return false;
    for (std::size_t axis = 0; axis < view.mask.size(); ++axis)
        if (view.mask[axis] != std::pair<std::int64_t, std::int64_t>(0, shape[axis]))
            return false;
    return view.offset == 0;
}

Replacement reshapeInsteadOfViewing(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::View || node.shape.elements() != context.input(0).shape.elements() ||
        !readsInOrder(attributesOf<ViewAttributes>(node), node.shape))
        return noMatch();
    return asReshape(context);
}

// A float sum starts from +0, which would turn a single -0 into +0, so float sums keep their axes.
Replacement dropShortReduceAxes(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::ReduceAxis || (node.op == Op::Add && isFloat(node.dtype)))
        return noMatch();
    std::vector<std::size_t> longAxes;
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
        if (context.input(0).shape[axis] != 1)
            longAxes.push_back(axis);
    if (longAxes.size() == attributesOf<AxesAttributes>(node).axes.size())
        return noMatch();
    SW_TRY(const NodeId reduce, context.builder().reduce(context.origin(), node.op, context.inputId(0), std::move(longAxes)));
    return std::optional(reduce);
}

// Maxima and minima are exact in any order, and so are all reductions of integers.
Replacement reduceOnce(RewriteContext &context)
{
    const Node &node = context.node();
    if (!followsItsOwnKind(context, NodeKind::ReduceAxis) || context.input(0).op != node.op)
        return noMatch();
    if (isFloat(node.dtype) && node.op != Op::Max && node.op != Op::Min)
        return noMatch();
    const Node &first = context.absorb(context.inputId(0));
    const NodeId inner = first.inputs[0];
    std::vector<std::size_t> axes = attributesOf<AxesAttributes>(first).axes;
    const auto &more = attributesOf<AxesAttributes>(node).axes;
    axes.insert(axes.end(), more.begin(), more.end());
    SW_TRY(const NodeId reduce, context.builder().reduce(context.origin(), node.op, inner, std::move(axes)));
    return std::optional(reduce);
}

Replacement dropEmptyParts(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::Cat)
        return noMatch();
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    std::vector<NodeId> parts;
    for (const NodeId input : node.inputs)
        if (context.builder().node(input).shape[axis] != 0)
            parts.push_back(input);
    if (parts.empty() || parts.size() == node.inputs.size())
        return noMatch();
    SW_TRY(const NodeId cat, context.builder().cat(context.origin(), parts, axis));
    return std::optional(cat);
}

// Elements of some inputs of a cat only.
Replacement shrinkPartsOfCat(RewriteContext &context)
{
    const Node &node = context.node();
    if (node.kind != NodeKind::Shrink || context.input(0).kind != NodeKind::Cat || node.shape.isSymbolic() ||
        node.shape.isEmpty())
        return noMatch();
    const Node &cat = context.input(0);
    const std::size_t axis = attributesOf<AxisAttributes>(cat).axis;
    const auto &range = attributesOf<ShrinkAttributes>(node);
    std::vector<std::pair<NodeId, ShrinkAttributes>> taken;
    std::int64_t begin = 0;
    for (const NodeId input : cat.inputs) {
        const Shape &shape = context.builder().node(input).shape;
        const std::int64_t end = begin + shape[axis];
        if (shape.isSymbolic())
            return noMatch();
        ShrinkAttributes part = range;
        part.begin[axis] = std::max(range.begin[axis], begin) - begin;
        part.end[axis] = std::min(range.end[axis], end) - begin;
        if (part.begin[axis] < part.end[axis])
            taken.emplace_back(input, std::move(part));
        begin = end;
    }
    if (taken.size() == cat.inputs.size())
        return noMatch();
    context.absorb(context.inputId(0));
    std::vector<NodeId> parts;
    for (auto &[input, part] : taken) {
        SW_TRY(const NodeId shrunk, context.builder().shrink(context.origin(), input, std::move(part)));
        parts.push_back(shrunk);
    }
    if (parts.size() == 1)
        return std::optional(parts.front());
    SW_TRY(const NodeId joined, context.builder().cat(context.origin(), parts, axis));
    return std::optional(joined);
}

constexpr std::array kRules = {
    GraphRule{"drop-identity", "Drop what moves nothing",
              "A reshape, permute, expand, pad, shrink, flip or cat that leaves every element in its place is its input.",
              dropIdentity},
    GraphRule{"reshape-once", "Reshape once", "A reshape of a reshape is one.", reshapeOnce},
    GraphRule{"expand-once", "Expand once", "An expand of an expand is one.", expandOnce},
    GraphRule{"permute-once", "Permute once", "A permute of a permute is one.", permuteOnce},
    GraphRule{"reshape-instead-of-permuting", "Reshape instead of permuting",
              "A permute that moves only axes of extent 1 is a reshape.", reshapeInsteadOfPermuting},
    GraphRule{"shrink-once", "Shrink once", "A shrink of a shrink is one.", shrinkOnce},
    GraphRule{"flip-once", "Flip once", "A flip of a flip reverses the axes that one of them reverses.", flipOnce},
    GraphRule{"pad-once", "Pad once", "A pad of a pad with the same fill is one.", padOnce},
    GraphRule{"reshape-instead-of-viewing", "Reshape instead of viewing",
              "A view that reads the whole input in row-major order is a reshape.", reshapeInsteadOfViewing},
    GraphRule{"drop-short-reduce-axes", "Drop axes of extent 1 from a reduction",
              "Combining one element gives it, except in a float sum, where -0 would become +0.", dropShortReduceAxes},
    GraphRule{"reduce-once", "Reduce once",
              "A reduction of a reduction by the same operation is one: of integers, and maxima and minima.", reduceOnce},
    GraphRule{"shrink-parts-of-cat", "Shrink parts of a cat",
              "Elements of some inputs of a cat are taken from these inputs: the others need not be computed.", shrinkPartsOfCat},
    GraphRule{"drop-empty-parts", "Drop empty parts", "A cat leaves out inputs without elements.", dropEmptyParts},
};

} // namespace

std::span<const GraphRule> movementRules()
{
    return kRules;
}

} // namespace sw
