#include "engine/execute/input_values.h"

#include "engine/base/hash.h"
#include "engine/execute/dimensions.h"
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

// Those that are not dimensions, in node order.
std::vector<NodeId> valuesOf(const Graph &graph)
{
    std::vector<NodeId> placeholders = graph.placeholders();
    std::erase_if(placeholders, [&](NodeId id) { return placeholder(graph, id).role == PlaceholderRole::Dimension; });
    return placeholders;
}

} // namespace

Result<HostTensor> checkedValue(const Graph &graph, NodeId id, const HostTensor &given, const SymbolicBindings &dimensions)
{
    const Node &node = graph.node(id);
    const HostTensor value = fromRawBits(given, node.dtype).value_or(given);
    const Shape shape = givenShapeOf(node, dimensions);
    if (value.dtype() != node.dtype || value.shape() != shape)
        return Diagnostic::error(value.shape() == shape ? Code::Type : Code::ShapeMismatch,
                                 graph.sources().programRange(node.origin), "input {} is {}, but the tensor given for it is {}",
                                 sw::quoted(placeholder(graph, id).name), typeText(node.dtype, shape),
                                 typeText(value.dtype(), value.shape()));
    return value;
}

HostTensor ownValue(const Node &node, std::uint64_t seed, const SymbolicBindings &dimensions)
{
    const auto &attributes = attributesOf<PlaceholderAttributes>(node);
    if (attributes.initial != nullptr)
        return *attributes.initial;
    const Shape shape = givenShapeOf(node, dimensions);
    if (attributes.isRandom)
        return randomTensor(node.dtype, shape, attributes.seed);
    return randomTensor(node.dtype, shape, Hasher().add(attributes.name).add(seed).value());
}

Diagnostic unknownInput(const Graph &graph, std::string_view name)
{
    const std::vector<NodeId> known = valuesOf(graph);
    return Diagnostic::error(Code::UnknownName, {}, "the program has no input {}; it has {}", sw::quoted(name),
                             known.empty() ? "none" : join(known, ", ", [&](NodeId id) { return placeholder(graph, id).name; }));
}

Result<std::vector<HostTensor>> placeholderValues(const Graph &graph, std::span<const NamedTensor> given, std::uint64_t seed,
                                                  const SymbolicBindings &wanted)
{
    SW_CHECK(checkInputsFit(graph, memoryBytes()));
    const std::vector<NodeId> all = graph.placeholders();
    const std::vector<NodeId> placeholders = valuesOf(graph);
    Diagnostics errors;
    const auto nameOfPlaceholder = [&](NodeId id) { return placeholder(graph, id).name; };
    for (const NamedTensor &tensor : given)
        if (std::none_of(placeholders.begin(), placeholders.end(),
                         [&](NodeId id) { return nameOfPlaceholder(id) == tensor.name; }))
            errors.push_back(unknownInput(graph, tensor.name));
    std::vector<GivenShape> shapes;
    for (std::size_t i = 0; i < all.size(); ++i)
        for (const NamedTensor &tensor : given)
            if (tensor.name == nameOfPlaceholder(all[i]))
                shapes.push_back({i, fromRawBits(tensor.value, graph.node(all[i]).dtype).value_or(tensor.value).shape()});
    auto dimensions = dimensionsOf(graph, shapes, wanted);
    if (!dimensions) {
        errors.insert(errors.end(), dimensions.error().begin(), dimensions.error().end());
        return Failure(std::move(errors));
    }
    std::vector<HostTensor> values;
    for (const NodeId id : placeholders) {
        const auto found = std::find_if(given.begin(), given.end(),
                                        [&](const NamedTensor &tensor) { return tensor.name == nameOfPlaceholder(id); });
        Result<HostTensor> value = found == given.end() ? ownValue(graph.node(id), seed, *dimensions)
                                                        : checkedValue(graph, id, found->value, *dimensions);
        if (value)
            values.push_back(std::move(*value));
        else
            errors.insert(errors.end(), value.error().begin(), value.error().end());
    }
    if (!errors.empty())
        return Failure(std::move(errors));
    return values;
}

Result<std::vector<HostTensor>> programValues(const Graph &graph, std::uint64_t seed, const SymbolicBindings &wanted)
{
    SW_TRY(const std::vector<HostTensor> values, placeholderValues(graph, {}, seed, wanted));
    SW_TRY(const SymbolicBindings dimensions, dimensionsOf(graph, {}, wanted));
    return paddedValues(graph, values, dimensions);
}

} // namespace sw
