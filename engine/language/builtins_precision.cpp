// Functions about the precision of a computation: element types, and the types in which library functions compute.

#include "engine/language/builtins.h"
#include "engine/language/integers.h"

#include <array>

namespace sw::language {

namespace {

Result<Value> isFloatType(const BuiltinCall &call)
{
    SW_TRY(const DType type, call.dtype(0));
    return Value{isFloat(type)};
}

Result<Value> promoteTypes(const BuiltinCall &call)
{
    SW_TRY(const DType a, call.dtype(0));
    SW_TRY(const DType b, call.dtype(1));
    return Value{promote(a, b)};
}

Result<Value> computeTypeOf(const BuiltinCall &call)
{
    SW_TRY(const DType type, call.dtype(0));
    return Value{computeType(type)};
}

Value numberOf(const Scalar &scalar)
{
    if (scalar.dtype() == DType::Bool)
        return Value{scalar.asBool()};
    if (isFloat(scalar.dtype()))
        return Value{scalar.asDouble()};
    return *integerValue(isUnsigned(scalar.dtype()) ? WideInteger{scalar.asUnsigned()} : WideInteger{scalar.asInt()});
}

Result<Value> extremeOf(const BuiltinCall &call, Scalar (*extreme)(DType))
{
    SW_TRY(const DType type, call.dtype(0));
    if (type != DType::Bool && !isInteger(type) && !isFloat(type))
        return call.wrongArgument(0, "the type of a number");
    return numberOf(extreme(type));
}

Result<Value> lowest(const BuiltinCall &call)
{
    return extremeOf(call, lowestOf);
}

Result<Value> highest(const BuiltinCall &call)
{
    return extremeOf(call, highestOf);
}

// The type of a division's result.
DType floatTypeOf(DType type)
{
    return isFloat(type) ? type : DType::F32;
}

DType summableTypeOf(DType type)
{
    if (isFloat(type))
        return computeType(type);
    return type == DType::Bool || infoOf(type).bits <= 32 ? DType::I64 : DType::F64;
}

// Returns the tensor itself, without an item in the source map, when it already has the type.
Result<Value> castTo(const BuiltinCall &call, NodeId tensor, DType goal)
{
    if (call.tracer().node(tensor).dtype == goal)
        return Value{TensorValue{tensor}};
    return call.made(call.builder().cast(call.origin(), tensor, goal));
}

// Converts a tensor to another type. A number stays what it is: weak, and computed at trace time.
Result<Value> converted(const BuiltinCall &call, DType (*goal)(DType))
{
    const TensorValue *tensor = call.value(0).as<TensorValue>();
    if (tensor == nullptr)
        return call.value(0);
    const DType type = call.tracer().node(tensor->node).dtype;
    if (type != DType::Bool && !isInteger(type) && !isFloat(type))
        return call.wrongArgument(0, "a tensor of numbers");
    return castTo(call, tensor->node, goal(type));
}

Result<Value> widen(const BuiltinCall &call)
{
    return converted(call, [](DType type) { return computeType(floatTypeOf(type)); });
}

Result<Value> summable(const BuiltinCall &call)
{
    return converted(call, summableTypeOf);
}

Result<Value> narrow(const BuiltinCall &call)
{
    const TensorValue *tensor = call.value(0).as<TensorValue>();
    std::optional<DType> goal;
    const auto include = [&](const Value &value) {
        if (const TensorValue *like = value.as<TensorValue>()) {
            const DType type = floatTypeOf(call.tracer().node(like->node).dtype);
            goal = goal ? promote(*goal, type) : type;
        }
    };
    if (const ListValue *list = call.value(1).as<ListValue>()) {
        for (const Value &item : *list->items)
            include(item);
    } else {
        include(call.value(1));
    }
    if (tensor == nullptr || !goal)
        return call.value(0);
    return castTo(call, tensor->node, *goal);
}

constexpr std::array<Builtin, 8> kTable = {{
    {"is_float", "dtype", isFloatType, "Whether an element type is a floating-point one."},
    {"promote", "a, b", promoteTypes, "The type that two types are converted to when they meet."},
    {"compute_type", "dtype", computeTypeOf, "The type that sums of a type are gathered in: f32 for floats of 8 and 16 bits."},
    {"lowest", "dtype", lowest, "The lowest number of an element type: -inf where it has one."},
    {"highest", "dtype", highest, "The highest number of an element type: inf where it has one."},
    {"widen", "x", widen, "x in the type that functions compute in: f32, or f64 if x is; a number stays one."},
    {"summable", "x", summable,
     "x in the type that its mean adds up in: f32 for narrow floats, i64 for integers up to 32 bits, f64 for those of 64."},
    {"narrow", "y, *like", narrow,
     "y in the type that the tensors x, z .. would promote to, f32 for integers: the result of a function that widened them."},
}};

} // namespace

std::span<const Builtin> precisionBuiltins()
{
    return kTable;
}

} // namespace sw::language
