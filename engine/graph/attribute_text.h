#pragma once
// The attributes of a node in a graph's text: "{name = value, ...}" to the struct of the node's kind.

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

// Reads up to and including the closing brace; the opening one has been read.
[[nodiscard]] Result<std::vector<RawAttribute>> readAttributeList(TextScanner &scanner);

// What the attributes of a node of this kind, type and shape say. `line` scans the text that the attributes are parts of, in
// which the dimensions of the scope may be named.
[[nodiscard]] Result<NodeAttributes> readAttributes(const Node &node, std::vector<RawAttribute> list, const TextScanner &line,
                                                    const SymbolicScope &scope);

} // namespace sw
