#include "engine/onnx/node_importer.h"

#include "engine/base/work_progress.h"
#include "engine/onnx/counted_axes.h"
#include "engine/onnx/read_model.h"

#include <algorithm>

namespace sw::onnx {

namespace {

// Deeper nesting comes from functions that call themselves.
constexpr std::size_t kMostDepth = 32;
// All bodies are written out, so their number is that of the graph's nodes.
constexpr std::size_t kMostBodyNodes = 50'000;

using Operands = std::vector<Value *>;

Result<Done> checkOperands(const OperatorRow &row, const Operands &operands)
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

Result<Done> checkNarrow(const OperatorRow &row, const Operands &operands)
{
    for (const Value *operand : operands)
        if (operand != nullptr && operand->narrow != Narrow::None && row.narrow == NarrowTypes::Refused)
            return Diagnostic::error(Code::UnsupportedDType, {}, "'{}' has element type {}, which is not supported here",
                                     displayText(operand->name), nameOf(operand->narrow));
    return Done{};
}

Result<Done> checkSequences(const OperatorRow &row, const Operands &operands)
{
    for (const Value *operand : operands)
        if (operand != nullptr && operand->sequence && row.sequences == Sequences::Refused)
            return Diagnostic::error(Code::MalformedModel, {}, "'{}' is a sequence, expected a tensor",
                                     displayText(operand->name));
    return Done{};
}

// What is given for an input of a body must be of the type that the body says.
Result<Done> checkInput(const ValueInfo &input, const Value &given)
{
    if (given.sequence)
        return Done{};
    if (input.isTensor && input.dtype && *input.dtype != given.dtype)
        return Diagnostic::error(Code::MalformedModel, {}, "input '{}' of its body is {}, and gets {}", displayText(input.name),
                                 nameOf(*input.dtype), typeText(given.dtype, given.shape));
    return Done{};
}

const Attribute *find(const std::vector<Attribute> &attributes, std::string_view name)
{
    const auto found = std::ranges::find(attributes, name, &Attribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

bool isReference(const Attribute &attribute)
{
    return std::holds_alternative<AttributeReference>(attribute.value);
}

// The node with the attributes that its references mean. One that the caller leaves out, and that has no default, is left out.
ModelNode resolved(ModelNode node, const std::vector<Attribute> &attributes)
{
    std::vector<Attribute> kept;
    for (Attribute &attribute : node.attributes) {
        if (const auto *reference = std::get_if<AttributeReference>(&attribute.value)) {
            if (const Attribute *meant = find(attributes, reference->name))
                kept.push_back({attribute.name, meant->value});
        } else {
            kept.push_back(std::move(attribute));
        }
    }
    node.attributes = std::move(kept);
    return node;
}

} // namespace

// The bodies of one node.
class FrameBodies final : public Bodies {
public:
    FrameBodies(NodeImporter &importer, const Frame &frame, const NodePlace &place)
        : m_importer(importer), m_frame(frame), m_place(place)
    {
    }

    Value *keep(Value value) override { return &m_importer.m_values.emplace_back(std::move(value)); }

    Value *find(const std::string &name) override
    {
        for (const Frame *seen = &m_frame; seen != nullptr; seen = seen->outer)
            if (const auto found = seen->values.find(name); found != seen->values.end())
                return found->second;
        return nullptr;
    }

    Result<std::optional<Operands>> call(const ModelGraph &body, const Operands &inputs, const std::string &scopeName) override
    {
        SourceMap &sources = *m_importer.m_made.sources;
        return m_importer.callBody({.graph = body,
                                    .lines = m_importer.m_made.listing.of(body),
                                    .opsets = m_frame.opsets,
                                    .outer = &m_frame,
                                    .attributes = m_frame.attributes,
                                    .call = m_place.source,
                                    .scope = sources.addScope({scopeName, m_place.scope, m_place.source}),
                                    .depth = m_frame.depth + 1},
                                   inputs);
    }

    Mark mark() const override
    {
        return {m_importer.m_made.builder.size(), m_importer.m_diagnostics.size(), m_importer.m_hasFailed};
    }

    void takeBackTo(const Mark &mark) override
    {
        m_importer.m_made.builder.takeBack(mark.nodes);
        m_importer.m_made.known.forgetFrom(NodeId(mark.nodes));
        m_importer.m_diagnostics.resize(mark.diagnostics);
        m_importer.m_hasFailed = mark.hasFailed;
        // Constants that something taken back was the first to read.
        for (Value &value : m_importer.m_values)
            if (value.node.isValid() && value.node.value >= mark.nodes)
                value.node = {};
    }

private:
    NodeImporter &m_importer;
    const Frame &m_frame;
    const NodePlace &m_place;
};

void NodeImporter::fail(Diagnostic problem, const SourceRange &where)
{
    if (!problem.where.isKnown())
        problem.where = where;
    m_hasFailed = true;
    m_diagnostics.push_back(std::move(problem));
}

Value *NodeImporter::define(Frame &frame, const std::string &name, Value value)
{
    Value *kept = &m_values.emplace_back(std::move(value));
    frame.values.emplace(name, kept);
    return kept;
}

void NodeImporter::addConstant(Frame &frame, const std::string &name, const HostTensor &tensor, SourceId source, bool isParameter,
                               Narrow narrow)
{
    Value value{.dtype = tensor.dtype(), .shape = tensor.shape(), .origin = Origin(source), .name = name};
    value.constant = std::make_shared<const HostTensor>(tensor);
    value.isParameter = isParameter;
    value.narrow = narrow;
    define(frame, name, std::move(value));
}

void NodeImporter::addInitializers(Frame &frame)
{
    for (std::size_t i = 0; i < frame.graph.initializers.size(); ++i) {
        const Initializer &initializer = frame.graph.initializers[i];
        if (initializer.value)
            addConstant(frame, initializer.name, *initializer.value, frame.lines.initializers[i], true, initializer.narrow);
        else
            frame.unusable.emplace(initializer.name, &initializer.value.error());
    }
}

bool NodeImporter::importNodes(Frame &frame)
{
    const std::vector<std::size_t> &order = m_made.orders.at(&frame.graph);
    WorkProgress *const progress = frame.depth == 0 ? m_made.progress : nullptr;
    if (progress != nullptr)
        progress->expect(order.size(), "nodes");
    for (const std::size_t node : order) {
        if (m_made.stop.stop_requested()) {
            m_diagnostics.push_back(Diagnostic::error(Code::Cancelled, {}, "the import was cancelled"));
            m_hasFailed = true;
            return false;
        }
        importNode(frame, node);
        if (progress != nullptr)
            progress->advance();
    }
    return true;
}

// A line of a body is an item of its own in each call.
SourceId NodeImporter::sourceOf(const Frame &frame, std::size_t node)
{
    const SourceId line = frame.lines.nodes[node];
    if (!frame.call.isValid())
        return line;
    SourceItem item = m_made.sources->item(line);
    item.scope = frame.scope;
    item.caller = frame.call;
    return m_made.sources->addItem(std::move(item));
}

void NodeImporter::importNode(Frame &frame, std::size_t index)
{
    const ModelNode &written = frame.graph.nodes[index];
    std::optional<ModelNode> meant;
    if (std::ranges::any_of(written.attributes, isReference))
        meant = resolved(written, frame.attributes);
    const ModelNode &node = meant ? *meant : written;
    const SourceId source = sourceOf(frame, index);
    const auto outputs = makeOutputs(frame, node, source);
    if (!outputs) {
        for (Diagnostic problem : outputs.error()) {
            problem.message = format("{}: {}", nodeText(node), problem.message);
            fail(std::move(problem), m_made.listing.placeOf(frame.lines.nodes[index]));
        }
        return;
    }
    for (std::size_t i = 0; i < node.outputs.size() && i < outputs->size(); ++i) {
        const OutputValue &output = (*outputs)[i];
        if (node.outputs[i].empty() || !output.isMade())
            continue;
        const Value &value = *define(frame, node.outputs[i], valueOf(m_made.builder, output, Origin(source), node.outputs[i]));
        if (value.node.isValid() && m_made.builder.node(value.node).name.empty())
            m_made.builder.setName(value.node, displayText(node.outputs[i]));
    }
}

// Returns nothing, without a diagnostic, if an operand failed before: its own diagnostic is enough.
Result<Outputs> NodeImporter::makeOutputs(const Frame &frame, const ModelNode &node, SourceId source)
{
    SW_TRY(const std::optional<Operands> operands, findOperands(frame, node));
    if (!operands)
        return Outputs{};
    const auto opset = frame.opsets.find(node.domain);
    const ScopeId scope = m_made.sources->item(source).scope;
    const NodePlace place{node, opset == frame.opsets.end() ? 0 : opset->second, source, scope};
    if (const ModelFunction *function = m_made.model.function(node.domain, node.op))
        return callFunction(frame, *function, place, *operands);
    const OperatorRow &row = *findOperator(node.domain, node.op, place.opset);
    SW_CHECK(checkOperands(row, *operands));
    SW_CHECK(checkNarrow(row, *operands));
    SW_CHECK(checkSequences(row, *operands));
    m_made.builder.setScope(scope);
    SW_TRY(std::optional<Outputs> constants, m_folder.fold({row, place, m_made.library, m_made.sources}, *operands));
    if (constants)
        return std::move(*constants);
    FrameBodies bodies(*this, frame, place);
    const NodeTools tools{m_made.builder, m_made.known, m_made.library, &bodies};
    const bool isCounted = isAnyCounted(*operands);
    Operands read = *operands;
    if (isCounted) {
        SW_TRY(read, withZerosBehindCounts(tools, place, std::move(read)));
    }
    NodeCall call(tools, place, std::move(read));
    SW_TRY(Outputs outputs, onnx::makeOutputs(row, call));
    if (!call.problems().empty())
        return Failure(call.problems());
    if (isCounted) {
        SW_TRY(const auto counted, countedOutputs(call, outputs));
        for (std::size_t i = 0; i < outputs.size(); ++i)
            outputs[i].counted = counted[i];
    }
    return outputs;
}

Result<Outputs> NodeImporter::callFunction(const Frame &frame, const ModelFunction &function, const NodePlace &place,
                                           const Operands &operands)
{
    std::vector<Attribute> attributes = place.node.attributes;
    for (const Attribute &each : function.defaults)
        if (find(attributes, each.name) == nullptr)
            attributes.push_back(each);
    if (operands.size() > function.inputs.size())
        return Diagnostic::error(Code::MalformedModel, {}, "there are {} inputs, and the function has {}", operands.size(),
                                 function.inputs.size());
    const ScopeId scope = m_made.sources->addScope({displayText(function.name), place.scope, place.source});
    Operands inputs = operands;
    inputs.resize(function.inputs.size(), nullptr);
    SW_TRY(const auto made, callBody({.graph = function,
                                      .lines = m_made.listing.of(function),
                                      .opsets = function.opsets,
                                      .attributes = std::move(attributes),
                                      .call = place.source,
                                      .scope = scope,
                                      .depth = frame.depth + 1},
                                     inputs));
    Outputs outputs;
    if (made)
        for (Value *value : *made)
            outputs.push_back(outputOf(m_made.builder, *value));
    return outputs;
}

NodeImporter::Called NodeImporter::callBody(Frame &&body, const Operands &inputs)
{
    const ModelGraph &graph = body.graph;
    if (body.depth > kMostDepth)
        return Diagnostic::error(Code::Limit, {}, "bodies and functions are nested more than {} deep", kMostDepth);
    if (inputs.size() != graph.inputs.size())
        return Diagnostic::error(Code::MalformedModel, {}, "its body has {} inputs, and gets {}", graph.inputs.size(),
                                 inputs.size());
    m_bodyNodes += m_made.orders.at(&graph).size();
    if (m_bodyNodes > kMostBodyNodes)
        return Diagnostic::error(Code::Limit, {}, "written out, the bodies have more than {} nodes", kMostBodyNodes);
    for (std::size_t i = 0; i < inputs.size(); ++i)
        if (inputs[i] != nullptr)
            SW_CHECK(checkInput(graph.inputs[i], *inputs[i]));
    Frame &frame = m_frames.emplace_back(std::move(body));
    for (std::size_t i = 0; i < inputs.size(); ++i)
        frame.values.emplace(graph.inputs[i].name, inputs[i]);
    addInitializers(frame);
    if (!importNodes(frame))
        return std::optional<Operands>();
    ModelNode reading{.name = {}, .op = {}, .domain = {}};
    for (const ValueInfo &output : graph.outputs)
        reading.inputs.push_back(output.name);
    SW_TRY(std::optional<Operands> outputs, findOperands(frame, reading));
    if (outputs && (outputs->size() != graph.outputs.size() || std::ranges::count(*outputs, nullptr) > 0))
        return Diagnostic::error(Code::MalformedModel, {}, "an output of its body is an input that is left out");
    return outputs;
}

Result<std::optional<Operands>> NodeImporter::findOperands(const Frame &frame, const ModelNode &node) const
{
    Operands operands;
    for (const std::string &name : node.inputs) {
        const Frame *seen = &frame;
        while (seen != nullptr && !seen->values.contains(name) && !seen->unusable.contains(name))
            seen = seen->outer;
        if (seen != nullptr && seen->unusable.contains(name))
            return Failure(*seen->unusable.at(name));
        if (!name.empty() && seen == nullptr)
            return std::optional<Operands>();
        operands.push_back(name.empty() ? nullptr : seen->values.at(name));
    }
    while (!operands.empty() && operands.back() == nullptr)
        operands.pop_back();
    return std::optional(std::move(operands));
}

} // namespace sw::onnx
