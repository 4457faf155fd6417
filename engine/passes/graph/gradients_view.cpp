// The gradient of a view. A view reads a flat sequence at offset + sum(index[k] * stride[k]); on the way back, the adjoint of
// each of its elements is added up where that element was read. Movement and sums do it, no scatter is needed: the axes are laid
// into the flat sequence one after the other. While what has been laid so far is no longer than the stride of the next axis, its
// rows stand side by side and only have to be filled up. Otherwise they overlap: each row is shifted by the stride against the
// one before (a row that is too long by the stride, cut anew, does that), and then the rows are added.

#include "engine/passes/graph/gradient_rules.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sw {

namespace {

struct Axis {
    std::int64_t extent = 1;
    std::int64_t stride = 0; // above 0
};

// The order of laying, which decides what overlaps and so how many elements are added: the cheapest one over all sets of axes.
// How long a laid set is depends on the set alone.
class LayingOrder {
public:
    explicit LayingOrder(const std::vector<Axis> &axes) : m_axes(axes), m_steps(std::size_t{1} << axes.size()) {}

    [[nodiscard]] std::vector<std::size_t> find()
    {
        m_steps[0].cost = 0;
        for (std::size_t set = 0; set < m_steps.size(); ++set)
            for (std::size_t axis = 0; axis < m_axes.size(); ++axis)
                if (((set >> axis) & 1) == 0)
                    tryAxis(set, axis);
        std::vector<std::size_t> order;
        for (std::size_t set = m_steps.size() - 1; set != 0; set &= ~(std::size_t{1} << order.back()))
            order.push_back(m_steps[set].last);
        std::ranges::reverse(order);
        return order;
    }

private:
    struct Step {
        double cost = std::numeric_limits<double>::infinity(); // elements that are added on the cheapest way to the set
        std::size_t last = 0;
    };

    void tryAxis(std::size_t set, std::size_t axis)
    {
        double length = 1;
        double remaining = 1;
        for (std::size_t i = 0; i < m_axes.size(); ++i) {
            const auto extent = static_cast<double>(m_axes[i].extent);
            if (((set >> i) & 1) != 0)
                length += (extent - 1) * static_cast<double>(m_axes[i].stride);
            else
                remaining *= extent;
        }
        const auto stride = static_cast<double>(m_axes[axis].stride);
        const double laid = length + (static_cast<double>(m_axes[axis].extent) - 1) * stride;
        const double cost = m_steps[set].cost + (stride >= length ? 0 : remaining * laid);
        Step &next = m_steps[set | (std::size_t{1} << axis)];
        if (cost < next.cost)
            next = {cost, axis};
    }

    const std::vector<Axis> &m_axes;
    std::vector<Step> m_steps; // by set
};

class ViewReversal {
public:
    explicit ViewReversal(BackwardStep &step)
        : m_step(step), m_builder(step.builder()), m_view(attributesOf<ViewAttributes>(step.node())), m_offset(m_view.offset)
    {
    }

    Result<NodeId> run()
    {
        const Shape input = m_step.input(0).shape;
        SW_TRY(NodeId id, unmasked(m_step.adjoint()));
        SW_TRY(id, turned(id));
        if (m_builder.node(id).shape.isEmpty())
            return m_builder.full(m_step.origin(), zero(), input);
        SW_TRY(id, laid(id));
        // The sequence stands from the offset on, with zeros around it.
        const std::int64_t length = m_builder.node(id).shape[0];
        SW_TRY(id, m_builder.pad(m_step.origin(), id, {{m_offset}, {input.elements() - m_offset - length}, zero()}));
        return m_builder.reshape(m_step.origin(), id, input);
    }

private:
    [[nodiscard]] Scalar zero() const { return Scalar::of(m_step.node().dtype, std::int64_t{0}); }
    [[nodiscard]] Shape shapeOf(NodeId id) const { return m_builder.node(id).shape; }
    [[nodiscard]] std::vector<std::int64_t> extentsOf(NodeId id) const
    {
        const Shape &shape = m_builder.node(id).shape;
        return {shape.begin(), shape.end()};
    }
    [[nodiscard]] std::int64_t lengthOf(NodeId id) const { return extentsOf(id).back(); }

    // Only what is read.
    Result<NodeId> unmasked(NodeId id)
    {
        if (m_view.mask.empty())
            return id;
        ShrinkAttributes range;
        for (std::size_t axis = 0; axis < m_view.mask.size(); ++axis) {
            range.begin.push_back(m_view.mask[axis].first);
            range.end.push_back(std::max(m_view.mask[axis].first, m_view.mask[axis].second));
            m_offset += m_view.mask[axis].first * m_view.strides[axis];
        }
        return m_builder.shrink(m_step.origin(), id, std::move(range));
    }

    // Without axes that read the same again and again, and with all axes read forwards; these are left in m_axes.
    Result<NodeId> turned(NodeId id)
    {
        const Shape shape = shapeOf(id);
        std::vector<std::size_t> repeated;
        std::vector<std::size_t> backwards;
        std::vector<std::int64_t> kept;
        for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
            const std::int64_t stride = m_view.strides[axis];
            if (stride == 0 && shape[axis] != 1)
                repeated.push_back(axis);
            if (stride == 0 || shape[axis] == 1)
                continue;
            if (stride < 0) {
                backwards.push_back(axis);
                m_offset += (shape[axis] - 1) * stride;
            }
            kept.push_back(shape[axis]);
            m_axes.push_back({shape[axis], stride < 0 ? -stride : stride});
        }
        if (!backwards.empty()) {
            SW_TRY(id, m_builder.flip(m_step.origin(), id, std::move(backwards)));
        }
        SW_TRY(id, m_builder.reduce(m_step.origin(), Op::Add, id, std::move(repeated)));
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(kept)));
    }

    // All axes laid into one sequence.
    Result<NodeId> laid(NodeId id)
    {
        std::vector<std::size_t> order = LayingOrder(m_axes).find();
        std::ranges::reverse(order);
        SW_TRY(id, m_builder.permute(m_step.origin(), id, order));
        std::vector<std::int64_t> extents = extentsOf(id);
        extents.push_back(1);
        SW_TRY(id, m_builder.reshape(m_step.origin(), id, Shape(extents)));
        for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
            SW_TRY(id, m_axes[*axis].stride >= lengthOf(id) ? sideBySide(id, m_axes[*axis]) : overlapping(id, m_axes[*axis]));
        }
        return id;
    }

    // [.., extent, length] to [.., (extent - 1) * stride + length], with zeros between the rows.
    Result<NodeId> sideBySide(NodeId id, const Axis &axis)
    {
        const std::int64_t length = lengthOf(id);
        SW_TRY(id, withRows(id, axis.stride));
        SW_TRY(id, flattened(id));
        return withRows(id, (axis.extent - 1) * axis.stride + length);
    }

    // Likewise, with a sum where the rows meet.
    Result<NodeId> overlapping(NodeId id, const Axis &axis)
    {
        const std::int64_t total = (axis.extent - 1) * axis.stride + lengthOf(id);
        // Row i of rows that are longer than `total` by the stride starts i * stride later once they are cut to `total`.
        SW_TRY(id, withRows(id, total + axis.stride));
        SW_TRY(id, flattened(id));
        SW_TRY(id, withRows(id, axis.extent * total));
        std::vector<std::int64_t> extents = extentsOf(id);
        extents.back() = axis.extent;
        extents.push_back(total);
        const std::size_t rows = extents.size() - 2;
        SW_TRY(id, m_builder.reshape(m_step.origin(), id, Shape(extents)));
        SW_TRY(id, m_builder.reduce(m_step.origin(), Op::Add, id, {rows}));
        extents.erase(extents.end() - 2);
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(extents)));
    }

    // The last axis cut, or filled up with zeros, to a length.
    Result<NodeId> withRows(NodeId id, std::int64_t length)
    {
        const Shape shape = shapeOf(id);
        const std::size_t last = shape.rank() - 1;
        std::vector<std::int64_t> none(shape.rank(), 0);
        if (shape[last] == length)
            return id;
        if (shape[last] > length) {
            ShrinkAttributes range{std::move(none), {shape.begin(), shape.end()}};
            range.end[last] = length;
            return m_builder.shrink(m_step.origin(), id, std::move(range));
        }
        PadAttributes pad{none, none, zero()};
        pad.after[last] = length - shape[last];
        return m_builder.pad(m_step.origin(), id, std::move(pad));
    }

    // The last two axes as one.
    Result<NodeId> flattened(NodeId id)
    {
        std::vector<std::int64_t> extents = extentsOf(id);
        const std::int64_t length = extents.back();
        extents.pop_back();
        extents.back() *= length;
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(extents)));
    }

    BackwardStep &m_step;
    GraphBuilder &m_builder;
    const ViewAttributes &m_view;
    std::int64_t m_offset = 0;
    std::vector<Axis> m_axes;
};

} // namespace

Result<Done> viewGradient(BackwardStep &step)
{
    SW_TRY(const NodeId value, ViewReversal(step).run());
    step.contribute(0, value);
    return Done{};
}

} // namespace sw
