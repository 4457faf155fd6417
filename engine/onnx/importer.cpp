#include "engine/onnx/importer.h"

#include "engine/onnx/operators.h"
#include "engine/onnx/read_model.h"

#include <algorithm>
#include <unordered_map>

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
          m_folder(request.stop)
    {
    }

    ImportResult run() &&
    {
        std::optional<Graph> graph = makeGraph();
        return {std::move(graph), m_sources, m_known.decidingInputs(), std::move(m_diagnostics)};
    }

private:
    std::optional<Graph> makeGraph()
    {
        if (!checkOperators())
            return std::nullopt;
        checkOpset();
        addInitializers();
        addInputs();
        for (const std::size_t node : m_request.order) {
            if (m_request.stop.stop_requested()) {
                m_diagnostics.push_back(Diagnostic::error(Code::Cancelled, {}, "the import was cancelled"));
                return std::nullopt;
            }
            importNode(node);
        }
        return m_hasFailed ? std::nullopt : finish();
    }

    void fail(Diagnostic problem, const SourceRange &where)
    {
        if (!problem.where.isKnown())
            problem.where = where;
        m_hasFailed = true;
        m_diagnostics.push_back(std::move(problem));
    }

    [[nodiscard]] std::int64_t opsetOf(const std::string &domain) const
    {
        const auto found = m_model.opsets.find(domain);
        return found == m_model.opsets.end() ? 0 : found->second;
    }

    // An operator's meaning may have changed in a later opset.
    void checkOpset()
    {
        const std::int64_t opset = opsetOf({});
        const std::string &file = m_listing.sources->file(SourceMap::programFile()).name;
        if (opset > kNewestOpset)
            m_diagnostics.push_back(Diagnostic::warning(Code::Unsupported, {file, kOpsetLine, 1, kOpsetLine, 1},
                                                        "the model wants opset {}, the newest that is known here is {}; its "
                                                        "operators are taken as they were then",
                                                        opset, kNewestOpset));
    }

    // ---- what is missing, all at once
    struct Missing {
        std::size_t firstNode = 0;
        std::size_t count = 0;
    };

    bool checkOperators()
    {
        std::map<std::pair<std::string, std::string>, Missing> missing;
        std::vector<std::pair<std::string, std::string>> inOrder;
        for (const std::size_t index : m_request.order) {
            const ModelNode &node = m_model.nodes[index];
            if (findOperator(node.domain, node.op, opsetOf(node.domain)) != nullptr)
                continue;
            const auto [entry, isNew] = missing.try_emplace({node.domain, node.op}, Missing{index, 0});
            if (isNew)
                inOrder.push_back(entry->first);
            ++entry->second.count;
        }
        for (const auto &key : inOrder)
            reportMissing(missing.at(key));
        return missing.empty();
    }

    void reportMissing(const Missing &missing)
    {
        const ModelNode &node = m_model.nodes[missing.firstNode];
        const std::string domain = node.domain.empty() ? "ai.onnx" : displayText(node.domain);
        const std::int64_t opset = opsetOf(node.domain);
        fail(Diagnostic::error(Code::UnsupportedOperator, {},
                               "operator {} of {} opset {} is not supported; {} node{} it, {} first", displayText(node.op),
                               domain, opset, missing.count, missing.count == 1 ? " uses" : "s use", nodeText(node))
                 .withHint(supportedOpsets(node)),
             m_listing.placeOf(m_listing.nodes[missing.firstNode]));
    }

    [[nodiscard]] std::string supportedOpsets(const ModelNode &node) const
    {
        if (std::find(m_model.functions.begin(), m_model.functions.end(), node.op) != m_model.functions.end())
            return "the model defines it as a function; export the model with its functions inlined";
        std::int64_t first = kNoLastOpset;
        for (const OperatorRow &row : operatorTable()) {
            if (node.domain.empty() && row.name == node.op)
                first = std::min(first, row.firstOpset);
        }
        return first == kNoLastOpset ? std::string() : format("it is supported from opset {} on; export the model again", first);
    }

    // ---- leaves
    void addInitializers()
    {
        for (std::size_t i = 0; i < m_model.initializers.size(); ++i) {
            const Initializer &initializer = m_model.initializers[i];
            if (initializer.value)
                addConstant(initializer.name, *initializer.value, m_listing.initializers[i], true, initializer.narrow);
            else
                m_unusable.emplace(initializer.name, &initializer.value.error());
        }
    }

    void addConstant(const std::string &name, const HostTensor &tensor, SourceId source, bool isParameter, Narrow narrow)
    {
        Value value{.dtype = tensor.dtype(), .shape = tensor.shape(), .origin = Origin(source), .name = name};
        value.constant = std::make_shared<const HostTensor>(tensor);
        value.isParameter = isParameter;
        value.narrow = narrow;
        m_values.emplace(name, std::move(value));
    }

    void addInputs()
    {
        for (std::size_t i = 0; i < m_model.inputs.size(); ++i) {
            const ModelInput &input = m_request.inputs[i];
            const std::string &name = m_model.inputs[i].name;
            const SourceId source = m_listing.inputs[i];
            if (input.given && m_request.constantInputs.contains(displayText(name))) {
                addConstant(name, *input.given, source, false, m_model.inputs[i].narrow);
                continue;
            }
            Value value{.dtype = input.dtype, .shape = input.shape, .origin = Origin(source), .name = name};
            value.node =
                m_builder.placeholder(value.origin, input.dtype, input.shape, {.name = displayText(name), .initial = nullptr});
            m_builder.setName(value.node, displayText(name));
            value.narrow = m_model.inputs[i].narrow;
            if (input.given)
                m_known.give(value.node, *input.given);
            m_values.emplace(name, std::move(value));
        }
    }

    // ---- nodes
    void importNode(std::size_t index)
    {
        const ModelNode &node = m_model.nodes[index];
        const SourceId source = m_listing.nodes[index];
        const auto outputs = makeOutputs(node, source);
        if (!outputs) {
            for (Diagnostic problem : outputs.error()) {
                problem.message = format("{}: {}", nodeText(node), problem.message);
                fail(std::move(problem), m_listing.placeOf(source));
            }
            return;
        }
        for (std::size_t i = 0; i < node.outputs.size() && i < outputs->size(); ++i) {
            if (!node.outputs[i].empty() && ((*outputs)[i].constant || (*outputs)[i].node.isValid()))
                defineOutput(node.outputs[i], (*outputs)[i], Origin(source));
        }
    }

    void defineOutput(const std::string &name, const OutputValue &output, Origin origin)
    {
        Value value{.origin = std::move(origin), .name = name, .narrow = output.narrow};
        if (output.constant) {
            value.dtype = output.constant->dtype();
            value.shape = output.constant->shape();
            value.constant = output.constant;
        } else {
            const Node &made = m_builder.node(output.node);
            value.dtype = made.dtype;
            value.shape = made.shape;
            value.node = output.node;
            if (made.name.empty())
                m_builder.setName(output.node, displayText(name));
        }
        m_values.emplace(name, std::move(value));
    }

    // Returns nothing, without a diagnostic, if an operand failed before: its own diagnostic is enough.
    Result<Outputs> makeOutputs(const ModelNode &node, SourceId source)
    {
        SW_TRY(const std::optional<std::vector<Value *>> operands, findOperands(node));
        if (!operands)
            return Outputs{};
        const OperatorRow &row = *findOperator(node.domain, node.op, opsetOf(node.domain));
        SW_CHECK(checkOperands(row, *operands));
        SW_CHECK(checkNarrow(row, *operands));
        m_builder.setScope(m_listing.scopeOf(source));
        const NodePlace place{node, opsetOf(node.domain), source, m_listing.scopeOf(source)};
        SW_TRY(std::optional<Outputs> constants, m_folder.fold({row, place, m_library, m_sources}, *operands));
        if (constants)
            return std::move(*constants);
        NodeCall call({m_builder, m_known, m_library}, place, *operands);
        auto outputs = onnx::makeOutputs(row, call);
        if (outputs && !call.problems().empty())
            return Failure(call.problems());
        return outputs;
    }

    Result<std::optional<std::vector<Value *>>> findOperands(const ModelNode &node)
    {
        std::vector<Value *> operands;
        for (const std::string &name : node.inputs) {
            if (const auto unusable = m_unusable.find(name); unusable != m_unusable.end())
                return Failure(*unusable->second);
            const auto found = m_values.find(name);
            if (!name.empty() && found == m_values.end())
                return std::optional<std::vector<Value *>>();
            operands.push_back(name.empty() ? nullptr : &found->second);
        }
        while (!operands.empty() && operands.back() == nullptr)
            operands.pop_back();
        return std::optional(std::move(operands));
    }

    static Result<Done> checkOperands(const OperatorRow &row, const std::vector<Value *> &operands)
    {
        const auto isThere = [&](std::size_t i) { return i < operands.size() && operands[i] != nullptr; };
        for (std::size_t i = 0; i < row.minOperands; ++i) {
            if (!isThere(i))
                return Diagnostic::error(Code::MalformedModel, {}, "input {} is missing", i);
        }
        if (operands.size() > row.maxOperands)
            return Diagnostic::error(Code::MalformedModel, {}, "there are {} inputs, expected at most {}", operands.size(),
                                     row.maxOperands);
        return Done{};
    }

    static Result<Done> checkNarrow(const OperatorRow &row, const std::vector<Value *> &operands)
    {
        for (const Value *operand : operands)
            if (operand != nullptr && operand->narrow != Narrow::None && row.narrow == NarrowTypes::Refused)
                return Diagnostic::error(Code::UnsupportedDType, {}, "'{}' has element type {}, which is not supported here",
                                         displayText(operand->name), nameOf(operand->narrow));
        return Done{};
    }

    // ---- the end
    std::optional<Graph> finish()
    {
        std::vector<NodeId> nodes;
        std::vector<std::string> names;
        std::vector<SourceId> sources;
        m_builder.setScope(SourceMap::rootScope());
        for (std::size_t i = 0; i < m_model.outputs.size(); ++i) {
            const auto found = m_values.find(m_model.outputs[i].name);
            if (found == m_values.end()) {
                fail(Diagnostic::error(Code::MalformedModel, {}, "output '{}' is made by no node",
                                       displayText(m_model.outputs[i].name)),
                     m_listing.placeOf(m_listing.outputs[i]));
                return std::nullopt;
            }
            nodes.push_back(materialize(m_builder, found->second));
            names.push_back(displayText(m_model.outputs[i].name));
            sources.push_back(m_listing.outputs[i]);
        }
        auto graph = std::move(m_builder).finish(Origin(std::move(sources)), std::move(nodes), std::move(names));
        if (graph)
            return std::move(graph).value();
        for (const Diagnostic &problem : graph.error())
            fail(problem, {});
        return std::nullopt;
    }

    const ImportRequest &m_request;
    const Model &m_model;
    const Listing &m_listing;
    std::shared_ptr<SourceMap> m_sources;
    GraphBuilder m_builder;
    KnownValues m_known;
    language::LibraryCaller m_library;
    NodeFolder m_folder;
    std::unordered_map<std::string, Value> m_values;
    std::unordered_map<std::string, const Diagnostics *> m_unusable;
    Diagnostics m_diagnostics;
    bool m_hasFailed = false;
};

} // namespace

ImportResult importModel(const ImportRequest &request)
{
    return Importer(request).run();
}

} // namespace sw::onnx
