#include "engine/onnx/known_values.h"

#include "engine/graph/evaluate_node.h"

#include <algorithm>

namespace sw::onnx {

namespace {

Diagnostic unknown(const std::string &why)
{
    return Diagnostic::error(Code::Unsupported, {}, "{}", why);
}

} // namespace

void KnownValues::give(NodeId placeholder, HostTensor tensor)
{
    m_given.emplace(placeholder.value, std::move(tensor));
}

void KnownValues::forgetFrom(NodeId first)
{
    std::erase_if(m_known, [first](const auto &known) { return known.first >= first.value; });
}

Result<HostTensor> KnownValues::valueOf(NodeId node)
{
    SW_TRY(const std::vector<NodeId> missing, unknownBefore(node, kMaxComputedElements - m_computedElements));
    for (const NodeId id : missing) {
        if (m_builder.node(id).kind == NodeKind::Placeholder)
            SW_CHECK(addLeaf(id));
        else
            SW_CHECK(compute(id));
    }
    const Known &known = m_known.at(node.value);
    for (const NodeId input : *known.inputs)
        m_decidingInputs.insert(nameOf(input));
    return known.value;
}

// The node and all that must be computed before it, in graph order. Not recursive, because chains may have any length.
Result<std::vector<NodeId>> KnownValues::unknownBefore(NodeId node, std::int64_t most) const
{
    std::vector<NodeId> missing;
    std::vector<NodeId> open{node};
    std::set<std::uint32_t> seen{node.value};
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        if (m_known.contains(id.value))
            continue;
        missing.push_back(id);
        for (const NodeId input : m_builder.node(id).inputs)
            if (seen.insert(input.value).second)
                open.push_back(input);
    }
    std::ranges::sort(missing, {}, &NodeId::value);
    std::int64_t elements = 0;
    for (const NodeId id : missing) {
        elements += std::min(m_builder.node(id).shape.elements(), kMaxComputedElements);
        if (elements > most)
            return unknown(format("to compute it takes too long for an import; the limit is {} elements", kMaxComputedElements));
    }
    return missing;
}

bool KnownValues::isQuick(NodeId node) const
{
    const Result<std::vector<NodeId>> missing = unknownBefore(node, kQuicklyComputedElements);
    return missing && std::ranges::all_of(*missing, [this](NodeId id) {
               if (m_builder.node(id).kind != NodeKind::Placeholder)
                   return true;
               return m_given.contains(id.value) || attributesOf<PlaceholderAttributes>(m_builder.node(id)).initial != nullptr;
           });
}

Result<Done> KnownValues::addLeaf(NodeId id)
{
    const auto &attributes = attributesOf<PlaceholderAttributes>(m_builder.node(id));
    if (attributes.initial != nullptr) {
        m_known.emplace(id.value, Known{*attributes.initial, std::make_shared<const Inputs>()});
        return Done{};
    }
    const auto given = m_given.find(id.value);
    if (given == m_given.end())
        return unknown(format("it depends on input '{}', which is known only when the model runs", attributes.name))
            .withHint(format("give the value of input '{}' before compiling", attributes.name));
    m_known.emplace(id.value, Known{given->second, std::make_shared<const Inputs>(Inputs{id})});
    return Done{};
}

Result<Done> KnownValues::compute(NodeId id)
{
    const Node &node = m_builder.node(id);
    std::vector<HostTensor> inputs;
    for (const NodeId input : node.inputs)
        inputs.push_back(m_known.at(input.value).value);
    std::optional<NodeIndexFault> fault;
    const EvaluateContext context{m_stop, id, [&](const NodeIndexFault &found) { fault = found; }};
    SW_TRY(HostTensor value, evaluateNode(node, inputs, context));
    if (fault)
        return unknown(format("it takes index {} of axis {}, which has the extent {}", fault->index, fault->axis, fault->extent));
    m_computedElements += value.elements();
    m_known.emplace(id.value, Known{std::move(value), inputsOf(node)});
    return Done{};
}

// Shares the list when one operand depends on all of the inputs, as in a chain.
std::shared_ptr<const KnownValues::Inputs> KnownValues::inputsOf(const Node &node) const
{
    auto all = std::make_shared<const Inputs>();
    for (const NodeId input : node.inputs) {
        const std::shared_ptr<const Inputs> &more = m_known.at(input.value).inputs;
        if (std::ranges::includes(*all, *more, {}, &NodeId::value, &NodeId::value))
            continue;
        if (all->empty()) {
            all = more;
            continue;
        }
        Inputs joined;
        std::ranges::set_union(*all, *more, std::back_inserter(joined), {}, &NodeId::value, &NodeId::value);
        all = std::make_shared<const Inputs>(std::move(joined));
    }
    return all;
}

std::string KnownValues::nameOf(NodeId placeholder) const
{
    return attributesOf<PlaceholderAttributes>(m_builder.node(placeholder)).name;
}

bool KnownValues::needsInput(NodeId node) const
{
    std::set<NodeId> seen{node};
    std::vector<NodeId> open{node};
    while (!open.empty()) {
        const Node &next = m_builder.node(open.back());
        open.pop_back();
        if (next.kind == NodeKind::Placeholder && attributesOf<PlaceholderAttributes>(next).initial == nullptr)
            return true;
        for (const NodeId input : next.inputs)
            if (seen.insert(input).second)
                open.push_back(input);
    }
    return false;
}

} // namespace sw::onnx
