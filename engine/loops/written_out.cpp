#include "engine/loops/written_out.h"

#include "engine/base/checked_size.h"
#include "engine/loops/queries.h"

namespace sw {

namespace {

CheckedSize repeatsIn(const LoopNest &nest, const std::vector<AxisId> &order)
{
    CheckedSize repeats = 1;
    for (const AxisId leaf : order)
        if (isRepeated(nest.axes[leaf.value].type))
            repeats *= nest.axes[leaf.value].extent;
    return repeats;
}

} // namespace

std::int64_t writtenOutElements(const LoopNest &nest)
{
    return repeatsIn(nest, nest.order).saturated();
}

std::int64_t writtenOutSteps(const LoopNest &nest, const Reduction &reduction)
{
    const CheckedSize elements = repeatsIn(nest, nest.order);
    return (reduction.instruction ? elements : elements * repeatsIn(nest, reduction.order)).saturated();
}

} // namespace sw
