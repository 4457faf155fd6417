#include "engine/onnx/convolution.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/windows.h"

#include <numeric>

namespace sw::onnx {

Result<NodeId> widened(NodeCall &call, NodeId input)
{
    return call.cast(input, computeType(call.dtypeOf(input)));
}

Result<NodeId> addBias(NodeCall &call, NodeId sum, std::size_t operand)
{
    if (!call.has(operand))
        return sum;
    if (call.shape(operand) != Shape{call.shapeOf(sum)[1]})
        return call.error(Code::ShapeMismatch, "the bias has shape {}, the result {} channels", toText(call.shape(operand)),
                          call.shapeOf(sum)[1]);
    std::vector<std::int64_t> extents(call.rankOf(sum), 1);
    extents[1] = call.shapeOf(sum)[1];
    SW_TRY(const NodeId wide, widened(call, call.input(operand)));
    SW_TRY(const NodeId bias, call.reshape(wide, std::move(extents)));
    return call.apply(Op::Add, {sum, bias});
}

// The product has the axes [N, groups, O / groups, outputs..., C / groups, kernel...]; the last ones are summed.
Result<NodeId> convolve(NodeCall &call, NodeId input, NodeId weights, const WindowPlan &plan, std::int64_t groups)
{
    const Shape kernelShape = call.shapeOf(weights);
    const std::size_t spatial = plan.kernel.size();
    const std::int64_t repeats = kernelShape[0] / groups;
    SW_TRY(const NodeId windows, showWindows(call, input, plan, Scalar::of(call.dtypeOf(input), std::int64_t{0}),
                                             {.groups = groups, .repeats = repeats}));
    std::vector<std::int64_t> aligned = {1, groups, repeats};
    aligned.insert(aligned.end(), spatial, 1);
    aligned.insert(aligned.end(), kernelShape.begin() + 1, kernelShape.end());
    SW_TRY(const NodeId filters, call.reshape(weights, std::move(aligned)));
    SW_TRY(const NodeId product, call.apply(Op::Mul, {windows, filters}));
    std::vector<std::size_t> summed(spatial + 1);
    std::iota(summed.begin(), summed.end(), 3 + spatial);
    SW_TRY(const NodeId sum, call.reduce(Op::Add, product, std::move(summed)));
    std::vector<std::int64_t> result = {call.shapeOf(input)[0], kernelShape[0]};
    result.insert(result.end(), plan.outputs.begin(), plan.outputs.end());
    return call.reshape(sum, std::move(result));
}

Result<std::int64_t> groupCount(NodeCall &call, std::int64_t channels)
{
    const std::int64_t groups = call.integer("group", 1);
    if (groups < 1 || channels % groups != 0)
        return call.error(Code::Argument, "{} channels do not fall into {} groups", channels, groups);
    return groups;
}

Result<Done> checkRanks(const NodeCall &call, const Shape &input, const Shape &weights)
{
    const std::size_t rank = input.rank();
    if (rank < 3 || rank > 5 || weights.rank() != rank)
        return call.error(Code::ShapeMismatch, "cannot convolve {} with {}: expected two shapes of the same rank, 3 to 5",
                          toText(input), toText(weights));
    const auto isExtreme = [](std::int64_t extent) { return extent < 1 || extent > std::int64_t{1} << 30U; };
    if (std::any_of(input.begin(), input.end(), isExtreme) || std::any_of(weights.begin(), weights.end(), isExtreme))
        return call.error(Code::ShapeMismatch, "cannot convolve {} with {}: an extent is 0 or beyond 2^30", toText(input),
                          toText(weights));
    return Done{};
}

std::vector<std::int64_t> spatialExtents(const Shape &shape)
{
    return {shape.begin() + 2, shape.end()};
}

Result<NodeId> convolution(NodeCall &call, NodeId input, NodeId weights)
{
    const Shape inputShape = call.shapeOf(input);
    const Shape weightShape = call.shapeOf(weights);
    SW_CHECK(checkRanks(call, inputShape, weightShape));
    SW_TRY(const std::int64_t groups, groupCount(call, inputShape[1]));
    if (weightShape[1] != inputShape[1] / groups || weightShape[0] % groups != 0)
        return call.error(Code::ShapeMismatch, "weights {} do not fit {} input channels in {} groups", toText(weightShape),
                          inputShape[1], groups);
    SW_TRY(const WindowPlan plan, planWindows(call, spatialExtents(inputShape), spatialExtents(weightShape)));
    return convolve(call, input, weights, plan, groups);
}

Result<Outputs> importConv(NodeCall &call)
{
    SW_TRY(const NodeId input, widened(call, call.input(0)));
    SW_TRY(const NodeId filters, widened(call, call.input(1)));
    SW_TRY(const NodeId sum, convolution(call, input, filters));
    SW_TRY(const NodeId biased, addBias(call, sum, 2));
    SW_TRY(const NodeId result, call.cast(biased, call.dtype(0)));
    return Outputs{result};
}

} // namespace sw::onnx
