#include "engine/language/operators.h"

#include "engine/language/integers.h"

#include <algorithm>
#include <array>

namespace sw::language {

namespace {

int familyRank(DType type)
{
    return type == DType::Bool ? 0 : isFloat(type) ? 2 : 1;
}

bool takesOnlyFloats(Op op)
{
    return infoOf(op).accepts == Accepts::Float || has(infoOf(op).traits, Trait::FloatOnlyResult);
}

// ---- numbers that are known now

// Bools count as integers, except in operations on truth values.
bool keepsBools(Op op)
{
    return infoOf(op).accepts == Accepts::BoolInteger || infoOf(op).result == OpResult::Bool || op == Op::Where;
}

DType knownType(Op op, std::span<const Operand> operands)
{
    if (takesOnlyFloats(op))
        return DType::F64;
    DType type = keepsBools(op) ? DType::Bool : DType::I64;
    for (std::size_t i = firstTypedOperand(op); i < operands.size(); ++i) {
        const Value &value = operands[i].value;
        type = promote(type, value.isA<double>() ? DType::F64 : value.isInteger() ? DType::I64 : DType::Bool);
    }
    // 2 ** -1 is 0.5.
    if (op == Op::Pow && type == DType::I64 && wideOf(operands[1].value) < 0)
        return DType::F64;
    return type;
}

bool dividesByZero(Op op, std::span<const Operand> operands)
{
    const std::array dividing = {Op::Div, Op::Idiv, Op::Fdiv, Op::Mod, Op::FloorDiv, Op::FloorMod};
    const bool isDivision = std::ranges::find(dividing, op) != dividing.end();
    return isDivision && !operands[1].value.isA<double>() && wideOf(operands[1].value) == 0;
}

// Integers do not wrap here: they make shapes and counts, where a wrapped value would be silently wrong.
Result<Value> computeIntegers(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item)
{
    std::vector<WideInteger> exact;
    for (const Operand &operand : operands)
        exact.push_back(wideOf(operand.value));
    const auto result = exactResult(op, exact);
    if (result && infoOf(op).result == OpResult::Bool)
        return Value{*result != 0};
    if (result) {
        if (auto made = integerValue(*result))
            return std::move(*made);
        return tracer.fail(item, Code::Limit, "{} of {} overflows 64 bits", nameOf(op),
                           join(operands, " and ", [&](const Operand &o) { return plainText(o.value, tracer.builder()); }));
    }
    // The other operations give the same result in a 64-bit type that holds all operands.
    const bool isLarge = std::ranges::any_of(operands, [](const Operand &o) { return o.value.isA<LargeInteger>(); });
    if (isLarge && std::ranges::any_of(exact, [](WideInteger number) { return number < 0; }))
        return tracer.fail(item, Code::Limit, "{} takes no operands of which one is negative and one has 64 bits", nameOf(op));
    const DType type = isLarge ? DType::U64 : DType::I64;
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < operands.size(); ++i)
        scalars.push_back(i < firstTypedOperand(op) ? Scalar::ofBool(exact[i] != 0)
                                                    : Scalar::fromBits(type, static_cast<std::uint64_t>(exact[i])));
    const Scalar made = evaluate(op, type, scalars);
    if (made.dtype() == DType::Bool)
        return Value{made.asBool()};
    return *integerValue(isLarge ? WideInteger{made.asUnsigned()} : WideInteger{made.asInt()});
}

Result<Value> computeNow(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item)
{
    if (dividesByZero(op, operands))
        return tracer.fail(item, Code::Argument, "division by zero");
    const DType type = knownType(op, operands);
    if (!accepts(op, type))
        return tracer.fail(item, Code::Type, "{} does not take {}", nameOf(op), tracer.describe(operands.back().value));
    if (type == DType::I64)
        return computeIntegers(tracer, op, operands, item);
    std::vector<Scalar> scalars;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Value &value = operands[i].value;
        const Scalar number = value.isA<bool>() ? Scalar::ofBool(*value.as<bool>()) : Scalar::of(DType::F64, value.asDouble());
        scalars.push_back(number.castTo(i < firstTypedOperand(op) ? DType::Bool : type));
    }
    const Scalar result = evaluate(op, type, scalars);
    return result.dtype() == DType::Bool ? Value{result.asBool()} : Value{result.asDouble()};
}

// ---- tensors

// The type of the operation: the promoted type of the tensors, widened if a number is of a wider family.
Result<DType> operandType(Tracer &tracer, Op op, std::span<const Operand> operands)
{
    std::optional<DType> type;
    for (std::size_t i = firstTypedOperand(op); i < operands.size(); ++i) {
        if (const TensorValue *tensor = operands[i].value.as<TensorValue>()) {
            const DType found = tracer.node(tensor->node).dtype;
            type = type ? promote(*type, found) : found;
        }
    }
    for (std::size_t i = firstTypedOperand(op); i < operands.size(); ++i) {
        if (operands[i].value.isA<TensorValue>())
            continue;
        const auto weak = defaultType(operands[i].value);
        if (!weak)
            return tracer.fail(operands[i].expr, Code::Type, "expected a tensor or a number, found {}",
                               tracer.describe(operands[i].value));
        if (!type || familyRank(*weak) > familyRank(*type))
            type = type ? promote(*type, *weak) : *weak;
    }
    if (takesOnlyFloats(op) && !isFloat(*type))
        return DType::F32;
    if (!accepts(op, *type) && *type == DType::Bool && accepts(op, DType::I32))
        return DType::I32;
    return *type;
}

Result<Value> traceOp(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item)
{
    SW_TRY(const DType type, operandType(tracer, op, operands));
    const auto typeOf = [&](const Operand &operand) { return tracer.describe(operand.value); };
    if (!accepts(op, type))
        return tracer.fail(item, Code::Type, "{} does not take operands of type {}: {}", nameOf(op), nameOf(type),
                           join(operands, ", ", typeOf));
    std::vector<NodeId> nodes;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const bool isTyped = i >= firstTypedOperand(op);
        SW_TRY(NodeId node, tracer.tensorOf(operands[i], isTyped ? type : DType::Bool));
        if (isTyped) {
            SW_TRY(node, tracer.placed(item, tracer.builder().cast(Origin(SourceId(item)), node, type)));
        }
        nodes.push_back(node);
    }
    SW_TRY(const NodeId made, tracer.placed(item, tracer.builder().broadcasted(Origin(SourceId(item)), op, nodes)));
    return Value{TensorValue{made}};
}

// ---- infix operators

std::optional<Op> opWithSymbol(std::string_view symbol, std::size_t arity)
{
    for (const Op op : allOps()) {
        if (infoOf(op).symbol == symbol && arityOf(op) == arity)
            return op;
    }
    return std::nullopt;
}

Result<Value> applyMembership(Tracer &tracer, bool isNegated, const Operand &left, const Operand &right, const Place &item)
{
    const ListValue *list = right.value.as<ListValue>();
    if (list == nullptr)
        return tracer.fail(item, Code::Type, "'in' looks into a list, not into {}", tracer.describe(right.value));
    SW_CHECK(tracer.countItems(item, list->items->size()));
    const bool isFound = std::ranges::any_of(*list->items, [&](const Value &value) { return isEqual(left.value, value); });
    return Value{isFound != isNegated};
}

Result<Value> repeated(Tracer &tracer, const ListValue &list, std::int64_t count, const Place &item)
{
    const auto times = static_cast<std::size_t>(std::max<std::int64_t>(count, 0));
    if (times * list.items->size() > kMaxListItems || times > kMaxListItems)
        return tracer.fail(item, Code::Limit, "a list of {} items repeated {} times is too long", list.items->size(), count);
    std::vector<Value> items;
    for (std::size_t i = 0; i < times; ++i)
        items.insert(items.end(), list.items->begin(), list.items->end());
    return tracer.makeList(item, std::move(items));
}

// Handles + and * of lists, and comparisons of values that are not numbers. Returns nothing for any other operation.
Result<std::optional<Value>> applyToLists(Tracer &tracer, std::string_view symbol, const Operand &left, const Operand &right,
                                          const Place &item)
{
    const ListValue *a = left.value.as<ListValue>();
    const ListValue *b = right.value.as<ListValue>();
    if (symbol == "+" && a != nullptr && b != nullptr) {
        std::vector<Value> items = *a->items;
        items.insert(items.end(), b->items->begin(), b->items->end());
        SW_TRY(Value made, tracer.makeList(item, std::move(items)));
        return std::optional<Value>(std::move(made));
    }
    const std::int64_t *count = a != nullptr ? right.value.as<std::int64_t>() : left.value.as<std::int64_t>();
    if (symbol == "*" && (a != nullptr) != (b != nullptr) && count != nullptr) {
        SW_TRY(Value made, repeated(tracer, a != nullptr ? *a : *b, *count, item));
        return std::optional<Value>(std::move(made));
    }
    const auto isPlain = [](const Operand &o) {
        return !o.value.isNumber() && !o.value.isA<TensorValue>() && !o.value.isA<DimensionValue>();
    };
    SW_CHECK(tracer.countItems(item, a == nullptr ? 0 : a->items->size()));
    const bool hasTensor = left.value.isA<TensorValue>() || right.value.isA<TensorValue>();
    if ((symbol == "==" || symbol == "!=") && !hasTensor && (isPlain(left) || isPlain(right)))
        return std::optional<Value>(Value{isEqual(left.value, right.value) == (symbol == "==")});
    return std::optional<Value>();
}

} // namespace

Result<Value> applyOp(Tracer &tracer, Op op, std::span<const Operand> operands, const Place &item)
{
    if (std::ranges::any_of(operands, [](const Operand &operand) { return operand.value.isA<Broken>(); }))
        return Failure({});
    if (std::ranges::all_of(operands, [](const Operand &operand) { return operand.value.isNumber(); }))
        return computeNow(tracer, op, operands, item);
    SW_TRY(std::optional<Value> ofDimensions, applyToDimensions(tracer, op, operands, item));
    if (ofDimensions)
        return std::move(*ofDimensions);
    return traceOp(tracer, op, operands, item);
}

Result<Value> applyBinary(Tracer &tracer, std::string_view symbol, const Operand &left, const Operand &right, const Place &item)
{
    if (symbol == "is" || symbol == "is not")
        return Value{isEqual(left.value, right.value) == (symbol == "is")};
    if (symbol == "in" || symbol == "not in")
        return applyMembership(tracer, symbol == "not in", left, right, item);
    SW_TRY(std::optional<Value> ofLists, applyToLists(tracer, symbol, left, right, item));
    if (ofLists)
        return std::move(*ofLists);
    const bool isSwapped = symbol == ">" || symbol == ">=";
    const auto op = opWithSymbol(symbol == ">" ? "<" : symbol == ">=" ? "<=" : symbol, 2);
    SW_ASSERT(op.has_value(), "an operation for every infix operator");
    return applyOp(tracer, *op, std::array{isSwapped ? right : left, isSwapped ? left : right}, item);
}

Result<Value> applyUnary(Tracer &tracer, std::string_view symbol, const Operand &operand, const Place &item)
{
    const bool isTensor = operand.value.isA<TensorValue>();
    if (symbol == "not" && !isTensor) {
        SW_TRY(const bool truth, truthOf(tracer, operand));
        return Value{!truth};
    }
    if (symbol == "+" && (isTensor || operand.value.isNumber()))
        return operand.value;
    if (symbol == "-" || symbol == "not")
        return applyOp(tracer, symbol == "-" ? Op::Neg : Op::Not, std::array{operand}, item);
    if (symbol == "+")
        return tracer.fail(item, Code::Type, "expected a tensor or a number, found {}", tracer.describe(operand.value));
    // ~x flips every bit of an integer, and the truth value of a bool.
    const bool isBool =
        operand.value.isA<bool>() || (isTensor && tracer.node(operand.value.as<TensorValue>()->node).dtype == DType::Bool);
    if (isBool)
        return applyOp(tracer, Op::Not, std::array{operand}, item);
    if (!isTensor)
        return applyOp(tracer, Op::Xor, std::array{operand, Operand{Value{std::int64_t{-1}}, operand.expr}}, item);
    const NodeId node = operand.value.as<TensorValue>()->node;
    const DType type = tracer.node(node).dtype;
    if (isFloat(type))
        return tracer.fail(item, Code::Type, "~ does not take operands of type {}: {}", nameOf(type),
                           tracer.describe(operand.value));
    const Scalar ones = identityOf(Op::And, type);
    const NodeId mask = tracer.builder().constScalar(Origin(SourceId(item)), ones);
    return applyOp(tracer, Op::Xor, std::array{operand, Operand{Value{TensorValue{mask}}, operand.expr}}, item);
}

Result<bool> truthOf(Tracer &tracer, const Operand &operand)
{
    const Value &value = operand.value;
    if (value.isA<Broken>())
        return Failure({});
    if (value.isA<double>())
        return value.asDouble() != 0;
    if (value.isNumber())
        return wideOf(value) != 0;
    if (const ListValue *list = value.as<ListValue>())
        return !list->items->empty();
    if (const std::string *text = value.as<std::string>())
        return !text->empty();
    if (value.isA<TensorValue>()) {
        Failure failure =
            tracer.fail(operand.expr, Code::Type, "a condition must be known while compiling, but {} is computed later",
                        tracer.describe(value));
        failure.diagnostics.front().hint = "choose between tensors with where(condition, x, y); combine tensors with & and |";
        return failure;
    }
    if (value.isA<DimensionValue>()) {
        SW_TRY(const std::optional<Value> isThere,
               applyToDimensions(tracer, Op::Cmpne, std::array{operand, Operand{Value{std::int64_t{0}}, operand.expr}},
                                 Place(tracer, operand.expr)));
        return *isThere->as<bool>();
    }
    return !value.isA<Nothing>();
}

} // namespace sw::language
