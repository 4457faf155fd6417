#include "engine/tune/list_builder.h"

#include "engine/loops/queries.h"

#include <algorithm>
#include <iterator>

namespace sw {

bool ListBuilder::add(const Transform &transform)
{
    Result<LoopNest> made = applyTransform(m_nest, transform);
    if (!made)
        return false;
    m_nest = std::move(*made);
    m_list.push_back(transform);
    return true;
}

bool ListBuilder::setType(AxisId id, AxisType type)
{
    return add({.kind = TransformKind::SetType, .axes = {axis(id).name}, .type = type});
}

bool ListBuilder::reorder(const std::vector<AxisId> &order)
{
    if (order == m_nest.order)
        return true;
    std::vector<std::string> names;
    for (const AxisId id : order)
        names.push_back(axis(id).name);
    return add({.kind = TransformKind::Reorder, .axes = std::move(names)});
}

ListBuilder::Parts ListBuilder::split(AxisId id, std::int64_t factor)
{
    if (factor >= axis(id).extent || !add({.kind = TransformKind::Split, .axes = {axis(id).name}, .factor = factor}))
        return {AxisId(), id};
    return {AxisId(m_nest.axes.size() - 2), AxisId(m_nest.axes.size() - 1)};
}

AxisId ListBuilder::tile(AxisId id, std::int64_t indices, std::int64_t lanes)
{
    const AxisType repeated = axis(id).isReduce ? AxisType::Unroll : AxisType::Upcast;
    const Parts parts = split(id, indices);
    if (lanes <= 1) {
        setType(parts.inner, repeated);
    } else {
        const Parts vectors = split(parts.inner, lanes);
        if (vectors.outer.isValid())
            setType(vectors.outer, repeated);
        setType(vectors.inner, AxisType::Vector);
    }
    return parts.outer;
}

// The largest part of the axis that has no loop at `at` or outside of it.
AxisId ListBuilder::partInside(AxisId unsplit, AxisId at) const
{
    const auto end = std::ranges::find(m_nest.order, at);
    const auto isOutside = [&](AxisId leaf) {
        return end != m_nest.order.end() && std::find(m_nest.order.begin(), end + 1, leaf) != end + 1;
    };
    AxisId part = unsplit;
    while (part.isValid() && std::ranges::any_of(leavesOf(m_nest, part), isOutside)) {
        AxisId inner;
        for (std::size_t i = 0; i < m_nest.axes.size(); ++i)
            if (m_nest.axes[i].source == part)
                inner = AxisId(i); // the inner part comes last
        part = inner;
    }
    return part;
}

bool ListBuilder::pack(ValueId load, AxisId at, Dice &dice)
{
    std::vector<AxisId> order;
    AxisId vector;
    const std::vector<AxisId> moving = valueDependencies(m_nest)[load.value];
    for (const AxisId unsplit : moving) {
        const AxisId part = partInside(unsplit, at);
        if (!part.isValid())
            continue;
        const std::vector<AxisId> leaves = leavesOf(m_nest, part);
        const AxisId tile = tileOf(m_nest, unsplit);
        const bool isTiled = tile.isValid() && !axis(unsplit).isReduce;
        if (isTiled && tile != part && leaves.size() > leavesOf(m_nest, tile).size()) {
            // Its loops index the copy first, its tile last.
            for (const AxisId leaf : leaves)
                if (!isRepeated(axis(leaf).type))
                    order.push_back(leaf);
        }
        const AxisId last = isTiled && leaves.size() > leavesOf(m_nest, tile).size() ? tile : part;
        const bool hasVector =
            std::ranges::any_of(leavesOf(m_nest, last), [&](AxisId leaf) { return axis(leaf).type == AxisType::Vector; });
        if (hasVector || (isTiled && !vector.isValid())) {
            if (vector.isValid())
                order.push_back(vector);
            vector = last;
        } else {
            order.push_back(last);
        }
    }
    if (dice.percent(30))
        dice.shuffle(order);
    if (vector.isValid())
        order.push_back(vector);
    Transform made{.kind = TransformKind::Pack, .axes = {axis(at).name}, .value = load};
    for (const AxisId id : order)
        made.axes.push_back(axis(id).name);
    return add(made);
}

std::vector<ValueId> reducedLoads(const LoopNest &nest)
{
    std::vector<ValueId> loads;
    for (const Reduction &reduction : nest.reductions)
        for (const ValueId id : valuesUnder(nest, reduction.body, ThroughReductions::No))
            if (nest.values[id.value].kind == ValueKind::Load && std::ranges::find(loads, id) == loads.end())
                loads.push_back(id);
    return loads;
}

std::vector<AxisId> domainLoops(const LoopNest &nest)
{
    std::vector<AxisId> loops;
    std::ranges::copy_if(nest.order, std::back_inserter(loops),
                         [&](AxisId leaf) { return !isRepeated(nest.axes[leaf.value].type); });
    return loops;
}

} // namespace sw
