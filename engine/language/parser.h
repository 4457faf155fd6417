#pragma once
// Parses tokens into a syntax tree, by recursive descent with binding powers for operators. After an error it continues with the
// next statement, so one call reports every wrong line. Expressions and blocks may nest 256 deep.

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
