#include "engine/loops/queries.h"

#include "engine/base/checked_size.h"
#include "engine/loops/join.h"

#include <algorithm>
#include <iterator>

namespace sw {

namespace {

constexpr std::int64_t kMostPartials = 1 << 20; // what a work item can keep in its own memory

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

// The axes that an end moves with. A merge makes ends behind the values that they end, so their turn in the list of values may
// not have come.
std::vector<AxisId> endDependencies(const LoopNest &nest, ValueId end)
{
    std::vector<AxisId> found;
    for (const ValueId part : valuesUnder(nest, end, ThroughReductions::No))
        unite(found, ownDependencies(nest, nest.values[part.value]));
    return found;
}

// Whether the leaves are parts of the tile.
bool leavesInTile(const LoopNest &nest, AxisId tile, const std::vector<AxisId> &leaves)
{
    const std::vector<AxisId> own = leavesOf(nest, tile);
    return std::ranges::all_of(leaves, [&](AxisId leaf) { return std::ranges::find(own, leaf) != own.end(); });
}

// The innermost axis of the copy counts steps of a reduction that are written out.
bool endsInSteps(const LoopNest &nest, const Pack &pack)
{
    const AxisId tile = tileOf(nest, unsplitAxis(nest, pack.order.back()));
    return nest.axes[pack.order.back().value].isReduce && tile.isValid() &&
           leavesInTile(nest, tile, leavesOf(nest, pack.order.back()));
}

// The name of a part of the tile that a split does not divide.
std::optional<std::string> unevenPartOf(const LoopNest &nest, AxisId tile)
{
    for (const Axis &part : nest.axes) {
        AxisId above = part.source;
        while (above.isValid() && above != tile)
            above = nest.axes[above.value].source;
        if (above.isValid() && nest.axes[part.source.value].extent % part.factor != 0)
            return nest.axes[part.source.value].name;
    }
    return std::nullopt;
}

// Why a part of a tile cannot index the copy. Where the copy's last axis counts steps that are written out, the places of all
// that is repeated in registers are known when it is made; else a tile indexes it as a whole.
std::optional<std::string> partProblemOf(const LoopNest &nest, const Pack &pack, AxisId part, AxisId tile)
{
    const std::string &name = nest.axes[tile.value].name;
    if (!endsInSteps(nest, pack))
        return format("{} is a part of {}, which is repeated in registers as a whole; let {} index the copy",
                      nest.axes[part.value].name, name, name);
    if (const auto uneven = unevenPartOf(nest, tile))
        return format("parts of {} index the copy, and {} leaves a rest", name, *uneven);
    if (nest.axes[part.value].isReduce && !hasOneExtent(nest, tile))
        return format("parts of {} index the copy, and it is the rest of a split too", name);
    return std::nullopt;
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

std::int64_t stepOf(const LoopNest &nest, AxisId leaf)
{
    std::int64_t step = 1;
    for (AxisId axis = leaf; nest.axes[axis.value].source.isValid(); axis = nest.axes[axis.value].source)
        step *= nest.axes[axis.value].factor;
    return step;
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
        if (reduction.joined)
            unite(found[i], found[nest.reductions[reduction.joined->leader.value].body.value]);
        for (const AxisId axis : reduction.axes)
            if (const ValueId end = nest.axes[axis.value].end; end.isValid())
                unite(found[i], endDependencies(nest, end));
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

std::vector<AxisId> loopsOutsideOf(const LoopNest &nest, const Pack &pack)
{
    std::vector<AxisId> loops = nest.order;
    const auto at = std::ranges::find(loops, pack.at);
    if (at != loops.end())
        loops.erase(at + 1, loops.end());
    for (const Reduction &reduction : nest.reductions)
        if (const auto own = std::ranges::find(reduction.order, pack.at); own != reduction.order.end())
            loops.insert(loops.end(), reduction.order.begin(), own + 1);
    std::erase_if(loops, [&](AxisId leaf) {
        const AxisType type = nest.axes[leaf.value].type;
        return isRepeated(type) || (pack.isShared && type == AxisType::Local);
    });
    return loops;
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
    const std::vector<AxisId> outside = loopsOutsideOf(nest, pack);
    std::vector<AxisId> inside = nest.order;
    for (const Reduction &reduction : nest.reductions)
        inside.insert(inside.end(), reduction.order.begin(), reduction.order.end());
    std::erase_if(inside, [&](AxisId leaf) { return std::ranges::find(outside, leaf) != outside.end(); });
    for (const AxisId leaf : inside)
        if (std::ranges::binary_search(moving, unsplitAxis(nest, leaf)) && !indexesCopy(leaf))
            return leaf;
    return std::nullopt;
}

std::optional<std::string> packProblemOf(const LoopNest &nest, const Pack &pack)
{
    if (pack.order.empty())
        return "no axis indexes the copy";
    if (isRepeated(nest.axes[pack.at.value].type))
        return format("{} is repeated in registers; a copy is made at a loop", nest.axes[pack.at.value].name);
    std::vector<AxisId> seen;
    for (const AxisId id : pack.order) {
        const AxisId tile = tileOf(nest, unsplitAxis(nest, id));
        const std::vector<AxisId> leaves = leavesOf(nest, id);
        const std::vector<AxisId> repeated = tile.isValid() ? leavesOf(nest, tile) : std::vector<AxisId>{};
        const auto isOfTile = [&](AxisId leaf) { return std::ranges::find(repeated, leaf) != repeated.end(); };
        if (leaves.size() < repeated.size() && std::ranges::any_of(leaves, isOfTile))
            if (const auto problem = partProblemOf(nest, pack, id, tile))
                return problem;
        if (endsInSteps(nest, pack) && maskedVectorOf(nest, unsplitAxis(nest, id)).isValid())
            return format("the copy ends in steps of a reduction, and the vectors of {} are masked", nest.axes[id.value].name);
        for (const AxisId leaf : leaves) {
            if (std::ranges::find(seen, leaf) != seen.end())
                return format("{} indexes the copy twice", nest.axes[leaf.value].name);
            seen.push_back(leaf);
        }
    }
    const std::vector<AxisId> outside = loopsOutsideOf(nest, pack);
    for (const AxisId id : pack.order) {
        const Axis &axis = nest.axes[id.value];
        const std::vector<AxisId> leaves = leavesOf(nest, id);
        for (const AxisId leaf : leaves)
            if (std::ranges::find(outside, leaf) != outside.end())
                return format("{} indexes the copy, but {} is a loop outside of it", axis.name, nest.axes[leaf.value].name);
        if (!axis.source.isValid() || leavesOf(nest, axis.source).front() != leaves.front())
            continue; // whole, or the inner part of a split
        if (const AxisId tile = tileOf(nest, unsplitAxis(nest, id));
            tile.isValid() && tile != id && leavesInTile(nest, tile, leaves))
            continue; // the places of what is repeated in registers are known
        const Axis &split = nest.axes[axis.source.value];
        if (split.source.isValid() || split.extent % axis.factor != 0)
            return format("{} indexes the copy, which would leave out the rest of {}", axis.name, split.name);
    }
    return std::nullopt;
}

AxisId maskedVectorOf(const LoopNest &nest, AxisId unsplit)
{
    for (const AxisId leaf : leavesOf(nest, unsplit))
        if (nest.axes[leaf.value].isMasked)
            return leaf;
    return AxisId();
}

bool hasOneExtent(const LoopNest &nest, AxisId axis)
{
    for (; nest.axes[axis.value].source.isValid(); axis = nest.axes[axis.value].source) {
        const AxisId source = nest.axes[axis.value].source;
        for (const Axis &part : nest.axes)
            if (part.source == source && nest.axes[source.value].extent % part.factor != 0)
                return false;
    }
    return true;
}

std::vector<AxisId> leavesOf(const LoopNest &nest, AxisId axis)
{
    std::vector<AxisId> leaves;
    for (std::size_t part = axis.value + 1; part < nest.axes.size(); ++part) {
        if (nest.axes[part].source != axis)
            continue;
        const std::vector<AxisId> below = leavesOf(nest, AxisId(part));
        leaves.insert(leaves.end(), below.begin(), below.end());
    }
    return leaves.empty() ? std::vector{axis} : leaves;
}

bool isRepeated(AxisType type)
{
    return type == AxisType::Upcast || type == AxisType::Unroll || type == AxisType::Vector;
}

// A part comes after the axis that it is a part of, so the outermost one is found first.
AxisId tileOf(const LoopNest &nest, AxisId unsplit)
{
    for (std::size_t i = unsplit.value; i < nest.axes.size(); ++i) {
        const std::vector<AxisId> leaves =
            unsplitAxis(nest, AxisId(i)) == unsplit ? leavesOf(nest, AxisId(i)) : std::vector<AxisId>{};
        if (!leaves.empty() && std::ranges::all_of(leaves, [&](AxisId leaf) { return isRepeated(nest.axes[leaf.value].type); }))
            return AxisId(i);
    }
    return {};
}

std::optional<AxisId> blockLoopOf(const LoopNest &nest)
{
    const auto found = std::ranges::find_if(nest.order, [&](AxisId leaf) { return nest.axes[leaf.value].isReduce; });
    return found != nest.order.end() ? std::optional(*found) : std::nullopt;
}

std::vector<AxisId> leavesInBlocks(const LoopNest &nest)
{
    std::vector<AxisId> leaves;
    bool isInside = false;
    for (const AxisId leaf : nest.order) {
        const Axis &axis = nest.axes[leaf.value];
        if (axis.isReduce)
            isInside = true;
        else if (isInside || axis.type == AxisType::Upcast || axis.type == AxisType::Vector)
            leaves.push_back(leaf);
    }
    return leaves;
}

std::optional<std::string> blockProblemOf(const LoopNest &nest)
{
    const std::optional<AxisId> block = blockLoopOf(nest);
    if (!block)
        return std::nullopt;
    const std::string &name = nest.axes[block->value].name;
    if (const std::size_t count = leadersIn(nest); count != 1)
        return format("{} is a loop of a reduction, and the kernel has {} of them; "
                      "blocks need a kernel with one",
                      name, count);
    const Reduction &reduction = *std::ranges::find_if(nest.reductions, [](const Reduction &one) { return !one.joined; });
    if (reduction.isTiled)
        return "the steps of the reduction are products of tiles, which are not "
               "done in blocks";
    for (const AxisId leaf : nest.order)
        if (nest.axes[leaf.value].isReduce && leaf != *block)
            return format("{} and {} are both loops of the reduction; one may stand "
                          "among the domain's",
                          name, nest.axes[leaf.value].name);
    if (nest.axes[block->value].type != AxisType::Reduce)
        return format("{} is {}; the loop over blocks must be reduce", name, nameOf(nest.axes[block->value].type));
    if (leavesOf(nest, unsplitAxis(nest, *block)).front() != *block)
        return format("{} is an inner part of its axis; the loop over blocks must "
                      "be the outermost part",
                      name);
    const auto dependencies = valueDependencies(nest);
    const auto result = std::ranges::find_if(nest.values, [](const Value &value) { return value.kind == ValueKind::Reduction; });
    const std::vector<AxisId> &moving = dependencies[static_cast<std::size_t>(result - nest.values.begin())];
    const std::vector<AxisId> inside = leavesInBlocks(nest);
    for (const AxisId axis : nest.domain) {
        const AxisId tile = tileOf(nest, axis);
        const std::vector<AxisId> repeated = tile.isValid() ? leavesOf(nest, tile) : std::vector<AxisId>{};
        const bool hasVector =
            std::ranges::any_of(repeated, [&](AxisId leaf) { return nest.axes[leaf.value].type == AxisType::Vector; });
        if (hasVector && repeated.back() != leavesOf(nest, axis).back())
            return format("{} is a vector and an outer part of {}: the lanes of its partial results would lie apart",
                          nest.axes[tile.value].name, nest.axes[axis.value].name);
    }
    std::int64_t partials = 1;
    for (const AxisId leaf : inside) {
        const Axis &axis = nest.axes[leaf.value];
        if (axis.type != AxisType::Loop && axis.type != AxisType::Upcast && axis.type != AxisType::Vector)
            return format("{} is {} inside of the loop {} over blocks", axis.name, nameOf(axis.type), name);
        if (!std::ranges::binary_search(moving, unsplitAxis(nest, leaf)))
            return format("the reduction does not move with {}, which would repeat its blocks", axis.name);
        partials = partials > kMostPartials ? partials : partials * (axis.extent + (axis.factor > 1 ? 1 : 0));
    }
    if (partials > kMostPartials)
        return format("the loops inside of {} have {} or more partial results; "
                      "there may be {}",
                      name, partials, kMostPartials);
    for (const AxisId axis : nest.domain) {
        const std::vector<AxisId> leaves = leavesOf(nest, axis);
        const auto isInside = [&](AxisId leaf) { return std::ranges::find(inside, leaf) != inside.end(); };
        if (!std::ranges::is_partitioned(leaves, [&](AxisId leaf) { return !isInside(leaf); }))
            return format("an outer part of {} is inside of {}, and an inner part outside", nest.axes[axis.value].name, name);
    }
    return std::nullopt;
}

std::int64_t groupItemsOf(const LoopNest &nest)
{
    std::int64_t items = 1;
    const auto look = [&](const std::vector<AxisId> &order) {
        CheckedSize places = 1;
        for (const AxisId leaf : order)
            if (nest.axes[leaf.value].type == AxisType::Local)
                places *= nest.axes[leaf.value].extent;
        items = std::max(items, places.saturated());
    };
    look(nest.order);
    for (const Reduction &reduction : nest.reductions)
        look(reduction.order);
    return items;
}

} // namespace sw
