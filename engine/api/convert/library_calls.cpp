#include "engine/api/convert/library_calls.h"

#include <algorithm>

namespace sw {

namespace {

using language::ListValue;
using language::TensorValue;

void addTensors(const language::Value &value, std::vector<NodeId> &nodes)
{
    if (const auto *tensor = value.as<TensorValue>())
        nodes.push_back(tensor->node);
    if (const auto *list = value.as<ListValue>())
        for (const language::Value &item : *list->items)
            addTensors(item, nodes);
}

// What a call takes and gives in a program.
bool isWritten(const language::Value &value)
{
    if (const auto *list = value.as<ListValue>())
        return std::ranges::all_of(*list->items, isWritten);
    return value.isA<language::Nothing>() || value.isNumber() || value.isA<std::string>() || value.isA<DType>() ||
           value.isA<TensorValue>();
}

std::string valueText(const language::Value &value, const OperandText &operand)
{
    if (const auto *list = value.as<ListValue>())
        return "[" + join(*list->items, ", ", [&](const language::Value &item) { return valueText(item, operand); }) + "]";
    if (const auto *tensor = value.as<TensorValue>())
        return operand(tensor->node);
    if (const auto *text = value.as<std::string>())
        return sw::quoted(*text);
    if (const auto *dtype = value.as<DType>())
        return std::string(nameOf(*dtype));
    if (const auto *truth = value.as<bool>())
        return *truth ? "true" : "false";
    if (const auto *number = value.as<double>())
        return floatText(*number);
    if (const auto *number = value.as<language::LargeInteger>())
        return format("{}", number->value);
    if (const auto *number = value.as<std::int64_t>())
        return format("{}", *number);
    return "None";
}

bool isWithin(const SourceMap &sources, ScopeId scope, ScopeId outer)
{
    while (scope != outer && scope.isValid() && scope != SourceMap::rootScope())
        scope = sources.scope(scope).parent;
    return scope == outer;
}

bool canBeWritten(const Graph &graph, const LibraryUse &use, const std::vector<std::vector<NodeId>> &users)
{
    if (use.first >= use.end || use.end >= graph.size() || !isWritten(use.result))
        return false;
    if (!std::ranges::all_of(use.arguments, [](const auto &argument) { return isWritten(argument.second); }))
        return false;
    const auto isInside = [&](NodeId id) { return id.value >= use.first && id.value < use.end; };
    std::vector<NodeId> given = tensorsGiven(use);
    std::erase(given, NodeId());
    std::ranges::sort(given);
    if (given.empty() || !std::ranges::all_of(given, isInside) || std::ranges::adjacent_find(given) != given.end())
        return false;
    for (std::size_t i = use.first; i < use.end; ++i) {
        const bool isRead = !std::ranges::all_of(users[i], isInside);
        if (graph.node(NodeId(i)).kind == NodeKind::Placeholder || // a part begins there
            !isWithin(graph.sources(), graph.node(NodeId(i)).scope, use.inner) ||
            (isRead && !std::ranges::binary_search(given, NodeId(i))))
            return false;
    }
    return true;
}

} // namespace

std::vector<NodeId> tensorsTaken(const LibraryUse &use)
{
    std::vector<NodeId> nodes;
    for (const auto &[name, value] : use.arguments)
        addTensors(value, nodes);
    return nodes;
}

std::vector<NodeId> tensorsGiven(const LibraryUse &use)
{
    const auto nodeOf = [](const language::Value &value) {
        const auto *tensor = value.as<TensorValue>();
        return tensor == nullptr ? NodeId() : tensor->node;
    };
    const auto *list = use.result.as<ListValue>();
    if (list == nullptr)
        return {nodeOf(use.result)};
    std::vector<NodeId> nodes;
    for (const language::Value &item : *list->items)
        nodes.push_back(nodeOf(item));
    return nodes;
}

std::map<NodeId, LibraryUse> writtenCalls(const Graph &graph, std::span<const LibraryUse> uses)
{
    const std::vector<std::vector<NodeId>> users = graph.users();
    std::map<NodeId, LibraryUse> calls;
    for (const LibraryUse &use : uses)
        if (canBeWritten(graph, use, users))
            calls.emplace(NodeId(use.first), use);
    return calls;
}

std::string callText(const LibraryUse &use, const OperandText &operand)
{
    return format("{}({})", use.function, join(use.arguments, ", ", [&](const auto &argument) {
                      const std::string text = valueText(argument.second, operand);
                      return argument.first.empty() ? text : format("{} = {}", argument.first, text);
                  }));
}

} // namespace sw
