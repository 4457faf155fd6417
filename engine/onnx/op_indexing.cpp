#include "engine/onnx/formula.h"
#include "engine/onnx/handlers.h"
#include "engine/onnx/select_axis.h"

#include <numeric>

namespace sw::onnx {

namespace {

constexpr std::int64_t kMaxDepth = std::int64_t{1} << 24U; // the largest depth of OneHot

// Counts indices below 0 from the end.
Result<NodeId> wrapNegative(NodeCall &call, std::size_t operand, std::int64_t extent)
{
    const Term indices(call, call.input(operand));
    return choose(isLess(indices, 0.0), indices + static_cast<double>(extent), indices).result();
}

// The first index and the end, if the indices are known and consecutive.
std::optional<AxisRange> knownRange(NodeCall &call, std::size_t operand, std::int64_t extent)
{
    const HostTensor *indices = call.knownConstant(operand);
    if (indices == nullptr || indices->elements() == 0)
        return std::nullopt;
    const auto at = [&](std::int64_t i) {
        const std::int64_t index = indices->at(i).asInt();
        return index < 0 ? index + extent : index;
    };
    for (std::int64_t i = 1; i < indices->elements(); ++i) {
        if (at(i) != at(0) + i)
            return std::nullopt;
    }
    const AxisRange range{at(0), at(0) + indices->elements()};
    return range.begin >= 0 && range.end <= extent ? std::optional(range) : std::nullopt;
}

// One axis of a slice under ONNX's rules: the first element, the step and the number of elements. They are NumPy's, but a start
// before the axis is its first element also when the slice goes backwards.
struct AxisSlice {
    std::int64_t first = 0;
    std::int64_t step = 1;
    std::int64_t count = 0;
};

AxisSlice sliceOf(std::int64_t extent, std::int64_t start, std::int64_t end, std::int64_t step)
{
    // An end far outside, such as INT64_MAX for "to the end", must not overflow.
    const auto fromStart = [&](std::int64_t at, std::int64_t low, std::int64_t high) {
        const std::int64_t counted = at < 0 ? std::max(at, -extent - 1) + extent : at;
        return std::clamp(counted, low, high);
    };
    if (step > 0) {
        const std::int64_t first = fromStart(start, 0, extent);
        const std::int64_t last = fromStart(end, 0, extent);
        return {first, step, last <= first ? 0 : (last - first - 1) / step + 1};
    }
    if (extent == 0)
        return {0, step, 0};
    const std::int64_t first = fromStart(start, 0, extent - 1);
    const std::int64_t last = fromStart(end, -1, extent - 1);
    const std::int64_t magnitude =
        step == std::numeric_limits<std::int64_t>::min() ? std::numeric_limits<std::int64_t>::max() : -step;
    return {first, step, first <= last ? 0 : (first - last - 1) / magnitude + 1};
}

Result<NodeId> applySlices(NodeCall &call, const std::vector<AxisSlice> &slices)
{
    const Shape &shape = call.shape(0);
    const bool isPlain = std::all_of(slices.begin(), slices.end(), [](const AxisSlice &slice) { return slice.step == 1; });
    if (isPlain) {
        ShrinkAttributes shrink;
        for (const AxisSlice &slice : slices) {
            shrink.begin.push_back(slice.first);
            shrink.end.push_back(slice.first + slice.count);
        }
        return call.builder().shrink(call.origin(), call.input(0), std::move(shrink));
    }
    const std::vector<std::int64_t> from = rowMajorStrides(shape);
    std::vector<std::int64_t> extents;
    ViewAttributes view;
    for (std::size_t i = 0; i < slices.size(); ++i) {
        extents.push_back(slices[i].count);
        view.strides.push_back(slices[i].count <= 1 ? 0 : slices[i].step * from[i]);
        view.offset += slices[i].count == 0 ? 0 : slices[i].first * from[i];
    }
    SW_TRY(Shape result, Shape::checked(std::move(extents)));
    return call.builder().view(call.origin(), call.input(0), std::move(result), std::move(view));
}

struct SliceNumbers {
    std::vector<std::int64_t> starts;
    std::vector<std::int64_t> ends;
    std::vector<std::int64_t> axes;
    std::vector<std::int64_t> steps;
};

Result<Outputs> slice(NodeCall &call, const SliceNumbers &numbers)
{
    const Shape &shape = call.shape(0);
    const std::size_t count = numbers.starts.size();
    if (numbers.ends.size() != count || numbers.axes.size() != count || numbers.steps.size() != count)
        return call.error(Code::Argument, "starts, ends, axes and steps have {}, {}, {} and {} elements", count,
                          numbers.ends.size(), numbers.axes.size(), numbers.steps.size());
    SW_CHECK(call.axes(numbers.axes, shape.rank())); // each axis only once
    std::vector<AxisSlice> slices;
    for (const std::int64_t extent : shape)
        slices.push_back({0, 1, extent});
    for (std::size_t i = 0; i < count; ++i) {
        SW_TRY(const std::size_t axis, call.axis(numbers.axes[i], shape.rank()));
        if (numbers.steps[i] == 0)
            return call.error(Code::Argument, "the step on axis {} is 0", axis);
        slices[axis] = sliceOf(shape[axis], numbers.starts[i], numbers.ends[i], numbers.steps[i]);
    }
    SW_TRY(const NodeId result, applySlices(call, slices));
    return Outputs{result};
}

std::vector<std::int64_t> countedFrom0(std::size_t count)
{
    std::vector<std::int64_t> list(count);
    std::iota(list.begin(), list.end(), 0);
    return list;
}

// The extents of the parts: from operand or attribute, or else equal with a smaller last one.
Result<std::vector<std::int64_t>> partExtents(NodeCall &call, std::int64_t extent)
{
    if (call.has(1))
        return call.constantIntegers(1, "split");
    if (const auto given = call.integers("split"))
        return *given;
    const auto parts = static_cast<std::int64_t>(call.node().outputs.size());
    if (parts == 0)
        return call.error(Code::MalformedModel, "there are no outputs");
    const std::int64_t each = (extent + parts - 1) / parts;
    std::vector<std::int64_t> extents(static_cast<std::size_t>(parts), each);
    extents.back() = extent - each * (parts - 1);
    return extents;
}

} // namespace

Result<Outputs> importGather(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", 0), shape.rank()));
    const Shape indexShape = call.shape(1);
    std::vector<std::int64_t> extents = extentsOf(shape);
    const auto place = extents.erase(extents.begin() + static_cast<std::ptrdiff_t>(axis));
    extents.insert(place, indexShape.begin(), indexShape.end());
    if (const auto range = knownRange(call, 1, shape[axis])) {
        SW_TRY(const NodeId part, shrinkAxis(call, call.input(0), axis, *range));
        SW_TRY(const NodeId result, call.reshape(part, std::move(extents)));
        return Outputs{result};
    }
    SW_TRY(const NodeId indices, wrapNegative(call, 1, shape[axis]));
    SW_TRY(const NodeId gathered, gatherAlong(call, call.input(0), axis, indices));
    SW_TRY(const NodeId result, call.reshape(gathered, std::move(extents)));
    return Outputs{result};
}

Result<Outputs> importGatherElements(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", 0), shape.rank()));
    SW_TRY(const NodeId indices, wrapNegative(call, 1, shape[axis]));
    NodeId source = call.input(0);
    for (std::size_t i = 0; i < shape.rank() && call.shape(1).rank() == shape.rank(); ++i) {
        if (i != axis && call.shape(1)[i] < shape[i]) {
            SW_TRY(source, shrinkAxis(call, source, i, {0, call.shape(1)[i]}));
        }
    }
    SW_TRY(const NodeId result, call.builder().gather(call.origin(), source, indices, axis));
    return Outputs{result};
}

// Where the position on the new axis equals the index, the second of the two values; elsewhere the first.
Result<Outputs> importOneHot(NodeCall &call)
{
    SW_TRY(const Scalar given, call.constantScalar(1, "depth"));
    const std::int64_t depth = given.castTo(DType::I64).asInt();
    if (depth < 1 || depth > kMaxDepth)
        return call.error(Code::Argument, "depth {} is out of range, expected 1 to {}", depth, kMaxDepth);
    if (call.shape(2).elements() != 2)
        return call.error(Code::ShapeMismatch, "values has shape {}, expected 2 elements", toText(call.shape(2)));
    std::vector<std::int64_t> extents = extentsOf(call.shape(0));
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", -1), extents.size() + 1));
    extents.insert(extents.begin() + static_cast<std::ptrdiff_t>(axis), 1);
    // Small types do not have all places.
    const DType counting = isFloat(call.dtype(0)) ? call.dtype(0) : DType::I64;
    const Term wanted = Term(call, call.input(0)).castTo(counting);
    SW_TRY(const NodeId wrapped, choose(isLess(wanted, 0.0), wanted + static_cast<double>(depth), wanted).result());
    SW_TRY(const NodeId indices, call.reshape(wrapped, std::move(extents)));
    std::vector<std::int64_t> alongAxis(call.rankOf(indices), 1);
    alongAxis[axis] = depth;
    SW_TRY(const NodeId iota, call.builder().iota(call.origin(), Shape{depth}));
    SW_TRY(const NodeId places, call.reshape(iota, std::move(alongAxis)));
    const auto valueAt = [&](std::int64_t place) -> Result<NodeId> {
        SW_TRY(const NodeId flat, call.reshape(call.input(2), {2}));
        SW_TRY(const NodeId part, shrinkAxis(call, flat, 0, {place, place + 1}));
        return call.reshape(part, {});
    };
    SW_TRY(const NodeId off, valueAt(0));
    SW_TRY(const NodeId on, valueAt(1));
    const Term isThere = Term::apply(Op::Cmpeq, {Term(call, indices), Term(call, places).castTo(call.dtypeOf(indices))});
    SW_TRY(const NodeId result, choose(isThere, Term(call, on), Term(call, off)).result());
    return Outputs{result};
}

Result<Outputs> importSlice(NodeCall &call)
{
    SliceNumbers numbers;
    SW_TRY(numbers.starts, call.constantIntegers(1, "starts"));
    SW_TRY(numbers.ends, call.constantIntegers(2, "ends"));
    numbers.axes = countedFrom0(numbers.starts.size());
    numbers.steps.assign(numbers.starts.size(), 1);
    if (call.has(3)) {
        SW_TRY(numbers.axes, call.constantIntegers(3, "axes"));
    }
    if (call.has(4)) {
        SW_TRY(numbers.steps, call.constantIntegers(4, "steps"));
    }
    return slice(call, numbers);
}

Result<Outputs> importSliceByAttributes(NodeCall &call)
{
    SliceNumbers numbers;
    numbers.starts = call.integers("starts").value_or(std::vector<std::int64_t>());
    numbers.ends = call.integers("ends").value_or(std::vector<std::int64_t>());
    numbers.axes = call.integers("axes").value_or(countedFrom0(numbers.starts.size()));
    numbers.steps.assign(numbers.starts.size(), 1);
    return slice(call, numbers);
}

Result<Outputs> importSplit(NodeCall &call)
{
    const Shape &shape = call.shape(0);
    SW_TRY(const std::size_t axis, call.axis(call.integer("axis", 0), shape.rank()));
    SW_TRY(const std::vector<std::int64_t> extents, partExtents(call, shape[axis]));
    Outputs outputs;
    std::int64_t at = 0;
    for (const std::int64_t extent : extents) {
        if (extent < 0 || extent > shape[axis] - at)
            return call.error(Code::ShapeMismatch, "parts [{}] do not fill axis {} of {}", join(extents, ", "), axis,
                              toText(shape));
        SW_TRY(const NodeId part, shrinkAxis(call, call.input(0), axis, {at, at + extent}));
        outputs.emplace_back(part);
        at += extent;
    }
    if (at != shape[axis])
        return call.error(Code::ShapeMismatch, "parts [{}] do not fill axis {} of {}", join(extents, ", "), axis, toText(shape));
    return outputs;
}

} // namespace sw::onnx
