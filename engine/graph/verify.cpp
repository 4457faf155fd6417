#include "engine/graph/verify.h"

#include "engine/graph/infer.h"
#include "engine/graph/scan.h"

#include <unordered_set>
#include <utility>

namespace sw {

namespace {

class GraphVerifier {
public:
    explicit GraphVerifier(const Graph &graph) : m_graph(graph) {}

    Result<Done> run()
    {
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const NodeId id{i};
            // Diagnostics take their place from the origin, so a broken origin ends the check of its node.
            if (checkOrigin(id)) {
                checkFields(id);
                checkType(id);
            }
        }
        checkNames();
        if (m_diagnostics.empty())
            m_diagnostics = verifyScans(m_graph);
        if (m_diagnostics.empty())
            return Done{};
        return Failure(std::move(m_diagnostics));
    }

private:
    bool checkOrigin(NodeId id)
    {
        const Node &node = m_graph.node(id);
        const SourceMap &sources = m_graph.sources();
        if (node.origin.sources().back().value >= sources.items().size()) {
            m_diagnostics.push_back(Diagnostic::error(Code::InvalidIr, {}, "%{} {} comes from item {} of a program with {}",
                                                      id.value, operationText(node), node.origin.sources().back().value,
                                                      sources.items().size()));
            return false;
        }
        if (!node.scope.isValid() || node.scope.value >= sources.scopes().size())
            report(id, Code::InvalidIr, format("stands in scope {} of {}", node.scope.value, sources.scopes().size()));
        return true;
    }

    void checkFields(NodeId id)
    {
        const Node &node = m_graph.node(id);
        if (node.kind == NodeKind::Sink)
            return;
        const bool isOwn = (node.kind == NodeKind::Cast && std::holds_alternative<SaturateAttributes>(node.attributes)) ||
                           node.kind == NodeKind::Custom ||
                           (node.kind == NodeKind::Index && std::holds_alternative<AxisAttributes>(node.attributes));
        const bool isPlain = familyOf(node.kind) == NodeFamily::Elementwise || node.kind == NodeKind::Reshape ||
                             node.kind == NodeKind::Expand || node.kind == NodeKind::Contiguous ||
                             node.kind == NodeKind::Buffer || node.kind == NodeKind::Iota || node.kind == NodeKind::Index ||
                             node.kind == NodeKind::Vectorize || node.kind == NodeKind::Wmma || node.kind == NodeKind::Fuse ||
                             node.kind == NodeKind::Noop || node.kind == NodeKind::Detach ||
                             node.kind == NodeKind::ContiguousBackward || node.kind == NodeKind::Gradient;
        if (isPlain && !isOwn && !std::holds_alternative<NoAttributes>(node.attributes))
            report(id, Code::InvalidIr, "has attributes, and its kind has none");
    }

    void checkType(NodeId id)
    {
        const Node &node = m_graph.node(id);
        std::vector<const Node *> inputs;
        for (const NodeId input : node.inputs)
            inputs.push_back(&m_graph.node(input));
        const auto inferred = inferType(node, inputs);
        if (!inferred) {
            for (const Diagnostic &diagnostic : inferred.error())
                report(id, diagnostic.code, format(": {}", diagnostic.message));
            return;
        }
        if (inferred->dtype != node.dtype || inferred->shape != node.shape)
            report(id, Code::InvalidIr,
                   format("has type {}, but its inputs give {}", typeText(node.dtype, node.shape),
                          typeText(inferred->dtype, inferred->shape)));
    }

    void checkNames()
    {
        std::unordered_set<std::string_view> placeholders;
        for (const NodeId id : m_graph.placeholders()) {
            const auto *attributes = std::get_if<PlaceholderAttributes>(&m_graph.node(id).attributes);
            if (attributes != nullptr && !placeholders.insert(attributes->name).second)
                report(id, Code::DuplicateName, format("has the name {} of another placeholder", quoted(attributes->name)));
        }
        std::unordered_set<std::string_view> dimensions;
        for (std::size_t i = 0; i < m_graph.size(); ++i) {
            const auto *dimension = std::get_if<DimensionAttributes>(&m_graph.nodes()[i].attributes);
            if (dimension != nullptr && !dimensions.insert(dimension->variable.name).second)
                report(NodeId(i), Code::DuplicateName,
                       format("has the name {} of another dimension", quoted(dimension->variable.name)));
        }
        const auto *sink = std::get_if<SinkAttributes>(&m_graph.node(m_graph.sink()).attributes);
        if (sink == nullptr)
            return; // reported by checkType
        std::unordered_set<std::string_view> outputs;
        for (const std::string &name : sink->outputNames) {
            if (name.empty())
                report(m_graph.sink(), Code::InvalidIr, "has an output without a name");
            if (!outputs.insert(name).second)
                report(m_graph.sink(), Code::DuplicateName, format("has two outputs of the name {}", quoted(name)));
        }
    }

    void report(NodeId id, Code code, const std::string &what)
    {
        const Node &node = m_graph.node(id);
        const bool hasPlace = node.origin.sources().back().value < m_graph.sources().items().size();
        m_diagnostics.push_back(Diagnostic::error(code, hasPlace ? m_graph.sources().programRange(node.origin) : SourceRange{},
                                                  "%{} {}{}{}", id.value, operationText(node), what.starts_with(':') ? "" : " ",
                                                  what));
    }

    const Graph &m_graph;
    Diagnostics m_diagnostics;
};

} // namespace

Result<Done> verifyGraph(const Graph &graph)
{
    return GraphVerifier(graph).run();
}

} // namespace sw
