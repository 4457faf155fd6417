#include "engine/onnx/handlers.h"
#include "engine/onnx/select_axis.h"

#include <numeric>

namespace sw::onnx {

namespace {

// A file with more padding than any tensor can hold is damaged.
constexpr std::int64_t kMaxPad = std::int64_t{1} << 40U;
// The longest axis whose elements are listed one by one.
constexpr std::int64_t kMaxListed = std::int64_t{1} << 20U;

enum class PadMode : std::uint8_t { Constant, Edge, Reflect, Wrap };

Result<PadMode> modeOf(NodeCall &call)
{
    struct Row {
        std::string_view name;
        PadMode mode;
    };
    static constexpr Row kModes[] = {
        {"constant", PadMode::Constant}, {"edge", PadMode::Edge}, {"reflect", PadMode::Reflect}, {"wrap", PadMode::Wrap}};
    const std::string name = call.text("mode", "constant");
    for (const Row &row : kModes) {
        if (row.name == name)
            return row.mode;
    }
    return call.unsupported("mode '{}' is not supported", name.substr(0, 20));
}

struct Amounts {
    std::vector<std::int64_t> before;
    std::vector<std::int64_t> after;
};

// Assigns the numbers to their axes.
Result<Amounts> amountsOf(NodeCall &call, const std::vector<std::int64_t> &pads, const std::vector<std::int64_t> &axes)
{
    const std::size_t rank = call.shape(0).rank();
    if (pads.size() != 2 * axes.size())
        return call.error(Code::Argument, "pads [{}] has {} elements, expected {}", join(pads, ", "), pads.size(),
                          2 * axes.size());
    SW_CHECK(call.axes(axes, rank)); // each axis only once
    Amounts amounts{std::vector<std::int64_t>(rank, 0), std::vector<std::int64_t>(rank, 0)};
    for (std::size_t i = 0; i < axes.size(); ++i) {
        SW_TRY(const std::size_t axis, call.axis(axes[i], rank));
        amounts.before[axis] = pads[i];
        amounts.after[axis] = pads[axes.size() + i];
    }
    for (std::size_t i = 0; i < rank; ++i) {
        if (std::max(std::abs(amounts.before[i] / 2), std::abs(amounts.after[i] / 2)) > kMaxPad)
            return call.error(Code::Argument, "pads [{}] are out of range", join(pads, ", "));
    }
    return amounts;
}

// Negative amounts crop the input; the remaining amounts are padding.
Result<NodeId> crop(NodeCall &call, NodeId input, Amounts &amounts)
{
    const Shape &shape = call.shapeOf(input);
    ShrinkAttributes shrink;
    bool isNeeded = false;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        const std::int64_t begin = std::max<std::int64_t>(0, -amounts.before[i]);
        const std::int64_t end = shape[i] - std::max<std::int64_t>(0, -amounts.after[i]);
        if (end < begin)
            return call.error(Code::ShapeMismatch, "negative pads leave less than nothing of axis {} of {}", i, toText(shape));
        isNeeded = isNeeded || begin != 0 || end != shape[i];
        shrink.begin.push_back(begin);
        shrink.end.push_back(end);
        amounts.before[i] = std::max<std::int64_t>(0, amounts.before[i]);
        amounts.after[i] = std::max<std::int64_t>(0, amounts.after[i]);
    }
    return isNeeded ? call.builder().shrink(call.origin(), input, std::move(shrink)) : Result<NodeId>(input);
}

Result<NodeId> part(NodeCall &call, NodeId input, std::size_t axis, std::int64_t begin, std::int64_t count)
{
    const Shape &shape = call.shapeOf(input);
    ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = {shape.begin(), shape.end()}};
    shrink.begin[axis] = begin;
    shrink.end[axis] = begin + count;
    return call.builder().shrink(call.origin(), input, std::move(shrink));
}

// The border before or after the input on one axis, made from the input itself.
Result<NodeId> border(NodeCall &call, NodeId input, std::size_t axis, std::int64_t count, PadMode mode, bool isBefore)
{
    const std::int64_t extent = call.shapeOf(input)[axis];
    if (mode == PadMode::Edge) {
        SW_TRY(const NodeId edge, part(call, input, axis, isBefore ? 0 : extent - 1, 1));
        std::vector<std::int64_t> extents(call.shapeOf(edge).begin(), call.shapeOf(edge).end());
        extents[axis] = count;
        return call.broadcastTo(edge, std::move(extents));
    }
    if (mode == PadMode::Wrap)
        return part(call, input, axis, isBefore ? extent - count : 0, count);
    SW_TRY(const NodeId mirrored, part(call, input, axis, isBefore ? 1 : extent - 1 - count, count));
    return call.builder().flip(call.origin(), mirrored, {axis});
}

// Where each element of an axis comes from that is reflected at both ends, or repeated, again and again.
std::vector<std::int64_t> repeatedPlaces(std::int64_t extent, std::int64_t before, std::int64_t after, PadMode mode)
{
    const std::int64_t period = mode == PadMode::Wrap ? extent : std::max<std::int64_t>(1, 2 * (extent - 1));
    std::vector<std::int64_t> places;
    for (std::int64_t at = -before; at < extent + after; ++at) {
        const std::int64_t place = (at % period + period) % period;
        places.push_back(place < extent ? place : period - place);
    }
    return places;
}

Result<NodeId> extend(NodeCall &call, NodeId input, const Amounts &amounts, PadMode mode)
{
    NodeId result = input;
    for (std::size_t axis = 0; axis < amounts.before.size(); ++axis) {
        if (amounts.before[axis] == 0 && amounts.after[axis] == 0)
            continue;
        const std::int64_t extent = call.shapeOf(result)[axis];
        const std::int64_t most = std::max(amounts.before[axis], amounts.after[axis]);
        if (extent < 1)
            return call.error(Code::ShapeMismatch, "axis {} of {} has nothing to repeat in {} elements of padding", axis,
                              toText(call.shapeOf(result)), most);
        if (mode != PadMode::Edge && most > extent - (mode == PadMode::Reflect ? 1 : 0)) {
            if (most > kMaxListed || extent > kMaxListed)
                return call.unsupported("{} elements of padding on axis {} are too many to be listed", most, axis);
            SW_TRY(result,
                   selectAlong(call, result, axis, repeatedPlaces(extent, amounts.before[axis], amounts.after[axis], mode)));
            continue;
        }
        NodeId before;
        NodeId after;
        if (amounts.before[axis] > 0) {
            SW_TRY(before, border(call, result, axis, amounts.before[axis], mode, true));
        }
        if (amounts.after[axis] > 0) {
            SW_TRY(after, border(call, result, axis, amounts.after[axis], mode, false));
        }
        std::vector<NodeId> parts{before, result, after};
        std::erase(parts, NodeId());
        SW_TRY(result, call.builder().cat(call.origin(), parts, axis));
    }
    return result;
}

Result<Outputs> pad(NodeCall &call, Amounts amounts, const Scalar &fill)
{
    SW_TRY(const PadMode mode, modeOf(call));
    SW_TRY(const NodeId cropped, crop(call, call.input(0), amounts));
    if (mode != PadMode::Constant) {
        SW_TRY(const NodeId result, extend(call, cropped, amounts, mode));
        return Outputs{result};
    }
    PadAttributes attributes{.before = std::move(amounts.before), .after = std::move(amounts.after), .fill = fill};
    SW_TRY(const NodeId result, call.builder().pad(call.origin(), cropped, std::move(attributes)));
    return Outputs{result};
}

std::vector<std::int64_t> allAxes(std::size_t rank)
{
    std::vector<std::int64_t> axes(rank);
    std::iota(axes.begin(), axes.end(), 0);
    return axes;
}

} // namespace

Result<Outputs> importPad(NodeCall &call)
{
    SW_TRY(const std::vector<std::int64_t> pads, call.constantIntegers(1, "pads"));
    std::vector<std::int64_t> axes = allAxes(call.shape(0).rank());
    if (call.has(3)) {
        SW_TRY(axes, call.constantIntegers(3, "axes"));
    }
    SW_TRY(Amounts amounts, amountsOf(call, pads, axes));
    Scalar fill = Scalar::of(call.dtype(0), std::int64_t{0});
    if (call.has(2)) {
        SW_TRY(const Scalar value, call.constantScalar(2, "constant_value"));
        fill = value.castTo(call.dtype(0));
    }
    return pad(call, std::move(amounts), fill);
}

Result<Outputs> importPadByAttributes(NodeCall &call)
{
    const std::string_view name = call.opset() < 2 ? "paddings" : "pads";
    const std::vector<std::int64_t> pads = call.integers(name).value_or(std::vector<std::int64_t>());
    SW_TRY(Amounts amounts, amountsOf(call, pads, allAxes(call.shape(0).rank())));
    return pad(call, std::move(amounts), Scalar::of(call.dtype(0), call.number("value", 0.0)));
}

} // namespace sw::onnx
