#include "engine/passes/loops/gpu_tile.h"

#include "engine/loops/queries.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace sw {

namespace {

constexpr std::size_t kItemAxes = 3;

class TiledProduct {
public:
    TiledProduct(NestPlan &plan, const GpuProductAxes &axes, const GpuTileChoice &choice, std::string reason)
        : m_plan(plan), m_axes(axes), m_choice(choice), m_reason(std::move(reason))
    {
    }

    void make()
    {
        const std::vector<AxisId> reduced = m_plan.nest().reductions.front().axes;
        padAll(reduced);
        const std::vector<AxisId> rows = splitSide(m_axes.rows, m_choice.rows, m_choice.tile.ownRows, 1);
        const std::vector<AxisId> columns = splitSide(m_axes.columns, m_choice.columns, m_choice.tile.ownColumns, lanes());
        splitSteps();
        order();
        setTypes();
        for (const NestAccess &load : m_plan.loadsUnder(m_plan.nest().reductions.front().body))
            share(load, rows, columns);
        for (const AxisId step : m_steps)
            if (m_plan.extentOf(step) > 1)
                m_plan.unroll(step, m_plan.extentOf(step), "the steps of a block are written out");
    }

private:
    [[nodiscard]] std::int64_t lanes() const { return std::min(m_choice.tile.ownColumns, m_plan.vectorLanes()); }

    // Returns the axis that stands for it from now on.
    AxisId padded(AxisId axis, std::int64_t multiple)
    {
        const std::int64_t extent = m_plan.extentOf(axis);
        if (multiple < 2 || extent % multiple == 0)
            return axis;
        return m_plan.pad(axis, multiple,
                          format("{} indices are no tiles of {}; what is not there counts as 0", extent, multiple));
    }

    void padAll(const std::vector<AxisId> &reduced)
    {
        for (GpuTilePart &part : m_choice.rows)
            part.axis = padded(part.axis, part.extent);
        for (GpuTilePart &part : m_choice.columns)
            part.axis = padded(part.axis, part.extent);
        for (std::size_t i = 0; i < reduced.size(); ++i)
            if (m_choice.block[i] < m_plan.extentOf(reduced[i]))
                padded(reduced[i], m_choice.block[i]);
    }

    // Returns the parts that a group computes, outermost first.
    std::vector<AxisId> splitSide(const std::vector<AxisId> &axes, const GpuTileSide &side, std::int64_t own, std::int64_t lanes)
    {
        // What the tile does not go along.
        m_groups.insert(m_groups.end(), axes.begin() + static_cast<std::ptrdiff_t>(side.size()), axes.end());
        std::vector<AxisId> inGroup;
        for (std::size_t i = side.size(); i-- > 0;) {
            const NestPlan::Parts parts = partsOf(
                side[i].axis, side[i].extent, format("a group computes {} x {} sums", m_choice.tile.rows, m_choice.tile.columns));
            inGroup.push_back(parts.inner);
            if (parts.outer.isValid())
                m_groups.push_back(parts.outer);
            if (i > 0) {
                m_places.push_back(parts.inner);
                continue;
            }
            const NestPlan::Parts item = partsOf(parts.inner, own, format("{} per work item, in registers", own));
            if (item.outer.isValid())
                m_places.push_back(item.outer);
            const NestPlan::Parts vectors = partsOf(item.inner, lanes, format("vectors of {} lanes", lanes));
            if (lanes == 1 || vectors.outer.isValid())
                m_repeated.push_back(lanes == 1 ? item.inner : vectors.outer);
            if (lanes > 1)
                m_vector = vectors.inner;
        }
        return inGroup;
    }

    NestPlan::Parts partsOf(AxisId axis, std::int64_t extent, const std::string &reason)
    {
        if (extent == 1 || m_plan.extentOf(axis) <= extent)
            return {AxisId(), axis};
        return m_plan.split(axis, extent, reason);
    }

    // The block's steps along each axis of the reduction, and the loops over blocks. There is always one of these: the copies are
    // made in it.
    void splitSteps()
    {
        const std::vector<AxisId> axes = m_plan.nest().reductions.front().axes;
        for (std::size_t i = 0; i < axes.size(); ++i) {
            const std::int64_t steps = m_choice.block[i];
            const std::string reason = format("{} steps at once in the group's memory", m_choice.tile.steps);
            if (steps == 1 && m_plan.extentOf(axes[i]) > 1) {
                m_blocks.push_back(axes[i]);
            } else if (steps < m_plan.extentOf(axes[i]) || (m_blocks.empty() && i + 1 == axes.size())) {
                const NestPlan::Parts parts = m_plan.split(axes[i], steps, reason);
                m_blocks.push_back(parts.outer);
                m_steps.push_back(parts.inner);
            } else {
                m_steps.push_back(axes[i]);
            }
        }
        std::vector<AxisId> loops = m_blocks;
        loops.insert(loops.end(), m_steps.begin(), m_steps.end());
        if (loops != m_plan.nest().reductions.front().order)
            reorderSteps(loops);
    }

    // Of a reduction in several axes: the loops over blocks outside.
    void reorderSteps(const std::vector<AxisId> &loops)
    {
        std::vector<std::string> names;
        for (const AxisId loop : loops)
            names.push_back(m_plan.nameOf(loop));
        m_plan.tryApply({.kind = TransformKind::Reorder, .axes = names, .reason = "the steps of a block inside of it"});
    }

    void order()
    {
        std::vector<AxisId> order = m_axes.others;
        for (const std::vector<AxisId> *part : {&m_groups, &m_places, &m_repeated})
            order.insert(order.end(), part->begin(), part->end());
        if (m_vector.isValid())
            order.push_back(m_vector);
        m_plan.reorder(order, "groups outside, then their work items, then what an item has in registers");
        m_groups.insert(m_groups.begin(), m_axes.others.begin(), m_axes.others.end());
    }

    void setTypes()
    {
        const std::size_t first = m_groups.size() > kItemAxes ? m_groups.size() - kItemAxes : 0;
        for (std::size_t i = first; i < m_groups.size(); ++i)
            m_plan.setType(m_groups[i], AxisType::Global, "a group per index");
        for (const AxisId place : m_places)
            m_plan.setType(place, AxisType::Local,
                           place == m_places.front() ? m_reason : format("{} work items in a group", m_choice.tile.items()));
        for (const AxisId repeated : m_repeated)
            m_plan.setType(repeated, AxisType::Upcast,
                           format("{} x {} sums per work item", m_choice.tile.ownRows, m_choice.tile.ownColumns));
        if (m_vector.isValid())
            m_plan.setType(m_vector, AxisType::Vector, "neighbouring columns are read at once");
    }

    // A factor that moves with one side of the tile is read by all items along the other one.
    void share(const NestAccess &load, const std::vector<AxisId> &rows, const std::vector<AxisId> &columns)
    {
        const auto moving = [&](const std::vector<AxisId> &axes) {
            std::vector<AxisId> found;
            std::ranges::copy_if(axes, std::back_inserter(found),
                                 [&](AxisId axis) { return m_plan.dependsOn(load, unsplitAxis(m_plan.nest(), axis)); });
            return found;
        };
        std::vector<AxisId> order = moving(m_steps);
        const std::vector<AxisId> ofRows = moving(rows);
        const std::vector<AxisId> ofColumns = moving(columns);
        const bool isBuffer = m_plan.nest().values[load.load.value].kind == ValueKind::Load;
        if (!isBuffer || moving(m_plan.nest().reductions.front().axes).empty() || ofRows.empty() == ofColumns.empty())
            return;
        order.insert(order.end(), ofRows.begin(), ofRows.end());
        order.insert(order.end(), ofColumns.begin(), ofColumns.end());
        const bool isAlong = m_plan.strideIn(load, unsplitAxis(m_plan.nest(), order.back())) == 1;
        const std::int64_t again = ofRows.empty() ? m_choice.tile.rows : m_choice.tile.columns;
        m_plan.share(load.load, m_blocks.back(), order, isAlong ? 0 : kGpuApart,
                     format("{} sums of the group read each element{}", again,
                            isAlong ? "" : "; it is written down columns, and rows further apart meet other banks"));
    }

    NestPlan &m_plan;
    const GpuProductAxes &m_axes;
    GpuTileChoice m_choice;
    std::string m_reason;
    std::vector<AxisId> m_groups;   // loops over groups
    std::vector<AxisId> m_places;   // of the items in their group
    std::vector<AxisId> m_repeated; // in registers
    AxisId m_vector;
    std::vector<AxisId> m_blocks; // of the reduction
    std::vector<AxisId> m_steps;  // of a block
};

} // namespace

void makeGpuTile(NestPlan &plan, const GpuProductAxes &axes, const GpuTileChoice &choice, std::string reason)
{
    TiledProduct(plan, axes, choice, std::move(reason)).make();
}

} // namespace sw
