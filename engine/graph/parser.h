#pragma once
// Reads the canonical text of a graph (see printer.h). Skips empty lines and lines that start with //. Values may have any
// numbers as long as each is defined once, before its users.

#include "engine/graph/graph.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

namespace sw {

// The graph has its own source map: one item per line of the text, in the scopes that the text names. Every malformed line is
// reported, up to a limit, with its line and column; a graph that is returned obeys verifyGraph.
[[nodiscard]] Result<Graph> parseGraph(std::string_view text, const std::string &fileName);

// A graph whose lines are part of a larger text, starting at firstLine, without the usual first line of a graph's text.
struct NumberedGraph {
    Graph graph;
    std::unordered_map<std::uint64_t, NodeId> numbers; // the values by their numbers in the text
};
[[nodiscard]] Result<NumberedGraph> parseGraphLines(std::string_view lines, const std::string &fileName, std::uint32_t firstLine);

// Whether the text claims to be a graph: its first non-empty line that is no comment begins with "stepwell graph".
[[nodiscard]] bool isGraphText(std::string_view text);

} // namespace sw
