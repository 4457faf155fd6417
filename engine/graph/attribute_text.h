#pragma once
// The attributes of a node in a graph's text: turns "{name = value, ...}" into the struct of the node's kind.

#include "engine/base/text_scanner.h"
#include "engine/graph/attribute_values.h"
#include "engine/graph/graph.h"

#include <vector>

namespace sw {

struct RawAttribute {
    std::string_view name;
    std::string_view value;
    SourceRange where;
};

// Reads up to and including the closing brace; the caller has read the opening one.
[[nodiscard]] Result<std::vector<RawAttribute>> readAttributeList(TextScanner &scanner);

// Converts the attributes of a node of this kind, type and shape. `line` scans the text that holds the attributes; that text may
// name dimensions of the scope.
[[nodiscard]] Result<NodeAttributes> readAttributes(const Node &node, std::vector<RawAttribute> list, const TextScanner &line,
                                                    const SymbolicScope &scope);

} // namespace sw
