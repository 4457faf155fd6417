// Functions computed at trace time, with shapes, lists, numbers and types.

#include "engine/language/builtins.h"
#include "engine/language/integers.h"
#include "engine/language/operators.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace sw::language {

namespace {

Result<Value> len(const BuiltinCall &call)
{
    if (const ListValue *list = call.value(0).as<ListValue>())
        return Value{static_cast<std::int64_t>(list->items->size())};
    if (const TensorValue *tensor = call.value(0).as<TensorValue>()) {
        const Shape &shape = call.tracer().node(tensor->node).shape;
        if (shape.rank() > 0)
            return extentValue(shape.extent(0));
    }
    return call.wrongArgument(0, "a list, or a tensor with an axis");
}

Result<Value> size(const BuiltinCall &call)
{
    SW_TRY(const NodeId input, call.tensor(0));
    const Shape shape = call.tracer().node(input).shape;
    SW_TRY(const std::vector<std::size_t> axes, call.axes(1, shape.rank()));
    SymbolicExpr count(1);
    for (const std::size_t axis : axes) {
        SW_TRY(count, call.tracer().placed(call.item(), multiply(count, shape.extent(axis))));
    }
    return extentValue(count);
}

Result<Value> range(const BuiltinCall &call)
{
    SW_TRY(const std::int64_t first, call.integer(0));
    std::int64_t begin = call.has(1) ? first : 0;
    std::int64_t end = first;
    std::int64_t step = 1;
    if (call.has(1)) {
        SW_TRY(end, call.integer(1));
    }
    if (call.has(2)) {
        SW_TRY(step, call.integer(2));
    }
    if (step == 0)
        return call.fail(Code::Argument, "range with a step of 0 never ends");
    const auto distanceFrom = [](std::int64_t low, std::int64_t high) {
        return low < high ? static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) : 0;
    };
    const std::uint64_t distance = step > 0 ? distanceFrom(begin, end) : distanceFrom(end, begin);
    const std::uint64_t stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = distance / stride + (distance % stride == 0 ? 0 : 1);
    if (count > kMaxListItems)
        return call.fail(Code::Limit, "range has {} items; at most {} are allowed", count, kMaxListItems);
    std::vector<Value> items;
    for (std::uint64_t i = 0; i < count; ++i) // unsigned, so that a multiple of the step may wrap; the sum does not
        items.push_back({static_cast<std::int64_t>(static_cast<std::uint64_t>(begin) + i * static_cast<std::uint64_t>(step))});
    return call.tracer().makeList(call.item(), std::move(items));
}

Result<const std::vector<Value> *> listOperand(const BuiltinCall &call, std::size_t index)
{
    const ListValue *list = call.value(index).as<ListValue>();
    if (list == nullptr)
        return call.wrongArgument(index, "a list");
    return list->items.get();
}

Result<Value> pairOf(const BuiltinCall &call, Value first, Value second)
{
    std::vector<Value> pair;
    pair.push_back(std::move(first));
    pair.push_back(std::move(second));
    return call.tracer().makeList(call.item(), std::move(pair));
}

Result<Value> zip(const BuiltinCall &call)
{
    SW_TRY(const std::vector<Value> *first, listOperand(call, 0));
    SW_TRY(const std::vector<Value> *second, listOperand(call, 1));
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < std::min(first->size(), second->size()); ++i) {
        SW_TRY(Value pair, pairOf(call, (*first)[i], (*second)[i]));
        pairs.push_back(std::move(pair));
    }
    return call.tracer().makeList(call.item(), std::move(pairs));
}

Result<Value> enumerate(const BuiltinCall &call)
{
    SW_TRY(const std::vector<Value> *items, listOperand(call, 0));
    std::vector<Value> pairs;
    for (std::size_t i = 0; i < items->size(); ++i) {
        SW_TRY(Value pair, pairOf(call, Value{static_cast<std::int64_t>(i)}, (*items)[i]));
        pairs.push_back(std::move(pair));
    }
    return call.tracer().makeList(call.item(), std::move(pairs));
}

Result<Value> reversed(const BuiltinCall &call)
{
    SW_TRY(const std::vector<Value> *items, listOperand(call, 0));
    return call.tracer().makeList(call.item(), std::vector<Value>(items->rbegin(), items->rend()));
}

Result<Value> toInt(const BuiltinCall &call)
{
    if (!call.value(0).isNumber())
        return call.wrongArgument(0, "a number that is known while compiling");
    if (!call.value(0).isA<double>())
        return *integerValue(wideOf(call.value(0)));
    constexpr double kSurelyWide = 1e30;
    const double number = std::trunc(call.value(0).asDouble());
    const auto made = std::abs(number) < kSurelyWide ? integerValue(static_cast<WideInteger>(number)) : std::nullopt;
    if (!made)
        return call.fail(Code::Limit, "{} is not an integer of 64 bits", floatText(number));
    return *made;
}

Result<Value> toFloat(const BuiltinCall &call)
{
    if (!call.value(0).isNumber())
        return call.wrongArgument(0, "a number that is known while compiling");
    return Value{call.value(0).asDouble()};
}

Result<Value> normalizedAxes(const BuiltinCall &call)
{
    SW_TRY(const std::int64_t rank, call.integer(1));
    if (rank < 0)
        return call.wrongArgument(1, "a rank");
    if (rank > static_cast<std::int64_t>(Shape::kMaxRank))
        return call.fail(Code::Limit, "rank {} is above the limit of {}", rank, Shape::kMaxRank);
    SW_TRY(const std::vector<std::size_t> axes, call.axes(0, static_cast<std::size_t>(rank)));
    std::vector<Value> items;
    for (const std::size_t axis : axes)
        items.push_back({static_cast<std::int64_t>(axis)});
    return call.tracer().makeList(call.item(), std::move(items));
}

Result<Value> isList(const BuiltinCall &call)
{
    return Value{call.value(0).isA<ListValue>()};
}

// Joins the arguments; a single argument is not in a list.
std::string messageOf(const BuiltinCall &call, std::size_t index)
{
    const auto textOf = [&](const Value &value) { return plainText(value, call.builder()); };
    const ListValue *parts = call.value(index).as<ListValue>();
    return parts == nullptr ? textOf(call.value(index)) : join(*parts->items, " ", textOf);
}

Result<Value> checkWith(const BuiltinCall &call, Code code)
{
    SW_TRY(const bool holds, truthOf(call.tracer(), call.operand(0)));
    if (!holds)
        return call.fail(code, "{}", messageOf(call, 1));
    return Value{};
}

Result<Value> check(const BuiltinCall &call)
{
    return checkWith(call, Code::Argument);
}

Result<Value> checkSupported(const BuiltinCall &call)
{
    return checkWith(call, Code::Unsupported);
}

Result<Value> checkShapes(const BuiltinCall &call)
{
    return checkWith(call, Code::ShapeMismatch);
}

constexpr std::array<Builtin, 13> kTable = {{
    {"len", "list", len, "The number of items of a list, or the first extent of a tensor."},
    {"size", "x, axis = None", size, "The number of elements along one axis, a list of axes, or all."},
    {"range", "begin, end = None, step = None", range, "A list that counts: range(n) from 0 up to n; range(begin, end, step)."},
    {"zip", "first, second", zip, "The list of the pairs of two lists."},
    {"enumerate", "list", enumerate, "The list of [place, item] of a list."},
    {"reversed", "list", reversed, "A list from its end."},
    {"is_list", "value", isList, "Whether a value is a list."},
    {"int", "number", toInt, "A number as an integer, truncated."},
    {"float", "number", toFloat, "A number as a floating-point number."},
    {"normalized_axes", "axis, rank", normalizedAxes, "An axis argument as a list of axes from 0; all of them for None."},
    {"check", "condition, *message", check, "An error with this message unless the condition holds."},
    {"check_supported", "condition, *message", checkSupported, "The same error, for what is right but cannot be done here."},
    {"check_shapes", "condition, *message", checkShapes, "Likewise; the error is one of shapes that do not fit."},
}};

} // namespace

std::span<const Builtin> compileTimeBuiltins()
{
    return kTable;
}

} // namespace sw::language
