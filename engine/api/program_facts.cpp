#include "engine/api/program_facts.h"

#include <algorithm>
#include <map>
#include <set>

namespace sw {

namespace {

bool isOperation(const Node &node)
{
    return familyOf(node.kind) != NodeFamily::Leaf && node.kind != NodeKind::Sink;
}

std::int64_t flopsOf(const Graph &graph, const Node &node)
{
    const std::int64_t perElement = infoOf(node.kind).operations;
    const bool isReduction = familyOf(node.kind) == NodeFamily::Reduce;
    const Node &counted = isReduction ? graph.node(node.inputs.front()) : node;
    return isFloat(counted.dtype) ? perElement * counted.shape.elements() : 0;
}

// The scopes around a node, from the outside; at most so many.
std::vector<ScopeId> scopesAround(const SourceMap &sources, ScopeId scope, std::size_t most)
{
    std::vector<ScopeId> around;
    for (; scope.isValid() && scope != SourceMap::rootScope(); scope = sources.scope(scope).parent)
        around.push_back(scope);
    std::ranges::reverse(around);
    around.resize(std::min(around.size(), most));
    return around;
}

// Scopes in the order of their first nodes, each behind the one that it stands in.
void addScopes(const Graph &graph, std::size_t mostDepth, std::vector<ScopeFacts> &scopes)
{
    std::map<std::vector<std::size_t>, ScopeFacts> ordered; // by the numbers of appearance of the scopes around
    std::map<std::string, std::size_t> numbers;             // by path
    std::set<ScopeId> seen;
    ordered[{}].count = 1;
    for (const Node &node : graph.nodes()) {
        if (!isOperation(node))
            continue;
        const std::int64_t flops = flopsOf(graph, node);
        std::vector<std::size_t> key;
        const auto count = [&](ScopeFacts &facts) {
            ++facts.operations;
            facts.flops += flops;
        };
        count(ordered[key]);
        for (const ScopeId scope : scopesAround(graph.sources(), node.scope, mostDepth)) {
            const std::string path = graph.sources().scopePath(scope);
            key.push_back(numbers.try_emplace(path, numbers.size()).first->second);
            ScopeFacts &facts = ordered[key];
            facts.path = path;
            facts.depth = key.size();
            facts.count += seen.insert(scope).second ? 1 : 0;
            count(facts);
        }
    }
    for (auto &[key, facts] : ordered)
        scopes.push_back(std::move(facts));
}

} // namespace

std::vector<std::string> openingComments(const std::string &text)
{
    std::vector<std::string> comments;
    for (std::size_t begin = 0; begin < text.size() && text[begin] == '#';) {
        const std::size_t end = std::min(text.find('\n', begin), text.size());
        const std::size_t words = std::min(text.find_first_not_of("# ", begin), end);
        comments.push_back(text.substr(words, end - words));
        begin = end + 1;
    }
    return comments;
}

ProgramFacts factsOf(const Graph &graph, std::size_t mostDepth)
{
    ProgramFacts facts;
    if (!graph.sources().files().empty())
        facts.about = openingComments(graph.sources().file(SourceMap::programFile()).text);
    for (const NodeId id : graph.placeholders()) {
        const Node &node = graph.node(id);
        const auto &attributes = attributesOf<PlaceholderAttributes>(node);
        if (attributes.role == PlaceholderRole::Input)
            facts.inputs.push_back({attributes.name, typeText(node.dtype, node.shape)});
        if (attributes.role != PlaceholderRole::Param)
            continue;
        ++facts.parameterTensors;
        facts.parameterElements += node.shape.elements();
        facts.parameterBytes += node.shape.elements() * static_cast<std::int64_t>(bytesOf(node.dtype));
    }
    for (std::size_t i = 0; i < graph.outputs().size(); ++i) {
        const Node &node = graph.node(graph.outputs()[i]);
        facts.outputs.push_back({graph.outputNames()[i], typeText(node.dtype, node.shape)});
    }
    addScopes(graph, mostDepth, facts.scopes);
    return facts;
}

} // namespace sw
