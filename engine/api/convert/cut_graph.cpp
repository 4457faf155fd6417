#include "engine/api/convert/cut_graph.h"

#include "engine/graph/value_path.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace sw {

namespace {

constexpr std::size_t kSuggestions = 3;

class GraphCutter {
public:
    explicit GraphCutter(const Graph &graph) : m_graph(graph), m_paths(graph) {}

    Result<GraphPart> cut(std::span<const std::string> from, std::span<const std::string> to)
    {
        std::vector<NodeId> begins;
        for (const std::string &name : from) {
            SW_TRY(const NodeId id, find(name));
            begins.push_back(id);
        }
        std::vector<NodeId> ends;
        std::vector<std::string> names;
        for (const std::string &name : to) {
            SW_TRY(const NodeId id, find(name));
            if (std::ranges::find(names, name) != names.end())
                return Diagnostic::error(Code::DuplicateName, {}, "the part ends at {} twice", sw::quoted(name));
            ends.push_back(id);
            names.push_back(name);
        }
        if (to.empty()) {
            ends.assign(m_graph.outputs().begin(), m_graph.outputs().end());
            names = m_graph.outputNames();
        }
        const std::vector<bool> needed = neededFor(ends, begins);
        for (std::size_t i = 0; i < from.size(); ++i)
            if (!needed[begins[i].value])
                return Diagnostic::error(Code::Argument, {}, "nothing from {} on leads to {}", sw::quoted(from[i]),
                                         join(names, ", ", [](const std::string &name) { return sw::quoted(name); }));
        return partOf(needed, begins, ends, std::move(names));
    }

private:
    [[nodiscard]] std::optional<NodeId> numbered(std::string_view name) const
    {
        std::uint32_t number = 0;
        if (!name.starts_with('%') ||
            std::from_chars(name.data() + 1, name.data() + name.size(), number).ptr != name.data() + name.size())
            return std::nullopt;
        return number + 1 < m_graph.size() ? std::optional(NodeId(number)) : std::nullopt;
    }

    // The last value of a name is what the program means by it.
    [[nodiscard]] Result<NodeId> find(const std::string &name) const
    {
        if (const auto id = numbered(name))
            return *id;
        for (std::size_t i = m_graph.size() - 1; i-- > 0;)
            if (m_graph.node(NodeId(i)).name == name)
                return NodeId(i);
        if (const NodeId id = m_paths.find(name); id.isValid() && id != m_graph.sink())
            return id;
        const std::vector<std::string> similar = m_paths.similar(name, kSuggestions);
        return Diagnostic::error(Code::UnknownName, {}, "the program has no value {}", sw::quoted(name))
            .withHint(similar.empty() ? std::string() : "did you mean " + join(similar, ", "));
    }

    // Nodes behind a begin are not needed for its sake.
    [[nodiscard]] std::vector<bool> neededFor(const std::vector<NodeId> &ends, const std::vector<NodeId> &begins) const
    {
        std::vector<bool> needed(m_graph.size(), false);
        for (const NodeId end : ends)
            needed[end.value] = true;
        for (std::size_t i = m_graph.size() - 1; i-- > 0;) {
            if (!needed[i] || std::ranges::find(begins, NodeId(i)) != begins.end())
                continue;
            for (const NodeId input : m_graph.node(NodeId(i)).inputs)
                needed[input.value] = true;
        }
        return needed;
    }

    [[nodiscard]] GraphPart partOf(const std::vector<bool> &needed, const std::vector<NodeId> &begins,
                                   const std::vector<NodeId> &ends, std::vector<std::string> names) const
    {
        std::vector<Node> nodes;
        std::vector<NodeId> made(m_graph.size());
        for (std::size_t i = 0; i + 1 < m_graph.size(); ++i) {
            if (!needed[i])
                continue;
            made[i] = NodeId(nodes.size());
            const Node &node = m_graph.node(NodeId(i));
            const bool isBegin = std::ranges::find(begins, NodeId(i)) != begins.end();
            nodes.push_back(isBegin ? inputFor(node, NodeId(i)) : node.readingFrom(made));
        }
        Node sink = m_graph.node(m_graph.sink());
        SinkAttributes attributes = attributesOf<SinkAttributes>(sink);
        attributes = {.outputNames = std::move(names)};
        sink.attributes = std::move(attributes);
        sink.inputs.clear();
        for (const NodeId end : ends)
            sink.inputs.push_back(made[end.value]);
        nodes.push_back(std::move(sink));
        return {Graph(std::move(nodes), m_graph.sourcesPtr()), std::move(made)};
    }

    [[nodiscard]] Node inputFor(const Node &node, NodeId id) const
    {
        Node input = node;
        input.kind = NodeKind::Placeholder;
        input.inputs.clear();
        input.attributes = PlaceholderAttributes{.name = node.name.empty() ? m_paths.of(id) : node.name, .initial = nullptr};
        return input;
    }

    const Graph &m_graph;
    ValuePaths m_paths;
};

} // namespace

Result<GraphPart> cutGraph(const Graph &graph, std::span<const std::string> from, std::span<const std::string> to)
{
    return GraphCutter(graph).cut(from, to);
}

} // namespace sw
