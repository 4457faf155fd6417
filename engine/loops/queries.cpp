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

std::int64_t groupItemsOf(const LoopNest &nest)
{
    std::int64_t items = 1;
    const auto look = [&](const std::vector<AxisId> &order) {
        for (const AxisId leaf : order)
            if (nest.axes[leaf.value].type == AxisType::Local)
                items = std::max(items, nest.axes[leaf.value].extent);
    };
    look(nest.order);
    for (const Reduction &reduction : nest.reductions)
        look(reduction.order);
    return items;
}

std::optional<std::string> tileProblemOf(const LoopNest &nest, ReductionId id)
{
    const Reduction &reduction = nest.reductions[id.value];
    const Value &body = nest.values[reduction.body.value];
    if (reduction.op != Op::Add || body.kind != ValueKind::Alu || body.op != Op::Mul || body.dtype != reduction.dtype)
        return "the reduction does not add up products of its own type";
    const TileRoles roles = tileRolesOf(nest, id);
    if (!roles.columns.isValid())
        return "no axis of the domain is a vector";
    const auto dependencies = valueDependencies(nest);
    const auto moves = [&](ValueId value, AxisId axis) { return std::ranges::binary_search(dependencies[value.value], axis); };
    if (!moves(roles.b, roles.columns) || moves(roles.a, roles.columns))
        return format("not exactly one factor moves with the vector axis {}", nest.axes[roles.columns.value].name);
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].type == AxisType::Upcast && moves(roles.b, unsplitAxis(nest, leaf)))
            return format("both factors move with {}", nest.axes[leaf.value].name);
    for (const AxisId leaf : reduction.order)
        if (nest.axes[leaf.value].type == AxisType::Vector)
            return "the reduction itself runs along a vector";
    return std::nullopt;
}

TileRoles tileRolesOf(const LoopNest &nest, ReductionId id)
{
    const Value &body = nest.values[nest.reductions[id.value].body.value];
    TileRoles roles{.a = body.operands.at(0), .b = body.operands.at(1), .columns = AxisId()};
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].type == AxisType::Vector)
            roles.columns = unsplitAxis(nest, leaf);
    if (roles.columns.isValid() && std::ranges::binary_search(valueDependencies(nest)[roles.a.value], roles.columns))
        std::swap(roles.a, roles.b);
    return roles;
}

} // namespace sw
