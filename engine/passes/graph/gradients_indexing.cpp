// The gradient of reading at computed places: each place gets the sum of the adjoints of all elements that were read there. An
// index out of range read nothing and contributes nothing.

#include "engine/passes/graph/gradient_rules.h"

#include <array>

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

Result<Done> gatherGradient(BackwardStep &step)
{
    const std::size_t axis = attributesOf<AxisAttributes>(step.node()).axis;
    const Shape source = step.input(0).shape;
    SW_TRY(const NodeId sums, collected(step, step.adjoint(), step.inputId(1), axis, source[axis]));
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
    SW_TRY(const NodeId sums, collected(step, adjoints, indices, 0, source.elements()));
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
