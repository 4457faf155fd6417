// The gradient of a view. The adjoint of each element is added where that element was read. Movement and sums suffice, no scatter
// is needed: for each axis of the input, the axes of the view that run along it are laid into it one after another. If what has
// been laid so far is no longer than the stride of the next axis, the rows lie side by side and only need padding. Otherwise they
// overlap and are added: few rows one by one, each in its place; many rows at once, each shifted by the stride against the row
// before it (by making the rows too long by the stride and then cutting them anew).

#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/graph/view_targets.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

constexpr std::int64_t kFewRows = 16;
constexpr std::int64_t kRowsWorthStoring = 5;

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
        if (m_builder.node(id).shape.isEmpty()) // nothing was read
            return m_builder.full(m_step.origin(), zero(), input);
        SW_TRY(id, turned(id));
        const std::vector<ViewTarget> targets = viewTargets(input, m_offset, m_axes);
        for (const ViewTarget &target : targets) {
            SW_TRY(id, withAxesLast(id, target));
            for (const LaidAxis &axis : target.axes) {
                SW_TRY(id, laid(id, axis));
            }
            const std::int64_t behind = target.extent - target.offset - lengthOf(id);
            SW_TRY(id, withBorder(id, target.offset, behind));
        }
        return m_builder.reshape(m_step.origin(), id, input);
    }

private:
    [[nodiscard]] Scalar zero() const { return Scalar::of(m_step.node().dtype, std::int64_t{0}); }
    [[nodiscard]] std::vector<std::int64_t> extentsOf(NodeId id) const
    {
        const Shape &shape = m_builder.node(id).shape;
        return {shape.begin(), shape.end()};
    }
    [[nodiscard]] std::int64_t lengthOf(NodeId id) const { return extentsOf(id).back(); }

    // Keeps only the elements that the view reads.
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

    // Sums over axes of stride 0 and flips axes that are read backwards. The axes that remain are numbered and listed in m_axes.
    Result<NodeId> turned(NodeId id)
    {
        const std::vector<std::int64_t> extents = extentsOf(id);
        std::vector<std::size_t> repeated;
        std::vector<std::size_t> backwards;
        std::vector<std::int64_t> kept;
        for (std::size_t axis = 0; axis < extents.size(); ++axis) {
            const std::int64_t stride = m_view.strides[axis];
            if (stride == 0 && extents[axis] != 1)
                repeated.push_back(axis);
            if (stride == 0 || extents[axis] == 1)
                continue;
            if (stride < 0) {
                backwards.push_back(axis);
                m_offset += (extents[axis] - 1) * stride;
            }
            m_axes.push_back({kept.size(), extents[axis], stride < 0 ? -stride : stride});
            m_order.push_back(kept.size());
            kept.push_back(extents[axis]);
        }
        if (!backwards.empty()) {
            SW_TRY(id, m_builder.flip(m_step.origin(), id, std::move(backwards)));
        }
        SW_TRY(id, m_builder.reduce(m_step.origin(), Op::Add, id, std::move(repeated)));
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(kept)));
    }

    // Gives [.., the target's axes with the one to lay first at the end, 1]. The other axes, among them the finished axes of
    // earlier targets, keep their order before these.
    Result<NodeId> withAxesLast(NodeId id, const ViewTarget &target)
    {
        std::vector<std::size_t> rest;
        std::vector<std::size_t> own(target.axes.size());
        for (std::size_t place = 0; place < m_order.size(); ++place) {
            const auto found = std::ranges::find(target.axes, m_order[place], &LaidAxis::axis);
            if (found == target.axes.end())
                rest.push_back(place);
            else
                own[static_cast<std::size_t>(target.axes.end() - found) - 1] = place;
        }
        std::vector<std::size_t> permutation = rest;
        permutation.insert(permutation.end(), own.begin(), own.end());
        if (!std::ranges::is_sorted(permutation)) {
            SW_TRY(id, m_builder.permute(m_step.origin(), id, permutation));
        }
        std::vector<std::size_t> order;
        for (const std::size_t place : rest)
            order.push_back(m_order[place]);
        order.push_back(kFinished);
        m_order = std::move(order);
        std::vector<std::int64_t> extents = extentsOf(id);
        extents.push_back(1);
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(extents)));
    }

    Result<NodeId> laid(NodeId id, const LaidAxis &axis)
    {
        if (axis.stride >= lengthOf(id))
            return sideBySide(id, axis);
        return axis.extent <= kFewRows ? addedOneByOne(id, axis) : addedAtOnce(id, axis);
    }

    // Turns [.., extent, length] into [.., (extent - 1) * stride + length], with zeros between the rows.
    Result<NodeId> sideBySide(NodeId id, const LaidAxis &axis)
    {
        const std::int64_t length = lengthOf(id);
        SW_TRY(id, withLength(id, axis.stride));
        SW_TRY(id, flattened(id));
        return withLength(id, (axis.extent - 1) * axis.stride + length);
    }

    // The same, with sums where the rows overlap.
    Result<NodeId> addedOneByOne(NodeId id, const LaidAxis &axis)
    {
        const std::vector<std::int64_t> extents = extentsOf(id);
        std::vector<std::int64_t> single = extents;
        single.erase(single.end() - 2);
        if (!m_isStored) { // it is read for every row
            m_isStored = true;
            SW_TRY(id, m_builder.contiguous(m_step.origin(), id));
        }
        NodeId sum;
        for (std::int64_t row = 0; row < axis.extent; ++row) {
            ShrinkAttributes range{std::vector<std::int64_t>(extents.size(), 0), extents};
            range.begin[extents.size() - 2] = row;
            range.end[extents.size() - 2] = row + 1;
            SW_TRY(const NodeId cut, m_builder.shrink(m_step.origin(), id, std::move(range)));
            SW_TRY(const NodeId flat, m_builder.reshape(m_step.origin(), cut, Shape(single)));
            SW_TRY(const NodeId placed, withBorder(flat, row * axis.stride, (axis.extent - 1 - row) * axis.stride));
            if (row == 0) {
                sum = placed;
                continue;
            }
            SW_TRY(sum, m_builder.elementwise(m_step.origin(), Op::Add, std::array{sum, placed}));
        }
        // In one kernel, sums along two axes would read every row of one axis for every row of the other.
        return axis.extent < kRowsWorthStoring ? Result<NodeId>(sum) : m_builder.contiguous(m_step.origin(), sum);
    }

    Result<NodeId> addedAtOnce(NodeId id, const LaidAxis &axis)
    {
        const std::int64_t total = (axis.extent - 1) * axis.stride + lengthOf(id);
        // Rows of length `total` + stride, cut anew at `total`: row i then starts i * stride later.
        SW_TRY(id, withLength(id, total + axis.stride));
        SW_TRY(id, flattened(id));
        SW_TRY(id, withLength(id, axis.extent * total));
        std::vector<std::int64_t> extents = extentsOf(id);
        extents.back() = axis.extent;
        extents.push_back(total);
        const std::size_t rows = extents.size() - 2;
        SW_TRY(id, m_builder.reshape(m_step.origin(), id, Shape(extents)));
        SW_TRY(id, m_builder.reduce(m_step.origin(), Op::Add, id, {rows}));
        extents.erase(extents.end() - 2);
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(extents)));
    }

    // Adds zeros before and behind, along the last axis.
    Result<NodeId> withBorder(NodeId id, std::int64_t before, std::int64_t behind)
    {
        if (before == 0 && behind == 0)
            return id;
        const std::vector<std::int64_t> none(extentsOf(id).size(), 0);
        PadAttributes pad{none, none, zero()};
        pad.before.back() = before;
        pad.after.back() = behind;
        return m_builder.pad(m_step.origin(), id, std::move(pad));
    }

    // Cuts the last axis to a length, or fills it up with zeros.
    Result<NodeId> withLength(NodeId id, std::int64_t length)
    {
        if (lengthOf(id) <= length)
            return withBorder(id, 0, length - lengthOf(id));
        ShrinkAttributes range{std::vector<std::int64_t>(extentsOf(id).size(), 0), extentsOf(id)};
        range.end.back() = length;
        return m_builder.shrink(m_step.origin(), id, std::move(range));
    }

    // Merges the last two axes into one.
    Result<NodeId> flattened(NodeId id)
    {
        std::vector<std::int64_t> extents = extentsOf(id);
        const std::int64_t length = extents.back();
        extents.pop_back();
        extents.back() *= length;
        return m_builder.reshape(m_step.origin(), id, Shape(std::move(extents)));
    }

    static constexpr std::size_t kFinished = ~std::size_t{0}; // an axis of the input

    BackwardStep &m_step;
    GraphBuilder &m_builder;
    const ViewAttributes &m_view;
    std::int64_t m_offset = 0;
    std::vector<LaidAxis> m_axes; // of the view, in the flat input
    bool m_isStored = false;
    std::vector<std::size_t> m_order; // by axis of the current value: the axis of the view, or kFinished
};

} // namespace

Result<Done> viewGradient(BackwardStep &step)
{
    if (step.node().shape.isSymbolic() || step.input(0).shape.isSymbolic())
        return Diagnostic::error(Code::Unsupported, {}, "the gradient of a view of {} as {} needs extents that are numbers",
                                 toText(step.input(0).shape), toText(step.node().shape));
    SW_TRY(const NodeId value, ViewReversal(step).run());
    step.contribute(0, value);
    return Done{};
}

} // namespace sw
