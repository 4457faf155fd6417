#include "tests/unit/onnx/model_bytes.h"

#include <bit>

namespace sw::test {

namespace {

constexpr unsigned kVarint = 0;
constexpr unsigned kLengthPrefixed = 2;
constexpr unsigned kFixed32 = 5;

std::uint64_t tag(int field, unsigned wireType)
{
    return (static_cast<std::uint64_t>(field) << 3U) | wireType;
}

} // namespace

void Message::varint(std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7U)
        m_bytes += static_cast<char>((value & 0x7FU) | 0x80U);
    m_bytes += static_cast<char>(value);
}

Message &Message::number(int field, std::int64_t value)
{
    varint(tag(field, kVarint));
    varint(static_cast<std::uint64_t>(value));
    return *this;
}

Message &Message::number32(int field, float value)
{
    varint(tag(field, kFixed32));
    const auto bits = std::bit_cast<std::uint32_t>(value);
    for (unsigned shift = 0; shift < 32; shift += 8)
        m_bytes += static_cast<char>((bits >> shift) & 0xFFU);
    return *this;
}

Message &Message::text(int field, std::string_view value)
{
    varint(tag(field, kLengthPrefixed));
    varint(value.size());
    m_bytes += value;
    return *this;
}

std::vector<std::byte> Message::asBytes() const
{
    const auto *begin = reinterpret_cast<const std::byte *>(m_bytes.data());
    return {begin, begin + m_bytes.size()};
}

Message valueInfo(std::string_view name, const std::vector<std::int64_t> &dims, int type)
{
    Message shape;
    for (const std::int64_t dim : dims)
        shape.message(1, dim < 0 ? Message().text(2, "n") : Message().number(1, dim));
    const Message tensor = Message().number(1, type).message(2, shape);
    return Message().text(1, name).message(2, Message().message(1, tensor));
}

Message openInfo(std::string_view name, const std::vector<std::string> &dims, int type)
{
    Message shape;
    for (const std::string &dim : dims) {
        const bool isNumber = !dim.empty() && dim.find_first_not_of("0123456789") == std::string::npos;
        shape.message(1, dim.empty() ? Message() : isNumber ? Message().number(1, std::stoll(dim)) : Message().text(2, dim));
    }
    const Message tensor = Message().number(1, type).message(2, shape);
    return Message().text(1, name).message(2, Message().message(1, tensor));
}

Message floatTensor(std::string_view name, const std::vector<std::int64_t> &dims, const std::vector<float> &values)
{
    Message tensor;
    for (const std::int64_t dim : dims)
        tensor.number(1, dim);
    tensor.number(2, kFloat);
    for (const float value : values)
        tensor.number32(4, value);
    return tensor.text(8, name);
}

Message integerTensor(std::string_view name, const std::vector<std::int64_t> &dims, const std::vector<std::int64_t> &values)
{
    Message tensor;
    for (const std::int64_t dim : dims)
        tensor.number(1, dim);
    tensor.number(2, kInt64);
    for (const std::int64_t value : values)
        tensor.number(7, value);
    return tensor.text(8, name);
}

Message numberAttribute(std::string_view name, float value)
{
    return Message().text(1, name).number32(2, value).number(20, 1);
}

Message textAttribute(std::string_view name, std::string_view value)
{
    return Message().text(1, name).text(4, value).number(20, 3);
}

Message tensorAttribute(std::string_view name, const Message &tensor)
{
    return Message().text(1, name).message(5, tensor).number(20, 4);
}

Message numbersAttribute(std::string_view name, const std::vector<double> &values)
{
    Message attribute = Message().text(1, name).number(20, 6);
    for (const double value : values)
        attribute.number32(7, static_cast<float>(value));
    return attribute;
}

Message textsAttribute(std::string_view name, const std::vector<std::string> &values)
{
    Message attribute = Message().text(1, name).number(20, 8);
    for (const std::string &value : values)
        attribute.text(9, value);
    return attribute;
}

Message integerAttribute(std::string_view name, std::int64_t value)
{
    return Message().text(1, name).number(3, value).number(20, 2);
}

Message integersAttribute(std::string_view name, const std::vector<std::int64_t> &values)
{
    Message attribute = Message().text(1, name);
    for (const std::int64_t value : values)
        attribute.number(8, value);
    return attribute.number(20, 7);
}

Message nodeMessage(const NodeText &node)
{
    Message message;
    for (const std::string &input : node.inputs)
        message.text(1, input);
    for (const std::string &output : node.outputs)
        message.text(2, output);
    message.text(3, node.name).text(4, node.op);
    for (const Message &attribute : node.attributes)
        message.message(5, attribute);
    return node.domain.empty() ? message : message.text(7, node.domain);
}

namespace {

Message graphMessage(const GraphText &text)
{
    Message graph;
    for (const NodeText &node : text.nodes)
        graph.message(1, nodeMessage(node));
    graph.text(2, "test");
    for (const Message &initializer : text.initializers)
        graph.message(5, initializer);
    for (const Message &input : text.inputs)
        graph.message(11, input);
    for (const Message &output : text.outputs)
        graph.message(12, output);
    return graph;
}

Message opsetMessage(std::string_view domain, std::int64_t opset)
{
    return Message().text(1, domain).number(2, opset);
}

Message functionMessage(const FunctionText &text)
{
    Message function = Message().text(1, text.name);
    for (const std::string &input : text.inputs)
        function.text(4, input);
    for (const std::string &output : text.outputs)
        function.text(5, output);
    for (const NodeText &node : text.nodes)
        function.message(7, nodeMessage(node));
    function.message(9, opsetMessage({}, text.opset)).message(9, opsetMessage(text.domain, 1)).text(10, text.domain);
    for (const Message &attribute : text.defaults)
        function.message(11, attribute);
    return function;
}

} // namespace

Message graphAttribute(std::string_view name, const GraphText &graph)
{
    return Message().text(1, name).message(6, graphMessage(graph)).number(20, 5);
}

Message referenceAttribute(std::string_view name, std::string_view meant)
{
    return Message().text(1, name).text(21, meant);
}

std::vector<std::byte> modelBytes(const ModelText &model)
{
    const Message graph = graphMessage({model.inputs, model.nodes, model.outputs, model.initializers});
    Message all = Message().number(1, 8).text(2, "a test").message(7, graph).message(8, opsetMessage(model.domain, model.opset));
    if (!model.domain.empty())
        all.message(8, opsetMessage({}, 22)); // for the bodies of nodes
    for (const FunctionText &function : model.functions)
        all.message(8, opsetMessage(function.domain, 1)).message(25, functionMessage(function));
    return all.asBytes();
}

} // namespace sw::test
