// Reductions. mean, var, argmax and similar functions are library functions, written in the language.

#include "engine/language/builtins.h"
#include "engine/language/operators.h"

#include <algorithm>
#include <array>

namespace sw::language {

namespace {

Shape without(const Shape &shape, std::span<const std::size_t> axes)
{
    std::vector<SymbolicExpr> extents;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis) {
        if (std::ranges::find(axes, axis) == axes.end())
            extents.push_back(shape.extent(axis));
    }
    return Shape::checkedSymbolic(std::move(extents)).value(); // cannot fail: the extents come from a valid shape
}

Result<Value> reduceTensor(const BuiltinCall &call, Op op, NodeId input, std::vector<std::size_t> axes, bool keepsDimensions)
{
    const Shape kept = without(call.tracer().node(input).shape, axes);
    SW_TRY(const NodeId reduced,
           call.tracer().placed(call.item(), call.builder().reduce(call.origin(), op, input, std::move(axes))));
    if (keepsDimensions)
        return Value{TensorValue{reduced}};
    return call.made(call.builder().reshape(call.origin(), reduced, kept));
}

// As in sum([1, 2, 3]), where all items are known now; a list with tensors does not count.
bool isKnownList(const Value &value)
{
    const ListValue *list = value.as<ListValue>();
    return list != nullptr && std::ranges::all_of(*list->items, [](const Value &item) { return item.isNumber(); });
}

Result<Value> reduceKnown(const BuiltinCall &call, Op op)
{
    const auto &items = *call.value(0).as<ListValue>()->items;
    SW_CHECK(call.tracer().countItems(call.item(), items.size() * 8)); // each item costs an operation
    if (items.empty() && op != Op::Add && op != Op::Mul)
        return call.fail(Code::Argument, "{} of an empty list", call.function());
    Value total = items.empty() ? Value{std::int64_t{op == Op::Mul ? 1 : 0}} : items.front();
    for (std::size_t i = 1; i < items.size(); ++i) {
        const ExprId expr = call.operand(0).expr;
        SW_TRY(total, applyOp(call.tracer(), op, std::array{Operand{total, expr}, Operand{items[i], expr}}, call.item()));
    }
    return total;
}

Result<Value> reduceWith(const BuiltinCall &call, Op op)
{
    if (call.has(1) && (call.value(1).isA<TensorValue>() || call.value(1).isA<double>())) {
        Failure failure = call.wrongArgument(1, "an axis or a list of axes");
        if (op == Op::Max || op == Op::Min)
            failure.diagnostics.front().hint =
                format("{0}imum(x, y) compares two tensors element by element; {0}(x, axis) reduces one", call.function());
        return failure;
    }
    if (isKnownList(call.value(0)) && !call.has(1))
        return reduceKnown(call, op);
    SW_TRY(NodeId input, call.tensor(0));
    SW_TRY(std::vector<std::size_t> axes, call.axes(1, call.tracer().node(input).shape.rank()));
    SW_TRY(const bool keepsDimensions, call.flag(2, false));
    const bool counts = call.tracer().node(input).dtype == DType::Bool && (op == Op::Add || op == Op::Mul);
    if (counts) {
        SW_TRY(input, call.tracer().placed(call.item(), call.builder().cast(call.origin(), input, DType::I32)));
    }
    return reduceTensor(call, op, input, std::move(axes), keepsDimensions);
}

Result<Value> sum(const BuiltinCall &call)
{
    return reduceWith(call, Op::Add);
}

Result<Value> prod(const BuiltinCall &call)
{
    return reduceWith(call, Op::Mul);
}

Result<Value> max(const BuiltinCall &call)
{
    return reduceWith(call, Op::Max);
}

Result<Value> min(const BuiltinCall &call)
{
    return reduceWith(call, Op::Min);
}

Result<Value> reduceAxis(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    SW_TRY(const Op op, call.reduceOp(1));
    SW_TRY(std::vector<std::size_t> axes, call.axes(2, call.tracer().node(input).shape.rank()));
    return reduceTensor(call, op, input, std::move(axes), true);
}

Result<Value> maximum(const BuiltinCall &call)
{
    return applyOp(call.tracer(), Op::Max, std::array{call.operand(0), call.operand(1)}, call.item());
}

Result<Value> minimum(const BuiltinCall &call)
{
    return applyOp(call.tracer(), Op::Min, std::array{call.operand(0), call.operand(1)}, call.item());
}

constexpr std::array<Builtin, 8> kTable = {{
    {"sum", "x, axis = None, keepdims = false", sum, "Sum over one axis, a list of axes, or all; a bool counts as 0 or 1."},
    {"prod", "x, axis = None, keepdims = false", prod, "Product over one axis, a list of axes, or all."},
    {"max", "x, axis = None, keepdims = false", max, "Largest element over one axis, a list of axes, or all."},
    {"min", "x, axis = None, keepdims = false", min, "Smallest element over one axis, a list of axes, or all."},
    {"reduce_axis", "x, op, axes = None", reduceAxis,
     "The primitive: combines elements with an operation given by its name; the axes stay with extent 1."},
    {"reduce", "x, op, axes = None", reduceAxis, "Another name for reduce_axis."},
    {"maximum", "x, y", maximum, "The larger of two elements."},
    {"minimum", "x, y", minimum, "The smaller of two elements."},
}};

} // namespace

std::span<const Builtin> reductionBuiltins()
{
    return kTable;
}

} // namespace sw::language
