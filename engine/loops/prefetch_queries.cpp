#include "engine/loops/prefetch_queries.h"

#include "engine/base/checked_size.h"
#include "engine/base/text.h"
#include "engine/loops/queries.h"

#include <algorithm>

namespace sw {

namespace {

bool isLoopOf(const LoopNest &nest, AxisId leaf)
{
    const auto has = [leaf](const std::vector<AxisId> &order) { return std::ranges::find(order, leaf) != order.end(); };
    return has(nest.order) || std::ranges::any_of(nest.reductions, has, &Reduction::order);
}

} // namespace

std::optional<std::int64_t> prefetchDistance(const LoopNest &nest, const Prefetch &prefetch)
{
    const AxisId axis = unsplitAxis(nest, prefetch.at);
    CheckedSize distance = 0;
    for (const auto &[factor, part] : nest.arena.sumOf(nest.values[prefetch.load.value].index).terms) {
        if (!nest.arena.dependsOn(part, axis))
            continue;
        if (nest.arena.at(part).kind != ExprKind::Axis)
            return std::nullopt;
        distance = distance + CheckedSize(factor) * stepOf(nest, prefetch.at) * prefetch.ahead;
    }
    const std::int64_t elements = distance.saturated();
    return elements == 0 ? std::nullopt : std::optional(elements);
}

std::optional<std::string> prefetchProblemOf(const LoopNest &nest, const Prefetch &prefetch)
{
    const Value &value = nest.values[prefetch.load.value];
    if (value.kind != ValueKind::Load || !value.buffer.isValid())
        return format("v{} loads nothing from a buffer", prefetch.load.value);
    const Axis &loop = nest.axes[prefetch.at.value];
    if ((loop.type != AxisType::Loop && loop.type != AxisType::Reduce) || !isLoopOf(nest, prefetch.at))
        return format("{} is no loop; only one that is run round by round has rounds ahead", loop.name);
    if (!prefetchDistance(nest, prefetch))
        return format("v{} does not go the same distance on in every round of {}", prefetch.load.value, loop.name);
    return std::nullopt;
}

} // namespace sw
