#include "engine/onnx/convolution.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/windows.h"

#include <numeric>

namespace sw::onnx {

namespace {

// Sums of 16-bit floats are accumulated in f32, and their products are not rounded first.
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

// input: [N, C, spatial...], weights: [O, C / groups, kernel...]. The product has the axes [N, groups, O / groups, outputs...,
// C / groups, kernel...]; the last ones are summed.
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

// ---- the transposed convolution: a convolution over the input with its elements stride apart

// Inserts strides[i] - 1 zeros between neighbours in [N, C, spatial...].
Result<NodeId> spread(NodeCall &call, NodeId input, const std::vector<std::int64_t> &strides)
{
    NodeId result = input;
    for (std::size_t i = 0; i < strides.size(); ++i) {
        if (strides[i] == 1)
            continue;
        const std::size_t axis = i + 2;
        std::vector<std::int64_t> extents(call.shapeOf(result).begin(), call.shapeOf(result).end());
        const std::int64_t extent = extents[axis];
        extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, 1);
        SW_TRY(const NodeId split, call.reshape(result, extents));
        PadAttributes pad{.before = std::vector<std::int64_t>(extents.size(), 0),
                          .after = std::vector<std::int64_t>(extents.size(), 0),
                          .fill = Scalar::of(call.dtypeOf(input), std::int64_t{0})};
        pad.after[axis + 1] = strides[i] - 1;
        SW_TRY(const NodeId padded, call.builder().pad(call.origin(), split, std::move(pad)));
        extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1);
        extents[axis] = extent * strides[i];
        SW_TRY(const NodeId joined, call.reshape(padded, extents));
        ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(extents.size(), 0), .end = extents};
        shrink.end[axis] = (extent - 1) * strides[i] + 1;
        SW_TRY(result, call.builder().shrink(call.origin(), joined, std::move(shrink)));
    }
    return result;
}

// Turns [C, O / groups, kernel...] into [O, C / groups, kernel...] and reverses the kernel.
Result<NodeId> transposedWeights(NodeCall &call, NodeId weights, std::int64_t groups)
{
    const Shape shape = call.shapeOf(weights);
    std::vector<std::int64_t> split = {groups, shape[0] / groups, shape[1]};
    split.insert(split.end(), shape.begin() + 2, shape.end());
    SW_TRY(const NodeId grouped, call.reshape(weights, split));
    std::vector<std::size_t> order(split.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::swap(order[1], order[2]);
    SW_TRY(const NodeId swapped, call.permute(grouped, order));
    std::vector<std::size_t> kernelAxes(order.begin() + 3, order.end());
    SW_TRY(const NodeId flipped, call.builder().flip(call.origin(), swapped, std::move(kernelAxes)));
    std::vector<std::int64_t> joined = {groups * shape[1], shape[0] / groups};
    joined.insert(joined.end(), shape.begin() + 2, shape.end());
    return call.reshape(flipped, std::move(joined));
}

// The padding of the result as ONNX counts it: how much the full result has to lose at each end.
Result<Done> cropOfTransposed(NodeCall &call, const std::vector<std::int64_t> &full, const std::vector<std::int64_t> &input,
                              WindowPlan &plan)
{
    const std::size_t count = full.size();
    SW_TRY(const std::vector<std::int64_t> extra, boundedList(call, "output_padding", count, 0));
    SW_TRY(const std::vector<std::int64_t> pads, boundedList(call, "pads", 2 * count, 0));
    SW_TRY(const std::vector<std::int64_t> wanted, boundedList(call, "output_shape", count, 1));
    const bool hasShape = call.hasAttribute("output_shape");
    const std::string mode = call.text("auto_pad", "NOTSET");
    const bool isSame = mode == "SAME_UPPER" || mode == "SAME_LOWER";
    for (std::size_t i = 0; i < count; ++i) {
        plan.before.push_back(pads[i]);
        plan.after.push_back(pads[count + i]);
        plan.outputs.push_back(full[i] + extra[i] - pads[i] - pads[count + i]);
        if (!hasShape && !isSame)
            continue;
        const std::int64_t output = hasShape ? wanted[i] : input[i] * plan.strides[i];
        const std::int64_t total = std::max<std::int64_t>(0, full[i] + extra[i] - output);
        plan.before[i] = mode == "SAME_UPPER" ? total / 2 : total - total / 2;
        plan.after[i] = total - plan.before[i];
        plan.outputs[i] = output;
    }
    return Done{};
}

// Cuts off what negative padding takes away, and sets it to 0. The other end may have to be padded first.
Result<NodeId> cropped(NodeCall &call, NodeId input, WindowPlan &plan)
{
    const Shape shape = call.shapeOf(input);
    PadAttributes pad{.before = std::vector<std::int64_t>(shape.rank(), 0),
                      .after = std::vector<std::int64_t>(shape.rank(), 0),
                      .fill = Scalar::of(call.dtypeOf(input), std::int64_t{0})};
    ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = {shape.begin(), shape.end()}};
    bool isNeeded = false;
    for (std::size_t i = 0; i < plan.kernel.size(); ++i) {
        std::int64_t &before = plan.before[i];
        std::int64_t &after = plan.after[i];
        if (before >= 0 && after >= 0)
            continue;
        isNeeded = true;
        pad.before[i + 2] = std::max<std::int64_t>(0, before);
        pad.after[i + 2] = std::max<std::int64_t>(0, after);
        shrink.begin[i + 2] = std::max<std::int64_t>(0, -before);
        shrink.end[i + 2] += pad.before[i + 2] + after;
        before = 0;
        after = 0;
    }
    if (!isNeeded)
        return input;
    SW_TRY(const NodeId padded, call.builder().pad(call.origin(), input, std::move(pad)));
    return call.builder().shrink(call.origin(), padded, std::move(shrink));
}

} // namespace

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

Result<Outputs> importConvTranspose(NodeCall &call)
{
    SW_CHECK(checkRanks(call, call.shape(0), call.shape(1)));
    const std::vector<std::int64_t> spatial = spatialExtents(call.shape(0));
    SW_TRY(const std::int64_t groups, groupCount(call, call.shape(0)[1]));
    if (call.shape(1)[0] != call.shape(0)[1])
        return call.error(Code::ShapeMismatch, "weights {} do not fit {} input channels", toText(call.shape(1)),
                          call.shape(0)[1]);
    WindowPlan plan{.kernel = spatialExtents(call.shape(1))};
    SW_TRY(plan.strides, boundedList(call, "strides", spatial.size(), 1));
    SW_TRY(plan.dilations, boundedList(call, "dilations", spatial.size(), 1));
    std::vector<std::int64_t> full;
    for (std::size_t i = 0; i < spatial.size(); ++i)
        full.push_back((spatial[i] - 1) * plan.strides[i] + plan.dilations[i] * (plan.kernel[i] - 1) + 1);
    SW_CHECK(cropOfTransposed(call, full, spatial, plan));

    // Output o reads elements o + before - reach + 1 to o + before of the spread input; zeros pad the ends, less the crop.
    WindowPlan windows{
        .kernel = plan.kernel, .strides = std::vector<std::int64_t>(spatial.size(), 1), .dilations = plan.dilations};
    windows.outputs = plan.outputs;
    windows.overhang.assign(spatial.size(), 0);
    for (std::size_t i = 0; i < spatial.size(); ++i) {
        const std::int64_t reach = plan.dilations[i] * (plan.kernel[i] - 1);
        windows.before.push_back(reach - plan.before[i]);
        windows.after.push_back(plan.outputs[i] + reach - windows.before[i] - ((spatial[i] - 1) * plan.strides[i] + 1));
        if (plan.outputs[i] < 1)
            return call.error(Code::ShapeMismatch, "the pads leave nothing of spatial axis {}, which would have {} elements", i,
                              full[i]);
    }
    SW_TRY(const NodeId input, widened(call, call.input(0)));
    SW_TRY(const NodeId whole, spread(call, input, plan.strides));
    SW_TRY(const NodeId apart, cropped(call, whole, windows));
    SW_TRY(const NodeId filters, widened(call, call.input(1)));
    SW_TRY(const NodeId weights, transposedWeights(call, filters, groups));
    SW_TRY(const NodeId sum, convolve(call, apart, weights, windows, groups));
    SW_TRY(const NodeId biased, addBias(call, sum, 2));
    SW_TRY(const NodeId result, call.cast(biased, call.dtype(0)));
    return Outputs{result};
}

} // namespace sw::onnx
