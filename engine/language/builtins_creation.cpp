// Functions that make constant tensors.

#include "engine/language/builtins.h"
#include "engine/language/integers.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace sw::language {

namespace {

constexpr std::int64_t kMaxConstantElements = std::int64_t{1} << 26;

Result<DType> typeOr(const BuiltinCall &call, std::size_t index, DType otherwise)
{
    if (!call.has(index))
        return otherwise;
    return call.dtype(index);
}

Result<Value> fullOf(const BuiltinCall &call, const Value &value, DType type)
{
    SW_TRY(const Shape shape, call.shape(0));
    SW_TRY(const Scalar scalar, call.tracer().scalarOf(value, type, call.item()));
    return call.made(call.builder().full(call.origin(), scalar, shape));
}

Result<Value> full(const BuiltinCall &call)
{
    const bool isDimension = call.value(1).isA<DimensionValue>();
    if (!call.value(1).isNumber() && !isDimension)
        return call.wrongArgument(1, "a number");
    SW_TRY(const DType type, typeOr(call, 2, *defaultType(call.value(1))));
    if (isDimension) {
        SW_TRY(const Shape shape, call.shape(0));
        SW_TRY(const NodeId number, call.tensor(1, type));
        return call.made(call.builder().broadcastTo(call.origin(), number, shape));
    }
    return fullOf(call, call.value(1), type);
}

Result<Value> zeros(const BuiltinCall &call)
{
    SW_TRY(const DType type, typeOr(call, 1, DType::F32));
    return fullOf(call, Value{std::int64_t{0}}, type);
}

Result<Value> ones(const BuiltinCall &call)
{
    SW_TRY(const DType type, typeOr(call, 1, DType::F32));
    return fullOf(call, Value{std::int64_t{1}}, type);
}

// Whole numbers that the type can represent: they are computed from the indices, so no table is needed.
bool isOfWholeNumbers(const Shape &shape, double begin, double step, DType type)
{
    constexpr double kMostExact = 9007199254740992; // 2^53
    const double last = begin + step * static_cast<double>(std::max<std::int64_t>(shape.elements() - 1, 0));
    const bool areWhole = begin == std::floor(begin) && step == std::floor(step);
    if (!areWhole || std::max({std::abs(begin), std::abs(step), std::abs(last)}) > kMostExact)
        return false;
    const auto fits = [type](double value) { return Scalar::of(type, value).asDouble() == value; };
    return isFloat(type) || (isInteger(type) && fits(begin) && fits(last));
}

Result<NodeId> wholeNumbers(const BuiltinCall &call, const Shape &shape, std::int64_t begin, std::int64_t step, DType type)
{
    GraphBuilder &builder = call.builder();
    const auto with = [&](Op op, NodeId left, std::int64_t right) {
        const NodeId constant = builder.constScalar(call.origin(), Scalar::of(DType::I64, right));
        return builder.broadcasted(call.origin(), op, std::array{left, constant});
    };
    SymbolicExpr count(1);
    for (const SymbolicExpr &extent : shape.symbolicExtents()) {
        SW_TRY(count, multiply(count, extent));
    }
    SW_TRY(Shape line, Shape::checkedSymbolic({count}));
    SW_TRY(NodeId numbers, builder.iota(call.origin(), std::move(line)));
    if (step != 1) {
        SW_TRY(numbers, with(Op::Mul, numbers, step));
    }
    if (begin != 0) {
        SW_TRY(numbers, with(Op::Add, numbers, begin));
    }
    SW_TRY(numbers, builder.cast(call.origin(), numbers, type));
    return builder.reshape(call.origin(), numbers, shape);
}

Result<Value> sequence(const BuiltinCall &call, const Shape &shape, double begin, double step, DType type)
{
    if (isOfWholeNumbers(shape, begin, step, type))
        return call.made(wholeNumbers(call, shape, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(step), type));
    if (shape.elements() > kMaxConstantElements)
        return call.fail(Code::Limit, "a constant of {} elements is too large; at most {} are allowed", shape.elements(),
                         kMaxConstantElements);
    HostTensor out(type, shape);
    for (std::int64_t i = 0; i < out.elements(); ++i)
        out.set(i, Scalar::of(type, begin + step * static_cast<double>(i)));
    return Value{TensorValue{call.builder().vconst(call.origin(), std::move(out))}};
}

// The shape may have extents known only at run time; the numbers run through its own elements.
Result<Value> sequenceOf(const BuiltinCall &call, const Shape &shape, double begin, DType type)
{
    const bool isTable = !isOfWholeNumbers(shape.largest(), begin, 1, type);
    if (shape.isSymbolic() && isTable)
        return call.fail(Code::Unsupported, "{} of shape {} has numbers that {} does not have", call.function(), toText(shape),
                         nameOf(type));
    return sequence(call, shape, begin, 1, type);
}

// Handles arange(n) and arange(begin, n), where the end is a dimension.
Result<Value> arangeTo(const BuiltinCall &call, const SymbolicExpr &begin, const SymbolicExpr &end)
{
    if (call.has(2))
        return call.fail(Code::Unsupported, "arange with a step needs an end that is known while compiling, not {}", toText(end));
    if (!begin.isConstant())
        return call.fail(Code::Unsupported, "arange needs a begin that is known while compiling, not {}", toText(begin));
    SW_TRY(const DType type, typeOr(call, 3, DType::I32));
    SW_TRY(const SymbolicExpr count, call.tracer().placed(call.item(), subtract(end, begin)));
    SW_TRY(const Shape shape, call.tracer().placed(call.item(), Shape::checkedSymbolic({count})));
    return sequenceOf(call, shape, static_cast<double>(*begin.constant()), type);
}

// Counts with exact integers, which floats would round; a number that the type cannot represent is an error.
Result<Value> arangeOfIntegers(const BuiltinCall &call, DType type)
{
    const WideInteger begin = call.has(1) ? wideOf(call.value(0)) : 0;
    const WideInteger end = wideOf(call.value(call.has(1) ? 1 : 0));
    const WideInteger step = call.has(2) ? wideOf(call.value(2)) : 1;
    const WideInteger distance = step > 0 ? end - begin : begin - end;
    const WideInteger size = step > 0 ? step : -step;
    const WideInteger count = distance > 0 ? (distance + size - 1) / size : 0;
    if (count > kMaxConstantElements)
        return call.fail(Code::Limit, "arange has too many elements; at most {} are allowed", kMaxConstantElements);
    for (const WideInteger number : {begin, begin + (count - 1) * step}) {
        if (count > 0)
            SW_CHECK(call.tracer().scalarOf(*integerValue(number), type, call.item()));
    }
    // For a u64 beyond i64 the bits are the same, and the sums wrap to the right values.
    return call.made(wholeNumbers(call, Shape{static_cast<std::int64_t>(count)}, static_cast<std::int64_t>(begin),
                                  static_cast<std::int64_t>(step), type));
}

// As in NumPy: arange(end), arange(begin, end), arange(begin, end, step).
Result<Value> arange(const BuiltinCall &call)
{
    const auto first = asExtent(call.value(0));
    const auto second = call.has(1) ? asExtent(call.value(1)) : std::nullopt;
    if (first && call.has(1) && second && (!first->isConstant() || !second->isConstant()))
        return arangeTo(call, *first, *second);
    if (first && !call.has(1) && !first->isConstant())
        return arangeTo(call, SymbolicExpr(), *first);
    bool areIntegers = true;
    for (std::size_t i = 0; i < 3; ++i) {
        if ((i == 0 || call.has(i)) && !call.value(i).isNumber())
            return call.wrongArgument(i, "a number");
        areIntegers = areIntegers && (!call.has(i) || !call.value(i).isA<double>());
    }
    SW_TRY(const DType type, typeOr(call, 3, areIntegers ? DType::I32 : DType::F32));
    if (areIntegers && isInteger(type) && !(call.has(2) && wideOf(call.value(2)) == 0))
        return arangeOfIntegers(call, type);
    const double begin = call.has(1) ? call.value(0).asDouble() : 0;
    const double end = call.value(call.has(1) ? 1 : 0).asDouble();
    const double step = call.has(2) ? call.value(2).asDouble() : 1;
    const double count = std::max(std::ceil((end - begin) / step), 0.0);
    if (step == 0 || !(count <= static_cast<double>(kMaxConstantElements)))
        return call.fail(Code::Limit, "arange from {} to {} in steps of {} has too many elements; at most {} are allowed", begin,
                         end, step, kMaxConstantElements);
    return sequence(call, Shape{static_cast<std::int64_t>(count)}, begin, step, type);
}

Result<Value> iota(const BuiltinCall &call)
{
    SW_TRY(const Shape shape, call.shape(0));
    SW_TRY(const DType type, typeOr(call, 1, DType::I32));
    return sequenceOf(call, shape, 0, type);
}

Result<Value> vconst(const BuiltinCall &call)
{
    const auto natural = defaultType(call.value(0));
    if (!natural)
        return call.wrongArgument(0, "a number or a nested list of numbers");
    SW_TRY(const DType type, typeOr(call, 1, *natural));
    SW_TRY(HostTensor constant, call.tracer().constantOf(call.value(0), type, call.item()));
    return Value{TensorValue{call.builder().vconst(call.origin(), std::move(constant))}};
}

Result<Value> constScalar(const BuiltinCall &call)
{
    if (!call.value(0).isNumber())
        return call.wrongArgument(0, "a number");
    SW_TRY(const DType type, typeOr(call, 1, *defaultType(call.value(0))));
    SW_TRY(const Scalar scalar, call.tracer().scalarOf(call.value(0), type, call.item()));
    return Value{TensorValue{call.builder().constScalar(call.origin(), scalar)}};
}

Result<Value> buffer(const BuiltinCall &call)
{
    SW_TRY(const std::int64_t elements, call.integer(0));
    SW_TRY(const DType type, typeOr(call, 1, DType::F32));
    return call.made(call.builder().buffer(call.origin(), type, elements));
}

constexpr std::array<Builtin, 8> kTable = {{
    {"full", "shape, value, dtype = None", full, "A tensor with one value everywhere."},
    {"zeros", "shape, dtype = f32", zeros, "A tensor of zeros."},
    {"ones", "shape, dtype = f32", ones, "A tensor of ones."},
    {"arange", "begin, end = None, step = None, dtype = None", arange,
     "A constant that counts: arange(n) from 0 up to n; arange(begin, end, step)."},
    {"iota", "shape, dtype = i32", iota, "A constant that numbers the elements of a shape in row-major order."},
    {"vconst", "values, dtype = None", vconst, "A constant tensor of a nested list of numbers."},
    {"const_scalar", "value, dtype = None", constScalar, "A constant scalar with a type of its own."},
    {"buffer", "elements, dtype = f32", buffer, "Linear storage filled with zeros."},
}};

} // namespace

std::span<const Builtin> creationBuiltins()
{
    return kTable;
}

} // namespace sw::language
