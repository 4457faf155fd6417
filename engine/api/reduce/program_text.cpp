#include "engine/api/reduce/program_text.h"

#include "engine/api/convert/expression_text.h"

#include <map>
#include <set>

namespace sw {

namespace {

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
            SW_TRY(const std::string value, expressionText(m_graph, id, [&](NodeId read) { return text(read); }));
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
            m_made.text += format("const {}: {} = {}\n", name, type, listText(input.value));
            return;
        case WrittenAs::Loaded: {
            const std::string file = format("{}.{}.npy", m_made.files.stem, name);
            m_made.files.files.emplace_back(file, input.value);
            m_made.text += format("param {}: {} = load({})\n", name, type, sw::quoted(file));
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
