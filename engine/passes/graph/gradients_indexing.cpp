// The gradient of reading at computed places: each place gets the sum of the adjoints of all elements that were read there. An
// index out of range read nothing and contributes nothing.

#include "engine/passes/graph/gradient_rules.h"
#include "engine/passes/graph/sorted_updates.h"

#include <array>
#include <limits>
#include <optional>
#include <vector>

namespace sw {

namespace {

std::vector<std::int64_t> extentsOf(const Shape &shape)
{
    return {shape.begin(), shape.end()};
}

// 0, 1, 2 ... along one axis of a shape.
Result<NodeId> placesAlong(BackwardStep &step, std::size_t axis, const Shape &shape)
{
    std::vector<std::int64_t> extents(shape.rank(), 1);
    extents[axis] = shape[axis];
    HostTensor places(DType::I64, Shape(std::move(extents)));
    for (std::int64_t i = 0; i < places.elements(); ++i)
        places.set(i, Scalar::of(DType::I64, i));
    const NodeId counted = step.builder().vconst(step.origin(), std::move(places));
    return step.builder().expand(step.origin(), counted, shape);
}

// Turns adjoints [.., n, ..] with one index each into [.., places, ..]: every place compares itself with every index, and sums
// the adjoints whose index equals it.
Result<NodeId> collected(BackwardStep &step, NodeId adjoints, NodeId indices, std::size_t axis, std::int64_t places)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    std::vector<std::int64_t> extents = extentsOf(builder.node(adjoints).shape);
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
    const Shape single = Shape(extents);
    extents[axis + 1] = places;
    SW_TRY(const Shape all, Shape::checked(std::move(extents)));
    const auto spread = [&](NodeId id) -> Result<NodeId> {
        SW_TRY(const NodeId aligned, builder.reshape(origin, id, single));
        return builder.expand(origin, aligned, all);
    };
    SW_TRY(const NodeId wide, builder.cast(origin, indices, DType::I64));
    SW_TRY(const NodeId asked, spread(wide));
    SW_TRY(const NodeId values, spread(adjoints));
    SW_TRY(const NodeId numbers, placesAlong(step, axis + 1, all));
    SW_TRY(const NodeId isHere, builder.elementwise(origin, Op::Cmpeq, std::array{asked, numbers}));
    SW_TRY(const NodeId zeros, builder.full(origin, Scalar::of(step.node().dtype, std::int64_t{0}), all));
    SW_TRY(const NodeId chosen, builder.elementwise(origin, Op::Where, std::array{isHere, values, zeros}));
    SW_TRY(const NodeId sum, builder.reduce(origin, Op::Add, chosen, {axis}));
    std::vector<std::int64_t> result = extentsOf(all);
    result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis));
    return builder.reshape(origin, sum, Shape(std::move(result)));
}

// The indices, one for each line along the first axis, where a gather looks whole lines up: they are only repeated along the
// other axes. Nothing where they are not, or where there are no fewer of them than places.
Result<std::optional<NodeId>> indicesOfLines(BackwardStep &step, std::size_t axis)
{
    GraphBuilder &builder = step.builder();
    const Node indices = step.input(1);
    const Shape source = step.input(0).shape;
    if (axis != 0 || indices.kind != NodeKind::Expand || indices.shape.isSymbolic() || source.isSymbolic())
        return std::optional<NodeId>();
    const Shape repeated = builder.node(indices.inputs.front()).shape;
    const bool isFew = repeated[0] < source[0] && source[0] < std::numeric_limits<std::int32_t>::max();
    if (!isFew || repeated.elements() != repeated[0] || indices.shape.elements() == repeated[0])
        return std::optional<NodeId>();
    SW_TRY(const NodeId line, builder.reshape(step.origin(), indices.inputs.front(), Shape{repeated[0]}));
    SW_TRY(const NodeId wide, builder.cast(step.origin(), line, DType::I64));
    return std::optional(wide);
}

// The same as collected(), for adjoints [lines, ..] with one index for each line. First the lines are added up whose indices are
// equal, so that each of them has the sum of all of these, in their order. Then each place needs only one of its lines: the last
// one. This compares places and lines, and lines with lines, but goes through the elements of all places only once.
Result<NodeId> collectedLines(BackwardStep &step, NodeId indices, std::int64_t places)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    const Shape adjoints = builder.node(step.adjoint()).shape;
    const std::int64_t lines = adjoints[0];
    const auto apply = [&](Op op, std::initializer_list<NodeId> operands) {
        return builder.broadcasted(origin, op, std::vector<NodeId>(operands));
    };
    const auto number = [&](std::int64_t value) { return builder.constScalar(origin, Scalar::of(DType::I64, value)); };

    std::vector<std::int64_t> from(adjoints.rank() + 1, 1);
    std::vector<std::int64_t> to = from;
    from[0] = to[1] = lines;
    SW_TRY(const NodeId giving, builder.reshape(origin, indices, Shape(std::move(from))));
    SW_TRY(const NodeId taking, builder.reshape(origin, indices, Shape(std::move(to))));
    SW_TRY(const NodeId areEqual, apply(Op::Cmpeq, {giving, taking}));
    std::vector<std::int64_t> single = extentsOf(adjoints);
    single.insert(single.begin() + 1, 1);
    SW_TRY(const NodeId spread, builder.reshape(origin, step.adjoint(), Shape(std::move(single))));
    const NodeId zero = builder.constScalar(origin, Scalar::of(step.node().dtype, std::int64_t{0}));
    SW_TRY(const NodeId chosen, apply(Op::Where, {areEqual, spread, zero}));
    SW_TRY(const NodeId sum, builder.reduce(origin, Op::Add, chosen, {0}));
    SW_TRY(const NodeId sums, builder.reshape(origin, sum, adjoints));

    SW_TRY(const NodeId numbers, builder.iota(origin, Shape{lines}));
    SW_TRY(const NodeId counted, apply(Op::Add, {numbers, number(1)}));
    SW_TRY(const NodeId order, builder.reshape(origin, counted, Shape{lines, 1}));
    SW_TRY(const NodeId asked, builder.reshape(origin, indices, Shape{lines, 1}));
    SW_TRY(const NodeId all, builder.iota(origin, Shape{places}));
    SW_TRY(const NodeId isHere, apply(Op::Cmpeq, {asked, all}));
    SW_TRY(const NodeId found, apply(Op::Where, {isHere, order, number(0)}));
    SW_TRY(const NodeId last, builder.reduce(origin, Op::Max, found, {0})); // 0: no line

    std::vector<std::int64_t> result = extentsOf(adjoints);
    std::vector<std::int64_t> column(adjoints.rank(), 1);
    result[0] = column[0] = places;
    SW_TRY(const NodeId perPlace, builder.reshape(origin, last, Shape(std::move(column))));
    SW_TRY(const NodeId someLine, apply(Op::Max, {perPlace, number(1)}));
    SW_TRY(const NodeId line, apply(Op::Sub, {someLine, number(1)}));
    SW_TRY(const NodeId everywhere, builder.expand(origin, line, Shape(result)));
    SW_TRY(const NodeId picked, builder.gather(origin, sums, everywhere, 0));
    SW_TRY(const NodeId isRead, apply(Op::Cmplt, {number(0), perPlace}));
    return apply(Op::Where, {isRead, picked, zero});
}

// The same as collected(), by sorting, where that takes less; `pairs` are compared otherwise. Nothing: it would take more, or
// extents are not known, or sums keep their order.
Result<std::optional<NodeId>> collectedBySorting(BackwardStep &step, NodeId adjoints, NodeId indices, std::size_t axis,
                                                 std::int64_t places, double pairs)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    const Shape updates = builder.node(adjoints).shape;
    if (updates.isSymbolic() || updates.isEmpty() || step.isStrict())
        return std::optional<NodeId>();
    Shape line = updates;
    if (const Node &repeated = builder.node(indices); repeated.kind == NodeKind::Expand)
        if (const Node &source = builder.node(repeated.inputs[0]); source.shape[axis] == updates[axis]) {
            line = source.shape;
            indices = repeated.inputs[0];
        }
    const UpdateLines lines{updates, line, axis, places};
    if (!scatterCost(lines, pairs, Op::Add).sortingPays())
        return std::optional<NodeId>();
    const auto number = [&](std::int64_t value) { return builder.constScalar(origin, Scalar::of(DType::I64, value)); };
    const auto apply = [&](Op op, std::initializer_list<NodeId> operands) {
        return builder.broadcasted(origin, op, std::vector<NodeId>(operands));
    };
    SW_TRY(const NodeId wide, builder.cast(origin, indices, DType::I64));
    SW_TRY(const NodeId isBehindBegin, apply(Op::Cmple, {number(0), wide}));
    SW_TRY(const NodeId isBeforeEnd, apply(Op::Cmplt, {wide, number(places)}));
    SW_TRY(const NodeId isInside, apply(Op::And, {isBehindBegin, isBeforeEnd}));
    SW_TRY(const NodeId next, apply(Op::Add, {wide, number(1)}));
    SW_TRY(const NodeId positions, apply(Op::Where, {isInside, next, number(0)}));
    const DType dtype = step.node().dtype;
    SW_TRY(const NodeId values, builder.cast(origin, adjoints, computeType(dtype)));
    SW_TRY(const SortedUpdates::Found found, SortedUpdates(builder, origin, lines).find(positions, values, Op::Add));
    SW_TRY(const NodeId narrow, builder.cast(origin, found.value, dtype));
    SW_TRY(const NodeId sums,
           apply(Op::Where, {found.isFound, narrow, builder.constScalar(origin, Scalar::of(dtype, std::int64_t{0}))}));
    return std::optional(sums);
}

Result<NodeId> gathered(BackwardStep &step, std::size_t axis, std::int64_t places)
{
    const Shape adjoints = step.builder().node(step.adjoint()).shape;
    const bool isKnown = !adjoints.isSymbolic() && !step.input(0).shape.isSymbolic();
    SW_TRY(const std::optional<NodeId> lines, indicesOfLines(step, axis));
    if (isKnown) {
        const auto values = static_cast<double>(adjoints.elements());
        const auto along = static_cast<double>(adjoints[axis]);
        const double pairs = lines ? along * static_cast<double>(places) + along * values : values * static_cast<double>(places);
        SW_TRY(const std::optional<NodeId> sorted,
               collectedBySorting(step, step.adjoint(), step.inputId(1), axis, places, pairs));
        if (sorted)
            return *sorted;
    }
    return lines ? collectedLines(step, *lines, places) : collected(step, step.adjoint(), step.inputId(1), axis, places);
}

Result<Done> gatherGradient(BackwardStep &step)
{
    const std::size_t axis = attributesOf<AxisAttributes>(step.node()).axis;
    const Shape source = step.input(0).shape;
    SW_TRY(const NodeId sums, gathered(step, axis, source[axis]));
    // Along the other axes the indices may cover only a part.
    PadAttributes around{std::vector<std::int64_t>(source.rank(), 0), extentsOf(source),
                         Scalar::of(step.node().dtype, std::int64_t{0})};
    for (std::size_t i = 0; i < source.rank(); ++i)
        around.after[i] -= step.builder().node(sums).shape[i];
    SW_TRY(const NodeId padded, step.builder().pad(step.origin(), sums, std::move(around)));
    step.contribute(0, padded);
    return Done{};
}

Result<Done> indexGradient(BackwardStep &step)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    const Shape source = step.input(0).shape;
    const Shape line{step.node().shape.elements()};
    NodeId adjoint = step.adjoint();
    if (step.node().inputs.size() == 3) {
        SW_TRY(const NodeId zeros, builder.full(origin, Scalar::of(step.node().dtype, std::int64_t{0}), step.node().shape));
        SW_TRY(adjoint, builder.elementwise(origin, Op::Where, std::array{step.inputId(2), adjoint, zeros}));
    }
    SW_TRY(const NodeId adjoints, builder.reshape(origin, adjoint, line));
    SW_TRY(const NodeId indices, builder.reshape(origin, step.inputId(1), line));
    const double pairs = static_cast<double>(line[0]) * static_cast<double>(source.elements());
    SW_TRY(const std::optional<NodeId> sorted, collectedBySorting(step, adjoints, indices, 0, source.elements(), pairs));
    SW_TRY(const NodeId sums, sorted ? *sorted : collected(step, adjoints, indices, 0, source.elements()));
    SW_TRY(const NodeId value, builder.reshape(origin, sums, source));
    step.contribute(0, value);
    return Done{};
}

constexpr std::array kRows = {
    GradientRule{NodeKind::Gather, "To each place of the source the sum of the adjoints of what was read there.", gatherGradient},
    GradientRule{NodeKind::Index, "To each place of the source the sum of the adjoints of what was read there.", indexGradient},
};

} // namespace

std::span<const GradientRule> indexingGradients()
{
    return kRows;
}

} // namespace sw
