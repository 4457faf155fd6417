#pragma once
// ONNX models as bytes, written by hand: protocol buffers' wire format, so that tests can also write what no library would.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sw::test {

// One message: fields in the order in which they are added.
class Message {
public:
    Message &number(int field, std::int64_t value);
    Message &text(int field, std::string_view value);
    Message &message(int field, const Message &value) { return text(field, value.m_bytes); }
    Message &number32(int field, float value);

    [[nodiscard]] const std::string &bytes() const { return m_bytes; }
    [[nodiscard]] std::vector<std::byte> asBytes() const;

private:
    void varint(std::uint64_t value);

    std::string m_bytes;
};

inline constexpr int kFloat = 1;
inline constexpr int kInt64 = 7;
inline constexpr int kBool = 9;

// f32[dims] or whatever type the number names; a negative dimension is written as the symbol "n".
[[nodiscard]] Message valueInfo(std::string_view name, const std::vector<std::int64_t> &dims, int type = kFloat);
// Dimensions as they are written: a number, a symbol, or nothing.
[[nodiscard]] Message openInfo(std::string_view name, const std::vector<std::string> &dims, int type = kFloat);
[[nodiscard]] Message floatTensor(std::string_view name, const std::vector<std::int64_t> &dims, const std::vector<float> &values);
[[nodiscard]] Message integerTensor(std::string_view name, const std::vector<std::int64_t> &dims,
                                    const std::vector<std::int64_t> &values);
[[nodiscard]] Message numberAttribute(std::string_view name, float value);
[[nodiscard]] Message textAttribute(std::string_view name, std::string_view value);
[[nodiscard]] Message tensorAttribute(std::string_view name, const Message &tensor);
[[nodiscard]] Message integerAttribute(std::string_view name, std::int64_t value);
[[nodiscard]] Message numbersAttribute(std::string_view name, const std::vector<double> &values); // as floats
[[nodiscard]] Message textsAttribute(std::string_view name, const std::vector<std::string> &values);
[[nodiscard]] Message integersAttribute(std::string_view name, const std::vector<std::int64_t> &values);

struct NodeText {
    std::string op;
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::string name = {};
    std::vector<Message> attributes = {};
    std::string domain = {};
};
[[nodiscard]] Message nodeMessage(const NodeText &node);

// A graph, for a model or as an attribute.
struct GraphText {
    std::vector<Message> inputs;
    std::vector<NodeText> nodes;
    std::vector<Message> outputs;
    std::vector<Message> initializers = {};
};
[[nodiscard]] Message graphAttribute(std::string_view name, const GraphText &graph);
// An attribute of a node of a function: the caller's attribute of the name `meant`.
[[nodiscard]] Message referenceAttribute(std::string_view name, std::string_view meant);

struct FunctionText {
    std::string name;
    std::string domain;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<NodeText> nodes;
    std::vector<Message> defaults = {}; // attributes
    std::int64_t opset = 13;
};

struct ModelText {
    std::vector<Message> inputs;
    std::vector<NodeText> nodes;
    std::vector<Message> outputs;
    std::vector<Message> initializers = {};
    std::int64_t opset = 13;
    std::string domain = {}; // of the opset
    std::vector<FunctionText> functions = {};
};
[[nodiscard]] std::vector<std::byte> modelBytes(const ModelText &model);

} // namespace sw::test
