// Type rules of the nodes that move elements.

#include "engine/graph/infer_rules.h"

#include <algorithm>
#include <utility>

namespace sw::infer {

namespace {

// The lowest and highest flat index that a view reads; nothing if it reads no element.
struct Reach {
    std::int64_t lowest = 0;
    std::int64_t highest = 0;
    bool overflows = false;
    bool isEmpty = false;
};

Reach reachOf(const Shape &shape, const ViewAttributes &view)
{
    Reach reach{view.offset, view.offset, false, false};
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const std::int64_t first = view.mask.empty() ? 0 : view.mask[axis].first;
        const std::int64_t last = (view.mask.empty() ? shape[axis] : view.mask[axis].second) - 1;
        if (last < first)
            reach.isEmpty = true;
        std::int64_t atFirst = 0;
        std::int64_t atLast = 0;
        reach.overflows |= __builtin_mul_overflow(first, view.strides[axis], &atFirst);
        reach.overflows |= __builtin_mul_overflow(last, view.strides[axis], &atLast);
        reach.overflows |= __builtin_add_overflow(reach.lowest, std::min(atFirst, atLast), &reach.lowest);
        reach.overflows |= __builtin_add_overflow(reach.highest, std::max(atFirst, atLast), &reach.highest);
    }
    return reach;
}

} // namespace

Result<InferredType> view(const Node &node, const Node &input)
{
    SW_TRY(const ViewAttributes *attributes, expected<ViewAttributes>(node));
    const Shape &shape = node.shape;
    if (attributes->strides.size() != shape.rank())
        return fault(Code::ShapeMismatch, "a view of shape {} needs {} strides, not {}", toText(shape), shape.rank(),
                     attributes->strides.size());
    if (!attributes->mask.empty() && attributes->mask.size() != shape.rank())
        return fault(Code::ShapeMismatch, "a view of shape {} needs a mask of {} ranges, not {}", toText(shape), shape.rank(),
                     attributes->mask.size());
    for (std::size_t axis = 0; axis < attributes->mask.size(); ++axis) {
        const auto [first, last] = attributes->mask[axis];
        if (first < 0 || last < first || last > shape[axis])
            return fault(Code::ShapeMismatch, "the mask [{}, {}) of axis {} is not a range within shape {}", first, last, axis,
                         toText(shape));
    }
    const Reach reach = reachOf(shape, *attributes);
    if (!reach.isEmpty && (reach.overflows || reach.lowest < 0 || reach.highest >= input.shape.elements()))
        return fault(Code::ShapeMismatch,
                     "a view of shape {} with strides [{}] and offset {} reads elements {} to {} of {}, which has {}",
                     toText(shape), join(attributes->strides, ", "), attributes->offset, reach.lowest, reach.highest,
                     typeText(input), input.shape.elements());
    return InferredType{input.dtype, shape};
}

Result<InferredType> reshape(const Node &node, const Node &input)
{
    if (node.shape.elements() != input.shape.elements())
        return fault(Code::ShapeMismatch, "cannot reshape {} with {} elements to {} with {}", toText(input.shape),
                     input.shape.elements(), toText(node.shape), node.shape.elements());
    return InferredType{input.dtype, node.shape};
}

Result<InferredType> permute(const Node &node, const Node &input)
{
    SW_TRY(const AxesAttributes *attributes, expected<AxesAttributes>(node));
    std::vector<std::size_t> sorted = attributes->axes;
    std::ranges::sort(sorted);
    bool isPermutation = sorted.size() == input.shape.rank();
    for (std::size_t i = 0; i < sorted.size(); ++i)
        isPermutation = isPermutation && sorted[i] == i;
    if (!isPermutation)
        return fault(Code::ShapeMismatch, "[{}] is not a permutation of the {} axes of shape {}", join(attributes->axes, ", "),
                     input.shape.rank(), toText(input.shape));
    std::vector<std::int64_t> extents;
    for (const std::size_t axis : attributes->axes)
        extents.push_back(input.shape[axis]);
    return InferredType{input.dtype, Shape(std::move(extents))};
}

Result<InferredType> expand(const Node &node, const Node &input)
{
    bool fits = node.shape.rank() == input.shape.rank();
    for (std::size_t axis = 0; fits && axis < node.shape.rank(); ++axis)
        fits = input.shape[axis] == node.shape[axis] || input.shape[axis] == 1;
    if (!fits)
        return fault(Code::ShapeMismatch,
                     "cannot expand shape {} to {}: axes of extent 1 are repeated, the others and the rank stay",
                     toText(input.shape), toText(node.shape));
    return InferredType{input.dtype, node.shape};
}

Result<InferredType> pad(const Node &node, const Node &input)
{
    SW_TRY(const PadAttributes *attributes, expected<PadAttributes>(node));
    const std::size_t rank = input.shape.rank();
    if (attributes->before.size() != rank || attributes->after.size() != rank)
        return fault(Code::ShapeMismatch, "pad of shape {} needs {} amounts at each end, not {} and {}", toText(input.shape),
                     rank, attributes->before.size(), attributes->after.size());
    if (attributes->fill.dtype() != input.dtype)
        return fault(Code::Type, "pad of a tensor of type {} with a fill value of type {}", nameOf(input.dtype),
                     nameOf(attributes->fill.dtype()));
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        std::int64_t extent = 0;
        if (attributes->before[axis] < 0 || attributes->after[axis] < 0)
            return fault(Code::ShapeMismatch, "pad of axis {} of shape {} by {} and {}: amounts cannot be negative", axis,
                         toText(input.shape), attributes->before[axis], attributes->after[axis]);
        if (__builtin_add_overflow(attributes->before[axis], input.shape[axis], &extent) ||
            __builtin_add_overflow(extent, attributes->after[axis], &extent))
            return fault(Code::Limit, "pad of axis {} of shape {} by {} and {} overflows", axis, toText(input.shape),
                         attributes->before[axis], attributes->after[axis]);
        extents.push_back(extent);
    }
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{input.dtype, std::move(shape)};
}

Result<InferredType> shrink(const Node &node, const Node &input)
{
    SW_TRY(const ShrinkAttributes *attributes, expected<ShrinkAttributes>(node));
    const std::size_t rank = input.shape.rank();
    if (attributes->begin.size() != rank || attributes->end.size() != rank)
        return fault(Code::ShapeMismatch, "shrink of shape {} needs {} ranges, not {} begins and {} ends", toText(input.shape),
                     rank, attributes->begin.size(), attributes->end.size());
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t begin = attributes->begin[axis];
        const std::int64_t end = attributes->end[axis];
        if (begin < 0 || end < begin || end > input.shape[axis])
            return fault(Code::ShapeMismatch, "the range [{}, {}) of axis {} is not within shape {}", begin, end, axis,
                         toText(input.shape));
        extents.push_back(end - begin);
    }
    return InferredType{input.dtype, Shape(std::move(extents))};
}

Result<Done> checkAxisSet(const Node &node, const Shape &shape)
{
    SW_TRY(const AxesAttributes *attributes, expected<AxesAttributes>(node));
    for (std::size_t i = 0; i < attributes->axes.size(); ++i) {
        const std::size_t axis = attributes->axes[i];
        if (axis >= shape.rank())
            return fault(Code::ShapeMismatch, "{} axis {} is out of range for shape {}", operationText(node), axis,
                         toText(shape));
        if (i > 0 && attributes->axes[i - 1] >= axis)
            return fault(Code::InvalidIr, "the axes [{}] of {} are not sorted and unique", join(attributes->axes, ", "),
                         operationText(node));
    }
    return Done{};
}

Result<InferredType> flip(const Node &node, const Node &input)
{
    SW_CHECK(checkAxisSet(node, input.shape));
    return ownType(input);
}

} // namespace sw::infer
