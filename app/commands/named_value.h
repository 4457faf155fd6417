#pragma once
// Values of a graph as a person names them on the command line.

#include "engine/base/diagnostic.h"
#include "engine/graph/graph.h"

#include <string>

namespace sw::command {

// value: a node of the graph (%3 or 3), or a value's path ("softmax/exp"). Errors: Argument, with paths that it may have meant.
[[nodiscard]] Result<NodeId> namedValue(const std::string &value, const Graph &graph);

} // namespace sw::command
