#include "engine/onnx/select_axis.h"

#include <algorithm>

namespace sw::onnx {

namespace {

// How often each index repeats in a list like 4, 4, 5, 5, 6, 6; 0 if the list is not of that form.
std::int64_t repeatsOf(const std::vector<std::int64_t> &indices)
{
    const auto other = std::ranges::find_if(indices, [&](std::int64_t index) { return index != indices.front(); });
    const std::int64_t repeats = other - indices.begin();
    for (std::size_t i = 0; i < indices.size(); ++i)
        if (indices[i] != indices.front() + static_cast<std::int64_t>(i) / repeats)
            return 0;
    return static_cast<std::int64_t>(indices.size()) % repeats == 0 ? repeats : 0;
}

} // namespace

Result<NodeId> shrinkAxis(NodeCall &call, NodeId input, std::size_t axis, AxisRange range)
{
    const Shape &shape = call.shapeOf(input);
    ShrinkAttributes shrink{.begin = std::vector<std::int64_t>(shape.rank(), 0), .end = extentsOf(shape)};
    shrink.begin[axis] = range.begin;
    shrink.end[axis] = range.end;
    return call.builder().shrink(call.origin(), input, std::move(shrink));
}

Result<NodeId> gatherAlong(NodeCall &call, NodeId input, std::size_t axis, NodeId indices)
{
    const Shape shape = call.shapeOf(input);
    std::int64_t outer = 1;
    std::int64_t inner = 1;
    for (std::size_t i = 0; i < shape.rank(); ++i) {
        outer *= i < axis ? shape[i] : 1;
        inner *= i > axis ? shape[i] : 1;
    }
    const std::int64_t count = call.shapeOf(indices).elements();
    SW_TRY(const NodeId column, call.reshape(indices, {1, count, 1}));
    SW_TRY(const NodeId places, call.broadcastTo(column, {outer, count, inner}));
    SW_TRY(const NodeId source, call.reshape(input, {outer, shape[axis], inner}));
    SW_TRY(const NodeId gathered, call.builder().gather(call.origin(), source, places, 1));
    std::vector<std::int64_t> extents = extentsOf(shape);
    extents[axis] = count;
    return call.reshape(gathered, std::move(extents));
}

Result<NodeId> selectAlong(NodeCall &call, NodeId input, std::size_t axis, const std::vector<std::int64_t> &indices)
{
    const std::int64_t repeats = indices.empty() ? 0 : repeatsOf(indices);
    if (repeats == 0) {
        HostTensor list(DType::I64, Shape{static_cast<std::int64_t>(indices.size())});
        for (std::size_t i = 0; i < indices.size(); ++i)
            list.set(static_cast<std::int64_t>(i), Scalar::of(DType::I64, indices[i]));
        return gatherAlong(call, input, axis, call.tensorConstant(std::move(list)));
    }
    SW_TRY(const NodeId range, shrinkAxis(call, input, axis, {indices.front(), indices.back() + 1}));
    if (repeats == 1)
        return range;
    std::vector<std::int64_t> extents = extentsOf(call.shapeOf(range));
    const auto behind = static_cast<std::ptrdiff_t>(axis) + 1;
    extents.insert(extents.begin() + behind, 1);
    SW_TRY(const NodeId apart, call.reshape(range, extents));
    extents[axis + 1] = repeats;
    SW_TRY(const NodeId repeated, call.broadcastTo(apart, extents));
    extents.erase(extents.begin() + behind);
    extents[axis] *= repeats;
    return call.reshape(repeated, std::move(extents));
}

} // namespace sw::onnx
