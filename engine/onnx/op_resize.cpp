#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/resize_table.h"
#include "engine/onnx/select_axis.h"

#include <algorithm>
#include <cmath>

namespace sw::onnx {

namespace {

constexpr std::int64_t kMaxExtent = std::int64_t{1} << 24U;
constexpr double kFractions = 1 << 20; // that resized integers are rounded to

// The lists are parallel.
struct ResizedAxes {
    std::vector<std::size_t> axes;
    std::vector<ResizeAxis> plans;
};

Result<ResizeRules> rulesOf(NodeCall &call)
{
    ResizeRules rules;
    SW_TRY(rules.mode, resizeModeOf(call.text("mode", "nearest")));
    SW_TRY(rules.coordinates, resizeCoordinatesOf(call.text("coordinate_transformation_mode", "half_pixel")));
    SW_TRY(rules.nearest, resizeNearestOf(call.text("nearest_mode", "round_prefer_floor")));
    rules.cubicCoefficient = call.number("cubic_coeff_a", -0.75);
    rules.isAntialiased = call.isOn("antialias");
    rules.excludesOutside = call.isOn("exclude_outside");
    return rules;
}

// The rules of Upsample, and of Resize in opset 10.
Result<ResizeRules> oldRulesOf(NodeCall &call)
{
    ResizeRules rules{.coordinates = ResizeCoordinates::Asymmetric, .nearest = ResizeNearest::Floor};
    SW_TRY(rules.mode, resizeModeOf(call.text("mode", "nearest")));
    return rules;
}

Result<ResizedAxes> axesOf(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    ResizedAxes resized;
    std::vector<std::int64_t> given(shape.rank());
    for (std::size_t i = 0; i < given.size(); ++i)
        given[i] = static_cast<std::int64_t>(i);
    given = call.integers("axes").value_or(given);
    SW_CHECK(call.axes(given, shape.rank())); // each axis only once
    for (const std::int64_t each : given) {
        SW_TRY(const std::size_t axis, call.axis(each, shape.rank()));
        resized.axes.push_back(axis);
        resized.plans.push_back({.input = shape[axis], .output = shape[axis]});
    }
    return resized;
}

Result<Done> checkCount(NodeCall &call, const ResizedAxes &resized, std::string_view what, std::int64_t count)
{
    if (count != static_cast<std::int64_t>(resized.axes.size()))
        return call.error(Code::Argument, "{} has {} elements, expected {}", what, count, resized.axes.size());
    return Done{};
}

Result<Done> checkExtents(NodeCall &call, const ResizedAxes &resized)
{
    for (const ResizeAxis &plan : resized.plans)
        if (plan.input < 1 || plan.output < 0 || plan.output > kMaxExtent)
            return call.error(Code::ShapeMismatch, "an axis of {} elements cannot get {}", plan.input, plan.output);
    return Done{};
}

Result<Done> applyScales(NodeCall &call, ResizedAxes &resized, const std::vector<double> &scales)
{
    SW_CHECK(checkCount(call, resized, "scales", static_cast<std::int64_t>(scales.size())));
    for (std::size_t i = 0; i < scales.size(); ++i) {
        ResizeAxis &plan = resized.plans[i];
        const double extent = std::floor(static_cast<double>(plan.input) * scales[i]);
        if (!(scales[i] > 0) || !(extent <= static_cast<double>(kMaxExtent)))
            return call.error(Code::Argument, "scale {} is out of range for an axis of {} elements", scales[i], plan.input);
        plan.scale = scales[i];
        plan.output = static_cast<std::int64_t>(extent);
    }
    return checkExtents(call, resized);
}

// To keep the aspect ratio, all axes get the smallest or the largest of their scales.
Result<Done> applySizes(NodeCall &call, ResizedAxes &resized, const std::vector<std::int64_t> &sizes)
{
    SW_CHECK(checkCount(call, resized, "sizes", static_cast<std::int64_t>(sizes.size())));
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        resized.plans[i].output = sizes[i];
        resized.plans[i].scale =
            static_cast<double>(sizes[i]) / static_cast<double>(std::max<std::int64_t>(1, resized.plans[i].input));
    }
    SW_CHECK(checkExtents(call, resized));
    const std::string policy = call.text("keep_aspect_ratio_policy", "stretch");
    if (policy == "stretch")
        return Done{};
    if (policy != "not_larger" && policy != "not_smaller")
        return call.error(Code::Argument, "keep_aspect_ratio_policy is none of stretch, not_larger, not_smaller");
    const auto [least, most] = std::ranges::minmax_element(resized.plans, {}, &ResizeAxis::scale);
    const double scale = policy == "not_larger" ? least->scale : most->scale;
    for (ResizeAxis &plan : resized.plans) {
        plan.scale = scale;
        plan.output = static_cast<std::int64_t>(std::floor(static_cast<double>(plan.input) * scale + 0.5));
    }
    return checkExtents(call, resized);
}

Result<std::vector<double>> constantNumbers(NodeCall &call, std::size_t index, std::string_view role)
{
    SW_TRY(const HostTensor tensor, call.constant(index, role));
    std::vector<double> numbers;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        numbers.push_back(tensor.at(i).asDouble());
    return numbers;
}

// An optional operand may also be present but empty.
bool isGiven(NodeCall &call, std::size_t index)
{
    return call.has(index) && call.shape(index).elements() != 0;
}

Result<Done> applyRoi(NodeCall &call, ResizedAxes &resized)
{
    if (!isGiven(call, 1))
        return call.error(Code::MalformedModel, "tf_crop_and_resize needs roi");
    SW_TRY(const std::vector<double> roi, constantNumbers(call, 1, "roi"));
    const std::size_t count = resized.axes.size();
    if (roi.size() != 2 * count)
        return call.error(Code::Argument, "roi has {} elements, expected {}", roi.size(), 2 * count);
    for (std::size_t i = 0; i < count; ++i) {
        if (!std::isfinite(roi[i]) || !std::isfinite(roi[count + i]))
            return call.error(Code::Argument, "roi goes from {} to {}", roi[i], roi[count + i]);
        resized.plans[i].roiBegin = roi[i];
        resized.plans[i].roiEnd = roi[count + i];
    }
    return Done{};
}

// Reshapes a list over one axis so that it broadcasts with a tensor of this rank.
Result<NodeId> alongAxis(NodeCall &call, HostTensor list, std::size_t axis, std::size_t rank)
{
    std::vector<std::int64_t> extents(rank, 1);
    extents[axis] = list.elements();
    return call.reshape(call.tensorConstant(std::move(list)), std::move(extents));
}

Result<NodeId> resizeAxis(NodeCall &call, NodeId input, std::size_t axis, const ResizeTable &table, double outsideValue)
{
    const std::size_t rank = call.rankOf(input);
    std::optional<Term> sum;
    for (std::size_t tap = 0; tap < table.indices.size(); ++tap) {
        SW_TRY(const NodeId part, selectAlong(call, input, axis, table.indices[tap]));
        Term term(call, part);
        if (!table.weights.empty()) {
            const auto extent = static_cast<std::int64_t>(table.weights[tap].size());
            SW_TRY(const NodeId weights,
                   alongAxis(call, HostTensor::ofValues(call.dtypeOf(input), Shape{extent}, table.weights[tap]), axis, rank));
            term = term * Term(call, weights);
        }
        sum = sum ? *sum + term : term;
    }
    if (!sum) // no elements
        return shrinkAxis(call, input, axis, {0, 0});
    if (!table.isOutside.empty()) {
        HostTensor outside(DType::Bool, Shape{static_cast<std::int64_t>(table.isOutside.size())});
        for (std::size_t i = 0; i < table.isOutside.size(); ++i)
            outside.set(static_cast<std::int64_t>(i), Scalar::ofBool(table.isOutside[i]));
        SW_TRY(const NodeId mask, alongAxis(call, std::move(outside), axis, rank));
        sum = choose(Term(call, mask), sum->number(outsideValue), *sum);
    }
    return sum->result();
}

Result<Outputs> resize(NodeCall &call, const ResizeRules &rules, const ResizedAxes &resized)
{
    const DType dtype = call.dtype(0);
    const bool isExact = rules.mode == ResizeMode::Nearest;
    NodeId result = call.input(0);
    if (!isExact) {
        // Integers are cut off at the end, so that their sums must be as exact as they can be.
        SW_TRY(result, call.cast(result, isFloat(dtype) ? computeType(dtype) : DType::F64));
    }
    const double outsideValue = call.number("extrapolation_value", 0.0);
    for (std::size_t i = 0; i < resized.axes.size(); ++i) {
        const ResizeAxis &plan = resized.plans[i];
        const bool isWhole = rules.coordinates != ResizeCoordinates::TfCropAndResize || (plan.roiBegin == 0 && plan.roiEnd == 1);
        if (plan.scale == 1 && plan.output == plan.input && isWhole && rules.coordinates != ResizeCoordinates::TfHalfPixelForNn)
            continue;
        auto table = resizeTable(rules, plan);
        if (!table)
            return call.unsupported("axis {}: {}", resized.axes[i], table.error().front().message);
        SW_TRY(result, resizeAxis(call, result, resized.axes[i], *table, outsideValue));
    }
    if (!isExact && !isFloat(dtype)) {
        // What is a whole number but for the rounding of its sum must not be cut off to the one below.
        SW_TRY(result, (Term::apply(Op::Round, {Term(call, result) * kFractions}) / kFractions).result());
    }
    SW_TRY(result, call.cast(result, dtype));
    return Outputs{result};
}

} // namespace

Result<Outputs> importResize(NodeCall &call)
{
    SW_TRY(const ResizeRules rules, rulesOf(call));
    SW_TRY(ResizedAxes resized, axesOf(call));
    if (isGiven(call, 3)) {
        SW_TRY(const std::vector<std::int64_t> sizes, call.constantIntegers(3, "sizes"));
        SW_CHECK(applySizes(call, resized, sizes));
    } else if (isGiven(call, 2)) {
        SW_TRY(const std::vector<double> scales, constantNumbers(call, 2, "scales"));
        SW_CHECK(applyScales(call, resized, scales));
    } else {
        return call.error(Code::MalformedModel, "there are neither scales nor sizes");
    }
    if (rules.coordinates == ResizeCoordinates::TfCropAndResize)
        SW_CHECK(applyRoi(call, resized));
    return resize(call, rules, resized);
}

Result<Outputs> importUpsample(NodeCall &call)
{
    SW_TRY(const ResizeRules rules, oldRulesOf(call));
    SW_TRY(ResizedAxes resized, axesOf(call));
    SW_TRY(const std::vector<double> scales, constantNumbers(call, 1, "scales"));
    SW_CHECK(applyScales(call, resized, scales));
    return resize(call, rules, resized);
}

Result<Outputs> importUpsampleBySides(NodeCall &call)
{
    ResizeRules rules{.coordinates = ResizeCoordinates::Asymmetric, .nearest = ResizeNearest::Floor};
    const std::string mode = call.text("mode", "nearest");
    SW_TRY(rules.mode, resizeModeOf(mode == "bilinear" ? "linear" : mode));
    SW_TRY(ResizedAxes resized, axesOf(call));
    SW_CHECK(applyScales(call, resized, {1, 1, call.number("height_scale", 1), call.number("width_scale", 1)}));
    return resize(call, rules, resized);
}

Result<Outputs> importUpsampleByAttributes(NodeCall &call)
{
    SW_TRY(const ResizeRules rules, oldRulesOf(call));
    SW_TRY(ResizedAxes resized, axesOf(call));
    const std::vector<float> scales = call.numbers("scales").value_or(std::vector<float>());
    SW_CHECK(applyScales(call, resized, {scales.begin(), scales.end()}));
    return resize(call, rules, resized);
}

} // namespace sw::onnx
