#include "engine/onnx/importer.h"

#include "engine/onnx/node_importer.h"
#include "engine/onnx/operators.h"
#include "engine/onnx/read_model.h"
#include "engine/onnx/refused_operators.h"

#include <algorithm>
#include <map>

namespace sw::onnx {

namespace {

constexpr std::int64_t kNewestOpset = 28; // the operators were compared with the standard up to here
constexpr std::uint32_t kOpsetLine = 2;   // in the listing

class Importer {
public:
    explicit Importer(const ImportRequest &request)
        : m_request(request),
          m_model(request.model),
          m_listing(request.listing),
          m_sources(std::make_shared<SourceMap>(*request.listing.sources)),
          m_builder(m_sources),
          m_known(m_builder, request.stop),
          m_library(request.libraryFolder, m_sources, request.stop),
          m_nodes({m_model, m_listing, request.orders, m_sources, m_builder, m_known, m_library, request.stop, request.progress}),
          m_frame{.graph = m_model, .lines = m_listing, .opsets = m_model.opsets}
    {
    }

    ImportResult run() &&
    {
        std::optional<Graph> graph = makeGraph();
        return {std::move(graph), m_sources, m_known.decidingInputs(), m_nodes.diagnostics(), m_library.uses()};
    }

private:
    std::optional<Graph> makeGraph()
    {
        if (!checkOperators())
            return std::nullopt;
        checkOpset();
        m_nodes.addInitializers(m_frame);
        addInputs();
        m_nodes.importNodes(m_frame);
        return m_nodes.hasFailed() ? std::nullopt : finish();
    }

    // An operator's meaning may have changed in a later opset.
    void checkOpset()
    {
        const auto own = m_model.opsets.find(std::string());
        const std::int64_t opset = own == m_model.opsets.end() ? 0 : own->second;
        const std::string &file = m_listing.sources->file(SourceMap::programFile()).name;
        if (opset > kNewestOpset)
            m_nodes.warn(Diagnostic::warning(Code::Unsupported, {file, kOpsetLine, 1, kOpsetLine, 1},
                                             "the model wants opset {}, the newest that is known here is {}; its "
                                             "operators are taken as they were then",
                                             opset, kNewestOpset));
    }

    // ---- what is missing, all at once
    struct Missing {
        const ModelNode *firstNode = nullptr;
        SourceId place;
        std::int64_t opset = 0;
        std::size_t count = 0;
    };
    using OperatorName = std::pair<std::string, std::string>; // domain, name

    bool checkOperators()
    {
        addMissing(m_model, m_listing, m_model.opsets);
        for (const ModelFunction &function : m_model.functions)
            addMissing(function, m_listing.of(function), function.opsets);
        for (const OperatorName &key : m_missingInOrder)
            reportMissing(m_missing.at(key));
        return m_missing.empty();
    }

    void addMissing(const ModelGraph &graph, const GraphListing &lines, const Opsets &opsets)
    {
        for (const std::size_t index : m_request.orders.at(&graph)) {
            const ModelNode &node = graph.nodes[index];
            for (const Attribute &attribute : node.attributes)
                if (const auto *body = std::get_if<Subgraph>(&attribute.value))
                    addMissing(**body, m_listing.of(**body), opsets);
            const auto opset = opsets.find(node.domain);
            const std::int64_t version = opset == opsets.end() ? 0 : opset->second;
            if (m_model.function(node.domain, node.op) != nullptr || findOperator(node.domain, node.op, version) != nullptr)
                continue;
            const auto [entry, isNew] =
                m_missing.try_emplace({node.domain, node.op}, Missing{&node, lines.nodes[index], version});
            if (isNew)
                m_missingInOrder.push_back(entry->first);
            ++entry->second.count;
        }
    }

    void reportMissing(const Missing &missing)
    {
        const ModelNode &node = *missing.firstNode;
        const std::string domain = node.domain.empty() ? "ai.onnx" : displayText(node.domain);
        m_nodes.fail(Diagnostic::error(Code::UnsupportedOperator, {},
                                       "operator {} of {} opset {} is not supported; {} node{} it, {} first",
                                       displayText(node.op), domain, missing.opset, missing.count,
                                       missing.count == 1 ? " uses" : "s use", nodeText(node))
                         .withHint(reasonOf(node)),
                     m_listing.placeOf(missing.place));
    }

    [[nodiscard]] static std::string reasonOf(const ModelNode &node)
    {
        if (const std::string_view reason = whyRefused(node.domain, node.op); !reason.empty())
            return std::string(reason);
        std::int64_t first = kNoLastOpset;
        for (const OperatorRow &row : operatorTable()) {
            if (node.domain.empty() && row.name == node.op)
                first = std::min(first, row.firstOpset);
        }
        return first == kNoLastOpset ? std::string() : format("it is supported from opset {} on; export the model again", first);
    }

    // ---- leaves
    void addInputs()
    {
        for (std::size_t i = 0; i < m_model.inputs.size(); ++i) {
            const ModelInput &input = m_request.inputs[i];
            const std::string &name = m_model.inputs[i].name;
            const SourceId source = m_listing.inputs[i];
            if (input.given && m_request.constantInputs.contains(displayText(name))) {
                m_nodes.addConstant(m_frame, name, *input.given, source, false, m_model.inputs[i].narrow);
                continue;
            }
            Value value{.dtype = input.dtype, .shape = input.shape, .origin = Origin(source), .name = name};
            value.node =
                m_builder.placeholder(value.origin, input.dtype, input.shape, {.name = displayText(name), .initial = nullptr});
            m_builder.setName(value.node, displayText(name));
            value.narrow = m_model.inputs[i].narrow;
            if (input.given)
                m_known.give(value.node, *input.given);
            m_nodes.define(m_frame, name, std::move(value));
        }
    }

    // ---- the end
    std::optional<Graph> finish()
    {
        std::vector<NodeId> nodes;
        std::vector<std::string> names;
        std::vector<SourceId> sources;
        m_builder.setScope(SourceMap::rootScope());
        for (std::size_t i = 0; i < m_model.outputs.size(); ++i) {
            const auto found = m_frame.values.find(m_model.outputs[i].name);
            if (found == m_frame.values.end()) {
                m_nodes.fail(Diagnostic::error(Code::MalformedModel, {}, "output '{}' is made by no node",
                                               displayText(m_model.outputs[i].name)),
                             m_listing.placeOf(m_listing.outputs[i]));
                return std::nullopt;
            }
            if (found->second->sequence) {
                m_nodes.fail(Diagnostic::error(Code::Unsupported, {},
                                               "output '{}' is a sequence, and a program has only tensors as outputs",
                                               displayText(m_model.outputs[i].name)),
                             m_listing.placeOf(m_listing.outputs[i]));
                return std::nullopt;
            }
            nodes.push_back(materialize(m_builder, *found->second));
            if (const auto &counted = found->second->counted) {
                auto cropped = m_builder.crop(found->second->origin, nodes.back(), counted->count, counted->axis);
                SW_ASSERT(cropped.has_value(), "a count is one integer");
                nodes.back() = *cropped;
            }
            names.push_back(displayText(m_model.outputs[i].name));
            sources.push_back(m_listing.outputs[i]);
        }
        auto graph = std::move(m_builder).finish(Origin(std::move(sources)), std::move(nodes), std::move(names));
        if (graph)
            return std::move(graph).value();
        for (const Diagnostic &problem : graph.error())
            m_nodes.fail(problem, {});
        return std::nullopt;
    }

    const ImportRequest &m_request;
    const Model &m_model;
    const Listing &m_listing;
    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder m_builder;
    KnownValues m_known;
    language::LibraryCaller m_library;
    std::map<OperatorName, Missing> m_missing;
    std::vector<OperatorName> m_missingInOrder;
    NodeImporter m_nodes;
    Frame m_frame; // of the model's own graph
};

} // namespace

ImportResult importModel(const ImportRequest &request)
{
    return Importer(request).run();
}

} // namespace sw::onnx
