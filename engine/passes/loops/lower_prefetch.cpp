// What is fetched into the cache before it is loaded.

#include "engine/base/cache_line.h"
#include "engine/loops/prefetch_queries.h"
#include "engine/loops/stream_queries.h"
#include "engine/passes/loops/kernel_lowering.h"

#include <algorithm>

namespace sw {

void KernelLowering::emitPrefetch(ValueId load, InstructionId at, const Point &point)
{
    const Value &value = m_nest.values[load.value];
    const std::int64_t bytes = bytesOf(value.dtype);
    for (const Prefetch &prefetch : m_nest.prefetches) {
        if (prefetch.load != load)
            continue;
        const std::optional<std::int64_t> distance = prefetchDistance(m_nest, prefetch);
        SW_ASSERT(distance.has_value(), "a prefetch of a constant distance");
        // Each copy fetches the lines that begin in what it reads: one of several that read a line, or all of a long vector's.
        const std::int64_t offset = indexParts(value.origin, value.index, point).constant * bytes;
        const std::int64_t toLine = (kCacheLineBytes - offset % kCacheLineBytes) % kCacheLineBytes;
        for (std::int64_t line = toLine; line < lanesOf(point) * bytes; line += kCacheLineBytes) {
            const InstructionId ahead = m_builder.index(value.origin, *distance + line / bytes);
            m_builder.prefetch(value.origin, m_memory.at(value.buffer), m_builder.alu(value.origin, Op::Add, {at, ahead}));
        }
    }
}

// The index of the load where the round of the loop began, and how many steps of the round are done.
KernelLowering::Progress KernelLowering::progressOf(const Value &load, const StreamedRegion &region)
{
    Progress progress;
    const std::vector<std::vector<IndexTerm>> axes = m_axes;
    for (const AxisId leaf : region.loops) {
        const std::int64_t rounds = m_nest.axes[leaf.value].extent;
        if (progress.steps.isValid())
            progress.steps = m_builder.alu(load.origin, Op::Mul, {progress.steps, m_builder.index(load.origin, rounds)});
        std::vector<IndexTerm> &terms = m_axes[m_tiling.unsplit(leaf).value];
        const auto own = std::ranges::find(terms, leaf, &IndexTerm::part);
        if (own == terms.end())
            continue; // the loop has one round here
        if (own->counter.isValid())
            progress.steps = sumTerm(load.origin, progress.steps, own->counter, 1);
        terms.erase(own);
    }
    progress.begin = scalarIndex(load.origin, load.index, {});
    m_axes = axes;
    return progress;
}

// The first of the loads of a step fetches for all of them.
void KernelLowering::emitStreams(ValueId load, const Point &point)
{
    const bool isFirst = std::ranges::all_of(point, [](const auto &each) { return each.second.offset == 0; });
    const Value &value = m_nest.values[load.value];
    for (const Stream &stream : m_nest.streams) {
        if (stream.load != load || !isFirst)
            continue;
        const std::optional<StreamedRegion> region = streamedRegionOf(m_nest, load, stream.at);
        SW_ASSERT(region.has_value(), "a stream of a dense region");
        const Progress progress = progressOf(value, *region);
        InstructionId at = progress.begin;
        if (progress.steps.isValid())
            at = sumTerm(value.origin, at, progress.steps, region->elementsPerStep());
        const std::int64_t line = std::max<std::int64_t>(kCacheLineBytes / bytesOf(value.dtype), 1);
        for (std::int64_t fetched = 0; fetched < region->elementsPerStep(); fetched += line)
            m_builder.prefetch(
                value.origin, m_memory.at(value.buffer),
                m_builder.alu(value.origin, Op::Add, {at, m_builder.index(value.origin, region->distance + fetched)}));
    }
}

} // namespace sw
