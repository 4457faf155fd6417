#include "engine/loops/transform_steps.h"

#include "engine/loops/prefetch_queries.h"
#include "engine/loops/queries.h"
#include "engine/loops/share_queries.h"
#include "engine/loops/stream_queries.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::int64_t kMostRoundsAhead = 65536;

} // namespace

Result<Done> applyPack(LoopNest &nest, const Transform &transform)
{
    if (transform.axes.empty() || transform.value.value >= nest.values.size() ||
        nest.values[transform.value.value].kind != ValueKind::Load)
        return invalid(transform, "a copy takes a load, the loop to make it at, and its axes");
    Pack made{.load = transform.value, .at = {}, .order = {}};
    for (std::size_t i = 0; i < transform.axes.size(); ++i) {
        const std::optional<AxisId> axis = axisNamed(nest, transform.axes[i]);
        if (!axis)
            return invalid(transform, format("the kernel has no axis {}", quoted(transform.axes[i])));
        if (i == 0)
            made.at = *axis;
        else
            made.order.push_back(*axis);
    }
    if (transform.kind == TransformKind::Share) {
        made.isShared = true;
        made.apart = transform.factor;
        if (const auto problem = shareProblemOf(nest, made))
            return invalid(transform, *problem);
    } else if (std::ranges::find(nest.order, made.at) == nest.order.end()) {
        return invalid(transform, format("{} is no loop of the domain", transform.axes[0]));
    }
    if (const auto missing = axisMissingInPack(nest, made))
        return invalid(transform,
                       format("the load moves with {}, which does not index the copy", nest.axes[missing->value].name));
    if (const auto problem = made.isShared ? std::nullopt : packProblemOf(nest, made))
        return invalid(transform, *problem);
    if (std::ranges::any_of(nest.packs, [&](const Pack &pack) { return pack.load == made.load; }))
        return invalid(transform, format("there is a copy of v{} already", made.load.value));
    nest.packs.push_back(std::move(made));
    return Done{};
}

Result<Done> applyPrefetch(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    if (transform.value.value >= nest.values.size())
        return invalid(transform, format("the kernel has {} values", nest.values.size()));
    if (transform.factor < 1 || transform.factor > kMostRoundsAhead)
        return invalid(transform, format("it fetches between 1 and {} rounds ahead", kMostRoundsAhead));
    const Prefetch made{.load = transform.value, .at = leaf, .ahead = transform.factor};
    if (const auto problem = prefetchProblemOf(nest, made))
        return invalid(transform, *problem);
    nest.prefetches.push_back(made);
    return Done{};
}

Result<Done> applyStream(LoopNest &nest, const Transform &transform)
{
    SW_TRY(const AxisId leaf, leafNamed(nest, transform, transform.axes.at(0)));
    if (transform.value.value >= nest.values.size())
        return invalid(transform, format("the kernel has {} values", nest.values.size()));
    const Stream made{.load = transform.value, .at = leaf};
    if (const auto problem = streamProblemOf(nest, made))
        return invalid(transform, *problem);
    nest.streams.push_back(made);
    return Done{};
}

Result<Done> applyNonTemporal(LoopNest &nest, const Transform &transform)
{
    if (transform.factor < 0 || static_cast<std::size_t>(transform.factor) >= nest.stores.size())
        return invalid(transform, format("the kernel has {} stores", nest.stores.size()));
    nest.stores[static_cast<std::size_t>(transform.factor)].policy = MemoryPolicy::NonTemporal;
    return Done{};
}

} // namespace sw
