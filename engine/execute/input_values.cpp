#include "engine/execute/input_values.h"

#include "engine/base/hash.h"
#include "engine/execute/memory_limit.h"
#include "engine/types/npy.h"
#include "engine/types/random_fill.h"

#include <algorithm>

namespace sw {

namespace {

const PlaceholderAttributes &placeholder(const Graph &graph, NodeId id)
{
    return attributesOf<PlaceholderAttributes>(graph.node(id));
}

Result<HostTensor> checkedValue(const Graph &graph, NodeId id, const HostTensor &given)
{
    const Node &node = graph.node(id);
    const HostTensor value = fromRawBits(given, node.dtype).value_or(given);
    if (value.dtype() != node.dtype || value.shape() != node.shape)
        return Diagnostic::error(value.shape() == node.shape ? Code::Type : Code::ShapeMismatch,
                                 graph.sources().programRange(node.origin), "input {} is {}, but the tensor given for it is {}",
                                 sw::quoted(placeholder(graph, id).name), typeText(node.dtype, node.shape),
                                 typeText(value.dtype(), value.shape()));
    return value;
}

HostTensor ownValue(const Node &node, std::uint64_t seed)
{
    const auto &attributes = attributesOf<PlaceholderAttributes>(node);
    if (attributes.initial != nullptr)
        return *attributes.initial;
    if (attributes.isRandom)
        return randomTensor(node.dtype, node.shape, attributes.seed);
    return randomTensor(node.dtype, node.shape, Hasher().add(attributes.name).add(seed).value());
}

} // namespace

Result<std::vector<HostTensor>> placeholderValues(const Graph &graph, std::span<const NamedTensor> given, std::uint64_t seed)
{
    SW_CHECK(checkInputsFit(graph, memoryBytes()));
    const std::vector<NodeId> placeholders = graph.placeholders();
    Diagnostics errors;
    const auto nameOfPlaceholder = [&](NodeId id) { return placeholder(graph, id).name; };
    for (const NamedTensor &tensor : given)
        if (std::none_of(placeholders.begin(), placeholders.end(),
                         [&](NodeId id) { return nameOfPlaceholder(id) == tensor.name; }))
            errors.push_back(Diagnostic::error(Code::UnknownName, {}, "the program has no input {}; it has {}",
                                               sw::quoted(tensor.name),
                                               placeholders.empty() ? "none" : join(placeholders, ", ", nameOfPlaceholder)));
    std::vector<HostTensor> values;
    for (const NodeId id : placeholders) {
        const auto found = std::find_if(given.begin(), given.end(),
                                        [&](const NamedTensor &tensor) { return tensor.name == nameOfPlaceholder(id); });
        Result<HostTensor> value = found == given.end() ? ownValue(graph.node(id), seed) : checkedValue(graph, id, found->value);
        if (value)
            values.push_back(std::move(*value));
        else
            errors.insert(errors.end(), value.error().begin(), value.error().end());
    }
    if (!errors.empty())
        return Failure(std::move(errors));
    return values;
}

} // namespace sw
