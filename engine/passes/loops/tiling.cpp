#include "engine/passes/loops/tiling.h"

#include "engine/base/assert.h"
#include "engine/loops/queries.h"

#include <algorithm>
#include <bit>
#include <functional>

namespace sw {

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
    for (std::size_t i = 0; i < nest.axes.size(); ++i)
        if (!nest.axes[i].source.isValid())
            m_tiles[i] = sw::tileOf(nest, AxisId(i));
}

bool Tiling::isPartOf(AxisId axis, AxisId whole) const
{
    while (axis.isValid() && axis != whole)
        axis = m_nest.axes[axis.value].source;
    return axis.isValid();
}

std::vector<std::int64_t> Tiling::extentsOf(AxisId axis) const
{
    const AxisId source = m_nest.axes[axis.value].source;
    if (!source.isValid())
        return {m_nest.axes[axis.value].extent};
    const SplitParts &parts = *m_parts[source.value];
    const std::int64_t factor = m_nest.axes[parts.outer.value].factor;
    std::vector<std::int64_t> extents;
    for (const std::int64_t whole : extentsOf(source)) {
        const std::int64_t left = whole % factor;
        if (whole >= factor)
            extents.push_back(axis == parts.outer ? whole / factor : factor);
        if (left != 0)
            extents.push_back(axis == parts.outer ? 1 : left);
    }
    std::ranges::sort(extents, std::ranges::greater());
    const auto same = std::ranges::unique(extents);
    extents.erase(same.begin(), same.end());
    return extents;
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
    bool isMasked = false;
    for (const AxisId leaf : leavesOf(tile)) {
        const Axis &axis = m_nest.axes[leaf.value];
        if (axis.type != AxisType::Vector)
            continue;
        const auto wanted = static_cast<std::uint64_t>(axis.extent);
        isMasked = axis.isMasked;
        lanes = static_cast<std::int64_t>(isMasked ? std::bit_ceil(wanted) : std::bit_floor(wanted));
    }
    std::vector<Chunk> chunks;
    std::int64_t offset = 0;
    while (offset < extent) {
        const std::int64_t missing = isMasked ? std::max<std::int64_t>(offset + lanes - extent, 0) : 0;
        while (lanes - missing > extent - offset)
            lanes = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(extent - offset)));
        chunks.push_back({offset * m_strides[tile.value], static_cast<std::uint32_t>(lanes), m_strides[tile.value],
                          static_cast<std::uint32_t>(missing)});
        offset += lanes;
    }
    return chunks;
}

} // namespace sw
