#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/windows.h"

#include <numeric>

namespace sw::onnx {

namespace {

Result<WindowPlan> planPool(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    if (shape.rank() < 3 || shape.rank() > 6)
        return call.error(Code::ShapeMismatch, "cannot pool {}: expected batch, channels and 1 to 4 spatial axes", toText(shape));
    const auto kernel = call.integers("kernel_shape");
    if (!kernel)
        return call.error(Code::MalformedModel, "there is no kernel_shape");
    const std::vector<std::int64_t> spatial(shape.begin() + 2, shape.end());
    return planWindows(call, spatial, *kernel);
}

// The kernel axes in the result of showWindows without groups.
std::vector<std::size_t> kernelAxes(std::size_t spatial)
{
    std::vector<std::size_t> axes(spatial);
    std::iota(axes.begin(), axes.end(), 2 + spatial);
    return axes;
}

Result<NodeId> withoutKernelAxes(NodeCall &call, NodeId reduced, const WindowPlan &plan)
{
    std::vector<std::int64_t> extents = {call.shapeOf(reduced)[0], call.shapeOf(reduced)[1]};
    extents.insert(extents.end(), plan.outputs.begin(), plan.outputs.end());
    return call.reshape(reduced, std::move(extents));
}

// The number of elements in each window on one axis: of the input, or of the input with its padding.
std::vector<std::int64_t> elementsPerWindow(const WindowPlan &plan, std::size_t axis, std::int64_t extent, bool countsPadding)
{
    const std::int64_t low = countsPadding ? -plan.before[axis] : 0;
    const std::int64_t high = extent + (countsPadding ? plan.after[axis] : 0);
    std::vector<std::int64_t> counts;
    for (std::int64_t window = 0; window < plan.outputs[axis]; ++window) {
        const std::int64_t begin = window * plan.strides[axis] - plan.before[axis];
        const std::int64_t dilation = plan.dilations[axis];
        // Finds the k with low <= begin + k * dilation < high.
        const std::int64_t first = begin >= low ? 0 : (low - begin + dilation - 1) / dilation;
        const std::int64_t last = begin >= high ? 0 : (high - begin + dilation - 1) / dilation;
        counts.push_back(std::max<std::int64_t>(1, std::min(last, plan.kernel[axis]) - first));
    }
    return counts;
}

// Divides by the number of elements in each window, once: it is the product of one number for each axis, which all floats hold.
Result<NodeId> divideByCounts(NodeCall &call, NodeId sums, const WindowPlan &plan)
{
    const bool countsPadding = call.isOn("count_include_pad");
    double common = 1;
    std::vector<NodeId> divisors;
    for (std::size_t i = 0; i < plan.kernel.size(); ++i) {
        const std::vector<std::int64_t> counts = elementsPerWindow(plan, i, call.shape(0)[i + 2], countsPadding);
        if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>()) == counts.end()) {
            common *= static_cast<double>(counts.front());
            continue;
        }
        std::vector<std::int64_t> extents(call.rankOf(sums), 1);
        extents[i + 2] = plan.outputs[i];
        SW_TRY(Shape shape, Shape::checked(std::move(extents)));
        const std::vector<double> values(counts.begin(), counts.end());
        divisors.push_back(call.tensorConstant(HostTensor::ofValues(call.dtypeOf(sums), std::move(shape), values)));
    }
    if (common != 1)
        divisors.push_back(call.scalar(call.dtypeOf(sums), common));
    if (divisors.empty())
        return sums;
    NodeId product = divisors.front();
    for (std::size_t i = 1; i < divisors.size(); ++i) {
        SW_TRY(product, call.apply(Op::Mul, {product, divisors[i]}));
    }
    return call.apply(Op::Fdiv, {sums, product});
}

Result<std::vector<std::size_t>> spatialAxes(NodeCall &call)
{
    const std::size_t rank = call.shape(0).rank();
    if (rank < 3)
        return call.error(Code::ShapeMismatch, "cannot pool {}: there is no spatial axis", toText(call.shape(0)));
    std::vector<std::size_t> axes(rank - 2);
    std::iota(axes.begin(), axes.end(), std::size_t{2});
    return axes;
}

// Where each window's largest element is, the first of equal ones. Places count through the whole input, in row-major order or,
// within an image, with the first spatial axis as the fastest.
Result<NodeId> placesOfLargest(NodeCall &call, const WindowPlan &plan, NodeId windows, NodeId largest)
{
    const Shape &shape = call.shape(0);
    std::vector<std::int64_t> image = {1, 1};
    image.insert(image.end(), shape.begin() + 2, shape.end());
    std::int64_t count = 1;
    for (const std::int64_t extent : std::span(image).subspan(2))
        count *= extent;
    SW_TRY(const NodeId counted, call.builder().iota(call.origin(), Shape{count}));
    SW_TRY(const NodeId wide, call.cast(counted, DType::I64));
    SW_TRY(const NodeId places, call.reshape(wide, std::move(image)));
    const Scalar beyond = Scalar::of(DType::I64, count);
    SW_TRY(const NodeId placesOfWindows, showWindows(call, places, plan, beyond, {}));
    const std::vector<std::size_t> axes = kernelAxes(plan.kernel.size());
    SW_TRY(const NodeId isLargest, call.apply(Op::Cmpeq, {windows, largest}));
    SW_TRY(const NodeId isNumber, call.apply(Op::Cmpeq, {windows, windows}));
    SW_TRY(const NodeId isNoNumber, call.apply(Op::Not, {isNumber}));
    SW_TRY(const NodeId isSought, call.apply(Op::Or, {isLargest, isNoNumber}));
    SW_TRY(const NodeId candidates,
           call.apply(Op::Where, {isSought, placesOfWindows, call.builder().constScalar(call.origin(), beyond)}));
    SW_TRY(const NodeId first, call.reduce(Op::Min, candidates, axes));
    SW_TRY(const NodeId found, withoutKernelAxes(call, first, plan));
    SW_TRY(const language::Value made,
           call.callFunction("pool_places", {{language::TensorValue{found}},
                                             {language::listOf(std::vector<std::int64_t>(shape.begin(), shape.end())), "shape"},
                                             {call.integer("storage_order", 0), "order"}}));
    return made.as<language::TensorValue>()->node;
}

// The p of a p-norm; in opset 1 it is a float.
Result<double> orderOfNorm(NodeCall &call)
{
    const double p = call.opset() < 2 ? call.number("p", 2) : static_cast<double>(call.integer("p", 2));
    if (!(p > 0))
        return call.error(Code::Argument, "p must be greater than 0, found {}", p);
    return p;
}

Term powersOf(NodeCall &call, double p)
{
    const Term x = Term(call, call.input(0)).castTo(computeType(call.dtype(0)));
    return Term::apply(Op::Pow, {magnitude(x), x.number(p)});
}

Term rootOf(const Term &total, double p)
{
    return Term::apply(Op::Pow, {total, total.number(1 / p)});
}

} // namespace

Result<Outputs> importMaxPool(NodeCall &call)
{
    SW_TRY(const WindowPlan plan, planPool(call));
    SW_TRY(const NodeId windows, showWindows(call, call.input(0), plan, lowestOf(call.dtype(0)), {}));
    SW_TRY(const NodeId reduced, call.reduce(Op::Max, windows, kernelAxes(plan.kernel.size())));
    SW_TRY(const NodeId result, withoutKernelAxes(call, reduced, plan));
    if (!call.wantsOutput(1))
        return Outputs{result};
    SW_TRY(const NodeId places, placesOfLargest(call, plan, windows, reduced));
    return Outputs{result, places};
}

// The p-norm of each window.
Result<Outputs> importLpPool(NodeCall &call)
{
    SW_TRY(const double p, orderOfNorm(call));
    SW_TRY(const WindowPlan plan, planPool(call));
    SW_TRY(const NodeId powers, powersOf(call, p).result());
    SW_TRY(const NodeId windows, showWindows(call, powers, plan, Scalar::of(call.dtypeOf(powers), 0.0), {}));
    SW_TRY(const NodeId reduced, call.reduce(Op::Add, windows, kernelAxes(plan.kernel.size())));
    SW_TRY(const NodeId sums, withoutKernelAxes(call, reduced, plan));
    SW_TRY(const NodeId result, rootOf(Term(call, sums), p).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importGlobalLpPool(NodeCall &call)
{
    SW_TRY(const double p, orderOfNorm(call));
    SW_TRY(std::vector<std::size_t> axes, spatialAxes(call));
    SW_TRY(const NodeId powers, powersOf(call, p).result());
    SW_TRY(const NodeId sums, call.reduce(Op::Add, powers, std::move(axes)));
    SW_TRY(const NodeId result, rootOf(Term(call, sums), p).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importAveragePool(NodeCall &call)
{
    SW_TRY(const WindowPlan plan, planPool(call));
    SW_TRY(const NodeId wide, call.cast(call.input(0), computeType(call.dtype(0))));
    SW_TRY(const NodeId windows, showWindows(call, wide, plan, Scalar::of(call.dtypeOf(wide), 0.0), {}));
    SW_TRY(const NodeId reduced, call.reduce(Op::Add, windows, kernelAxes(plan.kernel.size())));
    SW_TRY(const NodeId sums, withoutKernelAxes(call, reduced, plan));
    SW_TRY(const NodeId means, divideByCounts(call, sums, plan));
    SW_TRY(const NodeId result, call.cast(means, call.dtype(0)));
    return Outputs{result};
}

Result<Outputs> importGlobalAveragePool(NodeCall &call)
{
    SW_TRY(std::vector<std::size_t> axes, spatialAxes(call));
    const double count = static_cast<double>(call.shape(0).elements()) /
                         static_cast<double>(std::max<std::int64_t>(1, call.shape(0)[0] * call.shape(0)[1]));
    SW_TRY(const NodeId wide, call.cast(call.input(0), computeType(call.dtype(0))));
    SW_TRY(const NodeId sum, call.reduce(Op::Add, wide, std::move(axes)));
    SW_TRY(const NodeId result, (Term(call, sum) / count).castTo(call.dtype(0)).result());
    return Outputs{result};
}

Result<Outputs> importGlobalMaxPool(NodeCall &call)
{
    SW_TRY(std::vector<std::size_t> axes, spatialAxes(call));
    SW_TRY(const NodeId result, call.reduce(Op::Max, call.input(0), std::move(axes)));
    return Outputs{result};
}

} // namespace sw::onnx
