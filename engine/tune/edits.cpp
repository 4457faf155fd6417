#include "engine/tune/edits.h"

#include "engine/base/assert.h"
#include "engine/loops/queries.h"
#include "engine/tune/list_builder.h"

#include <algorithm>

namespace sw {

namespace {

// A list without one of its copies, and perhaps with one made elsewhere.
TransformList withOtherPack(const LoopNest &nest, const TransformList &list, Dice &dice)
{
    TransformList kept = list;
    const std::vector<std::size_t> packs = placesOf(list, TransformKind::Pack);
    if (!packs.empty() && dice.percent(60))
        kept.erase(kept.begin() + static_cast<std::ptrdiff_t>(dice.oneOf(packs)));
    ListBuilder builder(nest);
    for (const Transform &transform : kept)
        builder.add(transform);
    const std::vector<ValueId> loads = reducedLoads(nest);
    const std::vector<AxisId> loops = domainLoops(builder.nest());
    if (!loads.empty() && !loops.empty() && dice.percent(70))
        builder.pack(dice.oneOf(loads), dice.oneOf(loops), dice);
    return builder.take();
}

TransformList withOtherStore(const LoopNest &nest, TransformList list, Dice &dice)
{
    const auto store = static_cast<std::int64_t>(dice.below(nest.stores.size()));
    const auto isThis = [&](const Transform &one) { return one.kind == TransformKind::NonTemporal && one.factor == store; };
    if (std::erase_if(list, isThis) == 0)
        list.push_back({.kind = TransformKind::NonTemporal, .factor = store});
    return list;
}

// The loops of the domain and of the reductions that are run round by round.
std::vector<AxisId> loopsIn(const LoopNest &nest)
{
    std::vector<AxisId> loops = domainLoops(nest);
    for (const Reduction &reduction : nest.reductions)
        for (const AxisId leaf : reduction.order)
            if (!isRepeated(nest.axes[leaf.value].type))
                loops.push_back(leaf);
    return loops;
}

// A list without what is fetched ahead, or with something else that is.
TransformList withOtherPrefetch(const LoopNest &nest, TransformList list, Dice &dice)
{
    constexpr std::size_t kMostDoublings = 6; // of the rounds ahead
    const auto fetches = [](const Transform &one) {
        return one.kind == TransformKind::Prefetch || one.kind == TransformKind::Stream;
    };
    if (std::erase_if(list, fetches) > 0 && dice.percent(50))
        return list;
    ListBuilder builder(nest);
    for (const Transform &transform : list)
        builder.add(transform);
    const std::vector<ValueId> loads = reducedLoads(nest);
    const std::vector<AxisId> loops = loopsIn(builder.nest());
    if (loads.empty() || loops.empty())
        return builder.take();
    if (dice.percent(50))
        builder.add({.kind = TransformKind::Stream, .axes = {builder.axis(dice.oneOf(loops)).name}, .value = dice.oneOf(loads)});
    else
        builder.add({.kind = TransformKind::Prefetch,
                     .axes = {builder.axis(dice.oneOf(loops)).name},
                     .factor = std::int64_t{1} << dice.below(kMostDoublings),
                     .value = dice.oneOf(loads)});
    return builder.take();
}

// A loop is written out another number of times.
TransformList withOtherUnroll(const LoopNest &nest, TransformList list, Dice &dice)
{
    ListBuilder builder(nest);
    for (const Transform &transform : list)
        builder.add(transform);
    const std::vector<AxisId> loops = loopsIn(builder.nest());
    if (loops.empty())
        return list;
    const std::string &name = builder.axis(dice.oneOf(loops)).name;
    std::erase_if(list, [&](const Transform &one) { return one.kind == TransformKind::Unroll && one.axes.front() == name; });
    if (const std::size_t copies = dice.below(4); copies > 0)
        list.push_back({.kind = TransformKind::Unroll, .axes = {name}, .factor = std::int64_t{1} << copies});
    return list;
}

// The last order of the loops, changed at one place.
TransformList withOtherOrder(const LoopNest &nest, TransformList list, Dice &dice)
{
    const std::vector<std::size_t> orders = placesOf(list, TransformKind::Reorder);
    if (!orders.empty()) {
        std::vector<std::string> &names = list[dice.oneOf(orders)].axes;
        if (names.size() < 2)
            return list;
        const std::size_t from = dice.below(names.size());
        const std::size_t to = dice.below(names.size());
        std::string moved = names[from];
        names.erase(names.begin() + static_cast<std::ptrdiff_t>(from));
        names.insert(names.begin() + static_cast<std::ptrdiff_t>(to), std::move(moved));
        return list;
    }
    ListBuilder builder(nest);
    for (const Transform &transform : list)
        builder.add(transform);
    std::vector<AxisId> order = builder.nest().order;
    if (order.size() > 1)
        std::swap(order[dice.below(order.size())], order[dice.below(order.size())]);
    builder.reorder(order);
    return builder.take();
}

} // namespace

std::int64_t changedFactor(std::int64_t factor, Dice &dice)
{
    switch (dice.below(5)) {
    case 0:
        return factor * 2;
    case 1:
        return factor / 2;
    case 2:
        return factor + 1;
    case 3:
        return factor - 1;
    case 4:
        return factor + factor / 2;
    }
    SW_UNREACHABLE();
}

std::vector<std::size_t> placesOf(const TransformList &list, TransformKind kind)
{
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < list.size(); ++i)
        if (list[i].kind == kind)
            places.push_back(i);
    return places;
}

TransformList withOtherDetail(const LoopNest &nest, TransformList list, std::size_t detail, Dice &dice)
{
    if (detail < 8)
        return withOtherUnroll(nest, std::move(list), dice);
    return detail < 14 ? withOtherPrefetch(nest, std::move(list), dice) : withOtherStore(nest, std::move(list), dice);
}

TransformList editedList(const LoopNest &nest, const TransformList &list, Dice &dice)
{
    TransformList made = list;
    const std::size_t edits = 1 + dice.below(2);
    for (std::size_t i = 0; i < edits; ++i) {
        const std::size_t kind = dice.below(100);
        const std::vector<std::size_t> splits = placesOf(made, TransformKind::Split);
        if (kind < 50 && !splits.empty()) {
            Transform &split = made[dice.oneOf(splits)];
            split.factor = changedFactor(split.factor, dice);
        } else if (kind < 65) {
            made = withOtherOrder(nest, std::move(made), dice);
        } else if (kind < 80) {
            made = withOtherPack(nest, made, dice);
        } else {
            made = withOtherDetail(nest, std::move(made), kind - 80, dice);
        }
    }
    return made;
}

} // namespace sw
