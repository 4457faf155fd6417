#include "engine/passes/loops/tiling.h"

#include "engine/base/assert.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <bit>

namespace sw {

namespace {

bool isRepeated(AxisType type)
{
    return type == AxisType::Upcast || type == AxisType::Unroll || type == AxisType::Vector;
}

} // namespace

// Parts come after the axis that they split, so one pass in order sees every source first.
Tiling::Tiling(const LoopNest &nest)
    : m_nest(nest),
      m_parts(nest.axes.size()),
      m_unsplit(nest.axes.size()),
      m_strides(nest.axes.size(), 1),
      m_tiles(nest.axes.size())
{
    for (std::size_t i = 0; i < nest.axes.size(); ++i) {
        const AxisId id(i);
        const Axis &axis = nest.axes[i];
        m_unsplit[i] = unsplitAxis(nest, id);
        if (!axis.source.isValid())
            continue;
        std::optional<SplitParts> &parts = m_parts[axis.source.value];
        if (!parts) {
            parts = SplitParts{id, AxisId()};
            m_strides[i] = m_strides[axis.source.value] * axis.factor;
        } else {
            parts->inner = id;
            m_strides[i] = m_strides[axis.source.value];
        }
    }
    for (std::size_t i = 0; i < nest.axes.size(); ++i) {
        const AxisId id(i);
        const AxisId whole = m_unsplit[i];
        if (m_tiles[whole.value].isValid())
            continue; // the outermost one was found first
        const std::vector<AxisId> leaves = leavesOf(id);
        if (std::ranges::all_of(leaves, [&](AxisId leaf) { return isRepeated(nest.axes[leaf.value].type); }))
            m_tiles[whole.value] = id;
    }
}

std::vector<AxisId> Tiling::leavesOf(AxisId axis) const
{
    const std::optional<SplitParts> &parts = m_parts[axis.value];
    if (!parts)
        return {axis};
    std::vector<AxisId> leaves = leavesOf(parts->outer);
    const std::vector<AxisId> inner = leavesOf(parts->inner);
    leaves.insert(leaves.end(), inner.begin(), inner.end());
    return leaves;
}

bool Tiling::isInTile(AxisId leaf) const
{
    const AxisId tile = m_tiles[m_unsplit[leaf.value].value];
    if (!tile.isValid())
        return false;
    const std::vector<AxisId> leaves = leavesOf(tile);
    return std::ranges::find(leaves, leaf) != leaves.end();
}

std::vector<AxisId> Tiling::loopsOf(const std::vector<AxisId> &order) const
{
    std::vector<AxisId> loops;
    for (const AxisId leaf : order)
        if (!isInTile(leaf))
            loops.push_back(leaf);
    return loops;
}

std::vector<Chunk> Tiling::chunksOf(AxisId tile, std::int64_t extent) const
{
    std::int64_t lanes = 1;
    for (const AxisId leaf : leavesOf(tile))
        if (m_nest.axes[leaf.value].type == AxisType::Vector)
            lanes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(m_nest.axes[leaf.value].extent)));
    std::vector<Chunk> chunks;
    std::int64_t offset = 0;
    while (offset < extent) {
        while (lanes > extent - offset)
            lanes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent - offset)));
        chunks.push_back({offset, static_cast<std::uint32_t>(lanes)});
        offset += lanes;
    }
    return chunks;
}

} // namespace sw
