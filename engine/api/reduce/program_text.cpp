#include "engine/api/reduce/program_text.h"

#include <map>
#include <set>

namespace sw {

namespace {

template <class Numbers>
std::string listOf(const Numbers &numbers)
{
    return format("[{}]", join(numbers, ", ", [](std::int64_t number) { return format("{}", number); }));
}

std::string shapeText(const Shape &shape)
{
    return listOf(shape.extents());
}

// A number as the language reads it: "inf" and "nan" are names there.
std::string numberText(const Scalar &value)
{
    return toText(value);
}

// "[[1.0, 2.0], [3.0, 4.0]]"
std::string nestedText(const HostTensor &value, std::size_t axis, std::int64_t &at)
{
    if (axis == value.shape().rank())
        return numberText(value.at(at++));
    std::string text = "[";
    for (std::int64_t i = 0; i < value.shape().extents()[axis]; ++i)
        text += (i == 0 ? "" : ", ") + nestedText(value, axis + 1, at);
    return text + "]";
}

std::string nestedText(const HostTensor &value)
{
    std::int64_t at = 0;
    return nestedText(value, 0, at);
}

std::string quotedWord(std::string_view word)
{
    return format("\"{}\"", word);
}

class Writer {
public:
    Writer(const Graph &graph, std::span<const WrittenInput> inputs, const std::string &stem)
        : m_graph(graph), m_inputs(inputs), m_users(graph.users())
    {
        m_made.files.stem = stem;
        for (const NodeId id : graph.placeholders())
            m_names.insert(attributesOf<PlaceholderAttributes>(graph.node(id)).name);
    }

    Result<ProgramText> write()
    {
        std::size_t input = 0;
        for (std::size_t i = 0; i + 1 < m_graph.size(); ++i) {
            const NodeId id(i);
            const Node &node = m_graph.node(id);
            if (node.kind == NodeKind::Placeholder) {
                writeInput(id, m_inputs[input++]);
                continue;
            }
            if (isNumberEverywhere(id))
                continue;
            SW_TRY(const std::string value, expression(id));
            m_text[id] = freeName(id);
            m_made.text += format("{} = {}\n", m_text[id], value);
        }
        for (std::size_t i = 0; i < m_graph.outputs().size(); ++i)
            m_made.text += format("output {} = {}\n", m_graph.outputNames()[i], text(m_graph.outputs()[i]));
        return std::move(m_made);
    }

private:
    void writeInput(NodeId id, const WrittenInput &input)
    {
        const Node &node = m_graph.node(id);
        const std::string &name = attributesOf<PlaceholderAttributes>(node).name;
        m_text[id] = name;
        const std::string type = typeText(node.dtype, node.shape);
        switch (input.as) {
        case WrittenAs::Random:
            m_made.text += format("input {}: {}\n", name, type);
            return;
        case WrittenAs::Listed:
            m_made.text += format("const {}: {} = {}\n", name, type, nestedText(input.value));
            return;
        case WrittenAs::Loaded: {
            const std::string file = format("{}.{}.npy", m_made.files.stem, name);
            m_made.files.files.emplace_back(file, input.value);
            m_made.text += format("param {}: {} = load({})\n", name, type, quotedWord(file));
            return;
        }
        }
        SW_UNREACHABLE();
    }

    std::string freeName(NodeId id)
    {
        std::string name = format("v{}", id.value);
        while (m_names.contains(name))
            name += "_";
        m_names.insert(name);
        return name;
    }

    // The number that a scalar constant is, seen through the shapes that it is brought to; null: the node is something else.
    [[nodiscard]] const Scalar *numberOf(NodeId id) const
    {
        const Node *node = &m_graph.node(id);
        while (node->kind == NodeKind::Reshape || node->kind == NodeKind::Expand)
            node = &m_graph.node(node->inputs[0]);
        return node->kind == NodeKind::ConstScalar ? &attributesOf<ScalarAttributes>(*node).value : nullptr;
    }
    // A number takes the type of the other operands, and their shape.
    [[nodiscard]] bool readsAsNumber(NodeId user, NodeId operand) const
    {
        const Node &node = m_graph.node(user);
        if (node.kind != NodeKind::Binary && node.kind != NodeKind::Reshape && node.kind != NodeKind::Expand)
            return false;
        if (node.kind != NodeKind::Binary)
            return isNumberEverywhere(user);
        const NodeId other = node.inputs[0] == operand ? node.inputs[1] : node.inputs[0];
        return other != operand && numberOf(other) == nullptr && m_graph.node(other).shape == m_graph.node(operand).shape &&
               m_graph.node(other).dtype == m_graph.node(operand).dtype && m_graph.node(other).dtype != DType::Bool;
    }
    // All that read it can have the number itself in its place.
    [[nodiscard]] bool isNumberEverywhere(NodeId id) const
    {
        if (numberOf(id) == nullptr)
            return false;
        for (const NodeId user : m_users[id.value])
            if (!readsAsNumber(user, id))
                return false;
        return true;
    }

    [[nodiscard]] std::string text(NodeId id) const
    {
        const auto found = m_text.find(id);
        if (found != m_text.end())
            return found->second;
        const std::string number = numberText(*numberOf(id));
        return number.starts_with('-') ? "(" + number + ")" : number; // -2.0 ** x is -(2.0 ** x)
    }
    [[nodiscard]] std::string operands(const Node &node) const
    {
        return join(node.inputs, ", ", [&](NodeId id) { return text(id); });
    }

    [[nodiscard]] std::string elementwise(const Node &node) const
    {
        const OpInfo &info = infoOf(node.op);
        if (node.op == Op::Max || node.op == Op::Min) // max(x, axis) is a reduction
            return format("{}({})", node.op == Op::Max ? "maximum" : "minimum", operands(node));
        if (node.inputs.size() == 2 && !info.symbol.empty())
            return format("{} {} {}", text(node.inputs[0]), info.symbol, text(node.inputs[1]));
        if (node.op == Op::Not)
            return format("~{}", text(node.inputs[0]));
        return format("{}({})", info.name, operands(node));
    }

    Result<std::string> expression(NodeId id) const
    {
        const Node &node = m_graph.node(id);
        const std::string x = node.inputs.empty() ? std::string() : text(node.inputs[0]);
        switch (node.kind) {
        case NodeKind::Unary:
        case NodeKind::Binary:
        case NodeKind::Ternary:
            return elementwise(node);
        case NodeKind::ConstScalar:
            return format("const_scalar({}, {})", numberText(*numberOf(id)), nameOf(node.dtype));
        case NodeKind::Vconst: {
            const HostTensor &value = *attributesOf<TensorAttributes>(node).value;
            if (value.elements() > kListedElements || value.dtype() == DType::U32x4)
                return unsupported(node, "a constant of this size or type");
            return format("vconst({}, {})", nestedText(value), nameOf(node.dtype));
        }
        case NodeKind::Iota:
            return format("iota({}, {})", shapeText(node.shape), nameOf(node.dtype));
        case NodeKind::Reshape:
            return format("reshape({}, {})", x, shapeText(node.shape));
        case NodeKind::Expand:
            return format("expand({}, {})", x, shapeText(node.shape));
        case NodeKind::Permute:
            return format("permute({}, {})", x, listOf(attributesOf<AxesAttributes>(node).axes));
        case NodeKind::Flip:
            return format("flip({}, {})", x, listOf(attributesOf<AxesAttributes>(node).axes));
        case NodeKind::ReduceAxis:
            return format("reduce_axis({}, {}, {})", x, quotedWord(nameOf(node.op)),
                          listOf(attributesOf<AxesAttributes>(node).axes));
        case NodeKind::Pad: {
            const auto &pad = attributesOf<PadAttributes>(node);
            return format("pad({}, {}, {})", x, ranges(pad.before, pad.after), numberText(pad.fill));
        }
        case NodeKind::Shrink: {
            const auto &shrink = attributesOf<ShrinkAttributes>(node);
            return format("shrink({}, {})", x, ranges(shrink.begin, shrink.end));
        }
        case NodeKind::Cast:
            return format("cast({}, {}{})", x, nameOf(node.dtype),
                          std::holds_alternative<SaturateAttributes>(node.attributes) ? ", saturate = true" : "");
        case NodeKind::Bitcast:
            return format("bitcast({}, {})", x, nameOf(node.dtype));
        case NodeKind::Cat:
            return format("cat([{}], {})", operands(node), attributesOf<AxisAttributes>(node).axis);
        case NodeKind::Gather:
            return format("gather({}, {})", operands(node), attributesOf<AxisAttributes>(node).axis);
        case NodeKind::Index:
            return format("index({})", operands(node));
        case NodeKind::Contiguous:
        case NodeKind::Detach:
        case NodeKind::ContiguousBackward:
        case NodeKind::Fuse:
        case NodeKind::Noop:
            return format("{}({})", nameOf(node.kind), x);
        case NodeKind::Wmma:
            return format("wmma({})", operands(node));
        case NodeKind::Contract:
            return format("contract({}, {})", quotedWord(attributesOf<ContractAttributes>(node).subscripts), operands(node));
        case NodeKind::Gradient:
            return node.inputs.size() == 2 ? format("grad({})", operands(node))
                                           : format("grad({}, {}, weights = {})", x, text(node.inputs[1]), text(node.inputs[2]));
        case NodeKind::Custom:
            return custom(node);
        case NodeKind::Placeholder:
        case NodeKind::Buffer:
        case NodeKind::DefineVar:
        case NodeKind::Bind:
        case NodeKind::View:
        case NodeKind::Scatter:
        case NodeKind::Assign:
        case NodeKind::BufferView:
        case NodeKind::Valid:
        case NodeKind::Gep:
        case NodeKind::Vectorize:
        case NodeKind::Threefry:
        case NodeKind::Uniform:
        case NodeKind::Unroll:
        case NodeKind::Unique:
        case NodeKind::Kernel:
        case NodeKind::Device:
        case NodeKind::Copy:
        case NodeKind::Multi:
        case NodeKind::Sink:
            return unsupported(node, "this operation");
        }
        SW_UNREACHABLE();
    }

    Result<std::string> custom(const Node &node) const
    {
        const auto &attributes = attributesOf<CustomAttributes>(node);
        std::vector<NodeId> inputs = node.inputs;
        std::string reference;
        if (attributes.hasReference) {
            reference = format(", reference = {}", text(inputs.back()));
            inputs.pop_back();
        }
        std::string made = format("custom({}, [{}], dtype = {}{}", quotedWord(attributes.name),
                                  join(inputs, ", ", [&](NodeId id) { return text(id); }), nameOf(node.dtype), reference);
        for (const auto &[language, source] : attributes.sources) {
            if (source.find_first_of("\"\\\n") != std::string::npos)
                return unsupported(node, "an expression with quotes");
            made += format(", {} = {}", language, quotedWord(source));
        }
        return made + ")";
    }

    [[nodiscard]] static std::string ranges(const std::vector<std::int64_t> &first, const std::vector<std::int64_t> &second)
    {
        std::string made;
        for (std::size_t i = 0; i < first.size(); ++i)
            made += format("{}[{}, {}]", i == 0 ? "" : ", ", first[i], second[i]);
        return "[" + made + "]";
    }
    [[nodiscard]] static Diagnostic unsupported(const Node &node, std::string_view what)
    {
        return Diagnostic::error(Code::Unsupported, {}, "{} ({}) is not written as a program", what, operationText(node));
    }

    const Graph &m_graph;
    std::span<const WrittenInput> m_inputs;
    std::vector<std::vector<NodeId>> m_users;
    std::set<std::string> m_names;
    std::map<NodeId, std::string> m_text;
    ProgramText m_made;
};

} // namespace

Result<ProgramText> programText(const Graph &graph, std::span<const WrittenInput> inputs, const std::string &stem)
{
    return Writer(graph, inputs, stem).write();
}

} // namespace sw
