#include "engine/loops/queries.h"

#include <algorithm>
#include <iterator>

namespace sw {

namespace {

void unite(std::vector<AxisId> &into, const std::vector<AxisId> &more)
{
    std::vector<AxisId> all;
    std::ranges::set_union(into, more, std::back_inserter(all));
    into = std::move(all);
}

std::vector<AxisId> ownDependencies(const LoopNest &nest, const Value &value)
{
    std::vector<AxisId> found;
    if (value.index.isValid())
        found = nest.arena.axesOf(value.index);
    for (const RangeCondition &condition : value.conditions)
        unite(found, nest.arena.axesOf(condition.expr));
    return found;
}

} // namespace

std::optional<AxisId> axisNamed(const LoopNest &nest, std::string_view name)
{
    for (std::size_t i = 0; i < nest.axes.size(); ++i)
        if (nest.axes[i].name == name)
            return AxisId(i);
    return std::nullopt;
}

AxisId unsplitAxis(const LoopNest &nest, AxisId leaf)
{
    while (nest.axes[leaf.value].source.isValid())
        leaf = nest.axes[leaf.value].source;
    return leaf;
}

// Operands precede their users, and a reduction's body precedes its result, so one pass is enough.
std::vector<std::vector<AxisId>> valueDependencies(const LoopNest &nest)
{
    std::vector<std::vector<AxisId>> found(nest.values.size());
    for (std::size_t i = 0; i < nest.values.size(); ++i) {
        const Value &value = nest.values[i];
        found[i] = ownDependencies(nest, value);
        for (const ValueId operand : value.operands)
            unite(found[i], found[operand.value]);
        if (value.kind != ValueKind::Reduction)
            continue;
        const Reduction &reduction = nest.reductions[value.reduction.value];
        unite(found[i], found[reduction.body.value]);
        std::erase_if(found[i], [&](AxisId axis) { return std::ranges::find(reduction.axes, axis) != reduction.axes.end(); });
    }
    return found;
}

std::vector<ValueId> valuesUnder(const LoopNest &nest, ValueId root, ThroughReductions through)
{
    std::vector<char> isSeen(nest.values.size(), 0);
    std::vector<ValueId> pending{root};
    std::vector<ValueId> found;
    while (!pending.empty()) {
        const ValueId id = pending.back();
        pending.pop_back();
        if (isSeen[id.value] != 0)
            continue;
        isSeen[id.value] = 1;
        found.push_back(id);
        const Value &value = nest.values[id.value];
        pending.insert(pending.end(), value.operands.begin(), value.operands.end());
        if (value.kind == ValueKind::Reduction && through == ThroughReductions::Yes)
            pending.push_back(nest.reductions[value.reduction.value].body);
    }
    std::ranges::sort(found);
    return found;
}

std::optional<AxisId> axisMissingInPack(const LoopNest &nest, const Pack &pack)
{
    const auto indexesCopy = [&](AxisId axis) {
        for (; axis.isValid(); axis = nest.axes[axis.value].source)
            if (std::ranges::find(pack.order, axis) != pack.order.end())
                return true;
        return false;
    };
    const std::vector<AxisId> moving = valueDependencies(nest)[pack.load.value];
    for (const AxisId axis : moving)
        if (nest.axes[axis.value].isReduce && !indexesCopy(axis))
            return axis;
    for (auto leaf = std::ranges::find(nest.order, pack.at) + 1; leaf != nest.order.end(); ++leaf)
        if (std::ranges::binary_search(moving, unsplitAxis(nest, *leaf)) && !indexesCopy(*leaf))
            return *leaf;
    return std::nullopt;
}

} // namespace sw
