// Lists that are drawn as a whole.

#include "engine/tune/draws.h"

#include "engine/loops/join.h"
#include "engine/loops/queries.h"
#include "engine/tune/list_builder.h"

#include <algorithm>
#include <bit>

namespace sw {

namespace {

std::int64_t floorPower(std::int64_t value)
{
    return static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(std::max<std::int64_t>(value, 1))));
}

class Draw {
public:
    Draw(const LoopNest &nest, const DeviceInfo &device, Dice &dice) : m_plain(nest), m_device(device), m_dice(dice), m_list(nest)
    {
    }

    TransformList take()
    {
        joinReductions();
        const bool alongReduction = !m_plain.reductions.empty() && m_dice.percent(m_plain.order.empty() ? 90 : 15);
        if (alongReduction)
            tileReductions();
        else if (!m_plain.order.empty())
            tileDomain();
        splitReduction();
        arrange();
        share();
        packs();
        details();
        return m_list.take();
    }

private:
    // Of the widest element that a store or a reduction computes with.
    [[nodiscard]] std::int64_t fullLanes() const
    {
        std::int64_t widest = 1;
        for (const Value &value : m_plain.values)
            if (value.kind == ValueKind::Load || value.kind == ValueKind::Reduction)
                widest = std::max<std::int64_t>(widest, bytesOf(computeType(value.dtype)));
        return std::max<std::int64_t>(floorPower(m_device.vectorBytes / widest), 1);
    }
    std::int64_t lanesFor(AxisId axis)
    {
        std::int64_t lanes = std::min(fullLanes(), floorPower(m_plain.axes[axis.value].extent));
        if (lanes > 2 && m_dice.percent(15))
            lanes /= 2;
        return lanes;
    }
    // Numbers that tiles are likely to be, and divisors, which leave no rest.
    std::int64_t tileSize(std::int64_t extent, std::int64_t most)
    {
        std::vector<std::int64_t> sizes;
        for (std::int64_t size = 1; size <= std::min(extent, most); ++size)
            if (size <= 8 || extent % size == 0)
                sizes.push_back(size);
        return m_dice.oneOf(sizes);
    }

    // One pass over what several reductions read.
    void joinReductions()
    {
        for (std::size_t i = 1; i < m_plain.reductions.size(); ++i)
            if (!m_plain.reductions[0].axes.empty() && !m_plain.reductions[i].axes.empty() && m_dice.percent(50))
                m_list.add({.kind = TransformKind::Join,
                            .axes = {m_list.axis(m_plain.reductions[0].axes.front()).name,
                                     m_list.axis(m_plain.reductions[i].axes.front()).name}});
    }

    // Some of the reduction's steps side by side, each with its own partial result.
    void tileReductions()
    {
        for (const Reduction &reduction : std::vector(m_list.nest().reductions)) {
            if (reduction.axes.empty() || reduction.joined)
                continue;
            const AxisId axis = reduction.axes.back();
            const std::int64_t lanes = lanesFor(axis);
            m_list.tile(axis, lanes * m_dice.oneOf(std::vector<std::int64_t>{1, 2, 4, 8}), lanes);
        }
    }

    // A register tile: lanes and vectors of one axis, by so many of up to two others.
    void tileDomain()
    {
        std::vector<AxisId> axes = m_plain.order;
        // What memory runs along is mostly last.
        const AxisId vector = m_dice.percent(60) ? axes.back() : m_dice.oneOf(axes);
        const std::int64_t lanes = lanesFor(vector);
        const std::int64_t vectors = m_dice.oneOf(std::vector<std::int64_t>{1, 1, 2, 2, 3, 4, 6, 8});
        m_list.tile(vector, lanes * vectors, lanes);
        maskRest(vector, lanes);
        std::erase(axes, vector);
        m_dice.shuffle(axes);
        std::int64_t most = std::max<std::int64_t>(2 * m_device.vectorRegisters / vectors, 1);
        const std::size_t others = m_plain.reductions.empty() ? m_dice.below(2) : 1 + m_dice.below(2);
        for (std::size_t i = 0; i < std::min(others, axes.size()); ++i) {
            const std::int64_t rows = tileSize(m_plain.axes[axes[i].value].extent, std::min<std::int64_t>(most, 16));
            if (rows > 1)
                m_list.tile(axes[i], rows, 1);
            most = std::max<std::int64_t>(most / rows, 1);
        }
    }

    void maskRest(AxisId axis, std::int64_t lanes)
    {
        if (m_plain.axes[axis.value].extent % lanes == 0 || m_dice.percent(50))
            return;
        for (const AxisId leaf : leavesOf(m_list.nest(), axis))
            if (m_list.axis(leaf).type == AxisType::Vector)
                m_list.add({.kind = TransformKind::Mask, .axes = {m_list.axis(leaf).name}});
    }

    void splitReduction()
    {
        for (std::size_t i = 0; i < m_plain.reductions.size(); ++i) {
            const std::vector<AxisId> order = m_list.nest().reductions[i].order;
            if (order.empty())
                continue;
            // Blocks: the tile's partial results wait in memory while others use what is in the cache.
            const AxisId first = order.front();
            if (leadersIn(m_list.nest()) == 1 && m_list.axis(first).type == AxisType::Reduce && m_dice.percent(35)) {
                const std::int64_t extent = m_list.axis(first).extent;
                const std::int64_t steps = std::int64_t{8} << m_dice.below(8);
                if (steps < extent)
                    m_block = m_list.split(first, steps).outer;
            }
            const AxisId last = m_list.nest().reductions[i].order.back();
            if (m_list.axis(last).type == AxisType::Reduce && m_list.axis(last).extent > 1 && m_dice.percent(30))
                m_list.add({.kind = TransformKind::Unroll,
                            .axes = {m_list.axis(last).name},
                            .factor = std::min(m_list.axis(last).extent, std::int64_t{2} << m_dice.below(3))});
            if (m_list.nest().reductions[i].order.size() > 1 && m_dice.percent(20)) {
                std::vector<AxisId> shuffled = m_list.nest().reductions[i].order;
                m_dice.shuffle(shuffled);
                std::vector<std::string> names;
                for (const AxisId id : shuffled)
                    names.push_back(m_list.axis(id).name);
                m_list.add({.kind = TransformKind::Reorder, .axes = std::move(names)});
            }
        }
    }

    // Loops outside in any order, the register tile inside.
    void arrange()
    {
        std::vector<AxisId> loops = domainLoops(m_list.nest());
        std::vector<AxisId> tiles = m_list.nest().order;
        std::erase_if(tiles, [&](AxisId leaf) { return std::ranges::find(loops, leaf) != loops.end(); });
        // An element that a row reads serves all of its vectors.
        const auto isVector = [&](AxisId leaf) {
            return m_list.axis(leaf).type == AxisType::Vector || std::ranges::any_of(tiles, [&](AxisId other) {
                       return m_list.axis(other).type == AxisType::Vector &&
                              unsplitAxis(m_list.nest(), other) == unsplitAxis(m_list.nest(), leaf);
                   });
        };
        std::ranges::stable_partition(tiles, [&](AxisId leaf) { return !isVector(leaf); });
        if (m_dice.percent(70))
            m_dice.shuffle(loops);
        std::vector<AxisId> order = loops;
        order.insert(order.end(), tiles.begin(), tiles.end());
        m_list.reorder(order);
    }

    // Work items for the threads: of the outermost loop, or of one that is moved there; of two at times.
    void share()
    {
        if (m_device.threads <= 1)
            return placeBlocks();
        std::vector<AxisId> loops = domainLoops(m_list.nest());
        const std::size_t count = 1 + (m_dice.percent(25) ? 1U : 0U);
        std::vector<AxisId> items;
        for (std::size_t i = 0; i < std::min(count, loops.size()); ++i) {
            const AxisId loop = m_dice.percent(60) ? loops.front() : m_dice.oneOf(loops);
            std::erase(loops, loop);
            const std::int64_t extent = m_list.axis(loop).extent;
            const std::int64_t wanted = static_cast<std::int64_t>(m_device.threads) << m_dice.below(5);
            std::int64_t chunk = std::max<std::int64_t>((extent + wanted - 1) / wanted, 1);
            while (chunk > 1 && extent % chunk != 0 && m_dice.percent(80))
                --chunk;
            const AxisId outer = chunk > 1 ? m_list.split(loop, chunk).outer : loop;
            if (outer.isValid())
                items.push_back(outer);
        }
        std::vector<AxisId> order = m_list.nest().order;
        std::ranges::stable_partition(order, [&](AxisId leaf) { return std::ranges::find(items, leaf) != items.end(); });
        m_list.reorder(order);
        for (const AxisId item : items)
            m_list.setType(item, AxisType::Thread);
        placeBlocks();
    }

    // The loop over blocks of the reduction, behind the work items and before one of the loops inside of them.
    void placeBlocks()
    {
        if (!m_block.isValid())
            return;
        std::vector<AxisId> order = m_list.nest().order;
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i <= order.size(); ++i) {
            const bool isAfterItem = i == 0 || !isRepeated(m_list.axis(order[i - 1]).type);
            const bool isBeforeItem = i < order.size() && m_list.axis(order[i]).type == AxisType::Thread;
            if (isAfterItem && !isBeforeItem)
                places.push_back(i);
        }
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(m_dice.oneOf(places)), m_block);
        m_list.reorder(order);
    }

    void packs()
    {
        for (const ValueId load : reducedLoads(m_plain)) {
            const std::vector<AxisId> loops = domainLoops(m_list.nest());
            if (!loops.empty() && m_dice.percent(40))
                m_list.pack(load, m_dice.oneOf(loops), m_dice);
        }
    }

    void details()
    {
        for (std::size_t store = 0; store < m_plain.stores.size(); ++store)
            if (m_dice.percent(15))
                m_list.add({.kind = TransformKind::NonTemporal, .factor = static_cast<std::int64_t>(store)});
    }

    const LoopNest &m_plain;
    const DeviceInfo &m_device;
    Dice &m_dice;
    ListBuilder m_list;
    AxisId m_block; // of a reduction in blocks
};

} // namespace

TransformList drawList(const LoopNest &nest, const DeviceInfo &device, Dice &dice)
{
    return Draw(nest, device, dice).take();
}

} // namespace sw
