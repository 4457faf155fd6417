// The rule for scatter. Every element of the result looks for its updates with a reduction over the updates of its line along the
// axis. So nothing is written twice and the result does not depend on an order. Each line costs as many comparisons as it has
// updates times elements; where that is much, the updates are sorted instead. Where the indices are known, each element is told
// its update, and nothing is compared. Lines that have the same indices, such as the columns of whole rows, are compared, sorted
// or told once.

#include "engine/passes/graph/constants.h"
#include "engine/passes/graph/decompose_nodes.h"
#include "engine/passes/graph/sorted_updates.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace sw {

namespace {

// A table of the updates is made for no more elements.
constexpr std::int64_t kMostKnown = std::int64_t{1} << 20;

class ScatterWriter {
public:
    explicit ScatterWriter(RewriteContext &context)
        : m_context(context),
          m_builder(context.builder()),
          m_axis(attributesOf<ScatterAttributes>(context.node()).axis),
          m_mode(attributesOf<ScatterAttributes>(context.node()).mode),
          m_base(context.input(0).shape),
          m_updates(context.input(2).shape),
          m_indices(context.inputId(1)),
          m_line(m_updates)
    {
        const Node &indices = context.input(1);
        if (indices.kind != NodeKind::Expand)
            return;
        if (const Shape &source = m_builder.node(indices.inputs[0]).shape; source.extent(m_axis) == m_updates.extent(m_axis)) {
            m_indices = indices.inputs[0];
            m_line = source;
        }
    }

    Result<NodeId> run()
    {
        const NodeId base = m_context.inputId(0);
        if (m_base.isEmpty() || m_updates.isEmpty())
            return base;
        if (const std::optional<KnownUpdates> known = knownUpdates()) {
            SW_TRY(const NodeId touched, boxOf(base));
            SW_TRY(const NodeId box, updated(touched, *known));
            return replaced(base, box);
        }
        if (const std::optional<ScatterCost> cost = costOfSorting(); cost && cost->sortingPays()) {
            m_context.because(format("sorting the updates takes {:.0f} us, comparing each element with each update {:.0f}",
                                     cost->sorting / 1000, cost->comparing / 1000));
            SW_TRY(const NodeId box, bySorting());
            return replaced(base, box);
        }
        SW_TRY(m_pairs, pairShape(m_updates, m_base.extent(m_axis)));
        SW_TRY(m_linePairs, pairShape(m_line, m_base.extent(m_axis)));
        SW_TRY(const NodeId positions, checkedPositions());
        SW_TRY(const NodeId matches, matchesOf(positions));
        SW_TRY(const NodeId touched, boxOf(base));
        SW_TRY(const NodeId box, m_mode == ScatterMode::Set ? set(touched, matches) : combined(touched, matches));
        return replaced(base, box);
    }

private:
    // By element of the lines' box: whether an update has it, and where that lies along the axis of the updates.
    struct KnownUpdates {
        HostTensor isSet;
        HostTensor places;
    };

    // Nothing: the indices are not known, one is out of range, which the run reports, or several updates have one element and
    // all of them count.
    [[nodiscard]] std::optional<KnownUpdates> knownUpdates() const
    {
        if (m_base.isSymbolic() || m_updates.isSymbolic())
            return std::nullopt;
        const Shape shape = boxShape(m_line);
        const std::optional<HostTensor> indices =
            shape.elements() <= kMostKnown ? computedConstantOf(m_builder, m_indices) : std::nullopt;
        if (!indices)
            return std::nullopt;
        KnownUpdates known{HostTensor(DType::Bool, shape), HostTensor(countType(), shape)};
        const std::vector<std::int64_t> strides = rowMajorStrides(shape);
        const std::vector<std::int64_t> ofUpdates = rowMajorStrides(m_line);
        for (std::int64_t update = 0; update < indices->elements(); ++update) {
            const std::int64_t index = indices->at(update).asInt();
            if (index < 0 || index >= m_base[m_axis])
                return std::nullopt;
            std::int64_t element = index * strides[m_axis];
            for (std::size_t axis = 0; axis < shape.rank(); ++axis)
                if (axis != m_axis)
                    element += update / ofUpdates[axis] % m_line[axis] * strides[axis];
            if (m_mode != ScatterMode::Set && known.isSet.at(element).asBool())
                return std::nullopt;
            known.isSet.set(element, Scalar::ofBool(true));
            known.places.set(element, Scalar::of(countType(), update / ofUpdates[m_axis] % m_updates[m_axis]));
        }
        return known;
    }

    Result<NodeId> updated(NodeId box, const KnownUpdates &known)
    {
        const Origin &origin = m_context.origin();
        m_context.absorb(m_context.inputId(1));
        SW_TRY(const NodeId places, forAllLines(m_builder.vconst(origin, known.places)));
        SW_TRY(const NodeId made, m_builder.gather(origin, m_context.inputId(2), places, m_axis));
        return withFound(box, m_builder.vconst(origin, known.isSet), made);
    }

    // The box with what its elements have found, of the shape of the box.
    Result<NodeId> withFound(NodeId box, NodeId isFound, NodeId made)
    {
        const Origin origin = m_context.origin();
        SW_TRY(const NodeId isSet, forAllLines(isFound));
        if (const std::optional<Op> op = combiningOp(m_mode)) {
            const DType computed = computeType(m_context.node().dtype);
            SW_TRY(const NodeId wide, m_builder.cast(origin, box, computed));
            SW_TRY(const NodeId update, m_builder.cast(origin, made, computed));
            SW_TRY(const NodeId combined, m_builder.elementwise(origin, *op, std::array{wide, update}));
            SW_TRY(made, m_builder.cast(origin, combined, m_context.node().dtype));
        }
        return m_builder.elementwise(origin, Op::Where, std::array{isSet, made, box});
    }

    [[nodiscard]] UpdateLines lines() const { return {m_updates, m_line, m_axis, m_base[m_axis]}; }

    // Nothing: the extents are not known, or the updates are to be added in their order.
    [[nodiscard]] std::optional<ScatterCost> costOfSorting() const
    {
        const std::optional<Op> op = combiningOp(m_mode);
        const bool isOrdered = op && roundsEachStep(*op, computeType(m_context.node().dtype));
        if (m_base.isSymbolic() || m_updates.isSymbolic() || (isOrdered && m_context.pass().options().strict))
            return std::nullopt;
        const Shape &compared = op ? m_updates : m_line;
        return scatterCost(lines(), static_cast<double>(compared.elements()) * static_cast<double>(m_base[m_axis]), op);
    }

    Result<NodeId> bySorting()
    {
        const Origin origin = m_context.origin();
        const std::optional<Op> op = combiningOp(m_mode);
        SW_TRY(const NodeId positions, checkedPositions());
        NodeId updates = m_context.inputId(2);
        if (op) {
            SW_TRY(updates, m_builder.cast(origin, updates, computeType(m_context.node().dtype)));
        }
        SW_TRY(const SortedUpdates::Found found, SortedUpdates(m_builder, origin, lines()).find(positions, updates, op));
        SW_TRY(const NodeId box, boxOf(m_context.inputId(0)));
        return withFound(box, found.isFound, found.value);
    }

    // The part of the base that can change: the extents of the updates, but along the axis the extent of the base.
    [[nodiscard]] Shape boxShape() const { return boxShape(m_updates); }
    [[nodiscard]] Shape boxShape(const Shape &updates) const
    {
        std::vector<SymbolicExpr> extents = updates.symbolicExtents();
        extents[m_axis] = m_base.extent(m_axis);
        return Shape::checkedSymbolic(std::move(extents)).value(); // no larger than the base
    }

    // What was found for lines with different indices, in the shape of the box.
    Result<NodeId> forAllLines(NodeId found) { return m_builder.expand(m_context.origin(), found, boxShape()); }

    // The box with a separate axis for the updates, before the axis of the line's elements.
    [[nodiscard]] Result<Shape> pairShape(const Shape &updates, SymbolicExpr elements) const
    {
        std::vector<SymbolicExpr> extents = updates.symbolicExtents();
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(m_axis) + 1, std::move(elements));
        return Shape::checkedSymbolic(std::move(extents));
    }

    // 1, 2, ... along one axis of a shape with `rank` axes.
    Result<NodeId> counting(std::size_t rank, std::size_t axis, std::int64_t count)
    {
        std::vector<std::int64_t> extents(rank, 1);
        extents[axis] = count;
        HostTensor numbers(countType(), Shape(std::move(extents)));
        for (std::int64_t i = 0; i < count; ++i)
            numbers.set(i, Scalar::of(countType(), i + 1));
        return m_builder.vconst(m_context.origin(), std::move(numbers));
    }

    [[nodiscard]] DType countType() const
    {
        const bool isSmall = std::max(m_base[m_axis], m_updates[m_axis]) < std::numeric_limits<std::int32_t>::max();
        return isSmall ? DType::I32 : DType::I64;
    }

    // One more than each index; 0 for an index out of range, which the run reports. Stored, so that each index is checked once.
    Result<NodeId> checkedPositions()
    {
        SW_TRY(const NodeId numbers, counting(1, 0, m_base[m_axis]));
        SW_TRY(const NodeId checked, m_builder.index(m_context.origin(), numbers, m_indices, std::nullopt, m_axis));
        return m_builder.contiguous(m_context.origin(), checked);
    }

    // A tensor with a value for each update, repeated for each element of the line.
    Result<NodeId> perPair(NodeId id, const Shape &updates, const Shape &pairs)
    {
        SW_TRY(Shape single, pairShape(updates, SymbolicExpr(1)));
        SW_TRY(const NodeId spread, m_builder.reshape(m_context.origin(), id, std::move(single)));
        return m_builder.expand(m_context.origin(), spread, pairs);
    }

    Result<NodeId> matchesOf(NodeId positions)
    {
        SW_TRY(const NodeId wanted, perPair(positions, m_line, m_linePairs));
        SW_TRY(const NodeId numbers, counting(m_linePairs.rank(), m_axis + 1, m_base[m_axis]));
        SW_TRY(const NodeId places, m_builder.expand(m_context.origin(), numbers, m_linePairs));
        return m_builder.elementwise(m_context.origin(), Op::Cmpeq, std::array{wanted, places});
    }

    Result<NodeId> overUpdates(Op op, NodeId pairs, const Shape &box)
    {
        SW_TRY(const NodeId reduced, m_builder.reduce(m_context.origin(), op, pairs, {m_axis}));
        return m_builder.reshape(m_context.origin(), reduced, box);
    }

    Result<NodeId> chosen(NodeId matches, NodeId values, const Scalar &otherwise, const Shape &pairs)
    {
        SW_TRY(const NodeId rest, m_builder.full(m_context.origin(), otherwise, pairs));
        return m_builder.elementwise(m_context.origin(), Op::Where, std::array{matches, values, rest});
    }

    // Combines in the type that the elements are computed in, like reductions.
    Result<NodeId> combined(NodeId box, NodeId matches)
    {
        const Op op = *combiningOp(m_mode);
        const DType computed = computeType(m_context.node().dtype);
        SW_TRY(const NodeId updates, m_builder.cast(m_context.origin(), m_context.inputId(2), computed));
        SW_TRY(const NodeId values, perPair(updates, m_updates, m_pairs));
        SW_TRY(const NodeId ofAll, m_builder.expand(m_context.origin(), matches, m_pairs));
        SW_TRY(const NodeId found, chosen(ofAll, values, identityOf(op, computed), m_pairs));
        SW_TRY(const NodeId reduced, overUpdates(op, found, boxShape()));
        SW_TRY(const NodeId wide, m_builder.cast(m_context.origin(), box, computed));
        SW_TRY(const NodeId result, m_builder.elementwise(m_context.origin(), op, std::array{wide, reduced}));
        return m_builder.cast(m_context.origin(), result, m_context.node().dtype);
    }

    // The last update that matches, if any does.
    Result<NodeId> set(NodeId box, NodeId matches)
    {
        const Origin &origin = m_context.origin();
        SW_TRY(const NodeId numbers, counting(m_linePairs.rank(), m_axis, m_updates[m_axis]));
        SW_TRY(const NodeId order, m_builder.expand(origin, numbers, m_linePairs));
        SW_TRY(const NodeId found, chosen(matches, order, Scalar::of(countType(), std::int64_t{0}), m_linePairs));
        SW_TRY(const NodeId last, overUpdates(Op::Max, found, boxShape(m_line)));
        const NodeId one = m_builder.constScalar(origin, Scalar::of(countType(), std::int64_t{1}));
        SW_TRY(const NodeId atLeastOne, m_builder.broadcasted(origin, Op::Max, std::array{last, one}));
        SW_TRY(const NodeId place, m_builder.broadcasted(origin, Op::Sub, std::array{atLeastOne, one}));
        SW_TRY(const NodeId placeOfAll, forAllLines(place));
        SW_TRY(const NodeId picked, m_builder.gather(origin, m_context.inputId(2), placeOfAll, m_axis));
        SW_TRY(const NodeId isSet, m_builder.broadcasted(origin, Op::Cmple, std::array{one, last}));
        SW_TRY(const NodeId isSetInAll, forAllLines(isSet));
        return m_builder.elementwise(origin, Op::Where, std::array{isSetInAll, picked, box});
    }

    Result<NodeId> boxOf(NodeId base)
    {
        const Shape box = boxShape();
        if (box == m_base)
            return base;
        ShrinkAttributes corner{std::vector<std::int64_t>(box.rank(), 0), std::vector<std::int64_t>(box.begin(), box.end())};
        return m_builder.shrink(m_context.origin(), base, std::move(corner), box);
    }

    // The base with the box in its corner.
    Result<NodeId> replaced(NodeId base, NodeId box)
    {
        const Shape shape = boxShape();
        if (shape == m_base)
            return box;
        PadAttributes border{std::vector<std::int64_t>(shape.rank(), 0), {}, Scalar::fromBits(m_context.node().dtype, 0)};
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
            border.after.push_back(m_base[axis] - shape[axis]);
        SW_TRY(const NodeId ones, m_builder.full(m_context.origin(), Scalar::ofBool(true), shape));
        SW_TRY(const NodeId padded, m_builder.pad(m_context.origin(), box, border));
        border.fill = Scalar::ofBool(false);
        SW_TRY(const NodeId isInside, m_builder.pad(m_context.origin(), ones, std::move(border)));
        return m_builder.elementwise(m_context.origin(), Op::Where, std::array{isInside, padded, base});
    }

    RewriteContext &m_context;
    GraphBuilder &m_builder;
    std::size_t m_axis = 0;
    ScatterMode m_mode = ScatterMode::Set;
    Shape m_base;
    Shape m_updates;
    NodeId m_indices;  // those that differ
    Shape m_line;      // their shape
    Shape m_pairs;     // of the updates with the elements of the line
    Shape m_linePairs; // of the lines whose indices differ
};

Replacement scatter(RewriteContext &context)
{
    SW_TRY(const NodeId result, ScatterWriter(context).run());
    return std::optional(result);
}

constexpr std::array kRules = {
    GraphRule{"scatter", "Scatter", "Each element reduces over the updates whose index is its own.", scatter,
              isOfKind<NodeKind::Scatter>},
};

} // namespace

std::span<const GraphRule> scatterRules()
{
    return kRules;
}

} // namespace sw
