// Functions that move elements without computing: reshape, permute, pad, cat, gather, view, cast ...

#include "engine/language/builtins.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace sw::language {

namespace {

// How many copies of `part` have as many elements as `whole`, for every value of the dimensions.
Result<std::optional<SymbolicExpr>> quotient(const Shape &whole, const Shape &part)
{
    if (part.isEmpty())
        return std::optional<SymbolicExpr>();
    SW_TRY(const SymbolicExpr all, elementsOf(whole));
    SW_TRY(const SymbolicExpr factor, elementsOf(part));
    SW_TRY(const SymbolicExpr times, divide(all, factor));
    SW_TRY(const SymbolicExpr product, multiply(times, factor));
    return product == all ? std::optional(times) : std::nullopt;
}

// One extent may be -1: it takes what the others leave.
Result<Shape> inferredShape(const BuiltinCall &call, std::size_t index, const Shape &from)
{
    SW_TRY(std::vector<SymbolicExpr> extents, call.extents(index));
    const SymbolicExpr open(-1);
    const auto unknown = std::ranges::count(extents, open);
    const auto textOf = [](const SymbolicExpr &extent) { return toText(extent); };
    if (unknown > 1)
        return call.fail(Code::ShapeMismatch, "only one extent of [{}] can be -1", join(extents, ", ", textOf));
    if (unknown == 0)
        return call.tracer().placed(call.item(), Shape::checkedSymbolic(std::move(extents)));
    std::vector<SymbolicExpr> known = extents;
    std::erase(known, open);
    SW_TRY(const Shape rest, call.tracer().placed(call.item(), Shape::checkedSymbolic(std::move(known))));
    SW_TRY(const std::optional<SymbolicExpr> left, call.tracer().placed(call.item(), quotient(from, rest)));
    if (!left)
        return call.fail(Code::ShapeMismatch, "{} elements of shape {} do not fill [{}]", toText(elementsOf(from).value()),
                         toText(from), join(extents, ", ", textOf));
    std::ranges::replace(extents, open, *left);
    return call.tracer().placed(call.item(), Shape::checkedSymbolic(std::move(extents)));
}

Result<Value> reshape(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(Shape shape, inferredShape(call, 1, call.tracer().node(input).shape));
    return call.made(call.builder().reshape(call.origin(), input, std::move(shape)));
}

Result<Value> permuteTo(const BuiltinCall &call, NodeId input, std::vector<std::size_t> axes)
{
    const Shape &shape = call.tracer().node(input).shape;
    if (axes.size() != shape.rank())
        return call.fail(Code::ShapeMismatch, "[{}] does not name every axis of shape {} once", join(axes, ", "), toText(shape));
    return call.made(call.builder().permute(call.origin(), input, std::move(axes)));
}

Result<Value> permute(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::vector<std::size_t> axes, call.axes(1, call.tracer().node(input).shape.rank()));
    return permuteTo(call, input, std::move(axes));
}

Result<Value> transpose(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::vector<std::size_t> axes, call.axes(1, call.tracer().node(input).shape.rank()));
    if (!call.has(1))
        std::ranges::reverse(axes);
    return permuteTo(call, input, std::move(axes));
}

// As NumPy's broadcast_to; -1 keeps an extent.
Result<Value> expand(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    const Shape from = call.tracer().node(input).shape;
    SW_TRY(std::vector<SymbolicExpr> extents, call.extents(1));
    for (std::size_t i = 0; i < extents.size(); ++i) {
        const std::size_t fromEnd = extents.size() - i;
        if (extents[i] == SymbolicExpr(-1) && fromEnd <= from.rank())
            extents[i] = from.extent(from.rank() - fromEnd);
    }
    SW_TRY(const Shape shape, call.tracer().placed(call.item(), Shape::checkedSymbolic(std::move(extents))));
    if (shape.rank() < from.rank())
        return call.fail(Code::ShapeMismatch, "shape {} does not broadcast to {}", toText(from), toText(shape));
    return call.made(call.builder().broadcastTo(call.origin(), input, shape));
}

// A list with one [before, after] per axis; None, where allowed, is a pair that changes nothing.
struct Pairs {
    std::vector<std::int64_t> first;
    std::vector<std::int64_t> second;
};

Result<Pairs> pairsOf(const BuiltinCall &call, std::size_t index, const Shape &shape, bool isRange)
{
    const ListValue *list = call.value(index).as<ListValue>();
    if (list == nullptr || list->items->size() != shape.rank())
        return call.wrongArgument(index, format("a list of {} pairs, one per axis of shape {}", shape.rank(), toText(shape)));
    Pairs out;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        const Value &item = (*list->items)[axis];
        const ListValue *pair = item.as<ListValue>();
        const bool isPair = pair != nullptr && pair->items->size() == 2 && (*pair->items)[0].isA<std::int64_t>() &&
                            (*pair->items)[1].isA<std::int64_t>();
        if (!isPair && !item.isA<Nothing>())
            return call.fail(Code::Argument, "{}: expected a pair of integers for axis {}, found {}", call.function(), axis,
                             call.tracer().describe(item));
        out.first.push_back(isPair ? (*pair->items)[0].asInt() : 0);
        out.second.push_back(isPair ? (*pair->items)[1].asInt() : isRange ? shape[axis] : 0);
    }
    return out;
}

Result<Value> pad(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    const Node &node = call.tracer().node(input);
    SW_TRY(Pairs widths, pairsOf(call, 1, node.shape, false));
    Scalar fill = Scalar::fromBits(node.dtype, 0);
    if (call.has(2)) {
        SW_TRY(fill, call.tracer().scalarOf(call.value(2), node.dtype, call.item()));
    }
    const auto isNegative = [](std::int64_t width) { return width < 0; };
    if (std::ranges::any_of(widths.first, isNegative) || std::ranges::any_of(widths.second, isNegative))
        return call.fail(Code::Argument, "a width to pad by must not be negative: before [{}], after [{}]",
                         join(widths.first, ", "), join(widths.second, ", "));
    return call.made(call.builder().pad(call.origin(), input, {std::move(widths.first), std::move(widths.second), fill}));
}

Result<Value> shrink(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    const Shape from = call.tracer().node(input).shape;
    SW_TRY(Pairs limits, pairsOf(call, 1, from, true));
    // An end at the dimension's largest extent means the end of the axis.
    std::vector<SymbolicExpr> extents;
    for (std::size_t axis = 0; axis < from.rank(); ++axis) {
        const bool isToEnd = from.isSymbolic(axis) && limits.second[axis] == from[axis];
        const SymbolicExpr end = isToEnd ? from.extent(axis) : SymbolicExpr(limits.second[axis]);
        SW_TRY(SymbolicExpr extent, call.tracer().placed(call.item(), subtract(end, limits.first[axis])));
        extents.push_back(std::move(extent));
    }
    Shape shape;
    if (from.isSymbolic()) {
        SW_TRY(shape, call.tracer().placed(call.item(), Shape::checkedSymbolic(std::move(extents))));
    }
    return call.made(
        call.builder().shrink(call.origin(), input, {std::move(limits.first), std::move(limits.second)}, std::move(shape)));
}

Result<Value> flip(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(std::vector<std::size_t> axes, call.axes(1, call.tracer().node(input).shape.rank()));
    if (axes.empty())
        return Value{TensorValue{input}};
    return call.made(call.builder().flip(call.origin(), input, std::move(axes)));
}

// Converts tensors of several types to the type that they promote to.
Result<std::vector<NodeId>> tensorList(const BuiltinCall &call, std::size_t index)
{
    const ListValue *list = call.value(index).as<ListValue>();
    if (list == nullptr || list->items->empty())
        return call.wrongArgument(index, "a list of tensors");
    std::vector<NodeId> nodes;
    std::optional<DType> type;
    for (const Value &item : *list->items) {
        SW_TRY(const NodeId node, call.tracer().tensorOf({item, call.operand(index).expr}));
        const DType found = call.tracer().node(node).dtype;
        type = type ? promote(*type, found) : found;
        nodes.push_back(node);
    }
    for (NodeId &node : nodes) {
        SW_TRY(node, call.tracer().placed(call.item(), call.builder().cast(call.origin(), node, *type)));
    }
    return nodes;
}

Result<Value> cat(const BuiltinCall &call)
{
    SW_TRY(const std::vector<NodeId> nodes, tensorList(call, 0));
    const std::size_t rank = call.tracer().node(nodes.front()).shape.rank();
    std::size_t axis = 0;
    if (rank == 0)
        return call.fail(Code::ShapeMismatch, "scalars have no axis to join; use stack");
    if (call.has(1)) {
        SW_TRY(axis, call.axis(1, rank));
    }
    return call.made(call.builder().cat(call.origin(), nodes, axis));
}

Result<Value> gather(const BuiltinCall &call)
{
    SW_TRY(const NodeId source, call.tensor(0));
    SW_TRY(const NodeId indices, call.tensor(1));
    SW_TRY(const std::size_t axis, call.axis(2, call.tracer().node(source).shape.rank()));
    return call.made(call.builder().gather(call.origin(), source, indices, axis));
}

Result<Value> index(const BuiltinCall &call)
{
    SW_TRY(const NodeId source, call.tensor(0));
    SW_TRY(const NodeId indices, call.tensor(1));
    std::optional<NodeId> valid;
    if (call.has(2)) {
        SW_TRY(valid, call.tensor(2));
    }
    std::optional<std::size_t> axis;
    if (call.has(3)) {
        SW_TRY(const std::int64_t given, call.integer(3));
        if (given < 0)
            return call.wrongArgument(3, "the number of an axis, from 0 on");
        axis = static_cast<std::size_t>(given);
    }
    return call.made(call.builder().index(call.origin(), source, indices, valid, axis));
}

Result<Value> view(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(Shape shape, call.shape(1));
    ViewAttributes attributes;
    SW_TRY(attributes.strides, call.integers(2));
    if (call.has(3)) {
        SW_TRY(attributes.offset, call.integer(3));
    }
    if (call.has(4)) {
        SW_TRY(const Pairs mask, pairsOf(call, 4, shape, true));
        for (std::size_t axis = 0; axis < shape.rank(); ++axis)
            attributes.mask.emplace_back(mask.first[axis], mask.second[axis]);
    }
    return call.made(call.builder().view(call.origin(), input, std::move(shape), std::move(attributes)));
}

Result<Value> cast(const BuiltinCall &call)
{
    SW_TRY(const DType type, call.dtype(1));
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const bool saturates, call.flag(2, false));
    if (call.tracer().node(input).dtype == type) // makes no node, so needs no item
        return Value{TensorValue{input}};
    return call.made(saturates ? call.builder().saturatingCast(call.origin(), input, type)
                               : call.builder().cast(call.origin(), input, type));
}

Result<Value> bitcast(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const DType type, call.dtype(1));
    return call.made(call.builder().bitcast(call.origin(), input, type));
}

Result<Value> contiguous(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    return call.made(call.builder().contiguous(call.origin(), input));
}

constexpr std::array<Builtin, 15> kTable = {{
    {"reshape", "x, *shape", reshape, "The same elements in row-major order under another shape; one extent can be -1."},
    {"permute", "x, *axes", permute, "Reorders the axes: axis i of the result is axis axes[i] of x."},
    {"transpose", "x, *axes = None", transpose, "Reorders the axes; without a list, reverses them."},
    {"expand", "x, *shape", expand, "Repeats axes of extent 1 to a shape, by the rules of broadcasting; -1 keeps an extent."},
    {"broadcast_to", "x, *shape", expand, "Another name for expand."},
    {"pad", "x, widths, value = 0", pad, "Adds [before, after] elements of a value at both ends of each axis."},
    {"shrink", "x, limits", shrink, "Keeps the elements from begin up to end of each axis; None keeps an axis."},
    {"flip", "x, axis = None", flip, "Reverses one axis, a list of axes, or all."},
    {"cat", "tensors, axis = 0", cat, "Joins tensors along an axis."},
    {"gather", "source, indices, axis", gather,
     "out[.., i, ..] = source[.., indices[.., i, ..], ..] on one axis; the result has the shape of the indices."},
    {"index", "source, indices, valid = None, axis = None", index,
     "out[i] = source[indices[i]], the source taken as a flat sequence; 0 where valid is false. A fault names the axis."},
    {"view", "x, shape, strides, offset = 0, mask = None", view,
     "Reads x, taken as a flat row-major sequence, through strides and an offset; 0 outside of the mask."},
    {"cast", "x, dtype, saturate = false", cast,
     "Converts the values to another type; with saturate, what is too large becomes the type's largest number."},
    {"bitcast", "x, dtype", bitcast, "Takes the bits as another type of the same size."},
    {"contiguous", "x", contiguous, "Asks for the value to be stored in row-major order: kernels do not fuse across it."},
}};

} // namespace

std::span<const Builtin> movementBuiltins()
{
    return kTable;
}

} // namespace sw::language
