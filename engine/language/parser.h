#pragma once
// Tokens to a syntax tree, by recursive descent with binding powers for the operators. It recovers at the next statement, so one
// call reports every line that is wrong. Expressions and blocks may nest to a depth of 256.

#include "engine/language/lexer.h"
#include "engine/language/syntax_tree.h"

namespace sw::language {

inline constexpr std::uint32_t kMaxNesting = 256;

struct ParsedFile {
    SyntaxTree tree;
    Diagnostics diagnostics;
};

// The tree points into `source`.
[[nodiscard]] ParsedFile parse(const SourceText &source);

} // namespace sw::language
