#include "engine/graph/infer.h"

#include <algorithm>
#include <utility>

namespace sw {

namespace {

using Inputs = std::span<const Node *const>;

template <class... Args>
Diagnostic fault(Code code, fmt::format_string<Args...> pattern, Args &&...args)
{
    return Diagnostic::error(code, {}, pattern, std::forward<Args>(args)...);
}

std::string typeText(const Node &node)
{
    return sw::typeText(node.dtype, node.shape);
}

InferredType ownType(const Node &node)
{
    return {node.dtype, node.shape};
}

// The attributes of the kind's type, or why the node is not one of its kind.
template <class T>
Result<const T *> expected(const Node &node)
{
    const T *found = std::get_if<T>(&node.attributes);
    if (found == nullptr)
        return fault(Code::InvalidIr, "{} has attributes of another kind of node", operationText(node));
    return found;
}

Result<Done> checkInputCount(const Node &node, std::size_t count)
{
    const NodeKindInfo &info = infoOf(node.kind);
    if (count >= info.minInputs && count <= info.maxInputs)
        return Done{};
    if (info.minInputs == info.maxInputs)
        return fault(Code::Argument, "{} takes {} inputs, not {}", operationText(node), info.minInputs, count);
    if (info.maxInputs == kAnyInputs)
        return fault(Code::Argument, "{} takes at least {} inputs, not {}", operationText(node), info.minInputs, count);
    return fault(Code::Argument, "{} takes {} to {} inputs, not {}", operationText(node), info.minInputs, info.maxInputs, count);
}

// ---- leaves

Result<InferredType> inferPlaceholder(const Node &node)
{
    SW_TRY(const PlaceholderAttributes *attributes, expected<PlaceholderAttributes>(node));
    if (attributes->name.empty())
        return fault(Code::InvalidIr, "a placeholder of type {} has no name", typeText(node));
    const HostTensor *initial = attributes->initial.get();
    if (initial != nullptr && (initial->dtype() != node.dtype || initial->shape() != node.shape))
        return fault(Code::ShapeMismatch, "the initial value of {} has type {}; {} was declared", quoted(attributes->name),
                     sw::typeText(initial->dtype(), initial->shape()), typeText(node));
    return ownType(node);
}

Result<InferredType> inferBuffer(const Node &node)
{
    if (node.shape.rank() != 1)
        return fault(Code::ShapeMismatch, "a buffer has one axis, not shape {}", toText(node.shape));
    return ownType(node);
}

Result<InferredType> inferConstScalar(const Node &node)
{
    SW_TRY(const ScalarAttributes *attributes, expected<ScalarAttributes>(node));
    return InferredType{attributes->value.dtype(), Shape()};
}

Result<InferredType> inferVconst(const Node &node)
{
    SW_TRY(const TensorAttributes *attributes, expected<TensorAttributes>(node));
    if (attributes->value == nullptr)
        return fault(Code::InvalidIr, "a vconst of type {} has no value", typeText(node));
    return InferredType{attributes->value->dtype(), attributes->value->shape()};
}

// ---- elementwise

Result<Done> checkSameShapes(const Node &node, Inputs inputs)
{
    for (const Node *input : inputs.subspan(1))
        if (input->shape != inputs[0]->shape)
            return fault(Code::ShapeMismatch, "{} needs operands of one shape, not {}", operationText(node),
                         join(inputs, ", ", [](const Node *operand) { return typeText(*operand); }));
    return Done{};
}

Result<InferredType> inferElementwise(const Node &node, Inputs inputs)
{
    if (arityOf(node.op) != inputs.size())
        return fault(Code::Argument, "{} takes {} operands, not {}", nameOf(node.op), arityOf(node.op), inputs.size());
    SW_CHECK(checkSameShapes(node, inputs));
    const std::size_t first = firstTypedOperand(node.op);
    for (std::size_t i = 0; i < first; ++i)
        if (inputs[i]->dtype != DType::Bool)
            return fault(Code::Type, "the condition of {} is bool, not {}", nameOf(node.op), typeText(*inputs[i]));
    const DType dtype = inputs[first]->dtype;
    for (const Node *input : inputs.subspan(first))
        if (input->dtype != dtype)
            return fault(Code::Type, "{} needs operands of one type, not {}", nameOf(node.op),
                         join(inputs.subspan(first), ", ", [](const Node *operand) { return typeText(*operand); }));
    if (!accepts(node.op, dtype))
        return fault(Code::Type, "{} does not take operands of type {}", nameOf(node.op), nameOf(dtype));
    return InferredType{resultType(node.op, dtype), inputs[0]->shape};
}

Result<InferredType> inferBitcast(const Node &node, const Node &input)
{
    if (bytesOf(node.dtype) != bytesOf(input.dtype))
        return fault(Code::Type, "bitcast from {} to {} changes the size of an element from {} to {} bytes", nameOf(input.dtype),
                     nameOf(node.dtype), bytesOf(input.dtype), bytesOf(node.dtype));
    if (node.dtype == DType::Bool && input.dtype != DType::Bool)
        return fault(Code::Type, "bitcast from {} to bool could make a value other than 0 and 1", nameOf(input.dtype))
            .withHint("use cast, which is 'not zero'");
    return InferredType{node.dtype, input.shape};
}

// ---- movement

// The lowest and the highest flat index that a view reads; nothing when it reads no element.
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

Result<InferredType> inferView(const Node &node, const Node &input)
{
    SW_TRY(const ViewAttributes *view, expected<ViewAttributes>(node));
    const Shape &shape = node.shape;
    if (view->strides.size() != shape.rank())
        return fault(Code::ShapeMismatch, "a view of shape {} needs {} strides, not {}", toText(shape), shape.rank(),
                     view->strides.size());
    if (!view->mask.empty() && view->mask.size() != shape.rank())
        return fault(Code::ShapeMismatch, "a view of shape {} needs a mask of {} ranges, not {}", toText(shape), shape.rank(),
                     view->mask.size());
    for (std::size_t axis = 0; axis < view->mask.size(); ++axis) {
        const auto [first, last] = view->mask[axis];
        if (first < 0 || last < first || last > shape[axis])
            return fault(Code::ShapeMismatch, "the mask [{}, {}) of axis {} is not a range within shape {}", first, last, axis,
                         toText(shape));
    }
    const Reach reach = reachOf(shape, *view);
    if (!reach.isEmpty && (reach.overflows || reach.lowest < 0 || reach.highest >= input.shape.elements()))
        return fault(Code::ShapeMismatch,
                     "a view of shape {} with strides [{}] and offset {} reads elements {} to {} of {}, which has {}",
                     toText(shape), join(view->strides, ", "), view->offset, reach.lowest, reach.highest, typeText(input),
                     input.shape.elements());
    return InferredType{input.dtype, shape};
}

Result<InferredType> inferReshape(const Node &node, const Node &input)
{
    if (node.shape.elements() != input.shape.elements())
        return fault(Code::ShapeMismatch, "cannot reshape {} with {} elements to {} with {}", toText(input.shape),
                     input.shape.elements(), toText(node.shape), node.shape.elements());
    return InferredType{input.dtype, node.shape};
}

Result<InferredType> inferPermute(const Node &node, const Node &input)
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

Result<InferredType> inferExpand(const Node &node, const Node &input)
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

Result<InferredType> inferPad(const Node &node, const Node &input)
{
    SW_TRY(const PadAttributes *pad, expected<PadAttributes>(node));
    const std::size_t rank = input.shape.rank();
    if (pad->before.size() != rank || pad->after.size() != rank)
        return fault(Code::ShapeMismatch, "pad of shape {} needs {} amounts at each end, not {} and {}", toText(input.shape),
                     rank, pad->before.size(), pad->after.size());
    if (pad->fill.dtype() != input.dtype)
        return fault(Code::Type, "pad of a tensor of type {} with a fill value of type {}", nameOf(input.dtype),
                     nameOf(pad->fill.dtype()));
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        std::int64_t extent = 0;
        if (pad->before[axis] < 0 || pad->after[axis] < 0)
            return fault(Code::ShapeMismatch, "pad of axis {} of shape {} by {} and {}: amounts cannot be negative", axis,
                         toText(input.shape), pad->before[axis], pad->after[axis]);
        if (__builtin_add_overflow(pad->before[axis], input.shape[axis], &extent) ||
            __builtin_add_overflow(extent, pad->after[axis], &extent))
            return fault(Code::Limit, "pad of axis {} of shape {} by {} and {} overflows", axis, toText(input.shape),
                         pad->before[axis], pad->after[axis]);
        extents.push_back(extent);
    }
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{input.dtype, std::move(shape)};
}

Result<InferredType> inferShrink(const Node &node, const Node &input)
{
    SW_TRY(const ShrinkAttributes *shrink, expected<ShrinkAttributes>(node));
    const std::size_t rank = input.shape.rank();
    if (shrink->begin.size() != rank || shrink->end.size() != rank)
        return fault(Code::ShapeMismatch, "shrink of shape {} needs {} ranges, not {} begins and {} ends", toText(input.shape),
                     rank, shrink->begin.size(), shrink->end.size());
    std::vector<std::int64_t> extents;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const std::int64_t begin = shrink->begin[axis];
        const std::int64_t end = shrink->end[axis];
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

Result<InferredType> inferFlip(const Node &node, const Node &input)
{
    SW_CHECK(checkAxisSet(node, input.shape));
    return ownType(input);
}

// ---- the others

Result<InferredType> inferReduce(const Node &node, const Node &input)
{
    SW_CHECK(checkAxisSet(node, input.shape));
    const AxesAttributes &attributes = attributesOf<AxesAttributes>(node);
    if (attributes.axes.empty())
        return fault(Code::Argument, "{} of shape {} needs at least one axis", operationText(node), toText(input.shape));
    if (!has(infoOf(node.op).traits, Trait::ReduceOp))
        return fault(Code::Argument, "{} cannot reduce an axis", nameOf(node.op));
    if (!accepts(node.op, input.dtype))
        return fault(Code::Type, "{} does not take elements of type {}", operationText(node), nameOf(input.dtype));
    std::vector<std::int64_t> extents(input.shape.begin(), input.shape.end());
    for (const std::size_t axis : attributes.axes)
        extents[axis] = 1;
    return InferredType{input.dtype, Shape(std::move(extents))};
}

Result<InferredType> inferCat(const Node &node, Inputs inputs)
{
    SW_TRY(const AxisAttributes *attributes, expected<AxisAttributes>(node));
    const Node &first = *inputs[0];
    const std::size_t joined = attributes->axis;
    if (joined >= first.shape.rank())
        return fault(Code::ShapeMismatch, "cat axis {} is out of range for shape {}", joined, toText(first.shape));
    std::int64_t total = 0;
    for (const Node *input : inputs) {
        bool fits = input->dtype == first.dtype && input->shape.rank() == first.shape.rank();
        for (std::size_t axis = 0; fits && axis < first.shape.rank(); ++axis)
            fits = axis == joined || input->shape[axis] == first.shape[axis];
        if (!fits)
            return fault(input->dtype == first.dtype ? Code::ShapeMismatch : Code::Type,
                         "cat along axis {} joins tensors that agree on type and the other axes, not {} and {}", joined,
                         typeText(first), typeText(*input));
        if (__builtin_add_overflow(total, input->shape[joined], &total))
            return fault(Code::Limit, "cat along axis {} of {} overflows", joined, typeText(first));
    }
    std::vector<std::int64_t> extents(first.shape.begin(), first.shape.end());
    extents[joined] = total;
    SW_TRY(Shape shape, Shape::checked(std::move(extents)));
    return InferredType{first.dtype, std::move(shape)};
}

Result<Done> checkIndices(const Node &node, const Node &indices)
{
    if (!isInteger(indices.dtype))
        return fault(Code::Type, "{} takes integer indices, not {}", operationText(node), typeText(indices));
    return Done{};
}

Result<InferredType> inferGather(const Node &node, const Node &source, const Node &indices)
{
    SW_TRY(const AxisAttributes *attributes, expected<AxisAttributes>(node));
    SW_CHECK(checkIndices(node, indices));
    if (attributes->axis >= source.shape.rank())
        return fault(Code::ShapeMismatch, "gather axis {} is out of range for shape {}", attributes->axis, toText(source.shape));
    bool fits = indices.shape.rank() == source.shape.rank();
    for (std::size_t axis = 0; fits && axis < source.shape.rank(); ++axis)
        fits = axis == attributes->axis || indices.shape[axis] <= source.shape[axis];
    if (!fits)
        return fault(Code::ShapeMismatch,
                     "gather along axis {} from {} needs indices of its rank, no larger on the other axes, not {}",
                     attributes->axis, typeText(source), typeText(indices));
    return InferredType{source.dtype, indices.shape};
}

Result<InferredType> inferIndex(const Node &node, Inputs inputs)
{
    SW_CHECK(checkIndices(node, *inputs[1]));
    if (inputs.size() == 3 && (inputs[2]->dtype != DType::Bool || inputs[2]->shape != inputs[1]->shape))
        return fault(inputs[2]->dtype == DType::Bool ? Code::ShapeMismatch : Code::Type,
                     "the valid input of index is bool and of the indices' shape {}, not {}", toText(inputs[1]->shape),
                     typeText(*inputs[2]));
    return InferredType{inputs[0]->dtype, inputs[1]->shape};
}

Result<InferredType> inferGradient(Inputs inputs)
{
    const Node &loss = *inputs[0];
    const Node &wanted = *inputs[1];
    if (!isFloat(loss.dtype) || !isFloat(wanted.dtype))
        return fault(Code::Type, "a gradient is of a floating-point tensor with respect to another, not of {} with respect to {}",
                     typeText(loss), typeText(wanted));
    if (inputs.size() == 2 && loss.shape.elements() != 1)
        return fault(Code::ShapeMismatch, "a gradient is of one element, not of {}", typeText(loss));
    if (inputs.size() == 3 && (inputs[2]->dtype != loss.dtype || inputs[2]->shape != loss.shape))
        return fault(inputs[2]->dtype == loss.dtype ? Code::ShapeMismatch : Code::Type,
                     "the weights of a gradient of {} have its type and shape, not {}", typeText(loss), typeText(*inputs[2]));
    return ownType(wanted);
}

Result<InferredType> inferSink(const Node &node, Inputs inputs)
{
    SW_TRY(const SinkAttributes *attributes, expected<SinkAttributes>(node));
    if (attributes->outputNames.size() != inputs.size())
        return fault(Code::InvalidIr, "a sink of {} outputs has {} names", inputs.size(), attributes->outputNames.size());
    return InferredType{};
}

} // namespace

Result<InferredType> inferType(const Node &node, std::span<const Node *const> inputs)
{
    SW_CHECK(checkInputCount(node, inputs.size()));
    switch (node.kind) {
    case NodeKind::Placeholder:
        return inferPlaceholder(node);
    case NodeKind::Buffer:
        return inferBuffer(node);
    case NodeKind::ConstScalar:
        return inferConstScalar(node);
    case NodeKind::Vconst:
        return inferVconst(node);
    case NodeKind::Unary:
    case NodeKind::Binary:
    case NodeKind::Ternary:
        return inferElementwise(node, inputs);
    case NodeKind::View:
        return inferView(node, *inputs[0]);
    case NodeKind::Reshape:
        return inferReshape(node, *inputs[0]);
    case NodeKind::Permute:
        return inferPermute(node, *inputs[0]);
    case NodeKind::Expand:
        return inferExpand(node, *inputs[0]);
    case NodeKind::Pad:
        return inferPad(node, *inputs[0]);
    case NodeKind::Shrink:
        return inferShrink(node, *inputs[0]);
    case NodeKind::Flip:
        return inferFlip(node, *inputs[0]);
    case NodeKind::ReduceAxis:
        return inferReduce(node, *inputs[0]);
    case NodeKind::Cast:
        return InferredType{node.dtype, inputs[0]->shape};
    case NodeKind::Bitcast:
        return inferBitcast(node, *inputs[0]);
    case NodeKind::Contiguous:
    case NodeKind::Detach:
    case NodeKind::ContiguousBackward:
        return ownType(*inputs[0]);
    case NodeKind::Gradient:
        return inferGradient(inputs);
    case NodeKind::Cat:
        return inferCat(node, inputs);
    case NodeKind::Gather:
        return inferGather(node, *inputs[0], *inputs[1]);
    case NodeKind::Index:
        return inferIndex(node, inputs);
    case NodeKind::Sink:
        return inferSink(node, inputs);
    }
    SW_UNREACHABLE();
}

} // namespace sw
