// The shape of a view with dimensions known only at run time. Strides are numbers, so they must lead to the same elements for
// every size, and every size must have the elements that the view reads.

#include "engine/graph/infer_rules.h"

#include <utility>

namespace sw::infer {

namespace {

// The lowest and the highest flat index that the view reads.
struct Reach {
    SymbolicExpr lowest;
    SymbolicExpr highest;
};

Result<Reach> reachOf(const Node &node)
{
    const auto &view = attributesOf<ViewAttributes>(node);
    Reach reach{view.offset, view.offset};
    for (std::size_t axis = 0; axis < node.shape.rank(); ++axis) {
        const bool isMasked = !view.mask.empty() && !node.shape.isSymbolic(axis);
        const SymbolicExpr first = isMasked ? view.mask[axis].first : 0;
        const SymbolicExpr end = isMasked ? SymbolicExpr(view.mask[axis].second) : node.shape.extent(axis);
        SW_TRY(const SymbolicExpr last, subtract(end, 1));
        const std::int64_t stride = view.strides[axis];
        SW_TRY(const SymbolicExpr low, multiply(stride < 0 ? last : first, stride));
        SW_TRY(const SymbolicExpr high, multiply(stride < 0 ? first : last, stride));
        SW_TRY(reach.lowest, add(reach.lowest, low));
        SW_TRY(reach.highest, add(reach.highest, high));
    }
    return reach;
}

// The elements of the largest and of the real shape have the same places if only the outermost axis varies.
Result<Done> checkPlaces(const Node &input)
{
    bool isOutermost = true;
    for (std::size_t axis = 0; axis < input.shape.rank(); ++axis) {
        if (!isOutermost && input.shape.isSymbolic(axis))
            return fault(Code::Unsupported, "cannot view {} through strides: a dimension known only at run time is not outermost",
                         typeText(input))
                .withHint("permute it to the front of the axes");
        isOutermost = isOutermost && input.shape.extent(axis) == SymbolicExpr(1);
    }
    return Done{};
}

Result<Done> checkMask(const Node &node)
{
    const auto &mask = attributesOf<ViewAttributes>(node).mask;
    for (std::size_t axis = 0; axis < mask.size(); ++axis)
        if (node.shape.isSymbolic(axis) && mask[axis] != std::pair(std::int64_t{0}, node.shape[axis]))
            return fault(Code::Unsupported, "the mask [{}, {}) of axis {} of {} would end at a dimension known only at run time",
                         mask[axis].first, mask[axis].second, axis, typeText(node));
    return Done{};
}

} // namespace

Result<Shape> symbolicView(const Node &node, const Node &input)
{
    SW_CHECK(checkPlaces(input));
    SW_CHECK(checkMask(node));
    if (node.shape.isEmpty())
        return node.shape;
    SW_TRY(const Reach reach, reachOf(node));
    SW_TRY(const SymbolicExpr elements, elementsOf(input.shape));
    SW_TRY(const SymbolicExpr behind, subtract(elements, reach.highest));
    if (reach.lowest.bounds().low < 0 || behind.bounds().low < 1)
        return fault(Code::ShapeMismatch, "a view of shape {} reads elements {} to {} of {}, which may have fewer",
                     toText(node.shape), toText(reach.lowest), toText(reach.highest), typeText(input));
    return node.shape;
}

} // namespace sw::infer
