#pragma once
// Reads the canonical text of a graph (see printer.h). Empty lines and lines that start with // are skipped; values may have any
// numbers as long as each is defined once, before its users.

#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sw {

// The graph has a source map of its own: one item per line of the text, in scopes as the text names them. All malformed lines are
// reported, up to a limit, each at its line and column; a graph that comes back obeys verifyGraph.
[[nodiscard]] Result<Graph> parseGraph(std::string_view text, const std::string &fileName);

// A graph whose lines stand in a larger text, without the first line of a text of its own: they begin there at firstLine.
struct NumberedGraph {
    Graph graph;
    std::unordered_map<std::uint64_t, NodeId> numbers; // the values, by their numbers in the text
};
[[nodiscard]] Result<NumberedGraph> parseGraphLines(std::string_view lines, const std::string &fileName, std::uint32_t firstLine);

// The text claims to be one: its first line that says anything begins with "stepwell graph".
[[nodiscard]] bool isGraphText(std::string_view text);

} // namespace sw
