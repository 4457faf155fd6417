// Shapes of nodes with dimensions known only at run time. The rules for numbers have already been applied to the largest extents;
// here the expressions must agree as well, for every value that the dimensions can take.

#include "engine/graph/contraction.h"
#include "engine/graph/infer_rules.h"

#include <algorithm>
#include <utility>

namespace sw::infer {

namespace {

using Extents = std::vector<SymbolicExpr>;

Diagnostic mismatch(const Node &node, const Node &input)
{
    return fault(Code::ShapeMismatch, "{} of {} to {}: the shapes do not agree for every value of their dimensions",
                 operationText(node), typeText(input), toText(node.shape));
}

// Consecutive axes of one shape that hold the same elements as consecutive axes of another.
struct AxisGroup {
    Extents from;
    Extents to;
};

// Elements of a group have the same places in the largest and in the real shape if only the outermost axis varies.
bool keepsPlaces(const Extents &extents)
{
    return std::all_of(extents.begin() + std::min<std::ptrdiff_t>(1, std::ssize(extents)), extents.end(),
                       [](const SymbolicExpr &extent) { return extent.isConstant(); });
}

Extents withoutOnes(const Shape &shape)
{
    Extents extents = shape.symbolicExtents();
    std::erase(extents, SymbolicExpr(1));
    return extents;
}

// The smallest groups of axes with equal element counts on both sides, if there are any.
Result<std::vector<AxisGroup>> groupsOf(const Node &node, const Node &input)
{
    const Extents from = withoutOnes(input.shape);
    const Extents to = withoutOnes(node.shape);
    std::vector<AxisGroup> groups;
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < from.size() && j < to.size()) {
        AxisGroup group{{from[i]}, {to[j]}};
        SymbolicExpr left = from[i++];
        SymbolicExpr right = to[j++];
        while (left != right) {
            const bool takesFrom = left.bounds().high < right.bounds().high;
            if (takesFrom ? i == from.size() : j == to.size())
                return mismatch(node, input);
            group.from.insert(group.from.end(), takesFrom ? 1U : 0U, takesFrom ? from[i] : SymbolicExpr());
            group.to.insert(group.to.end(), takesFrom ? 0U : 1U, takesFrom ? SymbolicExpr() : to[j]);
            SW_TRY(SymbolicExpr product, takesFrom ? multiply(left, from[i++]) : multiply(right, to[j++]));
            (takesFrom ? left : right) = std::move(product);
        }
        groups.push_back(std::move(group));
    }
    if (i != from.size() || j != to.size())
        return mismatch(node, input);
    return groups;
}

Result<Shape> reshaped(const Node &node, const Node &input)
{
    SW_TRY(const std::vector<AxisGroup> groups, groupsOf(node, input));
    for (const AxisGroup &group : groups)
        if (group.from != group.to && (!keepsPlaces(group.from) || !keepsPlaces(group.to)))
            return fault(Code::Unsupported, "cannot reshape {} to {}: a dimension known only at run time would not be outermost",
                         toText(input.shape), toText(node.shape))
                .withHint("permute it to the front of the axes that are joined or split");
    return node.shape;
}

Result<Shape> expanded(const Node &node, const Node &input)
{
    for (std::size_t axis = 0; axis < node.shape.rank(); ++axis)
        if (input.shape.extent(axis) != node.shape.extent(axis) && input.shape.extent(axis) != SymbolicExpr(1))
            return mismatch(node, input);
    return node.shape;
}

Result<Shape> permuted(const Node &node, const Node &input)
{
    Extents extents;
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
        extents.push_back(input.shape.extent(axis));
    return Shape::checkedSymbolic(std::move(extents));
}

Result<Shape> padded(const Node &node, const Node &input)
{
    const auto &attributes = attributesOf<PadAttributes>(node);
    Extents extents;
    for (std::size_t axis = 0; axis < input.shape.rank(); ++axis) {
        SW_TRY(SymbolicExpr sum, add(input.shape.extent(axis), attributes.before[axis] + attributes.after[axis]));
        extents.push_back(std::move(sum));
    }
    return Shape::checkedSymbolic(std::move(extents));
}

// The node's own shape says where symbolic ranges end; a constant shape follows from the attributes.
Result<Shape> shrunk(const Node &node, const Node &input, const Shape &largest)
{
    const auto &attributes = attributesOf<ShrinkAttributes>(node);
    const Shape &shape = node.shape.isSymbolic() ? node.shape : largest;
    if (shape.largest() != largest)
        return mismatch(node, input);
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        SW_TRY(const SymbolicExpr end, add(shape.extent(axis), attributes.begin[axis]));
        SW_TRY(const SymbolicExpr rest, subtract(input.shape.extent(axis), end));
        if (rest.bounds().low < 0)
            return fault(Code::ShapeMismatch, "the range [{}, {}) of axis {} may leave shape {}", attributes.begin[axis],
                         toText(end), axis, toText(input.shape));
    }
    return shape;
}

Result<Shape> reduced(const Node &node, const Node &input)
{
    Extents extents = input.shape.symbolicExtents();
    for (const std::size_t axis : attributesOf<AxesAttributes>(node).axes)
        extents[axis] = SymbolicExpr(1);
    return Shape::checkedSymbolic(std::move(extents));
}

Result<Shape> joined(const Node &node, Inputs inputs)
{
    const std::size_t axis = attributesOf<AxisAttributes>(node).axis;
    Extents extents = inputs[0]->shape.symbolicExtents();
    for (const Node *input : inputs.subspan(1)) {
        for (std::size_t other = 0; other < extents.size(); ++other)
            if (other != axis && input->shape.extent(other) != extents[other])
                return fault(Code::ShapeMismatch, "cat along axis {} joins tensors that agree on the other axes, not {} and {}",
                             axis, typeText(*inputs[0]), typeText(*input));
        SW_TRY(extents[axis], add(extents[axis], input->shape.extent(axis)));
    }
    return Shape::checkedSymbolic(std::move(extents));
}

Diagnostic unsupported(const Node &node, const Node &reader)
{
    return fault(Code::Unsupported, "{} does not take dimensions known only at run time: {}", operationText(node),
                 typeText(reader));
}

Result<Shape> gathered(const Node &node, const Node &source, const Node &indices)
{
    const std::size_t along = attributesOf<AxisAttributes>(node).axis;
    if (source.shape.isSymbolic(along))
        return unsupported(node, source);
    for (std::size_t axis = 0; axis < source.shape.rank(); ++axis) {
        SW_TRY(const SymbolicExpr rest, subtract(source.shape.extent(axis), indices.shape.extent(axis)));
        if (axis != along && rest.bounds().low < 0)
            return fault(Code::ShapeMismatch, "gather from {} needs indices no larger on the other axes, not {}",
                         typeText(source), typeText(indices));
    }
    return indices.shape;
}

// The place of an element in the source depends on its real extents, so they must be numbers.
Result<Shape> indexed(const Node &node, Inputs inputs)
{
    if (inputs[0]->shape.isSymbolic())
        return unsupported(node, *inputs[0]);
    if (inputs.size() == 3 && inputs[2]->shape != inputs[1]->shape)
        return mismatch(node, *inputs[2]);
    return inputs[1]->shape;
}

// Along the axis, the base must have a constant extent. The number of updates may be symbolic unless the last update to a place
// wins.
Result<Shape> scattered(const Node &node, Inputs inputs)
{
    const auto &attributes = attributesOf<ScatterAttributes>(node);
    const Shape &base = inputs[0]->shape;
    const Shape &updates = inputs[2]->shape;
    if (inputs[1]->shape != updates)
        return mismatch(node, *inputs[1]);
    const bool isOpenChoice = attributes.mode == ScatterMode::Set && updates.isSymbolic(attributes.axis);
    if (base.isSymbolic(attributes.axis) || isOpenChoice)
        return unsupported(node, isOpenChoice ? *inputs[2] : *inputs[0]);
    for (std::size_t axis = 0; axis < base.rank(); ++axis) {
        const bool isOpen = base.isSymbolic(axis) || updates.isSymbolic(axis);
        if (axis != attributes.axis && isOpen && base.extent(axis) != updates.extent(axis))
            return mismatch(node, *inputs[2]);
    }
    return base;
}

// An axis with a symbolic extent must be stored over as a whole.
Result<Shape> assigned(const Node &node, Inputs inputs)
{
    const auto &ranges = attributesOf<AssignAttributes>(node).ranges;
    const Shape &target = inputs[0]->shape;
    for (std::size_t i = 0; i < ranges.size(); ++i)
        for (std::size_t axis = 0; axis < target.rank(); ++axis) {
            const bool isWhole = ranges[i].empty() || ranges[i][axis] == std::pair(std::int64_t{0}, target[axis]);
            const SymbolicExpr extent = inputs[i + 1]->shape.extent(axis);
            const bool isOpen = target.isSymbolic(axis) || !extent.isConstant();
            if (isOpen && !isWhole)
                return unsupported(node, *inputs[0]);
            if (isOpen && extent != target.extent(axis))
                return mismatch(node, *inputs[i + 1]);
        }
    return target;
}

Result<Shape> withLastExtent(const Shape &shape, SymbolicExpr extent)
{
    Extents extents = shape.symbolicExtents();
    extents.back() = std::move(extent);
    return Shape::checkedSymbolic(std::move(extents));
}

Result<Shape> packed(const Node &node, Inputs inputs)
{
    for (const Node *input : inputs)
        if (input->shape != inputs[0]->shape)
            return mismatch(node, *input);
    Extents extents = inputs[0]->shape.symbolicExtents();
    extents.emplace_back(static_cast<std::int64_t>(inputs.size()));
    return Shape::checkedSymbolic(std::move(extents));
}

Result<Shape> contracted(const Node &node, Inputs inputs)
{
    SW_TRY(const Contraction contraction, parseContraction(attributesOf<ContractAttributes>(node).subscripts));
    std::vector<Shape> shapes;
    for (const Node *input : inputs)
        shapes.push_back(input->shape);
    SW_TRY(const Extents extents, symbolicLabelExtents(contraction, shapes));
    return Shape::checkedSymbolic({extents.begin(), extents.begin() + std::ssize(contraction.result)});
}

Result<Shape> tiles(const Node &node, Inputs inputs)
{
    const Shape &a = inputs[0]->shape;
    const Shape &b = inputs[1]->shape;
    const Shape &c = inputs[2]->shape;
    const std::size_t rank = c.rank();
    bool fits = a.extent(rank - 2) == c.extent(rank - 2) && b.extent(rank - 1) == c.extent(rank - 1) &&
                a.extent(rank - 1) == b.extent(rank - 2);
    for (std::size_t axis = 0; axis + 2 < rank; ++axis)
        fits = fits && a.extent(axis) == c.extent(axis) && b.extent(axis) == c.extent(axis);
    return fits ? Result<Shape>(c) : mismatch(node, *inputs[2]);
}

// Each element of the real shape gives as many numbers as an element of the largest shape.
Result<Shape> numbers(const Node &node, const Node &input)
{
    if (attributesOf<UniformAttributes>(node).form == UniformForm::Scalar)
        return input.shape;
    constexpr std::int64_t kBytesPerCell = 16;
    SW_TRY(SymbolicExpr last, multiply(input.shape.extent(input.shape.rank() - 1),
                                       SymbolicExpr(kBytesPerCell / static_cast<std::int64_t>(bytesOf(node.dtype)))));
    return withLastExtent(input.shape, std::move(last));
}

Result<Shape> sameAsInput(const Node &node, Inputs inputs)
{
    for (const Node *input : inputs)
        if (input->shape != inputs[0]->shape)
            return fault(Code::ShapeMismatch, "{} needs operands of one shape, not {} and {}", operationText(node),
                         typeText(*inputs[0]), typeText(*input));
    return inputs[0]->shape;
}

// Only axes with constant extents can be split: how to split a dimension is not known before the program runs.
Result<Shape> shards(const Node &node, Inputs inputs)
{
    const auto &multi = attributesOf<MultiAttributes>(node);
    if (!multi.axis)
        return sameAsInput(node, inputs);
    Extents extents = inputs[0]->shape.symbolicExtents();
    std::int64_t total = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const Shape &shape = inputs[i]->shape;
        if (shape.isSymbolic(*multi.axis))
            return unsupported(node, *inputs[i]);
        for (std::size_t axis = 0; axis < extents.size(); ++axis)
            if (axis != *multi.axis && shape.extent(axis) != extents[axis])
                return fault(Code::ShapeMismatch, "the shards of one value agree on all axes but {}, not {} and {}", *multi.axis,
                             typeText(*inputs[0]), typeText(*inputs[i]));
        total += isReal(multi, i) ? shape[*multi.axis] : 0;
    }
    extents[*multi.axis] = SymbolicExpr(total);
    return Shape::checkedSymbolic(std::move(extents));
}

Result<Shape> shapeOf(const Node &node, Inputs inputs, const InferredType &largest)
{
    switch (node.kind) {
    case NodeKind::Placeholder:
    case NodeKind::Iota:
        return node.shape;
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
    case NodeKind::Cast:
    case NodeKind::Bitcast:
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
    case NodeKind::Flip:
    case NodeKind::Custom:
    case NodeKind::Threefry:
    case NodeKind::Fuse:
    case NodeKind::Unroll:
    case NodeKind::Unique:
    case NodeKind::Noop:
    case NodeKind::Device:
    case NodeKind::Copy:
        return sameAsInput(node, inputs);
    case NodeKind::Choose:
        return sameAsInput(node, inputs.subspan(1));
    case NodeKind::Crop:
    case NodeKind::Kernel:
        return inputs[0]->shape;
    case NodeKind::Gradient:
        return inputs[1]->shape;
    case NodeKind::Reshape:
        return reshaped(node, *inputs[0]);
    case NodeKind::Expand:
        return expanded(node, *inputs[0]);
    case NodeKind::Permute:
        return permuted(node, *inputs[0]);
    case NodeKind::Pad:
        return padded(node, *inputs[0]);
    case NodeKind::Shrink:
        return shrunk(node, *inputs[0], largest.shape);
    case NodeKind::View:
        return symbolicView(node, *inputs[0]);
    case NodeKind::ReduceAxis:
        return reduced(node, *inputs[0]);
    case NodeKind::Cat:
        return joined(node, inputs);
    case NodeKind::Gather:
        return gathered(node, *inputs[0], *inputs[1]);
    case NodeKind::Index:
        return indexed(node, inputs);
    case NodeKind::Scatter:
        return scattered(node, inputs);
    case NodeKind::Assign:
        return assigned(node, inputs);
    case NodeKind::Gep:
        if (inputs[0]->shape.isSymbolic(inputs[0]->shape.rank() - 1))
            return unsupported(node, *inputs[0]);
        return withLastExtent(inputs[0]->shape, SymbolicExpr(std::ssize(attributesOf<LanesAttributes>(node).lanes)));
    case NodeKind::Vectorize:
        return packed(node, inputs);
    case NodeKind::Wmma:
        return tiles(node, inputs);
    case NodeKind::Contract:
        return contracted(node, inputs);
    case NodeKind::Uniform:
        return numbers(node, *inputs[0]);
    case NodeKind::Multi:
        return shards(node, inputs);
    case NodeKind::Sink:
        return largest.shape;
    case NodeKind::Buffer:
    case NodeKind::ConstScalar:
    case NodeKind::Vconst:
    case NodeKind::DefineVar:
    case NodeKind::Bind:
    case NodeKind::BufferView:
    case NodeKind::Valid:
    case NodeKind::ScanCarry:
    case NodeKind::ScanSlice:
    case NodeKind::ScanLast:
    case NodeKind::ScanRows:
        for (const Node *input : inputs)
            if (input->shape.isSymbolic())
                return unsupported(node, *input);
        return unsupported(node, node);
    }
    SW_UNREACHABLE();
}

} // namespace

Result<InferredType> symbolic(const Node &node, Inputs inputs, InferredType largest)
{
    const bool isSymbolic =
        node.shape.isSymbolic() || std::ranges::any_of(inputs, [](const Node *input) { return input->shape.isSymbolic(); });
    if (!isSymbolic)
        return largest;
    SW_TRY(Shape shape, shapeOf(node, inputs, largest));
    return InferredType{largest.dtype, std::move(shape)};
}

} // namespace sw::infer
