// Operators whose result's extent depends on values. Where these are known while importing, or are found with little work from a
// value that is given, the result has its size. Otherwise it is computed at its largest size, with a count of what is real in it.

#include "engine/onnx/handlers.h"
#include "engine/onnx/operator_formula.h"
#include "engine/onnx/select_axis.h"

#include <algorithm>
#include <numeric>

namespace sw::onnx {

namespace {

HostTensor integersOf(const std::vector<std::int64_t> &values, Shape shape)
{
    HostTensor tensor(DType::I64, std::move(shape));
    for (std::size_t i = 0; i < values.size(); ++i)
        tensor.set(static_cast<std::int64_t>(i), Scalar::of(DType::I64, values[i]));
    return tensor;
}

HostTensor listOf(const std::vector<std::int64_t> &values)
{
    return integersOf(values, Shape{static_cast<std::int64_t>(values.size())});
}

bool isZero(const Scalar &value)
{
    return isFloat(value.dtype()) ? value.asDouble() == 0 : value.asInt() == 0;
}

// Wide enough for every integer and float.
long double exactOf(const Scalar &value)
{
    if (isFloat(value.dtype()))
        return value.asDouble();
    if (value.dtype() == DType::U64)
        return static_cast<long double>(static_cast<std::uint64_t>(value.asInt()));
    return static_cast<long double>(value.asInt());
}

language::Value asArgument(NodeCall &call, std::size_t index)
{
    return {language::TensorValue{call.input(index)}};
}

// What a function of the library makes that gives the outputs and, behind them, a count. axes: the counted axis of each output;
// nothing: it is whole.
Result<Outputs> countedOutputsOf(NodeCall &call, std::string_view function, std::vector<language::LibraryArgument> arguments,
                                 const std::vector<std::optional<std::size_t>> &axes)
{
    const std::size_t firstNew = call.builder().size();
    SW_TRY(const language::Value made, call.callFunction(function, std::move(arguments)));
    SW_TRY(Outputs outputs, outputsOf(call, made, firstNew));
    SW_TRY(const NodeId count, call.cast(outputs.back().node, DType::I64));
    outputs.pop_back();
    for (std::size_t i = 0; i < outputs.size(); ++i)
        if (axes[i])
            outputs[i].counted = CountedAxis{*axes[i], count};
    return outputs;
}

language::LibraryArgument axisArgument(NodeCall &call)
{
    return {call.hasAttribute("axis") ? language::Value(call.integer("axis", 0)) : language::Value(), "axis"};
}

Result<NodeId> flattened(NodeCall &call, NodeId input)
{
    return call.reshape(input, {call.shapeOf(input).elements()});
}

// A tensor as slices along an axis, to compare and sort.
struct Slices {
    std::vector<std::vector<long double>> values;

    Slices(const HostTensor &tensor, std::size_t axis)
    {
        const Shape &shape = tensor.shape();
        std::int64_t inner = 1;
        for (std::size_t i = axis + 1; i < shape.rank(); ++i)
            inner *= shape[i];
        values.resize(static_cast<std::size_t>(shape[axis]));
        for (std::int64_t i = 0; i < tensor.elements(); ++i)
            values[static_cast<std::size_t>(i / inner % shape[axis])].push_back(exactOf(tensor.at(i)));
    }
};

struct UniqueSlices {
    std::vector<std::int64_t> first; // the place of each different slice
    std::vector<std::int64_t> which; // for each slice, its number in `first`
    std::vector<std::int64_t> counts;
};

UniqueSlices uniqueSlices(const Slices &slices, bool isSorted)
{
    UniqueSlices found;
    for (std::size_t i = 0; i < slices.values.size(); ++i) {
        const auto known = std::ranges::find_if(
            found.first, [&](std::int64_t place) { return slices.values[static_cast<std::size_t>(place)] == slices.values[i]; });
        found.which.push_back(known - found.first.begin());
        if (known == found.first.end()) {
            found.first.push_back(static_cast<std::int64_t>(i));
            found.counts.push_back(0);
        }
        ++found.counts[static_cast<std::size_t>(found.which.back())];
    }
    if (!isSorted)
        return found;
    std::vector<std::size_t> order(found.first.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t i) { return slices.values[static_cast<std::size_t>(found.first[i])]; });
    UniqueSlices sorted;
    std::vector<std::int64_t> rank(order.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        sorted.first.push_back(found.first[order[i]]);
        sorted.counts.push_back(found.counts[order[i]]);
        rank[order[i]] = static_cast<std::int64_t>(i);
    }
    for (const std::int64_t which : found.which)
        sorted.which.push_back(rank[static_cast<std::size_t>(which)]);
    return sorted;
}

// A box as its lowest and highest place on both axes.
struct Box {
    double top, left, bottom, right;
    [[nodiscard]] double area() const { return (bottom - top) * (right - left); }
};

Box boxAt(const HostTensor &boxes, std::int64_t index, bool isCentered)
{
    const auto at = [&](std::int64_t i) { return boxes.at(index * 4 + i).asDouble(); };
    if (isCentered) // x, y, width, height
        return {at(1) - at(3) / 2, at(0) - at(2) / 2, at(1) + at(3) / 2, at(0) + at(2) / 2};
    return {std::min(at(0), at(2)), std::min(at(1), at(3)), std::max(at(0), at(2)), std::max(at(1), at(3))};
}

double overlap(const Box &a, const Box &b)
{
    const double height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
    const double width = std::min(a.right, b.right) - std::max(a.left, b.left);
    const double shared = std::max(0.0, height) * std::max(0.0, width);
    const double both = a.area() + b.area() - shared;
    return both > 0 ? shared / both : 0;
}

struct Suppression {
    std::int64_t most = 0; // boxes of one class
    double overlap = 0;
    std::optional<double> score = {};
};

// The boxes of one class that stay: the best first, then each that does not overlap a better one too much.
std::vector<std::int64_t> keptBoxes(const std::vector<Box> &boxes, const std::vector<double> &scores, const Suppression &limits)
{
    std::vector<std::int64_t> order;
    for (std::size_t i = 0; i < scores.size(); ++i)
        if (!limits.score || scores[i] > *limits.score)
            order.push_back(static_cast<std::int64_t>(i));
    std::ranges::stable_sort(order, std::greater<>(), [&](std::int64_t i) { return scores[static_cast<std::size_t>(i)]; });
    std::vector<std::int64_t> kept;
    for (const std::int64_t candidate : order) {
        if (static_cast<std::int64_t>(kept.size()) >= limits.most)
            break;
        const bool isHidden = std::ranges::any_of(kept, [&](std::int64_t better) {
            return overlap(boxes[static_cast<std::size_t>(better)], boxes[static_cast<std::size_t>(candidate)]) > limits.overlap;
        });
        if (!isHidden)
            kept.push_back(candidate);
    }
    return kept;
}

Result<Suppression> suppressionOf(NodeCall &call)
{
    Suppression limits;
    if (call.has(2)) {
        SW_TRY(const Scalar most, call.constantScalar(2, "max_output_boxes_per_class"));
        limits.most = most.asInt();
    }
    if (call.has(3)) {
        SW_TRY(const Scalar most, call.constantScalar(3, "iou_threshold"));
        limits.overlap = most.asDouble();
    }
    if (call.has(4)) {
        SW_TRY(const Scalar least, call.constantScalar(4, "score_threshold"));
        limits.score = least.asDouble();
    }
    return limits;
}

} // namespace

Result<Outputs> importNonZero(NodeCall &call)
{
    const std::optional<HostTensor> known = call.quickConstant(0);
    if (!known)
        return countedOutputsOf(call, "non_zero", {{asArgument(call, 0)}}, {std::size_t{1}});
    const HostTensor &x = *known;
    const Shape &shape = x.shape();
    std::vector<std::int64_t> found;
    for (std::int64_t i = 0; i < x.elements(); ++i)
        if (!isZero(x.at(i)))
            found.push_back(i);
    std::vector<std::int64_t> places;
    std::int64_t inner = x.elements();
    for (const std::int64_t extent : shape) {
        inner /= std::max<std::int64_t>(extent, 1);
        for (const std::int64_t flat : found)
            places.push_back(flat / inner % extent);
    }
    return Outputs{integersOf(places, Shape{static_cast<std::int64_t>(shape.rank()), static_cast<std::int64_t>(found.size())})};
}

Result<Outputs> importCompress(NodeCall &call)
{
    const std::optional<HostTensor> known = call.quickConstant(1);
    NodeId input = call.input(0);
    std::size_t axis = 0;
    if (call.hasAttribute("axis")) {
        SW_TRY(axis, call.axis(call.integer("axis", 0), call.rankOf(input)));
    }
    if (!known)
        return countedOutputsOf(call, "compressed", {{asArgument(call, 0)}, {asArgument(call, 1)}, axisArgument(call)}, {axis});
    const HostTensor &condition = *known;
    if (!call.hasAttribute("axis")) {
        SW_TRY(input, flattened(call, input));
    }
    const std::int64_t extent = call.shapeOf(input)[axis];
    if (condition.shape().rank() != 1 || condition.elements() > extent)
        return call.error(Code::ShapeMismatch, "the condition is {}, expected at most {} elements on one axis",
                          typeText(condition.dtype(), condition.shape()), extent);
    std::vector<std::int64_t> kept;
    for (std::int64_t i = 0; i < condition.elements(); ++i)
        if (!isZero(condition.at(i)))
            kept.push_back(i);
    SW_TRY(const NodeId result, selectAlong(call, input, axis, kept));
    return Outputs{result};
}

Result<Outputs> importUnique(NodeCall &call)
{
    std::optional<HostTensor> known = call.quickConstant(0);
    NodeId input = call.input(0);
    std::size_t axis = 0;
    if (call.hasAttribute("axis")) {
        SW_TRY(axis, call.axis(call.integer("axis", 0), call.rankOf(input)));
    }
    if (!known)
        return countedOutputsOf(call, "unique_slices",
                                {{asArgument(call, 0)}, axisArgument(call), {call.integer("sorted", 1), "sorted"}},
                                {axis, std::size_t{0}, std::nullopt, std::size_t{0}});
    HostTensor x = std::move(*known);
    if (!call.hasAttribute("axis")) {
        SW_TRY(input, flattened(call, input));
        x = x.reshaped(Shape{x.elements()});
    }
    const UniqueSlices unique = uniqueSlices(Slices(x, axis), call.integer("sorted", 1) != 0);
    SW_TRY(const NodeId result, selectAlong(call, input, axis, unique.first));
    return Outputs{result, listOf(unique.first), listOf(unique.which), listOf(unique.counts)};
}

Result<Outputs> importNonMaxSuppression(NodeCall &call)
{
    const std::optional<HostTensor> knownBoxes = call.quickConstant(0);
    const std::optional<HostTensor> knownScores = call.quickConstant(1);
    SW_TRY(const Suppression limits, suppressionOf(call));
    if (!knownBoxes || !knownScores)
        return countedOutputsOf(call, "non_max_suppression",
                                {{asArgument(call, 0)},
                                 {asArgument(call, 1)},
                                 {limits.most, "most"},
                                 {limits.overlap, "overlap"},
                                 {limits.score ? language::Value(*limits.score) : language::Value(), "threshold"},
                                 {call.integer("center_point_box", 0), "centered"}},
                                {std::size_t{0}});
    const HostTensor &boxes = *knownBoxes;
    const HostTensor &scores = *knownScores;
    if (boxes.shape().rank() != 3 || scores.shape().rank() != 3 || boxes.shape()[2] != 4 ||
        boxes.shape()[0] != scores.shape()[0] || boxes.shape()[1] != scores.shape()[2])
        return call.error(Code::ShapeMismatch, "boxes {} and scores {}, expected [n, boxes, 4] and [n, classes, boxes]",
                          toText(boxes.shape()), toText(scores.shape()));
    const std::int64_t count = boxes.shape()[1];
    std::vector<std::int64_t> found;
    for (std::int64_t row = 0; row < scores.shape()[0] * scores.shape()[1]; ++row) {
        const std::int64_t item = row / scores.shape()[1];
        std::vector<Box> ofItem;
        std::vector<double> ofClass;
        for (std::int64_t i = 0; i < count; ++i) {
            ofItem.push_back(boxAt(boxes, item * count + i, call.integer("center_point_box", 0) != 0));
            ofClass.push_back(scores.at(row * count + i).asDouble());
        }
        for (const std::int64_t kept : keptBoxes(ofItem, ofClass, limits))
            found.insert(found.end(), {item, row % scores.shape()[1], kept});
    }
    const auto rows = static_cast<std::int64_t>(found.size()) / 3;
    return Outputs{integersOf(found, Shape{rows, 3})};
}

Result<Outputs> importOptionalHasElement(NodeCall &call)
{
    return Outputs{HostTensor::ofScalar(Scalar::of(DType::Bool, std::int64_t{call.has(0) ? 1 : 0}))};
}

} // namespace sw::onnx
