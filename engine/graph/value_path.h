#pragma once
// What a person calls a value of a graph: the calls around it and its name. A path does not change when another part of the
// program is edited, as numbers of nodes do.

#include "engine/graph/graph.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace sw {

// The paths of all nodes of a graph: "softmax/exp", "h". A value without a name is called by its operation. Values with the same
// path are counted in graph order from the second one on: "softmax/exp#2".
class ValuePaths {
public:
    explicit ValuePaths(const Graph &graph);

    [[nodiscard]] const std::string &of(NodeId id) const { return m_paths.at(id.value); }
    // Invalid: no value has this path.
    [[nodiscard]] NodeId find(const std::string &path) const;
    // Paths that end as `path` does after its last '/', for "did you mean"; at most so many.
    [[nodiscard]] std::vector<std::string> similar(const std::string &path, std::size_t most) const;

private:
    std::vector<std::string> m_paths; // by node
    std::unordered_map<std::string, NodeId> m_nodes;
};

} // namespace sw
