#include "engine/graph/value_path.h"

#include "engine/graph/structure.h"

#include <string_view>

namespace sw {

namespace {

std::string basePath(const Graph &graph, const Node &node)
{
    const std::string scope = graph.sources().scopePath(node.scope);
    const std::string name =
        !node.name.empty() ? node.name : std::string(carriesOp(node.kind) ? nameOf(node.op) : nameOf(node.kind));
    return scope.empty() ? name : scope + "/" + name;
}

std::string_view lastPart(std::string_view path)
{
    const std::size_t slash = path.rfind('/');
    path = slash == std::string_view::npos ? path : path.substr(slash + 1);
    return path.substr(0, path.find('#'));
}

} // namespace

ValuePaths::ValuePaths(const Graph &graph)
{
    std::unordered_map<std::string, std::uint32_t> counts;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        std::string path = basePath(graph, graph.node(NodeId(i)));
        if (const std::uint32_t count = ++counts[path]; count > 1)
            path += format("#{}", count);
        m_nodes.emplace(path, NodeId(i));
        m_paths.push_back(std::move(path));
    }
}

NodeId ValuePaths::find(const std::string &path) const
{
    const auto found = m_nodes.find(path);
    return found == m_nodes.end() ? NodeId() : found->second;
}

std::vector<std::string> ValuePaths::similar(const std::string &path, std::size_t most) const
{
    std::vector<std::string> found;
    for (const std::string &other : m_paths)
        if (found.size() < most && lastPart(other) == lastPart(path))
            found.push_back(other);
    return found;
}

} // namespace sw
