#include "engine/passes/graph/shard_rules.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

LocalForm impossible(std::string obstacle)
{
    LocalForm form;
    form.obstacle = std::move(obstacle);
    return form;
}

Shape withExtent(const Shape &shape, std::size_t axis, std::int64_t extent)
{
    std::vector<std::int64_t> extents(shape.begin(), shape.end());
    extents[axis] = extent;
    return Shape(std::move(extents));
}

// The node applied to every part; `layout` is the layout of the result.
LocalForm partByPart(const Node &node, ShardLayout layout)
{
    LocalForm form;
    for (std::size_t i = 0; i < layout.devices.size(); ++i) {
        Node part = node;
        if (layout.axis)
            part.shape = withExtent(node.shape, *layout.axis, layout.extents[i]);
        part.inputs.clear();
        form.nodes.push_back(std::move(part));
        form.parts.push_back(i);
    }
    form.layout = std::move(layout);
    return form;
}

std::int64_t elementsBehind(const Shape &shape, std::size_t axis)
{
    std::int64_t elements = 1;
    for (std::size_t i = axis + 1; i < shape.rank(); ++i)
        elements *= shape[i];
    return elements;
}

// Within each leading index, the parts are ranges of the elements in row-major order. They stay ranges when the leading axes hold
// the same number of indices before and after, and each boundary falls between two indices of the new axis.
LocalForm reshaped(const Node &node, const Shape &input, const ShardLayout &layout)
{
    if (input.isEmpty())
        return impossible("the value is empty");
    std::int64_t leading = 1;
    for (std::size_t axis = 0; axis < *layout.axis; ++axis)
        leading *= input[axis];
    const std::int64_t inner = elementsBehind(input, *layout.axis);
    std::int64_t before = 1;
    for (std::size_t axis = 0; axis < node.shape.rank(); before *= node.shape[axis], ++axis) {
        const std::int64_t behind = elementsBehind(node.shape, axis);
        const bool fits = before == leading &&
                          std::ranges::all_of(layout.extents, [&](std::int64_t extent) { return extent * inner % behind == 0; });
        if (!fits)
            continue;
        ShardLayout moved{layout.devices, axis};
        for (const std::int64_t extent : layout.extents)
            moved.extents.push_back(extent * inner / behind);
        return partByPart(node, std::move(moved));
    }
    return impossible(format("the shards of axis {} are no ranges of an axis of {}", *layout.axis, toText(node.shape)));
}

// Parts of which nothing is left are dropped together with their devices.
LocalForm shrunk(const Node &node, const ShardLayout &layout)
{
    const auto &kept = attributesOf<ShrinkAttributes>(node);
    const std::size_t axis = *layout.axis;
    LocalForm form;
    form.layout.axis = axis;
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < layout.devices.size(); begin += layout.extents[i], ++i) {
        const std::int64_t first = std::max(kept.begin[axis], begin) - begin;
        const std::int64_t last = std::min(kept.end[axis], begin + layout.extents[i]) - begin;
        const bool isLastChance = form.nodes.empty() && i + 1 == layout.devices.size();
        if (first >= last && !isLastChance)
            continue;
        Node part = node;
        auto &range = std::get<ShrinkAttributes>(part.attributes);
        range.begin[axis] = first >= last ? 0 : first;
        range.end[axis] = first >= last ? 0 : last;
        part.shape = withExtent(node.shape, axis, range.end[axis] - range.begin[axis]);
        part.inputs.clear();
        form.layout.devices.push_back(layout.devices[i]);
        form.layout.extents.push_back(part.shape[axis]);
        form.nodes.push_back(std::move(part));
        form.parts.push_back(i);
    }
    return form;
}

LocalForm permuted(const Node &node, const ShardLayout &layout)
{
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    ShardLayout moved = layout;
    moved.axis = static_cast<std::size_t>(std::ranges::find(axes, *layout.axis) - axes.begin());
    return partByPart(node, std::move(moved));
}

LocalForm padded(const Node &node, const ShardLayout &layout)
{
    const auto &border = attributesOf<PadAttributes>(node);
    if (border.before[*layout.axis] != 0 || border.after[*layout.axis] != 0)
        return impossible(format("it pads the sharded axis {}", *layout.axis));
    return partByPart(node, layout);
}

LocalForm overAxes(const Node &node, const ShardLayout &layout, std::string_view what)
{
    const auto &axes = attributesOf<AxesAttributes>(node).axes;
    if (std::ranges::find(axes, *layout.axis) != axes.end())
        return impossible(format("it {} the sharded axis {}", what, *layout.axis));
    return partByPart(node, layout);
}

LocalForm alongAxis(const Node &node, const Shape &input, const ShardLayout &layout)
{
    if (node.kind == NodeKind::Reshape)
        return reshaped(node, input, layout);
    if (node.kind == NodeKind::Permute)
        return permuted(node, layout);
    if (node.kind == NodeKind::Shrink)
        return shrunk(node, layout);
    if (node.kind == NodeKind::Pad)
        return padded(node, layout);
    if (node.kind == NodeKind::Flip)
        return overAxes(node, layout, "reverses");
    if (node.kind == NodeKind::ReduceAxis)
        return overAxes(node, layout, "reduces");
    if (node.kind == NodeKind::View)
        return impossible("it reads through strides");
    if (node.kind == NodeKind::Expand && node.shape[*layout.axis] != input[*layout.axis])
        return impossible(format("it repeats the sharded axis {}", *layout.axis));
    return partByPart(node, layout);
}

} // namespace

LocalForm localForm(const Node &node, const Shape &input, const ShardLayout &layout)
{
    return layout.axis ? alongAxis(node, input, layout) : partByPart(node, layout);
}

bool onlyMovesElements(const Node &node)
{
    if (node.kind == NodeKind::View)
        return attributesOf<ViewAttributes>(node).mask.empty();
    return familyOf(node.kind) == NodeFamily::Movement && node.kind != NodeKind::Pad;
}

} // namespace sw
