#pragma once
// The reference: every element type, operation, graph node, lowered instruction and compiler pass, from their tables. The window
// shows it, and resources/docs/reference.md is its text.

#include <string>
#include <utility>
#include <vector>

namespace sw {

struct CatalogEntry {
    std::string section;                                      // "Operations"; entries of one section follow one another
    std::string name;                                         // as it is written
    std::string summary;                                      // a sentence or two
    std::vector<std::pair<std::string, std::string>> details; // "accepts", "bool, integers"; none is empty
};

// In the order of the tables, section by section.
[[nodiscard]] std::vector<CatalogEntry> catalog();

// Markdown with a heading and a table for each section.
[[nodiscard]] std::string catalogMarkdown();

} // namespace sw
