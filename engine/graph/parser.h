#pragma once
// Reads the canonical text of a graph (see printer.h). Empty lines and lines that start with // are skipped; values may have any
// numbers as long as each is defined once, before its users.

#include "engine/graph/graph.h"

#include <string>
#include <string_view>

namespace sw {

// The graph has a source map of its own: one item per line of the text, in scopes as the text names them. All malformed lines are
// reported, up to a limit, each at its line and column; a graph that comes back obeys verifyGraph.
[[nodiscard]] Result<Graph> parseGraph(std::string_view text, const std::string &fileName);

// The text claims to be one: its first line that says anything begins with "stepwell graph".
[[nodiscard]] bool isGraphText(std::string_view text);

} // namespace sw
