#include "engine/loops/share_queries.h"

#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

constexpr std::int64_t kMostApart = 64; // elements between rows

bool isAmong(const std::vector<AxisId> &axes, AxisId axis)
{
    return std::ranges::find(axes, axis) != axes.end();
}

bool isLoopOfReduction(const LoopNest &nest, AxisId leaf)
{
    return std::ranges::any_of(nest.reductions, [&](const Reduction &one) { return isAmong(one.order, leaf); });
}

// The name of an axis above or below this one that a split does not divide.
std::optional<std::string> unevenSplitOf(const LoopNest &nest, AxisId axis)
{
    const AxisId whole = unsplitAxis(nest, axis);
    for (std::size_t i = 0; i < nest.axes.size(); ++i) {
        const Axis &part = nest.axes[i];
        if (part.source.isValid() && unsplitAxis(nest, AxisId(i)) == whole &&
            nest.axes[part.source.value].extent % part.factor != 0)
            return nest.axes[part.source.value].name;
    }
    return std::nullopt;
}

// The axis that an end moves with and that the items of a group, or their registers, divide among themselves.
std::optional<AxisId> dividedAxisOf(const LoopNest &nest, ValueId end)
{
    const auto dependencies = valueDependencies(nest);
    for (const ValueId part : valuesUnder(nest, end, ThroughReductions::Yes))
        for (const AxisId axis : dependencies[part.value])
            for (const AxisId leaf : leavesOf(nest, axis))
                if (isRepeated(nest.axes[leaf.value].type) || nest.axes[leaf.value].type == AxisType::Local)
                    return axis;
    return std::nullopt;
}

// The axes that index a copy.
std::optional<std::string> layoutProblemOf(const LoopNest &nest, const Pack &pack)
{
    const std::vector<AxisId> standing = loopsOutsideOf(nest, pack);
    std::vector<AxisId> seen;
    for (const AxisId id : pack.order) {
        const std::string &name = nest.axes[id.value].name;
        const std::vector<AxisId> leaves = leavesOf(nest, id);
        const AxisId tile = tileOf(nest, unsplitAxis(nest, id));
        const std::vector<AxisId> repeated = tile.isValid() ? leavesOf(nest, tile) : std::vector<AxisId>{};
        const auto isInCopy = [&](AxisId leaf) { return isAmong(leaves, leaf); };
        if (std::ranges::any_of(repeated, isInCopy) && !std::ranges::all_of(repeated, isInCopy))
            return format("{} is a part of {}, which is repeated in registers as a whole; let {} index the copy", name,
                          nest.axes[tile.value].name, nest.axes[tile.value].name);
        for (const AxisId leaf : leaves) {
            if (isAmong(seen, leaf))
                return format("{} indexes the copy twice", nest.axes[leaf.value].name);
            if (isAmong(standing, leaf))
                return format("{} indexes the copy, but {} is a loop outside of it", name, nest.axes[leaf.value].name);
            if (nest.axes[leaf.value].isMasked)
                return format("the vectors of {} are masked, and each item of a group reads whole ones",
                              nest.axes[leaf.value].name);
            seen.push_back(leaf);
        }
        if (const auto uneven = unevenSplitOf(nest, id))
            return format("the splits of {} leave a rest; pad it before it is split", *uneven);
    }
    return std::nullopt;
}

// The items of a group wait for each other: all of them must come to the copy, and equally often.
std::optional<std::string> waitProblemOf(const LoopNest &nest)
{
    std::vector<AxisId> loops = nest.domain;
    for (const Reduction &one : nest.reductions) {
        loops.insert(loops.end(), one.axes.begin(), one.axes.end());
        for (const AxisId leaf : one.order)
            if (nest.axes[leaf.value].type == AxisType::Local)
                return format("the items of a group share the steps of {}; the copy is for items that have results of their own",
                              nest.axes[leaf.value].name);
    }
    for (const AxisId axis : loops)
        if (const ValueId end = nest.axes[axis.value].end; end.isValid())
            if (const auto moving = dividedAxisOf(nest, end))
                return format("{} ends where {} says, and the items of a group would not make as many copies",
                              nest.axes[axis.value].name, nest.axes[moving->value].name);
    for (auto local = nest.order.begin(); local != nest.order.end(); ++local) {
        const AxisId whole = unsplitAxis(nest, *local);
        if (nest.axes[local->value].type != AxisType::Local || !nest.axes[whole.value].end.isValid())
            continue;
        for (auto inside = local + 1; inside != nest.order.end(); ++inside)
            if (unsplitAxis(nest, *inside) == whole && nest.axes[inside->value].type == AxisType::Loop)
                return format("{} ends where {} says, which tells the items of a group apart; {} must be outside",
                              nest.axes[inside->value].name, nest.axes[local->value].name, nest.axes[inside->value].name);
    }
    for (const Axis &part : nest.axes) {
        const bool isAround = part.source.isValid() && isAmong(nest.domain, unsplitAxis(nest, part.source));
        if (isAround && nest.axes[part.source.value].extent % part.factor != 0)
            return format("the splits of {} leave a rest, which would be other work items' copies; pad it before it is split",
                          nest.axes[part.source.value].name);
    }
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].extent % nest.axes[leaf.value].group != 0)
            return format("the groups of {} leave work items without an index", nest.axes[leaf.value].name);
    return std::nullopt;
}

} // namespace

std::vector<AxisId> groupLeavesOf(const LoopNest &nest)
{
    std::vector<AxisId> leaves;
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].type == AxisType::Local)
            leaves.push_back(leaf);
    return leaves;
}

bool hasSharedCopies(const LoopNest &nest)
{
    return std::ranges::any_of(nest.packs, [](const Pack &pack) { return pack.isShared; });
}

std::optional<std::string> shareProblemOf(const LoopNest &nest, const Pack &pack)
{
    const Axis &at = nest.axes[pack.at.value];
    if (!isAmong(nest.order, pack.at) && !isLoopOfReduction(nest, pack.at))
        return format("{} is no loop: it was split, divided or merged", at.name);
    if (isRepeated(at.type) || at.type == AxisType::Local)
        return format("{} is {}; a group makes a copy at a loop, or at an axis of groups", at.name, nameOf(at.type));
    if (pack.order.empty())
        return "no axis indexes the copy";
    if (pack.apart < 0 || pack.apart > kMostApart)
        return format("the rows of a copy lie between 0 and {} elements apart", kMostApart);
    if (groupItemsOf(nest) == 1)
        return "no axis is local: there is no group to share a copy";
    if (nest.rowAxes > 0)
        return "a stage keeps its rows in memory of one work item, so no group shares what it reads";
    if (blockLoopOf(nest))
        return "a reduction in blocks keeps its partial results in memory of one work item, so no group shares what it reads";
    if (!nest.values[pack.load.value].buffer.isValid())
        return format("v{} is what a stage hands on, which one work item has", pack.load.value);
    if (auto problem = layoutProblemOf(nest, pack))
        return problem;
    return waitProblemOf(nest);
}

} // namespace sw
