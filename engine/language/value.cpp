#include "engine/language/value.h"

#include "engine/language/integers.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sw::language {

Value::Value(const Value &other) = default;
Value::Value(Value &&other) noexcept = default;
Value &Value::operator=(const Value &other) = default;
Value &Value::operator=(Value &&other) noexcept = default;
Value::~Value() = default;

double Value::asDouble() const
{
    if (const bool *b = as<bool>())
        return *b ? 1 : 0;
    if (const std::int64_t *i = as<std::int64_t>())
        return static_cast<double>(*i);
    if (const LargeInteger *large = as<LargeInteger>())
        return static_cast<double>(large->value);
    const double *d = as<double>();
    SW_ASSERT(d != nullptr, "a number");
    return *d;
}

std::int64_t Value::asInt() const
{
    if (const bool *b = as<bool>())
        return *b ? 1 : 0;
    const std::int64_t *i = as<std::int64_t>();
    SW_ASSERT(i != nullptr, "a bool or an integer");
    return *i;
}

Value listOf(std::vector<Value> items)
{
    std::uint32_t depth = 1;
    for (const Value &item : items) {
        if (const ListValue *list = item.as<ListValue>())
            depth = std::max(depth, list->depth + 1);
    }
    return {ListValue{std::make_shared<const std::vector<Value>>(std::move(items)), depth}};
}

Value listOf(std::span<const std::int64_t> items)
{
    std::vector<Value> values;
    values.reserve(items.size());
    for (const std::int64_t item : items)
        values.emplace_back(item);
    return listOf(std::move(values));
}

Value extentValue(const SymbolicExpr &extent)
{
    if (const auto constant = extent.constant())
        return {*constant};
    return {DimensionValue{std::make_shared<const SymbolicExpr>(extent)}};
}

Value extentsOf(const Shape &shape)
{
    std::vector<Value> values;
    for (std::size_t axis = 0; axis < shape.rank(); ++axis)
        values.push_back(extentValue(shape.extent(axis)));
    return listOf(std::move(values));
}

std::optional<SymbolicExpr> asExtent(const Value &value)
{
    if (const DimensionValue *dimension = value.as<DimensionValue>())
        return *dimension->expr;
    if (const std::int64_t *integer = value.as<std::int64_t>())
        return SymbolicExpr(*integer);
    return std::nullopt;
}

bool isEqual(const Value &a, const Value &b)
{
    if (a.isNumber() && b.isNumber())
        return a.isA<double>() || b.isA<double>() ? a.asDouble() == b.asDouble() : wideOf(a) == wideOf(b);
    if (a.is.index() != b.is.index())
        return false;
    if (const ListValue *list = a.as<ListValue>()) {
        const auto &other = *b.as<ListValue>();
        return std::ranges::equal(*list->items, *other.items, [](const Value &x, const Value &y) { return isEqual(x, y); });
    }
    if (const std::string *text = a.as<std::string>())
        return *text == *b.as<std::string>();
    if (const DType *dtype = a.as<DType>())
        return *dtype == *b.as<DType>();
    if (const TensorValue *tensor = a.as<TensorValue>())
        return tensor->node == b.as<TensorValue>()->node;
    if (const DimensionValue *dimension = a.as<DimensionValue>())
        return *dimension->expr == *b.as<DimensionValue>()->expr;
    if (const FunctionValue *function = a.as<FunctionValue>())
        return function->name == b.as<FunctionValue>()->name;
    return a.isA<Nothing>() || a.isA<Dots>();
}

std::optional<DType> defaultType(const Value &value)
{
    if (value.isA<bool>())
        return DType::Bool;
    if (value.isInteger())
        return DType::I32;
    if (value.isA<double>())
        return DType::F32;
    if (const DimensionValue *dimension = value.as<DimensionValue>())
        return dimension->expr->bounds().high <= std::numeric_limits<std::int32_t>::max() ? DType::I32 : DType::I64;
    const ListValue *list = value.as<ListValue>();
    if (list == nullptr)
        return std::nullopt;
    std::optional<DType> common = list->items->empty() ? DType::F32 : DType::Bool;
    for (const Value &item : *list->items) {
        const auto type = defaultType(item);
        if (!type)
            return std::nullopt;
        common = promote(*common, *type);
    }
    return common;
}

namespace {

// The value is an integer or a floating-point number.
std::string numberText(const Value &value)
{
    if (const LargeInteger *large = value.as<LargeInteger>())
        return format("{}", large->value);
    return value.isA<double>() ? floatText(value.asDouble()) : format("{}", value.asInt());
}

struct Describer {
    const GraphBuilder &builder;

    std::string operator()(Nothing) const { return "None"; }
    std::string operator()(Broken) const { return "a value that could not be computed"; }
    std::string operator()(Dots) const { return "'...'"; }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::int64_t value) const { return format("the integer {}", value); }
    std::string operator()(LargeInteger value) const { return format("the integer {}", value.value); }
    std::string operator()(double value) const { return format("the number {}", floatText(value)); }
    std::string operator()(const std::string &value) const { return format("the text {}", quoted(value)); }
    std::string operator()(DType value) const { return format("the type {}", nameOf(value)); }
    std::string operator()(TensorValue value) const
    {
        const Node &node = builder.node(value.node);
        return format("a tensor {}", typeText(node.dtype, node.shape));
    }
    std::string operator()(const DimensionValue &value) const { return format("the dimension {}", toText(*value.expr)); }
    std::string operator()(const ListValue &value) const
    {
        constexpr std::size_t kShown = 8;
        const bool isShort = value.items->size() <= kShown && std::ranges::all_of(*value.items, [](const Value &item) {
                                 return item.isNumber() || item.isA<DimensionValue>();
                             });
        if (!isShort)
            return format("a list of {}", value.items->size());
        return format("the list [{}]", join(*value.items, ", ", [](const Value &item) {
                          if (const DimensionValue *dimension = item.as<DimensionValue>())
                              return toText(*dimension->expr);
                          if (const bool *flag = item.as<bool>())
                              return std::string(*flag ? "true" : "false");
                          return numberText(item);
                      }));
    }
    std::string operator()(const FunctionValue &value) const { return format("the function {}", value.name); }
};

} // namespace

std::string plainText(const Value &value, const GraphBuilder &builder)
{
    constexpr std::size_t kShown = 16;
    if (const std::string *text = value.as<std::string>())
        return *text;
    if (value.isInteger() || value.isA<double>())
        return numberText(value);
    if (const DimensionValue *dimension = value.as<DimensionValue>())
        return toText(*dimension->expr);
    const ListValue *list = value.as<ListValue>();
    if (list == nullptr || list->items->size() > kShown)
        return describe(value, builder);
    return "[" + join(*list->items, ", ", [&](const Value &item) { return plainText(item, builder); }) + "]";
}

std::string describe(const Value &value, const GraphBuilder &builder)
{
    return std::visit(Describer{builder}, value.is);
}

} // namespace sw::language
