#include "engine/onnx/operator_formula.h"

#include "engine/onnx/onnx_types.h"

#include <algorithm>
#include <charconv>

namespace sw::onnx {

namespace {

using language::LibraryArgument;
using language::listOf;

std::string_view trimmed(std::string_view text)
{
    while (text.starts_with(' '))
        text.remove_prefix(1);
    while (text.ends_with(' '))
        text.remove_suffix(1);
    return text;
}

template <class T>
T numberOf(std::string_view text)
{
    T value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    SW_ASSERT(error == std::errc() && end == text.data() + text.size(), "a number in a formula of the table of operators");
    return value;
}

bool hasPoint(std::string_view text)
{
    return text.find('.') != std::string_view::npos;
}

bool isQuoted(std::string_view text)
{
    return text.size() >= 2 && text.front() == '\'' && text.back() == '\'';
}

std::string unquoted(std::string_view text)
{
    return std::string(text.substr(1, text.size() - 2));
}

language::Value literal(std::string_view text)
{
    if (isQuoted(text))
        return {unquoted(text)};
    if (text == "true" || text == "false")
        return {text == "true"};
    if (hasPoint(text))
        return {numberOf<double>(text)};
    return {numberOf<std::int64_t>(text)};
}

language::Value valueOf(Scalar scalar)
{
    if (scalar.dtype() == DType::Bool)
        return {scalar.asBool()};
    if (isFloat(scalar.dtype()))
        return {scalar.asDouble()};
    return {scalar.asInt()};
}

language::Value tensorValue(NodeId node)
{
    return {language::TensorValue{node}};
}

language::Value tensorInput(NodeCall &call, std::size_t index)
{
    return call.has(index) ? tensorValue(call.input(index)) : language::Value();
}

language::Value allInputs(NodeCall &call)
{
    std::vector<language::Value> items;
    for (std::size_t i = 0; i < call.operandCount(); ++i)
        items.push_back(tensorInput(call, i));
    return listOf(std::move(items));
}

Result<language::Value> knownInput(NodeCall &call, std::size_t index, std::string_view role)
{
    if (!call.has(index))
        return language::Value();
    SW_TRY(const HostTensor tensor, call.constant(index, role));
    if (tensor.shape().rank() > 1)
        return call.error(Code::ShapeMismatch, "{} is {}, expected a number or a list", role,
                          typeText(tensor.dtype(), tensor.shape()));
    if (tensor.shape().rank() == 0)
        return valueOf(tensor.at(0));
    std::vector<language::Value> items;
    for (std::int64_t i = 0; i < tensor.elements(); ++i)
        items.push_back(valueOf(tensor.at(i)));
    return listOf(std::move(items));
}

// The value of an attribute of any type that the language has.
struct AttributeReader {
    NodeCall &call;
    std::string_view name;

    Result<language::Value> operator()(std::monostate) const { return unreadable(); }
    Result<language::Value> operator()(float value) const { return language::Value(static_cast<double>(value)); }
    Result<language::Value> operator()(std::int64_t value) const { return language::Value(value); }
    Result<language::Value> operator()(const std::string &value) const { return language::Value(value); }
    Result<language::Value> operator()(const Result<HostTensor> &value) const
    {
        if (!value)
            return value.failure();
        return tensorValue(call.tensorConstant(*value));
    }
    Result<language::Value> operator()(const std::vector<float> &values) const
    {
        std::vector<language::Value> items;
        for (const float value : values)
            items.emplace_back(static_cast<double>(value));
        return listOf(std::move(items));
    }
    Result<language::Value> operator()(const std::vector<std::int64_t> &values) const { return listOf(values); }
    Result<language::Value> operator()(const std::vector<std::string> &values) const
    {
        std::vector<language::Value> items;
        for (const std::string &value : values)
            items.emplace_back(value);
        return listOf(std::move(items));
    }
    Result<language::Value> operator()(const Subgraph &) const { return unreadable(); }
    Result<language::Value> operator()(const AttributeReference &) const { return unreadable(); }

private:
    [[nodiscard]] Diagnostic unreadable() const { return call.unsupported("attribute '{}' has no value that can be read", name); }
};

Result<language::Value> attributeValue(NodeCall &call, std::string_view text)
{
    const std::size_t colon = text.find(':');
    const std::string_view name = text.substr(0, colon);
    if (colon == std::string_view::npos) {
        const Attribute *attribute = call.attribute(name);
        return attribute == nullptr ? Result<language::Value>(language::Value())
                                    : std::visit(AttributeReader{call, name}, attribute->value);
    }
    const std::string_view otherwise = text.substr(colon + 1);
    if (isQuoted(otherwise))
        return language::Value(call.text(name, unquoted(otherwise)));
    if (hasPoint(otherwise))
        return language::Value(call.number(name, numberOf<double>(otherwise)));
    return language::Value(call.integer(name, numberOf<std::int64_t>(otherwise)));
}

Result<language::Value> typeValue(NodeCall &call, std::string_view name)
{
    if (!call.hasAttribute(name))
        return language::Value();
    const std::int64_t number = call.integer(name, 0);
    SW_TRY(const DType dtype, dtypeOfOnnx(static_cast<std::int32_t>(std::clamp<std::int64_t>(number, -1, 1000)), {}));
    return language::Value(dtype);
}

language::Value usedOutputs(const NodeCall &call)
{
    std::vector<language::Value> items;
    for (std::size_t i = 0; i < call.node().outputs.size(); ++i)
        items.emplace_back(call.wantsOutput(i));
    return listOf(std::move(items));
}

Result<language::Value> valueOf(NodeCall &call, const FormulaArgument &argument)
{
    const std::string_view rest = argument.value.substr(1);
    switch (argument.value.front()) {
    case '$':
        if (rest == "*")
            return allInputs(call);
        if (rest.ends_with('!'))
            return knownInput(call, numberOf<std::size_t>(rest.substr(0, rest.size() - 1)), argument.parameter);
        return tensorInput(call, numberOf<std::size_t>(rest));
    case '@':
        return attributeValue(call, rest);
    case '%':
        return typeValue(call, rest);
    case '#':
        return rest == "opset" ? language::Value(call.opset()) : usedOutputs(call);
    default:
        return literal(argument.value);
    }
}

Result<OutputValue> outputOf(const NodeCall &call, const language::Value &value)
{
    if (value.isA<language::Nothing>())
        return OutputValue(NodeId());
    const auto *tensor = value.as<language::TensorValue>();
    if (tensor == nullptr)
        return call.error(Code::Internal, "the operator's function does not return a tensor for each output");
    return OutputValue(tensor->node);
}

} // namespace

Formula parseFormula(std::string_view text)
{
    const std::size_t open = text.find('(');
    SW_ASSERT(open != std::string_view::npos && text.ends_with(')'), "a call in the table of operators");
    Formula formula{text.substr(0, open), {}};
    std::string_view rest = text.substr(open + 1, text.size() - open - 2);
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view one = trimmed(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos)
            formula.arguments.push_back({{}, one});
        else
            formula.arguments.push_back({trimmed(one.substr(0, equals)), trimmed(one.substr(equals + 1))});
    }
    return formula;
}

Result<Outputs> callFormula(std::string_view text, NodeCall &call)
{
    const Formula formula = parseFormula(text);
    const std::size_t firstNew = call.builder().size();
    std::vector<LibraryArgument> arguments;
    for (const FormulaArgument &argument : formula.arguments) {
        SW_TRY(language::Value value, valueOf(call, argument));
        arguments.push_back({std::move(value), argument.parameter});
    }
    if (!call.problems().empty())
        return Failure(call.problems());
    SW_TRY(const language::Value made, call.callFunction(formula.function, std::move(arguments)));
    return outputsOf(call, made, firstNew);
}

Result<Outputs> outputsOf(NodeCall &call, const language::Value &made, std::size_t firstNew)
{
    Outputs outputs;
    const auto *list = made.as<language::ListValue>();
    const std::vector<language::Value> one{made};
    for (const language::Value &value : list == nullptr ? one : *list->items) {
        SW_TRY(const OutputValue output, outputOf(call, value));
        // The function's name for the value gives way to the model's.
        if (output.node.isValid() && output.node.value >= firstNew)
            call.builder().setName(output.node, {});
        outputs.push_back(output);
    }
    for (std::size_t i = 0; i < call.node().outputs.size(); ++i) {
        const bool isMade = i < outputs.size() && outputs[i].node.isValid();
        if (call.wantsOutput(i) && !isMade)
            return call.unsupported("output {} is not supported", i);
    }
    return outputs;
}

} // namespace sw::onnx
