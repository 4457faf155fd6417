#include "engine/passes/graph/gradient_rules.h"

#include <algorithm>
#include <array>

namespace sw {

namespace {

Result<Done> sumGradient(BackwardStep &step)
{
    SW_TRY(const NodeId spread, step.builder().expand(step.origin(), step.adjoint(), Shape(step.input(0).shape)));
    step.contribute(0, spread);
    return Done{};
}

// Elements that equal the extreme of a slice share its adjoint evenly; usually there is one. They are counted in the wider type.
Result<Done> extremeGradient(BackwardStep &step)
{
    GraphBuilder &builder = step.builder();
    const Origin &origin = step.origin();
    const Node &node = step.node();
    const Shape shape = step.input(0).shape;
    const DType wide = computeType(node.dtype);
    SW_TRY(const NodeId extreme, builder.expand(origin, step.id(), shape));
    SW_TRY(const NodeId isExtreme, builder.elementwise(origin, Op::Cmpeq, std::array{step.inputId(0), extreme}));
    SW_TRY(const NodeId ones, builder.cast(origin, isExtreme, wide));
    SW_TRY(const NodeId count, builder.reduce(origin, Op::Add, ones, attributesOf<AxesAttributes>(node).axes));
    SW_TRY(const NodeId adjoint, builder.cast(origin, step.adjoint(), wide));
    SW_TRY(const NodeId share, builder.elementwise(origin, Op::Fdiv, std::array{adjoint, count}));
    SW_TRY(const NodeId narrow, builder.cast(origin, share, node.dtype));
    SW_TRY(const NodeId spread, builder.expand(origin, narrow, shape));
    SW_TRY(const NodeId zeros, builder.full(origin, Scalar::of(node.dtype, std::int64_t{0}), shape));
    SW_TRY(const NodeId chosen, builder.elementwise(origin, Op::Where, std::array{isExtreme, spread, zeros}));
    step.contribute(0, chosen);
    return Done{};
}

constexpr std::array kRows = {
    ReductionGradient{Op::Add, "The adjoint, spread over the elements.", sumGradient},
    ReductionGradient{Op::Mul, "The adjoint times the product of the other elements, which no zero among them spoils.",
                      productGradient},
    ReductionGradient{Op::Max, "The adjoint to the largest element; where there are several, each gets an equal share.",
                      extremeGradient},
    ReductionGradient{Op::Min, "The adjoint to the smallest element; where there are several, each gets an equal share.",
                      extremeGradient},
};

} // namespace

std::span<const ReductionGradient> reductionGradients()
{
    return kRows;
}

const ReductionGradient *reductionGradientOf(Op op)
{
    const auto *const found = std::ranges::find(kRows, op, &ReductionGradient::op);
    return found == kRows.end() ? nullptr : found;
}

} // namespace sw
