#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/windows.h"

#include <numeric>

namespace sw::onnx {

namespace {

std::vector<std::int64_t> extentsOf(const Shape &shape)
{
    return {shape.begin(), shape.end()};
}

Result<Term> reduceTerm(NodeCall &call, Op op, const Term &input, const std::vector<std::size_t> &axes)
{
    SW_TRY(const NodeId node, input.result());
    SW_TRY(const NodeId reduced, call.reduce(op, node, axes));
    return Term(call, reduced);
}

Term wideInput(NodeCall &call, std::size_t index)
{
    return Term(call, call.input(index)).castTo(computeType(call.dtype(index)));
}

// An operand with one element per channel, reshaped to [C, 1, ...] for an input of this rank.
Result<Term> perChannel(NodeCall &call, std::size_t index, std::size_t rank)
{
    if (call.shape(index).rank() != 1)
        return call.error(Code::ShapeMismatch, "operand {} has shape {}, expected one element per channel", index,
                          toText(call.shape(index)));
    std::vector<std::int64_t> extents(rank - 1, 1);
    extents[0] = call.shape(index)[0];
    SW_TRY(const NodeId wide, wideInput(call, index).result());
    SW_TRY(const NodeId shaped, call.reshape(wide, std::move(extents)));
    return Term(call, shaped);
}

// Before opset 13, softmax treats all axes from the given one on as a single axis.
struct SoftmaxAxes {
    std::vector<std::size_t> axes;
};

Result<SoftmaxAxes> softmaxAxes(NodeCall &call)
{
    const std::size_t rank = call.shape(0).rank();
    const bool isFlattening = call.opset() < 13;
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", isFlattening ? 1 : -1), rank));
    SoftmaxAxes result{{axis}};
    for (std::size_t i = axis + 1; isFlattening && i < rank; ++i)
        result.axes.push_back(i);
    return result;
}

struct Centered {
    Term difference;
    Term variance;
};

Result<Centered> center(NodeCall &call, const Term &x, const std::vector<std::size_t> &axes, double count)
{
    SW_TRY(const Term sum, reduceTerm(call, Op::Add, x, axes));
    const Term difference = x - sum / count;
    SW_TRY(const Term squares, reduceTerm(call, Op::Add, difference * difference, axes));
    return Centered{difference, squares / count};
}

double countOver(const Shape &shape, const std::vector<std::size_t> &axes)
{
    double count = 1;
    for (const std::size_t axis : axes)
        count *= static_cast<double>(shape[axis]);
    return count;
}

std::vector<std::size_t> axesFrom(std::size_t first, std::size_t rank)
{
    std::vector<std::size_t> axes(rank - first);
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

} // namespace

Result<Outputs> importSoftmax(NodeCall &call)
{
    SW_TRY(const SoftmaxAxes over, softmaxAxes(call));
    const Term x = wideInput(call, 0);
    SW_TRY(const Term greatest, reduceTerm(call, Op::Max, x, over.axes));
    const Term raised = exponential(x - greatest);
    SW_TRY(const Term sum, reduceTerm(call, Op::Add, raised, over.axes));
    SW_TRY(const NodeId result, (raised / sum).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importLogSoftmax(NodeCall &call)
{
    SW_TRY(const SoftmaxAxes over, softmaxAxes(call));
    const Term x = wideInput(call, 0);
    SW_TRY(const Term greatest, reduceTerm(call, Op::Max, x, over.axes));
    const Term shifted = x - greatest;
    SW_TRY(const Term sum, reduceTerm(call, Op::Add, exponential(shifted), over.axes));
    SW_TRY(const NodeId result, (shifted - logarithm(sum)).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importBatchNormalization(NodeCall &call)
{
    if (call.isOn("training_mode") || call.wantsOutput(1))
        return call.unsupported("training is not supported, only inference with the stored mean and variance");
    if (call.opset() < 9 && call.integer("spatial", 1) == 0)
        return call.unsupported("spatial 0 is not supported");
    const std::size_t rank = call.shape(0).rank();
    if (rank < 2)
        return call.error(Code::ShapeMismatch, "cannot normalize {}: there is no channel axis", toText(call.shape(0)));
    const double epsilon = call.number("epsilon", 1e-5);
    SW_TRY(const Term scale, perChannel(call, 1, rank));
    SW_TRY(const Term bias, perChannel(call, 2, rank));
    SW_TRY(const Term mean, perChannel(call, 3, rank));
    SW_TRY(const Term variance, perChannel(call, 4, rank));
    const Term factor = scale / squareRoot(variance + epsilon);
    SW_TRY(const NodeId result, ((wideInput(call, 0) - mean) * factor + bias).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importInstanceNormalization(NodeCall &call)
{
    const std::size_t rank = call.shape(0).rank();
    if (rank < 3)
        return call.error(Code::ShapeMismatch, "cannot normalize {}: there is no spatial axis", toText(call.shape(0)));
    const std::vector<std::size_t> axes = axesFrom(2, rank);
    SW_TRY(const Centered x, center(call, wideInput(call, 0), axes, countOver(call.shape(0), axes)));
    SW_TRY(const Term scale, perChannel(call, 1, rank));
    SW_TRY(const Term bias, perChannel(call, 2, rank));
    const Term normal = x.difference / squareRoot(x.variance + call.number("epsilon", 1e-5));
    SW_TRY(const NodeId result, (normal * scale + bias).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importLayerNormalization(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", -1), shape.rank()));
    const std::vector<std::size_t> axes = axesFrom(axis, shape.rank());
    const double count = countOver(shape, axes);
    const Term input = wideInput(call, 0);
    SW_TRY(const Term sum, reduceTerm(call, Op::Add, input, axes));
    const Term mean = sum / count;
    const Term difference = input - mean;
    SW_TRY(const Term squares, reduceTerm(call, Op::Add, difference * difference, axes));
    const Term inverse = 1.0 / squareRoot(squares / count + call.number("epsilon", 1e-5));
    // Scale and bias apply after the cast back to the input's type.
    Term result = (difference * inverse).castTo(call.dtype(0)) * Term(call, call.input(1));
    if (call.has(2))
        result = result + Term(call, call.input(2));
    SW_TRY(const NodeId normal, result.result());
    SW_TRY(const NodeId meanNode, mean.result());
    SW_TRY(const NodeId inverseNode, inverse.result());
    return Outputs{normal, meanNode, inverseNode};
}

Result<Outputs> importRmsNormalization(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", -1), shape.rank()));
    const std::vector<std::size_t> axes = axesFrom(axis, shape.rank());
    const Term input = wideInput(call, 0);
    SW_TRY(const Term squares, reduceTerm(call, Op::Add, input * input, axes));
    const Term root = squareRoot(squares / countOver(shape, axes) + call.number("epsilon", 1e-5));
    // The scale applies after the cast back to the input's type.
    SW_TRY(const NodeId result, ((input / root).castTo(call.dtype(0)) * Term(call, call.input(1))).result());
    return Outputs{result};
}

Result<Outputs> importGroupNormalization(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    const std::int64_t groups = call.integer("num_groups", 0);
    if (shape.rank() < 3 || groups < 1 || shape[1] % groups != 0)
        return call.error(Code::Argument, "num_groups {} does not divide the channels of {}", groups, toText(shape));
    std::vector<std::int64_t> split = extentsOf(shape);
    split[1] = groups;
    split.insert(split.begin() + 2, shape[1] / groups);
    SW_TRY(const NodeId wide, wideInput(call, 0).result());
    SW_TRY(const NodeId grouped, call.reshape(wide, split));
    const std::vector<std::size_t> axes = axesFrom(2, split.size());
    SW_TRY(const Centered x, center(call, Term(call, grouped), axes, countOver(call.shapeOf(grouped), axes)));
    const Term normal = x.difference / squareRoot(x.variance + call.number("epsilon", 1e-5));
    SW_TRY(const NodeId normalNode, normal.result());
    // Up to opset 20, scale and bias are per group.
    const bool isPerGroup = call.opset() < 21;
    NodeId flat = normalNode;
    if (!isPerGroup) {
        SW_TRY(flat, call.reshape(normalNode, extentsOf(shape)));
    }
    SW_TRY(const Term scale, perChannel(call, 1, call.rankOf(flat)));
    SW_TRY(const Term bias, perChannel(call, 2, call.rankOf(flat)));
    SW_TRY(const NodeId scaled, (Term(call, flat) * scale + bias).castTo(call.dtype(0)).result());
    SW_TRY(const NodeId result, call.reshape(scaled, extentsOf(shape)));
    return Outputs{result};
}

// x / (bias + alpha / size * sum of the squares of `size` neighbouring channels) ** beta
Result<Outputs> importLrn(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    const std::int64_t size = call.integer("size", 0);
    if (shape.rank() < 2 || shape.isEmpty() || size < 1 || size > 1 << 20)
        return call.error(Code::Argument, "cannot normalize {} over {} channels", toText(shape), size);
    const double alpha = call.number("alpha", 1e-4);
    const double beta = call.number("beta", 0.75);
    const double bias = call.number("bias", 1.0);
    // [1, N, C, rest]: this makes the channels the first spatial axis of a window.
    const std::int64_t rest = shape.elements() / shape[0] / shape[1];
    const Term x = wideInput(call, 0);
    SW_TRY(const NodeId squares, (x * x).result());
    SW_TRY(const NodeId flat, call.reshape(squares, {1, shape[0], shape[1], rest}));
    WindowPlan plan{.kernel = {size, 1}, .strides = {1, 1}, .dilations = {1, 1}};
    plan.before = {(size - 1) / 2, 0};
    plan.after = {size - 1 - (size - 1) / 2, 0};
    plan.overhang = {0, 0};
    plan.outputs = {shape[1], rest};
    SW_TRY(const NodeId windows, showWindows(call, flat, plan, Scalar::of(call.dtypeOf(flat), 0.0), {}));
    SW_TRY(const NodeId sums, call.reduce(Op::Add, windows, {4, 5}));
    SW_TRY(const NodeId shaped, call.reshape(sums, extentsOf(shape)));
    const Term base = Term(call, shaped) * (alpha / static_cast<double>(size)) + bias;
    const Term power = Term::apply(Op::Pow, {base, base.number(beta)});
    SW_TRY(const NodeId result, (x / power).castTo(call.dtype(0)).result());
    return Outputs{result};
}

} // namespace sw::onnx
